//! Whether what a call did before is what it would do here: beside what it read, on what surrounds it, and which of its events
//! are to be noted once more.

use super::{Interpreter, Landing};
use crate::program::heap::Relation;
use crate::program::modules::FolderId;
use crate::program::renumbering::Renumbering;
use crate::program::summaries::{Dependency, Effects, FunctionId, NestedCall, ReplayedEvents, Summary};
use crate::program::trace::{Arms, EventId};
use std::rc::Rc;

/// What becomes of the events of a call that is not followed again.
pub(super) enum EventReuse {
    /// They are there already, or there are none.
    Known,
    /// They are there already, noted again by such a call.
    KnownAgain(Rc<ReplayedEvents>),
    /// They are noted once more; which earlier events stand for which.
    Again(Renumbering),
}

impl<'p> Interpreter<'p> {
    /// Whether a call that depended on the same in the heap depended on the same beside it, and what becomes of its events.
    pub(super) fn fit(&self, summary: &Summary<'p>, relation: &Relation) -> Option<EventReuse> {
        let is_own = self.summaries.is_of_this_program(summary);
        let call = &summary.call;
        let fit = match &call.effects {
            None => EventReuse::Known,
            Some(effects) if is_own => self.fit_of_effects(summary, effects, relation)?,
            Some(effects) => self.fit_elsewhere(summary, effects, relation)?,
        };
        // A `try` around the call goes on from where it raised: with the states that are known, or where it left the state as it was.
        let raises_somewhere = call.may_raise && !self.catches.is_empty();
        let changes = call
            .effects
            .as_ref()
            .is_some_and(|effects| effects.entry != effects.exit && effects.left_with.is_none());
        let is_pure = call.effects.is_none();
        // The path of a class whose method a test replaced names the class.
        let is_mocked = !relation.other_classes().is_empty() && !self.state.set_up().mocked.is_empty();
        if is_mocked || raises_somewhere && changes {
            return None;
        }
        let effects = call.effects.as_ref();
        let added =
            effects.map(|effects| effects.exit.search_paths_since(&effects.entry)).unwrap_or_default();
        summary.facts().iter().all(|fact| self.is_so(fact, is_pure, added, relation)).then_some(fit)
    }

    /// Whether the functions that a call followed would be followed now, and those would not that it did not.
    pub(super) fn runs_alike(&self, summary: &Summary<'p>) -> bool {
        let is_followed = |key: FunctionId| {
            summary.followed(key).is_none_or(|call| {
                let around = self.calls_around(key);
                call.by_arguments && call.may_be_followed(around)
                    || call.is_certain && self.is_certain_call(key, around)
                    || !self.is_running(key)
            })
        };
        let is_refused = |call: &NestedCall| {
            let around = self.calls_around(call.function);
            (call.around > 0 || self.is_running(call.function))
                && (!call.by_arguments || !call.may_be_followed(around))
        };
        self.active.iter().all(|active| is_followed(active.key)) && summary.refused().iter().all(is_refused)
    }

    /// Whether the same surrounds a call that noted something.
    fn is_surrounded_alike(&self, may_raise: bool, effects: &Effects) -> bool {
        effects.in_child == self.in_child
            && effects.process == self.number_of_process
            && effects.only_if_called == self.only_if_called
            && effects.assured == self.assured.is_some()
            && effects.recipient == self.recipient
            && (!may_raise || effects.is_caught != self.catches.is_empty())
    }

    fn fit_of_effects(
        &self,
        summary: &Summary<'p>,
        effects: &Effects,
        relation: &Relation,
    ) -> Option<EventReuse> {
        let events =
            &self.trace.events[effects.noted.events.start as usize..effects.noted.events.end as usize];
        let same = self.is_surrounded_alike(summary.call.may_raise, effects)
            // Where an event stands may depend on where a literal stands.
            && !(relation.moves_places() && events.iter().any(|event| relation.moves(event.place)));
        if !same {
            return None;
        }
        let touched = summary.touched();
        let starts_same = effects.entry.is_same(&self.state, touched);
        // Each module is to answer for what it does when it is imported, also where another did the same before.
        // Its events lie on every path to this call, and are as certain as they would be now; or they say nothing new here.
        // Where they lie in an arm of another branch they are noted once more, and no third time: a call in many arms would
        // double what follows each of them.
        let is_on_the_way = self.is_around_here(&effects.path)
            && (starts_same || effects.exit.is_same(&self.state, touched) && self.asks_the_same(summary));
        let says_nothing = effects.says_nothing_new() && starts_same;
        if effects.uncertain <= self.uncertain
            && self.is_passed_alike(&effects.passed_to, effects.may_be_passed)
            && (is_on_the_way || says_nothing)
            && self.is_settled(effects, effects.noted.events.end)
            && !self.is_reached_by_import()
        {
            return Some(EventReuse::Known);
        }
        if let Some(again) = self.is_noted_again(summary) {
            return Some(EventReuse::KnownAgain(again));
        }
        if !self.may_note_again(effects) {
            return None;
        }
        if starts_same {
            return Some(EventReuse::Again(Renumbering::default()));
        }
        // The same was set before, by other events.
        let names_places = events.iter().any(|event| !event.before.late.is_empty());
        effects.entry.unify(&self.state, touched, names_places).map(EventReuse::Again)
    }

    /// Where the events of a call were noted again in the same state, as certain as they would be now.
    fn is_noted_again(&self, summary: &Summary<'p>) -> Option<Rc<ReplayedEvents>> {
        if self.is_reached_by_import() {
            return None;
        }
        let effects = summary.call.effects.as_ref()?;
        self.summaries.noted_again(summary, |again| {
            again.uncertain <= self.uncertain
                && self.is_passed_alike(&again.passed_to, again.may_be_passed)
                && self.is_settled(effects, again.end)
                && self.leads_here(&again.path)
                && again.entry.is_same(&self.state, summary.touched())
        })
    }

    /// Whether the jumps that may have passed a call pass what runs now too: none of them has landed since. Else its events,
    /// noted once more, are as uncertain as they are where others pass what runs now.
    fn is_passed_alike(&self, passed_to: &[Landing], may_be_passed: bool) -> bool {
        passed_to.iter().all(|to| self.leads_to(&[*to])) || may_be_passed && self.may_be_passed()
    }

    /// Whether the events of a call can be noted once more: they are all of them, as certain here, and somebody listens.
    fn may_note_again(&self, effects: &Effects) -> bool {
        let as_certain = (effects.uncertain == 0) == (self.uncertain == 0);
        as_certain && self.quiet == 0 && effects.relied_on.is_none() && effects.exit.can_move()
    }

    /// Whether the events of a call, which end here, say nothing about those behind them, and those nothing about them.
    fn is_settled(&self, effects: &Effects, end: EventId) -> bool {
        (!effects.settles || self.trace.pending <= end) && (!effects.is_pending || self.trace.settled <= end)
    }

    /// Whether every arm of a path lies around this place, so that what was done on it was done wherever this is.
    fn is_around_here(&self, path: &Arms) -> bool {
        path.iter().all(|arm| self.path.contains(arm))
    }

    /// Whether what was done on a path leads to what is done now: no arm of it ended the program, and none is the other
    /// arm of a branch that lies around this place.
    pub(super) fn leads_here(&self, path: &Arms) -> bool {
        path.iter().all(|arm| {
            self.path.contains(arm)
                || !self.trace.ended.contains(arm) && !self.path.iter().any(|(branch, _)| *branch == arm.0)
        })
    }

    /// The same for a call in another program.
    fn fit_elsewhere(
        &self,
        summary: &Summary<'p>,
        effects: &Effects,
        relation: &Relation,
    ) -> Option<EventReuse> {
        let record = summary.record()?;
        let is_moved =
            relation.moves_places() && record.events.all().iter().any(|event| relation.moves(event.place));
        if is_moved || !self.is_surrounded_alike(summary.call.may_raise, effects) {
            return None;
        }
        if let Some(again) = self.is_noted_again(summary) {
            return Some(EventReuse::KnownAgain(again));
        }
        if !self.may_note_again(effects) {
            return None;
        }
        effects.entry.unify(&self.state, summary.touched(), record.names_places).map(EventReuse::Again)
    }

    /// Whether the variables that a call asked about were set by the same events then.
    fn asks_the_same(&self, summary: &Summary<'p>) -> bool {
        summary.facts().iter().all(|fact| match fact {
            Dependency::Variable(name, reaching) => *self.state.reaching_in_place(name) == **reaching,
            Dependency::WholeEnvironment => false,
            _ => true,
        })
    }

    /// Whether a fact of a call holds here too. Of variables only their values count for a call that `is_pure`, and the
    /// states say what they are for one that is not. It `added` folders to `sys.path`.
    fn is_so(&self, fact: &Dependency<'p>, is_pure: bool, added: &[FolderId], relation: &Relation) -> bool {
        match fact {
            Dependency::Variable(name, then) if is_pure => {
                let now = self.state.reaching(name);
                now.len() == then.len() && now.iter().zip(then).all(|(now, then)| now.gives_the_same(then))
            }
            Dependency::Variable(..) | Dependency::Written(_) | Dependency::WholeEnvironment => true,
            Dependency::Imported(library, was) => self.imported.contains(*library) == *was,
            Dependency::CleansUp(was) => self.assured.is_some() == *was,
            Dependency::InChild(was) => (self.in_child > 0) == *was,
            Dependency::InTest(was) => self.test.is_some() == *was,
            Dependency::Named(library, was) => self.imported.contains(library) == *was,
            Dependency::Resolved(file, name, found) => self.resolve_with(added, *file, name) == *found,
            Dependency::IsMain(file, was) => self.is_main(*file) == *was,
            Dependency::IsEntry(file, was) => (self.entry == *file) == *was,
            Dependency::Installed(package, file, was) => self.is_installed_for(package, *file) == *was,
            Dependency::Entered(file, scope) => self.modules.get(file) == scope.as_ref(),
            Dependency::FirstLibrary(was) => self.is_first_library() == *was,
            Dependency::Counted(was) => self.state.counted == *was,
            Dependency::Untouched(was) => (self.state.cuda.is_none() && !self.state.open) == *was,
            Dependency::BeforeTorch(was) => self.torch_has_waited() == *was,
            Dependency::Kept(name, kept) => self.is_kept(name) == *kept,
            Dependency::Options(count) => self.options_told() == *count,
            Dependency::ByImport(was) => self.is_reached_by_import() == *was,
            Dependency::Repeated(was) => (self.repeats > 0) == *was,
            Dependency::RepeatedSince(object, was) => {
                (self.repeats > self.heap.loops_around(relation.scope(*object))) == *was
            }
            Dependency::HidesAllGpus(was) => self.state.hides_all_gpus() == *was,
            Dependency::OnMachine(was) => self.is_on_machine() == *was,
            Dependency::ExpectsFailure(was) => self.expects_failure == *was,
            Dependency::ExpectsError(error, was) => {
                (self.expected_errors[*error as usize].expected > 0) == *was
            }
            // Who is running was asked first.
            Dependency::Followed(_) | Dependency::Refused(_) => true,
        }
    }
}
