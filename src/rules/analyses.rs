//! What no pattern can say: checks of how a file is written that need code. A rule names one by `find: {analysis: …}`;
//! each lies in a file of its own below this one.

mod context_managers;

use super::files::{FileScope, Sighting};

/// A check of one file.
pub(super) struct Analysis {
    /// What rules call it.
    pub name: &'static str,
    /// It looks only at files that hold one of these words; at all when there are none.
    pub words: &'static [&'static str],
    pub look: fn(&FileScope<'_>) -> Vec<Sighting>,
}

/// All of them, by name.
const ANALYSES: &[Analysis] = &[Analysis {
    name: "context-swallows-exception",
    words: &["contextmanager"],
    look: context_managers::that_swallow_exceptions,
}];

/// The check with this name.
pub(super) fn named(name: &str) -> Option<&'static Analysis> {
    ANALYSES.iter().find(|analysis| analysis.name == name)
}

/// The names of all of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ANALYSES.iter().map(|analysis| analysis.name)
}
