//! Where the bytes of a scalar stand: its text is what the file says without quotes, escapes, indentation and folded
//! lines, and each byte of it leads back to one of the file.

use super::super::embedded::{Extract, Origin};
use crate::facts::Span;

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// `!!str 1`
    Tagged,
    SingleQuoted,
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// Where the bytes of `text` stand in `file`, of which `span` is the scalar with its quotes; a block begins behind
/// the indentation of its first line.
pub fn origin(file: &str, span: Span, style: Style, text: &str) -> Origin {
    let quotes = usize::from(matches!(style, Style::SingleQuoted | Style::DoubleQuoted));
    let start = span.start as usize + quotes;
    if file[start.min(file.len())..].starts_with(text) {
        return Origin::from(start);
    }
    let line_start = file[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = start - line_start;
    let mut walk = Walk { file: file.as_bytes(), at: start, text, done: 0, extract: Extract::default() };
    match style {
        Style::Literal | Style::Folded => walk.block(indent, style == Style::Folded),
        style => walk.flow(style),
    }
    walk.rest();
    walk.extract.finish().1
}

/// Goes through a text and the file beside each other.
struct Walk<'a> {
    file: &'a [u8],
    at: usize,
    text: &'a str,
    /// Bytes of the text that have a place.
    done: usize,
    extract: Extract,
}

impl Walk<'_> {
    fn byte(&self) -> Option<u8> {
        self.file.get(self.at).copied()
    }

    /// What is left of the text.
    fn left(&self) -> &str {
        &self.text[self.done..]
    }

    /// Gives the next bytes of the text their place.
    fn take(&mut self, length: usize, source: usize) {
        let length = self.text.ceil_char_boundary(self.done + length) - self.done;
        self.extract.push(&self.text[self.done..self.done + length], source);
        self.done += length;
    }

    /// Where the two do not agree any more, the rest has one place: a character of one byte.
    fn rest(&mut self) {
        let at = self.at.min(self.file.len().saturating_sub(1));
        let place = self.file[..=at].iter().rposition(u8::is_ascii).unwrap_or(0);
        self.extract.push_at(&self.text[self.done..], place);
        self.done = self.text.len();
    }

    /// Passes over a line break, if there is one here.
    fn line_break(&mut self) -> bool {
        let length = match (self.byte(), self.file.get(self.at + 1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(b'\n' | b'\r'), _) => 1,
            _ => return false,
        };
        self.at += length;
        true
    }

    fn blanks(&mut self, most: usize) {
        let blanks = self.file[self.at..].iter().take(most).take_while(|byte| matches!(byte, b' ' | b'\t'));
        self.at += blanks.count();
    }

    /// A block of lines below `|` or `>`.
    fn block(&mut self, indent: usize, folded: bool) {
        // Empty lines before the first: their breaks have no place that anybody asks for.
        let empty = self.left().bytes().take_while(|byte| *byte == b'\n').count();
        self.take(empty, self.at);
        while self.done < self.text.len() {
            let line = self.left().len().min(self.line_length());
            if self.left().as_bytes()[..line] != self.file[self.at..self.at + line] {
                return;
            }
            self.take(line, self.at);
            self.at += line;
            if !self.line_break() {
                return;
            }
            let place = self.at - 1;
            if folded {
                self.fold(place, indent);
            } else {
                self.take(1, place);
                self.indentation(indent);
            }
        }
    }

    fn line_length(&self) -> usize {
        let rest = &self.file[self.at..];
        memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
    }

    fn indentation(&mut self, indent: usize) {
        let blanks = self.file[self.at..].iter().take(indent).take_while(|byte| **byte == b' ');
        self.at += blanks.count();
    }

    /// Behind a line break: one alone is a blank, of several all but the first stay.
    fn fold(&mut self, place: usize, indent: usize) {
        self.indentation(indent);
        while self.line_break() {
            self.indentation(indent);
        }
        self.take_folded(place);
    }

    fn take_folded(&mut self, place: usize) {
        let breaks = self.left().bytes().take_while(|byte| *byte == b'\n').count();
        if breaks > 0 {
            self.take(breaks, place);
        } else if self.left().starts_with(' ') {
            self.take(1, place);
        }
    }

    /// Text in quotes, or without, over several lines or with escapes.
    fn flow(&mut self, style: Style) {
        while self.done < self.text.len() {
            let Some(byte) = self.byte() else { return };
            let place = self.at;
            match byte {
                b'\\' if style == Style::DoubleQuoted => self.escape(place),
                b'\'' if style == Style::SingleQuoted => {
                    self.take(1, place);
                    self.at = (self.at + 2).min(self.file.len());
                }
                b' ' | b'\t' | b'\r' | b'\n' if self.folds_here() => {
                    self.blanks(usize::MAX);
                    while self.line_break() {
                        self.blanks(usize::MAX);
                    }
                    self.take_folded(place);
                }
                byte if self.left().as_bytes()[0] == byte => {
                    let before = self.done;
                    self.take(1, place);
                    self.at += self.done - before;
                }
                _ => return,
            }
        }
    }

    /// Whether only blanks are left on the line.
    fn folds_here(&self) -> bool {
        let mut rest = self.file[self.at..].iter();
        matches!(rest.find(|byte| !matches!(byte, b' ' | b'\t')), Some(b'\r' | b'\n'))
    }

    /// A backslash in double quotes.
    fn escape(&mut self, place: usize) {
        self.at += 1;
        let digits = match self.byte() {
            Some(b'\r' | b'\n') => {
                self.line_break();
                self.blanks(usize::MAX);
                return;
            }
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => 0,
        };
        self.at = (self.at + 1 + digits).min(self.file.len());
        let length = self.left().chars().next().map_or(0, char::len_utf8);
        self.extract.push_at(&self.text[self.done..self.done + length], place);
        self.done += length;
    }
}
