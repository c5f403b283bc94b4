//! Keys of configuration files that choose a device. What only explains a key sets nothing.

use super::{Data, DataKind};
use crate::code::{Block, Expr, ExprKind, Setting, Step, StepKind};
use crate::facts::Span;
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

struct Walk<'s, 'd> {
    path: Vec<&'d Cow<'s, str>>,
    block: Block<'s>,
}

impl<'s, 'd> Walk<'s, 'd> {
    fn data(&mut self, data: &'d Data<'s>) {
        super::super::nesting_room(|| {
            for entry in data.entries() {
                // The policy says what is allowed, and chooses nothing.
                if entry.key == "gpulint"
                    || DOCUMENTATION.iter().any(|known| entry.key.eq_ignore_ascii_case(known))
                {
                    continue;
                }
                self.path.push(&entry.key);
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

/// A setting, when its key may choose a device. `path` holds the keys from the outermost to this one.
pub fn step<'s>(path: &[&Cow<'s, str>], key_span: Span, value: Expr<'s>) -> Option<Step<'s>> {
    let said = path.iter().filter(|key| !VALUES.contains(&key.as_ref()));
    let path: Vec<Cow<'s, str>> = said.map(|key| (*key).clone()).collect();
    let key = path.last()?.to_ascii_lowercase();
    if !["device", "gpu", "cuda"].iter().any(|word| key.contains(word)) {
        return None;
    }
    let span = Span { start: key_span.start, end: value.span.end.max(key_span.end) };
    Some(Step { span, kind: StepKind::Setting(Box::new(Setting { path, key_span, value })) })
}
