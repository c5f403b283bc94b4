//! Patterns that name Python modules and functions, and how a policy writes them and globs that name files.
//!
//! The two differ: a dotted name has no extension and no root, and `cli.*` must not reach into `cli.a.b`.

use super::checked;
use crate::sources::FilePattern;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A dotted module name in which `*` stands for any characters of one part and `**` for any number
/// of parts: `performance`, `cli.*`, `backtest.**` (which is also `backtest` itself).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ModulePattern(String);

/// A name without dots in which `*` stands for any characters: `validate_rtx3090_*`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NamePattern(String);

impl ModulePattern {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the name of exactly that module.
    pub fn matches(&self, module: &str) -> bool {
        let pattern: Vec<&str> = self.0.split('.').collect();
        let parts: Vec<&str> = module.split('.').collect();
        wildcard(&pattern, &parts, |part| *part == "**", |part, text| name_matches(part, text))
    }

    /// Whether this is the name of that module or of a package that contains it.
    pub fn covers(&self, module: &str) -> bool {
        let ends = module.match_indices('.').map(|(at, _)| at).chain([module.len()]);
        ends.into_iter().any(|end| self.matches(&module[..end]))
    }

    /// For names that stand in this crate and need no check.
    pub(super) fn fixed(text: &'static str) -> Self {
        ModulePattern(text.to_owned())
    }

    fn parse(text: &str) -> Option<Self> {
        let part = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '*'))
        };
        text.split('.').all(part).then(|| ModulePattern(text.to_owned()))
    }
}

impl NamePattern {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn matches(&self, name: &str) -> bool {
        name_matches(&self.0, name)
    }

    fn parse(text: &str) -> Option<Self> {
        let ModulePattern(text) = ModulePattern::parse(text)?;
        (!text.contains('.')).then_some(NamePattern(text))
    }
}

impl<'de> Deserialize<'de> for FilePattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let expected = "a glob over files relative to the project root, such as `legacy/**`";
        checked::text(from, expected, FilePattern::parse)
    }
}

impl<'de> Deserialize<'de> for ModulePattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let expected = "a dotted module name such as `cli.commands` or `cli.*`";
        checked::text(from, expected, ModulePattern::parse)
    }
}

impl<'de> Deserialize<'de> for NamePattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::text(from, "a name without dots such as `validate_*`", NamePattern::parse)
    }
}

impl JsonSchema for ModulePattern {
    fn schema_name() -> Cow<'static, str> {
        "ModulePattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A dotted module name; `*` stands for any characters of one part, `**` for any number of parts.",
            "type": "string",
            "pattern": r"^[^\s./\\]+(\.[^\s./\\]+)*$",
        })
    }
}

impl JsonSchema for NamePattern {
    fn schema_name() -> Cow<'static, str> {
        "NamePattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A name without dots; `*` stands for any characters.",
            "type": "string",
            "pattern": r"^[^\s./\\]+$",
        })
    }
}

impl JsonSchema for FilePattern {
    fn schema_name() -> Cow<'static, str> {
        "FilePattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A glob over files and folders, relative to the project root.",
            "type": "string",
            "pattern": r"^[^/!]",
        })
    }
}

fn name_matches(pattern: &str, name: &str) -> bool {
    wildcard(pattern.as_bytes(), name.as_bytes(), |byte| *byte == b'*', |a, b| a == b)
}

/// Whether `text` is what `pattern` describes, where an item for which `any` holds stands for any
/// number of items. Going back to the last such item only is enough, so the cost stays the product
/// of the lengths.
fn wildcard<T>(pattern: &[T], text: &[T], any: impl Fn(&T) -> bool, one: impl Fn(&T, &T) -> bool) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut last_any = None;
    while read < text.len() {
        match pattern.get(at) {
            Some(item) if any(item) => {
                last_any = Some((at, read));
                at += 1;
            }
            Some(item) if one(item, &text[read]) => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star, from)) = last_any else { return false };
                last_any = Some((star, from + 1));
                at = star + 1;
                read = from + 1;
            }
        }
    }
    pattern[at..].iter().all(any)
}
