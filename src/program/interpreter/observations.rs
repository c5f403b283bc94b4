//! What launchers say beside what they run.

use super::Interpreter;
use crate::code::{Observation, Observed};
use crate::facts::Span;
use crate::program::is_gpu_variable;
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
}
