//! What outlives the test that puts it on the GPU: what is set up for a whole class or module, and what a function keeps.

use super::evaluate::Scope;
use crate::facts::{Place, Span};
use crate::program::trace::{Event, EventId, EventKind, Frame};

/// What runs once for several tests.
const FOR_SEVERAL: &[&str] = &["setUpClass", "setup_class", "setUpModule", "setup_module"];

impl Scope<'_> {
    /// Whether the memory that an event takes is kept for more than the test that it lies in.
    pub(super) fn outlives_test(&self, event: &Event) -> bool {
        self.trace.outwards(event.frame).any(|frame| {
            frame.function.as_deref().is_some_and(|name| FOR_SEVERAL.contains(&name))
                || self.keeps_results(frame)
        })
    }

    /// Whether what a whole class or module sets up was said of an earlier test of it.
    pub(super) fn is_set_up_again(&self, id: EventId, event: &Event) -> bool {
        let before = &self.trace.events[..id as usize];
        self.outlives_test(event)
            && before.iter().any(|other| other.place == event.place && other.what.loads())
    }

    /// Whether a function is decorated to give the same object again: `functools.lru_cache` and its like.
    fn keeps_results(&self, frame: &Frame) -> bool {
        let Some(function) =
            frame.number.and_then(|number| self.program.functions_that_ran(frame.file).get(number))
        else {
            return false;
        };
        let above = Span { start: 0, end: function.name_span.start };
        let above = self.program.text(Place { file: frame.file, span: above });
        // Behind the line with `def`.
        let mut decorators =
            above.lines().rev().skip(1).map(str::trim).take_while(|line| line.starts_with('@'));
        // By its name, and not by what it is given.
        decorators.any(|line| keeps_what_it_gave(line.split('(').next().unwrap_or(line)))
    }
}

/// Whether a decorator is one such as `lru_cache`, by its name. What `cached_property` keeps goes with its object, and
/// `clear_cache_before_run` keeps nothing.
fn keeps_what_it_gave(decorator: &str) -> bool {
    const OTHERWISE: &[&str] =
        &["clean", "clear", "drop", "empty", "flush", "free", "no", "property", "purge", "reset", "without"];
    let mut words = decorator.split(['@', '.', '_']);
    decorator.contains("cache") && !words.any(|word| OTHERWISE.contains(&word))
}

/// JAX takes its share of the GPU when it is first used, and no call that a test could make gives any of it back.
pub(super) fn keeps_its_share(event: &Event) -> bool {
    const ON_JAX: &[&str] = &["jax.", "flax.", "optax.", "haiku.", "equinox."];
    matches!(&event.what, EventKind::Call { callee, .. } if ON_JAX.iter().any(|library| callee.starts_with(library)))
}
