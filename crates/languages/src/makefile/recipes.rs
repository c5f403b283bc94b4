//! A line of a recipe → the text that the shell gets: `$$X` is `$X` for the shell, and `$(X)` is what make has for X.

use super::super::embedded::{Extract, Origin};
use super::lines::Recipe;
use crate::commands::is_variable_name;
use crate::sources::Source;

/// Variables that lead to variables are followed this deep.
const MAX_DEPTH: usize = 8;
/// A longer line is not followed further.
const MOST_BYTES: usize = 64 * 1024;

/// What a variable of make holds, as written, and where.
pub struct MakeVariable<'l, 's> {
    pub value: &'s str,
    pub origin: &'l Origin,
    /// The caller may have another value for it.
    pub is_default: bool,
}

/// Finds what a variable of make holds.
pub type Lookup<'l, 's> = &'l dyn Fn(&str) -> Option<MakeVariable<'l, 's>>;

/// The text for the shell: what a variable holds takes the place of its name. One that is not known becomes a
/// variable of the shell, of the same length.
pub fn shell_text<'s>(recipe: &Recipe<'s>, look_up: Lookup<'_, 's>, source: &'s Source) -> (&'s str, Origin) {
    if !recipe.text.contains('$') {
        return (recipe.text, recipe.origin.clone());
    }
    let mut extract = Extract::default();
    let mut quoted = false;
    expand(recipe.text, &recipe.origin, look_up, &mut extract, &mut quoted, 0);
    let (text, origin) = extract.finish();
    (source.keep(text), origin)
}

/// `quoted`: inside the single quotes of the shell.
fn expand<'s>(
    text: &str,
    origin: &Origin,
    look_up: Lookup<'_, 's>,
    extract: &mut Extract,
    quoted: &mut bool,
    depth: usize,
) {
    let place = |at: usize| origin.span(at, at).start as usize;
    // Pieces of the text that stand apart in the file are added apart.
    let add = |extract: &mut Extract, start: usize, end: usize, quoted: &mut bool| {
        let mut at = start;
        for whole in text[start..end].split_inclusive('\n') {
            // Lines of `define` begin like those of a recipe.
            let begins = depth > 0 && (at == 0 || text[..at].ends_with('\n'));
            let line = if begins { whole.trim_start_matches(['\t', '@']) } else { whole };
            at += whole.len() - line.len();
            *quoted ^= line.bytes().filter(|byte| *byte == b'\'').count() % 2 == 1;
            extract.push(line, place(at));
            at += line.len();
        }
    };
    let mut plain = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'$', &text.as_bytes()[at..]) {
        let dollar = at + found;
        if extract.len() > MOST_BYTES {
            return;
        }
        let Some(next) = text[dollar + 1..].chars().next() else { break };
        add(extract, plain, dollar, quoted);
        if next == '$' {
            extract.push("$", place(dollar + 1));
            at = dollar + 2;
            plain = at;
            continue;
        }
        let (name, end) = match next {
            '(' | '{' => match closing(&text[dollar + 2..], next) {
                Some(length) => (&text[dollar + 2..dollar + 2 + length], dollar + 3 + length),
                None => (&text[text.len()..], text.len()),
            },
            one => (&text[dollar + 1..dollar + 1 + one.len_utf8()], dollar + 1 + one.len_utf8()),
        };
        // `$(call name,argument)`
        let called = name.strip_prefix("call ").and_then(|rest| rest.split(',').next());
        let held = look_up(called.unwrap_or(name).trim()).filter(|_| depth < MAX_DEPTH);
        match held {
            Some(held) if held.is_default && !*quoted && text[..dollar].ends_with('=') => {
                extract.push(&shell_variable(name, end - dollar), place(dollar));
            }
            // What the value sets, it sets where it stands.
            Some(held) if called.is_some() || held.value.contains(['=', '$']) => {
                expand(held.value, held.origin, look_up, extract, quoted, depth + 1);
            }
            Some(held) => push_instead(held.value, place(dollar), place(end - 1) + 1, extract),
            None => extract.push(&shell_variable(name, end - dollar), place(dollar)),
        }
        at = end;
        plain = end;
    }
    add(extract, plain, text.len(), quoted);
}

/// Adds a value in the place of its name, which stands from `start` to `end`.
fn push_instead(value: &str, start: usize, end: usize, extract: &mut Extract) {
    for (at, character) in value.char_indices() {
        let length = character.len_utf8();
        let is_last = at + length == value.len();
        let place = if is_last { end.saturating_sub(length) } else { start + at };
        extract.push(&value[at..at + length], place.clamp(start, end.saturating_sub(length).max(start)));
    }
}

/// `$(NAME)` as a variable of the shell, as long as it was.
fn shell_variable(name: &str, length: usize) -> String {
    let name = if is_variable_name(name) { name.to_owned() } else { "_".repeat(length.saturating_sub(3)) };
    match (length, name.len()) {
        (0..=1, _) => String::new(),
        (2, 1) => format!("${name}"),
        (2, _) => "$_".to_owned(),
        (3, _) => "$__".to_owned(),
        _ => format!("${{{name}}}"),
    }
}

/// How much stands before the bracket that closes.
fn closing(text: &str, open: char) -> Option<usize> {
    let (open, close) = if open == '(' { (b'(', b')') } else { (b'{', b'}') };
    let mut depth = 0usize;
    text.bytes().position(|byte| {
        if byte == open {
            depth += 1;
        } else if byte == close && depth > 0 {
            depth -= 1;
        } else if byte == close {
            return true;
        }
        false
    })
}
