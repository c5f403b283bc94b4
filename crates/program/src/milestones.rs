//! Milestones: what a program has passed on its way after which variables are no longer read, as far as
//! `rules/environment.yaml` names them: the import of a module, the first use of a library.

use super::state::{Reaching, renumber};
use super::trace::EventId;
use crate::facts::Place;
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;

/// A milestone, by its position in [`super::knowledge::Variables`].
pub(crate) type MilestoneId = u8;

/// The milestones behind one point of a program; few, and shared between states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Milestones(Rc<Vec<PassedMilestone>>);

/// A milestone that was passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PassedMilestone {
    pub milestone: MilestoneId,
    pub place: Place,
    /// What passed it, as code.
    pub by: Arc<str>,
    /// On every path.
    pub certain: bool,
    /// What the variables that are read there may have held, in the order in which they are known.
    pub then: SmallVec<[Reaching; 1]>,
}

/// A write that comes after the variable was read, and says something else than what was read.
#[derive(Clone, Debug)]
pub struct LateWrite {
    /// Only this part of the value was read; all of it when there is none.
    pub part: Option<String>,
    /// What read it.
    pub place: Place,
    /// The same, as code.
    pub by: Arc<str>,
    /// It was read on every path.
    pub certain: bool,
}

impl Milestones {
    pub fn get(&self, milestone: MilestoneId) -> Option<&PassedMilestone> {
        self.0.iter().find(|passed| passed.milestone == milestone)
    }

    /// All that were passed.
    pub fn all(&self) -> impl Iterator<Item = &PassedMilestone> {
        self.0.iter()
    }

    /// Notes that a milestone is passed here; the first time on a path counts.
    pub fn pass(&mut self, passed: PassedMilestone) {
        match self.0.iter().position(|known| known.milestone == passed.milestone) {
            None => Rc::make_mut(&mut self.0).push(passed),
            Some(at) if !self.0[at].certain && passed.certain => {
                let known = &mut Rc::make_mut(&mut self.0)[at];
                known.certain = true;
                known.take_over(&passed);
            }
            Some(_) => {}
        }
    }

    /// The same, where events have other numbers.
    pub fn renumber(&mut self, number: &impl Fn(EventId) -> EventId) {
        if self.0.iter().all(|passed| passed.then.iter().all(|reaching| reaching.is_empty())) {
            return;
        }
        for reaching in Rc::make_mut(&mut self.0).iter_mut().flat_map(|passed| &mut passed.then) {
            renumber(reaching, number);
        }
    }

    /// Those that a call left which began with `entry` in another program, for one that begins with `now`.
    pub fn carried(
        &self,
        entry: &Milestones,
        now: &Milestones,
        number: &impl Fn(EventId) -> EventId,
    ) -> Self {
        if self == entry {
            return now.clone();
        }
        let carry = |passed: &PassedMilestone| match entry.get(passed.milestone) {
            Some(known) if known == passed => now.get(passed.milestone).unwrap_or(passed).clone(),
            _ => {
                let mut passed = passed.clone();
                passed.then.iter_mut().for_each(|reaching| renumber(reaching, number));
                passed
            }
        };
        Milestones(Rc::new(self.0.iter().map(carry).collect()))
    }

    /// Keeps those that another process has passed too.
    pub fn retain(&mut self, keep: impl Fn(MilestoneId) -> bool) {
        if self.0.iter().any(|passed| !keep(passed.milestone)) {
            Rc::make_mut(&mut self.0).retain(|passed| keep(passed.milestone));
        }
    }

    /// What is behind the point where two paths meet.
    pub fn join(&mut self, other: &Milestones) {
        if Rc::ptr_eq(&self.0, &other.0) || self == other {
            return;
        }
        let mine = Rc::make_mut(&mut self.0);
        for passed in mine.iter_mut() {
            match other.get(passed.milestone) {
                Some(theirs) => {
                    passed.certain &= theirs.certain;
                    passed.take_over(theirs);
                }
                None => passed.certain = false,
            }
        }
        for theirs in other.0.iter() {
            if !mine.iter().any(|passed| passed.milestone == theirs.milestone) {
                mine.push(PassedMilestone { certain: false, ..theirs.clone() });
            }
        }
    }
}

impl PassedMilestone {
    /// On another path other values were in force.
    fn take_over(&mut self, other: &PassedMilestone) {
        for (mine, theirs) in self.then.iter_mut().zip(&other.then) {
            for definition in theirs {
                if !mine.contains(definition) {
                    mine.push(definition.clone());
                }
            }
        }
    }
}
