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

/// What a run came to: beside this a file says with which settings it ran, and sets nothing.
const OUTCOMES: &[&str] = &["metrics", "results", "scores"];

/// The settings of a tree that may choose a device, in order. A list at the top is data and no configuration, and a file with
/// results is the record of a run.
pub fn settings<'s>(root: &Data<'s>) -> Block<'s> {
    let mut walk = Walk { path: Vec::new(), block: Vec::new() };
    let is_record = OUTCOMES.iter().any(|key| root.get(key).is_some_and(is_measured));
    if !matches!(root.kind, DataKind::List(_)) && root.get("$defs").is_none() && !is_record {
        walk.data(root);
    }
    walk.block
}

/// Whether a tree consists of figures, mostly, with numbers behind a point among them.
fn is_measured(data: &Data<'_>) -> bool {
    let (mut figures, mut others, mut with_point) = (0, 0, false);
    let mut open = vec![data];
    while let Some(one) = open.pop() {
        match &one.kind {
            DataKind::Int(_) => figures += 1,
            DataKind::Other => (figures, with_point) = (figures + 1, true),
            DataKind::Text(_) | DataKind::Bool(_) => others += 1,
            DataKind::Map(entries) => open.extend(entries.iter().map(|entry| &entry.value)),
            DataKind::List(items) => open.extend(items),
        }
    }
    with_point && figures > others
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
