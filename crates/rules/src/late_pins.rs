//! Where a pin that comes too late stands: in the file whose order of statements is wrong.

use super::Rule;
use super::conditions::happened;
use super::evaluate::Scope;
use crate::facts::{FileId, Place};
use crate::program::trace::{Event, FrameId};

impl Scope<'_> {
    /// The write, when it and what came too early lie in one file; else the statement that leads to the write, in the
    /// innermost file on both ways. So a helper that is right by itself is not blamed for the scripts that call it late.
    pub(super) fn wrong_order(&self, rule: &Rule, write: &Event) -> Option<Place> {
        let earlier = rule.when.iter().find_map(|condition| condition.after)?;
        let early = self.trace.event(happened(write, earlier)?.event);
        self.leading_apart(write, early.place, early.frame)
    }

    /// The same for a variable that a library has read, with what read it, where an import writes it. A function that writes
    /// it too late does so for whoever calls it.
    pub(super) fn wrong_import(&self, write: &Event) -> Option<Place> {
        if self.trace.frames.get(write.frame as usize).is_some_and(|frame| frame.function.is_some()) {
            return None;
        }
        let late = write.before.late.first()?;
        let early = self.trace.events.iter().find(|event| event.place == late.place);
        self.leading_apart(write, late.place, early.map_or(0, |event| event.frame))
    }

    /// Where what came early and the write lie in two files: the statement of the innermost file on both ways that leads
    /// to the write.
    fn leading_apart(&self, write: &Event, early: Place, frame: FrameId) -> Option<Place> {
        let is_on_way =
            |file: FileId| early.file == file || self.trace.outwards(frame).any(|frame| frame.file == file);
        if is_on_way(write.place.file) {
            return None;
        }
        let hops = self.trace.outwards(write.frame).filter_map(|frame| frame.statement);
        let mut leading = hops.filter(|statement| self.is_statement(*statement));
        leading.find(|statement| is_on_way(statement.file))
    }

    /// Whether something stands there that leads on: an import or a call. pytest runs tests and fixtures by their names.
    fn is_statement(&self, place: Place) -> bool {
        let functions = self.program.functions_that_ran(place.file);
        place.span.end > place.span.start && !functions.iter().any(|known| known.name_span == place.span)
    }
}
