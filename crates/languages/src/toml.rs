//! TOML: tasks with an environment, what pytest reads before it collects tests, and keys that choose a device.

mod comments;
mod projects;

use super::Refusal;
use super::contents;
use super::data::{self, Data, DataKind, Entry};
use super::dotenv::first_line;
use super::requirements;
use crate::code::{Code, Host, Requirement, Unit};
use crate::facts::Span;
use crate::sources::Source;
use toml::de::{DeTable, DeValue};

/// Lowers a file. What is no TOML says nothing: other tools complain about it.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    if data::is_generated(&source.name) {
        return Ok(code);
    }
    let lead = if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let Ok(table) = DeTable::parse(&source.text[lead..]) else { return Ok(code) };
    let span = Span::new(0, source.text.len());
    let root = Data { span, kind: DataKind::Map(entries(table.into_inner(), lead)) };
    code.contents = contents::of_data(&root, &source.text);
    projects::lower(&root, source, &mut code);
    match source.name.rsplit('/').next() {
        Some("pyproject.toml") => requirements::note_pyproject(&root, &mut code),
        Some("pixi.toml") => requirements::note_pixi(&root, &mut code),
        Some("Pipfile") => requirements::note_pipfile(&root, &mut code),
        _ => {}
    }
    let body = data::settings(&root);
    if !body.is_empty() {
        code.units.push(Unit { span: first_line(&source.text), name: "".into(), host: Host::Machine, body });
    }
    if memchr::memmem::find(source.text.as_bytes(), b"gpulint:").is_some() {
        code.comments = comments::spans(&source.text);
    }
    Ok(code)
}

/// What a `pyproject.toml` asks for that stands inside another file.
pub fn requirements_in(text: &str) -> Vec<Requirement> {
    let mut code = Code::default();
    if let Ok(table) = DeTable::parse(text) {
        let root =
            Data { span: Span::new(0, text.len()), kind: DataKind::Map(entries(table.into_inner(), 0)) };
        requirements::note_pyproject(&root, &mut code);
    }
    code.requirements
}

fn entries<'s>(table: DeTable<'s>, lead: usize) -> Vec<Entry<'s>> {
    let entry = |(key, value): (toml::Spanned<_>, toml::Spanned<_>)| {
        let span = key.span();
        let key_span = Span::new(span.start + lead, span.end + lead);
        Entry { key_span, key: key.into_inner(), value: value_of(value, lead) }
    };
    table.into_iter().map(entry).collect()
}

fn value_of(value: toml::Spanned<DeValue<'_>>, lead: usize) -> Data<'_> {
    let span = value.span();
    let span = Span::new(span.start + lead, span.end + lead);
    let kind = super::nesting_room(|| match value.into_inner() {
        DeValue::String(text) => DataKind::Text(text),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(DataKind::Other, DataKind::Int)
        }
        DeValue::Boolean(value) => DataKind::Bool(value),
        DeValue::Array(items) => DataKind::List(items.into_iter().map(|item| value_of(item, lead)).collect()),
        DeValue::Table(table) => DataKind::Map(entries(table, lead)),
        DeValue::Float(_) | DeValue::Datetime(_) => DataKind::Other,
    });
    Data { span, kind }
}
