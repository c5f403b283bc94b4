//! Attributes that are read and set in ways of their own: through `__setattr__` and `__getattribute__`, under a name that
//! is computed or not known, through `__dict__`, and those that are not there.

use super::Interpreter;
use super::branches::ArmRun;
use super::calls::Args;
use crate::code::{Call, Expr, ExprKind};
use crate::facts::Span;
use crate::program::heap::values::{ClassValue, Instance, Text, Value};
use std::rc::Rc;

/// Of objects with more names none is taken to be set when nobody knows which one is.
const MOST_NAMES: usize = 128;

impl<'p> Interpreter<'p> {
    pub(super) fn set_attribute(&mut self, object: &Value<'p>, name: &'p str, value: Value<'p>) {
        match object {
            Value::Instance(instance) => {
                if self.is_not_to_be_set(instance, name) {
                    self.seems_to_raise();
                } else if !self.set_by_method(instance, name, &value)
                    && !self.set_property(instance, name, &value)
                {
                    self.bind_attribute(object, name, value);
                }
            }
            // It is one of them that gets it.
            Value::OneOf(objects) => {
                let set = |object: &Value<'p>| {
                    let (object, value) = (object.clone(), value.clone());
                    Box::new(move |run: &mut Self| run.set_attribute(&object, name, value)) as ArmRun<'_, 'p>
                };
                let arms = objects.iter().map(set).collect();
                self.exec_branches(arms);
            }
            _ => self.bind_attribute(object, name, value),
        }
    }

    /// The same, whatever methods the class of the object has for that.
    pub(super) fn bind_attribute(&mut self, object: &Value<'p>, name: &'p str, value: Value<'p>) {
        let scope = match object {
            Value::Instance(instance)
                if name != "__dict__"
                    && let Some(items) = self.dictionary_of(instance) =>
            {
                let name = Value::text(name, self.place(self.here.statement));
                return self.set_item(&items, &name, &value);
            }
            Value::Instance(instance) => {
                if name == "__dict__" {
                    self.setters.insert(name);
                }
                instance.scope
            }
            Value::Class(class) => {
                self.wake(class);
                class.scope
            }
            // Its own value is bound first, so that it does not take the place of this one later.
            Value::Module(file) => match self.names_of(*file) {
                Some(scope) => scope,
                None => return,
            },
            Value::Outside(path) => {
                if name.ends_with("warning") {
                    let path = format!("{}.{name}", self.paths.text(*path));
                    self.keep_of_warnings(&path, &value);
                }
                return self.set_option(*path, name, &value);
            }
            Value::Function(_) if matches!(name, "__name__" | "__qualname__") => {
                self.setters.insert("__name__");
                return;
            }
            Value::Collection(_) => return self.set_key_as_attribute(object, name, &value),
            _ => return,
        };
        self.bind_in(scope, name, value);
    }

    /// Calls `__setattr__`; whether the class has one.
    fn set_by_method(&mut self, instance: &Rc<Instance<'p>>, name: &'p str, value: &Value<'p>) -> bool {
        if !self.setters.contains("__setattr__") {
            return false;
        }
        let site = self.here.statement;
        let arguments = vec![Value::text(name, self.place(site)), value.clone()];
        self.special(&Value::Instance(instance.clone()), "__setattr__", arguments, site).is_some()
    }

    /// What `__getattribute__` gives for a name, where the class has one.
    pub(super) fn read_by_method(
        &mut self,
        instance: &Rc<Instance<'p>>,
        name: &'p str,
        span: Span,
    ) -> Option<Value<'p>> {
        if !self.setters.contains("__getattribute__") {
            return None;
        }
        let name = Value::text(name, self.place(span));
        self.special(&Value::Instance(instance.clone()), "__getattribute__", vec![name], span)
    }

    /// What the methods of `object` and `type` do that the class of an object may replace: `super().__setattr__(name, value)`,
    /// and `type.__call__(cls)`. `None` for all others.
    pub(super) fn by_object(
        &mut self,
        method: &str,
        object: &Value<'p>,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let name = || args.at(0).map(|argument| argument.value.clone());
        match (method, object) {
            ("__setattr__", Value::Instance(instance)) => {
                let (name, value) = (name()?, args.at(1)?.value.clone());
                let instance = instance.clone();
                self.with_name(object, &name, &mut |run, object, name| {
                    if !run.set_property(&instance, name, &value) {
                        run.bind_attribute(object, name, value.clone());
                    }
                });
                Some(Value::None)
            }
            ("__getattribute__", Value::Instance(instance)) => {
                let Value::Text(name) = name()? else { return Some(Value::Unknown) };
                let name = self.name_in(object, &name)?;
                Some(self.plain_attribute(instance, name, span))
            }
            ("__init__", Value::Instance(_)) => {
                self.fill_container(object, args, span);
                None
            }
            ("__delattr__", Value::Instance(_)) => {
                let name = name()?;
                self.with_name(object, &name, &mut |run, object, name| {
                    if let Value::Instance(instance) = object {
                        run.delete_plainly(instance, name);
                    }
                });
                Some(Value::None)
            }
            ("__setitem__", Value::Instance(_)) => {
                let (key, value) = (name()?, args.at(1)?.value.clone());
                self.set_item(object, &key, &value);
                Some(Value::None)
            }
            ("__getitem__", Value::Instance(instance)) => self.item_of_object(instance, &name()?),
            ("__call__", Value::Class(class)) => Some(self.instantiate(class, args.clone(), span)),
            _ => None,
        }
    }

    /// `setattr(object, name, value)`
    pub(super) fn set_named(&mut self, object: &Value<'p>, name: &Value<'p>, value: &Value<'p>) {
        let names = name.alternatives();
        if let (Value::Instance(instance), 2..) = (object, names.len())
            && !self.setters.contains("__setattr__")
            && names.iter().all(|name| matches!(name, Value::Text(_)))
        {
            // Each of them may have been there before, or not.
            for name in names {
                self.with_name(object, name, &mut |run, object, name| {
                    let before = match run.in_scope(instance.scope, name).cloned() {
                        Some(before) => before,
                        None => run.class_attribute(&instance.class, name),
                    };
                    run.bind_attribute(object, name, Value::one_of([before, value.clone()]));
                });
            }
            return;
        }
        self.with_name(object, name, &mut |run, object, name| run.set_attribute(object, name, value.clone()));
    }

    /// `delattr(object, name)`
    pub(super) fn delete_named(&mut self, object: &Value<'p>, name: &Value<'p>) {
        self.with_name(object, name, &mut |run, object, name| run.delete_attribute(object, name));
    }

    /// The name that a text is, of an attribute that is set: also one that nobody wrote.
    fn name_to_set(&mut self, object: &Value<'p>, text: &Text<'p>) -> Option<&'p str> {
        self.name_in(object, text).or_else(|| self.program.words.computed(&text.text))
    }

    /// Does something to the attribute that a value names. Where that is not known, all that the object holds may be
    /// something else afterwards.
    fn with_name(
        &mut self,
        object: &Value<'p>,
        name: &Value<'p>,
        then: &mut dyn FnMut(&mut Self, &Value<'p>, &'p str),
    ) {
        match name {
            Value::Text(text) => match self.name_to_set(object, text) {
                Some(name) => then(self, object, name),
                None => self.blur_object(object),
            },
            Value::OneOf(names) if names.iter().all(|name| matches!(name, Value::Text(_))) => {
                let then = std::cell::RefCell::new(then);
                let then = &then;
                let arm = |name: &Value<'p>| -> ArmRun<'_, 'p> {
                    let name = name.clone();
                    Box::new(move |run| run.with_name(object, &name, &mut **then.borrow_mut()))
                };
                let arms = names.iter().map(arm).collect();
                self.exec_branches(arms);
            }
            _ => self.blur_object(object),
        }
    }

    /// Any attribute of an object may be something else now; methods are taken to stay what they are.
    fn blur_object(&mut self, object: &Value<'p>) {
        let instance = match object {
            Value::Instance(instance) => instance,
            // A namespace, which is followed as a dictionary.
            Value::Collection(_) => return self.hand_out(object),
            _ => return,
        };
        let mut held = self.heap.names(instance.scope);
        for class in self.resolution_order(&instance.class) {
            let Value::Class(class) = class else { continue };
            self.wake(&class);
            let more = self.heap.names(class.scope);
            let is_new =
                |name: &str, held: &[(&str, Value<'p>)]| held.iter().all(|(known, _)| *known != name);
            for (name, value) in more {
                if is_new(name, &held) {
                    held.push((name, value));
                }
            }
        }
        let is_data = |value: &Value<'p>| {
            !matches!(value, Value::Function(_) | Value::Class(_) | Value::Unknown | Value::Stream(_))
        };
        held.retain(|(_, value)| is_data(value));
        if held.len() > MOST_NAMES {
            return;
        }
        held.sort_by_key(|(name, _)| *name);
        for (name, value) in held {
            self.bind_in(instance.scope, name, Value::one_of([value, Value::Unknown]));
        }
    }

    /// The object whose names a dictionary has that an expression gives: `globals()`, `vars(object)`, `object.__dict__`.
    pub(super) fn object_behind(&mut self, container: &'p Expr<'p>, value: &Value<'p>) -> Option<Value<'p>> {
        match (&container.kind, value) {
            (_, Value::Outside(path)) if &**self.paths.text(*path) == "builtins.globals()" => {
                Some(Value::Module(self.here.file))
            }
            (ExprKind::Attribute(object, "__dict__"), Value::Unknown | Value::Mapping(_)) => {
                Some(self.eval(object))
            }
            (ExprKind::Call(call), value) if self.shows_names(call, value) => {
                let [object] = &call.arguments[..] else { return None };
                Some(self.eval(&object.value))
            }
            _ => None,
        }
    }

    /// Whether a call is `vars(object)`.
    fn shows_names(&self, call: &Call<'p>, value: &Value<'p>) -> bool {
        match value {
            Value::Outside(path) => &**self.paths.text(*path) == "builtins.vars()",
            Value::Mapping(_) => matches!(call.callee.kind, ExprKind::Name("vars")),
            _ => false,
        }
    }

    /// A method that changes the dictionary which `vars(object)` and `object.__dict__` show: it changes the object. `None` when
    /// this is no such dictionary, or no such method.
    pub(super) fn change_names(
        &mut self,
        container: &'p Expr<'p>,
        value: &Value<'p>,
        method: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        if !matches!(method, "update" | "pop" | "setdefault" | "clear") {
            return None;
        }
        if method == "update" {
            return self.update_names(container, value, args, span);
        }
        let object = self.object_behind(container, value)?;
        let Value::Mapping(names) = value else { return None };
        let name = args.at(0).map(|argument| argument.value.clone());
        let known = name.as_ref().and_then(|name| self.mapping_item(names, name));
        let default = args.at(1).map(|argument| argument.value.clone());
        match (method, name) {
            ("pop", Some(name)) => {
                if known.is_some() {
                    self.delete_named(&object, &name);
                } else if default.is_none() {
                    self.lacks_item();
                }
                Some(known.or(default).unwrap_or(Value::Unknown))
            }
            ("setdefault", Some(name)) if known.is_none() => {
                let default = default.unwrap_or(Value::None);
                self.set_named(&object, &name, &default);
                Some(default)
            }
            ("setdefault", Some(_)) => known,
            _ => {
                self.blur_object(&object);
                Some(Value::None)
            }
        }
    }

    /// `object.__dict__.update(name=value)`
    fn update_names(
        &mut self,
        container: &'p Expr<'p>,
        value: &Value<'p>,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let object = self.object_behind(container, value)?;
        let given = args.at(0).map(|argument| argument.value.clone());
        let named = args.items.iter().filter_map(|argument| {
            let name = argument.name.clone()?;
            Some((Value::text(name, self.place(argument.span)), argument.value.clone()))
        });
        let mut items: Vec<_> = named.collect();
        let mut is_whole = !args.open;
        if let Some(given) = given {
            match self.iterate(given, span) {
                Value::Mapping(given) => items.extend(given.iter().cloned()),
                _ => is_whole = false,
            }
        }
        for (name, value) in items {
            self.with_name(&object, &name, &mut |run, object, name| {
                run.bind_attribute(object, name, value.clone());
            });
        }
        if !is_whole {
            self.blur_object(&object);
        }
        Some(Value::None)
    }

    /// An object has no such attribute, by all that is known: reading it raises.
    pub(super) fn note_missing(&mut self, class: &Rc<ClassValue<'p>>, name: &'p str) {
        if !name.starts_with("__") && !class.dataclass && self.knows_all() && self.lacks(class, name) {
            self.seems_to_raise();
        }
    }

    /// Whether neither a class nor any of its bases has a name, where all of them are known.
    pub(super) fn lacks(&mut self, class: &Rc<ClassValue<'p>>, name: &'p str) -> bool {
        let order = self.resolution_order(class);
        class.metaclass.is_none()
            && order.iter().all(|class| match class {
                Value::Class(class) => !class.dataclass && self.own_attribute(class, name).is_none(),
                Value::Outside(path) => super::classes::brings_nothing(self.paths.text(*path)),
                _ => false,
            })
    }
}
