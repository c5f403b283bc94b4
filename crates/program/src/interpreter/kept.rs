//! What a program hands to Python, which calls it at some later moment: handlers of logging and of signals, what shows warnings,
//! and workers that wait for a queue. It is kept among the names of the module that was started, so that ways join it and calls
//! that ask for it are known by it.

use super::calls::Args;
use super::loops::MOST_ELEMENTS;
use super::{Flow, Interpreter};
use crate::code::{Function, Target};
use crate::facts::Span;
use crate::program::heap::Relation;
use crate::program::heap::values::{ClassValue, ScopeId, Value};
use crate::program::summaries::Dependency;
use std::rc::Rc;

/// Objects that loggers were given: handlers, filters, formatters.
const OF_LOGGING: &str = "what loggers were given";
/// What is called of them when something is logged.
const ASKED_BY_LOGGING: [&str; 3] = ["filter", "format", "emit"];
/// Functions that signals call.
const OF_SIGNALS: &str = "what signals call";
/// Functions that show warnings.
const OF_WARNINGS: &str = "what shows warnings";
/// Functions that are called when objects end.
const OF_OBJECTS: &str = "what is called when objects end";
/// Generators that gave a value inside of a `try` or `with` and were not asked for more.
const LEFT_OPEN: &str = "generators left open";
/// Functions of threads that found a queue empty, each with its arguments.
const WAITING: &str = "workers that wait for a queue";
/// Whether a function raised that somebody else called.
const RAISED: &str = "whether a worker raised";

/// What is known of functions and classes while others call or make them.
#[derive(Default)]
pub(super) struct Handed<'p> {
    /// Classes that functions of their metaclasses are making, the innermost last.
    pub being_made: Vec<Rc<ClassValue<'p>>>,
    /// The kinds of what was handed to Python.
    pub kept: Vec<&'static str>,
    /// What was added there, in its order, each with its kind.
    pub added: Vec<(&'static str, Value<'p>)>,
    /// A function waits for something in a queue that is empty.
    pub starved: bool,
    /// A function that somebody else called raised.
    pub worker_raised: bool,
}

impl<'p> Interpreter<'p> {
    /// Keeps something under one of these names, beside what is there.
    fn keep(&mut self, name: &'static str, kept: Value<'p>) {
        let Some(&scope) = self.modules.get(&self.entry) else { return };
        let mut all = self.kept(name);
        if all.len() < MOST_ELEMENTS && !all.iter().any(|known| known.same(&kept)) {
            self.handed.added.push((name, kept.clone()));
            all.push(kept);
            self.bind_in(scope, name, Value::sequence(all));
            if !self.is_kept(name) {
                self.handed.kept.push(name);
            }
        }
    }

    /// What was added since so much was; `None` where something of the same kind was there before, so that it is not all.
    pub(super) fn added_alone(&self, since: usize) -> Option<Vec<(&'static str, Value<'p>)>> {
        let (before, added) = self.handed.added.split_at_checked(since)?;
        let is_alone = |(name, _): &(&str, Value<'p>)| !before.iter().any(|(known, _)| known == name);
        added.iter().all(is_alone).then(|| added.to_vec())
    }

    /// Adds once more what a call added.
    pub(super) fn keep_again(&mut self, added: &[(&'static str, Value<'p>)], relation: &Relation) {
        for (name, value) in added {
            self.keep(name, relation.apply(value));
        }
    }

    /// What was kept under a name, on some way at least.
    fn kept(&mut self, name: &'static str) -> Vec<Value<'p>> {
        let is_kept = self.is_kept(name);
        self.summaries.note(Dependency::Kept(name, is_kept));
        if !is_kept {
            return Vec::new();
        }
        let Some(&scope) = self.modules.get(&self.entry) else { return Vec::new() };
        let held = self.in_scope(scope, name).map(Value::alternatives).unwrap_or_default();
        let mut all: Vec<Value<'p>> = Vec::new();
        for held in held {
            let Value::Sequence(values) = held else { continue };
            for value in values.iter() {
                if !all.iter().any(|known| known.same(value)) {
                    all.push(value.clone());
                }
            }
        }
        all
    }

    /// Whether something was kept under a name.
    pub(super) fn is_kept(&self, name: &str) -> bool {
        self.handed.kept.contains(&name)
    }

    /// Calls of `logging`: what loggers are given is asked when something is logged. Which levels are shown is not known.
    pub(super) fn call_logging(&mut self, path: &str, args: &Args<'p>, span: Span) {
        match path.rsplit('.').next().unwrap_or(path) {
            "addHandler" | "addFilter" | "setFormatter" => {
                if let Some(object) = args.at(0).map(|argument| self.force(argument.value.clone())) {
                    self.keep_of_logging(object);
                }
            }
            "basicConfig" => {
                let handlers = args.keyword("handlers").map(|argument| argument.value.clone());
                let handlers = handlers.and_then(|handlers| self.elements(&handlers)).unwrap_or_default();
                handlers.into_iter().for_each(|handler| self.keep_of_logging(handler));
            }
            "debug" | "info" | "warning" | "warn" | "error" | "exception" | "critical" | "fatal" | "log" => {
                for object in self.kept(OF_LOGGING) {
                    self.on_some_ways(|run| {
                        for method in ASKED_BY_LOGGING {
                            run.special(&object, method, vec![Value::Unknown], span);
                        }
                    });
                }
            }
            _ => {}
        }
    }

    /// Programs make such objects with each logger: a few of a class stand for all of it, and those that only make texts for none.
    fn keep_of_logging(&mut self, object: Value<'p>) {
        const OF_ONE_CLASS: usize = 4;
        let Value::Instance(made) = &object else { return };
        let mut matters = false;
        for method in ASKED_BY_LOGGING {
            matters |= self.method_of(&object, method).is_some_and(|method| self.may_matter(&method));
        }
        if !matters {
            return;
        }
        let is_alike = |known: &Value<'p>| matches!(known, Value::Instance(known) if known.class.scope == made.class.scope);
        if self.kept(OF_LOGGING).into_iter().filter(is_alike).count() < OF_ONE_CLASS {
            self.keep(OF_LOGGING, object);
        }
    }

    /// `signal.signal(number, function)`, and what sends a signal to this process.
    pub(super) fn call_signal(&mut self, path: &str, args: &Args<'p>, span: Span) {
        match path {
            "signal.signal" => {
                if let Some(function @ Value::Function(_)) = args.at(1).map(|argument| argument.value.clone())
                {
                    self.keep(OF_SIGNALS, function);
                }
            }
            "signal.raise_signal" | "signal.alarm" | "signal.pause" | "os.kill" => {
                self.call_kept(OF_SIGNALS, span);
            }
            _ => {}
        }
    }

    /// `warnings.showwarning = function`
    pub(super) fn keep_of_warnings(&mut self, path: &str, value: &Value<'p>) {
        if matches!(path, "warnings.showwarning" | "warnings.formatwarning")
            && let Value::Function(_) = value
        {
            self.keep(OF_WARNINGS, value.clone());
        }
    }

    /// `warnings.warn(text)`: whether it is shown is not known.
    pub(super) fn warn(&mut self, span: Span) {
        self.call_kept(OF_WARNINGS, span);
    }

    fn call_kept(&mut self, name: &'static str, span: Span) {
        for function in self.kept(name) {
            let args = Args { items: Vec::new(), open: true };
            self.on_some_ways(|run| drop(run.call(function, args, span)));
        }
    }

    /// `weakref.finalize(object, function)` and `weakref.ref(object, function)`: the function is called when the object ends.
    pub(super) fn call_weakref(&mut self, path: &str, args: &Args<'p>, span: Span) {
        match args.at(1).map(|argument| argument.value.clone()) {
            Some(function @ Value::Function(_)) => self.keep(OF_OBJECTS, function),
            _ if path.ends_with(')') => self.call_kept(OF_OBJECTS, span),
            _ => {}
        }
    }

    /// `del name` and `name = None`: the object may end here, if nobody else has it.
    pub(super) fn end_objects(&mut self, targets: &'p [Target<'p>], span: Span) {
        let has_methods = self.setters.contains("__del__");
        if !has_methods && !self.is_kept(LEFT_OPEN) && self.kept(OF_OBJECTS).is_empty() {
            return;
        }
        for target in targets {
            let Target::Name(name, _) = target else { continue };
            match self.look_up(self.here.scope, name).cloned() {
                Some(object @ Value::Instance(_)) => {
                    if has_methods {
                        self.end_object(&object, span);
                    }
                    self.call_kept(OF_OBJECTS, span);
                }
                Some(generator @ Value::Paused(_)) => self.close_if_left_open(&generator, span),
                _ => {}
            }
        }
    }

    /// What names that get another value held, and what may end with that: objects with `__del__`, and generators that were
    /// left inside of a `try`.
    pub(super) fn replaced(&mut self, targets: &'p [Target<'p>], by: &Value<'p>) -> Vec<Value<'p>> {
        let has_methods = self.setters.contains("__del__");
        if !has_methods && !self.is_kept(LEFT_OPEN) {
            return Vec::new();
        }
        let held = targets.iter().filter_map(|target| match target {
            Target::Name(name, _) => self.in_scope(self.here.scope, name).cloned(),
            _ => None,
        });
        let may_end = |value: &Value<'p>| match value {
            Value::Instance(_) => has_methods,
            Value::Paused(_) => true,
            _ => false,
        };
        held.filter(|held| may_end(held) && !held.same(by)).collect()
    }

    /// Ends what names held before. Somebody else may have it.
    pub(super) fn end_replaced(&mut self, held: Vec<Value<'p>>, span: Span) {
        for object in held {
            match object {
                Value::Paused(_) => self.on_some_ways(|run| run.close_if_left_open(&object, span)),
                object => self.end_object(&object, span),
            }
        }
    }

    /// A generator gave a value inside of a `try` or `with` whose end is still to come.
    pub(super) fn leave_open(&mut self, generator: &Value<'p>) {
        self.keep(LEFT_OPEN, generator.clone());
    }

    /// Nobody holds a generator any more: what its `finally` does happens now, if it did not before.
    pub(super) fn close_if_left_open(&mut self, generator: &Value<'p>, span: Span) {
        if self.flow == Flow::Next && self.kept(LEFT_OPEN).iter().any(|open| open.same(generator)) {
            self.resumed_by(generator, "close", &Args::positional(Vec::new(), span), span);
        }
    }

    fn end_object(&mut self, object: &Value<'p>, span: Span) {
        if self.flow == Flow::Next && self.method_of(object, "__del__").is_some() {
            self.on_some_ways(|run| drop(run.special(object, "__del__", Vec::new(), span)));
        }
    }

    /// Objects that a function made may end with it.
    pub(super) fn end_local_objects(&mut self, function: &'p Function<'p>, scope: ScopeId) {
        let has_methods = self.setters.contains("__del__");
        let may_end = has_methods || self.is_kept(LEFT_OPEN);
        if !may_end || self.flow == Flow::Raise || self.flow == Flow::Unreachable {
            return;
        }
        let is_parameter = |name: &str| function.parameters.iter().any(|parameter| parameter.name == name);
        let ends = |value: &Value<'p>| matches!(value, Value::Instance(_) | Value::Paused(_));
        let mut held = self.heap.names(scope);
        held.retain(|(name, value)| ends(value) && !is_parameter(name));
        held.sort_by_key(|(name, _)| *name);
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        for (_, object) in held {
            if self.here.returns.iter().any(|returned| returned.same(&object)) {
                continue;
            }
            match object {
                Value::Paused(_) => self.close_if_left_open(&object, function.name_span),
                _ if has_methods => self.end_object(&object, function.name_span),
                _ => {}
            }
        }
        if self.flow == Flow::Next {
            self.flow = flow;
        }
    }

    /// The objects that the program which was started holds end with it, at the latest.
    pub(super) fn end_all_objects(&mut self) {
        let Some(&scope) = self.modules.get(&self.entry) else { return };
        if self.flow != Flow::Next {
            return;
        }
        self.call_kept(OF_OBJECTS, Span::default());
        if self.setters.contains("__del__") {
            let mut held = self.heap.names(scope);
            held.retain(|(_, value)| matches!(value, Value::Instance(_)));
            held.sort_by_key(|(name, _)| *name);
            held.into_iter().for_each(|(_, object)| self.end_object(&object, Span::default()));
        }
    }

    /// Runs what somebody else calls; whether it came to a queue that is empty.
    pub(super) fn run_worker<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> (R, bool) {
        let around = std::mem::take(&mut self.handed.starved);
        let result = run(self);
        (result, std::mem::replace(&mut self.handed.starved, around))
    }

    /// A thread that found a queue empty goes on when somebody has put something there.
    pub(super) fn keep_waiting(&mut self, function: &Value<'p>, args: &Args<'p>) {
        if args.open {
            return;
        }
        let args = args.items.iter().map(|argument| argument.value.clone()).collect();
        self.keep(WAITING, Value::sequence(vec![function.clone(), Value::sequence(args)]));
    }

    /// Somebody waits for threads, or for a queue: those that wait themselves go on.
    pub(super) fn wake_waiting(&mut self, span: Span) {
        if self.flow != Flow::Next {
            return;
        }
        let waiting = self.kept(WAITING);
        // Who waits again while it goes on does not wake itself.
        if let Some(&scope) = self.modules.get(&self.entry).filter(|_| self.is_kept(WAITING)) {
            self.bind_in(scope, WAITING, Value::sequence(Vec::new()));
        }
        for worker in waiting {
            let Value::Sequence(parts) = &worker else { continue };
            let [function, Value::Sequence(args)] = &parts[..] else { continue };
            let args = Args::positional(args.to_vec(), span);
            self.on_some_ways(|run| {
                run.call(function.clone(), args, span);
                run.flow = Flow::Next;
            });
        }
    }

    /// A function raised that an executor called: `future.result()` raises it again.
    pub(super) fn keep_raised(&mut self) {
        self.keep(RAISED, Value::Bool(true));
    }

    /// `future.result()`: what the function raised, if any did.
    pub(super) fn ask_for_result(&mut self) {
        if !self.kept(RAISED).is_empty() {
            self.seems_to_raise();
        }
    }
}

/// Whether a call asks a future for what its function gave.
pub(super) fn asks_for_result(path: &str) -> bool {
    [".submit().result", "apply_async().get", "map_async().get", "run_coroutine_threadsafe().result"]
        .iter()
        .any(|end| path.ends_with(end))
}
