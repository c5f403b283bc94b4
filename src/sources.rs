//! Which files a run reads, the text of each, and lines and columns in it.

use crate::facts::{FileId, Place, Span};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The language of a file, which decides the front-end that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    Python,
}

/// One file of the run.
#[derive(Debug)]
pub struct Source {
    /// Where the file lies on disk; `None` for standard input and for rule examples.
    pub path: Option<PathBuf>,
    /// The path relative to the project root, with `/` on every platform.
    pub name: String,
    pub language: Language,
    pub text: String,
    /// Whether findings in this file are reported. Files outside the paths that the user named are
    /// read because others import them, and stay silent.
    pub reported: bool,
    lines: OnceLock<Vec<u32>>,
}

/// A file that could not be checked, with the reason in one clause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}

/// Lines and columns of a place: 1-based, columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// All files of one run, in a stable order (by name).
#[derive(Debug, Default)]
pub struct Sources {
    pub root: PathBuf,
    pub files: Vec<Source>,
    pub skipped: Vec<Skipped>,
}

impl Source {
    pub fn new(path: Option<PathBuf>, name: String, language: Language, text: String) -> Self {
        Source { path, name, language, text, reported: true, lines: OnceLock::new() }
    }

    /// Byte offsets at which lines start; computed once, when a finding first asks.
    fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let newlines = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0).chain(newlines.map(|at| at as u32 + 1)).collect()
        })
    }

    /// 1-based line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset) - 1;
        let before = &self.text[starts[line] as usize..(offset as usize).min(self.text.len())];
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

    pub fn position(&self, span: Span) -> Position {
        let (line, column) = self.line_column(span.start);
        let (end_line, end_column) = self.line_column(span.end);
        Position { line, column, end_line, end_column }
    }
}

impl Sources {
    pub fn file(&self, id: FileId) -> &Source {
        &self.files[id.0 as usize]
    }

    pub fn position(&self, place: Place) -> Position {
        self.file(place.file).position(place.span)
    }

    pub fn text(&self, place: Place) -> &str {
        &self.file(place.file).text[place.span.range()]
    }
}
