//! What a generator gave so far, while it runs: which values, how much it is asked for, and where it was left.

use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Code, ExprKind, Statement, StatementKind};
use crate::program::heap::values::{Paused, Value};
use crate::program::interpreter::iterators::IteratorPosition;
use crate::program::interpreter::jumps::Landing;
use crate::program::interpreter::{Flow, Interpreter};

impl<'p> Interpreter<'p> {
    /// The number of the running generator, where code of its own runs.
    fn given_here(&self) -> Option<usize> {
        self.given.iter().rposition(|given| given.frame == self.here.frame)
    }

    /// Notes what the running generator gave; `None` where that is not known. Returns where one leads that waits for ever.
    pub(in crate::interpreter) fn note_given(&mut self, more: Option<&[Value<'p>]>) -> Option<Landing> {
        let number = self.given_here()?;
        let given = &mut self.given[number];
        let followed =
            given.uncertain == self.uncertain && given.ways_out == self.ways_out && self.here.repeats == 0;
        match (&mut given.values, more) {
            (Some(values), Some(more)) if followed => values.extend_from_slice(more),
            _ => given.values = None,
        }
        given.left_open |= given.suspended.is_some() && given.cleanups > 0;
        given.suspended
    }

    /// Whether a generator has not begun and surely comes to a `yield`, where it is not known to be asked in several passes.
    pub(in crate::interpreter) fn gives_first(&mut self, paused: &Paused<'p>) -> bool {
        let function = self.function_of(&paused.closure);
        function.is_generator
            && matches!(self.position(paused.scope), IteratorPosition::At(0))
            && !self.is_repeated_since(paused.scope)
            && self.may_go_on((paused.closure.file, paused.closure.function))
            && comes_to_yield(self.code_of(paused.closure.file), &function.body)
    }

    /// Whether the running generator stops at its first `yield`.
    pub(in crate::interpreter) fn stops_here(&self) -> bool {
        self.given_here().is_some_and(|number| self.given[number].stops)
    }

    /// The running generator gives its first value, and waits.
    pub(in crate::interpreter) fn stop_at_yield(&mut self, value: Value<'p>) -> Value<'p> {
        let end = self.end_of_function();
        if let Some(number) = self.given_here() {
            // Its `finally` does not run yet.
            self.given[number].suspended = Some(end);
        }
        self.note_given(Some(std::slice::from_ref(&value)));
        self.jump(end);
        self.flow = Flow::Unreachable;
        Value::Unknown
    }

    /// Follows what a `finally` or the end of a `with` comes behind.
    pub(in crate::interpreter) fn before_cleanup(&mut self, steps: impl FnOnce(&mut Self)) {
        let running = self.given_here();
        if let Some(number) = running {
            self.given[number].cleanups += 1;
        }
        steps(self);
        if let Some(given) = running.and_then(|number| self.given.get_mut(number)) {
            given.cleanups = given.cleanups.saturating_sub(1);
        }
    }

    /// Whether the running generator is asked for one element, and left at a `yield`.
    pub(in crate::interpreter) fn is_left_at_yields(&self) -> bool {
        self.given_here().is_some_and(|number| self.given[number].suspended.is_some())
    }

    /// Whether the running generator is asked for all that it gives.
    pub(in crate::interpreter) fn is_exhausted(&self) -> bool {
        self.given_here().is_some_and(|number| self.given[number].exhausted)
    }
}

/// Whether a block surely comes to a `yield`: nothing before it leads past it.
fn comes_to_yield(code: &Code<'_>, block: &[Statement<'_>]) -> bool {
    for step in block {
        match &step.kind {
            StatementKind::Evaluate(value) | StatementKind::Assign { value: Some(value), .. }
                if matches!(value.kind, ExprKind::Yield(_)) =>
            {
                return true;
            }
            StatementKind::With { body, .. } => return comes_to_yield(code, body),
            StatementKind::Try { body, handlers, .. } if handlers.is_empty() => {
                return comes_to_yield(code, body);
            }
            StatementKind::While { test, body, .. }
                if matches!(test.kind, ExprKind::Bool(true) | ExprKind::Int(1)) =>
            {
                return comes_to_yield(code, body);
            }
            StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue => return false,
            _ => {}
        }
        let mut may_leave = false;
        walk_block(code, std::slice::from_ref(step), &mut |node, _| match node {
            CodeNode::Statement(inner) => may_leave |= matches!(inner.kind, StatementKind::Return(_)),
            CodeNode::Expr(inner) => {
                may_leave |= matches!(inner.kind, ExprKind::Yield(_) | ExprKind::YieldFrom(_));
            }
            CodeNode::Target(_) => {}
        });
        if may_leave {
            return false;
        }
    }
    false
}
