//! Which files a run reads, the text of each, and lines and columns in it.

mod beside;
mod caches;
mod cells;
mod console_scripts;
mod digest;
mod dotenv;
mod excluded;
mod file_pattern;
mod followed;
mod ignored;
mod language;
mod names;
mod opened;
mod read;
mod stamps;
mod state;
mod walk;

use crate::disk::{Bounds, Disk, absolute};
use crate::facts::{FileId, Place, Span};
use elsa::sync::FrozenVec;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use beside::{DiskAnswers, Question};
pub use cells::{Cell, Cells};
pub use console_scripts::console_scripts;
pub use digest::Digest;
pub use excluded::Excluded;
pub use file_pattern::FilePattern;
pub use followed::{IMPORTS_OWN, quoted_names};
pub use language::Language;
pub use names::{PROJECT_FILES, file_name_of, folder_of, normalised};
pub use opened::{Kept, Opened};
pub use stamps::{Stamps, stamp_of, stamps};
pub use walk::MissingPaths;

/// One file of the run.
#[derive(Debug)]
pub struct Source {
    /// Where the file lies on disk; `None` for standard input and for rule examples.
    pub path: Option<PathBuf>,
    /// The path relative to the project root, with `/` on every platform.
    pub name: String,
    pub language: Language,
    /// What is read: of a notebook the code of its cells, one after the other; of any other file all of it.
    pub text: String,
    /// Of a notebook, or why it is none.
    pub cells: Option<Result<Cells, String>>,
    /// Whether findings in this file are reported. Files outside the paths that the user named are
    /// read because others import them, and stay silent.
    pub reported: bool,
    lines: OnceLock<Vec<u32>>,
    /// Texts that were put together from parts of this one.
    extracts: FrozenVec<String>,
}

/// A file that could not be checked, with the reason in one clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}

/// Lines and columns of a place: 1-based, columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The cell of a notebook in which lines count, among all its cells.
    pub cell: Option<u32>,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// Which files are read beside those that the user named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileSelection {
    /// Those that named files import: nothing says where the project ends.
    #[default]
    NamedPaths,
    /// Everything below the root, because checked files import it.
    Project,
}

/// All files of one run, in a stable order (by name).
#[derive(Debug, Default)]
pub struct Sources {
    pub root: PathBuf,
    pub files: Vec<Source>,
    pub skipped: Vec<Skipped>,
    /// What was asked of the disk since.
    pub beside: DiskAnswers,
}

impl Source {
    /// Whether it holds Python that runs.
    pub fn is_python(&self) -> bool {
        matches!(self.language, Language::Python | Language::Notebook)
    }

    /// A file that is reported.
    pub fn new(path: Option<PathBuf>, name: String, language: Language, text: String) -> Self {
        let (text, cells) = match language {
            Language::Notebook => match Cells::read(&text) {
                Ok((code, cells)) => (code, Some(Ok(cells))),
                Err(reason) => (String::new(), Some(Err(reason))),
            },
            _ => (text, None),
        };
        Source {
            path,
            name,
            language,
            text,
            cells,
            reported: true,
            lines: OnceLock::new(),
            extracts: FrozenVec::new(),
        }
    }

    /// What the file holds on disk now, where it was read from. Nothing is shown of it that a check has not read.
    pub fn content_on_disk(&self) -> Option<String> {
        let bytes =
            Bounds::default().read(self.path.as_ref()?, read::most_bytes(Some(self.language))).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// The same file, as it would be read anew.
    fn copied(&self) -> Source {
        Source {
            path: self.path.clone(),
            name: self.name.clone(),
            language: self.language,
            text: self.text.clone(),
            cells: self.cells.clone(),
            reported: self.reported,
            lines: OnceLock::new(),
            extracts: FrozenVec::new(),
        }
    }

    /// Whether it is a notebook that Colab wrote.
    pub fn is_of_colab(&self) -> bool {
        self.read_cells().is_some_and(|cells| cells.of_colab)
    }

    /// Whether it is a notebook that Colab wrote, and that asks it for no accelerator: a machine without a GPU runs it.
    pub fn is_for_cpu_of_colab(&self) -> bool {
        self.read_cells().is_some_and(|cells| cells.of_colab && !cells.accelerated)
    }

    /// The cells of a notebook that could be read.
    fn read_cells(&self) -> Option<&Cells> {
        self.cells.as_ref()?.as_ref().ok()
    }

    /// The language of a notebook that is not in Python.
    fn foreign_kernel(&self) -> Option<&str> {
        self.read_cells()?.foreign.as_deref()
    }

    /// Keeps a text that was put together from parts of this one, as long as this one lives.
    pub fn keep(&self, text: String) -> &str {
        self.extracts.push_get(text)
    }

    /// Byte offsets at which lines start; computed once, when a finding first asks.
    fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let newlines = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0).chain(newlines.map(|at| at as u32 + 1)).collect()
        })
    }

    /// 1-based line and column of a byte offset; inside a character it is that of the character, behind
    /// the end that of the end.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset) - 1;
        let before = &self.text[starts[line] as usize..self.text.floor_char_boundary(offset as usize)];
        // A byte order mark is not a column that an editor shows.
        let column = before.trim_start_matches('\u{feff}').chars().count();
        (line as u32 + 1, column as u32 + 1)
    }

    /// The text of a 1-based line, without its line ending.
    pub fn line_text(&self, line: u32) -> &str {
        let starts = self.line_starts();
        let start = starts[line as usize - 1] as usize;
        let end = starts.get(line as usize).map_or(self.text.len(), |&next| next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Lines and columns of a span, as people see them: in a notebook they count from the top of the cell.
    pub fn position(&self, span: Span) -> Position {
        let (line, column) = self.line_column(span.start);
        let (end_line, end_column) = self.line_column(span.end);
        let cell = self.cell_holding(line);
        let above = cell.map_or(0, |cell| cell.first_line - 1);
        Position {
            cell: cell.map(|cell| cell.number),
            line: line - above,
            column,
            end_line: end_line - above,
            end_column,
        }
    }

    /// The first and the last line of a span in the file itself, which for a notebook are lines of JSON.
    pub fn file_lines(&self, span: Span) -> (u32, u32) {
        let lines = [self.line_column(span.start).0, self.line_column(span.end).0];
        let [first, last] = lines.map(|line| match self.cell_holding(line) {
            Some(cell) => cell.file_line(line - cell.first_line + 1),
            None => line,
        });
        (first, last.max(first))
    }

    fn cell_holding(&self, line: u32) -> Option<&Cell> {
        self.cells.as_ref()?.as_ref().ok()?.holding(line)
    }

    /// What lines are counted in: the name of the file, with the cell of a notebook.
    pub fn name_with_cell(&self, cell: Option<u32>) -> Cow<'_, str> {
        match cell {
            Some(cell) => Cow::Owned(format!("{}:cell {cell}", self.name)),
            None => Cow::Borrowed(&self.name),
        }
    }
}

impl Clone for Sources {
    fn clone(&self) -> Sources {
        self.with_edited(FxHashMap::default())
    }
}

impl Sources {
    /// Reads the files below `named`, and those of the project as far as `extent` says. A path that
    /// does not exist is an error; what exists and cannot be read is among the skipped.
    pub fn collect(root: &Path, named: &[PathBuf], extent: FileSelection) -> Result<Sources, MissingPaths> {
        Sources::collect_except(root, named, extent, &Excluded::default())
    }

    /// The same without reports on some files.
    pub fn collect_except(
        root: &Path,
        named: &[PathBuf],
        extent: FileSelection,
        excluded: &Excluded,
    ) -> Result<Sources, MissingPaths> {
        let bounds = walk::bounds(root, named, extent);
        let (found, skipped) = walk::files(root, named, extent, excluded, &bounds)?;
        Ok(Sources::read(root, found, skipped, bounds))
    }

    /// Standard input in the place of the file `path` (which need not exist), and the rest of the
    /// project. Without a path it is a script of its own, shown as `-`.
    pub fn with_standard_input(
        root: &Path,
        path: Option<&Path>,
        text: Vec<u8>,
        extent: FileSelection,
    ) -> Sources {
        let path = path.map(absolute);
        // Without a named path nothing can be missing.
        let bounds = Bounds::of(root);
        let walked = walk::files(root, &[], extent, &Excluded::default(), &bounds);
        let (mut found, skipped) = walked.unwrap_or_default();
        if let Some(path) = &path {
            found.remove(path);
        }
        let mut sources = Sources::read(root, found, skipped, bounds);
        let name = path.as_deref().map_or_else(|| "-".to_owned(), |path| names::relative(root, path));
        match read::text_of(path.as_deref(), text) {
            Ok((language, text)) => sources.files.push(Source::new(path, name, language, text)),
            Err(reason) => sources.skipped.push(Skipped { path: name, reason }),
        }
        sources.sort();
        sources
    }

    fn read(root: &Path, found: walk::Found, skipped: Vec<(PathBuf, String)>, bounds: Bounds) -> Sources {
        let mut sources = Sources::read_found(root, found, skipped, bounds, read::file);
        sources.add_loaded();
        sources.sort();
        sources
    }

    /// The files of a walk, whose texts `text_of` reads.
    fn read_found(
        root: &Path,
        found: walk::Found,
        skipped: Vec<(PathBuf, String)>,
        bounds: Bounds,
        text_of: impl Fn(&Bounds, &Path, walk::ReadReason) -> Result<Option<(Language, String)>, String> + Sync,
    ) -> Sources {
        let found: Vec<_> = found.into_iter().collect();
        let read: Vec<_> = found.par_iter().map(|(path, wanted)| text_of(&bounds, path, *wanted)).collect();
        let beside = DiskAnswers::of(Disk::default().within(bounds));
        let mut sources = Sources { root: root.to_owned(), beside, ..Sources::default() };
        let shown = |path: &Path| names::relative(root, path);
        sources.skipped =
            skipped.into_iter().map(|(path, reason)| Skipped { path: shown(&path), reason }).collect();
        for ((path, wanted), text) in found.into_iter().zip(read) {
            let name = names::relative(root, &path);
            match text {
                Ok(Some((language, text))) => {
                    let mut source = Source::new(Some(path), name, language, text);
                    source.reported = wanted.is_reported();
                    match (source.foreign_kernel(), wanted) {
                        (None, _) => sources.files.push(source),
                        (Some(kernel), walk::ReadReason::Named) => {
                            let reason = format!("a notebook in {kernel}, and only those in Python are read");
                            sources.skipped.push(Skipped { path: source.name, reason });
                        }
                        // Found below a folder: a file in a language that is not read.
                        (Some(_), _) => {}
                    }
                }
                Ok(None) => {}
                Err(reason) if wanted.is_reported() => sources.skipped.push(Skipped { path: name, reason }),
                // Nobody asked about this file, and what imports it is checked without it.
                Err(_) => {}
            }
        }
        sources
    }

    /// Adds files of settings that those read so far may load.
    fn add_loaded(&mut self) {
        for path in dotenv::near(&self.root, &self.files) {
            if !self.files.iter().any(|source| source.path.as_ref() == Some(&path))
                && let Ok(Some((language, text))) =
                    read::file(self.beside.bounds(), &path, walk::ReadReason::ForImports)
            {
                let name = names::relative(&self.root, &path);
                let source = Source::new(Some(path), name, language, text);
                self.files.push(Source { reported: false, ..source });
            }
        }
    }

    fn sort(&mut self) {
        self.files.sort_by(|a, b| a.name.cmp(&b.name));
        self.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// The same files, some of them with the texts that `edited` has for them.
    pub fn with_edited(&self, mut edited: FxHashMap<FileId, String>) -> Sources {
        let fresh = |(at, source): (usize, &Source)| match edited.remove(&FileId(at as u32)) {
            None => source.copied(),
            Some(text) => {
                let fresh = Source::new(source.path.clone(), source.name.clone(), source.language, text);
                Source { reported: source.reported, ..fresh }
            }
        };
        let files = self.files.iter().enumerate().map(fresh).collect();
        Sources { root: self.root.clone(), files, skipped: self.skipped.clone(), beside: self.beside.anew() }
    }

    /// The same files, where what is asked beside them may lie within other bounds.
    pub fn within(self, bounds: &Bounds) -> Sources {
        let beside = DiskAnswers::of(Disk::default().within(bounds.clone()));
        Sources { beside, ..self }
    }

    /// What reports call the file at an absolute path.
    pub fn name_of(&self, path: &Path) -> String {
        names::relative(&self.root, path)
    }

    /// The file at a path, if it was read.
    pub fn at(&self, path: &Path) -> Option<FileId> {
        let path = absolute(path);
        let position = self.files.iter().position(|source| source.path.as_ref() == Some(&path))?;
        Some(FileId(position as u32))
    }

    /// The file with this number.
    pub fn file(&self, id: FileId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// The text of a file of the project by its name: as it was read, or else as it lies on disk. Examples lie nowhere.
    pub fn text_named(&self, name: &str) -> Option<&str> {
        match self.files.iter().find(|source| source.name == name) {
            Some(source) => Some(&source.text),
            None if self.root.as_os_str().is_empty() => None,
            None => self.beside.text(&self.root.join(name)).ok(),
        }
    }

    /// Lines and columns of a place.
    pub fn position(&self, place: Place) -> Position {
        self.file(place.file).position(place.span)
    }

    /// Where a place begins, as people read it: `train.py:12`, `notes.ipynb:cell 2:3`.
    pub fn shown(&self, place: Place) -> String {
        let position = self.position(place);
        format!("{}:{}", self.file(place.file).name_with_cell(position.cell), position.line)
    }

    /// The text that stands at a place.
    pub fn text(&self, place: Place) -> &str {
        &self.file(place.file).text[place.span.range()]
    }
}
