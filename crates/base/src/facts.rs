//! The vocabulary that every hop of the pipeline shares: where something stands in the project.
//!
//! This module depends on nothing else of the crate.

use serde::{Deserialize, Serialize};

/// A file of the run, by its position in [`crate::sources::Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A half-open range of bytes in the text of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// The lines of a text with their places, without what ends them and the blanks before that.
pub fn lines_in(text: &str) -> impl Iterator<Item = (Span, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        let line = line.trim_end();
        (Span::new(at, at + line.len()), line)
    })
}

/// Whether what stands from byte `start` to byte `end` of a text is a name by itself, and no part of a longer one.
pub fn is_whole_name(text: &str, start: usize, end: usize) -> bool {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    !text[..start].ends_with(is_part) && !text[end..].starts_with(is_part)
}

impl Span {
    /// From byte `start` up to, and without, byte `end`.
    pub fn new(start: usize, end: usize) -> Self {
        // Files above 16 MiB are refused before this point, so the cast never cuts.
        Span { start: start as u32, end: end as u32 }
    }

    /// The same as an index into the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether all of another range lies in this one.
    pub fn holds(self, inner: Span) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }
}

/// A range of bytes in one file: where a fact was read, and where a finding points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    pub file: FileId,
    pub span: Span,
}
