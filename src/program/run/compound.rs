//! Loops, `try` and `with`: statements that hold others.

use super::branches::{ArmRun, Outcome};
use super::generators::Body;
use super::jumps::Landing;
use super::{Flow, Run};
use crate::code::{Block, Expr, ExprKind, Handler, Step, StepKind, Target};
use crate::facts::Span;
use crate::program::heap::values::Value;
use crate::program::state::{Definition, Reaching};

/// Literal collections up to this length are followed element by element; a longer one is as good as one
/// element that is not known.
pub(super) const MOST_ELEMENTS: usize = 32;

/// Where `continue` and `break` lead in the arms of branches.
#[derive(Clone, Copy)]
pub(super) struct Loop {
    /// The end of each pass.
    pub next: Landing,
    /// Behind the loop and its `else`.
    pub behind: Landing,
}

impl<'p> Run<'p> {
    pub(super) fn for_each(
        &mut self,
        target: &'p Target<'p>,
        iterable: &'p Expr<'p>,
        body: &'p Block<'p>,
        otherwise: &'p Block<'p>,
    ) {
        let value = self.eval(iterable);
        if self.flow != Flow::Next {
            return;
        }
        if let Some(generator) = self.generator_behind(&value, iterable.span) {
            return self.for_each_yielded(target, &generator, iterable.span, body, otherwise);
        }
        let value = match &iterable.kind {
            ExprKind::Variable(name) => self.words_of(name, value),
            _ => self.iterate(value, iterable.span),
        };
        let pass = move |run: &mut Self, element: Value<'p>| {
            run.assign(target, element);
            run.block(body);
        };
        match self.elements(&value) {
            Some(elements) if elements.len() <= MOST_ELEMENTS => self.looping(Some(otherwise), |run| {
                for element in elements {
                    run.pass(|run| pass(run, element), true);
                    if run.flow != Flow::Next {
                        break;
                    }
                }
            }),
            Some(_) => self.looping(Some(otherwise), |run| run.passes(body, |run| pass(run, Value::Unknown))),
            // It may run no pass at all.
            None => {
                let behind = otherwise_inside(body, otherwise);
                self.alternatives(vec![
                    Box::new(|run| {
                        run.looping(behind, |run| run.passes(body, |run| pass(run, Value::Unknown)))
                    }),
                    Box::new(|run| behind.into_iter().for_each(|otherwise| run.block(otherwise))),
                ]);
                if behind.is_none() && self.flow == Flow::Next {
                    self.block(otherwise);
                }
            }
        }
    }

    /// The generator of the project that a loop asks for its values, if it can be followed.
    fn generator_behind(&mut self, value: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let iterator = match value {
            Value::Instance(_) => self.special(value, "__iter__", Vec::new(), span)?,
            value => value.clone(),
        };
        self.may_be_resumed(&iterator).then_some(iterator)
    }

    /// A loop over what a generator of the project gives: its body runs where that yields.
    fn for_each_yielded(
        &mut self,
        target: &'p Target<'p>,
        generator: &Value<'p>,
        span: Span,
        block: &'p Block<'p>,
        otherwise: &'p Block<'p>,
    ) {
        let of_loop = self.ways_out.of_loop;
        let ends = Loop { next: self.new_landing(), behind: self.new_landing() };
        let has_else = !otherwise.is_empty();
        self.wait_for(generator, Body::Each { target, block, ends, has_else }, span);
        self.ways_out.of_loop = of_loop;
        self.block_unless(ends.behind, otherwise);
        self.land(ends.behind);
    }

    /// The `else` of a loop, which a `break` leads past.
    fn block_unless(&mut self, behind: Landing, otherwise: &'p Block<'p>) {
        match !otherwise.is_empty() && self.leads_to(&[behind]) {
            true => self.in_an_arm(|run| run.block(otherwise)),
            false => self.block(otherwise),
        }
    }

    pub(super) fn while_true(&mut self, test: &'p Expr<'p>, body: &'p Block<'p>, otherwise: &'p Block<'p>) {
        if let ExprKind::Bool(true) | ExprKind::Int(1) = test.kind {
            return self.looping(None, |run| run.passes(body, |run| run.block(body)));
        }
        let behind = otherwise_inside(body, otherwise);
        self.branch(
            test,
            |run| run.looping(behind, |run| run.passes(body, |run| run.block(body))),
            |run| behind.into_iter().for_each(|otherwise| run.block(otherwise)),
        );
        if behind.is_none() && self.flow == Flow::Next {
            self.block(otherwise);
        }
    }

    /// Runs the passes of a loop, and its `else` when they come to an end without a `break`.
    fn looping(&mut self, otherwise: Option<&'p Block<'p>>, passes: impl FnOnce(&mut Self)) {
        let of_loop = self.ways_out.of_loop;
        let running = Loop { next: self.new_landing(), behind: self.new_landing() };
        self.here.loops.push(running);
        passes(self);
        self.here.loops.pop();
        self.ways_out.of_loop = of_loop;
        otherwise.into_iter().for_each(|otherwise| self.block_unless(running.behind, otherwise));
        self.land(running.behind);
    }

    /// Runs the body of a loop once; `continue` leads to its end. A `break` leads behind the loop, or is left to who follows
    /// the loop.
    pub(super) fn pass(&mut self, body: impl FnOnce(&mut Self), breaks: bool) {
        body(self);
        let Some(innermost) = self.here.loops.last().copied() else { return };
        match self.flow {
            Flow::Continue => self.flow = Flow::Next,
            Flow::Break if breaks => {
                self.jump(innermost.behind);
                self.flow = Flow::Gone;
            }
            Flow::Break => {
                let landed = self.landing(innermost.next);
                if !landed.is_empty() {
                    self.jump(innermost.behind);
                    self.flow = Flow::Next;
                    self.join(landed);
                }
                return;
            }
            Flow::Next | Flow::Return | Flow::Raise | Flow::Gone => {}
        }
        self.land(innermost.next);
    }

    /// Goes on from where the program stands, if it goes on, and from the jumps that lead here. What leaves from here goes
    /// its way.
    pub(super) fn land(&mut self, here: Landing) {
        let landed = self.landing(here);
        if landed.is_empty() {
            return;
        }
        match std::mem::replace(&mut self.flow, Flow::Next) {
            Flow::Next => return self.join_with_here(landed),
            flow => self.leave_by(flow),
        }
        self.join(landed);
    }

    /// Jumps to where a `return` or an exception leads.
    pub(super) fn leave_by(&mut self, flow: Flow) {
        match flow {
            Flow::Return => {
                let end = self.end_of_function();
                self.jump(end);
                self.ways_out.of_function = true;
            }
            Flow::Raise => {
                let exits = std::mem::take(&mut self.exits);
                self.summaries.exited += usize::from(exits);
                self.ways_out.of_program |= exits;
                self.summaries.raised += 1;
                self.jump_to_handlers();
            }
            Flow::Next | Flow::Break | Flow::Continue | Flow::Gone => {}
        }
    }

    /// Runs the body of a loop whose number of passes is not known: once, and again where what the first pass
    /// did to CUDA meets what the second does to the environment, or where the second finds other values than the first
    /// asked for.
    fn passes(&mut self, block: &'p Block<'p>, body: impl Fn(&mut Self)) {
        let (writes, cuda) = (self.trace.writes.len(), self.state.cuda);
        self.heap.begin_watch();
        self.watched.push(Vec::new());
        self.havoc_counters(block);
        self.repeats += 1;
        self.here.repeats += 1;
        self.pass(&body, true);
        self.here.repeats -= 1;
        self.repeats -= 1;
        let met = self.trace.writes.len() > writes && self.state.cuda != cuda;
        let asked = self.watched.pop().unwrap_or_default();
        asked.iter().for_each(|(variable, held)| self.watch_variable(variable, held));
        let mut differs = self.heap.end_watch();
        differs |= asked.iter().any(|(variable, held)| !holds_the_same(held, &self.state.reaching(variable)));
        // A loop inside a pass that is followed again is followed once: else each level would double the work.
        if (met || differs) && self.flow == Flow::Next && !self.repeats_pass {
            self.repeats_pass = true;
            self.alternatives(vec![Box::new(|run| run.pass(&body, true)), Box::new(|_| {})]);
            self.repeats_pass = false;
        }
    }

    /// Notes what a variable of the environment holds that a pass of a loop asks for.
    pub(super) fn watch_variable(&mut self, variable: &str, held: &Reaching) {
        if self.repeats_pass {
            return;
        }
        if let Some(asked) = self.watched.last_mut()
            && !asked.iter().any(|(known, _)| known == variable)
        {
            asked.push((variable.to_owned(), held.clone()));
        }
    }

    /// What a loop counts is not known in a pass that stands for all.
    pub(super) fn havoc_counters(&mut self, block: &'p Block<'p>) {
        self.counters(block).into_iter().for_each(|name| self.bind(name, Value::Unknown));
    }

    /// Names that each pass of a loop makes from what the pass before left: `n += 1`, `n = n + 1`.
    fn counters(&self, block: &'p Block<'p>) -> Vec<&'p str> {
        let mut names = Vec::new();
        for step in block {
            let counter = match &step.kind {
                StepKind::Update { target: Target::Name(name, _), .. } => Some(*name),
                StepKind::Assign { targets, value: Some(value), .. } => match (&targets[..], &value.kind) {
                    ([Target::Name(name, _)], ExprKind::Binary(_, sides)) => {
                        let is_same =
                            |side: &Expr<'_>| matches!(side.kind, ExprKind::Name(other) if other == *name);
                        (is_same(&sides.0) || is_same(&sides.1)).then_some(*name)
                    }
                    _ => None,
                },
                kind => {
                    names.extend(kind.blocks().into_iter().flat_map(|block| self.counters(block)));
                    None
                }
            };
            let counts = |value: &Value<'_>| {
                value.alternatives().iter().all(|value| {
                    matches!(
                        value,
                        Value::Int(..)
                            | Value::Text(_)
                            | Value::Sequence(_)
                            | Value::Mapping(_)
                            | Value::Collection(_)
                    )
                })
            };
            names.extend(counter.filter(|name| self.look_up(self.here.scope, name).is_some_and(counts)));
        }
        names
    }

    /// `try`: the handlers are followed as if everything before the exception had happened.
    pub(super) fn attempt(
        &mut self,
        body: &'p Block<'p>,
        handlers: &'p [Handler<'p>],
        otherwise: &'p Block<'p>,
    ) {
        if handlers.is_empty() {
            return self.block(body);
        }
        let caught = self.new_landing();
        self.catches.push(caught);
        let import = body.iter().position(|step| matches!(step.kind, StepKind::Import(_)));
        let (earlier, later) = body.split_at(import.unwrap_or(0));
        let mark = self.begin_arm();
        self.block(earlier);
        let before_import = import.map(|_| self.state.clone());
        self.block(later);
        self.catches.pop();
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        let done = self.end_arm(mark);
        let raised = self.landing(caught);
        let exits = std::mem::take(&mut self.exits) && flow == Flow::Raise;
        if exits
            && raised.is_empty()
            && !handlers.iter().any(|handler| catches(handler, &["BaseException", "SystemExit"]))
        {
            (self.flow, self.exits) = (flow, true);
            return self.bind_all(done);
        }
        self.summaries.exited += usize::from(exits);
        self.ways_out.of_program |= exits;
        let after = self.state.clone();
        let mut arms: Vec<ArmRun<'_, 'p>> = Vec::new();
        if !matches!(flow, Flow::Raise | Flow::Gone) {
            let (done, after, is_sure) = (done.clone(), after.clone(), raised.is_empty());
            arms.push(Box::new(move |run| {
                run.bind_all(done);
                run.state = after;
                run.flow = flow;
                let of_try = std::mem::replace(&mut run.ways_out.of_try, !is_sure);
                run.ways_out.of_try |= of_try;
                run.without_doubt(|run| {
                    if run.flow == Flow::Next {
                        run.block(otherwise);
                    }
                });
            }));
        }
        for handler in handlers {
            let (before_import, raised) = (before_import.clone(), raised.clone());
            let (done, after) = (done.clone(), after.clone());
            arms.push(Box::new(move |run| {
                // The handler starts from wherever an exception was seen to be raised, and from the end.
                let ends_so = flow == Flow::Raise && raised.is_empty();
                let way = Outcome { state: after, changes: done };
                run.join(match flow {
                    _ if ends_so => vec![way],
                    Flow::Gone => raised,
                    _ if raised.is_empty() => {
                        vec![Outcome { state: way.state.clone(), changes: Vec::new() }, way]
                    }
                    _ => raised.into_iter().chain([way]).collect(),
                });
                // What failed to be imported did nothing to the GPU.
                if let (Some(before), true) = (before_import, handler.import_errors) {
                    (run.state.cuda, run.state.library) = (before.cuda, before.library);
                    run.state.milestones = before.milestones;
                }
                if let Some(name) = handler.name {
                    run.bind(name, Value::Unknown);
                }
                run.block(&handler.body);
            }));
        }
        // What none of the handlers surely catches goes on to the `try` around this one.
        if !handlers.iter().any(|handler| catches(handler, &["BaseException", "Exception"]))
            && let Some(&around) = self.catches.last()
            && self.quiet == 0
        {
            let ended =
                (flow == Flow::Raise).then(|| Outcome { state: after.clone(), changes: done.clone() });
            for way in raised.iter().cloned().chain(ended) {
                self.summaries.raised += 1;
                self.jump_with(around, way);
            }
        }
        self.alternatives(arms);
    }

    /// The way through a `try` on which nothing is raised is the one that counts.
    fn without_doubt(&mut self, follow: impl FnOnce(&mut Self)) {
        self.uncertain -= 1;
        follow(self);
        self.uncertain += 1;
    }

    pub(super) fn with(&mut self, items: &'p [(Expr<'p>, Option<Target<'p>>)], body: &'p Block<'p>) {
        let Some(((context, target), rest)) = items.split_first() else {
            return self.block(body);
        };
        let since = self.next_event();
        self.with_item(context, target.as_ref(), rest, body);
        if let Some(by) = self.cleanup_in(context) {
            self.assured(since, None, |run| run.note_release(by, context.span));
        }
    }

    fn with_item(
        &mut self,
        context: &'p Expr<'p>,
        target: Option<&'p Target<'p>>,
        rest: &'p [(Expr<'p>, Option<Target<'p>>)],
        body: &'p Block<'p>,
    ) {
        let manager = self.eval(context);
        if self.flow != Flow::Next {
            return;
        }
        let manager = self.settle(manager);
        if let Value::Paused(paused) = &manager {
            // A generator of the project used as context manager: its body runs up to `yield`, then
            // ours, then the rest of its own.
            if self.code_of(paused.closure.file).functions[paused.closure.function].is_generator {
                let body = Body::With { target, items: rest, block: body };
                return drop(self.wait_for(&manager, body, context.span));
            }
        }
        let is_name = matches!(context.kind, ExprKind::Name(_) | ExprKind::Attribute(..));
        let leave = self.enter_context(&manager, context.span, is_name);
        if let Some(target) = target {
            self.assign(target, leave.entered.clone());
        }
        if self.swallows_exceptions(&manager) {
            let expects = self.expects_failure(&manager);
            let before = std::mem::replace(&mut self.expects_failure, expects);
            let is_raised = self.catch_all(|run| run.with(rest, body));
            self.expects_failure = before;
            if is_raised && !self.swallows_all(&manager) {
                self.ways_out.of_try |= !self.catches.is_empty();
                self.may_raise();
            }
        } else {
            self.with(rest, body);
        }
        self.leave_context(leave, context.span);
    }

    /// Goes on behind `body` whatever it raises; whether something was seen to raise.
    fn catch_all(&mut self, body: impl FnOnce(&mut Self)) -> bool {
        let caught = self.new_landing();
        self.catches.push(caught);
        body(self);
        self.catches.pop();
        let mut ways = self.landing(caught);
        // `suppress(ValueError)` lets the end of the program pass.
        if self.flow == Flow::Raise && std::mem::take(&mut self.exits) && ways.is_empty() {
            self.exits = true;
            return false;
        }
        let is_raised = self.flow == Flow::Raise || !ways.is_empty();
        match self.flow {
            Flow::Next | Flow::Raise => {
                ways.push(Outcome { state: std::mem::take(&mut self.state), changes: Vec::new() });
            }
            Flow::Gone if !ways.is_empty() => {}
            _ => return is_raised,
        }
        self.flow = Flow::Next;
        self.join(ways);
        is_raised
    }
}

/// Whether a handler surely catches errors of one of these names, whatever else it catches.
fn catches(handler: &Handler<'_>, names: &[&str]) -> bool {
    let is_named = |kind: &Expr<'_>| match &kind.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => names.contains(name),
        _ => false,
    };
    handler.types.is_empty() || handler.types.iter().any(is_named)
}

/// Whether a variable may hold the same values, or none, whoever set them.
fn holds_the_same(one: &Reaching, other: &Reaching) -> bool {
    let holds = |all: &Reaching, wanted: &Definition| {
        all.iter().any(|known| match (known, wanted) {
            (Definition::Set(_, one), Definition::Set(_, other)) => one == other,
            (one, other) => one.is_absent() == other.is_absent() && !matches!(one, Definition::Set(..)),
        })
    };
    one.iter().all(|wanted| holds(other, wanted)) && other.iter().all(|wanted| holds(one, wanted))
}

/// The `else` of a loop, where something may break out of its body: then it runs on some ways only.
fn otherwise_inside<'p>(body: &'p Block<'p>, otherwise: &'p Block<'p>) -> Option<&'p Block<'p>> {
    fn breaks(block: &Block<'_>) -> bool {
        let inner = |step: &Step<'_>| match &step.kind {
            StepKind::Break => true,
            StepKind::For { otherwise, .. } | StepKind::While { otherwise, .. } => breaks(otherwise),
            kind => kind.blocks().into_iter().any(breaks),
        };
        block.iter().any(inner)
    }
    (!otherwise.is_empty() && breaks(body)).then_some(otherwise)
}
