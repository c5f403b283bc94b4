//! Variables of the environment that a call depends on or changes.

use super::State;
use std::rc::Rc;

/// Variables of the environment that something depends on or changes.
#[derive(Debug, Default)]
pub(crate) struct TouchedVariables {
    pub names: Vec<Rc<str>>,
    /// All of them.
    pub all: bool,
    /// Those that only stand beside its events: nothing asked for them, and nothing changed them.
    pub beside: Vec<&'static str>,
    /// It depends on what variables held when milestones were passed.
    pub at_milestones: bool,
    /// It depends on whether the mask hides all GPUs.
    pub asks_hidden: bool,
    /// It depends on where the program runs, too.
    pub asks_machine: bool,
}

impl TouchedVariables {
    /// Their names, without those that only stand beside events; of all, those that one of these states knows.
    pub fn in_states<'a>(&'a self, one: &'a State, other: &'a State) -> impl Iterator<Item = &'a str> {
        let known = [one, other].into_iter().filter(|_| self.all);
        let known = known.flat_map(|state| state.variables().map(|(name, _)| name));
        self.names.iter().map(|name| &**name).chain(known)
    }
}
