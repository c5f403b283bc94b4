//! Code inside other files: the text that an interpreter gets, and where each of its bytes stands in the file.

use crate::code::Code;
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use std::borrow::Cow;

/// Stands in an extracted text for a part that is only known when it runs: `${{ inputs.gpu }}` of a workflow.
pub const NOT_KNOWN: char = '\u{fffc}';

/// The value of a text in which parts may not be known.
pub fn text_kind(text: Cow<'_, str>, span: Span) -> ExprKind<'_> {
    if !text.contains(NOT_KNOWN) {
        return ExprKind::Text(text);
    }
    let mut parts = Vec::new();
    for (number, part) in text.split(NOT_KNOWN).enumerate() {
        if number > 0 {
            parts.push(Expr { span, kind: ExprKind::Unknown(Vec::new()) });
        }
        if !part.is_empty() {
            parts.push(Expr { span, kind: ExprKind::Text(part.to_owned().into()) });
        }
    }
    if parts.len() == 1 { parts.swap_remove(0).kind } else { ExprKind::Join(parts) }
}

/// Where the bytes of an extracted text stand in the file that it comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// From the byte `.0` of the text on, bytes stand at `.1` and behind in the file. Ascending, never empty.
    pieces: Vec<(u32, u32)>,
}

/// A text that is put together from pieces of a file.
#[derive(Clone, Debug, Default)]
pub struct Extract {
    pub text: String,
    pieces: Vec<(u32, u32)>,
}

impl Origin {
    /// The text is the file from this byte on.
    pub fn from(start: usize) -> Origin {
        Origin { pieces: vec![(0, start as u32)] }
    }

    /// Where a byte stands.
    fn offset(&self, at: u32) -> u32 {
        let piece = self.pieces.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        let (start, source) = self.pieces[piece];
        source + at.saturating_sub(start)
    }

    /// The part of the file that a part of the text comes from.
    #[inline]
    pub fn span(&self, start: usize, end: usize) -> Span {
        // Nearly every text is a file, or one piece of it.
        if let [(from, source)] = self.pieces[..] {
            let [start, end] = [start as u32, end.max(start) as u32];
            return Span {
                start: source + start.saturating_sub(from),
                end: source + end.saturating_sub(from),
            };
        }
        let first = self.offset(start as u32);
        // The end is one behind its last byte: the next byte may stand in another piece.
        let last = if end > start { self.offset(end as u32 - 1) + 1 } else { first };
        Span { start: first, end: last.max(first) }
    }

    /// For a text that was extracted from a text that `self` is the origin of.
    pub fn of_part(&self, part: &Origin) -> Origin {
        let mut pieces: Vec<(u32, u32)> = Vec::new();
        for (index, &(start, middle)) in part.pieces.iter().enumerate() {
            pieces.push((start, self.offset(middle)));
            // Pieces of the outer text that begin inside this one.
            let length = part.pieces.get(index + 1).map_or(u32::MAX, |(next, _)| next - start);
            let first = self.pieces.partition_point(|(at, _)| *at <= middle);
            for &(at, source) in &self.pieces[first..] {
                if at - middle >= length {
                    break;
                }
                pieces.push((start + (at - middle), source));
            }
        }
        Origin { pieces }
    }
}

impl Extract {
    /// Adds text that stands at `source` in the file, byte for byte.
    pub fn push(&mut self, text: &str, source: usize) {
        let at = self.text.len() as u32;
        let goes_on = self.pieces.last().is_some_and(|&(start, from)| from + (at - start) == source as u32);
        if !goes_on {
            self.pieces.push((at, source as u32));
        }
        self.text.push_str(text);
    }

    /// Adds text all of which stands at one place: the character that an escape stands for.
    pub fn push_at(&mut self, text: &str, source: usize) {
        let first = self.text.len();
        self.pieces.extend((first..first + text.len()).map(|at| (at as u32, source as u32)));
        self.text.push_str(text);
    }

    /// How long the text is so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// The text and its origin.
    pub fn finish(self) -> (String, Origin) {
        let pieces = if self.pieces.is_empty() { vec![(0, 0)] } else { self.pieces };
        (self.text, Origin { pieces })
    }
}

/// Puts the lines that comments may speak about in order: those of code inside the file stand for themselves, and
/// what is around them is none.
pub fn settle_lines(code: &mut Code<'_>) {
    code.comments.sort();
    code.comments.dedup();
    code.lines.sort_by_key(|line| (line.start, std::cmp::Reverse(line.end)));
    code.lines.dedup();
    let inner: Vec<Span> = code
        .lines
        .iter()
        .enumerate()
        .filter(|(index, line)| code.lines.get(index + 1).is_none_or(|next| next.start >= line.end))
        .map(|(_, line)| *line)
        .collect();
    code.lines = inner;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_lead_back_to_the_file() {
        let file = "run: |\n    import os\n    x\n";
        let mut extract = Extract::default();
        extract.push("import os\n", 11);
        extract.push("x\n", 25);
        let (text, origin) = extract.finish();
        let back = |part: &str| {
            let start = text.find(part).unwrap();
            &file[origin.span(start, start + part.len()).range()]
        };
        assert_eq!(back("os"), "os");
        assert_eq!(back("x"), "x");
        assert_eq!(back("os\nx"), "os\n    x");
    }

    #[test]
    fn parts_of_parts_lead_back_to_the_file() {
        let file = "a: |\n  sh <<E\n  one\n  two\n  E\n";
        let mut outer = Extract::default();
        for line in ["sh <<E\n", "one\n", "two\n", "E\n"] {
            outer.push(line, file.find(line).unwrap());
        }
        let (shell, origin) = outer.finish();
        let mut inner = Extract::default();
        let start = shell.find("one").unwrap();
        inner.push(&shell[start..start + 8], start);
        let (python, part) = inner.finish();
        let origin = origin.of_part(&part);
        let two = python.find("two").unwrap();
        assert_eq!(&file[origin.span(two, two + 3).range()], "two");
        assert_eq!(&file[origin.span(0, 3).range()], "one");
    }
}
