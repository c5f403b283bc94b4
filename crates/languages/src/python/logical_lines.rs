//! The logical lines of a file as texts that neither layout nor comments change.

use super::{nesting, older};
use ruff_python_ast::PySourceType;
use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged;
use std::ops::Range;

/// Where each logical line stands (a statement, or the head of one with a body) and its text without what formatters change: blanks,
/// line breaks, parentheses, commas, the kind of quotes. None where the file is no Python.
pub fn logical_lines(text: &str, notebook: bool) -> Vec<(Range<u32>, String)> {
    if nesting::check(text).is_err() {
        return Vec::new();
    }
    let source_type = if notebook { PySourceType::Ipynb } else { PySourceType::Python };
    let Some(parsed) = older::parse(text, source_type) else { return Vec::new() };
    let mut lines: Vec<(Range<u32>, String)> = Vec::new();
    let (mut start, mut normal) = (None, String::new());
    for token in parsed.tokens() {
        let range = token.range();
        match token.kind() {
            TokenKind::Newline | TokenKind::EndOfFile => {
                if let Some(start) = start.take() {
                    lines.push((start..range.start().to_u32(), std::mem::take(&mut normal)));
                }
            }
            TokenKind::Comment | TokenKind::NonLogicalNewline | TokenKind::Indent | TokenKind::Dedent => {}
            kind => {
                start.get_or_insert(range.start().to_u32());
                if !matches!(kind, TokenKind::Lpar | TokenKind::Rpar | TokenKind::Comma) {
                    normal.push_str(
                        &text[range.start().to_usize()..range.end().to_usize()].replace('\'', "\""),
                    );
                    normal.push(' ');
                }
            }
        }
    }
    nesting::release(parsed, text.len());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_comments_change_nothing() {
        let normal =
            |text: &str| logical_lines(text, false).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        let one = normal("x = f(a, 'b') # why\nif x:\n    y()\n");
        let other = normal("# head\nx = f(\n    a,  # this\n    \"b\",\n)\n\nif (x):\n  y()\n");
        assert_eq!(one, other);
        assert_eq!(one.len(), 3);
        assert_ne!(one, normal("x = f(a, 'c')\nif x:\n    y()\n"));
    }
}
