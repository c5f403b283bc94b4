//! Operators between two values, and the texts that values make together.

mod bare_classes;
mod identity;
mod numbers;
mod parts_compared;

use super::Interpreter;
use super::classes::brings_nothing;
use super::dictionaries::merged;
use super::integers::{calculated, is_in_order};
use super::loops::MOST_ELEMENTS;
use super::statements::equal;
use crate::code::{Comparison, Operator};
use crate::facts::Span;
use crate::program::heap::floats::as_float;
use crate::program::heap::values::{LONGEST, Value, agreed};
use crate::program::summaries::Dependency;

impl<'p> Interpreter<'p> {
    /// Whether a value counts as true. An object is asked by `__bool__`, or by `__len__` where its class has no other.
    pub(super) fn asked_truth(&mut self, value: &Value<'p>, span: Span) -> Option<bool> {
        let said = self
            .special(value, "__bool__", Vec::new(), span)
            .or_else(|| self.special(value, "__len__", Vec::new(), span));
        match said {
            Some(said) => {
                let said = self.force(said);
                self.truth(&said)
            }
            None => match value {
                Value::Instance(object) => self.have_bases(&object.class, &is_plainly_true).then_some(true),
                value => self.truth(value),
            },
        }
    }

    /// What `__iadd__` and its like make of an object.
    pub(super) fn changed_in_place(
        &mut self,
        old: &Value<'p>,
        operator: Operator,
        added: &Value<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let [.., name] = methods_of(operator);
        self.special(old, name, vec![added.clone()], span)
    }

    pub(super) fn binary(
        &mut self,
        operator: Operator,
        left: Value<'p>,
        right: Value<'p>,
        span: Span,
    ) -> Value<'p> {
        let (left, right) = (self.force(left), self.force(right));
        if let (Value::Instance(_), _) | (_, Value::Instance(_)) = (&left, &right) {
            let [name, reflected, _] = methods_of(operator);
            // One that builds on the class of the other is asked first.
            let first = match self.builds_on_class_of(&right, &left) {
                true => self.special(&right, reflected, vec![left.clone()], span),
                false => None,
            };
            let result = first.or_else(|| self.special(&left, name, vec![right.clone()], span));
            let result = result.or_else(|| self.special(&right, reflected, vec![left.clone()], span));
            if let Some(result) = result {
                return result;
            }
            let is_format = operator == Operator::Remainder && matches!(left, Value::Text(_));
            if !is_format && self.refuses_operators(&left, &right) {
                return self.raises();
            }
        }
        if let (Operator::Remainder, Value::Text(format)) = (operator, &left) {
            return self.percent_format(format, &right, span);
        }
        if let (Value::Collection(_) | Value::View(..), _) | (_, Value::Collection(_) | Value::View(..)) =
            (&left, &right)
        {
            if let Some(made) = self.made_of_sets(operator, &left, &right) {
                return made;
            }
            let (held, added) = (self.contents(&left), self.contents(&right));
            let joined = self.binary(operator, held, added, span);
            return self.collection_like(&[&left, &right], joined);
        }
        if let Some(result) = self.calculated_as_floats(operator, &left, &right) {
            return result;
        }
        match (operator, &left, &right) {
            (
                Operator::Add,
                Value::Sequence(_),
                Value::Int(..) | Value::None | Value::Bool(_) | Value::Text(_),
            )
            | (
                Operator::Add,
                Value::Int(..) | Value::None | Value::Bool(_) | Value::Text(_),
                Value::Sequence(_),
            )
            | (Operator::Add, Value::Text(_), Value::Int(..) | Value::None | Value::Bool(_))
            | (Operator::Add, Value::Int(..) | Value::None | Value::Bool(_), Value::Text(_))
                if self.is_python_here() =>
            {
                self.raises()
            }
            (Operator::Add, Value::Text(_), _) | (Operator::Add, _, Value::Text(_)) => {
                self.concatenation(vec![left, right], span)
            }
            (Operator::Add, Value::Sequence(a), Value::Sequence(b)) => {
                Value::sequence(a.iter().chain(b.iter()).cloned().collect())
            }
            (Operator::Divide, Value::Text(path), Value::Text(part)) => {
                self.divided(&path.text, &part.text, span)
            }
            (Operator::BitOr, Value::Mapping(a), Value::Mapping(b)) => Value::mapping(merged(a.to_vec(), b)),
            (Operator::BitOr, _, Value::Mapping(items))
                if self.is_environ(&left) || self.is_environ_copy(&left) =>
            {
                let mut all = vec![(Value::None, left.clone())];
                all.extend(items.iter().cloned());
                Value::mapping(all)
            }
            (Operator::Multiply, Value::Text(text), Value::Int(times, _))
            | (Operator::Multiply, Value::Int(times, _), Value::Text(text)) => {
                let times = usize::try_from(*times).unwrap_or(0);
                match text.text.len().checked_mul(times) {
                    Some(..=LONGEST) => Value::text(text.text.repeat(times), text.place),
                    _ => Value::Unknown,
                }
            }
            (Operator::Multiply, Value::Sequence(values), Value::Int(times, _))
            | (Operator::Multiply, Value::Int(times, _), Value::Sequence(values)) => {
                let times = usize::try_from(*times).unwrap_or(0);
                match values.len().checked_mul(times) {
                    Some(all @ ..=MOST_ELEMENTS) => {
                        Value::sequence(values.iter().cycle().take(all).cloned().collect())
                    }
                    _ => Value::Unknown,
                }
            }
            (
                Operator::Divide | Operator::FloorDivide | Operator::Remainder,
                Value::Int(..),
                Value::Int(0, _),
            ) => self.raises(),
            (_, Value::Int(a, _), Value::Int(b, _)) => {
                let result = calculated(operator, *a, *b);
                result.map_or(Value::Unknown, |result| Value::Int(result, self.place(span)))
            }
            _ if self.takes_no(operator, &left, &right) => self.raises(),
            _ => Value::Unknown,
        }
    }

    /// What the methods of an object say of it and another value.
    fn compared_by_method(
        &mut self,
        operator: Comparison,
        left: &Value<'p>,
        right: &Value<'p>,
    ) -> Option<Value<'p>> {
        if !matches!((left, right), (Value::Instance(_), _) | (_, Value::Instance(_))) {
            return None;
        }
        let (name, reflected) = match operator {
            Comparison::Equal => ("__eq__", "__eq__"),
            Comparison::NotEqual => ("__ne__", "__ne__"),
            Comparison::Less => ("__lt__", "__gt__"),
            Comparison::LessOrEqual => ("__le__", "__ge__"),
            Comparison::Greater => ("__gt__", "__lt__"),
            Comparison::GreaterOrEqual => ("__ge__", "__le__"),
            _ => return None,
        };
        let span = self.here.statement;
        let asked = self.special(left, name, vec![right.clone()], span);
        // Without `__ne__` of its own the left side asks its `__eq__`, before the right side is asked.
        if asked.is_none()
            && operator == Comparison::NotEqual
            && let Some(same) = self.special(left, "__eq__", vec![right.clone()], span)
        {
            let same = self.force(same);
            return Some(self.truth(&same).map_or(Value::Unknown, |same| Value::Bool(!same)));
        }
        let asked = asked.or_else(|| self.compared_by_others(operator, left, right));
        let asked = asked.or_else(|| self.special(right, reflected, vec![left.clone()], span));
        if asked.is_some() || operator != Comparison::NotEqual {
            return asked;
        }
        let same = self.compared_by_method(Comparison::Equal, left, right)?;
        let same = self.force(same);
        Some(self.truth(&same).map_or(Value::Unknown, |same| Value::Bool(!same)))
    }

    /// What `functools.total_ordering` makes of the one method for orders that a class has, and of `__eq__`. Without it a
    /// comparison that has no method raises.
    fn compared_by_others(
        &mut self,
        operator: Comparison,
        left: &Value<'p>,
        right: &Value<'p>,
    ) -> Option<Value<'p>> {
        use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
        if !matches!(operator, Less | LessOrEqual | Greater | GreaterOrEqual) {
            return None;
        }
        let known =
            [("__lt__", Less), ("__le__", LessOrEqual), ("__gt__", Greater), ("__ge__", GreaterOrEqual)];
        let (name, root) = known.into_iter().find(|(name, _)| self.method_of(left, name).is_some())?;
        let said = self.special(left, name, vec![right.clone()], self.here.statement)?;
        let said = self.force(said);
        let said = self.truth(&said);
        let is_less = |one: Comparison| matches!(one, Less | LessOrEqual);
        let is_strict = |one: Comparison| matches!(one, Less | Greater);
        // The negation says the other way round: `not a < b` is `a >= b`.
        let is_other_way = is_less(root) != is_less(operator);
        let said = said.map(|said| said != is_other_way);
        let asks_equal = (is_strict(root) != is_strict(operator)) != is_other_way;
        let decides = match (asks_equal, is_strict(operator)) {
            (false, _) => return Some(said.map_or(Value::Unknown, Value::Bool)),
            // `a > b` where it is neither smaller nor equal, `a <= b` where it is smaller or equal.
            (true, is_strict) => !is_strict,
        };
        if said == Some(decides) {
            return Some(Value::Bool(decides));
        }
        let equal = self.compared_by_method(Comparison::Equal, left, right).unwrap_or(Value::Unknown);
        let equal = self.force(equal);
        let equal = self.truth(&equal);
        let verdict = said.and_then(|_| equal.map(|equal| if decides { equal } else { !equal }));
        Some(verdict.map_or(Value::Unknown, Value::Bool))
    }

    fn is_equal(&mut self, left: &Value<'p>, right: &Value<'p>) -> Option<bool> {
        let same = equal(left, right).or_else(|| self.is_one_element_type(left, right));
        let same = same.or_else(|| self.is_own_process(left, right));
        same.or_else(|| self.is_equal_to_member(left, right))
    }

    /// Whether two values are the number of the process that runs. A child may have been given that of its parent.
    fn is_own_process(&mut self, left: &Value<'p>, right: &Value<'p>) -> Option<bool> {
        let (Value::Outside(one), Value::Outside(other)) = (left, right) else { return None };
        if one != other || &**self.paths.text(*one) != "os.getpid()" {
            return None;
        }
        self.summaries.note(Dependency::InChild(self.in_child > 0));
        (self.in_child == 0).then_some(true)
    }

    /// Whether `left is right`.
    fn is_same(&self, left: &Value<'p>, right: &Value<'p>) -> Option<bool> {
        match (left, right) {
            (Value::OneOf(values), single) => agreed(values, |value| self.is_same(value, single)),
            (object @ Value::Outside(_), Value::None) if self.is_library_object(object) => Some(false),
            (Value::Function(_), Value::Function(_)) => equal(left, right),
            _ => is_none(left, right).or_else(|| self.is_one_element_type(left, right)),
        }
    }

    pub(super) fn compare(&mut self, operator: Comparison, left: Value<'p>, right: Value<'p>) -> Value<'p> {
        self.compare_at(0, operator, left, right)
    }

    /// The same for what lies so deep in other values.
    fn compare_at(
        &mut self,
        depth: usize,
        operator: Comparison,
        left: Value<'p>,
        right: Value<'p>,
    ) -> Value<'p> {
        let (left, right) = (self.force(left), self.force(right));
        if let Some(said) = self.compared_by_method(operator, &left, &right) {
            return said;
        }
        if let Comparison::Equal | Comparison::NotEqual = operator
            && let Some(same) = self.equal_by_fields(depth, &left, &right)
        {
            return Value::Bool(same == (operator == Comparison::Equal));
        }
        if let Some(said) = self.compared_by_parts(depth, operator, &left, &right) {
            return said.map_or(Value::Unknown, Value::Bool);
        }
        let is_equality =
            matches!(operator, Comparison::Equal | Comparison::NotEqual | Comparison::Is | Comparison::IsNot);
        if is_equality {
            let is_identity = matches!(operator, Comparison::Is | Comparison::IsNot);
            let same = match is_identity {
                true => self.is_one_object(&left, &right),
                false => self.is_equal_object(&left, &right),
            };
            if let Some(same) = same {
                return Value::Bool(same == matches!(operator, Comparison::Equal | Comparison::Is));
            }
        }
        let known = match operator {
            Comparison::Equal => self.is_equal(&left, &right),
            Comparison::NotEqual => self.is_equal(&left, &right).map(|same| !same),
            Comparison::Is => self.is_same(&left, &right),
            Comparison::IsNot => self.is_same(&left, &right).map(|same| !same),
            Comparison::In | Comparison::NotIn => {
                if let Value::Paused(_) | Value::Stream(_) = &right {
                    let at = self.here.statement;
                    self.on_some_ways(|run| drop(run.iterate(right, at)));
                    return Value::Unknown;
                }
                if let Value::Instance(_) | Value::Class(_) = &right
                    && let Some(found) =
                        self.special(&right, "__contains__", vec![left.clone()], self.here.statement)
                {
                    let truth = self.truth(&found).map(|truth| truth == (operator == Comparison::In));
                    return truth.map_or(Value::Unknown, Value::Bool);
                }
                if let Value::Instance(object) = &right
                    && self.item_of_object(object, &left).is_some()
                {
                    return Value::Bool(operator == Comparison::In);
                }
                if let Value::Collection(scope) | Value::View(scope, _) = &right {
                    self.heap.ask_contents(*scope);
                }
                let contained = match &self.contents(&right) {
                    Value::Sequence(values) => self.is_among(values, &left),
                    Value::Mapping(items) => {
                        let keys: Vec<_> = items.iter().map(|(key, _)| key.clone()).collect();
                        self.is_among(&keys, &left)
                    }
                    // Every build of ONNX Runtime can compute on the CPU.
                    Value::Outside(path)
                        if &**self.paths.text(*path) == "onnxruntime.get_available_providers()"
                            && left.as_text().is_some_and(|name| &*name == "CPUExecutionProvider") =>
                    {
                        Some(true)
                    }
                    Value::Text(text) => left.as_text().map(|part| text.text.contains(&*part)),
                    // Under a launcher of several processes, also where a function asks: `return "RANK" in os.environ`.
                    container if self.is_environ(container) => match &left {
                        Value::Text(name) => self.is_set_by_launcher(&name.text).then_some(true),
                        _ => None,
                    },
                    _ => None,
                };
                contained.map(|contained| contained == (operator == Comparison::In))
            }
            _ if self.are_unlike(&left, &right) || self.refuses_operators(&left, &right) => {
                return self.raises();
            }
            _ => match (&left, &right) {
                (Value::Int(a, _), Value::Int(b, _)) => Some(is_in_order(operator, a.cmp(b))),
                (Value::Text(a), Value::Text(b)) => Some(is_in_order(operator, a.text.cmp(&b.text))),
                _ if let (Some(a), Some(b)) = (as_float(&left), as_float(&right)) => {
                    a.partial_cmp(&b).map(|lies| is_in_order(operator, lies))
                }
                _ => None,
            },
        };
        known.map_or(Value::Unknown, Value::Bool)
    }
}

/// Whether what builds on a class of a library counts as true, where no method of the project decides that.
fn is_plainly_true(base: &str) -> bool {
    brings_nothing(base) || matches!(base, "enum.Enum" | "torch.nn.Module")
}

/// The methods behind an operator: of the left side, of the right side, and for `+=` and its like.
fn methods_of(operator: Operator) -> [&'static str; 3] {
    match operator {
        Operator::Add => ["__add__", "__radd__", "__iadd__"],
        Operator::Subtract => ["__sub__", "__rsub__", "__isub__"],
        Operator::Multiply => ["__mul__", "__rmul__", "__imul__"],
        Operator::MatrixMultiply => ["__matmul__", "__rmatmul__", "__imatmul__"],
        Operator::Divide => ["__truediv__", "__rtruediv__", "__itruediv__"],
        Operator::FloorDivide => ["__floordiv__", "__rfloordiv__", "__ifloordiv__"],
        Operator::Remainder => ["__mod__", "__rmod__", "__imod__"],
        Operator::Power => ["__pow__", "__rpow__", "__ipow__"],
        Operator::ShiftLeft => ["__lshift__", "__rlshift__", "__ilshift__"],
        Operator::ShiftRight => ["__rshift__", "__rrshift__", "__irshift__"],
        Operator::BitAnd => ["__and__", "__rand__", "__iand__"],
        Operator::BitOr => ["__or__", "__ror__", "__ior__"],
        Operator::BitXor => ["__xor__", "__rxor__", "__ixor__"],
    }
}

/// Whether `left is right`, where one of them is None or both are truth values.
pub(super) fn is_none(left: &Value<'_>, right: &Value<'_>) -> Option<bool> {
    match (left, right) {
        (Value::OneOf(values), single) => agreed(values, |value| is_none(value, single)),
        (Value::None, Value::None) => Some(true),
        (Value::Unknown | Value::Outside(_) | Value::Deferred(..), _) => None,
        (_, Value::None) => Some(false),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        (Value::Class(a), Value::Class(b)) => Some(a.scope == b.scope),
        _ => None,
    }
}
