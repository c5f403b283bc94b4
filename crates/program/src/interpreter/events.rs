//! Events: what a program does is noted in the order in which it does it, with what was true before.

use super::{EarlyExits, Interpreter};
use crate::facts::{Place, Span};
use crate::program::state::FirstOccurrence;
use crate::program::trace::{Event, EventId, EventKind, NOT_NOTED, Recipient};

impl<'p> Interpreter<'p> {
    /// Whether a way out of the running function, loop or `try` was seen that leads past what runs now.
    pub(super) fn may_be_passed(&self) -> bool {
        let EarlyExits { of_function, of_loop, of_program, of_try } = self.ways_out;
        of_function || of_loop || of_program || of_try || self.leads_to(&self.catches)
    }

    /// Notes that something happens at `span` of the running file.
    pub(super) fn note(&mut self, what: EventKind, span: Span) -> EventId {
        let place = self.place(span);
        self.note_at(what, place)
    }

    pub(super) fn note_at(&mut self, what: EventKind, place: Place) -> EventId {
        // What is not noted has no event that anybody could look at.
        if self.quiet > 0 {
            return NOT_NOTED;
        }
        let id = self.trace.events.len() as EventId;
        let written = match &what {
            EventKind::Write { variable, .. } | EventKind::Remove { variable } => Some(variable.as_str()),
            _ => None,
        };
        self.has_counted();
        let before = self.state.before(written);
        let certain = self.uncertain == 0;
        let happened = FirstOccurrence { event: id, certain };
        let first = |known: &mut Option<FirstOccurrence>| match known {
            Some(known) if known.certain => {}
            Some(known) => known.certain |= certain,
            None => *known = Some(happened),
        };
        if what.initialises_cuda() {
            first(&mut self.state.cuda);
        }
        if what.imports_gpu_library() {
            first(&mut self.state.library);
        }
        if matches!(what, EventKind::Write { .. }) && self.recipient != Recipient::Program {
            self.trace.writes.push(id);
        }
        self.trace.events.push(Event {
            what,
            place,
            statement: self.place(self.here.statement),
            frame: self.here.frame,
            certain,
            may_be_passed: self.may_be_passed(),
            doubts: self.uncertain,
            arms: self.path.clone(),
            only_if_called: self.only_if_called,
            in_child: self.in_child > 0,
            process: self.number_of_process,
            recipient: match self.recipient {
                // Who says itself how many cards there are tries out what reads the variable.
                Recipient::Process if self.cards_are_replaced() => Recipient::Test,
                recipient => recipient,
            },
            assured: self.assured,
            before,
        });
        self.note_order(id);
        id
    }

    /// Notes which kind of event was the last.
    pub(super) fn note_order(&mut self, id: EventId) {
        let what = &self.trace.events[id as usize].what;
        if what.is_pending() {
            self.trace.pending = id + 1;
        }
        if what.settles() {
            self.trace.settled = id + 1;
        }
    }
}
