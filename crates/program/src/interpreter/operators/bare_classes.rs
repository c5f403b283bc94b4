//! Classes of which all is known that their objects have: what is not there raises.

use crate::interpreter::Interpreter;
use crate::interpreter::classes::brings_nothing;
use crate::program::heap::values::{ClassValue, Value};
use std::rc::Rc;

/// The name that a class has which a decorator of a library was given: that may have changed it.
const DECORATED: &str = "a decorator was given the class";

impl<'p> Interpreter<'p> {
    /// Notes that a decorator is given a class.
    pub(in crate::interpreter) fn note_decorated(&mut self, class: &Rc<ClassValue<'p>>, by: &Value<'p>) {
        if !matches!(by, Value::Function(_) | Value::Class(_)) {
            self.bind_in(class.scope, DECORATED, Value::None);
        }
    }

    /// Whether all is known that objects of a class have.
    fn is_bare(&self, class: &ClassValue<'p>) -> bool {
        let is_plain = class.class.is_some()
            && class.metaclass.is_none()
            && !class.dataclass
            && self.class_code(class).keywords.is_empty()
            && self.in_scope(class.scope, DECORATED).is_none();
        is_plain
            && class.bases.iter().all(|base| match base {
                Value::Outside(path) => brings_nothing(self.paths.text(*path)),
                Value::Class(base) => self.is_bare(base),
                _ => false,
            })
    }

    /// Whether a class or an object has nothing but what its class and the bases say, all of which are of the project.
    pub(in crate::interpreter) fn lacks_all(&self, value: &Value<'p>) -> bool {
        let class = match value {
            Value::Instance(object) => &object.class,
            Value::Class(class) => class,
            _ => return false,
        };
        self.knows_all() && self.is_python_here() && self.is_bare(class)
    }

    /// Whether a class, or an object as far as its class says, surely has nothing of this name.
    pub(in crate::interpreter) fn surely_lacks(&mut self, value: &Value<'p>, name: &'p str) -> bool {
        let class = match value {
            Value::Instance(object) => object.class.clone(),
            Value::Class(class) => class.clone(),
            _ => return false,
        };
        self.lacks_all(value) && self.lacks(&class, name)
    }

    /// Whether two values, of which no method of the project says what an operator makes, have none.
    pub(super) fn refuses_operators(&self, left: &Value<'p>, right: &Value<'p>) -> bool {
        let is_constant = |value: &Value<'p>| {
            matches!(value, Value::Int(..) | Value::Float(_) | Value::Text(_) | Value::None | Value::Bool(_))
        };
        let (one, other) = (self.lacks_all(left), self.lacks_all(right));
        let is_object = |value: &Value<'p>| matches!(value, Value::Instance(_));
        (one && is_object(left) || other && is_object(right))
            && (one || is_constant(left))
            && (other || is_constant(right))
    }

    /// `__mro__`
    pub(in crate::interpreter) fn classes_in_order(&mut self, class: &Rc<ClassValue<'p>>) -> Value<'p> {
        let object = Value::Outside(self.paths.id("builtins.object"));
        let mut order = self.resolution_order(class);
        order.retain(|class| !class.same(&object));
        order.push(object);
        Value::sequence(order)
    }
}
