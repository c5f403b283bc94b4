//! Names and attributes that are bound on some ways only: what is seen of them on the others, and what asks whether they are
//! there.

use super::builtin_names::may_have;
use super::calls::Arg;
use super::classes::brings_nothing;
use super::compound::ExpectedError;
use super::{Flow, Interpreter};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::program::heap::values::{Instance, Role, ScopeId, Value};
use std::rc::Rc;

/// An attribute that a test asks for.
pub(super) struct AskedAttribute<'p> {
    scope: ScopeId,
    name: &'p str,
    /// The test holds where it is there.
    when_true: bool,
}

impl<'p> Interpreter<'p> {
    /// Reads a name that may not be bound. Where a `try` around it expects that, it goes on from the ways on which it is not.
    pub(super) fn expect_bound(&mut self, scope: ScopeId, name: &'p str) {
        if !self.heap.is_partial(scope, name) || !self.expects(ExpectedError::Name) {
            return;
        }
        let Some(value) = self.in_scope(scope, name).cloned() else { return };
        self.exec_branches(vec![
            Box::new(|run| {
                run.unbind_in(scope, name);
                run.seen_raises += 1;
                run.ways_out.of_try |= !run.catches.is_empty();
                run.flow = Flow::Raise;
            }),
            Box::new(|run| run.bind_in(scope, name, value)),
        ]);
    }

    /// An attribute that an object has itself, at least on some ways: on the others it shows what its class holds.
    pub(super) fn attribute_of_its_own(
        &mut self,
        instance: &Rc<Instance<'p>>,
        name: &'p str,
        value: Value<'p>,
        span: Span,
    ) -> Value<'p> {
        if !self.heap.is_partial(instance.scope, name) {
            return value;
        }
        if !self.holds(&instance.class, name) && !self.holds(&instance.class, "__getattr__") {
            self.expect_bound(instance.scope, name);
            return value;
        }
        let mut behind = Value::Unknown;
        self.on_some_ways(|run| behind = run.attribute_of_class(instance, name, span));
        Value::one_of([value, behind])
    }

    /// `hasattr(object, name)`: known where everything is that could set the attribute.
    pub(super) fn has_attribute(&mut self, object: &Value<'p>, name: &Value<'p>) -> Value<'p> {
        let Value::Text(text) = name else { return Value::Unknown };
        let Some(name) = self.name_in(object, text) else { return Value::Unknown };
        if let Value::Instance(instance) = object
            && self.in_scope(instance.scope, name).is_none()
        {
            if let Some(items) = self.dictionary_of(instance)
                && let Some(found) = self.item_shown(&items, &Value::Text(text.clone()))
            {
                return if matches!(found, Value::Unknown) { found } else { Value::Bool(true) };
            }
            let asks = match self.class_attribute(&instance.class, name) {
                Value::Function(closure) => closure.role == Role::Property,
                descriptor @ Value::Instance(_) => self.method_of(&descriptor, "__get__").is_some(),
                Value::Unknown => {
                    matches!(self.class_attribute(&instance.class, "__getattr__"), Value::Function(_))
                }
                _ => false,
            };
            if asks {
                let at = self.here.statement;
                let raises = self.catch_all(false, |run| drop(run.attribute(object, name, at)));
                return if raises || self.flow != Flow::Next { Value::Unknown } else { Value::Bool(true) };
            }
        }
        self.presence_of(object, name).map_or(Value::Unknown, Value::Bool)
    }

    /// Whether an object or module has an attribute; `None` where it has it on some ways only, or that is not known.
    fn presence_of(&mut self, object: &Value<'p>, name: &'p str) -> Option<bool> {
        match object {
            Value::Instance(instance) => {
                let own = self.in_scope(instance.scope, name).is_some();
                if own && !self.heap.is_partial(instance.scope, name) {
                    return Some(true);
                }
                match self.class_attribute(&instance.class, name) {
                    // What a property raises is not followed here.
                    Value::Function(closure) if closure.role == Role::Property => None,
                    Value::Unknown | Value::Outside(_) => {
                        let is_missing = !own && self.knows_all() && self.lacks(&instance.class, name);
                        (is_missing && self.lacks(&instance.class, "__getattr__")).then_some(false)
                    }
                    _ => Some(true),
                }
            }
            // Every class has some names of Python.
            Value::Class(_) | Value::Outside(_) if name.starts_with("__") || name == "register" => None,
            Value::Class(class) => {
                let order = self.resolution_order(class);
                let is_on_some = |base: &Value<'p>| matches!(base, Value::Class(base) if self.heap.is_partial(base.scope, name));
                if order.iter().any(is_on_some) {
                    return None;
                }
                match self.holds(class, name) {
                    true => Some(true),
                    false => (self.knows_all() && self.lacks(class, name)).then_some(false),
                }
            }
            Value::Outside(path) => brings_nothing(self.paths.text(*path)).then_some(false),
            // A text may stand for a path, and a dictionary for an object that has its keys as attributes.
            Value::None | Value::Sequence(_) => (!may_have(name)).then_some(false),
            Value::Text(text) => (self.is_written_text(text) && !may_have(name)).then_some(false),
            Value::Module(file) => {
                let scope = self.entered(*file)?;
                let has = self.in_scope(scope, name).is_some();
                (has && !self.heap.is_partial(scope, name)).then_some(true)
            }
            _ => None,
        }
    }

    /// What a test says of an attribute of an object that may be missing: `hasattr(self, "model")`, and its negation.
    pub(super) fn asked_attribute(&self, test: &'p Expr<'p>) -> Option<AskedAttribute<'p>> {
        match &test.kind {
            ExprKind::Not(inner) => {
                let asked = self.asked_attribute(inner)?;
                Some(AskedAttribute { when_true: !asked.when_true, ..asked })
            }
            ExprKind::Call(call) => {
                let ExprKind::Name("hasattr") = call.callee.kind else { return None };
                let [object, name] = &call.arguments[..] else { return None };
                let (ExprKind::Name(object), ExprKind::Text(name)) = (&object.value.kind, &name.value.kind)
                else {
                    return None;
                };
                let Some(Value::Instance(instance)) = self.look_up(self.here.scope, object) else {
                    return None;
                };
                let std::borrow::Cow::Borrowed(name) = name else { return None };
                let is_partial = self.heap.is_partial(instance.scope, name);
                is_partial.then_some(AskedAttribute { scope: instance.scope, name, when_true: true })
            }
            _ => None,
        }
    }

    /// Goes on with the attribute there, or missing, as the test said.
    pub(super) fn assume_attribute(&mut self, asked: &AskedAttribute<'p>, holds: bool) {
        if holds != asked.when_true {
            self.unbind_in(asked.scope, asked.name);
        } else if let Some(value) = self.in_scope(asked.scope, asked.name).cloned() {
            self.bind_in(asked.scope, asked.name, value);
        }
    }

    /// `getattr(object, name, default)`
    pub(super) fn attribute_or(
        &mut self,
        object: &Value<'p>,
        name: &'p str,
        default: &Arg<'p>,
        span: Span,
    ) -> Value<'p> {
        let default = default.value.clone();
        let is_partial = match object {
            Value::Instance(instance) => {
                self.heap.is_partial(instance.scope, name) && self.presence_of(object, name) != Some(true)
            }
            // What it has no name for so far may be there all the same, such as a part of a package.
            Value::Module(file) => self.entered(*file).is_some_and(|scope| {
                self.in_scope(scope, name).is_none() || self.heap.is_partial(scope, name)
            }),
            _ => false,
        };
        let mut found = Value::Unknown;
        match self.catch_all(false, |run| found = run.attribute(object, name, span)) {
            true => default,
            false if is_partial => Value::one_of([found, default]),
            false => found,
        }
    }
}
