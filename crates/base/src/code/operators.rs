//! What stands between two values.

/// An operator between two values, named as in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    /// `@`
    MatrixMultiply,
    Divide,
    FloorDivide,
    Remainder,
    /// `**`
    Power,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Is,
    IsNot,
    In,
    NotIn,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
