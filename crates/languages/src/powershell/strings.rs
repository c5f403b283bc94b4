//! Strings: `"$gpu"`, `'text'`, and here-strings.

use super::super::command_lines::Literal;
use super::super::embedded::{Extract, Origin};
use super::{Lowering, children_of};
use crate::code::{Expr, ExprKind};
use std::ops::Range;
use tree_sitter::Node;

impl<'s> Lowering<'s, '_> {
    /// What stands between the quotes, as a range of the text.
    fn inside(&self, node: Node<'_>) -> Range<usize> {
        let range = node.byte_range();
        if !node.kind().contains("here_string") {
            return range.start + 1..range.end.saturating_sub(1).max(range.start + 1);
        }
        // `@'` and the end of its line; the last line break and `'@`.
        let text = self.slice_of(range.clone());
        let start = range.start + text.find('\n').map_or(2, |at| at + 1);
        let end = range.start + text.rfind('\n').unwrap_or(text.len());
        let end = if self.text.as_bytes().get(end.wrapping_sub(1)) == Some(&b'\r') { end - 1 } else { end };
        start..end.max(start)
    }

    /// `'text'`, or `@'…'@`.
    pub(super) fn verbatim(&self, node: Node<'_>) -> ExprKind<'s> {
        let text = self.slice_of(self.inside(node));
        if node.kind() == "verbatim_string_characters" && text.contains("''") {
            return ExprKind::Text(text.replace("''", "'").into());
        }
        ExprKind::Text(text.into())
    }

    /// `"text $x"`, or `@"…"@`.
    pub(super) fn expandable(&mut self, node: Node<'_>) -> ExprKind<'s> {
        let inside = self.inside(node);
        let mut parts: Vec<Expr<'s>> = Vec::new();
        let mut end = inside.start;
        for child in children_of(node) {
            self.add_text(end..child.start_byte().min(inside.end), &mut parts);
            end = child.end_byte();
            let part = self.value(child);
            parts.push(part);
        }
        self.add_text(end..inside.end, &mut parts);
        match parts.len() {
            0 => ExprKind::Text("".into()),
            1 => parts.swap_remove(0).kind,
            _ => ExprKind::Join(parts),
        }
    }

    fn add_text(&self, range: Range<usize>, parts: &mut Vec<Expr<'s>>) {
        let text = self.slice_of(range.clone());
        if !text.is_empty() {
            let kind = ExprKind::Text(unescaped(text).into());
            parts.push(Expr { span: self.span_of(range), kind });
        }
    }

    /// The text of a string without expansions, byte for byte traceable.
    pub(super) fn literal(&self, node: Node<'_>) -> Option<Literal<'s>> {
        let node = super::values::innermost(node);
        match node.kind() {
            "string_literal" => self.literal(node.named_child(0)?),
            "variable" => self.texts.get(&self.slice(node).to_ascii_lowercase()).cloned(),
            "verbatim_here_string_characters" => Some(self.extract(self.inside(node), None)),
            "verbatim_string_characters" => Some(self.extract(self.inside(node), Some('\''))),
            "expandable_string_literal" | "expandable_here_string_literal"
                if node.named_child_count() == 0 =>
            {
                Some(self.extract(self.inside(node), Some('"')))
            }
            _ => None,
        }
    }

    /// Takes away what escapes a character: a second `quote`, and in double quotes a backtick.
    fn extract(&self, range: Range<usize>, quote: Option<char>) -> Literal<'s> {
        let text = self.slice_of(range.clone());
        let escapes = |byte: u8| match quote {
            Some('"') => byte == b'`' || byte == b'"',
            Some(quote) => byte == quote as u8,
            None => false,
        };
        let mut extract = Extract::default();
        let mut rest = 0;
        let mut at = 0;
        let bytes = text.as_bytes();
        while at < bytes.len() {
            if escapes(bytes[at]) && at + 1 < bytes.len() {
                extract.push(&text[rest..at], range.start + rest);
                let next = text[at + 1..].chars().next().map_or(0, char::len_utf8);
                let meant = match &text[at + 1..at + 1 + next] {
                    "n" if bytes[at] == b'`' => "\n",
                    "t" if bytes[at] == b'`' => "\t",
                    "r" | "0" if bytes[at] == b'`' => "",
                    plain => plain,
                };
                extract.push(meant, range.start + at + 1);
                at += 1 + next;
                rest = at;
            } else {
                at += 1;
            }
        }
        extract.push(&text[rest..], range.start + rest);
        let (text, part) = extract.finish();
        let origin: Origin = self.origin.of_part(&part);
        Literal { text: self.source.keep(text), origin }
    }
}

/// What PowerShell makes of the text between double quotes.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '`' => match characters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r' | '0') | None => {}
                Some(other) => plain.push(other),
            },
            '"' => {
                characters.next_if_eq(&'"');
                plain.push('"');
            }
            other => plain.push(other),
        }
    }
    plain
}
