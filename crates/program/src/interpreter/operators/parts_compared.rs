//! Lists, tuples and sets beside each other: whether they are equal, which comes first, and what two sets have together.

use crate::code::{Comparison, Operator};
use crate::program::heap::values::Value;
use crate::program::interpreter::Interpreter;
use crate::program::interpreter::loops::MOST_ELEMENTS;
use crate::program::interpreter::statements::equal;

/// What lies deeper in two values is not compared: either may lie in itself.
const DEEPEST: usize = 4;

/// What a value is whose parts are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    List,
    Tuple,
    Set,
}

impl<'p> Interpreter<'p> {
    /// What an operator makes of two sets; `None` where these are others, or are not known.
    pub(super) fn made_of_sets(
        &mut self,
        operator: Operator,
        left: &Value<'p>,
        right: &Value<'p>,
    ) -> Option<Value<'p>> {
        let ((Sort::Set, one), (Sort::Set, other)) = (self.parts_told(left)?, self.parts_told(right)?) else {
            return None;
        };
        let (mut both, mut only_here) = (Vec::new(), Vec::new());
        for value in &one {
            match is_among(value, &other)? {
                true => both.push(value.clone()),
                false => only_here.push(value.clone()),
            }
        }
        let mut only_there = Vec::new();
        for value in &other {
            if !is_among(value, &one)? {
                only_there.push(value.clone());
            }
        }
        let made = match operator {
            Operator::BitAnd => both,
            Operator::BitOr => [one, only_there].concat(),
            Operator::BitXor => [only_here, only_there].concat(),
            Operator::Subtract => only_here,
            _ => return None,
        };
        Some(self.new_set(Some(made)))
    }

    /// What a comparison says of two lists, tuples or sets: `None` where it does not compare such, nothing inside where that is
    /// not known.
    pub(super) fn compared_by_parts(
        &mut self,
        depth: usize,
        operator: Comparison,
        left: &Value<'p>,
        right: &Value<'p>,
    ) -> Option<Option<bool>> {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        if !matches!(operator, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
            || !self.is_python_here()
        {
            return None;
        }
        let ((one_sort, one), (other_sort, other)) = (self.parts_told(left)?, self.parts_told(right)?);
        if one_sort != other_sort {
            return None;
        }
        if one_sort == Sort::Set {
            let said = compared_as_sets(operator, &one, &other);
            return Some(said);
        }
        for (a, b) in one.iter().zip(&other) {
            match (self.compare_inside(depth, Equal, a.clone(), b.clone()), operator) {
                (Some(true), _) => {}
                (Some(false), Equal) => return Some(Some(false)),
                (Some(false), NotEqual) => return Some(Some(true)),
                (Some(false), _) => return Some(self.compare_inside(depth, operator, a.clone(), b.clone())),
                // Another length says that they differ, whatever is in them.
                (None, Equal | NotEqual) if one.len() != other.len() => break,
                (None, _) => return Some(None),
            }
        }
        let (here, there) = (one.len(), other.len());
        Some(Some(match operator {
            Equal => here == there,
            NotEqual => here != there,
            Less => here < there,
            LessOrEqual => here <= there,
            Greater => here > there,
            _ => here >= there,
        }))
    }

    /// What a comparison says of parts of two values that lie so deep themselves.
    pub(in crate::interpreter) fn compare_inside(
        &mut self,
        depth: usize,
        operator: Comparison,
        one: Value<'p>,
        other: Value<'p>,
    ) -> Option<bool> {
        if depth >= DEEPEST {
            return None;
        }
        let said = self.compare_at(depth + 1, operator, one, other);
        self.truth(&said)
    }

    /// The parts of a list, tuple or set that are all known. An empty one stands for what somebody fills who is not followed.
    fn parts_told(&mut self, value: &Value<'p>) -> Option<(Sort, Vec<Value<'p>>)> {
        let sort = match value {
            Value::Instance(object) => return Some((Sort::Tuple, self.parts_of_tuple(object)?)),
            // Or a queue, which no operator of sets takes.
            Value::Collection(scope) if self.is_no_list(*scope) => Sort::Set,
            Value::Collection(_) => Sort::List,
            Value::Sequence(_) => Sort::Tuple,
            _ => return None,
        };
        match self.contents(value) {
            Value::Sequence(parts) if !parts.is_empty() && parts.len() <= MOST_ELEMENTS => {
                Some((sort, parts.to_vec()))
            }
            _ => None,
        }
    }
}

/// Whether a value is one of those; `None` where nobody knows.
fn is_among(value: &Value<'_>, values: &[Value<'_>]) -> Option<bool> {
    let said = values.iter().map(|other| equal(value, other));
    let said: Vec<Option<bool>> = said.collect();
    match said.contains(&Some(true)) {
        true => Some(true),
        false => said.iter().all(Option::is_some).then_some(false),
    }
}

fn compared_as_sets(operator: Comparison, one: &[Value<'_>], other: &[Value<'_>]) -> Option<bool> {
    let all_in = |some: &[Value<'_>], those: &[Value<'_>]| {
        let each = some.iter().map(|value| is_among(value, those));
        each.collect::<Option<Vec<_>>>().map(|each| each.into_iter().all(|is_in| is_in))
    };
    let (is_below, is_above) = (all_in(one, other)?, all_in(other, one)?);
    Some(match operator {
        Comparison::Equal => is_below && is_above,
        Comparison::NotEqual => !(is_below && is_above),
        Comparison::Less => is_below && !is_above,
        Comparison::LessOrEqual => is_below,
        Comparison::Greater => is_above && !is_below,
        _ => is_above,
    })
}
