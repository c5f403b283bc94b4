//! Keys that choose a device, in a tree of nodes.

use super::super::data::{is_documentation, step};
use super::reader::{Node, Value};
use crate::code::{Block, Expr, ExprKind};
use crate::sources::Source;
use std::borrow::Cow;

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
                    let path: Vec<_> = self.path.iter().collect();
                    self.block.extend(step(&path, entry.key.span, value));
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
