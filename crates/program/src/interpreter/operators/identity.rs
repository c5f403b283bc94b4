//! Whether two objects are one and the same, and where a value stands among others.

use crate::code::Comparison;
use crate::interpreter::Interpreter;
use crate::interpreter::classes::brings_nothing;
use crate::interpreter::loops::MOST_ELEMENTS;
use crate::interpreter::statements::equal;
use crate::program::heap::values::{ClassValue, Value};

impl<'p> Interpreter<'p> {
    /// Whether two objects of the project are one and the same. What a loop made whose passes are not all followed stands for
    /// several.
    pub(in crate::interpreter) fn is_one_object(&self, left: &Value<'p>, right: &Value<'p>) -> Option<bool> {
        let (one, other) = (left.own_scope()?, right.own_scope()?);
        let is_single = |scope| self.heap.loops_around(scope) == 0;
        (is_single(one) && is_single(other)).then_some(one == other)
    }

    /// Whether two objects are equal where no method of the project decides.
    pub(super) fn is_equal_object(&self, left: &Value<'p>, right: &Value<'p>) -> Option<bool> {
        let (Value::Instance(one), Value::Instance(other)) = (left, right) else { return None };
        let is_same = self.is_one_object(left, right)?;
        let is_plain = |run: &Self, class: &ClassValue<'p>| {
            run.have_bases(class, &is_equal_to_itself)
                && (is_same || !class.dataclass && class.metaclass.is_none())
        };
        (is_plain(self, &one.class) && is_plain(self, &other.class)).then_some(is_same)
    }

    /// Whether two objects are one key of a dictionary, where no method of the project decides.
    pub(in crate::interpreter) fn is_one_key(&mut self, one: &Value<'p>, other: &Value<'p>) -> Option<bool> {
        match self.is_one_object(one, other) {
            Some(false)
                if self.method_of(one, "__eq__").is_some() || self.method_of(other, "__eq__").is_some() =>
            {
                None
            }
            Some(false) => self.is_equal_object(one, other),
            same => same,
        }
    }

    /// Whether all bases of a class that are not of the project, and of its bases in turn, are such.
    pub(super) fn have_bases(&self, class: &ClassValue<'p>, are_such: &dyn Fn(&str) -> bool) -> bool {
        class.bases.iter().all(|base| match base {
            Value::Outside(path) => are_such(self.paths.text(*path)),
            Value::Class(base) => self.have_bases(base, are_such),
            _ => false,
        })
    }

    /// Whether an object is of a class that builds on that of another one.
    pub(super) fn builds_on_class_of(&mut self, object: &Value<'p>, other: &Value<'p>) -> bool {
        let (Value::Instance(object), Value::Instance(other)) = (object, other) else { return false };
        let is_base =
            |base: &Value<'p>| matches!(base, Value::Class(base) if base.scope == other.class.scope);
        object.class.scope != other.class.scope && self.resolution_order(&object.class).iter().any(is_base)
    }

    /// Where a value stands among these, if it does: the first that is it or is equal to it; `None` when nobody knows. Methods of
    /// the project are asked up to there.
    pub(in crate::interpreter) fn place_in(
        &mut self,
        values: &[Value<'p>],
        wanted: &Value<'p>,
    ) -> Option<Option<usize>> {
        let mut is_sure = true;
        for (at, value) in values.iter().enumerate() {
            if !is_sure && at >= MOST_ELEMENTS {
                break;
            }
            let same = match self.is_one_object(value, wanted) {
                Some(true) => Some(true),
                _ if is_sure => self.is_equal_element(value, wanted),
                _ => {
                    let mut same = None;
                    self.on_some_ways(|run| same = run.is_equal_element(value, wanted));
                    same
                }
            };
            match same {
                Some(true) if is_sure => return Some(Some(at)),
                Some(false) => {}
                _ => is_sure = false,
            }
        }
        is_sure.then_some(None)
    }

    /// Whether a value is one of these.
    pub(super) fn is_among(&mut self, values: &[Value<'p>], wanted: &Value<'p>) -> Option<bool> {
        match self.place_in(values, wanted) {
            Some(place) => Some(place.is_some()),
            // Which one does not matter.
            None => values.iter().any(|value| equal(value, wanted) == Some(true)).then_some(true),
        }
    }

    fn is_equal_element(&mut self, value: &Value<'p>, wanted: &Value<'p>) -> Option<bool> {
        let same = self.compare(Comparison::Equal, value.clone(), wanted.clone());
        self.truth(&same)
    }
}

/// Whether what builds on a class of a library is equal to itself.
fn is_equal_to_itself(base: &str) -> bool {
    brings_nothing(base) || base.starts_with("enum.") || base.starts_with("torch.nn.")
}
