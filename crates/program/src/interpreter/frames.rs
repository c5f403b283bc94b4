//! Frames: which calls and imports led to the code that is being followed.

use super::Interpreter;
use crate::code::Parameter;
use crate::facts::{FileId, Span};
use crate::program::Start;
use crate::program::trace::{Frame, FrameId};

impl<'p> Interpreter<'p> {
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

    /// Whether the top level of an imported module led here, and not that of the file that was started.
    pub(super) fn is_reached_by_import(&self) -> bool {
        let module = self.trace.outwards(self.here.frame).find(|frame| frame.function.is_none());
        let is_library = matches!(self.start, Start::CpuPart | Start::Modules);
        module.is_some_and(|module| module.parent.is_some() || is_library)
    }

    /// Whether a function is the test that is being run, or one that a script calls a test: a function `test_…` of a file
    /// that pytest does not collect. What wants a model and its data, in a file that is not about tests, is a part of a
    /// training: `test_epoch(model, device, loader)`.
    pub(super) fn is_test(&self, file: FileId, number: usize) -> bool {
        if self.start == Start::Tests || self.test.is_some() {
            return self.test == Some((file, number));
        }
        let function = &self.code_of(file).functions[number];
        let is_method = function.parameters.first().is_some_and(|first| matches!(first.name, "self" | "cls"));
        let needs_nothing = || !function.parameters.iter().any(Parameter::is_needed);
        let words = |name: &str| name.split(['_', '-', '.']).any(|word| matches!(word, "test" | "tests"));
        let is_about_tests = || self.program.name_of(file).rsplit('/').next().is_some_and(words);
        function.name.starts_with("test_")
            && !is_method
            && self.program.start_of(file) != Some(Start::Tests)
            && (needs_nothing() || is_about_tests())
    }
}
