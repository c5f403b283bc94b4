//! Words of a command: quotes, `^`, `%X%`, `!X!`.

use super::super::command_lines::{Literal, Word};
use super::super::embedded::{Extract, Origin};
use super::Reader;
use crate::code::{Expr, ExprKind};
use std::borrow::Cow;
use std::ops::Range;

/// A text as it is put together from what stands in the file.
#[derive(Default)]
pub(super) struct Pieces<'s> {
    parts: Vec<Expr<'s>>,
    text: Extract,
    /// Something in it is known only when it runs.
    expands: bool,
}

impl<'s> Reader<'s, '_> {
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(b'\n')
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.byte(self.at) {
                b' ' | b'\t' | b'\x0b' | b'\x0c' => self.at += 1,
                b'^' if self.line_goes_on(self.at) => self.skip_continuation(),
                _ => return,
            }
        }
    }

    /// `^` at the end of a line.
    pub(super) fn line_goes_on(&self, at: usize) -> bool {
        let next = self.byte(at + 1);
        at + 1 < self.text.len() && (next == b'\n' || (next == b'\r' && self.byte(at + 2) == b'\n'))
    }

    pub(super) fn skip_continuation(&mut self) {
        self.at += if self.byte(self.at + 1) == b'\r' { 3 } else { 2 };
        self.at = self.at.min(self.text.len());
    }

    /// Whether a command ends here.
    pub(super) fn ends_command(&self) -> bool {
        match self.byte(self.at) {
            b'\n' | b'&' | b'|' => true,
            b'\r' => self.byte(self.at + 1) == b'\n',
            b')' => self.parentheses > 0,
            _ => self.at >= self.text.len(),
        }
    }

    pub(super) fn skip_line(&mut self) {
        self.at = memchr::memchr(b'\n', &self.text.as_bytes()[self.at..])
            .map_or(self.text.len(), |end| self.at + end);
    }

    /// Where the running command ends, quotes and `^` considered.
    pub(super) fn command_end(&mut self) -> usize {
        let start = self.at;
        let mut quoted = false;
        while self.at < self.text.len() {
            match self.byte(self.at) {
                b'"' => quoted = !quoted,
                b'\n' => break,
                b'^' if !quoted && self.line_goes_on(self.at) => {
                    self.skip_continuation();
                    continue;
                }
                b'^' if !quoted => self.at += 1,
                _ if !quoted && self.ends_command() => break,
                b'\r' if self.byte(self.at + 1) == b'\n' => break,
                _ => {}
            }
            self.at += 1;
        }
        let end = self.at.min(self.text.len());
        // In the middle of a character after `^`: at its end.
        let end =
            (end..=self.text.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.text.len());
        self.at = start;
        end
    }

    /// The next word, up to a blank; `None` at the end of the command.
    pub(super) fn word(&mut self) -> Option<Word<'s>> {
        self.skip_blanks();
        if self.ends_command() || matches!(self.byte(self.at), b'<' | b'>') {
            return None;
        }
        let start = self.at;
        let mut pieces = Pieces::default();
        let mut quoted = false;
        while self.at < self.text.len() {
            match self.byte(self.at) {
                b'"' if quoted && self.byte(self.at + 1) == b'"' && !pieces.is_empty() => {
                    pieces.push("\"", self.at);
                    self.at += 2;
                }
                b'"' => {
                    quoted = !quoted;
                    self.at += 1;
                }
                b'\\' if quoted && self.byte(self.at + 1) == b'"' && !self.closes(self.at + 1) => {
                    pieces.push("\"", self.at + 1);
                    self.at += 2;
                }
                b'\n' => break,
                b' ' | b'\t' if !quoted => break,
                b'<' | b'>' if !quoted => break,
                _ if !quoted && self.ends_command() => break,
                _ => self.character(quoted, &mut pieces),
            }
        }
        let literal = pieces.literal(self);
        let expr = self.put_together(pieces, start..self.at);
        Some(Word { expr, literal })
    }

    /// Whether the quote here closes a word, although a backslash stands before it: `"C:\data\"`.
    fn closes(&self, at: usize) -> bool {
        matches!(self.byte(at + 1), b' ' | b'\t' | b'\r' | b'\n' | b'&' | b'|')
    }

    /// The text up to `end`, with what it expands to.
    pub(super) fn text_until(&mut self, end: usize, escapes: bool) -> Expr<'s> {
        let start = self.at;
        let mut pieces = Pieces::default();
        while self.at < end {
            self.character(!escapes, &mut pieces);
        }
        self.at = self.at.max(end);
        self.put_together(pieces, start..end)
    }

    /// One character, or an expansion.
    fn character(&mut self, quoted: bool, pieces: &mut Pieces<'s>) {
        match self.byte(self.at) {
            b'^' if !quoted && self.line_goes_on(self.at) => self.skip_continuation(),
            b'^' if !quoted && self.at + 1 < self.text.len() => {
                self.at += 1;
                self.plain(pieces);
            }
            b'%' => self.percent(pieces),
            b'!' if self.delayed => self.delayed(pieces),
            _ => self.plain(pieces),
        }
    }

    fn plain(&mut self, pieces: &mut Pieces<'s>) {
        let length = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        let text: &'s str = self.text;
        pieces.push(&text[self.at..(self.at + length).min(text.len())], self.at);
        self.at += length;
    }

    /// `%X%`, `%1`, `%~dp0`, `%%g`, `%%`
    fn percent(&mut self, pieces: &mut Pieces<'s>) {
        let start = self.at;
        let rest = &self.text.as_bytes()[start + 1..];
        let loop_variable = rest.first() == Some(&b'%');
        let name = &rest[usize::from(loop_variable)..];
        let letter = |at: usize| name.get(at).copied().filter(u8::is_ascii_alphabetic);
        let kind = if loop_variable && name.first() == Some(&b'~') {
            // `%%~g`, and parts of a path such as `%%~nxg`.
            let length = name[1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            self.at += 3 + length;
            match (length, letter(1)) {
                (1, Some(letter)) => ExprKind::Variable(format!("%{}", letter as char).into()),
                _ => ExprKind::Unknown(Vec::new()),
            }
        } else if loop_variable && let Some(letter) = letter(0) {
            self.at += 3;
            ExprKind::Variable(format!("%{}", letter as char).into())
        } else if loop_variable {
            pieces.push("%", start);
            self.at += 2;
            return;
        } else if name.first().is_some_and(u8::is_ascii_digit) {
            self.at += 2;
            ExprKind::Variable(char::from(name[0]).to_string().into())
        } else if name.first() == Some(&b'*') {
            self.at += 2;
            ExprKind::Unknown(Vec::new())
        } else if name.first() == Some(&b'~') && self.argument_length(&name[1..]).is_some() {
            let length = self.argument_length(&name[1..]).unwrap_or_default();
            self.at += 2 + length;
            match length {
                1 => ExprKind::Variable(char::from(name[1]).to_string().into()),
                _ => {
                    let is_folder = name[1..length].eq_ignore_ascii_case(b"dp");
                    pieces.expand(
                        Expr { span: self.span(start..self.at), kind: ExprKind::Unknown(Vec::new()) },
                        self.origin,
                    );
                    if is_folder && !matches!(self.byte(self.at), b'\\' | b'/' | b'"') {
                        // The folder ends with a backslash.
                        pieces.push("/", self.at);
                    }
                    return;
                }
            }
        } else {
            let line =
                name.iter().position(|byte| matches!(byte, b'\n' | b'%')).filter(|end| name[*end] == b'%');
            let Some(length) = line.filter(|length| *length > 0) else {
                pieces.push("%", start);
                self.at += 1;
                return;
            };
            self.at += length + 2;
            self.variable(&self.text[start + 1..start + 1 + length], true)
        };
        pieces.expand(Expr { span: self.span(start..self.at), kind }, self.origin);
    }

    /// Letters and the digit of `%~dp0`, behind the `~`.
    fn argument_length(&self, text: &[u8]) -> Option<usize> {
        let letters = text.iter().take(8).take_while(|byte| byte.is_ascii_alphabetic()).count();
        text.get(letters).filter(|byte| byte.is_ascii_digit()).map(|_| letters + 1)
    }

    fn delayed(&mut self, pieces: &mut Pieces<'s>) {
        let start = self.at;
        let rest = &self.text[start + 1..];
        let end = rest.bytes().position(|byte| matches!(byte, b'!' | b'\n'));
        match end.filter(|end| *end > 0 && rest.as_bytes()[*end] == b'!') {
            Some(length) => {
                self.at += length + 2;
                let kind = self.variable(&self.text[start + 1..start + 1 + length], false);
                pieces.expand(Expr { span: self.span(start..self.at), kind }, self.origin);
            }
            None => self.plain(pieces),
        }
    }

    /// What stands between the signs. `early`: it is put in before the line or block runs.
    fn variable(&self, written: &'s str, early: bool) -> ExprKind<'s> {
        let name = capitals(written);
        let is_changed = early && (self.ended_local || self.set_here.iter().any(|known| *known == *name));
        if written.contains(':') || written.contains('%') || is_changed {
            return ExprKind::Unknown(Vec::new());
        }
        ExprKind::Variable(name)
    }

    fn put_together(&self, mut pieces: Pieces<'s>, range: Range<usize>) -> Expr<'s> {
        let span = self.span(range);
        if !pieces.expands {
            let (text, _) = pieces.text.finish();
            return Expr { span, kind: ExprKind::Text(text.into()) };
        }
        pieces.close_text(self.origin);
        let kind = match pieces.parts.len() {
            1 => pieces.parts.swap_remove(0).kind,
            _ => ExprKind::Join(pieces.parts),
        };
        Expr { span, kind }
    }
}

impl<'s> Pieces<'s> {
    fn is_empty(&self) -> bool {
        !self.expands && self.text.text.is_empty()
    }

    fn push(&mut self, text: &str, at: usize) {
        self.text.push(text, at);
    }

    fn expand(&mut self, part: Expr<'s>, file: &Origin) {
        self.expands = true;
        self.close_text(file);
        self.parts.push(part);
    }

    /// What was collected so far is a part of its own.
    fn close_text(&mut self, file: &Origin) {
        let (text, part) = std::mem::take(&mut self.text).finish();
        if !text.is_empty() {
            let span = file.of_part(&part).span(0, text.len());
            self.parts.push(Expr { span, kind: ExprKind::Text(text.into()) });
        }
    }

    fn literal(&self, reader: &Reader<'s, '_>) -> Option<Literal<'s>> {
        if self.expands {
            return None;
        }
        let (text, part) = self.text.clone().finish();
        if text.is_empty() {
            return None;
        }
        Some(Literal { text: reader.source.keep(text), origin: reader.origin.of_part(&part) })
    }
}

/// A name as Windows compares them.
pub(super) fn capitals(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        name.to_ascii_uppercase().into()
    } else {
        name.into()
    }
}
