//! Jupyter notebooks: the code of their cells, one after the other, is the text that the other steps see. This
//! knows which lines of it belong to which cell, and where they stand in the file.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// The code cells of a notebook, in order.
#[derive(Clone, Debug, Default, Hash)]
pub struct Cells {
    cells: Vec<Cell>,
    /// What the notebook is written in, when it says so and it is not Python.
    pub foreign: Option<String>,
    /// Colab wrote it, which leaves its own metadata.
    pub of_colab: bool,
    /// Its metadata ask for an accelerator.
    pub accelerated: bool,
}

/// One code cell.
#[derive(Clone, Debug, Hash)]
pub struct Cell {
    /// 1-based, among all cells of the notebook.
    pub number: u32,
    /// 1-based line of the text at which it begins.
    pub first_line: u32,
    /// Its bytes in the text, without the line feed that was added behind it.
    pub range: std::ops::Range<usize>,
    /// For each of its lines the 1-based line of the file that holds it.
    file_lines: Vec<u32>,
    /// The texts in quotes that it is put together from: where each begins here, and its opening quote in the file.
    parts: Vec<(usize, usize)>,
}

/// The form of nbformat 4, and of nbformat 3, which has its cells in worksheets.
#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow, default)]
    cells: Vec<RawCell<'a>>,
    #[serde(borrow, default)]
    worksheets: Vec<Worksheet<'a>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet<'a> {
    #[serde(borrow, default)]
    cells: Vec<RawCell<'a>>,
}

#[derive(Deserialize)]
struct RawCell<'a> {
    #[serde(default)]
    cell_type: String,
    /// Borrowed, because where it lies in the file says on which line the code stands.
    #[serde(borrow, default)]
    source: Option<&'a RawValue>,
    /// The name of the same thing in nbformat 3.
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    kernelspec: Kernel,
    #[serde(default)]
    language_info: Kernel,
    #[serde(default)]
    colab: Option<IgnoredAny>,
    #[serde(default)]
    accelerator: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
struct Kernel {
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

impl Cells {
    /// Reads a notebook: the text of its code cells, each followed by a line feed, and the table of them.
    pub fn read(file: &str) -> Result<(String, Cells), String> {
        let json = file.trim_start_matches('\u{feff}');
        let notebook: Notebook<'_> = serde_json::from_str(json).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            format!("not a notebook: {what} on line {line}, column {column}")
        })?;
        let mut reader = Reader { file, seen: 0, line: 1, text: String::new(), lines: 1, cells: Vec::new() };
        let sheets = notebook.worksheets.into_iter().flat_map(|sheet| sheet.cells);
        for (index, cell) in notebook.cells.into_iter().chain(sheets).enumerate() {
            if cell.cell_type == "code"
                && let Some(source) = cell.source.or(cell.input)
            {
                reader.add(index as u32 + 1, source);
            }
        }
        let of_colab = notebook.metadata.colab.is_some();
        let accelerated = notebook.metadata.accelerator.is_some();
        let foreign = notebook.metadata.language().filter(|language| !is_python(language));
        Ok((reader.text, Cells { cells: reader.cells, foreign, of_colab, accelerated }))
    }

    /// All code cells.
    pub fn iter(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter()
    }

    /// The cell that holds a 1-based line of the text.
    pub fn holding(&self, line: u32) -> Option<&Cell> {
        let at = self.cells.partition_point(|cell| cell.first_line <= line);
        self.cells.get(at.checked_sub(1)?)
    }
}

impl Cell {
    /// The line of the file that holds a line of this cell, both 1-based.
    pub fn file_line(&self, line: u32) -> u32 {
        let last = self.file_lines.last().copied().unwrap_or(1);
        self.file_lines.get(line.saturating_sub(1) as usize).copied().unwrap_or(last)
    }

    /// The text in quotes that holds a byte of the notebook's text, or ends before it: where it begins in the text,
    /// and its opening quote in the file.
    pub fn part_holding(&self, offset: usize) -> Option<(usize, usize)> {
        let at = self.parts.partition_point(|&(start, _)| start <= offset);
        self.parts.get(at.checked_sub(1)?).copied()
    }
}

impl Metadata {
    fn language(self) -> Option<String> {
        self.kernelspec.language.or(self.language_info.name).or_else(|| {
            // Kernels of other languages are known by their names when nothing else is said.
            self.kernelspec.name.filter(|name| name == "ir" || name.starts_with("julia"))
        })
    }
}

fn is_python(language: &str) -> bool {
    let language = language.to_ascii_lowercase();
    language.is_empty() || language.contains("python") || language == "pyspark"
}

struct Reader<'a> {
    file: &'a str,
    /// Bytes of the file whose lines are counted, and the 1-based line that they end on.
    seen: usize,
    line: u32,
    text: String,
    /// The 1-based line of the text that comes next.
    lines: u32,
    cells: Vec<Cell>,
}

impl Reader<'_> {
    fn add(&mut self, number: u32, source: &RawValue) {
        let start = self.text.len();
        let (mut file_lines, mut quotes) = (Vec::new(), Vec::new());
        let parts: Vec<&RawValue> = match source.get().starts_with('[') {
            true => serde_json::from_str(source.get()).unwrap_or_default(),
            false => vec![source],
        };
        for part in parts {
            let line = self.file_line_of(part);
            let Ok(decoded) = serde_json::from_str::<String>(part.get()) else { continue };
            if !decoded.is_empty() && (self.text.len() == start || self.text.ends_with('\n')) {
                file_lines.push(line);
            }
            quotes.push((self.text.len(), part.get().as_ptr() as usize - self.file.as_ptr() as usize));
            let inside = decoded.strip_suffix('\n').unwrap_or(&decoded);
            file_lines.extend(inside.matches('\n').map(|_| line));
            self.text.push_str(&decoded);
        }
        let range = start..self.text.len();
        if range.is_empty() || self.text.ends_with('\n') {
            let last = file_lines.last().copied().unwrap_or_else(|| self.file_line_of(source));
            file_lines.push(last);
        }
        self.text.push('\n');
        let first_line = self.lines;
        self.lines += file_lines.len() as u32;
        self.cells.push(Cell { number, first_line, range, file_lines, parts: quotes });
    }

    /// The 1-based line on which a part of the file begins. Parts are asked for in their order.
    fn file_line_of(&mut self, part: &RawValue) -> u32 {
        let at = part.get().as_ptr() as usize - self.file.as_ptr() as usize;
        if let Some(between) = self.file.as_bytes().get(self.seen..at) {
            self.line += memchr::memchr_iter(b'\n', between).count() as u32;
            self.seen = at;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = r#"{
 "cells": [
  {"cell_type": "markdown", "source": ["print(1)"]},
  {"cell_type": "code", "outputs": [{"data": {"image/png": "iVBORw0KGgo="}}],
   "source": ["import os\n",
              "x = \"\u00e9\"\n\ny = 1"]},
  {"cell_type": "code", "source": []},
  {"cell_type": "code", "source": "z = 2\n"}
 ],
 "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4
}"#;

    #[test]
    fn cells_are_one_text() {
        let (text, cells) = Cells::read(NOTEBOOK).unwrap();
        assert_eq!(text, "import os\nx = \"é\"\n\ny = 1\n\nz = 2\n\n");
        let numbers: Vec<_> = cells.iter().map(|cell| (cell.number, cell.first_line)).collect();
        assert_eq!(numbers, [(2, 1), (3, 5), (4, 6)]);
        assert_eq!(&text[cells.holding(7).unwrap().range.clone()], "z = 2\n");
        assert!(cells.holding(0).is_none());
        let lines: Vec<_> = (1..=4).map(|line| cells.holding(1).unwrap().file_line(line)).collect();
        assert_eq!(lines, [5, 6, 6, 6]);
        assert_eq!(cells.holding(6).unwrap().file_line(1), 8);
        assert_eq!(cells.foreign, None);
    }

    #[test]
    fn the_third_format_has_worksheets() {
        let file =
            r#"{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1"]}]}]}"#;
        let (text, cells) = Cells::read(file).unwrap();
        assert_eq!(text, "a = 1\n");
        assert_eq!(cells.iter().count(), 1);
    }

    #[test]
    fn other_kernels_are_told_apart() {
        let foreign = |metadata: &str| {
            Cells::read(&format!(r#"{{"cells": [], "metadata": {metadata}}}"#)).unwrap().1.foreign
        };
        assert_eq!(foreign(r#"{"kernelspec": {"language": "R", "name": "ir"}}"#).as_deref(), Some("R"));
        assert_eq!(foreign(r#"{"language_info": {"name": "julia"}}"#).as_deref(), Some("julia"));
        assert_eq!(foreign(r#"{"kernelspec": {"name": "python3"}}"#), None);
        assert_eq!(foreign("{}"), None);
    }

    #[test]
    fn what_is_no_notebook_is_said_so() {
        assert_eq!(
            Cells::read("{\n  oops").unwrap_err(),
            "not a notebook: key must be a string on line 2, column 3"
        );
        assert!(Cells::read("").is_err());
        assert!(Cells::read(r#"{"cells": 3}"#).is_err());
    }
}
