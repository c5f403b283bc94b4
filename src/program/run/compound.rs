//! Loops, `try` and `with`: statements that hold others.

use super::branches::{ArmRun, Outcome};
use super::generators::Body;
use super::{Flow, Run};
use crate::code::{Block, Expr, Handler, Target};
use crate::program::value::Value;

/// Literal collections up to this length are followed element by element.
pub(super) const MOST_ELEMENTS: usize = 32;

impl<'p> Run<'p> {
    pub(super) fn for_each(&mut self, target: &'p Target<'p>, iterable: &'p Expr<'p>, body: &'p Block<'p>) {
        let value = self.eval(iterable);
        if self.flow != Flow::Next {
            return;
        }
        let value = self.iterate(value, iterable.span);
        match self.elements(&value) {
            Some(elements) if elements.is_empty() => {}
            Some(elements) if elements.len() <= MOST_ELEMENTS => {
                for element in elements {
                    self.loop_body(|run| {
                        run.assign(target, element);
                        run.block(body);
                    });
                    if self.flow != Flow::Next {
                        break;
                    }
                }
            }
            Some(_) => self.loop_body(|run| {
                run.assign(target, Value::Unknown);
                run.block(body);
            }),
            None => self.alternatives(vec![
                Box::new(|run| {
                    run.loop_body(|run| {
                        run.assign(target, Value::Unknown);
                        run.block(body);
                    });
                }),
                Box::new(|_| {}),
            ]),
        }
    }

    pub(super) fn while_true(&mut self, test: &'p Expr<'p>, body: &'p Block<'p>) {
        self.branch(test, |run| run.loop_body(|run| run.block(body)), |_| {});
    }

    /// The `else` of a loop runs when nothing broke out of it.
    pub(super) fn loop_else(&mut self, otherwise: &'p Block<'p>) {
        if self.broke && !otherwise.is_empty() {
            self.alternatives(vec![Box::new(|run| run.block(otherwise)), Box::new(|_| {})]);
        } else {
            self.block(otherwise);
        }
    }

    /// Runs the body of a loop once; `break` and `continue` lead to its end.
    fn loop_body(&mut self, body: impl FnOnce(&mut Self)) {
        self.loops.push(Vec::new());
        body(self);
        let mut ways = self.loops.pop().unwrap_or_default();
        if ways.is_empty() {
            if self.flow == Flow::Leave {
                self.flow = Flow::Next;
            }
            return;
        }
        if matches!(self.flow, Flow::Next | Flow::Leave) {
            ways.push(Outcome { state: std::mem::take(&mut self.state), changes: Vec::new() });
        }
        self.flow = Flow::Next;
        self.join(ways);
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
            if rest.is_empty()
                && self.code_of(paused.closure.file).functions[paused.closure.function].is_generator
            {
                return self.wait_for(&manager, Body::With(target, body), context.span);
            }
        }
        let leave = self.enter_context(&manager, Some(context), context.span);
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
}
