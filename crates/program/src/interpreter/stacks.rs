//! `contextlib.ExitStack`: a collection of calls that are made when it is closed, the last first. So what some ways only leave
//! to it, and what is left to it under another name, is known as it is of lists.

use super::branches::ArmRun;
use super::calls::Args;
use super::generators::YieldConsumer;
use super::{Flow, Interpreter};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::program::heap::values::{Closure, ScopeId, Value};
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    /// What a method of a stack gives; `None` when this is none of them.
    pub(super) fn call_stack(
        &mut self,
        stack: &Value<'p>,
        method: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let Value::Collection(scope) = *stack else { return None };
        let first = || args.at(0).map(|argument| argument.value.clone());
        match method {
            "callback" | "push_async_callback" => {
                let call = self.partial(args)?;
                self.leave_to(scope, call, span);
                first()
            }
            "push" | "push_async_exit" => {
                let pushed = self.force(first()?);
                if let Some(exit) = self.exit_of(&pushed, span) {
                    self.leave_to(scope, exit, span);
                }
                Some(pushed)
            }
            "enter_context" | "enter_async_context" => {
                let manager = self.force(first()?);
                let entered = self.enter_for_later(args, true, span)?;
                if let Some(exit) = self.exit_of(&manager, span) {
                    self.leave_to(scope, exit, span);
                }
                Some(entered)
            }
            "close" | "aclose" | "__exit__" | "__aexit__" => {
                self.close_stack(scope, span);
                Some(Value::None)
            }
            "pop_all" => {
                let left = self.contents(stack);
                let other = self.new_scope(None, false);
                self.set_contents(other, left);
                self.set_contents(scope, Value::sequence(Vec::new()));
                Some(Value::Collection(other))
            }
            _ => None,
        }
    }

    /// What is called at the end of a manager that a stack has: a method of it, or a function that was pushed. Of a generator
    /// that is the generator.
    fn exit_of(&mut self, manager: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let method = match manager {
            Value::Instance(instance) => {
                let class = instance.class.clone();
                let is_async = !matches!(self.class_attribute(&class, "__exit__"), Value::Function(_));
                self.attribute(manager, if is_async { "__aexit__" } else { "__exit__" }, span)
            }
            Value::Function(_) => manager.clone(),
            Value::Paused(_) => return Some(manager.clone()),
            _ => return None,
        };
        let Value::Function(method) = method else { return None };
        let mut exit = Closure::clone(&method);
        exit.held.extend(vec![Value::None; 3]);
        Some(Value::Function(Rc::new(exit)))
    }

    fn leave_to(&mut self, stack: ScopeId, call: Value<'p>, span: Span) {
        let held = self.contents(&Value::Collection(stack));
        let more = held.alternatives().iter().map(|left| match left {
            Value::Sequence(left) => Value::sequence(left.iter().cloned().chain([call.clone()]).collect()),
            _ => Value::Unknown,
        });
        let more: Vec<_> = more.collect();
        let is_known = more.iter().all(|left| matches!(left, Value::Sequence(_)));
        match is_known && !self.is_repeated_since(stack) {
            true => self.set_contents(stack, Value::one_of(more)),
            // How often, and what else stands there, is not known: it may happen any time.
            false => {
                self.set_contents(stack, Value::Unknown);
                self.on_some_ways(|run| run.call_left(call, span));
            }
        }
    }

    /// Whether what a stack enters in a block is left at the end of it, and no other stack takes it over.
    pub(super) fn may_be_parted(&self, block: &'p [Statement<'p>]) -> bool {
        let mut is_kept = true;
        walk_block(self.code(), block, &mut |part, _| {
            if let CodeNode::Expr(Expr { kind: ExprKind::Attribute(_, "pop_all" | "close"), .. }) = part {
                is_kept = false;
            }
        });
        is_kept
    }

    /// The block of `with ExitStack() as stack:`. Behind `stack.enter_context(generator())` the rest of it is the block of
    /// that generator, and so it is of a manager that lets exceptions pass.
    pub(super) fn block_with_stack(&mut self, stack: ScopeId, name: &'p str, block: &'p [Statement<'p>]) {
        for (at, step) in block.iter().enumerate() {
            let entered = entered_in(step, name).filter(|_| self.is_stack(name, stack));
            let Some((manager, target, span)) = entered.filter(|_| self.flow == Flow::Next) else {
                self.block(std::slice::from_ref(step));
                continue;
            };
            self.here.statement = step.span;
            let manager = self.eval(manager);
            let manager = self.force(manager);
            if self.flow != Flow::Next {
                return;
            }
            let rest = &block[at + 1..];
            if self.swallows_exceptions(&manager) {
                let left = self.left_to(stack);
                return self.with_manager(&manager, false, target, span, |run| {
                    run.rest_with_stack(stack, name, rest, left, span);
                });
            }
            if !self.may_be_resumed(&manager) {
                let args = Args::positional(vec![manager], span);
                let entered = self.call_method(&Value::Collection(stack), "enter_context", args, span);
                target.into_iter().for_each(|target| self.assign(target, entered.clone()));
                continue;
            }
            let left = self.left_to(stack);
            let body = move |run: &mut Self, value: Value<'p>| {
                target.into_iter().for_each(|target| run.assign(target, value.clone()));
                run.rest_with_stack(stack, name, rest, left, span);
                Value::Unknown
            };
            return drop(self.wait_for(&manager, YieldConsumer::Rest(Box::new(body)), span));
        }
    }

    /// The rest of such a block, and the calls that it left to the stack.
    fn rest_with_stack(
        &mut self,
        stack: ScopeId,
        name: &'p str,
        rest: &'p [Statement<'p>],
        left: usize,
        span: Span,
    ) {
        let jumps = self.jumps.len();
        self.before_cleanup(|run| run.block_with_stack(stack, name, rest));
        self.on_each_way(jumps, |run, _| run.close_above(stack, left, span));
    }

    fn is_stack(&mut self, name: &'p str, stack: ScopeId) -> bool {
        matches!(self.look_up(self.here.scope, name), Some(Value::Collection(held)) if *held == stack)
    }

    /// How many calls are left to a stack, where that is known.
    fn left_to(&mut self, stack: ScopeId) -> usize {
        match self.contents(&Value::Collection(stack)) {
            Value::Sequence(left) => left.len(),
            _ => usize::MAX,
        }
    }

    /// Makes the calls that were left to a stack behind the first ones.
    fn close_above(&mut self, stack: ScopeId, first: usize, span: Span) {
        let Value::Sequence(left) = self.contents(&Value::Collection(stack)) else { return };
        let Some((kept, above)) = left.split_at_checked(first).filter(|(_, above)| !above.is_empty()) else {
            return;
        };
        self.set_contents(stack, Value::sequence(kept.to_vec()));
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        above.iter().rev().for_each(|call| self.call_left(call.clone(), span));
        self.flow = flow;
    }

    /// Makes the calls that are left to a stack.
    pub(super) fn close_stack(&mut self, stack: ScopeId, span: Span) {
        let left = self.contents(&Value::Collection(stack));
        self.set_contents(stack, Value::sequence(Vec::new()));
        let each = |run: &mut Self, left: &Value<'p>| {
            let Value::Sequence(calls) = left else { return };
            for call in calls.iter().rev() {
                run.call_left(call.clone(), span);
            }
        };
        match &left {
            Value::OneOf(ways) => {
                let arms = ways.iter().map(|left| -> ArmRun<'_, 'p> { Box::new(|run| each(run, left)) });
                self.exec_branches(arms.collect());
            }
            left => each(self, left),
        }
    }

    fn call_left(&mut self, call: Value<'p>, span: Span) {
        match call {
            // What stands behind its `yield` runs now, and what stands before it has run.
            Value::Paused(_) => {
                self.on_some_ways(|run| drop(run.run_paused(&call, span)));
            }
            call => {
                let result = self.call(call, Args::default(), span);
                self.run_paused(&result, span);
            }
        }
        self.flow = Flow::Next;
    }
}

/// What a statement enters for a stack of this name: `stack.enter_context(manager)`, `value = stack.enter_context(manager)`.
fn entered_in<'p>(
    step: &'p Statement<'p>,
    stack: &str,
) -> Option<(&'p Expr<'p>, Option<&'p Target<'p>>, Span)> {
    let (expr, target) = match &step.kind {
        StatementKind::Evaluate(expr) => (expr, None),
        StatementKind::Assign { targets, value: Some(expr), .. } => match &targets[..] {
            [target] => (expr, Some(target)),
            _ => return None,
        },
        _ => return None,
    };
    let ExprKind::Call(call) = &expr.kind else { return None };
    let ExprKind::Attribute(object, "enter_context") = &call.callee.kind else { return None };
    let [manager] = &call.arguments[..] else { return None };
    let is_plain = manager.name.is_none() && !manager.unpacked;
    let is_it = matches!(object.kind, ExprKind::Name(name) if name == stack);
    (is_plain && is_it).then_some((&manager.value, target, expr.span))
}
