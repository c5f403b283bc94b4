//! Sets: each element once, in an order that nobody knows unless all are small numbers.

use super::super::Interpreter;
use super::super::calls::Args;
use super::super::statements::equal;
use crate::facts::Span;
use crate::program::heap::values::{ScopeId, Value};

/// The name that a collection has which is no list: a set, a queue, a stack of contexts. Under it a set holds True.
pub(in crate::interpreter) const NO_LIST: &str = "the collection is no list";

impl<'p> Interpreter<'p> {
    /// A new set of these values.
    pub(in crate::interpreter) fn new_set(&mut self, values: Option<Vec<Value<'p>>>) -> Value<'p> {
        let held = values.and_then(|values| self.each_once(values)).unwrap_or(Value::Unknown);
        let made = self.collection(held);
        if let Value::Collection(scope) = made {
            self.bind_in(scope, NO_LIST, Value::Bool(true));
        }
        made
    }

    pub(in crate::interpreter) fn is_set(&self, collection: ScopeId) -> bool {
        matches!(self.in_scope(collection, NO_LIST), Some(Value::Bool(true)))
    }

    /// What a set holds: of equal elements the first. `None` where nobody knows whether two are equal.
    fn each_once(&mut self, values: Vec<Value<'p>>) -> Option<Value<'p>> {
        let mut kept: Vec<Value<'p>> = Vec::with_capacity(values.len());
        for value in values {
            if !self.is_element(&kept, &value)? {
                kept.push(value);
            }
        }
        Some(Value::sequence(as_ordered(kept)))
    }

    /// Whether an element is there already.
    fn is_element(&mut self, kept: &[Value<'p>], value: &Value<'p>) -> Option<bool> {
        let mut is_sure = true;
        for known in kept {
            let same = match (known, value) {
                (Value::Instance(_), Value::Instance(_)) => self.is_one_key(known, value),
                (Value::Unknown | Value::Outside(_), _) | (_, Value::Unknown | Value::Outside(_)) => None,
                // Whatever is not known of these, it is no object of another kind.
                (Value::Instance(_), _) | (_, Value::Instance(_)) => Some(false),
                _ => equal(known, value),
            };
            match same {
                Some(true) => return Some(true),
                Some(false) => {}
                None => is_sure = false,
            }
        }
        is_sure.then_some(false)
    }

    /// What a set holds after a method that changes it, and what that method gives.
    pub(super) fn changed_set(
        &mut self,
        values: &[Value<'p>],
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<(Value<'p>, Value<'p>)> {
        let first = args.at(0).map(|argument| argument.value.clone());
        let after = match (name, first) {
            ("add", Some(value)) => self.each_once([values, &[value]].concat()),
            ("update", Some(_)) => {
                let mut all = Some(values.to_vec());
                for more in &args.items {
                    let more = self.iterate_all(more.value.clone(), span);
                    all = all.zip(self.elements(&more)).map(|(all, more)| [all, more].concat());
                }
                all.and_then(|all| self.each_once(all))
            }
            ("pop", None) => {
                return Some(match values {
                    [] => {
                        self.seems_to_raise();
                        (Value::Unknown, Value::Unknown)
                    }
                    [last] => (Value::sequence(Vec::new()), last.clone()),
                    // Which one is taken depends on the hashes.
                    _ => (Value::Unknown, Value::one_of(values.iter().cloned())),
                });
            }
            ("remove" | "discard", Some(value)) => match self.is_element(values, &value) {
                Some(true) => {
                    let others = values.iter().filter(|known| equal(known, &value) != Some(true));
                    let is_other = |known: &&Value<'p>| self.is_one_object(known, &value) != Some(true);
                    Some(Value::sequence(others.filter(is_other).cloned().collect()))
                }
                Some(false) if name == "discard" => {
                    return Some((Value::sequence(values.to_vec()), Value::None));
                }
                Some(false) => {
                    self.seems_to_raise();
                    None
                }
                None => None,
            },
            ("clear", None) => Some(Value::sequence(Vec::new())),
            ("difference_update" | "intersection_update" | "symmetric_difference_update", _) => None,
            _ => return None,
        };
        Some((after.unwrap_or(Value::Unknown), Value::None))
    }

    /// All elements of a value, in the order in which it gives them.
    pub(in crate::interpreter) fn iterate_in_order(&mut self, value: Value<'p>, span: Span) -> Value<'p> {
        match self.is_out_of_order(&value) {
            true => self.in_order(&value),
            false => self.iterate_all(value, span),
        }
    }

    /// What asks a value for one element after the other finds: of a set whose order is not known, each may be any.
    pub(in crate::interpreter) fn in_order(&self, value: &Value<'p>) -> Value<'p> {
        let contents = self.contents(value);
        match (value, &contents) {
            (Value::Collection(scope), Value::Sequence(values))
                if !has_order(values) && self.is_set(*scope) =>
            {
                Value::sequence(vec![Value::one_of(values.iter().cloned()); values.len()])
            }
            _ => contents,
        }
    }

    /// Whether a value is a set whose order is not known.
    pub(in crate::interpreter) fn is_out_of_order(&self, value: &Value<'p>) -> bool {
        let Value::Collection(scope) = value else { return false };
        self.is_set(*scope) && matches!(self.contents(value), Value::Sequence(values) if !has_order(&values))
    }
}

/// Whether CPython goes over these elements of a set in the order in which they are kept.
fn has_order(values: &[Value<'_>]) -> bool {
    values.len() < 2 || are_small(values)
}

/// Small numbers lie in the table of a set in their order: each is its own hash, and the table has room for more than these.
fn are_small(values: &[Value<'_>]) -> bool {
    let room = if values.len() < 5 { 8 } else { 32 };
    values.iter().all(|value| matches!(value, Value::Int(number, _) if (0..room).contains(number)))
}

fn as_ordered(mut values: Vec<Value<'_>>) -> Vec<Value<'_>> {
    if are_small(&values) {
        values.sort_by_key(|value| match value {
            Value::Int(number, _) => *number,
            _ => 0,
        });
    }
    values
}
