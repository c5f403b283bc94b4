//! JSON, with comments where editors allow them: what editors and development containers start, tables of
//! variables, and keys that choose a device.

mod editors;

use super::Refusal;
use super::contents;
use super::data::{self, Data, DataKind, Entry};
use super::dotenv::first_line;
use crate::code::{Code, Host, Unit};
use crate::facts::Span;
use crate::sources::Source;
use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

/// Lowers a file. What is no JSON says nothing: other tools complain about it.
pub fn lower(source: &Source) -> Result<Code<'_>, Refusal> {
    let mut code = Code::default();
    if data::is_generated(&source.name) {
        return Ok(code);
    }
    let lead = if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    let Ok(parsed) = parse_to_ast(&source.text[lead..], &collect, &ParseOptions::default()) else {
        return Ok(code);
    };
    let Some(value) = parsed.value else { return Ok(code) };
    let root = value_of(value, lead);
    if is_of_gpulint(&root) {
        return Ok(code);
    }
    code.contents = contents::of_data(&root, &source.text);
    let started = editors::lower(&root, source, &mut code) || scripts(&root, source, &mut code);
    if !started {
        for (span, body) in data::environments(&root, source, &mut code) {
            code.units.push(Unit { span, name: "".into(), host: Host::Machine, body });
        }
        let body = data::settings(&root);
        if !body.is_empty() {
            let span = first_line(&source.text);
            code.units.push(Unit { span, name: "".into(), host: Host::Machine, body });
        }
    }
    if memchr::memmem::find(source.text.as_bytes(), b"gpulint:").is_some() {
        let all =
            parsed.comments.iter().flat_map(|comments| comments.values()).flat_map(|group| group.iter());
        let spans = all.map(|comment| Span::new(comment.start() + lead, comment.end() + lead));
        code.comments = spans.filter(|span| source.text[span.range()].contains("gpulint:")).collect();
        code.comments.sort();
        code.comments.dedup();
    }
    Ok(code)
}

/// What `npm run NAME` starts, as `package.json` lists it. Whether that starts anything.
fn scripts<'s>(root: &Data<'s>, source: &'s Source, code: &mut Code<'s>) -> bool {
    if source.name.rsplit('/').next() != Some("package.json") {
        return false;
    }
    let before = code.units.len();
    for script in root.get("scripts").map(Data::entries).unwrap_or_default() {
        let body = data::command_in(&script.value, source, code);
        if !body.is_empty() {
            let name = format!("script `{}`", script.key).into();
            code.units.push(Unit { span: script.key_span, name, host: Host::Machine, body });
        }
    }
    code.units.len() > before
}

/// Records of runs, validations and reports of gpulint say what was, and start nothing.
fn is_of_gpulint(root: &Data<'_>) -> bool {
    let tool = root.get("tool").map(|tool| tool.get("name").unwrap_or(tool));
    root.get("schema").is_some()
        && tool.is_some_and(|tool| matches!(&tool.kind, DataKind::Text(name) if name == "gpulint"))
}

fn value_of(value: Value<'_>, lead: usize) -> Data<'_> {
    let span = |range: Range| Span::new(range.start + lead, range.end + lead);
    let place = span(value.range());
    let kind = super::nesting_room(|| match value {
        Value::StringLit(text) => DataKind::Text(text.value),
        Value::NumberLit(number) => number.value.parse().map_or(DataKind::Other, DataKind::Int),
        Value::BooleanLit(value) => DataKind::Bool(value.value),
        Value::Object(object) => {
            let entries = object.properties.into_iter().map(|property| {
                let key_span = span(property.name.range());
                let key = match property.name {
                    ObjectPropName::String(text) => text.value,
                    ObjectPropName::Word(word) => word.value.into(),
                };
                Entry { key, key_span, value: value_of(property.value, lead) }
            });
            DataKind::Map(entries.collect())
        }
        Value::Array(array) => {
            DataKind::List(array.elements.into_iter().map(|item| value_of(item, lead)).collect())
        }
        Value::NullKeyword(_) => DataKind::Other,
    });
    Data { span: place, kind }
}
