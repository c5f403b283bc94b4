//! Numbers that Slurm gives the GPUs of a machine, as a mask inside a job.

use super::written_variables::overwritten;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{SetVariable, StatementKind};
use crate::facts::Span;
use crate::program::MASK;
use crate::rules::files::{FileScope, RawFinding};

/// Variables that name the GPUs of a job or a step by their numbers on the machine.
const NUMBERS: &[&str] = &["SLURM_JOB_GPUS", "SLURM_STEP_GPUS"];

/// `export CUDA_VISIBLE_DEVICES=$SLURM_JOB_GPUS`, where nothing looks at the mask first.
pub(super) fn as_mask(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let asks_first = around.iter().any(|one| match one {
            Ancestor::Then(test) | Ancestor::Otherwise(test) => scope.text(test.span).contains(MASK),
            _ => false,
        });
        let CodeNode::Statement(step) = part else { return };
        // `[ -z "$CUDA_VISIBLE_DEVICES" ] && export …`
        let before = scope.whole_text()[..step.span.start as usize].rsplit('\n').next().unwrap_or_default();
        if asks_first || before.contains(MASK) {
            return;
        }
        let mut look = |span: Span, value: &str| {
            let number = NUMBERS.iter().find(|number| value.contains(**number));
            if let Some(number) = number.filter(|_| !value.contains(MASK)) {
                found.push(RawFinding::at(scope.place(span)).word("variable", *number));
            }
        };
        let mut set = |set: &SetVariable<'_>| {
            if let Some(value) = set.value.as_ref().filter(|_| set.name == MASK) {
                look(set.span, scope.text(value.span));
            }
        };
        match &step.kind {
            StatementKind::SetVariable(one) => set(one),
            StatementKind::Command(command) => command.environment.iter().for_each(set),
            _ => {
                if let Some(value) = overwritten(scope, step, MASK) {
                    look(step.span, scope.text(scope.names.meant(value).span));
                }
            }
        }
    });
    found
}
