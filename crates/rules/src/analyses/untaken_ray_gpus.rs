//! GPUs that Ray has chosen for an actor, and that it does not show, since it was told so.

use super::memory::path;
use super::ray_tasks::{definition, use_in};
use crate::code::{Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// How the variable is set, without its blanks and quotes.
const SET: &[&str] = &[
    "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES=1",
    "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES]=1",
    "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES:1",
];

/// What asks for the card, or names one.
const CHOICES: &[&str] = &[
    "get_gpu_ids",
    "get_accelerator_ids",
    "get_runtime_context",
    "cuda:",
    "\"CUDA_VISIBLE_DEVICES\"",
    "'CUDA_VISIBLE_DEVICES'",
    "local_rank",
];

/// `@ray.remote(num_gpus=1)` on what uses the current GPU, in a file that tells Ray to set no mask.
pub(super) fn of_actors(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let plain: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect();
    let is_set = SET.iter().any(|word| plain.contains(word));
    // `os.environ["LOCAL_RANK"] = "0"`, and nothing else of it.
    let ranks_are_zero = !plain.contains("LOCAL_RANK]=str") && !plain.contains("LOCAL_RANK]=f");
    let takes_number = text.contains("set_device(") && !plain.contains("LOCAL_RANK]=0");
    if !is_set || takes_number || !ranks_are_zero || CHOICES.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_statement(&mut |step, _| {
        let Some((body, decorators, name)) = definition(scope, step) else { return };
        let Some(decorator) = decorators.iter().find(|one| asks_for_one(scope, one)) else { return };
        if let Some(used) = use_in(scope, body) {
            let raw_finding = RawFinding::at(scope.place(decorator.span)).word("name", name);
            found.push(raw_finding.beside(used, "the GPU is used here"));
        }
    });
    found
}

/// `@ray.remote(num_gpus=1)`
fn asks_for_one(scope: &FileScope<'_>, decorator: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &decorator.kind else { return false };
    let count = argument(&call.arguments, None, Some("num_gpus"));
    path(scope, &call.callee) == "ray.remote"
        && count.is_some_and(|count| matches!(scope.names.meant(count).kind, ExprKind::Int(1)))
}
