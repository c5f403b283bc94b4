//! Keys of configuration files that choose a device. What only explains a key sets nothing.

use super::super::settings::{is_documentation, step};
use super::{Data, DataKind};
use crate::code::{Block, Expr, ExprKind};
use std::borrow::Cow;

/// Files that tools write and nobody edits.
const GENERATED: &[&str] = &[
    "cargo.lock",
    "composer.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pdm.lock",
    "pipfile.lock",
    "poetry.lock",
    "uv.lock",
];

/// Whether tools write a file of this name.
pub fn is_generated(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    GENERATED.contains(&name.as_str()) || name.ends_with(".schema.json")
}

/// The settings of a tree that may choose a device, in order. A list at the top is data and no configuration.
pub fn settings<'s>(root: &Data<'s>) -> Block<'s> {
    let mut walk = Walk { path: Vec::new(), block: Vec::new() };
    if !matches!(root.kind, DataKind::List(_)) && root.get("$defs").is_none() {
        walk.data(root);
    }
    walk.block
}

struct Walk<'s> {
    path: Vec<Cow<'s, str>>,
    block: Block<'s>,
}

impl<'s> Walk<'s> {
    fn data(&mut self, data: &Data<'s>) {
        super::super::nesting_room(|| {
            for entry in data.entries() {
                // The policy says what is allowed, and chooses nothing.
                if entry.key == "gpulint" || is_documentation(&entry.key) {
                    continue;
                }
                self.path.push(entry.key.clone());
                let value = match &entry.value.kind {
                    DataKind::Text(text) => Some(ExprKind::Text(text.clone())),
                    DataKind::Int(number) => Some(ExprKind::Int(*number)),
                    DataKind::Map(_) | DataKind::List(_) => {
                        self.data(&entry.value);
                        None
                    }
                    DataKind::Bool(_) | DataKind::Other => None,
                };
                if let Some(kind) = value {
                    let value = Expr { span: entry.value.span, kind };
                    self.block.extend(step(&self.path, entry.key_span, value));
                }
                self.path.pop();
            }
            data.items().iter().for_each(|item| self.data(item));
        });
    }
}
