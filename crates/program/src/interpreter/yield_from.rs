//! `yield from`: a generator that passes on what another one gives. And what resumes one: `send`, `throw`, `close`.

use super::calls::Args;
use super::generators::{AskedFor, RETURNED};
use super::iterators::IteratorPosition;
use super::{Flow, Interpreter};
use crate::facts::Span;
use crate::program::heap::values::Value;

impl<'p> Interpreter<'p> {
    /// `yield from` in a generator of the project: what waits for it runs with each of the values.
    pub(super) fn yield_each(&mut self, values: Value<'p>, span: Span) -> Value<'p> {
        let mut returned = Value::None;
        let is_awaited = self.waiting().is_some_and(|number| self.resumes[number].body.is_some());
        let passes_on = match &values {
            Value::Paused(_) => true,
            // What `map` makes of a generator's values is not what that one yields.
            Value::Stream(_) => !is_awaited,
            _ => false,
        };
        if passes_on {
            let result = self.delegate(&values);
            if let Value::Paused(paused) = &values {
                returned = self.heap.get(paused.scope, RETURNED).cloned().unwrap_or(Value::Unknown);
            }
            if self.waiting().is_none_or(|number| self.resumes[number].body.is_none()) {
                // What the other one gave this one gave too.
                self.note_given(match &result {
                    Value::Sequence(given) => Some(given),
                    _ => None,
                });
                return returned;
            }
        }
        let asked = values.clone();
        let values = self.iterate(values, span);
        match self.elements(&values) {
            Some(elements) if self.may_follow_each(elements.len()) => {
                for element in elements {
                    if self.flow == Flow::Next {
                        self.resume_with(element);
                    }
                }
            }
            _ => {
                self.any_number_of_times(|run| drop(run.resume_with(Value::Unknown)));
                if self.flow == Flow::Next {
                    self.run_generators_in(&asked, span);
                }
            }
        }
        returned
    }

    /// `generator.send(value)`, `throw` and `close`: the generator goes on from where it is, which is known before it began only.
    pub(super) fn resumed_by(
        &mut self,
        generator: &Value<'p>,
        method: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Value<'p> {
        let Value::Paused(paused) = generator else { return Value::Unknown };
        if !self.function_of(&paused.closure).is_generator {
            return Value::Unknown;
        }
        let given = args.at(0).map(|argument| argument.value.clone());
        match (method, given, self.position(paused.scope)) {
            ("__next__" | "__anext__", ..)
            | ("send" | "asend", Some(Value::None), IteratorPosition::At(_)) => {
                return self.next_or(generator.clone(), None, span);
            }
            ("close" | "aclose", _, IteratorPosition::At(0) | IteratorPosition::UsedUp) => {
                return Value::None;
            }
            ("send" | "asend" | "throw" | "athrow" | "close" | "aclose", ..) => {}
            _ => return Value::Unknown,
        }
        self.on_some_ways(|run| {
            run.begin_anew(paused.scope);
            run.asks = AskedFor::Next;
            match method.ends_with("close") {
                // `except GeneratorExit: …; raise`: who closes it hears nothing of that.
                true => _ = run.catch_all(false, |run| drop(run.run_paused(generator, span))),
                false => drop(run.run_paused(generator, span)),
            }
            run.asks = AskedFor::Some;
        });
        self.set_position(paused.scope, IteratorPosition::Unknown);
        if !method.ends_with("close") {
            self.may_raise();
        }
        Value::Unknown
    }

    /// `yield from`: the other generator yields to whatever waits for this one.
    fn delegate(&mut self, other: &Value<'p>) -> Value<'p> {
        let waiting = self.waiting();
        let frame = self.next_frame();
        let closed_before = waiting.and_then(|number| {
            self.resumes[number].frame = frame;
            self.resumes[number].closed.take()
        });
        if waiting.is_none() && self.is_exhausted() {
            self.asks = AskedFor::All;
        }
        let result = self.run_paused(other, self.here.statement);
        if let Some(number) = waiting {
            self.resumes[number].frame = self.here.frame;
            let closed = self.resumes[number].closed;
            self.resumes[number].closed = closed.or(closed_before);
            self.close_with(closed);
        }
        result
    }

    /// Who closes a generator closes the one that passes its values on.
    fn close_with(&mut self, closed: Option<bool>) {
        match closed {
            Some(true) if self.flow == Flow::Next => self.flow = Flow::Return,
            Some(false) if self.flow == Flow::Next => {
                self.ways_out.of_function = true;
                let end = self.end_of_function();
                self.jump(end);
            }
            _ => {}
        }
    }
}
