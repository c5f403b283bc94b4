//! Events of a call that is not followed again, noted as those of another call.

use super::{Decision, Interpreter};
use crate::facts::Span;
use crate::program::renumbering::Renumbering;
use crate::program::state::{MASK, ORDER, Reaching, State};
use crate::program::summaries::{Effects, Summary};
use crate::program::trace::{Assurance, EventId, EventKind, FrameId, NOT_NOTED, Recipient};
use smallvec::SmallVec;

impl<'p> Interpreter<'p> {
    /// Notes the events of a call once more, as those of another call that begins in the same state, but for
    /// variables that only stand beside them; `earlier` says which events of another program stand for which. A part of a
    /// module has no `site`: it stands where it stood.
    pub(super) fn note_again(
        &mut self,
        summary: &Summary<'p>,
        effects: &Effects,
        earlier: &Renumbering,
        site: Option<Span>,
        decisions: Vec<Decision<'p>>,
    ) -> SmallVec<[State; 1]> {
        let (noted, record) = (&effects.noted, summary.record());
        let (events, frames) = (self.trace.events.len() as EventId, self.trace.frames.len() as FrameId);
        let branches = self.branches;
        let caller = self.here.frame;
        let event_of = |id: EventId| match id {
            NOT_NOTED => id,
            _ if id >= noted.events.start => id - noted.events.start + events,
            _ => earlier.of(id),
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
        let site = site.map(|site| (self.place(site), self.place(self.here.statement)));
        for number in noted.frames.clone() {
            let mut frame = match record {
                Some(record) => record.frames.get(number).clone(),
                None => self.trace.frames[number as usize].clone(),
            };
            if let Some((here, statement)) = site.filter(|_| frame.parent == Some(noted.caller)) {
                (frame.site, frame.statement) = (Some(here), Some(statement));
            }
            frame.parent = frame.parent.map(frame_of);
            frame.is_test = frame.number.is_some_and(|function| self.is_test(frame.file, function));
            self.trace.frames.push(frame);
        }
        let doubts = effects.uncertain;
        let [mask, order] = [MASK, ORDER].map(|variable| {
            let is_beside = summary.touched().beside.contains(&variable);
            is_beside.then(|| (effects.entry.reaching(variable), self.state.reaching(variable)))
        });
        for number in noted.events.clone() {
            let mut event = match record {
                Some(record) => record.events.get(number).clone(),
                None => self.trace.events[number as usize].clone(),
            };
            if let Some(site) = site.filter(|_| event.frame == noted.caller) {
                (event.place, event.statement) = site;
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
            let stands = |(known, _): &&(Reaching, Reaching), was: &Reaching| *known == *was;
            let mask = mask.as_ref().filter(|known| stands(known, &event.before.mask));
            let order = order.as_ref().filter(|known| stands(known, &event.before.order));
            event.before.renumber(&event_of);
            mask.into_iter().for_each(|(_, now)| event.before.mask.clone_from(now));
            order.into_iter().for_each(|(_, now)| event.before.order.clone_from(now));
            if matches!(event.what, EventKind::Write { .. }) && event.recipient != Recipient::Program {
                self.trace.writes.push(self.trace.events.len() as EventId);
            }
            self.trace.events.push(event);
            self.note_order(self.trace.events.len() as EventId - 1);
        }
        self.branches += noted.branches.end - noted.branches.start;
        for at in noted.ended.clone() {
            let arm = branch_of(match record {
                Some(record) => record.ended[at - noted.ended.start],
                None => self.ended[at],
            });
            self.trace.ended.insert(arm);
            self.ended.push(arm);
        }
        let before = self.state.clone();
        let left_with = effects.left_with.iter().flatten();
        let left_with = left_with.map(|state| state.carried(&effects.entry, &before, &event_of)).collect();
        self.state = effects.exit.carried(&effects.entry, &before, &event_of);
        for decision in decisions {
            let state = |state: &State| state.carried(&effects.entry, &before, &event_of);
            self.remember(decision.carried(branch_of, state));
        }
        self.steps += (noted.events.end - noted.events.start) as usize;
        left_with
    }
}
