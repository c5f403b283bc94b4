//! Functions that are called while they run: how many calls of one in each other are followed.

use super::arguments::bind_arguments;
use super::calls::Args;
use super::classes::CHANGING;
use super::generators::{Active, object_of};
use super::{Flow, Interpreter};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::program::heap::values::{Closure, Value};
use crate::program::summaries::{Dependency, FunctionId, MOST_NESTED, NestedCall};
use std::rc::Rc;

/// So many calls of one function in each other are followed where nothing is left open.
const MOST_CERTAIN: usize = 64;

/// So many generators of one function wait at the same time.
const MOST_WAITING: usize = 4;

impl<'p> Interpreter<'p> {
    /// Whether a function is being run and does not wait at a `yield`, or too many of it wait there.
    pub(super) fn is_running(&self, key: FunctionId) -> bool {
        let active = self.calls_around(key);
        if active == 0 {
            return false;
        }
        let waiting = self.resumes.iter().filter(|resume| resume.generator == Some(key)).count();
        active > waiting || waiting >= MOST_WAITING
    }

    /// Whether Python surely makes a call of a function, as far as the calls of it that are running decide that: then it is followed
    /// as deep as it goes. Else the ways through calls in each other multiply.
    /// `around`: how many these are.
    pub(super) fn is_certain_call(&self, function: FunctionId, around: usize) -> bool {
        if around == 0 {
            return true;
        }
        let Some(first) = self.active.iter().find(|active| active.key == function) else { return true };
        first.uncertain == self.uncertain
            && first.repeats == self.repeats
            && !self.ways_out.of_function
            && around < MOST_CERTAIN
    }

    /// Whether a coroutine or generator is followed: each that was made is another one, also within itself.
    pub(super) fn may_go_on(&self, key: FunctionId) -> bool {
        let around = self.calls_around(key);
        let is_too_deep = around >= MOST_NESTED && self.is_running(key) && !self.is_certain_call(key, around);
        !is_too_deep && self.active.len() < super::functions::MOST_CALLS
    }

    /// How many calls of a function are being followed.
    pub(super) fn calls_around(&self, key: FunctionId) -> usize {
        calls_among(&self.active, key)
    }

    /// Whether a call is followed. One of a function that is running is where it is a method of another object, a function
    /// that was made anew, as by a decorator that stands twice, or where it is given a collection, a constant
    /// or a function that is known.
    pub(super) fn may_follow(&mut self, closure: &Closure<'p>, args: &Args<'p>) -> bool {
        let function = (closure.file, closure.function);
        let around = self.calls_around(function);
        let is_running = around > 0 && self.is_running(function);
        // What it is given is asked where somebody may want to know.
        let is_asked = is_running || self.summaries.is_called_by_itself(function);
        let is_known = |value: &Value<'p>| match value {
            Value::Int(..) | Value::Text(_) | Value::Bool(_) | Value::Function(_) => true,
            collection => self.elements(collection).is_some(),
        };
        let by_arguments = is_asked
            && match &args.items[..] {
                // What is called without anything has its defaults.
                [] => closure.defaults.iter().flatten().any(is_known),
                items => items.iter().any(|argument| is_known(&argument.value)),
            };
        // A module that was imported since the function began calls it in another state.
        let running = self.active.iter().rev().find(|known| known.key == function);
        let by_arguments = by_arguments || running.is_some_and(|known| known.modules < self.in_order.len());
        let is_indirect = self.active.last().is_some_and(|caller| caller.key != function);
        let is_certain = self.is_certain_call(function, around);
        let mut nested = NestedCall { function, around, by_arguments, is_indirect, is_certain };
        if is_running {
            self.summaries.note_called_by_itself(function);
        }
        let is_certain = is_certain && (!is_running || self.summaries.may_follow_certain());
        if is_running && !is_certain {
            let is_same = |known: &Active| known.is_of(closure);
            let is_another = by_arguments || !self.active.iter().any(is_same);
            if !nested.may_be_followed(0) || !is_another {
                nested.by_arguments = is_another;
                self.summaries.note(Dependency::Refused(nested));
                return false;
            }
        }
        self.summaries.note(Dependency::Followed(nested));
        true
    }

    /// What a call that is not followed may change is not known: the lists, sets and dictionaries that the function changes by their
    /// names, also where it is called within itself.
    pub(super) fn forget_changed(&mut self, closure: &Rc<Closure<'p>>, args: &Args<'p>) {
        let function = self.function_of(closure);
        let code = self.code_of(closure.file);
        let mut names: Vec<&'p str> = Vec::new();
        walk_block(code, &function.body, &mut |part, _| match part {
            CodeNode::Expr(expr) => {
                if let ExprKind::Call(call) = &expr.kind
                    && let ExprKind::Attribute(object, method) = &call.callee.kind
                    && let ExprKind::Name(name) = object.kind
                    && CHANGING.contains(method)
                {
                    names.push(name);
                }
            }
            CodeNode::Target(Target::Item(item)) => {
                if let ExprKind::Name(name) = item.0.kind {
                    names.push(name);
                }
            }
            _ => {}
        });
        if names.is_empty() {
            return;
        }
        let arguments = bind_arguments(function, closure, args.clone());
        for name in names {
            let given = function.parameters.iter().position(|parameter| parameter.name == name);
            let value = match given {
                Some(at) => arguments.get(at).cloned(),
                None => self.heap.look_up(closure.scope, name).map(|(_, value)| value.clone()),
            };
            for one in value.iter().flat_map(Value::alternatives) {
                if let Value::Collection(scope) = one {
                    self.set_contents(*scope, Value::Unknown);
                }
            }
        }
    }

    /// Calls of a function in each other of which no more are followed: one more stands for all of them. What each of
    /// them is given otherwise is not known in it. Only where one of them asks what lies outside of the project itself, since
    /// each call more may be followed as often as all those around it.
    pub(super) fn follow_deeper(&mut self, closure: &Rc<Closure<'p>>, mut args: Args<'p>, site: Span) {
        let function = (closure.file, closure.function);
        let is_indirect = self.active.last().is_some_and(|caller| caller.key != function);
        let code = self.function_of(closure);
        if self.flow != Flow::Next
            || self.summaries.deeper.contains(&function)
            || self.calls_around(function) + usize::from(is_indirect) < MOST_NESTED
            || (code.is_generator || code.is_async)
            || args.items.is_empty()
            || !self.recursion_asks_outside(closure)
        {
            return;
        }
        for argument in &mut args.items {
            let is_counted = matches!(argument.value, Value::Int(..) | Value::Text(_));
            if is_counted || self.elements(&argument.value).is_some() {
                argument.value = Value::Unknown;
            }
        }
        if self.spend() {
            let arguments = bind_arguments(code, closure, args);
            self.summaries.deeper.push(function);
            self.on_some_ways(|run| drop(run.follow_call(closure, arguments, site)));
            self.summaries.deeper.pop();
        }
    }

    /// Whether a function that is called while it runs, or one through which it is, asks what lies outside of the project.
    fn recursion_asks_outside(&self, closure: &Closure<'p>) -> bool {
        let function = (closure.file, closure.function);
        let through = self.active.iter().rev().take_while(|active| active.key != function);
        let through = through.map(|active| (active.key, active.scope));
        through.chain([(function, closure.scope)]).any(|(function, scope)| self.asks_outside(function, scope))
    }
}

impl Active {
    /// Whether it is a call of this function, of the same object.
    fn is_of(&self, closure: &Closure<'_>) -> bool {
        self.key == (closure.file, closure.function)
            && (self.scope, self.object) == (closure.scope, object_of(closure))
    }
}

impl Interpreter<'_> {
    /// Whether a function that is called by itself never returns: nothing decides whether it comes to that call, so that the
    /// next call comes to it as well, until Python gives up.
    pub(super) fn never_returns(&self, closure: &Closure<'_>) -> bool {
        if !self.active.last().is_some_and(|known| known.is_of(closure)) {
            return false;
        }
        let code = self.program.code(closure.file);
        let body = &code.functions[closure.function].body;
        let Some(reached) = body.iter().position(|step| step.span == self.here.statement) else {
            return false;
        };
        let mut is_plain = true;
        walk_block(code, &body[..=reached], &mut |part, _| match part {
            CodeNode::Statement(step) => is_plain &= is_plain_step(&step.kind),
            CodeNode::Expr(expr) => is_plain &= !decides(&expr.kind),
            CodeNode::Target(_) => {}
        });
        is_plain
    }
}

/// Whether a statement runs to its end in one way.
fn is_plain_step(kind: &StatementKind<'_>) -> bool {
    use StatementKind::{Assign, Define, Evaluate, Return, Share, Update};
    matches!(kind, Assign { .. } | Define { .. } | Evaluate(_) | Return(_) | Share(_) | Update { .. })
}

/// Whether an expression may leave out a part of it, or leave its function for a while.
fn decides(kind: &ExprKind<'_>) -> bool {
    use ExprKind::{All, Any, Await, Choice, Comprehension, Lambda, Yield, YieldFrom};
    matches!(
        kind,
        All(_) | Any(_) | Await(_) | Choice(_) | Comprehension(_) | Lambda(_) | Yield(_) | YieldFrom(_)
    )
}

/// How many of the calls that are being followed are of one function.
pub(super) fn calls_among(active: &[Active], key: FunctionId) -> usize {
    active.iter().filter(|known| known.key == key).count()
}
