//! `ENV` and `ARG`: names and values.

use super::super::embedded::Origin;
use super::super::interpolation;
use super::instructions::Instruction;
use crate::code::{Export, Expr, ExprKind, SetVariable};
use crate::commands::is_variable_name;
use crate::facts::Span;

/// `ENV A=1 B="2 3"`, and the old `ENV A 1`.
pub fn environment<'s>(instruction: &Instruction<'s>) -> Vec<SetVariable<'s>> {
    let text = instruction.text;
    let words = words_of(text);
    let Some(&(start, end)) = words.first() else { return Vec::new() };
    if !text[start..end].contains('=') {
        let name = &text[start..end];
        let rest = text[end..].trim();
        let value_start = text.len() - text[end..].trim_start().len();
        let value = value_of(text, value_start, value_start + rest.len(), &instruction.origin);
        let span = instruction.origin.span(start, value_start + rest.len());
        return set(name, value, span, Export::Yes).into_iter().collect();
    }
    let pairs = words.into_iter().filter_map(|word| pair(instruction, word, Export::Yes));
    pairs.collect()
}

/// `ARG A=1 B`: each name, with its default if it has one.
pub fn arguments<'s>(instruction: &Instruction<'s>) -> Vec<(&'s str, Option<SetVariable<'s>>)> {
    let words = words_of(instruction.text);
    let name = |&(start, end): &(usize, usize)| {
        let word = &instruction.text[start..end];
        word.split('=').next().unwrap_or(word)
    };
    words.iter().map(|word| (name(word), pair(instruction, *word, Export::No))).collect()
}

/// `A=1`
fn pair<'s>(
    instruction: &Instruction<'s>,
    (start, end): (usize, usize),
    export: Export,
) -> Option<SetVariable<'s>> {
    let equals = start + instruction.text[start..end].find('=')?;
    let value = value_of(instruction.text, equals + 1, end, &instruction.origin);
    set(&instruction.text[start..equals], value, instruction.origin.span(start, end), export)
}

fn set<'s>(name: &'s str, value: Expr<'s>, span: Span, export: Export) -> Option<SetVariable<'s>> {
    is_variable_name(name).then(|| SetVariable {
        name: name.into(),
        span,
        value: Some(value),
        export,
        only_if_unset: false,
    })
}

/// Where the words of a text stand: blanks part them, unless they are in quotes or behind a backslash.
fn words_of(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character.is_whitespace() && quote.is_none() {
            words.extend(start.take().map(|start| (start, at)));
            continue;
        }
        start.get_or_insert(at);
        match character {
            '\\' if quote != Some('\'') => _ = characters.next(),
            '"' | '\'' if quote == Some(character) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(character),
            _ => {}
        }
    }
    words.extend(start.map(|start| (start, text.len())));
    words
}

/// A value whose quotes are taken off: `"$A"`, `a'b'`.
fn value_of<'s>(text: &'s str, start: usize, end: usize, origin: &Origin) -> Expr<'s> {
    let span = origin.span(start, end);
    let mut parts: Vec<Expr<'s>> = Vec::new();
    let mut at = start;
    while at < end {
        let rest = &text[at..end];
        let (inside, length, quote) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let close = closing(&rest[1..], quote);
                (&rest[1..1 + close], (close + 2).min(rest.len()), Some(quote))
            }
            _ => {
                let length = next_quote(rest);
                (&rest[..length], length, None)
            }
        };
        let inside_at = at + usize::from(quote.is_some());
        parts.push(if quote == Some('\'') {
            let kind = ExprKind::Text(inside.into());
            Expr { span: origin.span(inside_at, inside_at + inside.len()), kind }
        } else {
            interpolation::value(inside, &origin.of_part(&Origin::from(inside_at)), true)
        });
        at += length.max(1);
    }
    let kind = match parts.len() {
        0 => ExprKind::Text("".into()),
        1 => parts.swap_remove(0).kind,
        _ => ExprKind::Join(parts),
    };
    Expr { span, kind }
}

/// How much of a text stands before the quote that closes it.
fn closing(text: &str, quote: char) -> usize {
    let mut escaped = false;
    text.find(|character| {
        let closes = character == quote && !escaped;
        escaped = character == '\\' && !escaped && quote == '"';
        closes
    })
    .unwrap_or(text.len())
}

/// How much of a text stands before a quote opens.
fn next_quote(text: &str) -> usize {
    let mut escaped = false;
    text.find(|character| {
        let opens = matches!(character, '"' | '\'') && !escaped;
        escaped = character == '\\' && !escaped;
        opens
    })
    .unwrap_or(text.len())
}
