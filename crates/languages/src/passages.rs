//! What people read in a file: comments, and the prose and tables of documents. Only rules about what is said of hardware
//! ask for it, so it is put together when they do.

use super::embedded::{Extract, Origin};
use super::{markdown, python};
use crate::code::Code;
use crate::facts::Span;
use crate::sources::{Language, Source};

/// A piece of text that says one thing by itself.
#[derive(Debug)]
pub struct TextPiece {
    pub kind: PassageKind,
    pub text: String,
    /// Where the text stands in the file.
    pub origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageKind {
    /// What stands behind the mark of a comment.
    Comment,
    /// With its level.
    Heading(u8),
    /// A paragraph, or the text of a list item.
    Text,
    /// A line of a block that holds no code: output of a program.
    Line,
    /// A cell of a table, by the number of its row and column; row 0 is the head.
    Cell(u32, u32),
}

/// The passages of a file, each kind in the order in which they stand.
pub fn passages(source: &Source, code: &Code<'_>) -> Vec<TextPiece> {
    match source.language {
        Language::Markdown => markdown::passages::passages(source),
        Language::Python => {
            let text = |span: &Span| &source.text[span.range()];
            let comments = code.remarks.comments.iter();
            let comments =
                comments.map(|span| TextPiece::new(PassageKind::Comment, text(span), span.start as usize));
            let texts = code.remarks.texts.iter().flat_map(|span| {
                let lines = lines(text(span));
                lines.map(|(at, line)| TextPiece::new(PassageKind::Text, line, span.start as usize + at))
            });
            comments.chain(texts).collect()
        }
        Language::Notebook => {
            let Some(Ok(cells)) = &source.cells else { return Vec::new() };
            let of_cell = |cell: &crate::sources::Cell| {
                python::remarks(&source.text[cell.range.clone()], &Origin::from(cell.range.start), true)
            };
            cells.iter().flat_map(of_cell).collect()
        }
        Language::Rust => behind(&source.text, "//"),
        Language::Json => Vec::new(),
        Language::Batch => Vec::new(),
        _ => behind(&source.text, "#"),
    }
}

/// The lines of a text, each with the byte at which it begins.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line.trim_end())
    })
}

/// What stands behind a mark on each line. A mark inside a text is taken for one as well: what is behind it is read by
/// people all the same.
fn behind(text: &str, mark: &str) -> Vec<TextPiece> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(start) = line.find(mark) {
            found.push(TextPiece::new(PassageKind::Comment, line[start..].trim_end(), at + start));
        }
        at += line.len();
    }
    found
}

impl TextPiece {
    /// Text that stands in the file as it is, from a byte on.
    pub fn new(kind: PassageKind, text: &str, start: usize) -> TextPiece {
        let mut extract = Extract::default();
        extract.push(text, start);
        TextPiece::of(kind, extract)
    }

    pub(super) fn of(kind: PassageKind, extract: Extract) -> TextPiece {
        let (text, origin) = extract.finish();
        TextPiece { kind, text, origin }
    }
}
