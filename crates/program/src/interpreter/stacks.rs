//! `contextlib.ExitStack`: a collection of calls that are made when it is closed, the last first. So what some ways only leave
//! to it, and what is left to it under another name, is known as it is of lists.

use super::Interpreter;
use super::branches::ArmRun;
use super::calls::Args;
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
        self.flow = super::Flow::Next;
    }
}
