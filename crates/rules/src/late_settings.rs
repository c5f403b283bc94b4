//! Variables that are set too late, and who minds: tests that import a program, and libraries that are told in another way too.

use super::evaluate::Scope;
use crate::program::trace::{Event, EventKind};

impl Scope<'_> {
    /// Whether the program is a module of tests.
    pub(super) fn is_of_tests(&self) -> bool {
        self.trace.entry.is_some_and(|entry| self.program.is_of_tests(entry))
    }

    /// Whether the file of a write sets the same by `jax.config.update("jax_platforms", …)`.
    pub(super) fn is_told_by_call(&self, event: &Event) -> bool {
        let EventKind::Write { variable, .. } = &event.what else { return false };
        let text = &self.program.sources.file(event.place.file).text;
        let name = variable.to_lowercase();
        ["\"", "'"].iter().any(|quote| text.contains(&format!("config.update({quote}{name}{quote}")))
    }
}
