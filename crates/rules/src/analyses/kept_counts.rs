//! A number of GPUs that torch 2.2 and 2.3 keep from before the mask was set.

use super::order::PlaceInFunction;
use super::written_variables::written;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::program::MASK;
use crate::rules::files::{FileScope, RawFinding};

/// Masks below `torch.cuda.device_count()`.
pub(super) fn before_masks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut counts, mut masks): (Vec<PlaceInFunction>, Vec<PlaceInFunction>) = (Vec::new(), Vec::new());
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) if written(scope, step, MASK).is_some() => {
            masks.push(PlaceInFunction::of(step.span, around));
        }
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. })
            if scope.names.path(&call.callee) == Some("torch.cuda.device_count") =>
        {
            counts.push(PlaceInFunction::of(expr.span, around));
        }
        _ => {}
    });
    let mut found = Vec::new();
    for mask in &masks {
        let Some(count) = counts.iter().find(|count| count.precedes(mask)) else { continue };
        let raw_finding = RawFinding::at(scope.place(mask.span));
        found.push(raw_finding.beside(scope.place(count.span), "the number is kept from here on"));
    }
    found
}
