//! States of two programs that differ only in the numbers of their events.

use super::state::{Definition, FirstOccurrence, State, TouchedVariables};
use super::trace::{EventId, NOT_NOTED};
use smallvec::SmallVec;

/// Which events of one program stand for which of another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renumbering(SmallVec<[(EventId, EventId); 8]>);

impl Renumbering {
    /// Whether one event can stand for another: no two stand for the same.
    fn relate(&mut self, first: EventId, second: EventId) -> bool {
        if first == NOT_NOTED || second == NOT_NOTED {
            return first == second;
        }
        for (known, other) in &self.0 {
            if *known == first || *other == second {
                return *known == first && *other == second;
            }
        }
        self.0.push((first, second));
        true
    }

    fn unify(&mut self, first: &[Definition], second: &[Definition]) -> bool {
        let same = |pair: (&Definition, &Definition)| match pair {
            (Definition::Set(a, known), Definition::Set(b, value)) => known == value && self.relate(*a, *b),
            (Definition::Removed(a), Definition::Removed(b)) => self.relate(*a, *b),
            (one, other) => one == other,
        };
        first.len() == second.len() && first.iter().zip(second).all(same)
    }

    fn unify_first_occurrences(
        &mut self,
        first: Option<FirstOccurrence>,
        second: Option<FirstOccurrence>,
    ) -> bool {
        match (first, second) {
            (Some(a), Some(b)) => a.certain == b.certain && self.relate(a.event, b.event),
            (None, None) => true,
            _ => false,
        }
    }

    /// The event that stands for another.
    pub fn of(&self, event: EventId) -> EventId {
        self.0.iter().find(|(first, _)| *first == event).map_or(event, |(_, second)| *second)
    }
}

impl State {
    /// Whether the state of another program says the same, as far as something depends on these variables; which of its
    /// events then stand for which. Where milestones were passed does not count, unless `at_places` says so.
    pub fn unify(&self, other: &State, touched: &TouchedVariables, at_places: bool) -> Option<Renumbering> {
        let mut events = Renumbering::default();
        let variables = |events: &mut Renumbering| {
            let mut names = touched.in_states(self, other);
            names.all(|name| events.unify(self.reaching_in_place(name), other.reaching_in_place(name)))
        };
        let milestones = |events: &mut Renumbering| {
            self.milestones.all().count() == other.milestones.all().count()
                && self.milestones.all().all(|passed| {
                    other.milestones.get(passed.milestone).is_some_and(|there| {
                        passed.certain == there.certain
                            && (!touched.at_milestones
                                || passed.then.len() == there.then.len()
                                    && passed.then.iter().zip(&there.then).all(|(a, b)| events.unify(a, b)))
                            && (!at_places || passed.place == there.place)
                    })
                })
        };
        let is_same = self.open == other.open
            && self.set_up() == other.set_up()
            && self.can_move()
            && events.unify_first_occurrences(self.cuda, other.cuda)
            && events.unify_first_occurrences(self.library, other.library)
            && variables(&mut events)
            && milestones(&mut events);
        is_same.then_some(events)
    }

    /// The state that a call left which began with `entry` in another program, for one that begins with `now`.
    pub fn carried(&self, entry: &State, now: &State, number: &impl Fn(EventId) -> EventId) -> State {
        let mut state = self.renumbered(number);
        state.take_unchanged(self, entry, now);
        if self.counted == entry.counted {
            state.counted = now.counted;
        }
        state.search_paths_as(self.search_paths_since(entry), now);
        state.milestones = self.milestones.carried(&entry.milestones, &now.milestones, number);
        state
    }
}
