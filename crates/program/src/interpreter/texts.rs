//! Methods of texts whose results follow from texts alone: `strip`, `replace`, `format`.

use super::calls::Args;
use super::{Flow, Interpreter};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::program::heap::values::{LONGEST, Text, Value};
use std::borrow::Cow;

impl<'p> Interpreter<'p> {
    /// The text that the parts of an f-string make.
    pub(super) fn join_text(&mut self, parts: &'p [Expr<'p>], span: Span) -> Value<'p> {
        // What a list holds is written before the next part is evaluated, which may change it.
        let part_now = |run: &mut Self, part| match run.part_of_text(part) {
            list @ Value::Collection(_) => match run.written(&list, 0) {
                Some(text) => Value::text(text, run.place(span)),
                None => Value::Unknown,
            },
            value => value,
        };
        let values: Vec<_> = parts.iter().map(|part| part_now(self, part)).collect();
        self.concatenation(values, span)
    }

    /// The text that constants make when they are joined, for each combination of a few alternatives.
    pub(super) fn concatenation(&mut self, values: Vec<Value<'p>>, span: Span) -> Value<'p> {
        /// More combinations than this say nothing.
        const MOST: usize = 8;
        let mut parts =
            values.iter().filter(|part| !matches!(part, Value::Text(text) if text.text.is_empty()));
        if let (Some(number), None) = (parts.next(), parts.next())
            && let Some(text) = self.text_of_some_int(number)
        {
            return text;
        }
        let mut texts = vec![String::new()];
        // The number of a GPU that who starts the program gave it: the choice stands there.
        let mut told = None;
        for value in values {
            let mut value = self.force(value);
            if let Value::Instance(_) = value {
                value = self.text_of(&value, "format", span);
            }
            let is_device = texts == ["cuda:"];
            if is_device && matches!(value, Value::Unknown | Value::Outside(_)) {
                return Value::text("cuda:…", self.place(span));
            }
            if is_device {
                told = value.place().filter(|place| self.trace.told.contains(place));
            }
            let mut next = Vec::new();
            for alternative in value.alternatives() {
                if is_device && matches!(alternative, Value::Unknown | Value::Outside(_)) {
                    // Whatever the number is, it is a GPU's.
                    next.push("cuda:…".to_owned());
                    continue;
                }
                let text = alternative.as_text().or_else(|| self.written(alternative, 0).map(Cow::Owned));
                let Some(text) = text else {
                    let start = if let [start] = &texts[..] { self.some_module(start) } else { None };
                    return start.unwrap_or(Value::Unknown);
                };
                next.extend(texts.iter().map(|start| format!("{start}{text}")));
            }
            if next.len() > MOST || next.iter().any(|text| text.len() > LONGEST) {
                return Value::Unknown;
            }
            texts = next;
        }
        let place = told.unwrap_or(self.place(span));
        Value::one_of(texts.into_iter().map(|text| Value::text(text, place)))
    }

    /// A part of an f-string. With `!r` or a format an object is asked by its methods.
    fn part_of_text(&mut self, part: &'p Expr<'p>) -> Value<'p> {
        let ExprKind::Unknown(inner) = &part.kind else {
            let value = self.eval(part);
            let value = self.force(value);
            return if value.shows_name() { Value::Unknown } else { value };
        };
        let Some((written, format)) = inner.split_first() else { return Value::Unknown };
        let object = self.eval(written);
        let object = self.force(object);
        let format: Vec<_> = format.iter().map(|part| self.eval(part)).collect();
        if self.flow != Flow::Next || !self.is_python_here() {
            return Value::Unknown;
        }
        // What stands behind the value: `!r:>8}`.
        let behind = Span { start: written.span.end.min(part.span.end), end: part.span.end };
        let behind = self.program.sources.text(self.place(behind)).trim_start_matches([')', ' ', '\n']);
        let is_repr = behind.starts_with("!r");
        let has_spec = behind.trim_start_matches("!r").trim_start_matches("!s").starts_with(':');
        if behind.starts_with('=') || behind.starts_with("!a") {
            return Value::Unknown;
        }
        let spec = match has_spec {
            true => self.concatenation(format, part.span),
            false => Value::text("", self.place(part.span)),
        };
        if let Value::Instance(_) = object {
            let by = if is_repr { "repr" } else { "format" };
            return self.formatted(&object, by, spec, part.span);
        }
        let Value::Text(spec) = spec else { return Value::Unknown };
        if object.shows_name() {
            return Value::Unknown;
        }
        let place = self.place(part.span);
        let written = object.alternatives().iter().map(|one| {
            let text = match is_repr {
                true => {
                    let text = self.written(one, 0).map(|text| Value::text(text, place));
                    text.and_then(|text| super::formats::formatted(&text, &spec.text))
                }
                false => super::formats::formatted(one, &spec.text),
            };
            text.map_or(Value::Unknown, |text| Value::text(text, place))
        });
        Value::one_of(written.collect::<Vec<_>>())
    }

    /// `"cuda:{}".format(1)`, for plain placeholders.
    pub(super) fn brace_format(&mut self, format: &Text<'p>, args: &Args<'p>, span: Span) -> Value<'p> {
        let mut pieces = Vec::new();
        let mut rest: &str = &format.text;
        let mut next = 0;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((field, after)) = after.split_once('}') else { return Value::Unknown };
            pieces.push(Value::text(before.to_owned(), format.place));
            let (field, spec) = field.split_once(':').unwrap_or((field, ""));
            let argument = match field {
                "" => {
                    next += 1;
                    args.at(next - 1)
                }
                field => match field.parse::<usize>() {
                    Ok(position) => args.at(position),
                    Err(_) => args.keyword(field),
                },
            };
            let Some(argument) = argument.map(|argument| argument.value.clone()) else {
                return Value::Unknown;
            };
            pieces.push(match (&argument, spec) {
                (Value::Instance(_), spec) => {
                    let spec = Value::text(spec.to_owned(), format.place);
                    self.formatted(&argument, "format", spec, span)
                }
                (argument, _) if argument.shows_name() => Value::Unknown,
                (_, "") => argument,
                (argument, spec) => super::formats::formatted(argument, spec)
                    .map_or(Value::Unknown, |text| Value::text(text, format.place)),
            });
            rest = after;
        }
        pieces.push(Value::text(rest.to_owned(), format.place));
        self.concatenation(pieces, span)
    }
}

/// A method of a text whose result follows from texts and numbers alone.
pub(super) fn text_method<'p>(text: &Text<'p>, name: &str, args: &Args<'p>) -> Option<Value<'p>> {
    let argument = |position: usize| match args.at(position).map(|argument| &argument.value) {
        Some(Value::Text(text)) => Some(&*text.text),
        _ => None,
    };
    let number = |position: usize| match args.at(position).map(|argument| &argument.value) {
        Some(Value::Int(number, _)) => usize::try_from(*number).ok(),
        _ => None,
    };
    if args.open {
        return None;
    }
    let given = args.items.len();
    let plain = given == 0;
    let whole = &*text.text;
    let made = |part: &str| Value::text(part.to_owned(), text.place);
    let all = |parts: &[&str]| Some(Value::sequence(parts.iter().map(|part| made(part)).collect()));
    let is_each = |holds: fn(&char) -> bool| {
        let known = plain && whole.is_ascii();
        known.then(|| Value::Bool(!whole.is_empty() && whole.chars().all(|one| holds(&one))))
    };
    let changed = match name {
        "strip" if plain => whole.trim().to_owned(),
        "lstrip" if plain => whole.trim_start().to_owned(),
        "rstrip" if plain => whole.trim_end().to_owned(),
        "strip" | "lstrip" | "rstrip" if given == 1 => {
            let ends = argument(0)?;
            let is_end = |one: char| ends.contains(one);
            match name {
                "lstrip" => whole.trim_start_matches(is_end),
                "rstrip" => whole.trim_end_matches(is_end),
                _ => whole.trim_matches(is_end),
            }
            .to_owned()
        }
        "lower" | "casefold" if plain => whole.to_lowercase(),
        "upper" if plain => whole.to_uppercase(),
        "replace" if given == 2 => whole.replace(argument(0)?, argument(1)?),
        "replace" if given == 3 => whole.replacen(argument(0)?, argument(1)?, number(2)?),
        "removeprefix" => whole.strip_prefix(argument(0)?).unwrap_or(whole).to_owned(),
        "removesuffix" => whole.strip_suffix(argument(0)?).unwrap_or(whole).to_owned(),
        "zfill" if given == 1 && !whole.starts_with(['+', '-']) => {
            let width = number(0).filter(|width| *width <= LONGEST)?;
            format!("{whole:0>width$}")
        }
        "find" | "rfind" | "index" | "rindex" | "count" if given == 1 && whole.is_ascii() => {
            let part = argument(0).filter(|part| !part.is_empty())?;
            let at = if name.starts_with('r') { whole.rfind(part) } else { whole.find(part) };
            let found = match (name, at) {
                ("count", _) => whole.matches(part).count() as i64,
                (_, Some(at)) => at as i64,
                ("find" | "rfind", None) => -1,
                _ => return None,
            };
            return Some(Value::Int(found, text.place));
        }
        "startswith" if given == 1 => return Some(Value::Bool(whole.starts_with(argument(0)?))),
        "endswith" if given == 1 => return Some(Value::Bool(whole.ends_with(argument(0)?))),
        "isdigit" | "isdecimal" | "isnumeric" => return is_each(char::is_ascii_digit),
        "isalpha" => return is_each(char::is_ascii_alphabetic),
        "isalnum" => return is_each(char::is_ascii_alphanumeric),
        "partition" | "rpartition" if given == 1 => {
            let by = argument(0).filter(|by| !by.is_empty())?;
            let found = if name == "partition" { whole.split_once(by) } else { whole.rsplit_once(by) };
            return match found {
                Some((before, after)) => all(&[before, by, after]),
                None if name == "partition" => all(&[whole, "", ""]),
                None => all(&["", "", whole]),
            };
        }
        "split" | "rsplit" => {
            let most = args.get(Some(1), Some("maxsplit")).map(|argument| &argument.value);
            let by = args.get(Some(0), Some("sep")).map(|argument| &argument.value);
            return match (by, most) {
                (None | Some(Value::None), None) => all(&whole.split_whitespace().collect::<Vec<_>>()),
                (Some(Value::Text(by)), None) if !by.text.is_empty() => {
                    all(&whole.split(&*by.text).collect::<Vec<_>>())
                }
                (Some(Value::Text(by)), Some(Value::Int(most @ 0.., _))) if !by.text.is_empty() => {
                    let most = usize::try_from(*most).ok()?.checked_add(1)?;
                    if name == "split" {
                        return all(&whole.splitn(most, &*by.text).collect::<Vec<_>>());
                    }
                    let mut parts: Vec<&str> = whole.rsplitn(most, &*by.text).collect();
                    parts.reverse();
                    all(&parts)
                }
                _ => None,
            };
        }
        // Other ends of lines than these are rare.
        "splitlines" if plain && !whole.contains(|one: char| one != '\n' && one.is_control()) => {
            return all(&whole.lines().collect::<Vec<_>>());
        }
        _ => return None,
    };
    Some(Value::text(changed, text.place))
}
