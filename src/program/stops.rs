//! Whether code may end the program: by an exception, an assertion or an exit.

use super::Program;
use super::trace::Frame;
use crate::code::{Block, ExprKind, Step, StepKind};

impl Program<'_> {
    /// Whether the function or module of a frame raises, asserts or exits somewhere.
    pub fn may_stop(&self, frame: &Frame) -> bool {
        let code = self.code(frame.file);
        stops(frame.number.map_or(&code.body, |number| &code.functions[number].body))
    }
}

fn stops(block: &Block<'_>) -> bool {
    block.iter().any(|step: &Step<'_>| match &step.kind {
        StepKind::Raise(_) | StepKind::Assert(_) => true,
        StepKind::Evaluate(value) => match &value.kind {
            ExprKind::Call(call) => match &call.callee.kind {
                ExprKind::Name(name) | ExprKind::Attribute(_, name) => {
                    ["exit", "_exit", "quit", "abort"].contains(name)
                }
                _ => false,
            },
            _ => false,
        },
        StepKind::Branch { then, otherwise, .. } => stops(then) || stops(otherwise),
        StepKind::For { body, otherwise, .. } | StepKind::While { body, otherwise, .. } => {
            stops(body) || stops(otherwise)
        }
        StepKind::Try { body, handlers, otherwise, finally } => {
            stops(body)
                || stops(otherwise)
                || stops(finally)
                || handlers.iter().any(|handler| stops(&handler.body))
        }
        StepKind::With { body, .. } => stops(body),
        StepKind::Match { arms, .. } => arms.iter().any(|arm| stops(&arm.body)),
        _ => false,
    })
}
