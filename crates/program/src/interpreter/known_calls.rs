//! Calls that are not followed again, because a summary says what they do; and keeping such summaries.

mod silence;

use super::nesting::calls_among;
use super::summary_reuse::EventReuse;
use super::{Decision, Flow, Interpreter};
use crate::code::Statement;
use crate::facts::{FileId, Span};
use crate::program::heap::values::{Closure, Value};
use crate::program::heap::{HeapWrite, Relation, Version};
use crate::program::knowledge::Does;
use crate::program::state::State;
use crate::program::summaries::{
    Call, CallContext, Context, Effects, NotedEvents, OpenRecord, ReplayedEvents, Summary, SummaryBody,
};
use crate::program::trace::{Event, EventId, EventKind, FrameId};
use std::rc::Rc;

/// A body that is being followed, and how far the program had come before.
pub(super) struct OpenBody<'p> {
    context: Context,
    entry: State,
    events: usize,
    frames: FrameId,
    branches: u32,
    ended: usize,
    imports: usize,
    left: [usize; 2],
    modules: usize,
    at_exit: usize,
    tasks: Vec<Value<'p>>,
    asked_for_tasks: usize,
    passed: usize,
    jumps: usize,
    relied_on: EventId,
    starved: bool,
    beyond: [usize; 6],
    kept: usize,
    open: OpenRecord,
}

/// A call that exceptions may leave with more states is followed again where something around it catches them.
const MOST_WAYS: usize = 8;

impl<'p> Interpreter<'p> {
    /// What a call returns that need not be followed: an earlier one did all that this one would do.
    pub(super) fn known_call(
        &mut self,
        closure: &Rc<Closure<'p>>,
        arguments: &[Value<'p>],
        site: Span,
    ) -> Option<Value<'p>> {
        let body = SummaryBody::Function((closure.file, closure.function));
        self.known_body(body, Some(closure), arguments, site)
    }

    /// The same for a part of a module; whether it was known.
    pub(super) fn known_part(&mut self, file: FileId, first: usize) -> bool {
        self.known_body(SummaryBody::Part(file, first), None, &[], self.here.statement).is_some()
    }

    /// The same for a module, with all that it imports.
    pub(super) fn known_module(&mut self, file: FileId, site: Span) -> bool {
        self.known_body(SummaryBody::Module(file), None, &[], site).is_some()
    }

    fn known_body(
        &mut self,
        body: SummaryBody,
        closure: Option<&Rc<Closure<'p>>>,
        arguments: &[Value<'p>],
        site: Span,
    ) -> Option<Value<'p>> {
        let known = self.summaries.of(
            body,
            closure.and_then(|closure| closure.bound.as_ref()),
            arguments,
            &self.heap,
            || self.context(),
            |summary| self.runs_alike(summary),
        );
        let (summary, relation, fit) = known.iter().find_map(|summary| {
            let relation = summary.relation(&self.heap, closure, arguments, &self.tasks.waiting)?;
            let fit = self.fit(summary, &relation)?;
            Some((summary, relation, fit))
        })?;
        self.summaries.prefer(body, summary);
        let site = (!matches!(body, SummaryBody::Part(..))).then_some(site);
        Some(self.replay(summary, relation, fit, site))
    }

    fn replay(
        &mut self,
        summary: &Summary<'p>,
        mut relation: Relation,
        fit: EventReuse,
        site: Option<Span>,
    ) -> Value<'p> {
        let around = |function| calls_among(&self.active, function);
        self.summaries.read_again(&mut self.heap, summary, &relation, around);
        self.watch_again(summary);
        let call = &summary.call;
        let left_with = call.effects.as_ref().and_then(|effects| effects.left_with.as_ref());
        // What it wrote is written behind the moment at which it raised.
        let raised_at = match left_with {
            Some(states) => (!states.is_empty()).then(|| self.heap.moment()),
            None => {
                if call.may_raise {
                    self.may_raise();
                }
                None
            }
        };
        self.summaries.exited += usize::from(call.may_exit);
        let (writes, result) = summary.replay(&mut self.heap, &mut relation, self.repeats);
        for HeapWrite { scope, name, value, version } in writes {
            match (value, version) {
                (Some(value), Some(version)) => {
                    self.forget_decisions(scope, name);
                    self.heap.bind_as_before(scope, name, value, version);
                }
                (Some(value), None) => self.bind_in(scope, name, value),
                (None, _) => self.unbind_in(scope, name),
            }
        }
        self.asked_count |= call.asks;
        self.ways_out.of_program |= call.may_exit;
        // It may have passed something; a call around it that changed nothing else is not pure then.
        self.passed += usize::from(call.effects.is_some());
        self.keep_again(&call.kept, &relation);
        self.at_exit.extend(call.at_exit.iter().map(|left| left.related(&relation)));
        self.leave_tasks_again(&call.tasks, &relation);
        if !self.summaries.is_of_this_program(summary) {
            call.imports.iter().for_each(|library| _ = self.note_imported(library.clone()));
            self.trace.ran.extend(summary.ran());
        }
        match (&call.effects, fit) {
            (Some(effects), EventReuse::Again(events)) => {
                let decisions =
                    call.decisions.iter().map(|decision| decision.related(&mut relation)).collect();
                let (entry, start) = (self.state.clone(), self.next_event());
                let relied_on = std::mem::replace(&mut self.relied_on, EventId::MAX);
                let left_with = self.note_again(summary, effects, &events, site, decisions);
                let start = start.min(self.relied_on);
                self.relied_on = self.relied_on.min(relied_on);
                if let Some(at) = raised_at {
                    self.raised_with(left_with.clone(), at);
                }
                let (exit, path, end) = (self.state.clone(), self.path.clone(), self.next_event());
                let (passed_to, may_be_passed) = (self.landings_ahead(), self.may_be_passed());
                let noted = ReplayedEvents {
                    entry,
                    exit,
                    path,
                    uncertain: self.uncertain,
                    passed_to,
                    may_be_passed,
                    left_with,
                    start,
                    end,
                };
                self.summaries.note_again(summary, noted);
            }
            (Some(effects), fit) => {
                let (entry, exit, start, left_with) = match &fit {
                    EventReuse::KnownAgain(again) => {
                        (&again.entry, &again.exit, again.start, &again.left_with[..])
                    }
                    _ => {
                        let left_with = effects.left_with.as_deref().unwrap_or_default();
                        (&effects.entry, &effects.exit, effects.noted.events.start, left_with)
                    }
                };
                if effects.loads {
                    self.relied_on = self.relied_on.min(start);
                }
                self.relied_on = self.relied_on.min(effects.relied_on.unwrap_or(EventId::MAX));
                let is_so = entry.is_same(&self.state, summary.touched());
                if let Some(at) = raised_at {
                    let carried = |state: &State| state.carried(entry, &self.state, &|event| event);
                    // Else all that it changes was so before.
                    let state = |state: &State| if is_so { carried(state) } else { self.state.clone() };
                    let states: Vec<State> = left_with.iter().map(state).collect();
                    self.raised_with(states, at);
                }
                if is_so {
                    self.state = exit.carried(entry, &self.state, &|event| event);
                }
                if let Some((by, site)) = call.releases.clone().zip(site) {
                    self.note_release(&by, site);
                }
            }
            (None, _) => {}
        }
        for &(file, scope) in &call.modules {
            self.enter_again(file, scope);
        }
        if let Some(exits) = call.raised {
            (self.flow, self.exits) = (Flow::Raise, exits);
        }
        result
    }

    /// Follows a call, and keeps what it did.
    pub(super) fn follow_call(
        &mut self,
        closure: &Rc<Closure<'p>>,
        arguments: Vec<Value<'p>>,
        site: Span,
    ) -> Value<'p> {
        let function = (closure.file, closure.function);
        if self.summaries.is_spent(function, self.steps) {
            return self.pass_over_call(function, closure, &arguments);
        }
        let (began, steps) = (self.begin_body(), self.steps);
        self.summaries.silent.begin();
        let scope = self.bind_parameters(closure, &arguments);
        let names = || self.function_of(closure).parameters.iter().map(|parameter| parameter.name);
        let bound: Vec<Version> = names().map(|name| self.heap.version_of(scope, name)).collect();
        let asked = std::mem::take(&mut self.asked_count);
        let result = self.run_to_end(closure, scope, site);
        let asks = std::mem::replace(&mut self.asked_count, asked);
        self.asked_count |= asks;
        let names = self.function_of(closure).parameters.iter().map(|parameter| parameter.name);
        let used: Vec<bool> =
            names.zip(bound).map(|(name, bound)| self.heap.is_used(scope, name, bound)).collect();
        self.heap.release(scope);
        self.note_call_cost(function, closure, &arguments, &began, steps);
        let arguments = arguments.into_iter().zip(used).map(|(value, used)| used.then_some(value));
        let arguments = arguments.collect();
        self.end_body(
            SummaryBody::Function(function),
            began,
            Some(closure.clone()),
            arguments,
            result.clone(),
            asks,
        );
        result
    }

    /// Follows a part of a module, and keeps what it did.
    pub(super) fn follow_part(&mut self, file: FileId, first: usize, steps: &'p [Statement<'p>]) {
        let began = self.begin_body();
        self.block(steps);
        self.end_body(SummaryBody::Part(file, first), began, None, Vec::new(), Value::None, false);
    }

    /// Keeps what importing a module did.
    pub(super) fn end_module(&mut self, file: FileId, began: OpenBody<'p>) {
        self.end_body(SummaryBody::Module(file), began, None, Vec::new(), Value::None, false);
    }

    /// Begins to record a body.
    pub(super) fn begin_body(&mut self) -> OpenBody<'p> {
        debug_assert!(self.flow == Flow::Next, "where nothing comes next, nothing is called");
        OpenBody {
            context: self.context(),
            entry: self.state.clone(),
            events: self.trace.events.len(),
            frames: self.trace.frames.len() as FrameId,
            branches: self.branches,
            ended: self.ended.len(),
            imports: self.imports.len(),
            left: self.left_for_later(),
            modules: self.in_order.len(),
            at_exit: self.at_exit.len(),
            tasks: self.tasks.waiting.clone(),
            asked_for_tasks: self.tasks.asked,
            passed: self.passed,
            jumps: self.jumps_ahead(),
            relied_on: std::mem::replace(&mut self.relied_on, EventId::MAX),
            starved: std::mem::take(&mut self.handed.starved),
            beyond: self.beyond_summaries(),
            kept: self.handed.added.len(),
            open: self.summaries.begin(
                &mut self.heap,
                CallContext {
                    repeats: self.repeats,
                    expects_failure: self.expects_failure,
                    expected_errors: self.expected_errors.map(|errors| errors.expected > 0),
                },
            ),
        }
    }

    /// Ends the record of a body, and keeps a summary of it where that says all that the body did.
    fn end_body(
        &mut self,
        body: SummaryBody,
        began: OpenBody<'p>,
        closure: Option<Rc<Closure<'p>>>,
        arguments: Vec<Option<Value<'p>>>,
        result: Value<'p>,
        asks: bool,
    ) {
        let events = began.events;
        let may_exit = self.summaries.exited > began.open.exited;
        let relied_on = Some(self.relied_on).filter(|first| (*first as usize) < events);
        self.relied_on = self.relied_on.min(began.relied_on);
        let is_function = closure.is_some();
        // What was left to be done later, or cut off, is no answer for the next call; neither is what is left behind where
        // nothing comes next.
        let ends = self.flow == Flow::Next || self.flow == Flow::Raise && is_function;
        // A worker that waits for a queue must be told of that each time.
        let waits = self.handed.starved;
        self.handed.starved |= began.starved;
        let is_whole = ends && !waits && !self.trace.cut && self.trace.events.len() >= events;
        let modules = &self.in_order[began.modules..];
        let kept = self.added_alone(began.kept);
        let is_portable = began.beyond == self.beyond_summaries()
            && kept.is_some()
            && (modules.is_empty() || matches!(body, SummaryBody::Module(_)));
        let keeps = is_whole && began.left == self.left_for_later() && (is_portable || is_function);
        let left_with = self.handlers().map(|to| self.states_leading_to(to, began.jumps));
        let may_raise = match &left_with {
            Some(states) => !states.is_empty(),
            None => self.summaries.raised > began.open.raised,
        };
        let left_with = left_with.filter(|states| states.len() <= MOST_WAYS);
        let call = keeps.then(|| {
            let mut decisions = self.decisions_since(began.branches);
            if is_function {
                decisions.retain(Decision::has_effects);
            }
            // What was written although it was so before is written again where it is not.
            let is_pure = self.trace.events.len() == events
                && self.state.has_environment_of(&began.entry)
                && self.passed == began.passed
                && self.state == began.entry
                && decisions.is_empty()
                && modules.is_empty();
            let releases = self.trace.events[events..].iter().rev().find_map(|event| match &event.what {
                EventKind::Release { by } => Some(by.as_str().into()),
                _ => None,
            });
            let noted = (events as EventId, began.frames, began.branches, began.ended);
            Call {
                closure,
                arguments,
                context: began.context,
                repeats: began.open.around.repeats,
                result,
                asks,
                raised: (self.flow == Flow::Raise).then_some(self.exits),
                may_raise,
                may_exit,
                releases,
                imports: self.imports[began.imports..].to_vec(),
                modules: modules.to_vec(),
                at_exit: self.at_exit[began.at_exit..].to_vec(),
                kept: kept.unwrap_or_default(),
                tasks: self.tasks_since(began.tasks, began.asked_for_tasks),
                decisions,
                effects: (!is_pure).then(|| Effects {
                    relied_on,
                    left_with,
                    ..self.effects_since(began.entry, noted)
                }),
                is_portable,
            }
        });
        let around = |function| calls_among(&self.active, function);
        self.summaries.end(&mut self.heap, body, began.open, call, around);
    }

    fn context(&self) -> Context {
        Context {
            // Who is started, and from which folder, are facts.
            start: (!self.start.is_program()).then(|| std::mem::discriminant(&self.start)),
            is_quiet: self.quiet > 0,
            arranged: self.state.arranged(),
        }
    }

    /// How much was left to be done later.
    fn left_for_later(&self) -> [usize; 2] {
        let lost = self.waiting.iter().filter(|one| one.is_lost).count();
        [self.trace.launches.len(), self.finalizers.len() + lost]
    }

    /// How much there is of what belongs to one program and a summary does not repeat.
    fn beyond_summaries(&self) -> [usize; 6] {
        [
            self.copied.len(),
            self.options_told() + self.option_forms.len(),
            self.counted_places.len(),
            self.tied,
            self.trace.units.len(),
            self.trace.loaded.len(),
        ]
    }

    fn effects_since(
        &self,
        entry: State,
        (events, frames, branches, ended): (EventId, FrameId, u32, usize),
    ) -> Effects {
        let noted = NotedEvents {
            events: events..self.trace.events.len() as EventId,
            frames: frames..self.trace.frames.len() as FrameId,
            caller: self.here.frame,
            branches: branches..self.branches,
            ended: ended..self.ended.len(),
        };
        let noted_events = &self.trace.events[events as usize..];
        let asks = |event: &Event| match &event.what {
            EventKind::Call { does, .. } => does
                .iter()
                .all(|does| matches!(does, Does::CudaInit | Does::TorchInit | Does::Query | Does::Passing)),
            _ => false,
        };
        Effects {
            exit: self.state.clone(),
            path: self.path.clone(),
            uncertain: self.uncertain,
            in_child: self.in_child,
            process: self.number_of_process,
            only_if_called: self.only_if_called,
            assured: self.assured.is_some(),
            is_caught: !self.catches.is_empty(),
            passed_to: self.landings_ahead(),
            may_be_passed: self.may_be_passed(),
            recipient: self.recipient,
            is_pending: noted_events.iter().any(|event| event.what.is_pending()),
            settles: self.in_child > 0 || noted_events.iter().any(|event| event.what.settles()),
            relied_on: None,
            left_with: None,
            loads: noted_events.iter().any(|event| event.what.loads()),
            only_asks: entry.cuda.is_some_and(|cuda| cuda.certain) && noted_events.iter().all(asks),
            noted,
            entry,
        }
    }
}
