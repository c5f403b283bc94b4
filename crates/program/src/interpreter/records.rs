//! Classes whose fields Python fills: dataclasses and their like, and named tuples.

use super::Interpreter;
use super::calls::{Arg, Args};
use super::classes::DEEPEST;
use crate::code::{Argument, Comparison, Expr, ExprKind, StatementKind, Target};
use crate::facts::{Place, Span};
use crate::program::heap::values::{ClassValue, FieldRules, Instance, ScopeId, Value};
use std::borrow::Cow;
use std::rc::Rc;

/// Under which name a class that `namedtuple` made keeps the names of its fields.
const NAMES: &str = "the names of the fields";

/// How a field is filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    ByArgument,
    ByKeyword,
    /// `field(init=False)`
    ByItself,
    /// `InitVar`: only `__post_init__` gets it.
    Never,
}

impl<'p> Interpreter<'p> {
    /// Whether a base makes the annotated names of the class the arguments of its constructor.
    pub(super) fn fields_from(&mut self, base: &Value<'p>) -> bool {
        match self.force(base.clone()) {
            Value::Outside(path) => {
                let text = self.paths.text(path);
                ["typing.NamedTuple", "pydantic.BaseModel", "msgspec.Struct"].contains(&&**text)
            }
            Value::Class(base) => base.dataclass,
            _ => false,
        }
    }

    /// What decorators say of the fields of a class.
    pub(super) fn field_rules(
        &self,
        decorators: &'p [Expr<'p>],
        wrappers: &[Value<'p>],
        bases: &[Value<'p>],
    ) -> FieldRules {
        let members = self.builds_on_enumeration(bases);
        let mut rules = FieldRules { members, ..FieldRules::default() };
        for (decorator, wrapper) in decorators.iter().zip(wrappers) {
            let Value::Outside(path) = wrapper else { continue };
            let path = self.paths.text(*path).trim_end_matches("()");
            let is_one = path == "dataclasses.dataclass" || path.starts_with("attr");
            if !is_one {
                continue;
            }
            let arguments: &[Argument<'p>] =
                if let ExprKind::Call(call) = &decorator.kind { &call.arguments } else { &[] };
            let says = |name: &str| {
                let given = arguments.iter().find(|argument| argument.name == Some(name));
                given.map(|argument| matches!(argument.value.kind, ExprKind::Bool(true)))
            };
            rules.frozen |= path.ends_with(".frozen") || says("frozen") == Some(true);
            rules.compares |= path == "dataclasses.dataclass" && says("eq").is_none();
            rules.by_keyword |= says("kw_only") == Some(true);
        }
        rules
    }

    /// Whether setting an attribute of an object raises: a field of what is frozen, a name that `__slots__` leaves out.
    pub(super) fn is_not_to_be_set(&mut self, object: &Rc<Instance<'p>>, name: &'p str) -> bool {
        let class = &object.class;
        if class.fields.frozen {
            return true;
        }
        if !self.setters.contains("__slots__") || name.starts_with("__") {
            return false;
        }
        let order = self.resolution_order(class);
        let is_other = |slot: &Value<'p>| matches!(slot, Value::Text(slot) if slot.text != name && slot.text != "__dict__");
        let leaves_out = |run: &mut Self, class: &Value<'p>| match class {
            Value::Class(class) => match run.own_attribute(class, "__slots__") {
                Some(Value::Text(slot)) => slot.text != name,
                Some(slots) => match run.contents(&slots) {
                    Value::Sequence(slots) => slots.iter().all(is_other),
                    _ => false,
                },
                None => false,
            },
            Value::Outside(path) => super::classes::brings_nothing(run.paths.text(*path)),
            _ => false,
        };
        order.iter().all(|class| leaves_out(self, class))
            && !matches!(self.class_attribute(class, name), Value::Function(_) | Value::Instance(_))
    }

    /// Sets the fields of a dataclass from the arguments; the others keep the defaults of the class. Returns what
    /// `__post_init__` gets.
    pub(super) fn fill_fields(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        scope: ScopeId,
        args: &Args<'p>,
        site: Span,
    ) -> Args<'p> {
        let mut after = Args::default();
        let mut position = 0;
        for (field, filled) in self.fields_filled(class, 0) {
            let at = (filled != Filled::ByKeyword).then_some(position);
            let argument = match filled {
                Filled::ByItself => None,
                _ => args.get(at, Some(field)),
            };
            position += usize::from(matches!(filled, Filled::ByArgument | Filled::Never));
            if filled == Filled::Never {
                let value = match argument {
                    Some(argument) => argument.value.clone(),
                    None if args.open => Value::Unknown,
                    None => self.class_attribute(class, field),
                };
                after.items.push(Arg { name: None, value, span: site });
            } else if let Some(argument) = argument {
                self.bind_in(scope, field, argument.value.clone());
            } else if args.open && filled != Filled::ByItself {
                self.bind_in(scope, field, Value::Unknown);
            } else if let made @ Value::Stream(_) = self.class_attribute(class, field) {
                let made = self.run_paused(&made, site);
                self.bind_in(scope, field, made);
            }
        }
        after
    }

    /// `dataclasses.replace(object, name=value)`: another object, whose other fields are those of the first.
    pub(super) fn remade(&mut self, args: &Args<'p>, site: Span) -> Option<Value<'p>> {
        let object = self.force(args.at(0)?.value.clone());
        let Value::Instance(instance) = &object else { return None };
        let mut fields = Args { items: args.items[1..].to_vec(), open: args.open };
        for field in self.fields(&instance.class) {
            if fields.keyword(field).is_none() {
                let value = self.attribute(&object, field, site);
                fields.items.push(Arg { name: Some(field.into()), value, span: site });
            }
        }
        Some(self.instantiate(&instance.class, fields, site))
    }

    /// The fields of a class that its constructor takes.
    pub(super) fn fields(&mut self, class: &Rc<ClassValue<'p>>) -> Vec<&'p str> {
        let fields = self.fields_filled(class, 0).into_iter();
        fields.filter(|(_, filled)| *filled != Filled::ByItself).map(|(name, _)| name).collect()
    }

    /// The fields that its objects hold.
    fn fields_held(&mut self, class: &Rc<ClassValue<'p>>) -> Vec<&'p str> {
        let fields = self.fields_filled(class, 0).into_iter();
        fields.filter(|(_, filled)| *filled != Filled::Never).map(|(name, _)| name).collect()
    }

    /// The annotated names of a class, after those of its bases.
    fn fields_filled(&mut self, class: &Rc<ClassValue<'p>>, depth: usize) -> Vec<(&'p str, Filled)> {
        let mut fields: Vec<(&'p str, Filled)> = Vec::new();
        if let Some(Value::Sequence(names)) = self.in_scope(class.scope, NAMES).cloned() {
            return names.iter().filter_map(name_of).map(|name| (name, Filled::ByArgument)).collect();
        }
        for base in class.bases.clone().into_iter().filter(|_| depth < DEEPEST) {
            if let Value::Class(base) = self.force(base) {
                fields.extend(self.fields_filled(&base, depth + 1));
            }
        }
        let mut by_keyword = class.fields.by_keyword;
        for step in &self.class_code(class).body {
            let StatementKind::Assign { targets, annotated: true, value } = &step.kind else { continue };
            let Some(Target::Name(name, at)) = targets.first() else { continue };
            let end = value.as_ref().map_or(step.span.end, |value| value.span.start);
            let annotation = Place { file: class.file, span: Span { start: at.end.min(end), end } };
            let annotation = self.program.sources.text(annotation).trim_start_matches([':', ' ']);
            let is_of = |kind: &str| {
                let kind_of = annotation.split('[').next().unwrap_or_default();
                kind_of.trim_end_matches([' ', '=']).trim_matches(['"', '\'']).rsplit('.').next()
                    == Some(kind)
            };
            if is_of("ClassVar") {
                continue;
            }
            if is_of("KW_ONLY") {
                by_keyword = true;
                continue;
            }
            let filled = match value {
                _ if is_of("InitVar") => Filled::Never,
                Some(value) if says(value, "init", false) => Filled::ByItself,
                Some(value) if says(value, "kw_only", true) => Filled::ByKeyword,
                _ if by_keyword => Filled::ByKeyword,
                _ => Filled::ByArgument,
            };
            match fields.iter_mut().find(|(known, _)| known == name) {
                Some(known) => known.1 = filled,
                None => fields.push((name, filled)),
            }
        }
        fields
    }

    /// `namedtuple("Point", "x y", defaults=[0])`: a class whose objects hold these.
    pub(super) fn named_tuple_class(&mut self, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let Value::Text(own) = args.get(Some(0), Some("typename"))?.value.clone() else { return None };
        let told = args.get(Some(1), Some("field_names"))?.value.clone();
        let names: Vec<&'p str> = match self.contents(&told) {
            Value::Text(text) => match &text.text {
                Cow::Borrowed(text) => text.split([',', ' ', '\n']).filter(|name| !name.is_empty()).collect(),
                Cow::Owned(_) => return None,
            },
            Value::Sequence(names) => names.iter().map(name_of).collect::<Option<_>>()?,
            _ => return None,
        };
        let defaults = match args.keyword("defaults").map(|defaults| self.contents(&defaults.value)) {
            None | Some(Value::None) => Vec::new(),
            Some(Value::Sequence(defaults)) => defaults.to_vec(),
            Some(_) => return None,
        };
        let class = Rc::new(ClassValue {
            file: self.here.file,
            class: None,
            scope: self.new_scope(None, true),
            bases: Vec::new(),
            metaclass: None,
            dataclass: true,
            fields: FieldRules { frozen: true, compares: true, ..FieldRules::default() },
            counts_devices: false,
            marks: self.unmarked.clone(),
        });
        self.bind_in(class.scope, super::members::NAME, Value::Text(own));
        let place = self.place(span);
        for (name, default) in names.iter().rev().zip(defaults.into_iter().rev()) {
            self.bind_in(class.scope, name, default);
        }
        let names = names.into_iter().map(|name| Value::text(name, place)).collect();
        self.bind_in(class.scope, NAMES, Value::sequence(names));
        Some(Value::Class(class))
    }

    /// Whether the objects of a class are tuples with names.
    pub(super) fn is_named_tuple(&mut self, class: &Rc<ClassValue<'p>>) -> bool {
        self.resolution_order(class).iter().any(|class| match class {
            Value::Class(class) => self.in_scope(class.scope, NAMES).is_some(),
            Value::Outside(path) => &**self.paths.text(*path) == "typing.NamedTuple",
            _ => false,
        })
    }

    /// What a named tuple holds, in its order.
    pub(super) fn parts_of_tuple(&mut self, object: &Rc<Instance<'p>>) -> Option<Vec<Value<'p>>> {
        if !object.class.dataclass || !self.is_named_tuple(&object.class) {
            return None;
        }
        Some(self.parts_of_record(object))
    }

    fn parts_of_record(&mut self, object: &Rc<Instance<'p>>) -> Vec<Value<'p>> {
        self.parts_with_names(object).into_iter().map(|(_, value)| value).collect()
    }

    fn parts_with_names(&mut self, object: &Rc<Instance<'p>>) -> Vec<(&'p str, Value<'p>)> {
        let fields = self.fields_held(&object.class);
        let (whole, span) = (Value::Instance(object.clone()), self.here.statement);
        fields.into_iter().map(|field| (field, self.attribute(&whole, field, span))).collect()
    }

    /// `_replace` and `_asdict` of named tuples.
    pub(super) fn method_of_record(
        &mut self,
        object: &Rc<Instance<'p>>,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        if !object.class.dataclass {
            return None;
        }
        match name {
            "_replace" => {
                let itself = Args::positional(vec![Value::Instance(object.clone())], span);
                self.remade(&itself.followed_by(args.clone()), span)
            }
            "_asdict" => self.record_as_dict(&Value::Instance(object.clone()), span),
            _ => None,
        }
    }

    /// `Point._make(values)`
    pub(super) fn tuple_of(
        &mut self,
        class: &Rc<ClassValue<'p>>,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        if !self.is_named_tuple(class) {
            return None;
        }
        let values = self.iterate(args.at(0)?.value.clone(), span);
        let values = self.elements(&values)?;
        Some(self.instantiate(class, Args::positional(values, span), span))
    }

    /// `dataclasses.asdict(object)`
    pub(super) fn record_as_dict(&mut self, object: &Value<'p>, span: Span) -> Option<Value<'p>> {
        self.record_as_dict_at(0, object, span)
    }

    /// The same for one that lies so deep in others; one that lies in itself ends somewhere.
    fn record_as_dict_at(&mut self, depth: usize, object: &Value<'p>, span: Span) -> Option<Value<'p>> {
        const MOST_INSIDE: usize = 4;
        let Value::Instance(instance) = object else { return None };
        if !instance.class.dataclass {
            return None;
        }
        if depth > MOST_INSIDE {
            return Some(Value::Unknown);
        }
        let place = self.place(span);
        let mut items = Vec::new();
        for (field, value) in self.parts_with_names(instance) {
            let value = self.force(value);
            let inner = self.record_as_dict_at(depth + 1, &value, span);
            let value = inner.unwrap_or_else(|| self.deeply_copied(&value, span));
            items.push((Value::text(field, place), value));
        }
        Some(self.collection(Value::mapping(items)))
    }

    /// `dataclasses.astuple(object)`
    pub(super) fn record_as_tuple(&mut self, object: &Value<'p>) -> Option<Value<'p>> {
        let Value::Instance(instance) = object else { return None };
        let parts = instance.class.dataclass.then(|| self.parts_of_record(instance))?;
        let is_plain =
            |part: &Value<'p>| matches!(part, Value::Text(_) | Value::Int(..) | Value::Bool(_) | Value::None);
        parts.iter().all(is_plain).then(|| Value::sequence(parts))
    }

    /// What two objects of one class are compared by, where that is all that makes them equal.
    pub(super) fn equal_by_fields(
        &mut self,
        depth: usize,
        left: &Value<'p>,
        right: &Value<'p>,
    ) -> Option<bool> {
        let (Value::Instance(one), Value::Instance(other)) = (left, right) else { return None };
        let class = &one.class;
        if class.scope != other.class.scope || !class.dataclass {
            return None;
        }
        if !class.fields.compares && !self.is_named_tuple(class) {
            return None;
        }
        let leaves_out = self.class_code(class).body.iter().any(|step| match &step.kind {
            StatementKind::Assign { annotated: true, value: Some(value), .. } => {
                says(value, "compare", false) || says(value, "eq", false)
            }
            _ => false,
        });
        if leaves_out {
            return None;
        }
        let parts = self.parts_of_record(one).into_iter().zip(self.parts_of_record(other));
        let mut verdict = Some(true);
        for (one, other) in parts {
            match self.compare_inside(depth, Comparison::Equal, one, other) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => verdict = None,
            }
        }
        verdict
    }
}

/// Whether a decorator makes the annotated names of a class the arguments of its constructor.
pub(super) fn makes_fields(decorator: &str) -> bool {
    decorator.contains("dataclass") || decorator.starts_with("attr.") || decorator.starts_with("attrs.")
}

/// Whether a field is made by a call that says so: `field(init=False)`.
fn says(value: &Expr<'_>, name: &str, truth: bool) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    call.arguments.iter().any(|argument| {
        argument.name == Some(name) && matches!(argument.value.kind, ExprKind::Bool(said) if said == truth)
    })
}

fn name_of<'p>(value: &Value<'p>) -> Option<&'p str> {
    match value {
        Value::Text(text) => match text.text {
            Cow::Borrowed(name) => Some(name),
            Cow::Owned(_) => None,
        },
        _ => None,
    }
}
