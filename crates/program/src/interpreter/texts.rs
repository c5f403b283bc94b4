//! Methods of texts whose results follow from texts alone: `strip`, `replace`, `format`.

use super::Interpreter;
use super::calls::Args;
use crate::facts::Span;
use crate::program::heap::values::{Text, Value};

impl<'p> Interpreter<'p> {
    /// `"cuda:{}".format(1)`, for plain placeholders.
    pub(super) fn brace_format(&mut self, format: &Text<'p>, args: &Args<'p>, span: Span) -> Value<'p> {
        let mut pieces = Vec::new();
        let mut rest: &str = &format.text;
        let mut next = 0;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((field, after)) = after.split_once('}') else { return Value::Unknown };
            pieces.push(Value::text(before.to_owned(), format.place));
            let argument = match field.strip_suffix(":d").unwrap_or(field) {
                "" => {
                    next += 1;
                    args.at(next - 1)
                }
                field => match field.parse::<usize>() {
                    Ok(position) => args.at(position),
                    Err(_) => args.keyword(field),
                },
            };
            let Some(argument) = argument else { return Value::Unknown };
            pieces.push(argument.value.clone());
            rest = after;
        }
        pieces.push(Value::text(rest.to_owned(), format.place));
        self.concatenation(pieces, span)
    }
}

/// A method of a text whose result follows from texts alone.
pub(super) fn text_method<'p>(text: &Text<'p>, name: &str, args: &Args<'p>) -> Option<Value<'p>> {
    let argument = |position: usize| match args.at(position).map(|argument| &argument.value) {
        Some(Value::Text(text)) => Some(&*text.text),
        _ => None,
    };
    let plain = args.items.is_empty() && !args.open;
    let whole = &*text.text;
    let changed = match name {
        "strip" if plain => whole.trim().to_owned(),
        "lstrip" if plain => whole.trim_start().to_owned(),
        "rstrip" if plain => whole.trim_end().to_owned(),
        "lower" | "casefold" if plain => whole.to_lowercase(),
        "upper" if plain => whole.to_uppercase(),
        "replace" if args.items.len() == 2 => whole.replace(argument(0)?, argument(1)?),
        "removeprefix" => whole.strip_prefix(argument(0)?).unwrap_or(whole).to_owned(),
        "startswith" => return Some(Value::Bool(whole.starts_with(argument(0)?))),
        "endswith" => return Some(Value::Bool(whole.ends_with(argument(0)?))),
        "split" => {
            let separator = argument(0).filter(|separator| !separator.is_empty() && args.items.len() == 1)?;
            let parts = whole.split(separator).map(|part| Value::text(part.to_owned(), text.place));
            return Some(Value::sequence(parts.collect()));
        }
        _ => return None,
    };
    Some(Value::text(changed, text.place))
}
