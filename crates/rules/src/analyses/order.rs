//! Which of two expressions of a file runs first, where the text alone says so.

use crate::code::walk::{Ancestor, functions_around};
use crate::facts::Span;

/// Where something stands, and the function and branches around it.
#[derive(Clone)]
pub(super) struct PlaceInFunction {
    pub span: Span,
    /// The function that it stands in.
    pub home: Option<usize>,
    /// The branches that it stands in: where their tests stand, and whether it is the arm of the test.
    pub arms: Vec<(Span, bool)>,
}

impl PlaceInFunction {
    pub fn of(span: Span, around: &[Ancestor<'_, '_>]) -> PlaceInFunction {
        let home = functions_around(around).next_back();
        let arms = around.iter().filter_map(|one| match one {
            Ancestor::Then(test) => Some((test.span, true)),
            Ancestor::Otherwise(test) => Some((test.span, false)),
            _ => None,
        });
        PlaceInFunction { span, home, arms: arms.collect() }
    }

    /// Whether this surely ran when the other does: in the same function, above it, and in no branch that it is not in.
    pub fn precedes(&self, other: &PlaceInFunction) -> bool {
        self.home == other.home
            && self.span.end <= other.span.start
            && self.arms.iter().all(|arm| other.arms.contains(arm))
    }
}
