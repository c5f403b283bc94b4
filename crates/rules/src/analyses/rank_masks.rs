//! Masks that the processes of one job set for themselves: the same in all, or the number of the process whatever they were given.

use super::parsed_masks::mask_in;
use super::written_variables::{overwritten, written};
use crate::code::walk::{CodeNode, walk, walk_top};
use crate::code::{Comparison, Expr, ExprKind, StatementKind};
use crate::commands::{ranks, ranks_of_settings, settings_of_accelerate};
use crate::facts::Span;
use crate::program::{MASK, RunCommand};
use crate::rules::files::{FileScope, RawFinding};

/// Masks at the top of a program that torchrun or accelerate starts in several processes.
pub(super) fn for_all_ranks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // With a policy the launcher is told, where it starts too many.
    let speaks = |text: &str| ["cuda", "nccl", "Accelerator"].iter().any(|word| text.contains(word));
    let uses_gpu = || {
        let imported = scope.program.files_imported(scope.file);
        speaks(scope.whole_text()) || imported.into_iter().any(|file| speaks(scope.program.text_of(file)))
    };
    if !uses_gpu() || scope.policy.gpu.is_some() {
        return Vec::new();
    }
    let mut set: Option<(Span, usize)> = None;
    walk_top(scope.code, &mut |part, around| {
        let CodeNode::Statement(step) = part else { return };
        let always = around.is_empty() && matches!(step.kind, StatementKind::Assign { .. });
        let Some(value) = written(scope, step, MASK).filter(|_| always) else { return };
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
    let by_settings = |command: &RunCommand| {
        let words = command.words();
        let file = scope.program.file_beside(command, None, settings_of_accelerate(&words)?)?;
        ranks_of_settings(scope.program.text_of(file))
    };
    let told = starting.filter_map(|command| ranks(&command.words()).or_else(|| by_settings(command)));
    told.map(|ranks| (ranks.option, ranks.count)).collect()
}

/// Masks that are the number of the process and no entry of a list, in a file that does not look at the mask that is there.
pub(super) fn that_ignore_given(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut filled, mut of_rank, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_read = false;
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            filled.extend(overwritten(scope, step, MASK).map(|value| (step.span, value.span)));
        }
        CodeNode::Expr(expr) => {
            is_read = is_read || looks_at_mask(scope, expr);
            match &expr.kind {
                ExprKind::Name(name) => {
                    let function = scope.program.innermost_function(scope.file, expr.span.start as usize);
                    let is_rank = scope.program.is_rank_name(scope.file, name, function);
                    of_rank.extend(is_rank.then_some(expr.span));
                }
                ExprKind::Item(item) if scope.names.path(&item.0) != Some("os.environ") => {
                    entries.push(expr.span)
                }
                _ => {}
            }
        }
        _ => {}
    });
    if is_read {
        return Vec::new();
    }
    filled.retain(|(_, value)| {
        let holds = |spans: &[Span]| spans.iter().any(|span| value.holds(*span));
        (holds(&of_rank) || scope.program.speaks_of_rank(scope.place(*value))) && !holds(&entries)
    });
    filled.into_iter().map(|(step, _)| RawFinding::at(scope.place(step))).collect()
}

/// `os.environ["CUDA_VISIBLE_DEVICES"]`, `"CUDA_VISIBLE_DEVICES" in os.environ`
fn looks_at_mask(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let is_mask =
        |key: &Expr<'_>| matches!(&scope.names.meant(key).kind, ExprKind::Text(text) if text == MASK);
    match &expr.kind {
        ExprKind::Compare(Comparison::In | Comparison::NotIn, sides) => is_mask(&sides.0),
        ExprKind::Item(_) | ExprKind::Call(_) => mask_in(scope, expr).is_some(),
        _ => false,
    }
}
