//! Events of a call that is not followed again, noted as those of another call.

mod twins;

use super::{Decision, Interpreter};
use crate::facts::{Place, Span};
use crate::program::renumbering::Renumbering;
use crate::program::state::{MASK, ORDER, Reaching, State};
use crate::program::summaries::{Effects, NotedEvents, Record, Summary};
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
        let branches = self.branches;
        let caller = self.here.frame;
        // Where each event stands in this trace: its own number, or that of one which is there already; and how many there were
        // before it.
        let mut ids: Vec<EventId> = Vec::with_capacity(noted.events.len());
        let mut positions: Vec<EventId> = Vec::with_capacity(noted.events.len());
        let number_in = |numbers: &[EventId], id: EventId| match id {
            NOT_NOTED => id,
            _ if id >= noted.events.start => {
                numbers.get((id - noted.events.start) as usize).copied().unwrap_or(id)
            }
            _ => earlier.of(id),
        };
        let branch_of = |(branch, arm): (u32, u32)| match branch > noted.branches.start {
            true => (branch - noted.branches.start + branches, arm),
            false => (branch, arm),
        };
        let site = site.map(|site| (self.place(site), self.place(self.here.statement)));
        let numbers = vec![None; noted.frames.len()];
        let mut frames = FramesAgain { noted, record, caller, site, numbers, made: Vec::new() };
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
            if let Some((here, statement)) = site.filter(|_| event.frame == noted.caller) {
                (event.place, event.statement) = (here, statement);
            }
            let frames_before = self.trace.frames.len();
            event.frame = self.frame_again(event.frame, &mut frames);
            event.doubts = (event.doubts + self.uncertain).saturating_sub(doubts);
            event.certain = event.doubts == 0;
            event.may_be_passed |= self.may_be_passed();
            let inner = event.arms[effects.path.len()..].iter().map(|arm| branch_of(*arm));
            event.arms = self.path.iter().copied().chain(inner).collect();
            positions.push(self.trace.events.len() as EventId);
            let is_own = |assurance: &Assurance| {
                // What cleans up around the call may have begun right before it.
                let is_around = assurance.frame.is_none_or(|frame| frame < noted.frames.start);
                let begins_with_it = assurance.since == noted.events.start;
                assurance.since >= noted.events.start && !(effects.assured && begins_with_it && is_around)
            };
            event.assured = event.assured.map(|assurance| match is_own(&assurance) {
                true => Assurance {
                    since: number_in(&positions, assurance.since),
                    frame: assurance.frame.map(|frame| self.frame_again(frame, &mut frames)),
                },
                false => self.assured.unwrap_or(assurance),
            });
            let stands = |(known, _): &&(Reaching, Reaching), was: &Reaching| *known == *was;
            let mask = mask.as_ref().filter(|known| stands(known, &event.before.mask));
            let order = order.as_ref().filter(|known| stands(known, &event.before.order));
            event.before.renumber(&|id| number_in(&ids, id));
            mask.into_iter().for_each(|(_, now)| event.before.mask.clone_from(now));
            order.into_iter().for_each(|(_, now)| event.before.order.clone_from(now));
            if let Some(twin) = self.twin_of(&event) {
                frames.forget(frames_before as FrameId);
                self.trace.frames.truncate(frames_before);
                if event.what.loads() {
                    self.relied_on = self.relied_on.min(twin);
                }
                ids.push(twin);
                continue;
            }
            ids.push(self.trace.events.len() as EventId);
            if matches!(event.what, EventKind::Write { .. }) && event.recipient != Recipient::Program {
                self.trace.writes.push(self.trace.events.len() as EventId);
            }
            self.trace.events.push(event);
            self.note_order(self.trace.events.len() as EventId - 1);
        }
        let event_of = |id: EventId| number_in(&ids, id);
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

    /// The frame in this trace that stands for one of a call that is noted again.
    fn frame_again(&mut self, id: FrameId, frames: &mut FramesAgain<'_>) -> FrameId {
        let Some(position) = id.checked_sub(frames.noted.frames.start) else {
            return if id == frames.noted.caller { frames.caller } else { id };
        };
        if let Some(known) = frames.numbers[position as usize] {
            return known;
        }
        let mut frame = match frames.record {
            Some(record) => record.frames.get(id).clone(),
            None => self.trace.frames[id as usize].clone(),
        };
        if let Some((here, statement)) = frames.site.filter(|_| frame.parent == Some(frames.noted.caller)) {
            (frame.site, frame.statement) = (Some(here), Some(statement));
        }
        frame.parent = frame.parent.map(|parent| self.frame_again(parent, frames));
        frame.is_test = frame.number.is_some_and(|function| self.is_test(frame.file, function));
        let number = self.trace.frames.len() as FrameId;
        self.trace.frames.push(frame);
        frames.numbers[position as usize] = Some(number);
        frames.made.push(position as usize);
        number
    }
}

/// Frames of a call whose events are noted again, each as soon as an event lies in it.
struct FramesAgain<'a> {
    noted: &'a NotedEvents,
    record: Option<&'a Record>,
    caller: FrameId,
    /// Where the call stands now, and its statement.
    site: Option<(Place, Place)>,
    /// The numbers that they have in this trace.
    numbers: Vec<Option<FrameId>>,
    /// Those that have one, in the order of these numbers.
    made: Vec<usize>,
}

impl FramesAgain<'_> {
    /// Those from a number on are taken back.
    fn forget(&mut self, first: FrameId) {
        while let Some(last) = self.made.pop_if(|last| self.numbers[*last] >= Some(first)) {
            self.numbers[last] = None;
        }
    }
}
