//! Processes of MPI that use a GPU, and of which none chooses its card.

use super::cuda_calls::reaches_cuda;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, StatementKind};
use crate::commands::program_name;
use crate::facts::{Place, Span};
use crate::program::{MASK, RunCommand};
use crate::rules::files::{FileScope, RawFinding};

const LAUNCHERS: &[&str] = &["mpiexec", "mpiexec.hydra", "mpirun", "orterun"];

/// Words of a project that chooses a card for each process, in whatever way.
const CHOICES: &[&str] = &[
    "LOCAL_RANK",
    "SLURM_LOCALID",
    "cuda:",
    "cuda.Device(",
    "device_put(",
    "devices()[",
    "jax.distributed",
    "jax_default_device",
    "local_device_ids",
    "local_rank",
    "select_device",
    "setDevice",
    "set_device",
    "set_visible_devices",
];

/// The first use of a GPU in a program that `mpirun -n 2` starts.
pub(super) fn without_device(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut of_mpi = false;
    let mut used: Option<(Span, String)> = None;
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::Import(import) = &step.kind {
                of_mpi |= matches!(import.module.split('.').next(), Some("mpi4py" | "mpi4jax"));
            }
        }
        CodeNode::Expr(expr @ Expr { .. }) if used.is_none() => {
            used = reaches_cuda(expr, scope).map(|name| (expr.span, name));
        }
        _ => {}
    });
    let Some((span, name)) = used.filter(|_| of_mpi) else { return Vec::new() };
    let Some(site) = started_by_mpi(scope) else { return Vec::new() };
    if scope.program.has_any(CHOICES) || chooses_by_mask(scope) {
        return Vec::new();
    }
    let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
    vec![raw_finding.beside(site, "several processes are started here")]
}

/// Whether a file of the project may give each process a mask of its own. One that is written before the launcher is the same for all.
fn chooses_by_mask(scope: &FileScope<'_>) -> bool {
    scope.program.files_with(MASK).iter().any(|file| {
        let text = &scope.program.sources.file(*file).text;
        text.match_indices(MASK).any(|(at, _)| {
            let list =
                text[at + MASK.len()..].strip_prefix('=').map(|value| value.trim_start_matches(['"', '\'']));
            let is_list = list.is_some_and(|list| {
                let value = list.split([' ', '\n', '"', '\'']).next().unwrap_or_default();
                value.contains(',') && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
            });
            !is_list
        })
    })
}

/// Where a command of the project starts several processes of this file, which all see the same cards.
fn started_by_mpi(scope: &FileScope<'_>) -> Option<Place> {
    let starts = |command: &&RunCommand| {
        let words: Vec<&str> = command.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
        let launcher = words.iter().position(|word| LAUNCHERS.contains(&program_name(word)));
        let Some(launcher) = launcher.filter(|_| command.starts == Some(scope.file)) else { return false };
        let count = words[launcher..].windows(2).find(|pair| matches!(pair[0], "-n" | "-np" | "--np" | "-c"));
        // A script between them may choose: `mpirun -n 2 ./bind.sh python run.py`.
        let is_bound = words[launcher..].iter().any(|word| word.ends_with(".sh"));
        count.is_some_and(|pair| pair[1] != "1") && !is_bound
    };
    scope.program.run_commands().flatten().find(starts).map(|command| command.site)
}
