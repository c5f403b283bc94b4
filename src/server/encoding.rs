//! Positions as editors count them: lines from 0, and characters in the units that client and server agreed on.
//! Ours are bytes of the text, and columns in Unicode scalar values; here the one becomes the other, exactly.

use lsp_types::{Position, PositionEncodingKind, Range};
use std::ops;

/// In what the characters of a line are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// What every client knows, and what holds when nothing was said.
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The one to use with a client that offers these, in the order of its wishes.
    pub fn chosen(offered: &[PositionEncodingKind]) -> Encoding {
        let known = |kind: &PositionEncodingKind| match kind {
            PositionEncodingKind::UTF8 => Some(Encoding::Utf8),
            PositionEncodingKind::UTF16 => Some(Encoding::Utf16),
            PositionEncodingKind::UTF32 => Some(Encoding::Utf32),
            PositionEncodingKind::Custom(_) => None,
        };
        offered.iter().find_map(known).unwrap_or_default()
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// The length of a character in these units.
    fn units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }

    /// The length of a text in these units.
    fn length(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            _ => text.chars().map(|character| self.units(character)).sum(),
        }
    }
}

/// A text with its lines. A line ends with a line feed, a carriage return, or both.
pub struct Lines<'t> {
    text: &'t str,
    /// Bytes at which lines begin.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub fn of(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes)
            .filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'));
        Lines { text, starts: std::iter::once(0).chain(ends.map(|at| at + 1)).collect() }
    }

    /// Where a byte stands; behind the end it is the end, inside a character its beginning.
    pub fn position(&self, byte: usize, encoding: Encoding) -> Position {
        let byte = self.text.floor_char_boundary(byte.min(self.text.len()));
        let line = self.starts.partition_point(|&start| start <= byte) - 1;
        let before = &self.text[self.starts[line]..byte];
        Position { line: line as u32, character: encoding.length(before) as u32 }
    }

    pub fn range(&self, bytes: ops::Range<usize>, encoding: Encoding) -> Range {
        Range { start: self.position(bytes.start, encoding), end: self.position(bytes.end, encoding) }
    }

    /// The byte at a position. A character behind the end of its line is that end, a line behind the last one the end of
    /// the text, and a position inside a character the beginning of it.
    pub fn byte(&self, position: Position, encoding: Encoding) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let mut left = position.character as usize;
        let line = self.line(position.line);
        for (at, character) in line.char_indices() {
            let units = encoding.units(character);
            if left < units {
                return start + at;
            }
            left -= units;
        }
        start + line.len()
    }

    /// The bytes between two positions; a range that ends before it begins is empty.
    pub fn bytes(&self, range: Range, encoding: Encoding) -> ops::Range<usize> {
        let start = self.byte(range.start, encoding);
        start..self.byte(range.end, encoding).max(start)
    }

    /// A line, counted from 0, without what ends it.
    pub fn line(&self, line: u32) -> &'t str {
        let Some(&start) = self.starts.get(line as usize) else { return "" };
        let end = self.starts.get(line as usize + 1).map_or(self.text.len(), |&next| next);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The byte at which a line begins.
    pub fn start(&self, line: u32) -> usize {
        self.starts.get(line as usize).copied().unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// é as e with a combining mark, a character beyond the first plane, and a family joined from three.
    const TEXT: &str =
        "a\u{0065}\u{0301}b\r\n\u{1F680}x = \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}!\rlast";

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn characters_count_in_the_units_agreed_on() {
        let lines = Lines::of(TEXT);
        let byte = TEXT.find('!').unwrap();
        assert_eq!(lines.position(byte, Encoding::Utf8), at(1, 4 + 4 + 18));
        assert_eq!(lines.position(byte, Encoding::Utf16), at(1, 2 + 4 + 8));
        assert_eq!(lines.position(byte, Encoding::Utf32), at(1, 1 + 4 + 5));
        assert_eq!(lines.position(TEXT.find('b').unwrap(), Encoding::Utf16), at(0, 3));
        assert_eq!(lines.position(TEXT.find("last").unwrap(), Encoding::Utf16), at(2, 0));
    }

    #[test]
    fn there_and_back_is_the_same_place() {
        let lines = Lines::of(TEXT);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (byte, character) in TEXT.char_indices().filter(|(_, character)| *character != '\n') {
                let position = lines.position(byte, encoding);
                assert_eq!(lines.byte(position, encoding), byte, "{character:?} {encoding:?}");
            }
            assert_eq!(lines.byte(lines.position(TEXT.len(), encoding), encoding), TEXT.len());
        }
    }

    #[test]
    fn strange_positions_are_brought_in() {
        let lines = Lines::of(TEXT);
        let rocket = TEXT.find('\u{1F680}').unwrap();
        assert_eq!(lines.byte(at(1, 1), Encoding::Utf16), rocket, "between two surrogates");
        assert_eq!(lines.byte(at(1, 3), Encoding::Utf8), rocket);
        assert_eq!(lines.byte(at(0, 99), Encoding::Utf16), TEXT.find('\r').unwrap());
        assert_eq!(lines.byte(at(99, 0), Encoding::Utf16), TEXT.len());
        assert_eq!(lines.position(9999, Encoding::Utf16), at(2, 4));
        assert_eq!(lines.position(rocket + 2, Encoding::Utf16), at(1, 0));
        let backwards = Range { start: at(2, 2), end: at(0, 0) };
        assert!(lines.bytes(backwards, Encoding::Utf16).is_empty());
        assert_eq!(Lines::of("").byte(at(0, 0), Encoding::Utf16), 0);
        assert_eq!(lines.line(7), "");
    }

    #[test]
    fn the_client_chooses() {
        use PositionEncodingKind as Kind;
        assert_eq!(Encoding::chosen(&[]), Encoding::Utf16);
        assert_eq!(Encoding::chosen(&[Kind::new("utf-7"), Kind::UTF32, Kind::UTF8]), Encoding::Utf32);
        assert_eq!(Encoding::chosen(&[Kind::new("utf-7")]), Encoding::Utf16);
        assert_eq!(Encoding::Utf8.kind(), Kind::UTF8);
    }
}
