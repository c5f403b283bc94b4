//! Loops, `try` and `with`: statements that hold others.

use super::branches::{ArmRun, Outcome};
use super::generators::Resume;
use super::{Flow, Run};
use crate::code::{Block, Expr, ExprKind, Handler, Target};
use crate::facts::Span;
use crate::program::value::Value;

/// Literal collections up to this length are followed element by element; a longer one is as good as one
/// element that is not known.
pub(super) const MOST_ELEMENTS: usize = 32;

/// The ways out of one loop, as far as they lie in arms of branches.
#[derive(Default)]
pub(super) struct Loop<'p> {
    /// By `continue`: they lead to the next pass.
    pub continued: Vec<Outcome<'p>>,
    /// By `break`: they lead behind the loop and its `else`.
    pub left: Vec<Outcome<'p>>,
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
        let value = self.iterate(value, iterable.span);
        let pass = move |run: &mut Self, element: Value<'p>| {
            run.assign(target, element);
            run.block(body);
        };
        match self.elements(&value) {
            Some(elements) if elements.len() <= MOST_ELEMENTS => self.looping(Some(otherwise), |run| {
                for element in elements {
                    run.pass(|run| pass(run, element));
                    if run.flow != Flow::Next {
                        break;
                    }
                }
            }),
            Some(_) => self.looping(Some(otherwise), |run| run.passes(|run| pass(run, Value::Unknown))),
            None => self.maybe_looping(otherwise, |run| run.passes(|run| pass(run, Value::Unknown))),
        }
    }

    pub(super) fn while_true(&mut self, test: &'p Expr<'p>, body: &'p Block<'p>, otherwise: &'p Block<'p>) {
        if let ExprKind::Bool(true) | ExprKind::Int(1) = test.kind {
            return self.looping(None, |run| run.passes(|run| run.block(body)));
        }
        let mut broke = false;
        self.branch(test, |run| broke = run.looped(None, |run| run.passes(|run| run.block(body))), |_| {});
        self.loop_else(otherwise, broke);
    }

    /// A loop over something of unknown length: it may run no pass at all.
    fn maybe_looping(&mut self, otherwise: &'p Block<'p>, passes: impl FnOnce(&mut Self)) {
        let mut broke = false;
        self.alternatives(vec![Box::new(|run| broke = run.looped(None, passes)), Box::new(|_| {})]);
        self.loop_else(otherwise, broke);
    }

    /// The `else` of a loop runs when nothing broke out of it.
    fn loop_else(&mut self, otherwise: &'p Block<'p>, broke: bool) {
        if broke && !otherwise.is_empty() {
            self.alternatives(vec![Box::new(|run| run.block(otherwise)), Box::new(|_| {})]);
        } else {
            self.block(otherwise);
        }
    }

    fn looping(&mut self, otherwise: Option<&'p Block<'p>>, passes: impl FnOnce(&mut Self)) {
        self.looped(otherwise, passes);
    }

    /// Runs the passes of a loop, and its `else` when they come to an end; whether something broke out.
    fn looped(&mut self, otherwise: Option<&'p Block<'p>>, passes: impl FnOnce(&mut Self)) -> bool {
        self.loops.push(Loop::default());
        passes(self);
        let mut left = self.loops.pop().unwrap_or_default().left;
        if let Some(otherwise) = otherwise {
            self.block(otherwise);
        }
        if left.is_empty() {
            return false;
        }
        let way = Outcome { state: self.state.clone(), changes: Vec::new() };
        match self.flow {
            Flow::Next => left.push(way),
            Flow::Return => self.here.exits.push(way),
            Flow::Raise => self.catches.last_mut().into_iter().for_each(|ways| ways.push(way.clone())),
            Flow::Break | Flow::Continue | Flow::Gone => {}
        }
        self.flow = Flow::Next;
        self.join(left);
        true
    }

    /// Runs the body of a loop once; `continue` leads to its end.
    fn pass(&mut self, body: impl FnOnce(&mut Self)) {
        body(self);
        let Some(innermost) = self.loops.last_mut() else { return };
        let mut ways = std::mem::take(&mut innermost.continued);
        let here = || Outcome { state: self.state.clone(), changes: Vec::new() };
        match self.flow {
            Flow::Next | Flow::Continue if ways.is_empty() => return self.flow = Flow::Next,
            Flow::Next | Flow::Continue => ways.push(here()),
            Flow::Break => {
                innermost.left.push(here());
                self.flow = Flow::Gone;
            }
            // A `return` or an exception after a way that leads on: both happen.
            Flow::Return if !ways.is_empty() => self.here.exits.push(here()),
            Flow::Raise if !ways.is_empty() => {
                let way = here();
                self.catches.last_mut().into_iter().for_each(|ways| ways.push(way.clone()));
            }
            Flow::Return | Flow::Raise | Flow::Gone => {}
        }
        if !ways.is_empty() {
            self.flow = Flow::Next;
            self.join(ways);
        }
    }

    /// Runs the body of a loop whose number of passes is not known: once, and again where what the first pass
    /// did to CUDA meets what the second does to the environment.
    fn passes(&mut self, body: impl Fn(&mut Self)) {
        let (writes, cuda) = (self.trace.writes.len(), self.state.cuda);
        self.pass(&body);
        let met = self.trace.writes.len() > writes && self.state.cuda != cuda;
        if met && self.flow == Flow::Next {
            self.alternatives(vec![Box::new(|run| run.pass(&body)), Box::new(|_| {})]);
        }
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
        self.catches.push(Vec::new());
        self.block(body);
        let mut raised = self.catches.pop().unwrap_or_default();
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        // The handlers start from wherever an exception was seen to be raised, and from the end.
        let after = self.state.clone();
        if !raised.is_empty() {
            if flow != Flow::Gone {
                raised.push(Outcome { state: after.clone(), changes: Vec::new() });
            }
            self.join(raised);
        }
        let mut arms: Vec<ArmRun<'_, 'p>> = Vec::new();
        if !matches!(flow, Flow::Raise | Flow::Gone) {
            arms.push(Box::new(move |run| {
                run.state = after;
                run.flow = flow;
                run.without_doubt(|run| {
                    if run.flow == Flow::Next {
                        run.block(otherwise);
                    }
                });
            }));
        }
        for handler in handlers {
            arms.push(Box::new(|run| {
                if let Some(name) = handler.name {
                    run.bind(name, Value::Unknown);
                }
                run.block(&handler.body);
            }));
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
        let manager = self.eval(context);
        if self.flow != Flow::Next {
            return;
        }
        let manager = self.settle(manager);
        if let Value::Paused(paused) = &manager {
            // A generator of the project used as context manager: its body runs up to `yield`, then
            // ours, then the rest of its own.
            if rest.is_empty()
                && self.code_of(paused.closure.file).functions[paused.closure.function].is_generator
            {
                if let Some(target) = target {
                    self.assign(target, Value::Unknown);
                }
                return self.with_generator(&manager, body, context.span);
            }
        }
        let leave = self.enter_context(&manager, context);
        if let Some(target) = target {
            self.assign(target, leave.entered.clone());
        }
        if self.swallows_exceptions(&manager) {
            self.catch_all(|run| run.with(rest, body));
        } else {
            self.with(rest, body);
        }
        self.leave_context(leave, context.span);
    }

    /// Goes on behind `body` whatever it raises.
    fn catch_all(&mut self, body: impl FnOnce(&mut Self)) {
        self.catches.push(Vec::new());
        body(self);
        let mut ways = self.catches.pop().unwrap_or_default();
        match self.flow {
            Flow::Next | Flow::Raise => {
                ways.push(Outcome { state: std::mem::take(&mut self.state), changes: Vec::new() });
            }
            Flow::Gone if !ways.is_empty() => {}
            _ => return,
        }
        self.flow = Flow::Next;
        self.join(ways);
    }

    fn with_generator(&mut self, manager: &Value<'p>, body: &'p Block<'p>, span: Span) {
        let resume = Resume { body, caller: self.callers.len(), done: false, flow: Flow::Next };
        self.resumes.push(resume);
        self.run_paused(manager, span);
        let Some(resume) = self.resumes.pop() else { return };
        if resume.done {
            self.flow = if self.flow == Flow::Next { resume.flow } else { self.flow };
        } else {
            // Nobody yielded: the body of the `with` still runs.
            self.block(resume.body);
        }
    }
}
