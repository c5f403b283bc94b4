//! Which operators Python refuses for two constants, by their types.

use crate::code::Operator;
use crate::interpreter::Interpreter;
use crate::program::heap::values::Value;

/// The types of Python's constants that operators tell apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConstantKind {
    Number,
    Text,
    None,
    Sequence,
    Mapping,
}

fn constant_kind(value: &Value<'_>) -> Option<ConstantKind> {
    Some(match value {
        Value::Int(..) | Value::Bool(_) => ConstantKind::Number,
        Value::Text(_) => ConstantKind::Text,
        Value::None => ConstantKind::None,
        Value::Sequence(_) => ConstantKind::Sequence,
        Value::Mapping(_) => ConstantKind::Mapping,
        _ => return None,
    })
}

impl<'p> Interpreter<'p> {
    /// Whether Python compares the order of two values by raising: a text and a number, or None and anything.
    pub(super) fn are_unlike(&self, left: &Value<'p>, right: &Value<'p>) -> bool {
        let kinds = constant_kind(&self.contents(left)).zip(constant_kind(&self.contents(right)));
        let has_order = |kind| !matches!(kind, ConstantKind::None | ConstantKind::Mapping);
        self.knows_all()
            && self.is_python_here()
            && kinds.is_some_and(|(left, right)| left != right || !has_order(left))
    }

    /// Whether an operator raises for two constants of these types.
    pub(super) fn takes_no(&self, operator: Operator, left: &Value<'p>, right: &Value<'p>) -> bool {
        use ConstantKind::{Mapping, None, Number, Sequence, Text};
        let Some((left, right)) = constant_kind(left).zip(constant_kind(right)) else { return false };
        let is_taken = match (operator, left, right) {
            (_, Number, Number) | (Operator::BitOr, Mapping, Mapping) => true,
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
