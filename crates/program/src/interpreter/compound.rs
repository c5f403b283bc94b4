//! `try` and `with`: statements that hold others and end in one way however they are left.

use super::branches::{ArmEnd, ArmRun};
use super::generators::YieldConsumer;
use super::{Flow, Interpreter};
use crate::code::{Block, Expr, ExprKind, Handler, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::program::heap::values::Value;
use crate::program::summaries::Dependency;

/// A kind of error that a `try` of the program may expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExpectedError {
    /// A name or an attribute is missing.
    Name,
    /// An item is missing.
    Item,
    /// A text is no number.
    Number,
}

impl ExpectedError {
    const ALL: [ExpectedError; 3] = [ExpectedError::Name, ExpectedError::Item, ExpectedError::Number];

    /// What Python raises then.
    fn names(self) -> &'static [&'static str] {
        match self {
            ExpectedError::Name => &["AttributeError", "NameError", "UnboundLocalError"],
            ExpectedError::Item => &["IndexError", "KeyError", "LookupError"],
            ExpectedError::Number => &["ValueError"],
        }
    }
}

/// Errors of one kind that the program itself expects.
#[derive(Clone, Copy, Default)]
pub(super) struct ExpectedErrors {
    /// How many `try` statements around say that it may be raised.
    pub expected: usize,
    /// How often it was raised, or may have been.
    pub seen: usize,
}

impl<'p> Interpreter<'p> {
    /// Whether a `try` around this expects such an error. A summary depends on the answer.
    pub(super) fn expects(&mut self, error: ExpectedError) -> bool {
        let expects = self.expected_errors[error as usize].expected > 0;
        self.summaries.note(Dependency::ExpectsError(error, expects));
        expects
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
        if body.iter().all(never_raises) {
            self.block(body);
            return self.block(otherwise);
        }
        let caught = self.new_landing();
        let of_try = self.ways_out.of_try;
        let (raised_before, errors_before) = (self.seen_raises, self.expected_errors);
        self.catches.push(caught);
        let expects = ExpectedError::ALL.map(|error| {
            let names_one =
                |handler: &Handler<'_>| !handler.types.is_empty() && catches(handler, error.names());
            handlers.iter().any(names_one)
        });
        for (errors, expects) in self.expected_errors.iter_mut().zip(expects) {
            errors.expected += usize::from(expects);
        }
        let import = body.iter().position(|step| matches!(step.kind, StatementKind::Import(_)));
        let (earlier, later) = body.split_at(import.unwrap_or(0));
        let mark = self.begin_arm();
        self.block(earlier);
        let before_import = import.map(|_| self.state.clone());
        self.block(later);
        self.catches.pop();
        for (errors, expects) in self.expected_errors.iter_mut().zip(expects) {
            errors.expected -= usize::from(expects);
        }
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
        if !matches!(flow, Flow::Raise | Flow::Unreachable) {
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
                let way = ArmEnd { state: after, changes: done };
                run.join(match flow {
                    _ if ends_so => vec![way],
                    Flow::Unreachable => raised,
                    _ if raised.is_empty() => {
                        vec![ArmEnd { state: way.state.clone(), changes: Vec::new() }, way]
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
            && let Some(around) = self.handlers()
            && self.quiet == 0
        {
            let ended = (flow == Flow::Raise).then(|| ArmEnd { state: after.clone(), changes: done.clone() });
            for way in raised.iter().cloned().chain(ended) {
                self.summaries.raised += 1;
                self.jump_with(around, way);
            }
        }
        // What is surely caught leads past nothing that follows.
        let raises = self.seen_raises - raised_before;
        let seen = self.expected_errors.iter().zip(errors_before).map(|(now, before)| now.seen - before.seen);
        let expected: usize = seen.zip(expects).filter(|(_, expects)| *expects).map(|(seen, _)| seen).sum();
        let catches_all = handlers.iter().any(|handler| catches(handler, &["BaseException", "Exception"]));
        if catches_all || raises > 0 && raises == expected {
            self.ways_out.of_try = of_try;
        }
        self.exec_branches(arms);
    }

    /// A `finally` runs however what is before it is left, also where an exception leaves it that nobody catches: then the
    /// program ends behind it.
    pub(super) fn attempt_and_clean(&mut self, attempt: impl FnOnce(&mut Self), finally: &'p Block<'p>) {
        let (since, frame, jumps) = (self.next_event(), self.here.frame, self.jumps.len());
        let uncaught = self.catches.is_empty().then(|| self.new_landing());
        self.passed_through.extend(uncaught);
        self.before_cleanup(attempt);
        if uncaught.is_some() {
            self.passed_through.pop();
        }
        self.on_each_way(jumps, |run, _| run.assured(since, Some(frame), |run| run.block(finally)));
        for way in uncaught.map(|uncaught| self.landing(uncaught)).unwrap_or_default() {
            if let Some(&around) = self.passed_through.last() {
                self.jump_with(around, way);
            }
        }
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
        let manager = self.force(manager);
        if let Value::Paused(paused) = &manager {
            // A generator of the project used as context manager: its body runs up to `yield`, then
            // ours, then the rest of its own.
            if self.code_of(paused.closure.file).functions[paused.closure.function].is_generator {
                let body = YieldConsumer::With { target, items: rest, block: body };
                return drop(self.wait_for(&manager, body, context.span));
            }
        }
        let is_name = matches!(context.kind, ExprKind::Name(_) | ExprKind::Attribute(..));
        let stack = match (&manager, target) {
            (Value::Collection(stack), Some(Target::Name(name, _))) if rest.is_empty() => {
                Some((*stack, *name)).filter(|_| self.may_be_parted(body))
            }
            _ => None,
        };
        self.with_manager(&manager, is_name, target, context.span, |run| match stack {
            Some((stack, name)) => run.block_with_stack(stack, name, body),
            None => run.with(rest, body),
        });
    }

    /// Enters a manager that is no generator, runs what stands in its block, and leaves it.
    pub(super) fn with_manager(
        &mut self,
        manager: &Value<'p>,
        is_name: bool,
        target: Option<&'p Target<'p>>,
        span: Span,
        block: impl FnOnce(&mut Self),
    ) {
        let leave = self.enter_context(manager, span, is_name);
        // What did not let anybody in is not left either.
        if self.flow != Flow::Next {
            return;
        }
        let jumps = self.jumps.len();
        if let Some(target) = target {
            self.assign(target, leave.entered.clone());
        }
        let mut is_caught = false;
        if self.swallows_exceptions(manager) {
            let expects = self.expects_failure(manager);
            let before = std::mem::replace(&mut self.expects_failure, expects);
            // What a class of the project says in its `__exit__` holds for `sys.exit()` too.
            let ends = matches!(manager, Value::Instance(_));
            is_caught = self.catch_all(ends, |run| run.before_cleanup(block));
            self.expects_failure = before;
            if is_caught && !self.swallows_all(manager) {
                self.seen_raises += 1;
                self.ways_out.of_try |= !self.catches.is_empty();
                self.may_raise();
            }
        } else {
            self.before_cleanup(block);
        }
        self.on_each_way(jumps, |run, raised| run.leave_context(&leave, span, raised || is_caught));
    }

    /// Goes on behind `body` whatever it raises; whether something was seen to raise. `ends`: also where it ends the program,
    /// which may come to pass nevertheless.
    pub(super) fn catch_all(&mut self, ends: bool, body: impl FnOnce(&mut Self)) -> bool {
        let caught = self.new_landing();
        self.catches.push(caught);
        body(self);
        self.catches.pop();
        let mut ways = self.landing(caught);
        // `suppress(ValueError)` lets the end of the program pass.
        if self.flow == Flow::Raise && std::mem::take(&mut self.exits) {
            self.ways_out.of_program |= ends;
            if ways.is_empty() && !ends {
                self.exits = true;
                return false;
            }
        }
        let is_raised = self.flow == Flow::Raise || !ways.is_empty();
        match self.flow {
            Flow::Next | Flow::Raise => {
                ways.push(ArmEnd { state: std::mem::take(&mut self.state), changes: Vec::new() });
            }
            Flow::Unreachable if !ways.is_empty() => {}
            Flow::Unreachable => return is_raised,
            flow => {
                // `return int(text)`: nobody gets there when it raises. What calls and items raise is not always seen.
                if ways.is_empty() {
                    ways.push(ArmEnd { state: self.state.clone(), changes: Vec::new() });
                }
                self.leave_by(flow);
            }
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

/// `pass`, and a constant that gets a name.
fn never_raises(step: &Statement<'_>) -> bool {
    let is_constant = |value: &Expr<'_>| {
        matches!(value.kind, ExprKind::None | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Text(_))
    };
    match &step.kind {
        StatementKind::Evaluate(value) => is_constant(value),
        StatementKind::Assign { targets, value: Some(value), .. } => {
            is_constant(value) && targets.iter().all(|target| matches!(target, Target::Name(..)))
        }
        _ => false,
    }
}
