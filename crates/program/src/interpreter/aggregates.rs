//! Builtins that put the elements of something in order, choose one of them or add them up, and arithmetic by name.

use super::calls::Args;
use super::loops::MOST_ELEMENTS;
use super::{Flow, Interpreter};
use crate::code::{Comparison, Operator};
use crate::facts::Span;
use crate::program::heap::floats::as_float;
use crate::program::heap::values::{Text, Value};
use std::cmp::Ordering;
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    /// `sum`, `max` and `min`, where all elements are known.
    pub(super) fn aggregate(
        &mut self,
        name: &str,
        value: Value<'p>,
        args: &Args<'p>,
        span: Span,
    ) -> Value<'p> {
        let several = name != "sum" && args.at(1).is_some();
        let elements = if several {
            Some(args.items.iter().map(|argument| self.force(argument.value.clone())).collect())
        } else {
            let value = self.iterate_all(value, span);
            self.elements(&value)
        };
        let start =
            args.get(Some(1), Some("start")).filter(|_| name == "sum").map(|argument| &argument.value);
        let is_plain = !args.open && (several || args.items.len() == 1 + usize::from(start.is_some()));
        let Some(elements) = elements.filter(|_| is_plain) else { return Value::Unknown };
        if elements.iter().any(|element| matches!(element, Value::Instance(_))) {
            let all = start.cloned().into_iter().chain(elements).collect();
            return self.folded_by_methods(name, all, start.is_some(), span);
        }
        if name != "sum" {
            return best(&elements, name == "max").map_or(Value::Unknown, |at| elements[at].clone());
        }
        let sum = start.into_iter().chain(&elements).try_fold(0i64, |sum, element| match element {
            Value::Int(number, _) => sum.checked_add(*number),
            Value::Bool(truth) => sum.checked_add(i64::from(*truth)),
            _ => None,
        });
        sum.map_or(Value::Unknown, |sum| Value::Int(sum, self.place(span)))
    }

    /// The same of objects, whose methods are called as Python does.
    fn folded_by_methods(
        &mut self,
        name: &str,
        values: Vec<Value<'p>>,
        has_start: bool,
        span: Span,
    ) -> Value<'p> {
        let begin = (name == "sum" && !has_start).then(|| Value::Int(0, self.place(span)));
        let mut values = begin.into_iter().chain(values).take(MOST_ELEMENTS);
        let Some(mut result) = values.next() else { return Value::Unknown };
        for value in values {
            result = match name {
                "sum" => self.binary(Operator::Add, result, value, span),
                _ => {
                    let operator = if name == "max" { Comparison::Greater } else { Comparison::Less };
                    let said = self.compare(operator, value.clone(), result.clone());
                    match self.truth(&said) {
                        Some(true) => value,
                        Some(false) => result,
                        None => Value::one_of([result, value]),
                    }
                }
            };
            if self.flow != Flow::Next {
                return Value::Unknown;
            }
        }
        result
    }

    /// The elements in their order, where objects are asked by `__lt__`; `None` where that says nothing.
    pub(super) fn sorted_by_methods(&mut self, values: Vec<Value<'p>>) -> Option<Vec<Value<'p>>> {
        let asks = |value: &Value<'_>| matches!(value, Value::Instance(_));
        if values.len() > MOST_ELEMENTS || !values.iter().any(asks) {
            return sorted(values);
        }
        let mut ordered: Vec<Value<'p>> = Vec::with_capacity(values.len());
        for value in values {
            let mut at = ordered.len();
            while at > 0 {
                let said = self.compare(Comparison::Less, value.clone(), ordered[at - 1].clone());
                if self.flow != Flow::Next {
                    return None;
                }
                match self.truth(&said)? {
                    true => at -= 1,
                    false => break,
                }
            }
            ordered.insert(at, value);
        }
        Some(ordered)
    }

    /// `sorted`, `max` and `min` by what a function gives for each element.
    pub(super) fn ordered_by(
        &mut self,
        name: &str,
        key: &Value<'p>,
        args: &Args<'p>,
        span: Span,
    ) -> Value<'p> {
        let backwards = args.keyword("reverse").map(|argument| argument.value.truth());
        let is_plain = args.items.len() == 2 + usize::from(backwards.is_some()) && !args.open;
        let value = args.at(0).map_or(Value::Unknown, |argument| argument.value.clone());
        let known = self.elements(&value).filter(|elements| elements.len() <= MOST_ELEMENTS);
        let Some(elements) = known.filter(|_| is_plain && backwards != Some(None)) else {
            self.call_with_each(key, args, span);
            return if name == "sorted" { self.collection(Value::Unknown) } else { Value::Unknown };
        };
        let mut keys = Vec::with_capacity(elements.len());
        for element in &elements {
            let given = self.call(key.clone(), Args::positional(vec![element.clone()], span), span);
            if self.flow != Flow::Next {
                return Value::Unknown;
            }
            keys.push(self.force(given));
        }
        // Of a set nobody knows which of two equal ones comes first.
        let is_clear = |at: usize| (0..at).all(|other| compared(&keys[at], &keys[other]) != Ordering::Equal);
        let is_clear = are_comparable(&keys) && (0..keys.len()).all(is_clear);
        if name != "sorted" {
            let best = best(&keys, name == "max").filter(|_| is_clear);
            return best.map_or(Value::Unknown, |at| elements[at].clone());
        }
        if !is_clear {
            return self.collection(Value::Unknown);
        }
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&one, &other| {
            let order = compared(&keys[one], &keys[other]);
            if backwards == Some(Some(true)) { order.reverse() } else { order }
        });
        self.collection(Value::sequence(order.into_iter().map(|at| elements[at].clone()).collect()))
    }

    /// `sorted(values, key=function)`: the function is called with each of the values, if there is one.
    pub(super) fn call_with_each(&mut self, function: &Value<'p>, args: &Args<'p>, span: Span) {
        let Some(values) = args.at(0).map(|argument| argument.value.clone()) else { return };
        let values = self.iterate_all(values, span);
        match self.elements(&values).filter(|elements| elements.len() <= MOST_ELEMENTS) {
            Some(elements) => {
                for element in elements {
                    drop(self.call(function.clone(), Args::positional(vec![element], span), span));
                }
            }
            None => self.call_often(function, span),
        }
    }

    /// `int("0x10", 16)`
    pub(super) fn number_in_base(&mut self, text: &Text<'p>, args: &Args<'p>) -> Value<'p> {
        let Some(Value::Int(base, _)) = args.get(Some(1), Some("base")).map(|argument| &argument.value)
        else {
            return Value::Unknown;
        };
        let prefixes = match base {
            2 => ["0b", "0B"],
            8 => ["0o", "0O"],
            10 => ["", ""],
            16 => ["0x", "0X"],
            _ => return Value::Unknown,
        };
        let digits = text.text.trim();
        let digits = prefixes.iter().find_map(|prefix| digits.strip_prefix(prefix)).unwrap_or(digits);
        let is_plain = digits.bytes().all(|digit| digit.is_ascii_alphanumeric());
        match i64::from_str_radix(digits, *base as u32) {
            Ok(number) if is_plain => Value::Int(number, text.place),
            _ => Value::Unknown,
        }
    }

    /// `divmod(11, 8)`
    pub(super) fn quotient_and_rest(&mut self, number: i64, args: &Args<'p>, span: Span) -> Value<'p> {
        match args.at(1).map(|argument| &argument.value) {
            Some(Value::Int(by @ 1.., _)) => {
                let place = self.place(span);
                let parts = [number.div_euclid(*by), number.rem_euclid(*by)];
                Value::sequence(parts.map(|part| Value::Int(part, place)).to_vec())
            }
            _ => Value::Unknown,
        }
    }
}

/// Where the largest or smallest of some texts, or integers, stands first.
fn best(values: &[Value<'_>], largest: bool) -> Option<usize> {
    if !are_comparable(values) {
        return None;
    }
    let better = if largest { Ordering::Greater } else { Ordering::Less };
    (0..values.len()).reduce(
        |found, at| {
            if compared(&values[at], &values[found]) == better { at } else { found }
        },
    )
}

/// Whether all are texts, or all integers: others Python may order otherwise.
fn are_comparable(values: &[Value<'_>]) -> bool {
    let parts = values.iter().map(|value| match value {
        Value::Sequence(parts) => Some(parts),
        _ => None,
    });
    values.iter().all(|value| matches!(value, Value::Int(..)))
        || values.iter().all(|value| as_float(value).is_some())
        || values.iter().all(|value| matches!(value, Value::Text(_)))
        || parts.collect::<Option<Vec<_>>>().is_some_and(|tuples| are_comparable_tuples(&tuples))
}

/// Tuples of the same length whose parts are texts, or integers, in the same places.
fn are_comparable_tuples(tuples: &[&Rc<Vec<Value<'_>>>]) -> bool {
    let Some(first) = tuples.first() else { return false };
    let is_one_kind = |at: usize| {
        tuples.iter().all(|tuple| matches!(tuple.get(at), Some(Value::Int(..))))
            || tuples.iter().all(|tuple| matches!(tuple.get(at), Some(Value::Text(_))))
    };
    tuples.iter().all(|tuple| tuple.len() == first.len()) && (0..first.len()).all(is_one_kind)
}

fn compared(one: &Value<'_>, other: &Value<'_>) -> Ordering {
    match (one, other) {
        (Value::Int(one, _), Value::Int(other, _)) => one.cmp(other),
        _ if let (Some(one), Some(other)) = (as_float(one), as_float(other)) => one.total_cmp(&other),
        (Value::Text(one), Value::Text(other)) => one.text.cmp(&other.text),
        (Value::Sequence(one), Value::Sequence(other)) => {
            let parts = one.iter().zip(other.iter()).map(|(one, other)| compared(one, other));
            parts.fold(Ordering::Equal, Ordering::then)
        }
        _ => Ordering::Equal,
    }
}

/// Texts, or integers, in their order; `None` for what Python may order otherwise.
pub(super) fn sorted(mut values: Vec<Value<'_>>) -> Option<Vec<Value<'_>>> {
    if values.len() > 1 && !are_comparable(&values) {
        return None;
    }
    values.sort_by(compared);
    Some(values)
}
