//! Texts in Python, as the file writes them.

use super::site::Site;
use crate::facts::Span;
use crate::languages::Tree;

/// A text as a literal, in the quotes of the texts near it.
pub fn quoted(site: &Site<'_>, tree: &Tree, text: &str, near: Span) -> String {
    let quote = quote_at(site, tree, near);
    let mut literal = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            letter if letter == quote => literal.extend(['\\', quote]),
            letter => literal.push(letter),
        }
    }
    literal.push(quote);
    literal
}

/// What a plain literal says: one without escapes, prefixes and line ends.
pub fn plain_text(literal: &str) -> Option<&str> {
    let quote = literal.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains([quote, '\\', '\n'])).then_some(inner)
}

/// The quotes of the statement, or else those that the file has more of.
fn quote_at(site: &Site<'_>, tree: &Tree, near: Span) -> char {
    let statement = tree.statement_at(near).map_or(near, |statement| tree.node(statement).span);
    let quote = |span: Span| {
        let text = site.slice(span);
        let quote = text.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
        (!text.starts_with("\"\"\"") && !text.starts_with("'''")).then_some(quote)
    };
    let words = || tree.tokens.iter().filter(|token| token.is_word());
    let is_near = |span: Span| statement.start <= span.start && span.end <= statement.end;
    if let Some(quote) = words().filter(|token| is_near(token.span)).find_map(|token| quote(token.span)) {
        return quote;
    }
    let (mut single, mut double) = (0, 0);
    for found in words().filter_map(|token| quote(token.span)) {
        match found {
            '\'' => single += 1,
            _ => double += 1,
        }
    }
    if single > double { '\'' } else { '"' }
}
