//! Properties: functions that an attribute calls when it is read, set or deleted.

use super::Interpreter;
use super::calls::Args;
use super::construction::{ABSTRACT, is_abstract_mark};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::program::heap::values::{Closure, Instance, Role, Value};
use std::rc::Rc;

/// What a further function is to a property: `@size.setter`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accessor {
    Getter,
    Setter,
    Deleter,
}

impl<'p> Interpreter<'p> {
    /// Notes which names the body of a class gives a setter or a deleter: all others are set without a look at the class.
    pub(super) fn note_setters(&mut self, body: &'p [Statement<'p>]) {
        for step in body {
            if let StatementKind::Assign { targets, .. } = &step.kind
                && let [Target::Name("__slots__", _)] = &targets[..]
            {
                self.setters.insert("__slots__");
            }
            let StatementKind::Define { function, decorators } = &step.kind else { continue };
            let name = self.code().functions[*function].name;
            if matches!(name, "__setattr__" | "__getattribute__" | "__delattr__" | "__del__") {
                self.setters.insert(name);
            }
            let changes =
                |decorator| matches!(part_of(decorator), Some((_, Accessor::Setter | Accessor::Deleter)));
            if decorators.iter().any(changes) {
                self.setters.insert(name);
            }
            if decorators.iter().any(is_abstract_mark) {
                self.setters.insert(ABSTRACT);
            }
        }
    }

    /// What a function makes of a property that it stands for in part, by its decorator.
    pub(super) fn with_part(&mut self, decorator: &'p Expr<'p>, function: &Value<'p>) -> Option<Value<'p>> {
        let (property, part) = part_of(decorator)?;
        let (Value::Function(property), Value::Function(function)) = (self.eval(property), function) else {
            return None;
        };
        if property.role != Role::Property {
            return None;
        }
        Some(Value::Function(match part {
            Accessor::Setter => {
                Rc::new(Closure { setter: Some(function.clone()), ..Closure::clone(&property) })
            }
            Accessor::Getter => Rc::new(Closure {
                role: Role::Property,
                setter: property.setter.clone(),
                deleter: property.deleter.clone(),
                ..Closure::clone(function)
            }),
            Accessor::Deleter => {
                Rc::new(Closure { deleter: Some(function.clone()), ..Closure::clone(&property) })
            }
        }))
    }

    /// Calls the function that sets an attribute; whether there is one.
    pub(super) fn set_property(
        &mut self,
        instance: &Rc<Instance<'p>>,
        name: &'p str,
        value: &Value<'p>,
    ) -> bool {
        if !self.setters.contains(name) {
            return false;
        }
        let found = self.class_attribute(&instance.class, name);
        if let Value::Instance(_) = found {
            let arguments = vec![Value::Instance(instance.clone()), value.clone()];
            return self.special(&found, "__set__", arguments, self.here.statement).is_some();
        }
        let Value::Function(property) = found else { return false };
        let Some(setter) = &property.setter else { return false };
        let method = setter.bound_to(Value::Instance(instance.clone()));
        let site = self.here.statement;
        self.run_function(&method, Args::positional(vec![value.clone()], site), site);
        true
    }

    /// `del object.name`
    pub(super) fn delete_attribute(&mut self, object: &Value<'p>, name: &'p str) {
        match object {
            Value::Instance(instance) => {
                let site = self.here.statement;
                if self.setters.contains("__delattr__") {
                    let arguments = vec![Value::text(name, self.place(site))];
                    if self.special(object, "__delattr__", arguments, site).is_some() {
                        return;
                    }
                }
                self.delete_plainly(instance, name);
            }
            Value::Class(class) => {
                self.wake(class);
                self.unbind_in(class.scope, name);
            }
            _ => {}
        }
    }

    /// The same, whatever `__delattr__` the class of the object has.
    pub(super) fn delete_plainly(&mut self, instance: &Rc<Instance<'p>>, name: &'p str) {
        if self.setters.contains(name)
            && let Value::Function(property) = self.class_attribute(&instance.class, name)
            && let Some(deleter) = &property.deleter
        {
            let method = deleter.bound_to(Value::Instance(instance.clone()));
            let site = self.here.statement;
            self.run_function(&method, Args::default(), site);
        } else if self.setters.contains(name)
            && let found @ Value::Instance(_) = self.class_attribute(&instance.class, name)
        {
            let arguments = vec![Value::Instance(instance.clone())];
            self.special(&found, "__delete__", arguments, self.here.statement);
        } else {
            self.unbind_in(instance.scope, name);
        }
    }
}

/// The property that a decorator names, and what it makes of the function.
fn part_of<'p>(decorator: &'p Expr<'p>) -> Option<(&'p Expr<'p>, Accessor)> {
    let ExprKind::Attribute(property, part) = &decorator.kind else { return None };
    let part = match *part {
        "getter" => Accessor::Getter,
        "setter" => Accessor::Setter,
        "deleter" => Accessor::Deleter,
        _ => return None,
    };
    Some((property, part))
}
