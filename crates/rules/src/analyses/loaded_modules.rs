//! Checkpoints of Lightning that every process of a training loads onto the same card.

use super::spread_ranks::asks_for_processes;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

const TRAINERS: &[&str] = &["lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer"];

/// `Model.load_from_checkpoint(path)` in a program whose trainer starts a process for each of several cards.
pub(super) fn onto_saved_card(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut loads: Vec<Span> = Vec::new();
    let mut several: Option<Span> = None;
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if scope.names.path(&call.callee).is_some_and(|path| TRAINERS.contains(&path)) {
            several = several.or(starts_several(scope, call).then_some(expr.span));
        }
        let is_load = matches!(call.callee.kind, ExprKind::Attribute(_, "load_from_checkpoint"))
            && argument(&call.arguments, Some(1), Some("map_location")).is_none()
            && !call.arguments.is_empty()
            && !call.arguments.iter().any(|one| one.unpacked && one.name.is_none());
        if is_load && !around.iter().any(|around| asks_for_processes(around, scope)) {
            loads.push(expr.span);
        }
    });
    let Some(trainer) = several else { return Vec::new() };
    // A method of the project may do as it likes.
    if loads.is_empty() || scope.program.has_any(&["def load_from_checkpoint"]) {
        return Vec::new();
    }
    let raw_finding = |span: &Span| {
        let raw_finding = RawFinding::at(scope.place(*span));
        raw_finding
            .beside(scope.place(trainer), "several processes are started here, and each runs the program")
    };
    loads.iter().map(raw_finding).collect()
}

/// `Trainer(devices=4, strategy="ddp")`
fn starts_several(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let of = |name| argument(&call.arguments, None, Some(name)).map(|given| &scope.names.meant(given).kind);
    let on_gpu =
        !matches!(of("accelerator"), Some(ExprKind::Text(name)) if matches!(&**name, "cpu" | "tpu" | "mps"));
    let is_dp = matches!(of("strategy"), Some(ExprKind::Text(name)) if &**name == "dp");
    let is_several = match of("devices").or_else(|| of("gpus")) {
        Some(ExprKind::Int(count)) => *count > 1,
        Some(ExprKind::Text(count)) => count.parse::<u32>().is_ok_and(|count| count > 1),
        Some(ExprKind::Sequence(cards)) => cards.len() > 1,
        _ => false,
    };
    on_gpu && !is_dp && is_several
}
