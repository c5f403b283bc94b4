//! Objects whose class builds on a container of Python: dictionaries with methods of their own, named tuples, generic classes.
//! And `super()`.

use super::Interpreter;
use super::builtin_names::may_have;
use super::calls::Args;
use super::classes::brings_nothing;
use crate::code::{Call, ExprKind};
use crate::facts::Span;
use crate::program::heap::values::{ClassValue, Instance, Value};
use std::rc::Rc;

/// Where an object that is a dictionary keeps what was set in it.
const ITEMS: &str = "the items of the dictionary that this is";

/// Classes of Python whose objects are dictionaries.
const DICTIONARIES: &[&str] =
    &["builtins.dict", "collections.OrderedDict", "collections.UserDict", "collections.defaultdict"];

/// Methods of dictionaries that leave them as they are.
const LOOKING: &[&str] = &["get", "items", "keys", "values", "copy"];

/// Methods of classes of Python that call others of the same object.
const CALLING_BACK: &[(&str, &[&str])] = &[
    (
        "collections.abc.MutableSequence",
        &["append", "clear", "extend", "pop", "remove", "reverse", "__iadd__"],
    ),
    ("collections.abc.MutableMapping", &["clear", "pop", "popitem", "setdefault", "update"]),
    (
        "collections.abc.MutableSet",
        &["clear", "pop", "remove", "__ior__", "__iand__", "__ixor__", "__isub__"],
    ),
    ("html.parser.HTMLParser", &["feed", "close"]),
    ("ast.NodeVisitor", &["visit", "generic_visit"]),
    ("ast.NodeTransformer", &["visit", "generic_visit"]),
    ("cmd.Cmd", &["onecmd"]),
];

impl<'p> Interpreter<'p> {
    /// What was set in an object that is a dictionary, as far as it is known: there may be more.
    fn items_set_in(&mut self, object: &Rc<Instance<'p>>) -> Option<Value<'p>> {
        self.in_scope(object.scope, ITEMS).cloned().filter(|items| matches!(items, Value::Collection(_)))
    }

    /// The same, to be changed; `None` where the object is no dictionary.
    pub(super) fn items_to_change(&mut self, object: &Rc<Instance<'p>>) -> Option<Value<'p>> {
        if let Some(items) = self.items_set_in(object) {
            return Some(items);
        }
        if !self.has_outer_base(&object.class, |path| DICTIONARIES.contains(&path)) {
            return None;
        }
        let items = self.collection(Value::mapping(Vec::new()));
        self.bind_in(object.scope, ITEMS, items.clone());
        Some(items)
    }

    /// `dict.__init__` of an object that is a dictionary: it holds these items at first.
    pub(super) fn fill_container(&mut self, object: &Value<'p>, args: &Args<'p>, span: Span) {
        let Value::Instance(instance) = object else { return };
        if args.items.is_empty() || args.open {
            return;
        }
        let Some(Value::Collection(items)) = self.items_to_change(instance) else { return };
        let Some(Value::Collection(made)) = self.call_builtin("dict", args, span) else { return };
        match self.contents(&Value::Collection(made)) {
            Value::Mapping(known) if known.iter().all(|(key, _)| matches!(key, Value::Text(_))) => {
                self.set_contents(items, Value::Mapping(known));
            }
            _ => {}
        }
    }

    /// Whether a name is none of an object, although a class outside of the project is among its bases: containers of Python
    /// have no other attributes than these.
    pub(super) fn lacks_as_container(&mut self, class: &Rc<ClassValue<'p>>, name: &str) -> bool {
        !may_have(name)
            && self.resolution_order(class).iter().all(|class| match class {
                Value::Class(_) => true,
                Value::Outside(path) => {
                    let path = &**self.paths.text(*path);
                    DICTIONARIES.contains(&path) || path == "builtins.list" || brings_nothing(path)
                }
                _ => false,
            })
    }

    /// The dictionary whose items are the attributes of an object, where a program put one in place: `self.__dict__ = self`, or
    /// that of others, as in `self.__dict__ = self.shared`.
    pub(super) fn dictionary_of(&self, object: &Instance<'p>) -> Option<Value<'p>> {
        match self.in_scope(object.scope, "__dict__").filter(|_| self.setters.contains("__dict__"))? {
            Value::Instance(shown) if shown.scope != object.scope => None,
            shown @ (Value::Instance(_) | Value::Collection(_)) => Some(shown.clone()),
            _ => None,
        }
    }

    /// Whether the elements of an object are those of a container of Python, which gives them by itself.
    pub(super) fn is_container(&mut self, object: &Rc<Instance<'p>>) -> bool {
        const SEQUENCES: &[&str] = &[
            "builtins.list",
            "builtins.tuple",
            "builtins.set",
            "builtins.frozenset",
            "builtins.str",
            "collections.deque",
        ];
        self.has_outer_base(&object.class, |path| DICTIONARIES.contains(&path) || SEQUENCES.contains(&path))
    }

    /// Whether one of the classes outside the project that a class builds on is such a one, by its path.
    fn has_outer_base(&mut self, class: &Rc<ClassValue<'p>>, is_such: impl Fn(&str) -> bool) -> bool {
        self.resolution_order(class).iter().any(|class| match class {
            Value::Outside(path) => is_such(self.paths.text(*path)),
            _ => false,
        })
    }

    /// An item that was surely set in an object that is a dictionary.
    pub(super) fn item_of_object(&mut self, object: &Rc<Instance<'p>>, key: &Value<'p>) -> Option<Value<'p>> {
        let items = self.items_set_in(object)?;
        let Value::Mapping(items) = self.contents(&items) else { return None };
        self.mapping_item(&items, key).filter(|found| !matches!(found, Value::Unknown))
    }

    /// What the dictionary of an object holds under a name.
    pub(super) fn item_shown(&mut self, items: &Value<'p>, key: &Value<'p>) -> Option<Value<'p>> {
        if let Value::Instance(object) = items {
            return self.item_of_object(object, key);
        }
        match self.contents(items) {
            Value::Mapping(items) => self.mapping_item(&items, key),
            _ => Some(Value::Unknown),
        }
    }

    /// What a method does that an object has from a container of Python; `None` where nothing is known of it.
    pub(super) fn method_of_container(
        &mut self,
        object: &Rc<Instance<'p>>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        if let Some(given) = self.method_of_record(object, name, args, span) {
            return Some(given);
        }
        self.changed_by_base(object, name);
        let Value::Collection(scope) = self.items_set_in(object)? else { return None };
        if name == "get" {
            return self.item_of_object(object, &args.at(0)?.value);
        }
        if !LOOKING.contains(&name) {
            self.set_contents(scope, Value::Unknown);
        }
        None
    }

    /// A method that a class of Python brings may call those of the project, which change the object.
    fn changed_by_base(&mut self, object: &Rc<Instance<'p>>, name: &str) {
        let calling = CALLING_BACK.iter().filter(|(_, methods)| methods.contains(&name));
        let classes: Vec<&str> = calling.map(|(class, _)| *class).collect();
        if !classes.is_empty() && self.has_outer_base(&object.class, |path| classes.contains(&path)) {
            self.forget_object(object);
        }
    }

    /// What an object holds is not known any more.
    pub(super) fn forget_object(&mut self, object: &Rc<Instance<'p>>) {
        for (name, value) in self.heap.names(object.scope) {
            self.hand_out(&value);
            if matches!(
                value,
                Value::Int(..) | Value::Float(_) | Value::Text(_) | Value::Bool(_) | Value::None
            ) {
                self.bind_in(object.scope, name, Value::Unknown);
            }
        }
    }

    /// `Box[int]`: what `__class_getitem__` says, or the class itself.
    pub(super) fn item_of_class(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        key: &Value<'p>,
        span: Span,
    ) -> Value<'p> {
        if let Value::Function(method) = self.class_attribute(class, "__class_getitem__") {
            let method = method.bound_to(Value::Class(class.clone()));
            return self.run_function(&method, Args::positional(vec![key.clone()], span), span);
        }
        if let Some(member) = self.member_named(class, key) {
            return member;
        }
        // An enumeration is asked by a text, and whatever else may be one.
        if class.metaclass.is_none() && self.is_type(key) {
            Value::Class(class.clone())
        } else {
            Value::Unknown
        }
    }

    /// Whether a value is a type, or what stands for one.
    fn is_type(&self, value: &Value<'p>) -> bool {
        match value {
            Value::Class(_) => true,
            Value::Outside(path) => {
                let text = self.paths.text(*path);
                !text.contains("()") || &**text == "typing.TypeVar()"
            }
            Value::Sequence(values) => values.iter().all(|value| self.is_type(value)),
            _ => false,
        }
    }

    /// An object that is a key of a dictionary is asked by `__hash__`.
    pub(super) fn ask_hash(&mut self, container: &Value<'p>, key: &Value<'p>, span: Span) {
        if let (Value::Collection(_) | Value::Mapping(_), Value::Instance(_)) = (container, key) {
            self.special(key, "__hash__", Vec::new(), span);
        }
    }

    /// `add_argument("--card", type=card_of)`: whoever parses the words of a command line may call it.
    pub(super) fn run_for_option(&mut self, args: &Args<'p>, span: Span) {
        if let Some(function @ Value::Function(_)) = args.keyword("type").map(|given| given.value.clone()) {
            self.call_often(&function, span);
        }
        if let Some(class @ Value::Class(_)) = args.keyword("action").map(|given| given.value.clone()) {
            let open = || Args { items: Vec::new(), open: true };
            self.on_some_ways(|run| {
                let action = run.call(class, open(), span);
                run.call(action, open(), span);
            });
        }
    }

    /// The class and the object that `super(Base, self)` names, where they are others than those of the method around it.
    pub(super) fn told_to_super(&mut self, call: &'p Call<'p>) -> Option<(Rc<ClassValue<'p>>, Value<'p>)> {
        let [class, object] = &call.arguments[..] else { return None };
        if let (Some(here), ExprKind::Name(name)) = (&self.here.class, &class.value.kind)
            && self.class_code(here).name == *name
        {
            return None;
        }
        let class = self.eval(&class.value);
        let Value::Class(class) = self.force(class) else { return None };
        let object = self.eval(&object.value);
        match self.force(object) {
            object @ (Value::Instance(_) | Value::Class(_)) => Some((class, object)),
            _ => None,
        }
    }

    /// `super()`: attributes are looked up in the bases of the class that holds the method.
    pub(super) fn super_attribute(&mut self, name: &'p str, span: Span) -> Value<'p> {
        let Some(class) = self.here.class.clone() else { return Value::Unknown };
        let object = self.here.bound.clone().unwrap_or_else(|| self.first_argument());
        self.attribute_behind_class(&class, &object, name, span)
    }

    /// What the running function was given first: `self` of a method that is called through its class.
    fn first_argument(&self) -> Value<'p> {
        let function = self.active.last().map(|active| active.key).filter(|key| key.0 == self.here.file);
        let code = function.and_then(|(file, function)| self.code_of(file).functions.get(function));
        let first = code.and_then(|function| function.parameters.first());
        first.and_then(|first| self.in_scope(self.here.scope, first.name).cloned()).unwrap_or(Value::Unknown)
    }

    /// An attribute of an object, looked up in the classes that come behind one of its own.
    pub(super) fn attribute_behind_class(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        object: &Value<'p>,
        name: &'p str,
        span: Span,
    ) -> Value<'p> {
        let whole = match object {
            Value::Instance(instance) => instance.class.clone(),
            Value::Class(whole) => whole.clone(),
            _ => class.clone(),
        };
        // A class method is given the class of the object, wherever it is found.
        let of_object =
            matches!(object, Value::Instance(_) | Value::Class(_)).then(|| Value::Class(whole.clone()));
        let order = self.resolution_order(&whole);
        let is_here = |value: &Value<'p>| matches!(value, Value::Class(known) if known.scope == class.scope);
        let found = match order.iter().position(is_here) {
            Some(at) => self.found_in(&order[at + 1..], name),
            None => {
                let order = self.resolution_order(class);
                self.found_in(&order[1..], name)
            }
        };
        self.bind_method(found, object, of_object.as_ref(), span)
    }
}
