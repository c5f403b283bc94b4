//! NVIDIA_VISIBLE_DEVICES in a compose file, where no runtime reads it.

use crate::code::{Observation, StatementKind};
use crate::rules::files::{FileScope, RawFinding};

/// Services that name GPUs by the variable alone, in a project where nothing gives GPUs to a container, and nothing speaks of
/// the default runtime of the engine.
pub(super) fn without_runtime(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const GIVING: &[&str] = &[
        "--gpus",
        "--runtime=nvidia",
        "--runtime nvidia",
        "--set-as-default",
        "capabilities: [",
        "default-runtime",
        "default_runtime",
        "driver: nvidia",
        "gpus:",
        "nvidia-docker",
        "nvidia.com/gpu",
        "runtime: nvidia",
    ];
    if scope.program.has_any(GIVING) {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_statement(&mut |step, _| {
        if let StatementKind::Observe(observed) = &step.kind
            && observed.what == Observation::ChoiceWithoutRuntime
        {
            found.push(RawFinding::at(scope.place(step.span)).word("text", &*observed.text));
        }
    });
    found
}
