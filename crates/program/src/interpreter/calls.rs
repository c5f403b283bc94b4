//! Calls: who is called, and with what.

use super::branches::ArmRun;
use super::builtin_names::may_have;
use super::classes::CHANGING;
use super::{Flow, Interpreter};
use crate::code::{Argument, Call, ExprKind};
use crate::facts::Span;
use crate::program::heap::values::{DictView, Value};
use std::borrow::Cow;
use std::cell::RefCell;

/// The arguments of one call.
#[derive(Clone, Default)]
pub(super) struct Args<'p> {
    pub items: Vec<Arg<'p>>,
    /// `*args` or `**kwargs` may add more.
    pub open: bool,
}

#[derive(Clone)]
pub(super) struct Arg<'p> {
    pub name: Option<Cow<'p, str>>,
    pub value: Value<'p>,
    pub span: Span,
}

impl<'p> Args<'p> {
    pub fn positional(values: Vec<Value<'p>>, span: Span) -> Self {
        let items = values.into_iter().map(|value| Arg { name: None, value, span }).collect();
        Args { items, open: false }
    }

    /// Whether each argument stands in the same place and holds the same.
    pub fn same(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&Arg<'p>, &Arg<'p>)| {
            one.span == other.span && one.name == other.name && one.value.same(&other.value)
        };
        self.open == other.open
            && self.items.len() == other.items.len()
            && self.items.iter().zip(&other.items).all(is_same)
    }

    /// These arguments, then others; a keyword that both have is what the others say.
    pub fn followed_by(mut self, others: Args<'p>) -> Self {
        self.items
            .retain(|argument| argument.name.as_deref().is_none_or(|name| others.keyword(name).is_none()));
        self.items.extend(others.items);
        self.open |= others.open;
        self
    }

    pub fn keyword(&self, name: &str) -> Option<&Arg<'p>> {
        self.items.iter().find(|argument| argument.name.as_deref() == Some(name))
    }

    pub fn at(&self, position: usize) -> Option<&Arg<'p>> {
        self.items.iter().filter(|argument| argument.name.is_none()).nth(position)
    }

    /// The argument given by position or by keyword.
    pub fn get(&self, position: Option<usize>, name: Option<&str>) -> Option<&Arg<'p>> {
        position.and_then(|position| self.at(position)).or_else(|| name.and_then(|name| self.keyword(name)))
    }
}

impl<'p> Interpreter<'p> {
    pub(super) fn eval_call(&mut self, call: &'p Call<'p>, span: Span) -> Value<'p> {
        // `super().method(...)`
        if let ExprKind::Attribute(object, name) = &call.callee.kind {
            if let ExprKind::Call(inner) = &object.kind
                && matches!(inner.callee.kind, ExprKind::Name("super"))
            {
                let args = self.eval_arguments(Some(name), &call.arguments);
                if self.flow != Flow::Next {
                    return Value::Unknown;
                }
                let method = match self.told_to_super(inner) {
                    Some((class, object)) => self.attribute_behind_class(&class, &object, name, span),
                    None => self.super_attribute(name, span),
                };
                if *name == "__new__"
                    && let Some(made) = self.bare_object(&method, &args)
                {
                    return made;
                }
                if !matches!(method, Value::Function(_))
                    && let Some(object) = self.here.bound.clone()
                    && let Some(result) = self.by_object(name, &object, &args, span)
                {
                    return result;
                }
                return self.call(method, args, span);
            }
            let receiver = self.eval(object);
            let receiver = self.force(receiver);
            let is_real = !self.is_replaced(&receiver, name);
            let args = self.eval_arguments(is_real.then_some(*name), &call.arguments);
            if self.flow != Flow::Next {
                return Value::Unknown;
            }
            self.note_handed(&receiver, name, call, &args);
            if let Some(result) = self.change_names(object, &receiver, name, &args, span) {
                return result;
            }
            if CHANGING.contains(name) {
                self.lose_items(&receiver, object);
            }
            if let Some(result) = self.change(object, &receiver, name, &args, span) {
                return result;
            }
            return self.call_method(&receiver, name, args, span);
        }
        let callee = self.eval(&call.callee);
        let name = if let ExprKind::Name(name) = &call.callee.kind { name } else { "" };
        let args = self.eval_arguments(Some(name), &call.arguments);
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        self.note_handed(&callee, name, call, &args);
        let commands = self.commands_of(&callee, name);
        let result = self.call(callee, args, span);
        if !commands.is_empty() && self.flow == Flow::Next {
            self.run_commands(commands, span);
        }
        result
    }

    /// Evaluates the arguments of a call; without the name of a callee it is one that does nothing.
    pub(super) fn eval_arguments(&mut self, callee: Option<&str>, arguments: &'p [Argument<'p>]) -> Args<'p> {
        let mut args = Args::default();
        for argument in arguments {
            let value = self.eval(&argument.value);
            let span = argument.value.span;
            if !argument.unpacked {
                if let (Some(name), Some(callee)) = (argument.name, callee) {
                    self.chosen_by_keyword(callee, name, &value);
                }
                args.items.push(Arg { name: argument.name.map(Cow::Borrowed), value, span });
                continue;
            }
            // `*args` with a known sequence or `**kwargs` with known keys add what they hold.
            match self.iterate_all(value, span) {
                Value::Sequence(values) => {
                    args.items.extend(values.iter().map(|value| Arg {
                        name: None,
                        value: value.clone(),
                        span,
                    }));
                }
                Value::Mapping(items) => {
                    for (key, value) in items.iter() {
                        match key {
                            Value::Text(text) => args.items.push(Arg {
                                name: Some(text.text.clone()),
                                value: value.clone(),
                                span: value.place().map_or(span, |place| place.span),
                            }),
                            _ => args.open = true,
                        }
                    }
                }
                _ => args.open = true,
            }
        }
        args
    }

    pub(super) fn call_method(
        &mut self,
        receiver: &Value<'p>,
        name: &'p str,
        args: Args<'p>,
        span: Span,
    ) -> Value<'p> {
        if self.is_method_replaced(receiver, name) {
            return Value::Unknown;
        }
        self.may_lack_item(receiver, name, &args);
        match receiver {
            Value::Unknown => {
                self.note_validator(name, span);
                if name == "start" && args.items.is_empty() {
                    self.start_waiting(span);
                }
                self.run_callbacks(name, &args, span);
                self.apply_method_effects(name, &args, span);
                if !only_looks(name) {
                    self.hand_out_all(&args);
                }
                if Self::makes_mock(name) {
                    return Value::Outside(self.paths.id("unittest.mock.MagicMock()"));
                }
                Value::Unknown
            }
            Value::Text(_)
            | Value::Int(..)
            | Value::Collection(_)
            | Value::Sequence(_)
            | Value::Mapping(_)
            | Value::Bool(_)
                if !may_have(name) =>
            {
                self.run_callbacks(name, &args, span);
                match self.attribute(receiver, name, span) {
                    // `SimpleNamespace(run=train).run()`
                    function @ (Value::Function(_) | Value::Class(_)) => self.call(function, args, span),
                    other => other,
                }
            }
            Value::Class(class) if name == "__subclasses__" => self.subclasses_of(class),
            Value::Function(closure)
                if let Some(table) = closure.dispatch
                    && name == "register" =>
            {
                self.register_called(table, &args)
            }
            Value::Function(closure)
                if let Some(results) = closure.results
                    && name == "cache_clear" =>
            {
                self.set_contents(results, Value::mapping(Vec::new()));
                Value::None
            }
            Value::Collection(_) if let Some(result) = self.call_stack(receiver, name, &args, span) => result,
            Value::Collection(_) => match self.contents(receiver) {
                Value::Sequence(_) | Value::Mapping(_)
                    if let Some(result) = self.change_collection(receiver, name, &args, span) =>
                {
                    result
                }
                Value::Mapping(_) if let Some(view) = view_of(receiver, name) => view,
                contents @ (Value::Sequence(_) | Value::Mapping(_)) => {
                    if let (Value::Collection(scope), "get") = (receiver, name) {
                        self.heap.ask_contents(*scope);
                    }
                    let result = self.constant_method(&contents, name, &args, span);
                    if name == "copy" { self.collection_like(&[receiver], result) } else { result }
                }
                _ => self.call_method(&Value::Unknown, name, args, span),
            },
            Value::Text(_) | Value::Mapping(_) | Value::Sequence(_) | Value::Int(..) => {
                self.constant_method(receiver, name, &args, span)
            }
            Value::None => self.attribute(receiver, name, span),
            Value::Paused(_) => self.resumed_by(receiver, name, &args, span),
            Value::Stream(_) | Value::Bool(_) => Value::Unknown,
            Value::OneOf(values) => {
                self.call_each(values, |run, value| run.call_method(value, name, args.clone(), span))
            }
            _ => {
                let method = self.attribute(receiver, name, span);
                if name == "start"
                    && let Some(result) = self.start_own(receiver, &method, span)
                {
                    return result;
                }
                if let Some(result) = self.run_command_loop(receiver, &method, span) {
                    return result;
                }
                self.note_use_in_child(receiver, Some(name), span);
                match method {
                    Value::Unknown | Value::Outside(_) => {
                        if let (Value::Class(class), "_make") = (receiver, name)
                            && let Some(made) = self.tuple_of(class, &args, span)
                        {
                            return made;
                        }
                        if let Value::Instance(instance) = receiver
                            && let Some(result) = self.method_of_container(instance, name, &args, span)
                        {
                            return result;
                        }
                        self.call_method_of_base(receiver, name, method, args, span)
                    }
                    method => self.call(method, args, span),
                }
            }
        }
    }

    /// Calls a value.
    pub(super) fn call(&mut self, callee: Value<'p>, args: Args<'p>, span: Span) -> Value<'p> {
        match self.force(callee) {
            Value::Function(closure) if self.refuses(&closure, &args) => self.raises(),
            Value::Function(closure) => self.run_function(&closure, args, span),
            Value::Class(class) => {
                if let Some(metaclass) = &class.metaclass
                    && let Value::Function(maker) = self.class_attribute(metaclass, "__call__")
                {
                    return self.run_function(&maker.bound_to(Value::Class(class.clone())), args, span);
                }
                let counted = self.count_devices(class.counts_devices);
                let instance = self.instantiate(&class, args, span);
                self.state.counted = counted;
                instance
            }
            Value::Instance(instance) => {
                let object = Value::Instance(instance.clone());
                self.note_use_in_child(&object, None, span);
                for name in ["__call__", "forward"] {
                    if let Value::Function(_) = self.class_attribute(&instance.class, name) {
                        return self.call_method(&object, name, args, span);
                    }
                }
                if self.surely_lacks(&object, "__call__") {
                    return self.raises();
                }
                Value::Unknown
            }
            Value::Outside(path) => self.call_outside(path, args, span),
            lazy @ Value::Lazy(_) => {
                let forced = self.force_lazy(lazy);
                self.call(forced, args, span)
            }
            Value::OneOf(values) => {
                self.call_each(&values, |run, value| run.call(value.clone(), args.clone(), span))
            }
            Value::None | Value::Text(_) | Value::Int(..) | Value::Bool(_) if self.knows_all() => {
                self.raises()
            }
            _ => {
                self.run_callbacks("", &args, span);
                self.hand_out_all(&args);
                Value::Unknown
            }
        }
    }

    /// Whoever is called with these may change what they hold.
    pub(super) fn hand_out_all(&mut self, args: &Args<'p>) {
        args.items.iter().for_each(|argument| self.hand_out(&argument.value));
    }

    /// Calls each of several values on a path of its own. One that is None fails, so it is none of them.
    fn call_each(
        &mut self,
        values: &[Value<'p>],
        call: impl Fn(&mut Self, &Value<'p>) -> Value<'p>,
    ) -> Value<'p> {
        let possible: Vec<_> = values.iter().filter(|value| !matches!(value, Value::None)).collect();
        if let [only] = possible[..] {
            return call(self, only);
        }
        let results = RefCell::new(Vec::new());
        let (call, kept) = (&call, &results);
        let arms = possible.into_iter().map(|value| -> ArmRun<'_, 'p> {
            Box::new(move |run| {
                let (before, doubts) = (run.trace.events.len(), run.uncertain);
                let result = call(run, value);
                let mut events = run.trace.events[before..].iter();
                let uses = events.any(|event| event.doubts == doubts && event.what.initialises_cuda());
                kept.borrow_mut().push((result, uses && run.in_child == 0));
            })
        });
        self.exec_branches(arms.collect());
        let (results, uses): (Vec<_>, Vec<bool>) = results.into_inner().into_iter().unzip();
        // Whichever it is, it uses the GPU.
        if let Some(cuda) = &mut self.state.cuda
            && uses.iter().all(|used| *used)
        {
            cuda.certain |= self.uncertain == 0;
        }
        Value::one_of(results)
    }
}

/// What `items()` of a dictionary and its like give.
fn view_of<'p>(dictionary: &Value<'p>, method: &str) -> Option<Value<'p>> {
    let Value::Collection(scope) = dictionary else { return None };
    let part = match method {
        "keys" => DictView::Keys,
        "values" => DictView::Values,
        "items" => DictView::Items,
        _ => return None,
    };
    Some(Value::View(*scope, part))
}

/// Whether a method of something unknown only looks at what it is given, whatever it belongs to.
fn only_looks(name: &str) -> bool {
    const LOOKING: &[&str] = &[
        "critical",
        "debug",
        "dump",
        "dumps",
        "error",
        "exception",
        "format",
        "get",
        "info",
        "join",
        "log",
        "print",
        "warn",
        "warning",
        "write",
        "writelines",
        "add_argument",
        "parse_args",
        "index",
        "count",
    ];
    LOOKING.contains(&name)
}
