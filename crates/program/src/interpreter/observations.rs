//! What launchers say beside what they run, and what a program takes for granted.

use super::Interpreter;
use crate::code::{Host, Observation, Observed};
use crate::facts::Span;
use crate::program::is_gpu_variable;
use crate::program::state::{Definition, MASK};
use crate::program::summaries::Dependency;
use crate::program::trace::EventKind;

impl<'p> Interpreter<'p> {
    pub(super) fn observe(&mut self, observed: &'p Observed<'p>, span: Span) {
        let Observed { what, about_gpu, text } = observed;
        // The values of variables that have nothing to do with GPUs appear nowhere.
        let variable = text.split('=').next().unwrap_or_default().trim();
        let sets = matches!(what, Observation::InlineComment | Observation::ForeignAssignment);
        if !sets || is_gpu_variable(variable) {
            self.note(
                EventKind::Observed { what: *what, about_gpu: *about_gpu, text: text.to_string() },
                span,
            );
        }
    }

    /// A mask is read where it is not set. A program may ask its caller for it, so a command of the project itself must start
    /// it without one.
    pub(super) fn note_absent_read(&mut self, variable: &str, span: Span) {
        if self.is_absent_mask(variable) {
            let is_on_machine = self.is_on_machine();
            self.summaries.note(Dependency::OnMachine(is_on_machine));
            if is_on_machine {
                self.note_absent(variable, span);
            }
        }
    }

    /// Whether a command of the project starts the program, on a machine.
    pub(super) fn is_on_machine(&self) -> bool {
        self.launch.is_some_and(|launch| launch.host == Host::Machine)
    }

    /// A mask that only whoever starts the program can have set is taken for granted, and nobody catches the error. A process
    /// that another starts may be given one.
    pub(super) fn note_absent(&mut self, variable: &str, span: Span) {
        if self.is_absent_mask(variable) {
            self.note_observed(Observation::UnsetVariable, variable.to_owned(), span);
        }
    }

    fn is_absent_mask(&mut self, variable: &str) -> bool {
        let is_started_here = self.in_child == 0 && self.test.is_none() && !self.only_if_called;
        is_started_here
            && variable == MASK
            && self.catches.is_empty()
            && self.shown_of(variable).iter().all(Definition::is_absent)
    }
}
