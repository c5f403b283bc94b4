//! Calls of functions that took much for nothing: in a large program they are not followed any more.

use super::{Flow, Interpreter, OpenBody};
use crate::program::heap::values::{Closure, Value};
use crate::program::summaries::{FollowedCall, FunctionId};

impl<'p> Interpreter<'p> {
    /// Notes what a call took that was followed from so many steps on, and whether it was for anything.
    pub(super) fn note_call_cost(
        &mut self,
        function: FunctionId,
        closure: &Closure<'p>,
        arguments: &[Value<'p>],
        began: &OpenBody<'p>,
        steps: usize,
    ) {
        let given = closure.bound.iter().chain(arguments).filter_map(|value| match value {
            Value::Instance(object) => Some(object.scope),
            Value::Collection(scope) => Some(*scope),
            _ => None,
        });
        let call = FollowedCall {
            steps: self.steps - steps,
            is_silent: self.is_silent(began),
            may_raise: self.flow == Flow::Raise || self.summaries.raised > began.open.raised,
            given: given.collect(),
        };
        self.summaries.silent.end(function, &call, || self.heap.names_written());
    }

    /// Whether a body noted nothing, left the state as it was and left nothing for later.
    fn is_silent(&self, began: &OpenBody<'p>) -> bool {
        self.trace.events.len() == began.events
            && self.in_order.len() == began.modules
            && self.at_exit.len() == began.at_exit
            && self.imports.len() == began.imports
            && self.left_for_later() == began.left
            && self.state == began.entry
    }

    /// What a call is taken for that is not followed: like those before it, it may write the same names, also in the objects
    /// that it is given, and change the collections in its hands.
    pub(super) fn pass_over_call(
        &mut self,
        function: FunctionId,
        closure: &Closure<'p>,
        arguments: &[Value<'p>],
    ) -> Value<'p> {
        let (may_raise, written) = self.summaries.silent.left_by(function);
        if may_raise {
            self.may_raise();
        }
        let mut places: Vec<_> = written.elsewhere.iter().copied().collect();
        for value in closure.bound.iter().chain(arguments).flat_map(Value::alternatives) {
            self.hand_out(value);
            if let Value::Instance(object) = value {
                places.extend(written.given.iter().map(|name| (object.scope, *name)));
            }
        }
        for (scope, name) in places {
            if self.heap.held(scope, name).is_some() {
                self.bind_in(scope, name, Value::Unknown);
            }
        }
        // That so many were followed before is so in this program alone.
        self.tied += 1;
        Value::Unknown
    }
}
