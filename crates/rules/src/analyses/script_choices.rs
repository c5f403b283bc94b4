//! NVIDIA_VISIBLE_DEVICES that a script sets for programs of its own machine: only what creates a container reads it.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Export, ExprKind, StatementKind};
use crate::commands::program_name;
use crate::rules::files::{FileScope, RawFinding};

const CHOICE: &str = "NVIDIA_VISIBLE_DEVICES";

/// What creates containers, or hands the environment on to something that does.
const CREATORS: &[&str] = &[
    "apptainer",
    "bsub",
    "ch-run",
    "compose",
    "docker",
    "enroot",
    "helm",
    "kubectl",
    "nerdctl",
    "nvidia-container",
    "podman",
    "qsub",
    "sbatch",
    "shifter",
    "singularity",
    "srun",
    "udocker",
];

/// `export NVIDIA_VISIBLE_DEVICES=1` in a script that starts programs itself, and no container.
pub(super) fn that_nobody_reads(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let reads = [format!("${CHOICE}"), format!("${{{CHOICE}")];
    if CREATORS.iter().any(|creator| text.contains(creator))
        || reads.iter().any(|read| text.contains(read.as_str()))
        || scope.is_named_elsewhere(CHOICE)
        || !scope.own_commands().any(|command| {
            let mut words = command.words.iter().flatten();
            command.starts.is_some() || words.any(|word| program_name(word).starts_with("python"))
        })
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Statement(step) = part else { return };
        let StatementKind::SetVariable(set) = &step.kind else { return };
        let Some(value) = set.value.as_ref().filter(|_| set.name == CHOICE) else { return };
        let is_none = matches!(&value.kind, ExprKind::Text(text) if matches!(&**text, "" | "none" | "void"));
        if set.export == Export::Yes && !is_none {
            found.push(RawFinding::at(scope.place(set.span)));
        }
    });
    found
}
