//! Lists and dictionaries that methods change in place: `append`, `extend`, `update` and their like.
//!
//! Values here never change, so the name or attribute that the method was called on is bound anew. Another
//! name of the same list keeps what it held; a list that may have grown that way is why an empty one is
//! never taken to be surely empty.

use super::Run;
use super::calls::Args;
use super::steps::equal;
use crate::code::{Expr, ExprKind};
use crate::facts::Place;
use crate::program::value::{ScopeId, Value};

impl<'p> Run<'p> {
    /// `place.method(…)` was called on the collection `old`, which may be another one now.
    pub(super) fn change_in_place(
        &mut self,
        place: &'p Expr<'p>,
        old: &Value<'p>,
        method: &str,
        args: &Args<'p>,
    ) {
        let is_collection = |value: &Value<'p>| matches!(value, Value::Sequence(_) | Value::Mapping(_));
        if !old.alternatives().iter().any(is_collection) {
            return;
        }
        let at = self.place(place.span);
        let mut changed = false;
        let new: Vec<_> = old
            .alternatives()
            .iter()
            .map(|value| {
                let new = changed_by(value, method, args, at);
                changed |= new.is_some();
                new.unwrap_or_else(|| value.clone())
            })
            .collect();
        if changed {
            self.bind_again(place, Value::one_of(new));
        }
    }

    /// The namespace that holds a name, seen from another.
    pub(super) fn scope_with(&self, from: ScopeId, name: &str) -> Option<ScopeId> {
        let mut scope = Some(from);
        while let Some(id) = scope {
            let found = &self.scopes[id as usize];
            if (id == from || !found.is_class) && found.values.contains_key(name) {
                return Some(id);
            }
            scope = found.parent;
        }
        None
    }

    /// Binds a name where it was bound before, or an attribute.
    fn bind_again(&mut self, place: &'p Expr<'p>, value: Value<'p>) {
        match &place.kind {
            ExprKind::Name(name) => {
                let Some(scope) = self.scope_with(self.here.scope, name) else { return };
                if scope != self.here.scope {
                    self.changes += 1;
                }
                self.bind_in(scope, name, value);
            }
            ExprKind::Attribute(object, name) if matches!(object.kind, ExprKind::Name(_)) => {
                let object = self.eval(object);
                self.set_attribute(&object, name, value);
            }
            _ => {}
        }
    }
}

/// What a method makes of a collection; `None` when it leaves it as it is.
fn changed_by<'p>(collection: &Value<'p>, method: &str, args: &Args<'p>, at: Place) -> Option<Value<'p>> {
    let first = args.at(0).map(|argument| &argument.value);
    match (collection, method) {
        (Value::Sequence(values), "append" | "add") => Some(with(values, values.len(), first?.clone())),
        (Value::Sequence(values), "insert") => {
            let (Value::Int(index, _), Some(value)) = (first?, args.at(1)) else {
                return Some(Value::Unknown);
            };
            let index = usize::try_from(*index).ok().filter(|index| *index <= values.len());
            Some(index.map_or(Value::Unknown, |index| with(values, index, value.value.clone())))
        }
        (Value::Sequence(values), "extend") => match first? {
            Value::Sequence(more) => {
                Some(Value::sequence(values.iter().chain(more.iter()).cloned().collect()))
            }
            _ => Some(Value::Unknown),
        },
        (
            Value::Sequence(_),
            "pop" | "remove" | "clear" | "sort" | "reverse" | "discard" | "update" | "appendleft",
        ) => Some(Value::Unknown),
        (Value::Mapping(items), "update") => {
            let mut items = (**items).clone();
            match first {
                Some(Value::Mapping(more)) => {
                    more.iter().for_each(|(key, value)| set(&mut items, key.clone(), value.clone()));
                }
                Some(_) => return Some(Value::Unknown),
                None if args.open => return Some(Value::Unknown),
                None => {}
            }
            for argument in &args.items {
                if let Some(name) = &argument.name {
                    set(&mut items, Value::text(name.clone(), at), argument.value.clone());
                }
            }
            Some(Value::mapping(items))
        }
        (Value::Mapping(items), "pop") => {
            let key = first?;
            let kept = items.iter().filter(|(known, _)| equal(known, key) != Some(true));
            Some(Value::mapping(kept.cloned().collect()))
        }
        (Value::Mapping(items), "setdefault") => {
            let (key, value) = (first?, args.at(1)?);
            let known = items.iter().any(|(known, _)| equal(known, key) == Some(true));
            let mut items = (**items).clone();
            items.push((key.clone(), value.value.clone()));
            (!known).then(|| Value::mapping(items))
        }
        (Value::Mapping(_), "clear" | "popitem") => Some(Value::Unknown),
        _ => None,
    }
}

/// A list with one more element.
fn with<'p>(values: &[Value<'p>], index: usize, value: Value<'p>) -> Value<'p> {
    let mut values = values.to_vec();
    values.insert(index, value);
    Value::sequence(values)
}

fn set<'p>(items: &mut Vec<(Value<'p>, Value<'p>)>, key: Value<'p>, value: Value<'p>) {
    match items.iter_mut().find(|(known, _)| equal(known, &key) == Some(true)) {
        Some((_, old)) => *old = value,
        None => items.push((key, value)),
    }
}

/// Whether a list holds a value, when that is known.
pub(super) fn contains(values: &[Value<'_>], wanted: &Value<'_>) -> Option<bool> {
    let verdicts: Vec<_> = values.iter().map(|value| equal(value, wanted)).collect();
    if verdicts.contains(&Some(true)) {
        Some(true)
    } else if !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == Some(false)) {
        Some(false)
    } else {
        None
    }
}
