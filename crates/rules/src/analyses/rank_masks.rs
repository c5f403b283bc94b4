//! A mask that a program sets for itself, in a program of which a launcher starts more processes than the mask leaves GPUs.

use super::mask_numbers::mask_filled;
use crate::code::walk::{CodeNode, walk_top};
use crate::code::{ExprKind, StatementKind};
use crate::commands::ranks;
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Masks at the top of a program that torchrun or accelerate starts in several processes.
pub(super) fn for_all_ranks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // With a policy the launcher is told, where it starts too many.
    let uses_gpu = ["cuda", "nccl", "Accelerator"].iter().any(|word| scope.whole_text().contains(word));
    if !uses_gpu || scope.policy.gpu.is_some() {
        return Vec::new();
    }
    let mut set: Option<(Span, usize)> = None;
    walk_top(scope.code, &mut |part, around| {
        let CodeNode::Statement(step) = part else { return };
        let always = around.is_empty() && matches!(step.kind, StatementKind::Assign { .. });
        let Some(value) = mask_filled(scope, step).filter(|_| always) else { return };
        let ExprKind::Text(mask) = &scope.names.meant(value).kind else { return };
        let count = mask.split(',').filter(|entry| !entry.trim().is_empty()).count();
        if count > 0 && mask != "-1" {
            set = Some((step.span, count));
        }
    });
    let Some((span, left)) = set else { return Vec::new() };
    let started = started_by(scope);
    let Some((option, count)) = started.into_iter().find(|(_, count)| *count > left) else {
        return Vec::new();
    };
    let left = if left == 1 { "one GPU".to_owned() } else { format!("{left} GPUs") };
    let raw_finding = RawFinding::at(scope.place(span)).word("option", option);
    vec![raw_finding.word("count", count.to_string()).word("left", left)]
}

/// How many processes the commands of the project start of this file, with the option that says so.
fn started_by(scope: &FileScope<'_>) -> Vec<(String, usize)> {
    let commands = scope.program.run_commands().flatten();
    let starting = commands.filter(|command| command.starts == Some(scope.file));
    starting.filter_map(|command| ranks(&command.words())).map(|ranks| (ranks.option, ranks.count)).collect()
}
