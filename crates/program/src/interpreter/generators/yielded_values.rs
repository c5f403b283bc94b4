//! What a generator gave so far, while it runs: which values, how much it is asked for, and where it was left.

use crate::program::heap::values::Value;
use crate::program::interpreter::Interpreter;
use crate::program::interpreter::jumps::Landing;

impl<'p> Interpreter<'p> {
    /// Notes what the running generator gave; `None` where that is not known. Returns where one leads that waits for ever.
    pub(in crate::interpreter) fn note_given(&mut self, more: Option<&[Value<'p>]>) -> Option<Landing> {
        let frame = self.here.frame;
        let given = self.given.iter_mut().rev().find(|given| given.frame == frame)?;
        let followed =
            given.uncertain == self.uncertain && given.ways_out == self.ways_out && self.here.repeats == 0;
        match (&mut given.values, more) {
            (Some(values), Some(more)) if followed => values.extend_from_slice(more),
            _ => given.values = None,
        }
        given.left_open |= given.suspended.is_some() && given.cleanups > 0;
        given.suspended
    }

    /// Follows what a `finally` or the end of a `with` comes behind.
    pub(in crate::interpreter) fn before_cleanup(&mut self, steps: impl FnOnce(&mut Self)) {
        let frame = self.here.frame;
        let running = self.given.iter().rposition(|given| given.frame == frame);
        if let Some(number) = running {
            self.given[number].cleanups += 1;
        }
        steps(self);
        if let Some(given) = running.and_then(|number| self.given.get_mut(number)) {
            given.cleanups -= 1;
        }
    }

    /// Whether the running generator is asked for one element, and left at a `yield`.
    pub(in crate::interpreter) fn is_left_at_yields(&self) -> bool {
        let frame = self.here.frame;
        self.given.iter().any(|given| given.frame == frame && given.suspended.is_some())
    }

    /// Whether the running generator is asked for all that it gives.
    pub(in crate::interpreter) fn is_exhausted(&self) -> bool {
        let frame = self.here.frame;
        self.given.iter().any(|given| given.frame == frame && given.exhausted)
    }
}
