//! Classes, instances and attributes.

use super::Interpreter;
use super::branches::ArmRun;
use super::builtin_names::may_have;
use super::calls::Args;
use super::decorators::Decorated;
use super::device_indices::kind_asked;
use crate::code::Expr;
use crate::facts::Span;
use crate::program::heap::values::{ClassValue, Closure, Instance, Role, Value};
use crate::program::modules::ImportTarget;
use crate::program::summaries::Dependency;
use std::cell::RefCell;
use std::rc::Rc;

/// A class that is its own base would be looked through without end.
pub(super) const DEEPEST: usize = 16;
const MOST_BASES: usize = 64;

/// Methods of lists, sets and dictionaries that change them.
pub(super) const CHANGING: &[&str] = &[
    "append",
    "add",
    "extend",
    "insert",
    "update",
    "pop",
    "popitem",
    "remove",
    "discard",
    "clear",
    "setdefault",
    "sort",
    "reverse",
    "__setitem__",
    "__delitem__",
];

impl<'p> Interpreter<'p> {
    pub(super) fn define_class(&mut self, index: usize, decorators: &'p [Expr<'p>]) -> Value<'p> {
        let class = &self.code().classes[index];
        let Decorated { wrappers, marks, counts_devices } = self.eval_decorators(decorators);
        let dataclass = wrappers.iter().any(|wrapper| match wrapper {
            Value::Outside(path) => super::records::makes_fields(self.paths.text(*path)),
            _ => false,
        });
        let bases: Vec<_> = class.bases.iter().map(|base| self.eval(base)).collect();
        let dataclass = dataclass || bases.iter().any(|base| self.fields_from(base));
        let keywords = self.eval_arguments(Some(""), &class.keywords);
        let metaclass = self.metaclass(&keywords, &bases);
        let scope = self.new_scope(Some(self.here.scope), true);
        let fields = self.field_rules(decorators, &wrappers, &bases);
        let value = Rc::new(ClassValue {
            file: self.here.file,
            class: Some(index),
            scope,
            bases,
            metaclass: metaclass.clone(),
            dataclass,
            fields,
            counts_devices,
            marks,
        });
        self.begin_class(&value);
        self.class_made(&value, metaclass, keywords, class.span);
        let class = value.clone();
        let mut value = Value::Class(value);
        for (wrapper, decorator) in wrappers.into_iter().zip(decorators).rev() {
            self.note_decorated(&class, &wrapper);
            value = self.decorate(wrapper, value, decorator.span);
        }
        value
    }

    /// The class of a class: the one that is named, or that of a base.
    fn metaclass(&mut self, keywords: &Args<'p>, bases: &[Value<'p>]) -> Option<Rc<ClassValue<'p>>> {
        if let Some(named) = keywords.keyword("metaclass") {
            return match self.force(named.value.clone()) {
                Value::Class(metaclass) => Some(metaclass),
                _ => None,
            };
        }
        bases.iter().find_map(|base| match self.force(base.clone()) {
            Value::Class(base) => base.metaclass.clone(),
            _ => None,
        })
    }

    /// What the definition of a class runs beside its body: its metaclass, `__set_name__` of what stands in the
    /// body, and `__init_subclass__` of its bases.
    pub(super) fn class_made(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        metaclass: Option<Rc<ClassValue<'p>>>,
        mut keywords: Args<'p>,
        span: Span,
    ) {
        let span = Span { end: self.here.statement.end.max(span.start), ..span };
        keywords.items.retain(|argument| argument.name.as_deref() != Some("metaclass"));
        let object = Value::Class(class.clone());
        if let Some(metaclass) = metaclass {
            for (name, bound) in [("__new__", Value::Class(metaclass.clone())), ("__init__", object.clone())]
            {
                if let Value::Function(made) = self.class_attribute(&metaclass, name) {
                    let method = made.bound_to(bound);
                    let own = self.name_of_class(class, span);
                    let names = self.own_names(&object, span).unwrap_or(Value::Unknown);
                    let names = self.collection(names);
                    let bases = Value::sequence(class.bases.clone());
                    let mut args = Args::positional(vec![own, bases, names], span);
                    args.items.extend(keywords.items.iter().cloned());
                    self.handed.being_made.push(class.clone());
                    self.run_function(&method, args, span);
                    self.handed.being_made.pop();
                }
            }
        }
        let mut members = self.heap.names(class.scope);
        members.retain(|(_, value)| matches!(value, Value::Instance(_)));
        members.sort_by_key(|(name, _)| *name);
        for (name, member) in members {
            if let Value::Instance(instance) = &member
                && ["__set__", "__delete__"]
                    .into_iter()
                    .any(|method| matches!(self.class_attribute(&instance.class, method), Value::Function(_)))
            {
                self.setters.insert(name);
            }
            if let Value::Instance(instance) = &member
                && let Value::Function(named) = self.class_attribute(&instance.class, "__set_name__")
            {
                let method = named.bound_to(member.clone());
                let name = Value::text(name, self.place(span));
                self.run_function(&method, Args::positional(vec![object.clone(), name], span), span);
            }
        }
        self.make_members(class, span);
        if !class.bases.is_empty()
            && let Value::Function(hook) = self.inherited(class, "__init_subclass__")
        {
            self.run_function(&hook.bound_to(object), keywords, span);
        }
    }

    /// `object.name`
    pub(super) fn attribute(&mut self, object: &Value<'p>, name: &'p str, span: Span) -> Value<'p> {
        match object {
            _ if name == "TYPE_CHECKING" => Value::Bool(false),
            // Nothing is on the GPU before something used it.
            _ if name == "is_cuda" && self.is_untouched() => Value::Bool(false),
            Value::Outside(path) => {
                let child = self.paths.child(*path, name);
                if let Some(value) = self.requested(child).or_else(|| self.parsed_option(child)) {
                    return value;
                }
                self.apply_read_effects(child, span);
                Value::Outside(child)
            }
            Value::Module(file) => self.module_attribute(*file, name, span),
            Value::Folder(folder) => {
                let found = self.program.modules.child(ImportTarget::Folder(*folder), name);
                self.found_value(found, span)
            }
            Value::Instance(instance) => self.instance_attribute(instance, name, span),
            Value::Function(closure) if matches!(name, "__name__" | "__qualname__") => {
                self.name_of_function(closure, span)
            }
            Value::Class(class) if name == "__name__" => self.name_of_class(class, span),
            Value::Class(class) if name == "__mro__" => self.classes_in_order(class),
            Value::Class(class) => {
                let found = self.class_attribute(class, name);
                match (name, &found) {
                    ("__dict__", Value::Unknown) => return self.own_names(object, span).unwrap_or(found),
                    (_, Value::Unknown) if class.metaclass.is_some() => {
                        return self.attribute_of_metaclass(class, name, span);
                    }
                    (_, Value::Unknown) if !name.starts_with("__") && self.surely_lacks(object, name) => {
                        return self.raises();
                    }
                    _ => {}
                }
                self.bind_method(found, object, Some(object), span)
            }
            Value::Collection(_) if let Some(value) = self.key_as_attribute(object, name) => value,
            Value::Text(text) if let Some(kind) = kind_asked(text, name) => kind,
            Value::Text(_)
            | Value::Int(..)
            | Value::Bool(_)
            | Value::Collection(_)
            | Value::Sequence(_)
            | Value::Mapping(_)
                if !may_have(name) && self.knows_all() && self.is_python_here() =>
            {
                self.attribute_of_member(object, name, span).unwrap_or_else(|| self.raises())
            }
            // The member of an enumeration is what it holds.
            Value::Int(..) if name == "value" => object.clone(),
            Value::Text(_) | Value::Int(..) if name == "name" => {
                self.attribute_of_member(object, name, span).unwrap_or(Value::Unknown)
            }
            Value::Text(text) => self.path_attribute(&text.text, name, span),
            Value::Sequence(parts) if let Some(value) = self.attribute_of_found(parts, name) => value,
            // `add = values.append`: whoever has it changes the collection.
            Value::Collection(_) if CHANGING.contains(&name) => {
                self.hand_out(object);
                Value::Unknown
            }
            Value::Deferred(..) => {
                let settled = self.force(object.clone());
                if matches!(settled, Value::Deferred(..)) {
                    Value::Unknown
                } else {
                    self.attribute(&settled, name, span)
                }
            }
            Value::Lazy(_) => {
                let forced = self.force_lazy(object.clone());
                self.attribute(&forced, name, span)
            }
            Value::OneOf(values) => {
                // A name that is None on one path is the module on the other, or its use fails.
                let results: Vec<_> = values
                    .iter()
                    .filter(|value| !matches!(value, Value::None))
                    .map(|value| self.attribute(value, name, span))
                    .collect();
                Value::one_of(results)
            }
            Value::None if !name.starts_with("__") && self.knows_all() => self.raises(),
            _ => Value::Unknown,
        }
    }

    /// Whether nothing used a GPU so far.
    fn is_untouched(&mut self) -> bool {
        let is_untouched = self.state.cuda.is_none() && !self.state.open;
        self.summaries.note(Dependency::Untouched(is_untouched));
        is_untouched
    }

    fn instance_attribute(&mut self, instance: &Rc<Instance<'p>>, name: &'p str, span: Span) -> Value<'p> {
        match self.read_by_method(instance, name, span) {
            Some(value) => value,
            None => self.plain_attribute(instance, name, span),
        }
    }

    pub(super) fn plain_attribute(
        &mut self,
        instance: &Rc<Instance<'p>>,
        name: &'p str,
        span: Span,
    ) -> Value<'p> {
        match self.in_scope(instance.scope, name).cloned() {
            Some(value) => self.attribute_of_its_own(instance, name, value, span),
            None => self.attribute_of_class(instance, name, span),
        }
    }

    /// What an object shows under a name that it does not have itself.
    pub(super) fn attribute_of_class(
        &mut self,
        instance: &Rc<Instance<'p>>,
        name: &'p str,
        span: Span,
    ) -> Value<'p> {
        let mut found = self.class_attribute(&instance.class, name);
        if matches!(found, Value::Outside(_)) && self.lacks_as_container(&instance.class, name) {
            found = Value::Unknown;
        }
        let (object, class) = (Value::Instance(instance.clone()), Value::Class(instance.class.clone()));
        match &found {
            Value::Unknown if name == "__dict__" => self.own_names(&object, span).unwrap_or(found),
            Value::Unknown if name == "__class__" => class,
            // Every object has these, whatever `__getattr__` says.
            Value::Unknown if name.starts_with("__") && name.ends_with("__") => found,
            Value::Unknown
                if let Some(items) = self.dictionary_of(instance)
                    && let Some(item) = self.item_shown(&items, &Value::text(name, self.place(span))) =>
            {
                item
            }
            // What the class holds may be anything.
            Value::Unknown if self.holds(&instance.class, name) => found,
            Value::Unknown => {
                let text = Value::text(name, self.place(span));
                self.special(&object, "__getattr__", vec![text], span).unwrap_or_else(|| {
                    self.note_missing(&instance.class, name);
                    found
                })
            }
            Value::Instance(_) => self.special(&found, "__get__", vec![object, class], span).unwrap_or(found),
            Value::Function(closure) if closure.role == Role::CachedProperty => {
                let value = self.bind_method(found, &object, Some(&class), span);
                self.bind_in(instance.scope, name, value.clone());
                value
            }
            _ => self.bind_method(found, &object, Some(&class), span),
        }
    }

    /// Calls a method that Python calls by itself, where the class of an object has it.
    pub(super) fn special(
        &mut self,
        object: &Value<'p>,
        name: &'p str,
        arguments: Vec<Value<'p>>,
        span: Span,
    ) -> Option<Value<'p>> {
        let method = self.method_of(object, name)?;
        Some(self.run_function(&method, Args::positional(arguments, span), span))
    }

    /// Finds a name in a class and its bases, in the order in which Python looks.
    pub(super) fn class_attribute(&mut self, class: &Rc<ClassValue<'p>>, name: &'p str) -> Value<'p> {
        match self.own_attribute(class, name) {
            Some(value) if self.heap.is_partial(class.scope, name) => {
                value_or_behind(value, self.inherited(class, name))
            }
            Some(value) => value,
            None => self.inherited(class, name),
        }
    }

    /// Whether a class or one of its bases in the project binds a name.
    pub(super) fn holds(&mut self, class: &Rc<ClassValue<'p>>, name: &'p str) -> bool {
        self.resolution_order(class).iter().any(|class| match class {
            Value::Class(class) => self.own_attribute(class, name).is_some(),
            _ => false,
        })
    }

    /// Finds a name in the bases of a class only.
    fn inherited(&mut self, class: &Rc<ClassValue<'p>>, name: &'p str) -> Value<'p> {
        let order = self.resolution_order(class);
        self.found_in(&order[1..], name)
    }

    /// Finds a name in the first of several classes that has it.
    pub(super) fn found_in(&mut self, classes: &[Value<'p>], name: &'p str) -> Value<'p> {
        /// What `unittest.TestCase` defines itself: that of a base behind it never runs.
        const OF_TEST_CASES: &[&str] = &["setUp", "tearDown", "setUpClass", "tearDownClass"];
        let mut outside = None;
        for (number, class) in classes.iter().enumerate() {
            match class {
                Value::Class(class) => {
                    let Some(value) = self.own_attribute(class, name) else { continue };
                    if !self.heap.is_partial(class.scope, name) {
                        return value;
                    }
                    // On some ways it has none of its own.
                    return value_or_behind(value, self.found_in(&classes[number + 1..], name));
                }
                Value::Outside(path) if !brings_nothing(self.paths.text(*path)) => {
                    outside = outside.or(Some(*path));
                    // Every class has a constructor; what else a library's class has is not known.
                    let is_known = name == "__init__"
                        || (OF_TEST_CASES.contains(&name) && self.paths.text(*path).ends_with("TestCase"));
                    if is_known {
                        break;
                    }
                }
                _ => {}
            }
        }
        outside.map_or(Value::Unknown, |path| {
            let result = self.paths.result(path);
            Value::Outside(self.paths.child(result, name))
        })
    }

    /// A class and its bases, in the order in which Python looks names up: a base that several classes share
    /// comes after the last of them.
    pub(super) fn resolution_order(&mut self, class: &Rc<ClassValue<'p>>) -> Vec<Value<'p>> {
        let mut order = Vec::new();
        self.add_bases(&Value::Class(class.clone()), &mut order, 0);
        let mut kept: Vec<Value<'p>> = Vec::new();
        for value in order.into_iter().rev() {
            if !kept.iter().any(|known| known.same(&value)) {
                kept.push(value);
            }
        }
        kept.reverse();
        kept
    }

    fn add_bases(&mut self, class: &Value<'p>, order: &mut Vec<Value<'p>>, depth: usize) {
        order.push(class.clone());
        let Value::Class(class) = class else { return };
        if depth >= DEEPEST || order.len() >= MOST_BASES {
            return;
        }
        for base in class.bases.clone() {
            let base = self.force(base);
            self.add_bases(&base, order, depth + 1);
        }
    }

    pub(super) fn bind_method(
        &mut self,
        found: Value<'p>,
        object: &Value<'p>,
        class: Option<&Value<'p>>,
        span: Span,
    ) -> Value<'p> {
        if let Value::OneOf(one_of) = &found {
            let bound = RefCell::new(Vec::new());
            let bind = |value: &Value<'p>| -> ArmRun<'_, 'p> {
                let (value, bound) = (value.clone(), &bound);
                Box::new(move |run| {
                    let value = run.bind_method(value, object, class, span);
                    bound.borrow_mut().push(value);
                })
            };
            self.exec_branches(one_of.iter().map(bind).collect());
            return Value::one_of(bound.into_inner());
        }
        let Value::Function(closure) = &found else { return found };
        let from_class = matches!(object, Value::Class(_));
        let bound = match closure.role {
            Role::Static => return found,
            Role::ClassMethod => class,
            Role::Plain | Role::Property | Role::CachedProperty if from_class => return found,
            Role::Plain | Role::Property | Role::CachedProperty => Some(object),
        };
        let method = Rc::new(Closure { bound: bound.cloned(), ..Closure::clone(closure) });
        if matches!(closure.role, Role::Property | Role::CachedProperty) && !from_class {
            return self.run_function(&method, Args::default(), span);
        }
        Value::Function(method)
    }
}

/// Whether a base brings nothing along.
pub(super) fn brings_nothing(base: &str) -> bool {
    ["builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"].contains(&base)
}

/// What a name is that a class has on some ways only, and what the classes behind it have.
fn value_or_behind<'p>(value: Value<'p>, behind: Value<'p>) -> Value<'p> {
    match behind {
        Value::Unknown => value,
        behind => Value::one_of([value, behind]),
    }
}
