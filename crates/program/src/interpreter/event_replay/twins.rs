//! Events that are there already: what several calls that are not followed again did in other programs, one of them may have
//! noted in this one. Without this each program would note what two of its calls have in common twice, and the next one four
//! times.

use crate::program::interpreter::Interpreter;
use crate::program::state::StateSnapshot;
use crate::program::trace::{Event, EventId, Frame, FrameId, Trace};

/// So many of the events at one place are looked at, the last first.
const MOST: usize = 16;

impl Interpreter<'_> {
    /// The event that says what `event` would say: it lies on the way here, in a call of the same module, and is as certain.
    pub(in crate::interpreter) fn twin_of(&mut self, event: &Event) -> Option<EventId> {
        // What is given back counts where it is given back last.
        if event.what.releases() {
            return None;
        }
        let mut index = std::mem::take(&mut self.trace.index);
        index.extend(&self.trace.events);
        let mut there = index.at(event.place).iter().rev().take(MOST).copied();
        let twin = there.find(|id| self.says_the_same(*id, event));
        self.trace.index = index;
        twin
    }

    fn says_the_same(&self, id: EventId, event: &Event) -> bool {
        let known = &self.trace.events[id as usize];
        let end = id + 1;
        known.what == event.what
            && known.statement == event.statement
            && known.doubts <= event.doubts
            && (!known.may_be_passed || event.may_be_passed)
            && (known.only_if_called, known.in_child, known.process, known.recipient)
                == (event.only_if_called, event.in_child, event.process, event.recipient)
            && known.assured == event.assured
            && is_same(&known.before, &event.before)
            && self.leads_here(&known.arms)
            && (!known.what.settles() && !known.in_child || self.trace.pending <= end)
            && (!known.what.is_pending() || self.trace.settled <= end)
            && answers_alike(&self.trace, known.frame, event.frame)
    }
}

/// Whether the same module is asked what two calls do. One that is imported answers for each of its calls, also where another
/// did the same before.
fn answers_alike(trace: &Trace, one: FrameId, other: FrameId) -> bool {
    let up_to_module = |frame| {
        let is_inside = |frame: &&Frame| frame.function.is_some();
        let inside = trace.outwards(frame).take_while(is_inside);
        (inside, trace.outwards(frame).find(|frame| frame.function.is_none()))
    };
    let ((inside, module), (inside_other, other)) = (up_to_module(one), up_to_module(other));
    let (Some(module), Some(other)) = (module, other) else { return false };
    let calls = |frame: &Frame| (frame.file, frame.number, frame.site);
    module.file == other.file
        && module.parent.is_some() == other.parent.is_some()
        && (module.parent.is_none() || inside.map(calls).eq(inside_other.map(calls)))
}

fn is_same(one: &StateSnapshot, other: &StateSnapshot) -> bool {
    (one.cuda, one.library, one.counted) == (other.cuda, other.library, other.counted)
        && (&one.mask, &one.order, &one.written) == (&other.mask, &other.order, &other.written)
        && one.rival == other.rival
        && one.late.is_empty()
        && other.late.is_empty()
}
