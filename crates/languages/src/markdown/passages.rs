//! The prose and the tables of a document, and the comments of the Python in it.

use super::{Fence, fence};
use crate::languages::embedded::Extract;
use crate::languages::passages::{PassageKind, TextPiece};
use crate::languages::python;
use crate::sources::Source;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// What a block of code holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Python,
    /// Lines that a program printed, or that have comments of their own.
    Lines,
}

/// The passages of a document.
pub fn passages(source: &Source) -> Vec<TextPiece> {
    let mut found = Vec::new();
    let mut open = Extract::default();
    let mut kind = PassageKind::Text;
    let mut block = None;
    let (mut row, mut column) = (0, 0);
    let parser = Parser::new_ext(&source.text, Options::ENABLE_TABLES);
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                close(&mut found, &mut open, kind);
                block = block_of(&info);
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => close(&mut found, &mut open, kind),
            Event::Text(text) if block.is_some() => open.push(&text, range.start),
            Event::End(TagEnd::CodeBlock) => {
                let (text, origin) = std::mem::take(&mut open).finish();
                match block.take() {
                    Some(Block::Python) => found.extend(python::remarks(&text, &origin, false)),
                    Some(Block::Lines) => {
                        let mut at = 0;
                        for line in text.split_inclusive('\n') {
                            let start = origin.span(at, at + 1).start as usize;
                            found.push(TextPiece::new(PassageKind::Line, line.trim_end(), start));
                            at += line.len();
                        }
                    }
                    None => {}
                }
            }
            Event::Start(Tag::Heading { level, .. }) => {
                close(&mut found, &mut open, kind);
                kind = PassageKind::Heading(level_of(level));
            }
            Event::Start(Tag::TableHead) => (row, column) = (0, 0),
            Event::Start(Tag::TableRow) => (row, column) = (row + 1, 0),
            Event::Start(Tag::TableCell) => kind = PassageKind::Cell(row, column),
            Event::End(TagEnd::TableCell) => {
                // An empty cell keeps its place.
                if open.len() == 0 {
                    open.push(" ", range.start);
                }
                close(&mut found, &mut open, kind);
                (kind, column) = (PassageKind::Text, column + 1);
            }
            Event::Start(Tag::Paragraph | Tag::Item | Tag::List(_) | Tag::BlockQuote(_) | Tag::Table(_))
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_) | TagEnd::List(_)) => {
                close(&mut found, &mut open, kind);
                kind = PassageKind::Text;
            }
            Event::Text(text) if block.is_none() && range.len() == text.len() => {
                open.push(&text, range.start)
            }
            Event::Text(text) => open.push_at(&text, range.start),
            Event::Code(text) => {
                let marks = range.len().saturating_sub(text.len()) / 2;
                open.push(&text, range.start + marks);
            }
            Event::SoftBreak => open.push_at("\n", range.start),
            Event::HardBreak => open.push_at("; ", range.start),
            _ => {}
        }
    }
    close(&mut found, &mut open, kind);
    found
}

fn close(found: &mut Vec<TextPiece>, open: &mut Extract, kind: PassageKind) {
    if open.len() > 0 {
        found.push(TextPiece::of(kind, std::mem::take(open)));
    }
}

fn block_of(info: &str) -> Option<Block> {
    let word = info.trim().split([' ', ',', '{', ':']).next().unwrap_or_default().to_ascii_lowercase();
    match fence(info) {
        Some(Fence::Python) => Some(Block::Python),
        Some(Fence::Shell) => Some(Block::Lines),
        Some(Fence::List) => Some(Block::Lines),
        None if matches!(&*word, "" | "console" | "output" | "plaintext" | "yaml" | "yml") => {
            Some(Block::Lines)
        }
        _ => None,
    }
}

fn level_of(level: HeadingLevel) -> u8 {
    level as u8
}
