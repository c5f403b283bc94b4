//! Floats, and which operators Python refuses for two constants, by their types.

use crate::code::Operator;
use crate::facts::Span;
use crate::interpreter::Interpreter;
use crate::interpreter::calls::Args;
use crate::program::heap::floats::{as_float, calculated, rounded, truncated};
use crate::program::heap::values::Value;

/// The types of Python's constants that operators tell apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConstantKind {
    Number,
    Float,
    Text,
    None,
    Sequence,
    Mapping,
}

fn constant_kind(value: &Value<'_>) -> Option<ConstantKind> {
    Some(match value {
        Value::Int(..) | Value::Bool(_) => ConstantKind::Number,
        Value::Float(_) => ConstantKind::Float,
        Value::Text(_) => ConstantKind::Text,
        Value::None => ConstantKind::None,
        Value::Sequence(_) => ConstantKind::Sequence,
        Value::Mapping(_) => ConstantKind::Mapping,
        _ => return None,
    })
}

impl<'p> Interpreter<'p> {
    /// What `int`, `float`, `abs` and `round` make of a number, where a float has to do with it.
    pub(in crate::interpreter) fn number_made(
        &mut self,
        name: &str,
        value: &Value<'p>,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let whole = |run: &Self, number: Option<i64>| {
            number.map_or(Value::Unknown, |number| Value::Int(number, run.place(span)))
        };
        Some(match (name, value, args.at(1).map(|digits| &digits.value)) {
            ("float", Value::Text(text), None) => {
                let number = text.text.trim().parse::<f64>().ok()?;
                Some(number).filter(|number| number.is_finite()).map_or(Value::Unknown, Value::Float)
            }
            ("float", number, None) => Value::Float(as_float(number)?),
            ("int", Value::Float(number), None) => whole(self, truncated(*number)),
            ("abs", Value::Float(number), None) => Value::Float(number.abs()),
            ("round", Value::Int(..), None) => value.clone(),
            ("round", Value::Float(number), None) => whole(self, rounded(*number, 0).and_then(truncated)),
            ("round", Value::Float(number), Some(Value::Int(digits @ 0.., _))) => {
                rounded(*number, usize::try_from(*digits).ok()?).map_or(Value::Unknown, Value::Float)
            }
            ("round", Value::Float(_), Some(_)) => Value::Unknown,
            _ => return None,
        })
    }

    /// A number with a fraction, as it is written.
    pub(in crate::interpreter) fn float_literal(&mut self, span: Span) -> Value<'p> {
        let text = self.program.sources.text(self.place(span)).replace('_', "");
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && self.is_python_here() => Value::Float(number),
            _ => Value::Outside(self.paths.id("builtins.float()")),
        }
    }

    /// What an operator makes of two numbers where that is a float.
    pub(super) fn calculated_as_floats(
        &mut self,
        operator: Operator,
        left: &Value<'p>,
        right: &Value<'p>,
    ) -> Option<Value<'p>> {
        let is_float = matches!((left, right), (Value::Float(_), _) | (_, Value::Float(_)));
        let (a, b) = as_float(left).zip(as_float(right))?;
        if !is_float && operator != Operator::Divide || !self.is_python_here() {
            return None;
        }
        let divides = matches!(operator, Operator::Divide | Operator::FloorDivide | Operator::Remainder);
        if divides && b == 0.0 || self.takes_no(operator, left, right) {
            return Some(self.raises());
        }
        Some(calculated(operator, a, b).map_or(Value::Unknown, Value::Float))
    }

    /// Whether Python compares the order of two values by raising: a text and a number, or None and anything.
    pub(super) fn are_unlike(&self, left: &Value<'p>, right: &Value<'p>) -> bool {
        let kinds = constant_kind(&self.contents(left)).zip(constant_kind(&self.contents(right)));
        let has_order = |kind| !matches!(kind, ConstantKind::None | ConstantKind::Mapping);
        let are_numbers = |one, other| is_number(one) && is_number(other);
        self.knows_all()
            && self.is_python_here()
            && kinds
                .is_some_and(|(left, right)| left != right && !are_numbers(left, right) || !has_order(left))
    }

    /// Whether an operator raises for two constants of these types.
    pub(super) fn takes_no(&self, operator: Operator, left: &Value<'p>, right: &Value<'p>) -> bool {
        use ConstantKind::{Float, Mapping, None, Number, Sequence, Text};
        let Some((left, right)) = constant_kind(left).zip(constant_kind(right)) else { return false };
        let of_bits = matches!(
            operator,
            Operator::BitAnd
                | Operator::BitOr
                | Operator::BitXor
                | Operator::ShiftLeft
                | Operator::ShiftRight
        );
        let is_taken = match (operator, left, right) {
            (_, Float, one) | (_, one, Float)
                if of_bits || !is_number(one) && !matches!((operator, left), (Operator::Remainder, Text)) =>
            {
                false
            }
            (_, one, other) if is_number(one) && is_number(other) => true,
            (Operator::BitOr, Mapping, Mapping) => true,
            (Operator::Add, _, _) => left == right && left != None && left != Mapping,
            (Operator::Multiply, Number, Text | Sequence) | (Operator::Multiply, Text | Sequence, Number) => {
                true
            }
            // Formats, paths, and sets.
            (Operator::Remainder, Text, _) | (Operator::Divide, Text, Text) => true,
            (_, Sequence, Sequence) => true,
            _ => false,
        };
        !is_taken && self.knows_all() && self.is_python_here()
    }
}

fn is_number(kind: ConstantKind) -> bool {
    matches!(kind, ConstantKind::Number | ConstantKind::Float)
}
