//! Methods of texts, tuples and other values that nobody changes.

use super::Interpreter;
use super::calls::Args;
use super::items::one_of_functions;
use crate::facts::Span;
use crate::program::heap::values::Value;

impl<'p> Interpreter<'p> {
    /// A method of a constant.
    pub(super) fn constant_method(
        &mut self,
        receiver: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Value<'p> {
        match (receiver, name) {
            (Value::Mapping(items), "get" | "pop" | "setdefault") => {
                let Some(key) = args.at(0) else { return Value::Unknown };
                let default = args.at(1);
                if let Some(default) = default {
                    self.chosen_by_key_default(&key.value, &default.value);
                }
                let found = self.mapping_item(items, &key.value);
                let is_unsure = matches!(found, Some(Value::Unknown));
                if is_unsure && name == "get" {
                    let default = default.map(|default| &default.value);
                    return one_of_functions(items.iter().map(|(_, value)| value).chain(default));
                }
                found.unwrap_or_else(|| default.map_or(Value::None, |default| default.value.clone()))
            }
            (Value::Mapping(items), "items") => {
                let pairs =
                    items.iter().map(|(key, value)| Value::sequence(vec![key.clone(), value.clone()]));
                Value::sequence(pairs.collect())
            }
            (Value::Mapping(items), "keys") => {
                Value::sequence(items.iter().map(|item| item.0.clone()).collect())
            }
            (Value::Mapping(items), "values") => {
                Value::sequence(items.iter().map(|item| item.1.clone()).collect())
            }
            (Value::Mapping(_), "copy") | (Value::Sequence(_), "copy") => receiver.clone(),
            (Value::Sequence(values), "index") if args.items.len() == 1 => {
                match self.place_in(values, &args.items[0].value) {
                    Some(Some(at)) => Value::Int(at as i64, self.place(span)),
                    Some(None) => self.raises(),
                    None => Value::Unknown,
                }
            }
            (Value::Text(separator), "join") => {
                let Some(list) = args.at(0) else { return Value::Unknown };
                let of_numbers = separator.text.trim() == "," && self.are_texts_of_numbers(&list.value);
                let list = self.iterate_in_order(list.value.clone(), span);
                let keys = match &list {
                    Value::Sequence(values) => Some(values.to_vec()),
                    Value::Mapping(items) if !items.is_empty() => {
                        Some(items.iter().map(|(key, _)| key.clone()).collect())
                    }
                    _ => None,
                };
                let Some(values) = keys else {
                    return if of_numbers { self.text_of_numbers() } else { Value::Unknown };
                };
                let texts: Option<Vec<_>> = values
                    .iter()
                    .map(|value| matches!(value, Value::Text(_)).then(|| value.as_text()).flatten())
                    .collect();
                texts.map_or(Value::Unknown, |texts| {
                    Value::text(texts.join(&separator.text), self.place(span))
                })
            }
            (Value::Text(_), "read_text" | "open") => self.open_path(receiver, name, args, span),
            (Value::Text(_), "resolve" | "absolute" | "expanduser" | "as_posix") => receiver.clone(),
            (Value::Text(text), "joinpath") => {
                let part = args.at(0).and_then(|one| one.value.as_text().map(|text| text.into_owned()));
                part.map_or(Value::Unknown, |part| self.divided(&text.text, &part, span))
            }
            (Value::Text(text), "format") => self.brace_format(text, args, span),
            (Value::Text(text), _) => {
                let made = super::texts::text_method(text, name, args).unwrap_or(Value::Unknown);
                if name.ends_with("partition") { made } else { self.collection(made) }
            }
            _ => {
                self.run_callbacks(name, args, span);
                Value::Unknown
            }
        }
    }
}
