//! Code that waits: coroutines, generators and generator expressions run when somebody asks for what they
//! give, and not when they are made. Where a generator yields, what waits for it runs.

mod yielded_values;

use super::iterators::IteratorPosition;
use super::jumps::{Landing, Landings};
use super::loops::Loop;
use super::{EarlyExits, Flow, Interpreter};
use crate::code::{Block, Expr, Target};
use crate::facts::{FileId, Span};
use crate::program::heap::values::{Closure, ScopeId, Source, StreamOutput, Value};
use crate::program::state::State;
use crate::program::summaries::{Dependency, FunctionId, NestedCall};
use crate::program::trace::FrameId;

/// So many passes of a loop are followed that waits for a generator whose own passes are not all followed.
const MOST_PASSES: usize = 2;

/// The name under which a generator keeps what it returned.
pub(super) const RETURNED: &str = "what the generator returned";

/// What runs where a generator of the project yields.
pub(super) enum YieldConsumer<'p> {
    /// A pass of a `for`, for each value that is yielded.
    Each {
        target: &'p Target<'p>,
        block: &'p Block<'p>,
        ends: Loop,
        has_else: bool,
        /// A name holds the generator: it is not closed when the loop is left.
        is_held: bool,
    },
    /// The rest of a `with`: what the manager is bound to, the managers that follow, and the block.
    With { target: Option<&'p Target<'p>>, items: &'p [(Expr<'p>, Option<Target<'p>>)], block: &'p Block<'p> },
    /// The function that it decorates, or the test that it is a fixture of; takes what is yielded.
    Rest(Rest<'p>),
}

pub(super) type Rest<'p> = Box<dyn FnOnce(&mut Interpreter<'p>, Value<'p>) -> Value<'p> + 'p>;

/// A function that is running.
#[derive(Clone, Copy)]
pub(super) struct Active {
    pub key: (FileId, usize),
    /// Where it was defined.
    pub scope: ScopeId,
    pub object: Option<ScopeId>,
    /// How many modules had been entered.
    pub modules: usize,
    /// How many arms of branches that nobody decided lay around it, and loops whose passes are not all followed.
    pub uncertain: usize,
    pub repeats: usize,
}

/// What who asks a generator wants of it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum AskedFor {
    /// Nobody knows how much.
    #[default]
    Some,
    Next,
    /// The first value, of one that has not begun: what stands behind its first `yield` does not run.
    First,
    /// All that it gives.
    All,
}

/// A generator that somebody waits for.
pub(super) struct Resume<'p> {
    /// `None` as soon as it ran.
    pub(super) body: Option<YieldConsumer<'p>>,
    /// The generator that yields to it, once that runs.
    pub(super) frame: FrameId,
    /// Position in the callers of the function that waits.
    caller: usize,
    /// The generator that yielded to it and waits for its end.
    pub(super) generator: Option<FunctionId>,
    /// How the body ended, and what it gave.
    flow: Flow,
    result: Value<'p>,
    /// How many jumps were on their way before the body; where those lead that left it.
    jumps: usize,
    left_to: Landings,
    /// The state in which the generator goes on: that behind the body, or of a jump that left it; and that behind it alone.
    left_with: State,
    fell_through: Option<State>,
    /// The ways out of the function that waits.
    ways_out: EarlyExits,
    /// How many `try` statements, arms of branches and repeated loops were around the place where it waits.
    catches: usize,
    arms: usize,
    repeats: usize,
    /// The passes of the loop that waits, of those that stand for several.
    passes: usize,
    /// The states in which the loop was left and the generator may not have been closed.
    left_open: Vec<State>,
    /// A generator was closed by who left the loop: on all ways, or on some.
    pub(super) closed: Option<bool>,
}

/// What a generator that is running gave so far.
pub(super) struct YieldedValues<'p> {
    /// Absent when not every one of its values is known to be given.
    values: Option<Vec<Value<'p>>>,
    frame: FrameId,
    /// How uncertain it was when it began.
    uncertain: usize,
    /// The ways past what runs then.
    ways_out: EarlyExits,
    /// It is asked for all that it gives.
    exhausted: bool,
    /// It stops at its first `yield`.
    stops: bool,
    /// Nobody says that it is asked for more than the next value: where one leads that waits for ever.
    pub(super) suspended: Option<Landing>,
    /// How many `finally` and `with` are around the place where it runs, and whether one was where it was left.
    cleanups: usize,
    left_open: bool,
}

impl<'p> Interpreter<'p> {
    /// Whether this is a generator of the project that is not waiting too often already.
    pub(super) fn may_be_resumed(&self, value: &Value<'p>) -> bool {
        let Value::Paused(paused) = value else { return false };
        let key = (paused.closure.file, paused.closure.function);
        self.function_of(&paused.closure).is_generator && self.may_go_on(key)
    }

    /// Runs a coroutine or generator that was called before.
    pub(super) fn run_paused(&mut self, value: &Value<'p>, site: Span) -> Value<'p> {
        let asks = std::mem::take(&mut self.asks);
        match value {
            Value::Paused(paused) => {
                let key = (paused.closure.file, paused.closure.function);
                if !self.may_go_on(key) {
                    self.summaries.left_out += 1;
                    // What it would give to one that passes its values on is not known.
                    if let Some(given) = self.given.last_mut() {
                        given.values = None;
                    }
                    return Value::Unknown;
                }
                let (function, around) = (key, self.calls_around(key));
                let is_certain = self.is_certain_call(key, around);
                self.summaries.note(Dependency::Followed(NestedCall {
                    function,
                    around,
                    by_arguments: true,
                    is_indirect: false,
                    is_certain,
                }));
                if !self.function_of(&paused.closure).is_generator {
                    return self.run_coroutine(paused, site);
                }
                let stops = asks == AskedFor::First;
                let (asks_next, exhausted) = (asks == AskedFor::Next || stops, asks == AskedFor::All);
                let position = self.position(paused.scope);
                match position {
                    IteratorPosition::UsedUp => return Value::sequence(Vec::new()),
                    IteratorPosition::At(_) => {}
                    IteratorPosition::Unknown => {
                        // From where it goes on is not known.
                        self.on_some_ways(|run| {
                            run.begin_anew(paused.scope);
                            run.asks = asks;
                            run.run_paused(value, site);
                        });
                        self.set_position(paused.scope, IteratorPosition::Unknown);
                        return Value::Unknown;
                    }
                }
                self.set_position(paused.scope, IteratorPosition::Unknown);
                let frame = self.next_frame();
                let suspended = (asks_next && !stops).then(|| self.new_landing());
                let (uncertain, ways_out) = (self.uncertain, self.ways_out);
                let given = YieldedValues {
                    values: Some(Vec::new()),
                    frame,
                    uncertain,
                    ways_out,
                    exhausted,
                    stops,
                    suspended,
                    cleanups: 0,
                    left_open: false,
                };
                self.given.push(given);
                let returned = self.run_to_end(&paused.closure, paused.scope, site);
                self.bind_in(paused.scope, RETURNED, returned);
                if self.flow == Flow::Next && !asks_next {
                    self.set_position(paused.scope, IteratorPosition::UsedUp);
                }
                suspended.into_iter().for_each(|suspended| self.land(suspended));
                let Some(given) = self.given.pop() else { return Value::Unknown };
                if given.left_open {
                    self.leave_open(value);
                }
                given.values.map_or(Value::Unknown, Value::sequence)
            }
            Value::Stream(stream) => {
                // What a generator gives it passes on, to the end.
                let is_of_generator = match &stream.source {
                    Source::Expression { first, .. } => matches!(first, Value::Paused(_)),
                    Source::Calls { columns, keeps, .. } => {
                        matches!(&columns[..], [Value::Paused(_)]) && *keeps != StreamOutput::Until
                    }
                    _ => false,
                };
                if asks == AskedFor::Next || is_of_generator {
                    self.asks = asks;
                }
                let rest = self.rest_of(stream, site);
                self.asks = AskedFor::Some;
                rest
            }
            Value::OneOf(values) => {
                let waits = |value: &&Value<'p>| matches!(value, Value::Paused(_) | Value::Stream(_));
                values.iter().filter(waits).for_each(|value| drop(self.run_paused(value, site)));
                Value::Unknown
            }
            _ => Value::Unknown,
        }
    }

    /// `yield` in a generator of the project: what waits for it runs now.
    pub(super) fn resume_with(&mut self, value: Value<'p>) -> Value<'p> {
        if self.stops_here() {
            return self.stop_at_yield(value);
        }
        let suspended = self.note_given(Some(std::slice::from_ref(&value)));
        self.yielded = Some(value.clone());
        let Some(number) = self.waiting() else {
            if self.is_exhausted() {
                return Value::None;
            }
            // Nobody says that it is asked for more: it is let go at once, or waits for ever.
            self.ways_out.of_function = true;
            let end = self.end_of_function();
            self.jump(end);
            suspended.into_iter().for_each(|suspended| self.jump(suspended));
            return Value::Unknown;
        };
        let Some(body) = self.resumes[number].body.take() else { return Value::Unknown };
        let resume = &mut self.resumes[number];
        let caller = resume.caller;
        resume.generator = self.active.last().map(|active| active.key);
        let own_ways = std::mem::replace(&mut self.ways_out, resume.ways_out);
        std::mem::swap(&mut self.here, &mut self.callers[caller]);
        let is_loop = matches!(body, YieldConsumer::Each { .. });
        let is_left = match body {
            YieldConsumer::Each { ends, .. } => {
                // On some ways the generator ends, or goes past this `yield`.
                let may_pass = own_ways.of_function || own_ways.of_loop || own_ways.of_try;
                self.uncertain += usize::from(may_pass);
                self.pass_of_loop(number, body, value, may_pass);
                self.uncertain -= usize::from(may_pass);
                self.ways_out.of_function || self.leads_to(&[ends.behind])
            }
            _ => {
                let jumps = self.jumps_ahead();
                let result = self.run_waiting(body, value);
                let left_to = self.landings_since(jumps);
                if !left_to.is_empty() {
                    self.go_on_from_jumps(number, jumps, left_to);
                }
                // An exception is raised where the generator yields.
                let flow = match self.flow {
                    Flow::Raise => Flow::Next,
                    _ => std::mem::replace(&mut self.flow, Flow::Next),
                };
                (self.resumes[number].flow, self.resumes[number].result) = (flow, result);
                // However the block of a `with` is left, the generator goes on.
                false
            }
        };
        std::mem::swap(&mut self.here, &mut self.callers[caller]);
        self.resumes[number].ways_out = self.ways_out;
        self.resumes[number].generator = None;
        let of_program = own_ways.of_program || self.ways_out.of_program;
        let of_function = own_ways.of_function || is_left;
        self.ways_out = EarlyExits { of_program, of_function, ..own_ways };
        // A `for` sends nothing.
        if is_loop { Value::None } else { Value::Unknown }
    }

    /// However the block of a `with` was left, the generator goes on.
    fn go_on_from_jumps(&mut self, number: usize, jumps: usize, left_to: Landings) {
        let here = (self.flow != Flow::Unreachable).then(|| std::mem::take(&mut self.state));
        let ways = left_to.iter().flat_map(|to| self.states_leading_to(*to, jumps));
        self.state = here.iter().cloned().chain(ways).reduce(State::join).unwrap_or_default();
        let resume = &mut self.resumes[number];
        (resume.jumps, resume.left_to) = (jumps, left_to);
        (resume.left_with, resume.fell_through) = (self.state.clone(), here);
    }

    /// A pass of the `for` that waits for the running generator.
    fn pass_of_loop(&mut self, number: usize, each: YieldConsumer<'p>, value: Value<'p>, may_pass: bool) {
        self.is_repeated();
        let resume = &mut self.resumes[number];
        let is_repeated = self.repeats > resume.repeats;
        resume.passes += usize::from(is_repeated);
        if is_repeated && resume.passes > MOST_PASSES {
            resume.body = Some(each);
            return;
        }
        let is_sure = self.path.len() == resume.arms;
        let YieldConsumer::Each { target, block, ends, has_else, is_held } = each else { return };
        // What the body raises is not raised in the generator.
        let of_generator = self.catches.split_off(resume.catches.min(self.catches.len()));
        if is_repeated {
            self.havoc_counters(block);
        }
        self.here.loops.push(ends);
        self.pass(
            |run| {
                run.assign(target, value);
                run.block(block);
            },
            has_else,
        );
        self.here.loops.pop();
        if self.flow == Flow::Next || !is_sure {
            // Where this `yield` was not reached, the next one gives the first value.
            self.resumes[number].body = Some(YieldConsumer::Each { target, block, ends, has_else, is_held });
        }
        if is_held && matches!(self.flow, Flow::Break | Flow::Raise) {
            // Its `finally` runs when nobody holds it any more.
            self.uncertain += 1;
            self.resumes[number].left_open.push(self.state.clone());
        }
        let is_only_way = is_sure && !may_pass;
        if self.flow != Flow::Next {
            self.resumes[number].closed = Some(is_only_way);
        }
        let flow = match self.flow {
            Flow::Next => Flow::Next,
            // It is not asked for more, and its `finally` runs.
            Flow::Break => Flow::Return,
            // Nothing in the generator could catch it.
            Flow::Raise if of_generator.is_empty() => Flow::Raise,
            flow @ (Flow::Return | Flow::Raise) if is_only_way => {
                self.resumes[number].flow = flow;
                Flow::Return
            }
            flow => {
                self.leave_by(flow);
                Flow::Unreachable
            }
        };
        self.flow = flow;
        self.catches.extend(of_generator);
    }

    /// What waits for the running generator: only the generator itself yields to it, not one that it calls.
    pub(super) fn waiting(&self) -> Option<usize> {
        self.resumes.iter().rposition(|resume| resume.frame == self.here.frame)
    }

    /// The frame of a generator that runs next.
    pub(super) fn next_frame(&self) -> FrameId {
        self.trace.frames.len() as FrameId
    }

    fn run_waiting(&mut self, body: YieldConsumer<'p>, yielded: Value<'p>) -> Value<'p> {
        match body {
            YieldConsumer::Each { .. } => Value::Unknown,
            YieldConsumer::With { target, items, block } => {
                if let Some(target) = target {
                    self.assign(target, yielded);
                }
                self.with(items, block);
                Value::Unknown
            }
            YieldConsumer::Rest(rest) => rest(self, yielded),
        }
    }

    /// Runs a generator of the project up to its `yield`, then `body`, then the rest of the generator.
    pub(super) fn wait_for(
        &mut self,
        generator: &Value<'p>,
        body: YieldConsumer<'p>,
        span: Span,
    ) -> Value<'p> {
        let is_loop = matches!(body, YieldConsumer::Each { .. });
        if let (Value::Paused(paused), false) = (generator, is_loop) {
            // Each `with` and each call that it decorates begins anew.
            self.begin_anew(paused.scope);
        }
        self.resumes.push(Resume {
            body: Some(body),
            frame: self.next_frame(),
            caller: self.callers.len(),
            generator: None,
            flow: Flow::Next,
            result: Value::Unknown,
            jumps: 0,
            left_to: Landings::new(),
            left_with: State::default(),
            fell_through: None,
            ways_out: self.ways_out,
            catches: self.catches.len(),
            arms: self.path.len(),
            repeats: self.repeats,
            passes: 0,
            left_open: Vec::new(),
            closed: None,
        });
        self.run_paused(generator, span);
        let Some(resume) = self.resumes.pop() else { return Value::Unknown };
        self.uncertain -= resume.left_open.len();
        for open in resume.left_open {
            let closed = std::mem::take(&mut self.state);
            self.state = State::join(closed, open);
        }
        self.ways_out = self.ways_out.with(resume.ways_out);
        if !resume.left_to.is_empty() && self.flow != Flow::Raise {
            // The rest of the generator ran on the ways too that left the body.
            self.carry_jumps(resume.jumps, &resume.left_to, &resume.left_with);
            if let Some(state) = &resume.fell_through {
                self.state = self.state.carried(&resume.left_with, state, &|event| event);
            }
        }
        match resume.body {
            // The last of the values was given, if there was one.
            Some(YieldConsumer::Each { .. }) => Value::Unknown,
            None => {
                if let (Value::Paused(paused), true) = (generator, is_loop) {
                    // A `break` leaves it where it is.
                    self.set_position(paused.scope, IteratorPosition::Unknown);
                }
                self.flow = if self.flow == Flow::Next { resume.flow } else { self.flow };
                resume.result
            }
            // Nobody yielded: the body still runs.
            Some(body) => self.run_waiting(body, Value::Unknown),
        }
    }
}

/// The object whose method a function is.
pub(super) fn object_of(closure: &Closure<'_>) -> Option<ScopeId> {
    match &closure.bound {
        Some(Value::Instance(instance)) => Some(instance.scope),
        _ => None,
    }
}
