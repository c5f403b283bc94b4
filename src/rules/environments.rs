//! What rules ask about the environment of a whole program: what is missing in it, and what was there before.

use super::evaluate::Scope;
use super::values::{same_mask, selects_by_integer};
use crate::allocator;
use crate::code::Host;
use crate::program::knowledge::Does;
use crate::program::trace::{Event, What};
use crate::program::{ALLOCATOR, Definition};
use crate::sources::file_name_of;

impl Scope<'_> {
    /// Whether a program that uses torch sets nothing that says what the policy wants of its allocator.
    pub(super) fn allocator_is_missing(&self, event: &Event) -> bool {
        let Some(wanted) = self.policy.gpu.as_ref().and_then(|gpu| gpu.alloc_conf.as_deref()) else {
            return false;
        };
        // Somebody else may have set it.
        let is_open = event.before.mask.iter().any(|mask| matches!(mask, Definition::Elsewhere));
        let sets = |&write: &u32| match &self.trace.event(write).what {
            What::Write { variable, value, .. } => {
                ALLOCATOR.contains(&variable.as_str())
                    && value.as_deref().is_none_or(|value| allocator::includes(value, wanted))
                    && self.trace.event(write).before.late.is_empty()
                    && !self.trace.event(write).in_child
                    && !self.is_for_child(write)
            }
            _ => false,
        };
        !is_open && self.uses_torch() && !self.trace.writes.iter().any(sets)
    }

    fn uses_torch(&self) -> bool {
        let is_torch = |module: &str| module == "torch" || module.starts_with("torch.");
        self.trace.events.iter().any(|event| match &event.what {
            What::Import { module, .. } => {
                let row = self.program.knowledge.package(module);
                is_torch(module) || row.is_some_and(|row| row.imports.iter().any(|brought| is_torch(brought)))
            }
            What::Call { callee, does, .. } => is_torch(callee) || does.contains(&Does::TorchInit),
            _ => false,
        })
    }

    /// Whether a write puts an index that stands there in the place of what somebody outside has given: a launcher, a
    /// scheduler, the process that started a worker, or the runner of parallel tests.
    pub(super) fn overrides_launcher(&self, event: &Event) -> bool {
        let What::Write { value: Some(value), only_if_unset: false, .. } = &event.what else { return false };
        let text = self.program.text(event.statement);
        let is_literal = [format!("\"{value}\""), format!("'{value}'")].iter().any(|one| text.contains(one));
        if !is_literal || !selects_by_integer(value) {
            return false;
        }
        let by_launcher = event.before.written.iter().any(|definition| match definition {
            Definition::Set(write, Some(known)) => *write < self.trace.inherited && !same_mask(known, value),
            _ => false,
        });
        let in_worker =
            event.in_child && self.trace.outwards(event.frame).any(|frame| frame.function.is_some());
        let is_conftest = || {
            let name = self.program.name_of(event.place.file);
            file_name_of(name) == "conftest.py" && self.program.tests_run_in_parallel()
        };
        by_launcher || in_worker || self.trace.host == Host::Scheduler || is_conftest()
    }
}
