//! What a program does is noted as events, each in the frame of the function or module that does it.

use super::Run;
use crate::facts::{FileId, Place, Span};
use crate::program::Start;
use crate::program::state::Happened;
use crate::program::trace::{Event, EventId, Frame, FrameId, NOT_NOTED, What};

impl<'p> Run<'p> {
    /// Notes that something happens at `span` of the running file.
    pub(super) fn note(&mut self, what: What, span: Span) -> EventId {
        let place = self.place(span);
        self.note_at(what, place)
    }

    pub(super) fn note_at(&mut self, what: What, place: Place) -> EventId {
        // What is not noted has no event that anybody could look at.
        if self.quiet > 0 {
            return NOT_NOTED;
        }
        let id = self.trace.events.len() as EventId;
        let written = match &what {
            What::Write { variable, .. } | What::Remove { variable } => Some(variable.as_str()),
            _ => None,
        };
        let before = self.state.before(written);
        let certain = self.uncertain == 0;
        let happened = Happened { event: id, certain };
        let first = |known: &mut Option<Happened>| match known {
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
        if matches!(what, What::Write { .. }) {
            self.trace.writes.push(id);
        }
        self.trace.events.push(Event {
            what,
            place,
            statement: self.place(self.here.statement),
            frame: self.here.frame,
            certain,
            doubts: self.uncertain,
            arms: self.path.clone(),
            only_if_called: self.only_if_called,
            in_child: self.in_child > 0,
            assured: self.assured,
            before,
        });
        id
    }

    /// Whether a function is the test that is being run, or one that a script calls a test: a function
    /// `test_…` of a file that pytest does not collect.
    fn is_test(&self, file: FileId, number: usize) -> bool {
        if self.start == Start::Tests || self.test.is_some() {
            return self.test == Some((file, number));
        }
        let function = &self.code_of(file).functions[number];
        let is_method = function.parameters.first().is_some_and(|first| matches!(first.name, "self" | "cls"));
        function.name.starts_with("test_") && !is_method && self.program.start_of(file) != Some(Start::Tests)
    }

    pub(super) fn push_frame(&mut self, file: FileId, function: Option<usize>, site: Span) -> FrameId {
        self.trace.frames.push(Frame {
            parent: Some(self.here.frame),
            site: Some(self.place(site)),
            statement: Some(self.place(self.here.statement)),
            file,
            function: function.map(|number| self.code_of(file).functions[number].name.to_owned()),
            number: function,
            is_test: function.is_some_and(|number| self.is_test(file, number)),
        });
        (self.trace.frames.len() - 1) as FrameId
    }

    /// Forgets the frames from `frame` on when nothing happened in them: nobody will ask how it came to that.
    pub(super) fn pop_frames(&mut self, frame: FrameId, events_before: usize) {
        if self.trace.events.len() == events_before {
            self.trace.frames.truncate(frame as usize);
        }
    }
}
