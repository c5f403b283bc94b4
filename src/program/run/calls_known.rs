//! Calls that are not followed again, because a summary says what they do; and keeping such summaries.

use super::{Flow, Run};
use crate::facts::Span;
use crate::program::Start;
use crate::program::heap::values::{Closure, Value};
use crate::program::heap::{Relation, Version};
use crate::program::knowledge::Does;
use crate::program::state::State;
use crate::program::summaries::{Call, Context, Effects, Fact, Noted, Summary};
use crate::program::trace::{Assurance, Event, EventId, FrameId, NOT_NOTED, Recipient, What};
use std::rc::Rc;

/// What becomes of the events of a call that is not followed again.
#[derive(Clone, Copy)]
enum Fit {
    /// They are there already, or there are none.
    Known,
    /// They are noted once more.
    Again,
}

impl<'p> Run<'p> {
    /// What a call returns that need not be followed: an earlier one did all that this one would do.
    pub(super) fn known_call(
        &mut self,
        closure: &Rc<Closure<'p>>,
        arguments: &[Value<'p>],
        site: Span,
    ) -> Option<Value<'p>> {
        let function = (closure.file, closure.function);
        let context = self.context();
        let known = self.summaries.of(function);
        let (summary, relation, fit) = known.iter().find_map(|summary| {
            let relation = summary.relation(&self.heap, closure, arguments, &context)?;
            let fit = self.fit(summary, &relation)?;
            Some((summary, relation, fit))
        })?;
        self.summaries.prefer(function, summary);
        Some(self.replay(summary, relation, fit, site))
    }

    fn replay(&mut self, summary: &Summary<'p>, relation: Relation, fit: Fit, site: Span) -> Value<'p> {
        self.summaries.read_again(&mut self.heap, summary, &relation);
        if summary.may_raise {
            self.may_raise();
        }
        let (writes, result) = summary.replay(&mut self.heap, relation);
        self.bind_all(writes);
        self.asked_count |= summary.asks;
        match (&summary.effects, fit) {
            (Some(effects), Fit::Again) => self.note_again(effects, site),
            (Some(effects), Fit::Known) => {
                if effects.entry == self.state {
                    self.state = effects.exit.clone();
                }
                if let Some(by) = summary.releases.clone() {
                    self.note_release(&by, site);
                }
            }
            (None, _) => {}
        }
        result
    }

    /// Follows a call, and keeps what it did.
    pub(super) fn follow_call(
        &mut self,
        closure: &Rc<Closure<'p>>,
        arguments: Vec<Value<'p>>,
        site: Span,
    ) -> Value<'p> {
        let function = (closure.file, closure.function);
        let context = self.context();
        let (entry, events) = (self.state.clone(), self.trace.events.len());
        let (frames, branches, ended) = (self.trace.frames.len() as FrameId, self.branches, self.ended.len());
        let left = (self.trace.launches.len(), self.finalizers.len());
        let open = self.summaries.begin(&mut self.heap);
        self.summaries.note(Fact::Followed(function));
        let scope = self.bind_parameters(closure, &arguments);
        let names = || self.function_of(closure).parameters.iter().map(|parameter| parameter.name);
        let bound: Vec<Version> = names().map(|name| self.heap.version_of(scope, name)).collect();
        let asked = std::mem::take(&mut self.asked_count);
        let result = self.run_to_end(closure, scope, site);
        let asks = std::mem::replace(&mut self.asked_count, asked);
        self.asked_count |= asks;
        let names = self.function_of(closure).parameters.iter().map(|parameter| parameter.name);
        let used: Vec<bool> =
            names.zip(bound).map(|(name, bound)| self.heap.is_used(scope, name, bound)).collect();
        self.heap.release(scope);
        // What a call that does not come back has left behind is no answer for the next one; neither is what was left to be
        // done later, or cut off.
        let comes_back = self.flow == Flow::Next && !self.trace.cut && self.trace.events.len() >= events;
        let keeps = comes_back && left == (self.trace.launches.len(), self.finalizers.len());
        let may_raise = self.summaries.raised > open.raised;
        let call = keeps.then(|| {
            let is_pure = self.trace.events.len() == events && self.state == entry;
            let releases = self.trace.events[events..].iter().rev().find_map(|event| match &event.what {
                What::Release { by } => Some(by.as_str().into()),
                _ => None,
            });
            let arguments = arguments.into_iter().zip(used).map(|(value, used)| used.then_some(value));
            Call {
                closure: closure.clone(),
                arguments: arguments.collect(),
                context,
                result: result.clone(),
                asks,
                may_raise,
                releases,
                effects: (!is_pure)
                    .then(|| self.effects_since(entry, (events as EventId, frames, branches, ended))),
            }
        });
        self.summaries.end(&mut self.heap, function, open, call);
        result
    }

    fn context(&self) -> Context {
        Context {
            is_quiet: self.quiet > 0,
            is_repeated: self.repeats > 0,
            counted: self.state.counted,
            expects_failure: self.expects_failure,
            arranged: self.state.arranged(),
        }
    }

    fn effects_since(
        &self,
        entry: State,
        (events, frames, branches, ended): (EventId, FrameId, u32, usize),
    ) -> Effects {
        let noted = Noted {
            events: events..self.trace.events.len() as EventId,
            frames: frames..self.trace.frames.len() as FrameId,
            caller: self.here.frame,
            branches: branches..self.branches,
            ended: ended..self.ended.len(),
        };
        let asks = |event: &Event| match &event.what {
            What::Call { does, .. } => {
                does.iter().all(|does| matches!(does, Does::CudaInit | Does::TorchInit | Does::Query))
            }
            _ => false,
        };
        Effects {
            exit: self.state.clone(),
            imported: self.imported.len(),
            path: self.path.clone(),
            uncertain: self.uncertain,
            in_child: self.in_child,
            only_if_called: self.only_if_called,
            assured: self.assured.is_some(),
            recipient: self.recipient,
            only_asks: entry.cuda.is_some_and(|cuda| cuda.certain)
                && self.trace.events[events as usize..].iter().all(asks),
            noted,
            entry,
        }
    }

    /// Whether a call that depended on the same in the heap depended on the same beside it, and what becomes of its events.
    fn fit(&self, summary: &Summary<'p>, relation: &Relation) -> Option<Fit> {
        let fit = match &summary.effects {
            None => Fit::Known,
            Some(effects) => self.fit_of_effects(effects, relation)?,
        };
        // A `try` around the call goes on from where it raised, which is known only where it left the state as it was.
        let raises_somewhere = summary.may_raise && !self.catches.is_empty();
        let changes = summary.effects.as_ref().is_some_and(|effects| effects.entry != effects.exit);
        (!(raises_somewhere && changes) && summary.facts().iter().all(|fact| self.is_so(fact))).then_some(fit)
    }

    fn fit_of_effects(&self, effects: &Effects, relation: &Relation) -> Option<Fit> {
        let events =
            &self.trace.events[effects.noted.events.start as usize..effects.noted.events.end as usize];
        let same = effects.imported == self.imported.len()
            && effects.in_child == self.in_child
            && effects.only_if_called == self.only_if_called
            && effects.assured == self.assured.is_some()
            && effects.recipient == self.recipient
            // Where an event stands may depend on where a literal stands.
            && !(relation.moves_places() && events.iter().any(|event| relation.moves(event.place)));
        if !same {
            return None;
        }
        let starts_same = effects.entry == self.state;
        let changes = effects.entry != effects.exit;
        // Its events lie on every path to this call, as certain as they would be now; or they say nothing new here.
        let is_on_the_way =
            self.path.starts_with(&effects.path) && (starts_same || effects.exit == self.state);
        let says_nothing = effects.only_asks && starts_same && !changes;
        if effects.uncertain <= self.uncertain && (is_on_the_way || says_nothing) && !self.is_importing() {
            return Some(Fit::Known);
        }
        let as_certain = (effects.uncertain == 0) == (self.uncertain == 0);
        (starts_same && as_certain && self.quiet == 0 && effects.exit.can_move()).then_some(Fit::Again)
    }

    /// Notes the events of a call once more, as those of another call that begins in the same state.
    fn note_again(&mut self, effects: &Effects, site: Span) {
        let noted = &effects.noted;
        let (events, frames) = (self.trace.events.len() as EventId, self.trace.frames.len() as FrameId);
        let branches = self.branches;
        let caller = self.here.frame;
        let event_of = |id: EventId| match id {
            NOT_NOTED => id,
            _ if id >= noted.events.start => id - noted.events.start + events,
            _ => id,
        };
        let frame_of = |id: FrameId| match id {
            _ if id >= noted.frames.start => id - noted.frames.start + frames,
            _ if id == noted.caller => caller,
            _ => id,
        };
        let branch_of = |(branch, arm): (u32, u32)| match branch > noted.branches.start {
            true => (branch - noted.branches.start + branches, arm),
            false => (branch, arm),
        };
        let (here, statement) = (self.place(site), self.place(self.here.statement));
        for number in noted.frames.clone() {
            let mut frame = self.trace.frames[number as usize].clone();
            if frame.parent == Some(noted.caller) {
                (frame.site, frame.statement) = (Some(here), Some(statement));
            }
            frame.parent = frame.parent.map(frame_of);
            frame.is_test = frame.number.is_some_and(|function| self.is_test(frame.file, function));
            self.trace.frames.push(frame);
        }
        let doubts = effects.uncertain;
        for number in noted.events.clone() {
            let mut event = self.trace.events[number as usize].clone();
            if event.frame == noted.caller {
                (event.place, event.statement) = (here, statement);
            }
            event.frame = frame_of(event.frame);
            event.doubts = (event.doubts + self.uncertain).saturating_sub(doubts);
            event.certain = event.doubts == 0;
            event.may_be_passed |= self.may_be_passed();
            let inner = event.arms[effects.path.len()..].iter().map(|arm| branch_of(*arm));
            event.arms = self.path.iter().copied().chain(inner).collect();
            event.assured = event.assured.map(|assurance| match assurance.since >= noted.events.start {
                true => Assurance { since: event_of(assurance.since), frame: assurance.frame.map(frame_of) },
                false => self.assured.unwrap_or(assurance),
            });
            event.before.renumber(&event_of);
            if matches!(event.what, What::Write { .. }) && event.recipient != Recipient::Program {
                self.trace.writes.push(self.trace.events.len() as EventId);
            }
            self.trace.events.push(event);
        }
        self.branches += noted.branches.end - noted.branches.start;
        for at in noted.ended.clone() {
            let arm = branch_of(self.ended[at]);
            self.trace.ended.insert(arm);
            self.ended.push(arm);
        }
        self.state = effects.exit.renumbered(&event_of);
        self.steps += (noted.events.end - noted.events.start) as usize;
    }

    fn is_so(&self, fact: &Fact<'p>) -> bool {
        match fact {
            Fact::Variable(name, reaching) => self.state.reaching(name) == *reaching,
            Fact::Imported(library, was) => self.imported.contains(*library) == *was,
            Fact::Entered(file, scope) => self.modules.get(file) == scope.as_ref(),
            Fact::FirstLibrary(was) => self.is_first_library() == *was,
            Fact::Untouched(was) => (self.state.cuda.is_none() && !self.state.open) == *was,
            Fact::Options(count) => self.options.len() + self.option_defaults.len() == *count,
            Fact::ByImport(was) => self.is_reached_by_import() == *was,
            Fact::Followed(function) => !self.active.contains(function),
            Fact::Running(function) => self.active.contains(function),
        }
    }

    /// Whether the top level of an imported module is running: what it calls is noted although another module
    /// called it before, since each is to answer for its own.
    fn is_importing(&self) -> bool {
        let is_started = self.here.frame == 0 && !matches!(self.start, Start::CpuPart | Start::Modules);
        self.trace.frames[self.here.frame as usize].function.is_none() && !is_started
    }
}
