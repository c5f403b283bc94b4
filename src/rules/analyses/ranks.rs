//! Which card each of several processes takes.

use crate::code::walk::{Around, Part, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, Sighting};
use crate::rules::uses::argument;

/// Calls that make a card current.
const SETTERS: &[&str] =
    &["torch.accelerator.set_device_index", "torch.cuda.device", "torch.cuda.set_device"];

const JOIN: &str = "torch.distributed.init_process_group";

/// Words that speak of one of several processes.
const OF_RANKS: &[&str] = &["rank", "distributed", "worker", "process"];

/// Processes that join a group for NVIDIA cards and never say which card is theirs.
pub(super) fn without_device(scope: &FileScope<'_>) -> Vec<Sighting> {
    let mut joins: Vec<Span> = Vec::new();
    let mut chooses = scope.whole_text().contains("CUDA_VISIBLE_DEVICES");
    walk(scope.code, &mut |part, _| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        match scope.names.path(&call.callee) {
            Some(JOIN) => {
                let backend = argument(&call.arguments, Some(0), Some("backend"));
                let is_nccl = backend.is_some_and(|backend| match &scope.names.meant(backend).kind {
                    ExprKind::Text(text) => text.contains("nccl"),
                    _ => false,
                });
                let open = call.arguments.iter().any(|one| one.unpacked);
                if is_nccl && !open && argument(&call.arguments, None, Some("device_id")).is_none() {
                    joins.push(expr.span);
                }
            }
            Some(path) => chooses |= SETTERS.contains(&path),
            None => {}
        }
    });
    if chooses {
        return Vec::new();
    }
    joins.iter().map(|span| Sighting::at(scope.place(*span))).collect()
}

/// `torch.cuda.set_device` in a module that others import, outside what sets up ranks.
pub(super) fn set_by_libraries(scope: &FileScope<'_>) -> Vec<Sighting> {
    let mut found = Vec::new();
    let mut joins = false;
    walk(scope.code, &mut |part, around| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        match scope.names.path(&call.callee) {
            Some(JOIN) => joins = true,
            Some("torch.cuda.set_device") => {
                let of_ranks = |text: &str| {
                    let text = text.to_ascii_lowercase();
                    OF_RANKS.iter().any(|word| text.contains(word))
                };
                let in_set_up = around.iter().any(|one| match one {
                    Around::Function(number) => of_ranks(scope.code.functions[*number].name),
                    Around::Then(test) => of_ranks(scope.text(test.span)),
                    _ => false,
                });
                if !in_set_up && !of_ranks(scope.text(expr.span)) {
                    found.push(Sighting::at(scope.place(expr.span)).word("text", scope.text(expr.span)));
                }
            }
            _ => {}
        }
    });
    if joins || !scope.is_library() {
        return Vec::new();
    }
    found
}
