//! Writes in text that is no Python: `X=1`, `X: 1`, `"X": "1"`, `$env:X = "1"`, `set_var("X", "1")`, `ENV X 1`,
//! `{name: X, value: 1}`.

use super::constants;
use super::{Literal, Write, words};
use crate::facts::Span;
use crate::fixes::Refusal;
use crate::fixes::site::Site;
use crate::languages::TreeKind;

pub fn write<T>(site: &Site<'_>, is_meant: &impl Fn(&str) -> Option<T>) -> Option<(Write, T)> {
    let place = site.span();
    let text = site.slice(place);
    let (at, word, found) = words(text).find_map(|(at, word)| Some((at, word, is_meant(word)?)))?;
    let behind = at + word.len();
    let outer = text.chars().next().filter(|first| at == 1 && matches!(first, '"' | '\''));
    let value = value_in(&text[behind..], outer);
    let shifted =
        |start: usize, end: usize| Span { start: place.start + start as u32, end: place.start + end as u32 };
    let value = value.map(|(start, end)| shifted(behind + start, behind + end));
    Some((Write { name: shifted(at, behind), value }, found))
}

/// Where the value stands in what follows the name. `outer`: a quote that is opened before the name.
fn value_in(text: &str, outer: Option<char>) -> Option<(usize, usize)> {
    let mut rest = text;
    let skip = |rest: &mut &str, signs: &[char]| {
        let before = rest.len();
        *rest = rest.trim_start_matches(signs);
        before - rest.len()
    };
    // `"X": `, `environ["X"]`, `${env:X}`
    let closed = skip(&mut rest, &['"', '\'', ']', '}']) > 0;
    const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
    skip(&mut rest, &BLANKS);
    let mut is_argument = false;
    let sign = ["??=", ":=", "?=", "=", ":", ","].into_iter().find(|sign| rest.starts_with(sign));
    match sign {
        Some(sign) => {
            rest = &rest[sign.len()..];
            is_argument = sign == ",";
        }
        None if rest.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("-value")) => {
            rest = &rest[6..];
            is_argument = true;
        }
        // `ENV X 1`; and `name: X` with the value on a line below.
        None if rest.is_empty() || rest.starts_with(['+', '=', ')']) => return None,
        None => {}
    }
    skip(&mut rest, &BLANKS);
    // `{value = "1", skip_if_set = true}`, `X: {value: 1}`, `name: X, value: 1`
    let inner = rest.trim_start_matches('{').trim_start().trim_start_matches(['"', '\'']);
    if let Some(behind) = ["value", "default"].into_iter().find_map(|key| inner.strip_prefix(key)) {
        let behind = behind.trim_start_matches(['"', '\'']).trim_start();
        if let Some(behind) = behind.strip_prefix([':', '=']) {
            rest = behind.trim_start();
        }
    }
    let start = text.len() - rest.len();
    let length = match quote_at(rest) {
        Some((quote, length)) => length + rest[length..].find(quote)? + length,
        None if is_argument => argument(rest),
        None => {
            let line = rest.lines().next().unwrap_or_default();
            let line = match outer {
                Some(quote) if !closed => line.strip_suffix(quote).unwrap_or(line),
                _ => line,
            };
            line.trim_end().len()
        }
    };
    (length > 0).then_some((start, start + length))
}

/// The quote that a text begins with, which may be escaped: `"…"`, `\"…\"`.
fn quote_at(text: &str) -> Option<(&str, usize)> {
    let found = ["\"", "'", "\\\"", "\\'"].into_iter().find(|quote| text.starts_with(quote))?;
    Some((found, found.len()))
}

/// How long an argument of a call is.
fn argument(text: &str) -> usize {
    let mut depth = 0;
    let ends = |one: char| {
        match one {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return true,
            ')' | ']' | '}' => depth -= 1,
            ',' | ';' | '\r' | '\n' => return depth == 0,
            _ => {}
        }
        false
    };
    let length = text.find(ends).unwrap_or(text.len());
    text[..length].trim_end().len()
}

pub fn literal(site: &Site<'_>, value: Span) -> Result<Literal, Refusal> {
    let text = site.slice(value);
    let (start, end) = match quote_at(text) {
        Some((_, length)) if text.len() >= 2 * length => (length, text.len() - length),
        _ => (0, text.len()),
    };
    let shifted =
        |start: usize, end: usize| Span { start: value.start + start as u32, end: value.start + end as u32 };
    let inside = &text[start..end];
    // `${X:-0}`: the default is what is written here.
    if let Some(default) = default_in(inside) {
        let from = start + default.0;
        let span = shifted(from, from + default.1.len());
        return Ok(Literal { whole: span, inside: span });
    }
    if let Some(name) = variable_in(inside) {
        // `f"X={gpu} python train.py"`
        if site.is_python_file() && inside.starts_with('{') {
            let tree = site.tree()?;
            let node = tree.exactly(shifted(start + 1, end - 1), |kind| kind == TreeKind::Name);
            return constants::of_module(site, node.ok_or("the value is computed")?);
        }
        return constants::of_file(site, name, value);
    }
    // A blank behind the closing quote, and whatever else is no single word.
    let has_more =
        start > 0 && quote_at(&text[..end]).is_some_and(|(quote, length)| text[length..end].contains(quote));
    if has_more || inside.contains(['$', '`', '%', '(', '&', '|', '<', '>']) || inside.contains("{{") {
        return Err("the value is computed".to_owned());
    }
    let plain = inside.replace("\\\"", "").replace("\\'", "");
    if plain.contains('\\') {
        return Err("the value has escapes in it".to_owned());
    }
    Ok(Literal { whole: value, inside: shifted(start, end) })
}

/// `0` of `${X:-0}`, and where it begins.
fn default_in(text: &str) -> Option<(usize, &str)> {
    let inside = text.strip_prefix("${")?.strip_suffix('}')?;
    let at = inside.find(|one: char| !one.is_ascii_alphanumeric() && one != '_')?;
    let sign = [":-", ":=", "-", "="].into_iter().find(|sign| inside[at..].starts_with(sign))?;
    let default = &inside[at + sign.len()..];
    let is_plain = !default.is_empty() && !default.contains(['$', '`', '"', '\'', '\\', '}']);
    is_plain.then_some((2 + at + sign.len(), default))
}

/// `GPU` of `$GPU`, `${GPU}`, `$(GPU)`, `%GPU%` and `{GPU}`.
fn variable_in(text: &str) -> Option<&str> {
    let name = match text.strip_prefix('$') {
        Some(rest) => {
            let braced = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            braced.or_else(|| rest.strip_prefix('(')?.strip_suffix(')')).unwrap_or(rest)
        }
        None => {
            let percent = text.strip_prefix('%').and_then(|rest| rest.strip_suffix('%'));
            percent.or_else(|| text.strip_prefix('{')?.strip_suffix('}'))?
        }
    };
    words(name).eq([(0, name)]).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_behind_their_names() {
        let value = |text: &str, outer: Option<char>| {
            value_in(text, outer).map(|(start, end)| text[start..end].to_owned()).unwrap_or_default()
        };
        assert_eq!(value("=1", None), "1");
        assert_eq!(value("=0 1\"", Some('"')), "0 1");
        assert_eq!(value("\": \"0\"", Some('"')), "\"0\"");
        assert_eq!(value(" = \"0,1\"", None), "\"0,1\"");
        assert_eq!(value("\", \"1\", \"Process\")", None), "\"1\"");
        assert_eq!(value("\", gpu(1, 2), x)", None), "gpu(1, 2)");
        assert_eq!(value(" -Value 1", None), "1");
        assert_eq!(value(" 0", None), "0");
        assert_eq!(value(", value: \"0\"", None), "\"0\"");
        assert_eq!(value("\n  value: 0\n", None), "0");
        assert_eq!(value(":\n  value: \"0\"\n  description: x", None), "\"0\"");
        assert_eq!(value("", None), "");
    }

    #[test]
    fn variables_and_defaults_are_told_apart() {
        assert_eq!(default_in("${X:-0}"), Some((5, "0")));
        assert_eq!(default_in("${X}"), None);
        assert_eq!(variable_in("${GPU}"), Some("GPU"));
        assert_eq!(variable_in("$(GPU)"), Some("GPU"));
        assert_eq!(variable_in("%GPU%"), Some("GPU"));
        assert_eq!(variable_in("0"), None);
    }
}
