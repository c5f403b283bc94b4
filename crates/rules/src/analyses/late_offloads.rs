//! Pipelines that are moved to the GPU as a whole, before offload keeps most of them out of it.

use super::memory::method_of;
use super::order::PlaceInFunction;
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// What brings the parts of a pipeline to the GPU one after the other.
const OFFLOADS: &[&str] =
    &["enable_group_offload", "enable_model_cpu_offload", "enable_sequential_cpu_offload"];

/// `pipe.to("cuda")` above `pipe.enable_model_cpu_offload()`.
pub(super) fn behind_moves(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // The last move of each name, in the order of the text; `None` where it goes back, or stands for another one.
    let mut moved: Vec<(PlaceInFunction, &str, Option<Span>)> = Vec::new();
    let mut found = Vec::new();
    scope.each_statement(&mut |step, around| {
        let place = PlaceInFunction::of(step.span, around);
        match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                if let [target @ (Target::Name(..) | Target::Attribute(..))] = targets.as_slice()
                    && let Some((name, _)) = super::mask_numbers::written_target(scope, target)
                {
                    let to = method_of(value).and_then(|(_, method, call)| where_moved(scope, method, call));
                    moved.push((place, name, to.unwrap_or(false).then_some(value.span)));
                }
            }
            StatementKind::Evaluate(value) => {
                let Some((object, method, call)) = method_of(value) else { return };
                let name = scope.text(object.span);
                if let Some(to_gpu) = where_moved(scope, method, call) {
                    moved.push((place, name, to_gpu.then_some(value.span)));
                } else if OFFLOADS.contains(&method) {
                    let of_it = |(at, known, _): &&(PlaceInFunction, &str, Option<Span>)| {
                        *known == name && at.precedes(&place)
                    };
                    let last = moved.iter().rev().find(of_it);
                    if let Some(span) = last.and_then(|(_, _, span)| *span) {
                        let raw_finding = RawFinding::at(scope.place(span)).word("offload", method);
                        found.push(raw_finding.beside(scope.place(value.span), "offload begins here"));
                    }
                }
            }
            _ => {}
        }
    });
    found
}

/// Whether a method moves its object to a GPU; `None` where it moves nothing, or nobody knows where.
fn where_moved(scope: &FileScope<'_>, method: &str, call: &Call<'_>) -> Option<bool> {
    if method == "cuda" {
        return Some(true);
    }
    let first = call.arguments.first().filter(|_| method == "to")?;
    match &scope.names.meant(&first.value).kind {
        ExprKind::Text(text) if text.starts_with("cuda") => Some(true),
        ExprKind::Text(_) => Some(false),
        ExprKind::Call(device) if scope.names.path(&device.callee) == Some("torch.device") => {
            let Expr { kind: ExprKind::Text(text), .. } = &device.arguments.first()?.value else {
                return None;
            };
            Some(text.starts_with("cuda"))
        }
        _ => None,
    }
}
