//! Parts and copies of collections: slices, the views of a dictionary, and what `copy.copy` and `copy.deepcopy` make.

use super::Interpreter;
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::program::heap::values::{DictView, ScopeId, Value};
use rustc_hash::FxHashMap;

/// A copy of more objects than this is not followed.
const MOST_COPIED: usize = 64;

impl<'p> Interpreter<'p> {
    /// What a view of a dictionary shows of it.
    pub(super) fn shown(&self, dictionary: ScopeId, part: DictView) -> Value<'p> {
        let held = self.contents(&Value::Collection(dictionary));
        Value::one_of(held.alternatives().iter().map(|held| match held {
            Value::Mapping(items) => part_of(items, part),
            _ => Value::Unknown,
        }))
    }

    /// `container[first:last:step]`; `None` when the key is no slice.
    pub(super) fn slice(
        &mut self,
        container: &Value<'p>,
        key: &'p Expr<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let bounds = self.bounds(key)?;
        let whole = self.force(container.clone());
        let held = self.contents(&whole);
        match (bounds, &held) {
            (Some(bounds), Value::Sequence(values)) => {
                let part = Value::sequence(within(values, bounds)?);
                Some(if matches!(whole, Value::Collection(_)) { self.collection(part) } else { part })
            }
            (Some(bounds), Value::Text(text)) if self.is_python_here() => {
                let letters: Vec<char> = text.text.chars().collect();
                let part: String = within(&letters, bounds)?.into_iter().collect();
                Some(Value::text(part, self.place(span)))
            }
            (_, Value::Instance(_)) => None,
            (_, Value::Outside(path)) => {
                let path = *path;
                self.apply_subscript_effects(path, &Value::Unknown, span);
                Some(Value::Unknown)
            }
            // Nobody knows which of what it holds the part shares.
            (_, Value::Sequence(values)) => {
                values.iter().for_each(|value| self.hand_out(value));
                Some(Value::Unknown)
            }
            _ => Some(Value::Unknown),
        }
    }

    /// The bounds of a slice, each absent where nothing stands; evaluates them. The outer `None`: this is no slice. The inner:
    /// one of them is not known.
    fn bounds(&mut self, key: &'p Expr<'p>) -> Option<Option<[Option<i64>; 3]>> {
        let ExprKind::Unknown(parts) = &key.kind else { return None };
        let text = self.program.sources.text(self.place(key.span));
        let colons = |start: usize, end: usize| {
            let between = text.get(
                start.checked_sub(key.span.start as usize)?..end.checked_sub(key.span.start as usize)?,
            )?;
            Some(between.matches(':').count())
        };
        let (mut at, mut which) = (key.span.start as usize, 0);
        let mut places = Vec::with_capacity(parts.len());
        for part in parts {
            which += colons(at, part.span.start as usize)?;
            places.push(which);
            at = part.span.end as usize;
        }
        let count = which + colons(at, key.span.end as usize)?;
        if !(1..=2).contains(&count) || places.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let (mut bounds, mut is_known) = ([None; 3], true);
        for (part, place) in parts.iter().zip(places) {
            match self.eval(part) {
                Value::Int(bound, _) => bounds[place] = Some(bound),
                Value::None => {}
                _ => is_known = false,
            }
        }
        Some(is_known.then_some(bounds))
    }

    /// `copy.copy(value)`: another object that holds the same.
    pub(super) fn copied(&mut self, value: &Value<'p>, span: Span) -> Value<'p> {
        match value {
            Value::Collection(_) => {
                let contents = self.contents(value);
                self.collection_like(&[value], contents)
            }
            Value::Instance(instance) => {
                if let Some(made) = self.special(value, "__copy__", Vec::new(), span) {
                    return made;
                }
                if let Some(made) = self.copied_by_state(instance, span) {
                    return made;
                }
                let held = self.heap.names(instance.scope);
                let (copy, scope) = self.new_instance(&instance.class);
                held.into_iter().for_each(|(name, value)| self.bind_in(scope, name, value));
                copy
            }
            Value::OneOf(values) => Value::one_of(values.iter().map(|value| self.copied(value, span))),
            value => value.clone(),
        }
    }

    /// `copy.deepcopy(value)`: another object, and others for all that it holds.
    pub(super) fn deeply_copied(&mut self, value: &Value<'p>, span: Span) -> Value<'p> {
        self.copied_with(value, &mut FxHashMap::default(), span)
    }

    fn copied_with(
        &mut self,
        value: &Value<'p>,
        known: &mut FxHashMap<ScopeId, Value<'p>>,
        span: Span,
    ) -> Value<'p> {
        match value {
            Value::Collection(scope) | Value::View(scope, _) if known.contains_key(scope) => {
                known[scope].clone()
            }
            Value::Instance(instance) if known.contains_key(&instance.scope) => {
                known[&instance.scope].clone()
            }
            Value::Collection(_) | Value::Instance(_) if known.len() >= MOST_COPIED => Value::Unknown,
            Value::Collection(scope) => {
                let copy = self.new_scope(None, false);
                known.insert(*scope, Value::Collection(copy));
                let contents = self.contents(value);
                let contents = self.copied_with(&contents, known, span);
                self.bind_in(copy, crate::program::heap::CONTENTS, contents);
                self.copy_kind(*scope, copy);
                Value::Collection(copy)
            }
            Value::Instance(instance) => {
                if let Some(made) = self.special(value, "__deepcopy__", vec![Value::Unknown], span) {
                    return made;
                }
                if let Some(made) = self.copied_by_state(instance, span) {
                    return made;
                }
                let mut held = self.heap.names(instance.scope);
                held.sort_by_key(|(name, _)| *name);
                let (copy, scope) = self.new_instance(&instance.class);
                known.insert(instance.scope, copy.clone());
                for (name, value) in held {
                    let value = self.copied_with(&value, known, span);
                    self.bind_in(scope, name, value);
                }
                copy
            }
            Value::Sequence(values) => {
                Value::sequence(values.iter().map(|value| self.copied_with(value, known, span)).collect())
            }
            Value::Mapping(items) => {
                let items = items.iter().map(|(key, value)| {
                    (self.copied_with(key, known, span), self.copied_with(value, known, span))
                });
                Value::mapping(items.collect())
            }
            Value::OneOf(values) => {
                Value::one_of(values.iter().map(|value| self.copied_with(value, known, span)))
            }
            value => value.clone(),
        }
    }
}

/// What a view shows of the items of a dictionary.
fn part_of<'p>(items: &[(Value<'p>, Value<'p>)], part: DictView) -> Value<'p> {
    let shown = |(key, value): &(Value<'p>, Value<'p>)| match part {
        DictView::Keys => key.clone(),
        DictView::Values => value.clone(),
        DictView::Items => Value::sequence(vec![key.clone(), value.clone()]),
    };
    Value::sequence(items.iter().map(shown).collect())
}

/// The elements that a slice takes, as Python does; `None` for a step of 0, which raises.
fn within<T: Clone>(values: &[T], [first, last, step]: [Option<i64>; 3]) -> Option<Vec<T>> {
    let (length, step) = (values.len() as i64, step.unwrap_or(1));
    let ends = match step {
        0 => return None,
        1.. => (0, length),
        _ => (-1, length - 1),
    };
    let clamped = |bound: i64| (if bound < 0 { bound + length } else { bound }).clamp(ends.0, ends.1);
    let (start, stop) = match step > 0 {
        true => (first.map_or(0, clamped), last.map_or(length, clamped)),
        false => (first.map_or(length - 1, clamped), last.map_or(-1, clamped)),
    };
    let mut taken = Vec::new();
    let mut at = start;
    while if step > 0 { at < stop } else { at > stop } {
        taken.push(values.get(usize::try_from(at).ok()?)?.clone());
        at = at.checked_add(step)?;
    }
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn slices_are_those_of_python() {
        let values = [0, 1, 2, 3];
        let slice = |bounds| within(&values, bounds).expect("a step");
        assert_eq!(slice([Some(1), None, None]), [1, 2, 3]);
        assert_eq!(slice([None, Some(-1), None]), [0, 1, 2]);
        assert_eq!(slice([Some(-9), Some(9), Some(2)]), [0, 2]);
        assert_eq!(slice([None, None, Some(-1)]), [3, 2, 1, 0]);
        assert_eq!(slice([Some(2), Some(0), Some(-1)]), [2, 1]);
        assert_eq!(slice([Some(3), Some(1), None]), [0; 0]);
    }
}
