//! Functions of the project: their definition and their calls.

use super::branches::Outcome;
use super::calls::Args;
use super::{Flow, Here, Run};
use crate::code::Function;
use crate::facts::Span;
use crate::program::Start;
use crate::program::knowledge::Does;
use crate::program::state::State;
use crate::program::trace::{Arms, What};
use crate::program::value::{Closure, Paused, Role, ScopeId, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Calls nested deeper than this are not followed.
pub(super) const MOST_CALLS: usize = 48;

/// The last call of a function: as long as it counts for the next one too, calling it again does nothing new.
pub(super) struct Memo<'p> {
    bound: Option<Value<'p>>,
    arguments: Vec<Value<'p>>,
    result: Value<'p>,
    /// What in it gave memory of the GPU back: that counts each time anew, since more may be held.
    releases: Option<Rc<str>>,
    /// It noted nothing and changed nothing that others know.
    pure: bool,
    /// It asked how many devices there are.
    asks: bool,
    /// What was true when it ended.
    moment: Moment,
}

/// What a call can depend on beside its arguments, and what becomes of the events that it notes.
pub(super) struct Moment {
    changes: usize,
    /// How many namespaces there were: it can depend on no other.
    scopes: ScopeId,
    imported: usize,
    state: State,
    /// What was done in one arm of a branch is not done in the other.
    path: Arms,
    uncertain: usize,
    in_child: usize,
    only_if_called: bool,
    /// It was part of what cleans up.
    assured: bool,
}

impl<'p> Run<'p> {
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
        let around = &mut self.scopes[self.here.scope as usize];
        around.is_captured = true;
        let in_class = around.is_class;
        Value::Function(Rc::new(Closure {
            file: self.here.file,
            function,
            scope: self.here.scope,
            defaults,
            bound: None,
            held: Vec::new(),
            class: self.here.class.clone().filter(|_| in_class),
            role: Role::Plain,
            inside: Vec::new(),
            counts_devices,
            marks: self.unmarked.clone(),
        }))
    }

    /// `functools.partial(function, …)`: keywords become defaults, and the others stand before those of the call.
    pub(super) fn partial(&mut self, args: &Args<'p>) -> Option<Value<'p>> {
        let function = self.settle(args.at(0)?.value.clone());
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
                self.partials.insert(partial, held);
                Some(Value::Outside(partial))
            }
            _ => Some(function),
        }
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
        let function = self.function_of(closure);
        let key = (closure.file, closure.function);
        if self.active.contains(&key) || self.active.len() >= MOST_CALLS || !self.spend() {
            return Value::Unknown;
        }
        if self.passes_over(closure.file) {
            return Value::Unknown;
        }
        if !self.state.set_up().mocked.is_empty() && self.is_mocked(&self.qualified(closure)) {
            return Value::Unknown;
        }
        self.note_validator(function.name, site);
        if closure.marks.threads {
            self.pass_call("numba", &[Does::Threads], function.name, site);
        }
        let arguments = super::arguments::bind_arguments(function, closure, args);
        if let Some(memo) = self.memo.get(&key)
            && memo.moment.assured == self.assured.is_some()
            && !self.changes.reach(memo.moment.scopes, memo.moment.changes)
            && (memo.pure || (self.is_still(&memo.moment) && !self.is_importing()))
            && same_arguments(memo, closure, &arguments)
        {
            let result = memo.result.clone();
            self.asked_count |= memo.asks;
            if let Some(by) = memo.releases.clone() {
                self.note_release(&by, site);
            }
            return result;
        }
        let scope = self.new_scope(Some(closure.scope), false);
        for (parameter, value) in function.parameters.iter().zip(&arguments) {
            self.bind_in(scope, parameter.name, value.clone());
        }
        if function.is_async || function.is_generator {
            return Value::Paused(Rc::new(Paused { closure: closure.clone(), scope }));
        }
        let (events, changes) = (self.trace.events.len(), self.changes.last());
        let asked = std::mem::take(&mut self.asked_count);
        let result = self.run_to_end(closure, scope, site);
        let asks = std::mem::replace(&mut self.asked_count, asked);
        self.asked_count |= asks;
        let releases = self.trace.events[events..].iter().rev().find_map(|event| match &event.what {
            What::Release { by } => Some(by.as_str().into()),
            _ => None,
        });
        let left = &mut self.scopes[scope as usize];
        if !left.is_captured {
            left.values = FxHashMap::default();
        }
        // What a call that does not come back has left behind is no answer for the next one.
        if self.flow != Flow::Next {
            self.memo.remove(&key);
            return result;
        }
        let moment = self.moment();
        let memo = Memo {
            bound: closure.bound.clone(),
            arguments,
            result: result.clone(),
            releases,
            pure: self.trace.events.len() == events && self.changes.last() == changes,
            asks,
            moment,
        };
        self.memo.insert(key, memo);
        result
    }

    /// The dotted name of a function or method of the project.
    fn qualified(&self, closure: &Closure<'p>) -> String {
        let name = self.function_of(closure).name;
        match &closure.class {
            Some(class) => format!("{}.{name}", self.class_path(class)),
            None => format!("{}.{name}", self.program.dotted(closure.file)),
        }
    }

    /// Whether the top level of an imported module is running: what it calls is noted although another module
    /// called it before, since each is to answer for its own.
    fn is_importing(&self) -> bool {
        let is_started = self.here.frame == 0 && !matches!(self.start, Start::CpuPart | Start::Modules);
        self.trace.frames[self.here.frame as usize].function.is_none() && !is_started
    }

    fn moment(&self) -> Moment {
        Moment {
            changes: self.changes.last(),
            scopes: self.scopes.len() as ScopeId,
            imported: self.imported.len(),
            state: self.state.clone(),
            path: self.path.clone(),
            uncertain: self.uncertain,
            in_child: self.in_child,
            only_if_called: self.only_if_called,
            assured: self.assured.is_some(),
        }
    }

    /// Whether what happened at that moment, on the way here, would happen now in the same way, if nothing was changed:
    /// its events lie on every path to this one, as certain as they would be now.
    fn is_still(&self, moment: &Moment) -> bool {
        moment.imported == self.imported.len()
            && self.path.starts_with(&moment.path)
            && moment.uncertain <= self.uncertain
            && moment.in_child == self.in_child
            && moment.only_if_called == self.only_if_called
            && moment.state == self.state
    }

    /// Runs the body of a function in its own namespace.
    pub(super) fn run_body(&mut self, closure: &Rc<Closure<'p>>, scope: u32, site: Span) -> Value<'p> {
        let function = self.function_of(closure);
        let events = self.trace.events.len();
        let frame = self.push_frame(closure.file, Some(closure.function), site);
        self.trace.ran.insert((closure.file, closure.function));
        let here = Here {
            statement: function.name_span,
            bound: closure.bound.clone(),
            class: closure.class.clone(),
            ..Here::in_module(closure.file, scope, frame)
        };
        let outer = std::mem::replace(&mut self.here, here);
        self.callers.push(outer);
        self.active.push((closure.file, closure.function));
        let loops = std::mem::take(&mut self.loops);
        let counted = self.state.counted;
        self.state.counted |= closure.counts_devices;
        let mocked = self.state.set_up().mocked.len();
        if !closure.marks.mocked.is_empty() {
            self.state.set_up_mut().mocked.extend(closure.marks.mocked.iter().cloned());
        }
        stacker::maybe_grow(256 * 1024, 8 * 1024 * 1024, || self.block(&function.body));
        self.state.counted = counted;
        if !closure.marks.mocked.is_empty() {
            self.state.set_up_mut().mocked.truncate(mocked);
        }
        self.loops = loops;
        self.active.pop();
        let Some(outer) = self.callers.pop() else { return Value::Unknown };
        let inner = std::mem::replace(&mut self.here, outer);
        self.pop_frames(frame, events);
        self.leave_function(inner, function)
    }

    /// Joins the ways out of a function and returns what it may return.
    fn leave_function(&mut self, inner: Here<'p>, function: &Function<'p>) -> Value<'p> {
        let falls_through = self.flow == Flow::Next;
        let mut exits = inner.exits;
        if matches!(self.flow, Flow::Next | Flow::Return | Flow::Break | Flow::Continue) {
            self.flow = Flow::Next;
            if !exits.is_empty() {
                exits.push(Outcome { state: std::mem::take(&mut self.state), changes: Vec::new() });
                self.join(exits);
            }
        } else if !exits.is_empty() {
            self.flow = Flow::Next;
            self.join(exits);
        } else {
            self.flow = Flow::Raise;
        }
        if self.passes_over(inner.file) {
            return Value::Unknown;
        }
        let mut returns = inner.returns;
        if falls_through || function.is_generator {
            returns.push(Value::None);
        }
        Value::one_of(returns)
    }
}

fn same_arguments<'p>(memo: &Memo<'p>, closure: &Closure<'p>, arguments: &[Value<'p>]) -> bool {
    let same_bound = match (&memo.bound, &closure.bound) {
        (None, None) => true,
        (Some(one), Some(other)) => one.same(other),
        _ => false,
    };
    same_bound && memo.arguments.iter().zip(arguments).all(|(one, other)| one.same(other))
}
