//! What a program gets that reads a file of settings: dictionaries, lists, texts and integers, as the libraries make them
//! that read YAML, JSON, TOML and INI. What these read differently, or what people switch, is not known: numbers with
//! a point, dates, nothing, and what is on or off.

use super::data::{Data, DataKind};
use super::ini::reader::Ini;
use super::yaml::reader::{Node, Value};
use super::yaml::scalars::Style;
use crate::code::{Expr, ExprKind};
use crate::facts::Span;

/// Files beyond this size are data and no settings.
const LARGEST: usize = 64 * 1024;

/// So many values of a file are known. Aliases make a tree larger than its file.
const MOST: usize = 4_000;

/// The dictionary that a file in JSON or TOML holds.
pub fn of_data<'s>(root: &Data<'s>, text: &str) -> Option<Expr<'s>> {
    if text.len() > LARGEST || root.entries().is_empty() {
        return None;
    }
    let mut left = MOST;
    Some(data(root, &mut left))
}

fn data<'s>(node: &Data<'s>, left: &mut usize) -> Expr<'s> {
    if *left == 0 {
        return unknown(node.span);
    }
    *left -= 1;
    let kind = super::nesting_room(|| match &node.kind {
        DataKind::Text(text) => known_text(text.clone()),
        DataKind::Int(number) => ExprKind::Int(*number),
        DataKind::Bool(_) | DataKind::Other => ExprKind::Unknown(Vec::new()),
        DataKind::List(items) => ExprKind::Sequence(items.iter().map(|item| data(item, left)).collect()),
        DataKind::Map(entries) => {
            let pairs = entries.iter().map(|entry| {
                let key = Expr { span: entry.key_span, kind: ExprKind::Text(entry.key.clone()) };
                (Some(key), data(&entry.value, left))
            });
            ExprKind::Mapping(pairs.collect())
        }
    });
    Expr { span: node.span, kind }
}

/// The dictionary that a document in YAML holds.
pub fn of_yaml<'s>(root: &Node<'s>, text: &str) -> Option<Expr<'s>> {
    // What a tag makes of a value is the business of whoever reads it.
    let is_tagged = [" !", "[!", "{!"].iter().any(|tag| text.contains(tag));
    if text.len() > LARGEST || is_tagged || root.entries().is_empty() {
        return None;
    }
    let mut left = MOST;
    Some(node(root, &mut left))
}

fn node<'s>(value: &Node<'s>, left: &mut usize) -> Expr<'s> {
    if *left == 0 {
        return unknown(value.span);
    }
    *left -= 1;
    let kind = super::nesting_room(|| match &value.value {
        Value::Scalar(scalar) if scalar.style == Style::Plain => plain(scalar.text),
        Value::Scalar(scalar) => known_text(scalar.text.into()),
        Value::List(items) => ExprKind::Sequence(items.iter().map(|item| node(item, left)).collect()),
        Value::Map(entries) => {
            let pairs = entries.iter().map(|entry| (Some(node(&entry.key, left)), node(&entry.value, left)));
            ExprKind::Mapping(pairs.collect())
        }
    });
    Expr { span: value.span, kind }
}

/// A scalar without quotes, as YAML 1.1 reads it.
fn plain(text: &str) -> ExprKind<'_> {
    const WORDS: &[&str] = &["", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<"];
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal && (digits == "0" || !digits.starts_with('0')) {
        return text.trim_start_matches('+').parse().map_or(ExprKind::Unknown(Vec::new()), ExprKind::Int);
    }
    // Octal and hexadecimal numbers, those with a point, times and dates. `0,1` is a text.
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && text.bytes().all(|byte| byte.is_ascii_hexdigit() || b"+-._:xobT Z".contains(&byte));
    if is_number || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return ExprKind::Unknown(Vec::new());
    }
    known_text(text.into())
}

/// The sections of an INI file, whose values are texts.
pub fn of_ini<'s>(ini: &Ini<'s>, text: &str) -> Option<Expr<'s>> {
    if text.len() > LARGEST || ini.sections.is_empty() {
        return None;
    }
    let pairs = ini.sections.iter().map(|section| {
        let keys = section.keys.iter().map(|key| {
            let named = Expr { span: key.span, kind: ExprKind::Text(key.name.to_ascii_lowercase().into()) };
            let value = match key.lines.as_slice() {
                // A remark behind the value belongs to it, unless the program says otherwise.
                &[(line, at)] if text[at + line.len()..].lines().next().unwrap_or("").trim().is_empty() => {
                    Expr { span: Span::new(at, at + line.len()), kind: known_text(line.into()) }
                }
                _ => unknown(key.span),
            };
            (Some(named), value)
        });
        let name = Expr { span: section.span, kind: ExprKind::Text(section.name.into()) };
        (Some(name), Expr { span: section.span, kind: ExprKind::Mapping(keys.collect()) })
    });
    Some(Expr { span: ini.sections[0].span, kind: ExprKind::Mapping(pairs.collect()) })
}

/// A text; one that somebody fills in is not known.
fn known_text(text: std::borrow::Cow<'_, str>) -> ExprKind<'_> {
    let is_filled_in = ["${", "{{", "%("].iter().any(|open| text.contains(open));
    if is_filled_in { ExprKind::Unknown(Vec::new()) } else { ExprKind::Text(text) }
}

fn unknown<'s>(span: Span) -> Expr<'s> {
    Expr { span, kind: ExprKind::Unknown(Vec::new()) }
}

#[cfg(test)]
mod tests {
    use super::plain;
    use crate::code::ExprKind;

    #[test]
    fn scalars_without_quotes_are_what_yaml_says() {
        let is_text = |text: &str| matches!(plain(text), ExprKind::Text(_));
        assert!(matches!(plain("1"), ExprKind::Int(1)));
        assert!(matches!(plain("-1"), ExprKind::Int(-1)));
        assert!(["0,1", "cuda:1", "cuda", "a1", "gpu-1"].iter().all(|text| is_text(text)));
        for text in ["", "on", "True", "1.5", "010", "0x1f", "1:30", "2026-11-29", "null", "1_000", ".5"] {
            assert!(matches!(plain(text), ExprKind::Unknown(_)), "{text}");
        }
    }
}
