//! Files of settings: a key may choose a device. Which keys do, programs decide; here a tree becomes the
//! settings that may, and what only documents a key is left out.

use super::yaml::reader::{Node, Value};
use crate::code::{Block, Expr, ExprKind, Setting, Statement, StatementKind};
use crate::facts::Span;
use crate::sources::Source;
use std::borrow::Cow;

/// Keys below which nothing is set: they explain.
const DOCUMENTATION: &[&str] = &[
    "$comment",
    "comment",
    "comments",
    "desc",
    "description",
    "doc",
    "docs",
    "documentation",
    "example",
    "examples",
    "help",
    "message",
    "name",
    "note",
    "notes",
    "summary",
    "title",
];

/// Keys that say nothing of their own: `device: {value: "cuda:1"}` sets `device`.
const VALUES: &[&str] = &["default", "value"];

/// Whether what stands under a key sets nothing.
pub fn is_documentation(key: &str) -> bool {
    DOCUMENTATION.iter().any(|known| key.eq_ignore_ascii_case(known))
}

/// A setting, when its key may choose a device. `path` holds the keys from the outermost to this one.
pub fn step<'s>(path: &[Cow<'s, str>], key_span: Span, value: Expr<'s>) -> Option<Statement<'s>> {
    let said = path.iter().filter(|key| !VALUES.contains(&key.as_ref()));
    let path: Vec<Cow<'s, str>> = said.cloned().collect();
    let key = path.last()?.to_ascii_lowercase();
    if !["device", "gpu", "cuda"].iter().any(|word| key.contains(word)) {
        return None;
    }
    let span = Span { start: key_span.start, end: value.span.end.max(key_span.end) };
    Some(Statement { span, kind: StatementKind::Setting(Box::new(Setting { path, key_span, value })) })
}

/// The settings of a tree, in order. `visits` bounds how much of it is walked: aliases make it larger than its file.
pub fn steps<'s>(root: &Node<'s>, source: &Source, visits: &mut usize) -> Block<'s> {
    let mut walk = Walk { source, path: Vec::new(), block: Vec::new(), visits };
    walk.node(root);
    walk.block
}

struct Walk<'s, 'v> {
    source: &'v Source,
    path: Vec<Cow<'s, str>>,
    block: Block<'s>,
    visits: &'v mut usize,
}

impl<'s> Walk<'s, '_> {
    fn node(&mut self, node: &Node<'s>) {
        if *self.visits == 0 {
            return;
        }
        *self.visits -= 1;
        for entry in node.entries() {
            let Some(key) = entry.key.text().filter(|key| !is_documentation(key)) else { continue };
            self.path.push(key.into());
            match &entry.value.value {
                Value::Scalar(_) => {
                    let value = self.value(&entry.value);
                    self.block.extend(step(&self.path, entry.key.span, value));
                }
                _ => self.node(&entry.value),
            }
            self.path.pop();
        }
        node.items().iter().for_each(|item| self.node(item));
    }

    fn value(&self, node: &Node<'s>) -> Expr<'s> {
        let Some(text) = node.text() else { return Expr { span: node.span, kind: ExprKind::None } };
        let is_plain = self.source.text[node.span.range()].starts_with(|first: char| first.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_plain).map(ExprKind::Int);
        Expr { span: node.span, kind: number.unwrap_or(ExprKind::Text(text.into())) }
    }
}
