//! Iterators over what nobody has asked for yet: generator expressions, `map`, `filter`, `zip` and their like.

use super::values::{ScopeId, Value};
use crate::code::Comprehension;
use crate::facts::{FileId, Span};

#[derive(Debug)]
pub struct Stream<'p> {
    pub source: Source<'p>,
    /// The scope that keeps how far it has come.
    pub state: ScopeId,
}

/// Where the elements of a stream come from.
#[derive(Debug)]
pub enum Source<'p> {
    /// A generator expression: it is evaluated in the namespace in which it stands.
    Expression {
        comprehension: &'p Comprehension<'p>,
        file: FileId,
        scope: ScopeId,
        /// Its first collection is looked up when it is made.
        first: Value<'p>,
        span: Span,
    },
    /// `field(default_factory=function)`: each object gets its own.
    Factory(Value<'p>),
    /// `map` and `filter`.
    Calls { function: Value<'p>, columns: Vec<Value<'p>>, keeps: StreamOutput },
    /// `iter(collection)`
    Elements(Value<'p>),
    /// `zip`, of iterators.
    Zip(Vec<Value<'p>>),
    /// `enumerate`: an iterator, and the first number.
    Numbered(Value<'p>, i64),
    /// `itertools.chain`: one iterator behind the other.
    Chain(Vec<Value<'p>>),
    /// `itertools.islice`: so many elements of an iterator.
    First(Value<'p>, usize),
}

/// What calls make of the elements of an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamOutput {
    /// What they return.
    Results,
    /// The elements for which they return something true.
    Elements,
    /// Some of the elements.
    Some,
    /// The same; from the first for which it is decided, no other is asked about.
    Until,
}
