//! What programs find by looking at objects: `dir(object)`, `vars(object)`, `inspect.getmembers`, `Base.__subclasses__()`, and
//! classes that are made by `type(name, bases, names)`.

use super::Interpreter;
use super::calls::Args;
use super::loops::MOST_ELEMENTS;
use crate::code::{Block, Class, StatementKind};
use crate::facts::{FileId, Span};
use crate::program::heap::values::{ClassValue, FieldRules, Role, Value};
use std::rc::Rc;

/// Under which name a class that no statement defines keeps its own.
pub(super) const NAME: &str = "__name__";

static NO_CODE: Class<'static> = Class {
    name: "",
    span: Span { start: 0, end: 0 },
    bases: Vec::new(),
    keywords: Vec::new(),
    body: Block::new(),
};

impl<'p> Interpreter<'p> {
    /// The code of a class; of one that is made without, nothing stands in it.
    pub(super) fn class_code(&self, class: &ClassValue<'p>) -> &'p Class<'p> {
        class.class.map_or(&NO_CODE, |number| &self.code_of(class.file).classes[number])
    }

    /// What `__name__` of a class is.
    pub(super) fn name_of_class(&self, class: &ClassValue<'p>, span: Span) -> Value<'p> {
        match class.class {
            None => self.in_scope(class.scope, NAME).cloned().unwrap_or(Value::Unknown),
            Some(_) => Value::text(self.class_code(class).name, self.place(span)),
        }
    }

    /// `type(name, bases, names)`
    pub(super) fn made_class(&mut self, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let [name, bases, names] = &args.items[..] else { return None };
        let bases: Vec<Value<'p>> = match self.contents(&bases.value) {
            Value::Sequence(bases) => bases.iter().map(|base| self.force(base.clone())).collect(),
            _ => return None,
        };
        let Value::Mapping(names) = self.contents(&names.value) else { return None };
        let (dataclass, metaclass) = bases.iter().fold((false, None), |(fields, known), base| match base {
            Value::Class(base) => (fields || base.dataclass, known.or_else(|| base.metaclass.clone())),
            _ => (fields, known),
        });
        let class = Rc::new(ClassValue {
            file: self.here.file,
            class: None,
            scope: self.new_scope(None, true),
            bases,
            metaclass,
            dataclass,
            fields: FieldRules::default(),
            counts_devices: false,
            marks: self.unmarked.clone(),
        });
        let name = self.force(name.value.clone());
        self.bind_in(class.scope, NAME, name);
        for (name, value) in names.iter() {
            let Value::Text(name) = name else { return None };
            let name = match &name.text {
                std::borrow::Cow::Borrowed(name) => Some(*name),
                std::borrow::Cow::Owned(name) => self.program.words.computed(name),
            };
            if let Some(name) = name {
                self.bind_in(class.scope, name, value.clone());
            }
        }
        self.class_made(&class, class.metaclass.clone(), Args::default(), span);
        Some(Value::Class(class))
    }

    /// What a metaclass put into the names of a class before it made that.
    pub(super) fn take_names(&mut self, class: &Rc<ClassValue<'p>>, names: &Value<'p>) {
        let Value::Mapping(names) = self.contents(names) else {
            // Whatever it is, methods are taken to stay what they are.
            for (name, value) in self.heap.names(class.scope) {
                if matches!(value, Value::Text(_) | Value::Int(..) | Value::Bool(_) | Value::None) {
                    self.bind_in(class.scope, name, Value::one_of([value, Value::Unknown]));
                }
            }
            return;
        };
        for (name, value) in names.iter() {
            let Value::Text(name) = name else { continue };
            let name = match &name.text {
                std::borrow::Cow::Borrowed(name) => Some(*name),
                std::borrow::Cow::Owned(name) => self.program.words.computed(name),
            };
            let is_new = |name: &&'p str| match self.in_scope(class.scope, name) {
                Some(known) => !known.same(value),
                None => true,
            };
            if let Some(name) = name.filter(is_new) {
                self.bind_in(class.scope, name, value.clone());
            }
        }
    }

    /// What a class shows under a name that only the class of it has.
    pub(super) fn attribute_of_metaclass(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        name: &'p str,
        span: Span,
    ) -> Value<'p> {
        let Some(metaclass) = class.metaclass.clone() else { return Value::Unknown };
        let object = Value::Class(class.clone());
        match self.class_attribute(&metaclass, name) {
            Value::Function(closure) => match closure.role {
                Role::Static => Value::Function(closure),
                Role::ClassMethod => Value::Function(closure.bound_to(Value::Class(metaclass))),
                Role::Plain => Value::Function(closure.bound_to(object)),
                Role::Property | Role::CachedProperty => {
                    self.run_function(&closure.bound_to(object), Args::default(), span)
                }
            },
            Value::Unknown if !name.starts_with("__") => {
                let text = Value::text(name, self.place(span));
                self.special(&object, "__getattr__", vec![text], span).unwrap_or(Value::Unknown)
            }
            found => found,
        }
    }

    /// `Base.__subclasses__()`: the classes that build on it, in the modules that ran so far.
    pub(super) fn subclasses_of(&mut self, base: &Rc<ClassValue<'p>>) -> Value<'p> {
        // Which modules ran is no part of what a call is known by.
        self.summaries.left_out += 1;
        let mut found = Vec::new();
        for (file, scope) in self.in_order.clone() {
            for name in self.classes_in(file) {
                let Some(Value::Class(class)) = self.in_scope(scope, name).cloned() else { continue };
                let is_here = class.file == file && class.class.is_some();
                let builds_on = |run: &mut Self, known: &Value<'p>| match run.force(known.clone()) {
                    Value::Class(known) => known.scope == base.scope,
                    _ => false,
                };
                if is_here && class.bases.iter().any(|known| builds_on(self, known)) {
                    found.push(Value::Class(class));
                }
            }
        }
        self.collection(Value::sequence(found))
    }

    /// The names of the classes that the top level of a module defines, in their order.
    fn classes_in(&self, file: FileId) -> Vec<&'p str> {
        fn add<'p>(code: &'p crate::code::Code<'p>, block: &'p Block<'p>, names: &mut Vec<&'p str>) {
            for step in block {
                match &step.kind {
                    StatementKind::DefineClass { class, .. } => names.push(code.classes[*class].name),
                    kind => kind.blocks().into_iter().for_each(|block| add(code, block, names)),
                }
            }
        }
        let code = self.code_of(file);
        let mut names = Vec::new();
        add(code, &code.body, &mut names);
        names
    }

    /// The names that an object, a class or a module has, in the order of their letters; those that every object has are left
    /// out. `None` where nothing is known of it.
    fn names_had_by(&mut self, object: &Value<'p>) -> Option<Vec<&'p str>> {
        let (own, class) = match object {
            Value::Instance(instance) => (Some(instance.scope), Some(instance.class.clone())),
            Value::Class(class) => (None, Some(class.clone())),
            Value::Module(file) => (Some(self.names_of(*file)?), None),
            _ => return None,
        };
        let mut names: Vec<&'p str> = Vec::new();
        names.extend(own.iter().flat_map(|own| self.heap.names(*own)).map(|(name, _)| name));
        let classes = class.map(|class| self.resolution_order(&class)).unwrap_or_default();
        for class in classes {
            let Value::Class(class) = class else { continue };
            self.wake(&class);
            names.extend(self.heap.names(class.scope).into_iter().map(|(name, _)| name));
        }
        // What is kept for Python itself has blanks in its name.
        names.retain(|name| !name.contains(' '));
        names.sort_unstable();
        names.dedup();
        Some(names)
    }

    /// `dir(object)`
    pub(super) fn names_listed(&mut self, object: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let (names, place) = (self.names_had_by(object)?, self.place(span));
        let names = names.into_iter().map(|name| Value::text(name, place)).collect();
        Some(self.collection(Value::sequence(names)))
    }

    /// `vars(object)` and `object.__dict__`: what it holds itself at this moment.
    pub(super) fn own_names(&mut self, object: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let scope = match object {
            Value::Instance(instance) => instance.scope,
            Value::Class(class) => {
                self.wake(class);
                class.scope
            }
            Value::Module(file) => self.names_of(*file)?,
            _ => return None,
        };
        let place = self.place(span);
        let held = self.heap.names_as_bound(scope).into_iter().filter(|(name, _)| !name.contains(' '));
        Some(Value::mapping(held.map(|(name, value)| (Value::text(name, place), value)).collect()))
    }

    /// `inspect.getmembers(object, predicate)`: pairs of a name and what it stands for.
    pub(super) fn members_of(&mut self, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let object = self.force(args.at(0)?.value.clone());
        let predicate = args.get(Some(1), Some("predicate")).map(|predicate| predicate.value.clone());
        let names = self.names_had_by(&object)?;
        if names.len() > 4 * MOST_ELEMENTS {
            return None;
        }
        let (mut found, place) = (Vec::new(), self.place(span));
        for name in names {
            let value = self.attribute(&object, name, span);
            let value = self.force(value);
            let verdict = match &predicate {
                None | Some(Value::None) => Some(true),
                Some(predicate) => self.is_member(predicate, &value, span),
            };
            if verdict == Some(true) {
                found.push(Value::sequence(vec![Value::text(name, place), value]));
            }
        }
        Some(self.collection(Value::sequence(found)))
    }

    /// What a function says that chooses members: `inspect.ismethod`, `callable`, or one of the project.
    fn is_member(&mut self, predicate: &Value<'p>, value: &Value<'p>, span: Span) -> Option<bool> {
        if let Value::Outside(path) = predicate {
            let name = self.paths.text(*path).clone();
            return self.is_kind(&name, value);
        }
        let args = Args::positional(vec![value.clone()], span);
        let said = self.call(predicate.clone(), args, span);
        let said = self.force(said);
        self.truth(&said)
    }

    /// `inspect.isclass(value)`, `callable(value)` and their like.
    pub(super) fn is_kind(&self, asked: &str, value: &Value<'p>) -> Option<bool> {
        // Of what lies outside of the project the name tells a class.
        let is_class = match value {
            Value::Class(_) => Some(true),
            Value::Outside(path) => {
                let last = self.paths.text(*path).rsplit('.').next().unwrap_or_default();
                (!last.contains('(')).then(|| last.starts_with(|first: char| first.is_uppercase()))
            }
            Value::Unknown | Value::OneOf(_) | Value::Deferred(..) => None,
            _ => Some(false),
        };
        let function = match value {
            Value::Function(closure) if closure.role != Role::Property => Some(closure),
            _ => None,
        };
        let is_known = !matches!(
            value,
            Value::Unknown | Value::Outside(_) | Value::OneOf(_) | Value::Deferred(..) | Value::Instance(_)
        );
        let known = |verdict: bool| (verdict || is_known).then_some(verdict);
        match asked {
            "inspect.isclass" => is_class,
            "inspect.isfunction" => known(function.is_some_and(|function| function.bound.is_none())),
            "inspect.ismethod" => known(function.is_some_and(|function| function.bound.is_some())),
            "inspect.isroutine" => known(function.is_some()),
            "inspect.ismodule" => known(matches!(value, Value::Module(_) | Value::Folder(_))),
            "builtins.callable" => known(function.is_some() || matches!(value, Value::Class(_))),
            _ => None,
        }
    }
}
