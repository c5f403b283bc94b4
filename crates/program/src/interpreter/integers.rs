//! Whole numbers as Python calculates with them, and the order of values.

use crate::code::{Comparison, Operator};
use std::cmp::Ordering;

/// What an operator makes of two whole numbers; `None` where that is no whole number, or a larger one than is followed.
pub(super) fn calculated(operator: Operator, a: i64, b: i64) -> Option<i64> {
    let bits = || u32::try_from(b).ok().filter(|bits| *bits < i64::BITS - 1);
    match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        // Python rounds down, also below zero.
        Operator::FloorDivide => Some(a.checked_div(b)? - i64::from(a % b != 0 && (a < 0) != (b < 0))),
        Operator::Remainder => {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        Operator::Power => a.checked_pow(bits()?),
        Operator::ShiftLeft => a.checked_mul(1_i64.checked_shl(bits()?)?),
        Operator::ShiftRight => Some(a >> bits()?),
        Operator::BitAnd => Some(a & b),
        Operator::BitOr => Some(a | b),
        Operator::BitXor => Some(a ^ b),
        _ => None,
    }
}

/// What `<` and its like say of two values that lie so.
pub(super) fn is_in_order(operator: Comparison, lies: Ordering) -> bool {
    match operator {
        Comparison::Less => lies.is_lt(),
        Comparison::LessOrEqual => lies.is_le(),
        Comparison::Greater => lies.is_gt(),
        _ => lies.is_ge(),
    }
}
