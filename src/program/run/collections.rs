//! Lists, sets and dictionaries that a program changes in place.

use super::Run;
use super::calls::Args;
use super::steps::equal;
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::program::value::Value;

impl<'p> Run<'p> {
    /// Calls a method that changes the collection that a name or attribute holds; `None` when it is no such
    /// method. In a loop whose passes are not all followed, nobody knows how often it is called.
    pub(super) fn change(
        &mut self,
        place: &'p Expr<'p>,
        collection: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let (changed, result) = match collection {
            Value::Sequence(values) => self.changed_sequence(values.to_vec(), name, args, span)?,
            Value::Mapping(items) => self.changed_mapping(items.to_vec(), name, args, span)?,
            _ => return None,
        };
        let repeats = match place.kind {
            ExprKind::Name(_) => self.here.repeats,
            _ => self.repeats,
        };
        let changed = if repeats > 0 { Value::Unknown } else { changed };
        match &place.kind {
            ExprKind::Name(name) => self.rebind(name, changed),
            ExprKind::Attribute(object, name) => {
                let object = self.eval(object);
                self.set_attribute(&object, name, changed);
            }
            _ => {}
        }
        Some(result)
    }

    /// Binds a name where it is bound already: the object has changed, not the name.
    fn rebind(&mut self, name: &'p str, value: Value<'p>) {
        let mut scope = Some(self.here.scope);
        while let Some(id) = scope {
            if self.scopes[id as usize].values.contains_key(name) {
                return self.bind_in(id, name, value);
            }
            scope = self.scopes[id as usize].parent;
        }
    }

    fn changed_sequence(
        &mut self,
        mut values: Vec<Value<'p>>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<(Value<'p>, Value<'p>)> {
        let first = args.at(0).map(|argument| argument.value.clone());
        match (name, first) {
            ("append" | "add", Some(value)) => values.push(value),
            ("extend" | "update", Some(more)) => {
                let more = self.iterate(more, span);
                match self.elements(&more) {
                    Some(more) => values.extend(more),
                    None => return Some((Value::Unknown, Value::None)),
                }
            }
            ("insert", Some(Value::Int(0, _))) => values.insert(0, args.at(1)?.value.clone()),
            ("clear", None) => values.clear(),
            ("reverse", None) => values.reverse(),
            ("pop", None) => {
                let last = values.pop().unwrap_or(Value::Unknown);
                return Some((Value::sequence(values), last));
            }
            ("pop", Some(Value::Int(0, _))) if !values.is_empty() => {
                let first = values.remove(0);
                return Some((Value::sequence(values), first));
            }
            ("insert" | "remove" | "discard" | "pop" | "sort", _) => {
                return Some((Value::Unknown, Value::Unknown));
            }
            _ => return None,
        }
        Some((Value::sequence(values), Value::None))
    }

    fn changed_mapping(
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
                    Some(Value::Mapping(more)) => items.extend(more.iter().cloned()),
                    None => {}
                    Some(_) => return Some((Value::Unknown, Value::None)),
                }
                for argument in &args.items {
                    if let Some(name) = &argument.name {
                        items.push((
                            Value::text(name.clone(), self.place(argument.span)),
                            argument.value.clone(),
                        ));
                    }
                }
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
                let default = args.at(1).map_or(Value::Unknown, |argument| argument.value.clone());
                let value = self.mapping_item(&items, &key).unwrap_or(default);
                items.retain(|(known, _)| equal(known, &key) != Some(true));
                Some((Value::mapping(items), value))
            }
            _ => None,
        }
    }
}
