//! Functions of the project: their definition and their calls.

use super::calls::{Arg, Args};
use super::generators::{Active, object_of};
use super::iterators::IteratorPosition;
use super::statements::equal;
use super::{CodePosition, EarlyExits, Flow, Interpreter};
use crate::code::{Function, ParameterKind};
use crate::facts::Span;
use crate::program::heap::values::{Closure, Paused, Role, ScopeId, Value};
use crate::program::knowledge::Does;
use crate::program::summaries::{Dependency, NestedCall};
use std::rc::Rc;

/// Calls nested deeper than this are not followed.
pub(super) const MOST_CALLS: usize = 400;

impl<'p> Interpreter<'p> {
    /// The function as a value: its defaults are evaluated here, once.
    pub(super) fn closure(&mut self, function: usize, counts_devices: bool) -> Value<'p> {
        let definition = &self.code().functions[function];
        let mut defaults = Vec::with_capacity(definition.parameters.len());
        for parameter in &definition.parameters {
            let default = parameter.default.as_ref().map(|default| (self.eval(default), default.span));
            if let Some((value, _)) = &default {
                self.chosen_by_default(parameter.name, value);
            }
            defaults.push(default.map(|(value, _)| value));
        }
        self.heap.capture(self.here.scope);
        let in_class = self.heap.is_class(self.here.scope);
        Value::Function(Rc::new(Closure {
            file: self.here.file,
            function,
            scope: self.here.scope,
            defaults,
            bound: None,
            held: Vec::new(),
            class: self.here.class.clone().filter(|_| in_class),
            role: Role::Plain,
            setter: None,
            deleter: None,
            results: None,
            dispatch: None,
            inside: Vec::new(),
            counts_devices,
            marks: self.unmarked.clone(),
        }))
    }

    /// `functools.partial(function, …)`: keywords become defaults, and the others stand before those of the call.
    pub(super) fn partial(&mut self, args: &Args<'p>) -> Option<Value<'p>> {
        let function = self.force(args.at(0)?.value.clone());
        match &function {
            Value::Function(closure) => {
                let mut partial = Closure::clone(closure);
                for (parameter, default) in
                    self.function_of(closure).parameters.iter().zip(&mut partial.defaults)
                {
                    if let Some(argument) = args.keyword(parameter.name) {
                        *default = Some(argument.value.clone());
                    }
                }
                let positional = args.items.iter().filter(|argument| argument.name.is_none()).skip(1);
                partial.held.extend(positional.map(|argument| argument.value.clone()));
                Some(Value::Function(Rc::new(partial)))
            }
            Value::Outside(path) => {
                let held = Args { items: args.items[1..].to_vec(), open: args.open };
                let partial = self.paths.object(*path);
                self.tie(&held);
                self.partials.insert(partial, held);
                Some(Value::Outside(partial))
            }
            _ => Some(function),
        }
    }

    /// Whether a call raises a TypeError, since the parameters do not take its arguments. What a decorator makes of a
    /// function may take others.
    pub(super) fn refuses(&self, closure: &Closure<'p>, args: &Args<'p>) -> bool {
        let is_plain = Rc::ptr_eq(&closure.marks, &self.unmarked) && closure.role == Role::Plain;
        is_plain
            && !super::arguments::takes(self.function_of(closure), closure, args)
            && self.knows_all()
            && self.is_python_here()
    }

    /// Calls a function of the project with what is known about its arguments.
    pub(super) fn run_function(
        &mut self,
        closure: &Rc<Closure<'p>>,
        args: Args<'p>,
        site: Span,
    ) -> Value<'p> {
        if let Some(manager) = closure.inside.last().cloned() {
            let mut inner = Closure::clone(closure);
            inner.inside.pop();
            return self.run_inside_manager(&manager, Rc::new(inner), args, site);
        }
        if let Some(results) = closure.results {
            let inner = Rc::new(Closure { results: None, ..Closure::clone(closure) });
            return self.run_once_for(results, &inner, args, site);
        }
        if let Some(table) = closure.dispatch {
            let otherwise = Rc::new(Closure { dispatch: None, ..Closure::clone(closure) });
            return self.dispatch(table, otherwise, args, site);
        }
        let function = self.function_of(closure);
        if !self.may_follow(closure, &args) {
            if self.flow == Flow::Next && self.never_returns(closure) {
                self.flow = Flow::Raise;
            }
            self.forget_changed(closure, &args);
            self.follow_deeper(closure, args, site);
            return Value::Unknown;
        }
        if self.active.len() >= MOST_CALLS {
            self.summaries.left_out += 1;
            self.trace.cut = true;
            self.whole_environment().havoc();
            return Value::Unknown;
        }
        if self.flow != Flow::Next || !self.spend() || self.passes_over(closure.file) {
            return Value::Unknown;
        }
        if !self.state.set_up().mocked.is_empty() && self.is_mocked(&self.qualified(closure)) {
            return Value::Unknown;
        }
        self.note_validator(function.name, site);
        if closure.marks.threads {
            self.pass_call("numba", &[Does::Threads], function.name, site);
        }
        let is_open = args.open;
        let mut arguments = super::arguments::bind_arguments(function, closure, args);
        self.given_by_command_line(closure, is_open, &mut arguments);
        if function.is_async || function.is_generator {
            let scope = self.bind_parameters(closure, &arguments);
            if function.is_generator {
                self.set_position(scope, IteratorPosition::At(0));
            }
            return Value::Paused(Rc::new(Paused { closure: closure.clone(), scope }));
        }
        // What a call did to a variable was noted where `os.environ` shows all that the process holds.
        let is_apart = self.state.shows_any_apart();
        let known = if is_apart { None } else { self.known_call(closure, &arguments, site) };
        match known {
            Some(result) => result,
            None => self.follow_call(closure, arguments, site),
        }
    }

    /// Calls a function that keeps its results, unless it was called with these arguments before.
    fn run_once_for(
        &mut self,
        results: ScopeId,
        function: &Rc<Closure<'p>>,
        args: Args<'p>,
        site: Span,
    ) -> Value<'p> {
        let place = self.place(site);
        let named = |argument: &Arg<'p>| {
            let name = argument.name.as_ref().map(|name| Value::text(name.clone(), place));
            Value::sequence(vec![name.unwrap_or(Value::None), argument.value.clone()])
        };
        let given: Vec<Value<'p>> =
            function.bound.iter().cloned().chain(args.items.iter().map(named)).collect();
        // On each way other results may be kept.
        let held = self.contents(&Value::Collection(results));
        let ways: Option<Vec<_>> = held.alternatives().iter().map(kept_results).collect();
        let Some(ways) = ways else { return self.run_function(function, args, site) };
        let is_open = args.open;
        let key = Value::sequence(given);
        let results_of = |kept: &Vec<(Value<'p>, Value<'p>)>| {
            kept.iter().find(|(known, _)| is_one(known, &key)).map(|(_, result)| result.clone())
        };
        let known: Vec<Value<'p>> = ways.iter().filter_map(results_of).collect();
        let mut result = Value::Unknown;
        if known.len() == ways.len() {
            return Value::one_of(known);
        } else if known.is_empty() {
            result = self.run_function(function, args, site);
        } else {
            self.on_some_ways(|run| result = run.run_function(function, args, site));
        }
        if !is_open {
            let with_result = |mut kept: Vec<_>| {
                if results_of(&kept).is_none() {
                    kept.push((key.clone(), result.clone()));
                }
                Value::mapping(kept)
            };
            let kept: Vec<_> = ways.into_iter().map(with_result).collect();
            self.set_contents(results, Value::one_of(kept));
        }
        Value::one_of(known.into_iter().chain([result]))
    }

    /// The namespace of a call, with its parameters.
    pub(super) fn bind_parameters(&mut self, closure: &Rc<Closure<'p>>, arguments: &[Value<'p>]) -> ScopeId {
        let scope = self.new_scope(Some(closure.scope), false);
        for (parameter, value) in self.function_of(closure).parameters.iter().zip(arguments) {
            // Each call has a dictionary of its own for `**kwargs`.
            let value = match parameter.kind {
                ParameterKind::Keywords => self.collection(value.clone()),
                _ => value.clone(),
            };
            self.bind_in(scope, parameter.name, value);
        }
        scope
    }

    /// The dotted name of a function or method of the project.
    fn qualified(&self, closure: &Closure<'p>) -> String {
        let name = self.function_of(closure).name;
        match &closure.class {
            Some(class) => format!("{}.{name}", self.class_path(class)),
            None => format!("{}.{name}", self.program.dotted(closure.file)),
        }
    }

    /// Runs the body of a function in its own namespace.
    pub(super) fn run_body(&mut self, closure: &Rc<Closure<'p>>, scope: u32, site: Span) -> Value<'p> {
        let function = self.function_of(closure);
        let events = self.trace.events.len();
        let frame = self.push_frame(closure.file, Some(closure.function), site);
        self.trace.ran.insert((closure.file, closure.function));
        let key = (closure.file, closure.function);
        let around = self.calls_around(key);
        // Whoever called it said whether it is followed.
        self.summaries.note(Dependency::Followed(NestedCall {
            function: key,
            around,
            by_arguments: true,
            is_indirect: false,
            is_certain: self.is_certain_call(key, around),
        }));
        self.trace.cost.bodies += 1;
        let here = CodePosition {
            statement: function.name_span,
            bound: closure.bound.clone(),
            class: closure.class.clone(),
            ..CodePosition::in_module(closure.file, scope, frame)
        };
        let outer = std::mem::replace(&mut self.here, here);
        self.callers.push(outer);
        let modules = self.in_order.len();
        self.active.push(Active {
            key,
            scope: closure.scope,
            object: object_of(closure),
            modules,
            uncertain: self.uncertain,
            repeats: self.repeats,
        });
        let ways_out = self.ways_out;
        let counted = self.count_devices(closure.counts_devices);
        let mocked = self.state.set_up().mocked.len();
        if !closure.marks.mocked.is_empty() {
            self.state.set_up_mut().mocked.extend(closure.marks.mocked.iter().cloned());
        }
        stacker::maybe_grow(256 * 1024, 8 * 1024 * 1024, || self.block(&function.body));
        self.end_local_objects(function, scope);
        self.state.counted = counted;
        if !closure.marks.mocked.is_empty() {
            self.state.set_up_mut().mocked.truncate(mocked);
        }
        self.ways_out = EarlyExits { of_program: self.ways_out.of_program, ..ways_out };
        self.active.pop();
        let Some(outer) = self.callers.pop() else { return Value::Unknown };
        let inner = std::mem::replace(&mut self.here, outer);
        self.pop_frames(frame, events);
        self.leave_function(inner, function)
    }

    /// Joins the ways out of a function and returns what it may return.
    fn leave_function(&mut self, inner: CodePosition<'p>, function: &Function<'p>) -> Value<'p> {
        let falls_through = self.flow == Flow::Next;
        let exits = inner.end.map(|end| self.landing(end)).unwrap_or_default();
        if matches!(self.flow, Flow::Return | Flow::Break | Flow::Continue) {
            self.flow = Flow::Next;
        }
        match self.flow {
            Flow::Next if exits.is_empty() => {}
            Flow::Next => self.join_with_here(exits),
            _ if exits.is_empty() => self.flow = Flow::Raise,
            _ => {
                let flow = std::mem::replace(&mut self.flow, Flow::Next);
                self.leave_by(flow);
                self.join(exits);
            }
        }
        if self.passes_over(inner.file) {
            return Value::Unknown;
        }
        let mut returns = inner.returns;
        if falls_through || function.is_generator && returns.is_empty() {
            returns.push(Value::None);
        }
        Value::one_of(returns)
    }
}

/// Arguments with the results that were kept for them.
fn kept_results<'p>(held: &Value<'p>) -> Option<Vec<(Value<'p>, Value<'p>)>> {
    match held {
        Value::Mapping(kept) => Some(kept.to_vec()),
        _ => None,
    }
}

/// Whether two values are surely one.
fn is_one(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::Sequence(one), Value::Sequence(other)) => {
            one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| is_one(one, other))
        }
        (Value::Instance(one), Value::Instance(other)) => one.scope == other.scope,
        _ => equal(one, other) == Some(true),
    }
}
