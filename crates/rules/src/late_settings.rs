//! Variables that are set too late, and who minds: tests that import a program, and libraries that are told in another way too.

use super::evaluate::Scope;
use crate::program::trace::{Event, EventKind};

impl Scope<'_> {
    /// Whether a test leads to an event that lies in code which is no test.
    pub(super) fn is_led_by_test(&self, event: &Event) -> bool {
        self.trace.entry.is_some_and(|entry| self.program.is_of_tests(entry))
            && !self.program.is_of_tests(event.place.file)
    }

    /// Whether the file of a write sets the same by `jax.config.update("jax_platforms", …)`.
    pub(super) fn is_told_by_call(&self, event: &Event) -> bool {
        let EventKind::Write { variable, .. } = &event.what else { return false };
        let text = &self.program.sources.file(event.place.file).text;
        let name = variable.to_lowercase();
        ["\"", "'"].iter().any(|quote| text.contains(&format!("config.update({quote}{name}{quote}")))
    }
}
