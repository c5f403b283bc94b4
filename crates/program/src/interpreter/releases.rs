//! What gives memory of the GPU back, and which of it runs whatever is raised before: a `finally`, the end of
//! a `with`, the part of a fixture behind its `yield`, a `tearDown`, and functions that were left to be called
//! at the end.

use super::Interpreter;
use super::calls::Args;
use super::contexts::Leave;
use super::generators::AskedFor;
use crate::code::{Expr, ExprKind, Target};
use crate::facts::Span;
use crate::program::heap::values::{Closure, ScopeId, Value};
use crate::program::summaries::Dependency;
use crate::program::trace::{Assurance, EventId, EventKind, FrameId};
use std::rc::Rc;

/// Something to be done at the end, whatever is raised before.
pub(super) enum Finalizer<'p> {
    Call { function: Value<'p>, args: Args<'p>, span: Span },
    Leave(Leave<'p>, Span),
    Release { by: String, span: Span },
}

impl<'p> Interpreter<'p> {
    /// The number that the next event will have.
    pub(super) fn next_event(&self) -> EventId {
        self.trace.events.len() as EventId
    }

    /// Runs what cleans up, whatever was raised, after everything since an event and after what the frame
    /// did before it.
    pub(super) fn assured(&mut self, since: EventId, frame: Option<FrameId>, clean: impl FnOnce(&mut Self)) {
        let outer = self.assured;
        // Code that runs for sure as a part of other such code cleans up after all that the other does.
        self.assured = outer.or(Some(Assurance { since, frame }));
        clean(self);
        self.assured = outer;
    }

    /// Runs the body of a function, and behind it what the policy knows as cleaning up.
    pub(super) fn run_to_end(&mut self, closure: &Rc<Closure<'p>>, scope: ScopeId, site: Span) -> Value<'p> {
        let since = self.next_event();
        let result = self.run_body(closure, scope, site);
        if let Some(by) = closure.marks.cleanup {
            self.assured(since, None, |run| run.note_release(by, site));
        }
        result
    }

    pub(super) fn note_release(&mut self, by: &str, span: Span) {
        self.note(EventKind::Release { by: by.to_owned() }, span);
    }

    /// `del x` and `x = None` in code that cleans up: the object that held the memory is let go.
    pub(super) fn let_go(&mut self, by: &str, targets: &'p [Target<'p>], span: Span) {
        let holds = |target: &Target<'_>| matches!(target, Target::Name(..) | Target::Attribute(..));
        if !targets.iter().any(holds) {
            return;
        }
        let cleans_up = self.assured.is_some();
        self.summaries.note(Dependency::CleansUp(cleans_up));
        if cleans_up {
            self.note_release(by, span);
        }
    }

    /// The name by which the policy knows a decorator or context manager as one that cleans up.
    pub(super) fn cleanup_in(&self, expr: &Expr<'p>) -> Option<&'p str> {
        let callee = match &expr.kind {
            ExprKind::Call(call) => &call.callee,
            _ => expr,
        };
        match &callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name) => {
                self.asked.tests.is_cleanup(name).then_some(*name)
            }
            _ => None,
        }
    }

    /// `addCleanup(f, …)` and its relatives: the call is made at the end. `false` when there is nothing to be called.
    pub(super) fn leave_for_the_end(&mut self, args: &Args<'p>, span: Span) -> bool {
        let Some(function) = args.at(0).map(|first| first.value.clone()) else { return false };
        let mut rest = args.clone();
        if let Some(first) = rest.items.iter().position(|argument| argument.name.is_none()) {
            rest.items.remove(first);
        }
        self.finalizers.push(Finalizer::Call { function, args: rest, span });
        true
    }

    /// `stack.enter_context(manager)`: entered now, left at the end. `None` when there is nothing to be entered.
    pub(super) fn enter_for_later(
        &mut self,
        args: &Args<'p>,
        in_stack: bool,
        span: Span,
    ) -> Option<Value<'p>> {
        let manager = args.at(0)?.value.clone();
        if !matches!(manager, Value::Paused(_)) {
            let leave = self.enter_context(&manager, span, false);
            let entered = leave.entered.clone();
            // What a method of the project does at the end is left to the stack.
            if !matches!(manager, Value::Instance(_)) || !in_stack {
                self.finalizers.push(Finalizer::Leave(leave, span));
            }
            return Some(entered);
        }
        // A generator runs on to its end here; whether that was reached is not known. What its end gives back is given back
        // later.
        let since = self.trace.events.len();
        self.yielded = None;
        self.asks = AskedFor::Next;
        self.run_paused(&manager, span);
        self.asks = AskedFor::Some;
        let assured = self.trace.events[since..].iter().rev().find_map(|event| match &event.what {
            EventKind::Release { by } => event.assured.map(|_| by.clone()),
            _ => None,
        });
        self.finalizers.extend(assured.map(|by| Finalizer::Release { by, span }));
        Some(self.yielded.take().unwrap_or(Value::Unknown))
    }

    /// Does what was left for the end since there were `base` such things, the last first.
    pub(super) fn finalize(&mut self, base: usize) {
        while self.finalizers.len() > base {
            match self.finalizers.pop() {
                Some(Finalizer::Call { function, args, span }) => {
                    let result = self.call(function, args, span);
                    self.run_paused(&result, span);
                }
                Some(Finalizer::Leave(leave, span)) => self.leave_context(&leave, span, false),
                Some(Finalizer::Release { by, span }) => self.note_release(&by, span),
                None => {}
            }
            self.flow = super::Flow::Next;
        }
    }
}

/// Whether a call leaves what it is given to be called at the end.
pub(super) fn leaves_for_the_end(path: &str) -> bool {
    match path.rsplit('.').next().unwrap_or(path) {
        "addCleanup" | "addAsyncCleanup" | "addClassCleanup" | "addModuleCleanup" | "addfinalizer" => true,
        // In a class that builds on it.
        "callback" | "push_async_callback" => path.contains("ExitStack()"),
        _ => false,
    }
}

/// Whether a call enters what it is given, to be left at the end.
pub(super) fn enters_for_later(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    let in_stack = path.contains("ExitStack()") && name.starts_with("enter_");
    in_stack || ["enterContext", "enterClassContext", "enterAsyncContext"].contains(&name)
}
