//! Trees of keys and values with their places, as TOML and JSON files give them; and what such trees say of
//! environments, commands and devices.

mod devices;
mod environments;

use super::command_lines::Literal;
use super::embedded::Origin;
use super::json_string;
use crate::facts::Span;
use crate::sources::Source;
use std::borrow::Cow;

pub use devices::{is_generated, settings};
pub use environments::{Environment, command_in, environments, implied, line, variable, variables, word};

/// A value with its place.
#[derive(Debug)]
pub struct Data<'s> {
    pub span: Span,
    pub kind: DataKind<'s>,
}

/// What a value is.
#[derive(Debug)]
pub enum DataKind<'s> {
    Text(Cow<'s, str>),
    Int(i64),
    Bool(bool),
    List(Vec<Data<'s>>),
    Map(Vec<Entry<'s>>),
    /// Numbers with a point, dates, nothing.
    Other,
}

/// A key with its value.
#[derive(Debug)]
pub struct Entry<'s> {
    pub key: Cow<'s, str>,
    pub key_span: Span,
    pub value: Data<'s>,
}

impl Entry<'_> {
    /// Key and value.
    pub fn span(&self) -> Span {
        Span { start: self.key_span.start, end: self.value.span.end.max(self.key_span.end) }
    }
}

impl<'s> Data<'s> {
    pub fn entries(&self) -> &[Entry<'s>] {
        match &self.kind {
            DataKind::Map(entries) => entries,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Data<'s>] {
        match &self.kind {
            DataKind::List(items) => items,
            _ => &[],
        }
    }

    pub fn get(&self, key: &str) -> Option<&Data<'s>> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// `["tool", "pytest"]`: the value below these keys.
    pub fn below(&self, path: &[&str]) -> Option<&Data<'s>> {
        path.iter().try_fold(self, |data, key| data.get(key))
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            DataKind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_true(&self) -> bool {
        matches!(self.kind, DataKind::Bool(true))
    }

    /// The text as a program gets it, with the place of each of its bytes. `None` for what is no text, and where
    /// the places cannot be told.
    pub fn literal(&self, source: &'s Source) -> Option<Literal<'s>> {
        let text = self.text()?;
        let raw = source.text.get(self.span.range())?;
        let start = self.span.start as usize;
        if let Some(at) = raw.find(text) {
            return Some(Literal { text: &raw[at..at + text.len()], origin: Origin::from(start + at) });
        }
        let is_quoted = raw.starts_with('"') && !raw.starts_with("\"\"\"");
        let read = is_quoted.then(|| json_string::read(&source.text, start, &Origin::from(0), source))?;
        read.map(|string| string.literal)
    }
}
