//! Tables as they are written: in Markdown, or in plain text with columns for a terminal.

use crate::report::{markdown, printable};
use std::io::{self, Write};

/// Longer lists are read by programs, which have JSON.
const MOST_ROWS: usize = 500;
/// So many places stand in one cell.
const MOST_PLACES: usize = 12;
/// A column of plain text is not wider than this, but for the last.
const MOST_WIDE: usize = 72;

/// How words are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    Markdown,
    /// For a terminal: none.
    Plain,
}

/// Where a map is written to.
pub struct Sheet<'o> {
    pub marks: Marks,
    pub out: &'o mut dyn Write,
}

impl Marks {
    /// A name, a path, a piece of code.
    pub fn code(self, text: &str) -> String {
        match self {
            // A line feed in a name is a part of it.
            Marks::Markdown => markdown::code(&printable(text)),
            Marks::Plain => printable(text).into_owned(),
        }
    }

    /// A sentence.
    pub fn prose(self, text: &str) -> String {
        match self {
            Marks::Markdown => markdown::prose(text),
            Marks::Plain => printable(text).into_owned(),
        }
    }

    /// What stands between two things of a cell that are worth a line each.
    pub fn between(self) -> &'static str {
        match self {
            Marks::Markdown => "<br>",
            Marks::Plain => "; ",
        }
    }
}

impl Sheet<'_> {
    pub fn new(marks: Marks, out: &mut dyn Write) -> Sheet<'_> {
        Sheet { marks, out }
    }

    /// The first heading.
    ///
    /// # Errors
    /// Only those of the writer, here and below.
    pub fn title(&mut self, title: &str) -> io::Result<()> {
        match self.marks {
            Marks::Markdown => writeln!(self.out, "# {title}\n"),
            Marks::Plain => Ok(()),
        }
    }

    pub fn heading(&mut self, heading: &str) -> io::Result<()> {
        match self.marks {
            Marks::Markdown => writeln!(self.out, "## {heading}\n"),
            Marks::Plain => writeln!(self.out, "{heading}\n"),
        }
    }

    pub fn paragraph(&mut self, text: &str) -> io::Result<()> {
        let text = self.marks.prose(text);
        writeln!(self.out, "{text}\n")
    }

    /// A table under a heading, when it has a row. `#` before the head of a column says that it holds numbers.
    pub fn section(&mut self, heading: &str, heads: &[&str], rows: Vec<Vec<String>>) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.heading(heading)?;
        self.table(heads, rows)
    }

    pub fn table(&mut self, heads: &[&str], mut rows: Vec<Vec<String>>) -> io::Result<()> {
        let more = rows.len().saturating_sub(MOST_ROWS);
        rows.truncate(MOST_ROWS);
        let names: Vec<String> = heads.iter().map(|head| head.trim_start_matches('#').to_owned()).collect();
        match self.marks {
            Marks::Markdown => {
                let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
                let rule = heads.iter().map(|head| if head.starts_with('#') { "--:" } else { "---" });
                writeln!(self.out, "{}\n|{}|", line(&names), rule.collect::<Vec<_>>().join("|"))?;
                rows.iter().try_for_each(|row| writeln!(self.out, "{}", line(row)))?;
            }
            Marks::Plain => {
                rows.insert(0, names);
                columns(&rows, self.out)?;
            }
        }
        if more > 0 {
            let names_format = self.marks.prose("`--format json`");
            writeln!(self.out, "\nand {more} more; {names_format} has all")?;
        }
        writeln!(self.out)
    }
}

/// Several things in one cell.
pub fn listed(mut each: Vec<String>) -> String {
    let more = each.len().saturating_sub(MOST_PLACES);
    each.truncate(MOST_PLACES);
    if more > 0 {
        each.push(format!("and {more} more"));
    }
    each.join(", ")
}

/// Rows with each column as wide as its widest cell. The cells are printable.
pub fn columns(rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let width = |text: &String| text.chars().count();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(width).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(|at| widest(at).min(MOST_WIDE)).collect();
    for row in rows {
        let mut line = String::new();
        for (cell, wide) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', wide.saturating_sub(width(cell)) + 2));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
