//! What dictionaries hold after a method that changes them.

use super::Interpreter;
use super::calls::Args;
use super::statements::equal;
use crate::facts::Span;
use crate::program::heap::values::Value;

impl<'p> Interpreter<'p> {
    pub(super) fn changed_mapping(
        &mut self,
        mut items: Vec<(Value<'p>, Value<'p>)>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<(Value<'p>, Value<'p>)> {
        match name {
            "update" => {
                let first = args.at(0).map(|argument| argument.value.clone());
                match first.map(|value| self.iterate(value, span)) {
                    Some(Value::Mapping(more)) => items = merged(items, &more),
                    None => {}
                    Some(_) => return Some((Value::Unknown, Value::None)),
                }
                let named = args.items.iter().filter_map(|argument| {
                    let name = argument.name.as_ref()?;
                    Some((Value::text(name.clone(), self.place(argument.span)), argument.value.clone()))
                });
                let named: Vec<_> = named.collect();
                items = merged(items, &named);
                let changed = if args.open { Value::Unknown } else { Value::mapping(items) };
                Some((changed, Value::None))
            }
            "clear" => Some((Value::mapping(Vec::new()), Value::None)),
            "setdefault" => {
                let key = args.at(0)?.value.clone();
                let default = args.at(1).map_or(Value::None, |argument| argument.value.clone());
                self.chosen_by_key_default(&key, &default);
                let known = self.mapping_item(&items, &key);
                let value = known.clone().unwrap_or(default);
                if known.is_none() {
                    items.push((key, value.clone()));
                }
                Some((Value::mapping(items), value))
            }
            "pop" => {
                let key = args.at(0)?.value.clone();
                let default = args.at(1).map(|argument| argument.value.clone());
                let found = self.mapping_item(&items, &key);
                match (&found, &default) {
                    (None, None) => drop(self.lacks_item()),
                    (Some(Value::Unknown), None) => self.may_raise(),
                    _ => {}
                }
                let known = found.filter(|value| !matches!(value, Value::Unknown));
                let value = known.or(default).unwrap_or(Value::Unknown);
                Some((without_key(&items, &key).map_or(Value::Unknown, Value::mapping), value))
            }
            "move_to_end" => {
                let key = args.at(0)?.value.clone();
                let is_last =
                    args.get(Some(1), Some("last")).is_none_or(|last| last.value.truth() == Some(true));
                let (moved, kept): (Vec<_>, Vec<_>) =
                    items.into_iter().partition(|(known, _)| equal(known, &key) != Some(false));
                let changed = match &moved[..] {
                    [(known, _)] if is_last && equal(known, &key) == Some(true) => {
                        Value::mapping(kept.into_iter().chain(moved).collect())
                    }
                    _ => Value::Unknown,
                };
                Some((changed, Value::None))
            }
            // None stands for the environment that was spread.
            "popitem"
                if args.items.is_empty()
                    && items.last().is_some_and(|(key, _)| !matches!(key, Value::None)) =>
            {
                let last = items.pop().map(|(key, value)| Value::sequence(vec![key, value]));
                Some((Value::mapping(items), last.unwrap_or(Value::Unknown)))
            }
            "popitem" => Some((Value::Unknown, Value::Unknown)),
            _ => None,
        }
    }
}

/// The items of a dictionary and those of another one that replace them.
pub(super) fn merged<'p>(
    mut items: Vec<(Value<'p>, Value<'p>)>,
    more: &[(Value<'p>, Value<'p>)],
) -> Vec<(Value<'p>, Value<'p>)> {
    for (key, value) in more {
        match items.iter_mut().rev().find(|(known, _)| equal(known, key) == Some(true)) {
            // Where the environment is spread, what came before it counts no more.
            Some((known, old)) if !matches!(known, Value::None) => *old = value.clone(),
            _ => items.push((key.clone(), value.clone())),
        }
    }
    items
}

/// The items of a dictionary without those of a key; `None` when nobody knows which these are.
pub(super) fn without_key<'p>(
    items: &[(Value<'p>, Value<'p>)],
    key: &Value<'p>,
) -> Option<Vec<(Value<'p>, Value<'p>)>> {
    let mut kept = Vec::with_capacity(items.len());
    for item in items {
        match equal(&item.0, key) {
            Some(true) => {}
            Some(false) => kept.push(item.clone()),
            None => return None,
        }
    }
    Some(kept)
}
