//! What a method makes of its inputs and that lies on no GPU: numbers, and copies on the CPU.

use super::memory::method_of;
use super::unmoved_tensors::SAME_DEVICE;
use crate::code::{Expr, ExprKind};

/// `x.detach().cpu()`, `x.to("cpu")`
pub(super) fn is_on_cpu(expr: &Expr<'_>) -> bool {
    match method_of(expr) {
        Some((_, "cpu", _)) => true,
        Some((_, "to", call)) => call
            .arguments
            .first()
            .is_some_and(|one| matches!(&one.value.kind, ExprKind::Text(text) if text == "cpu")),
        Some((object, name, _)) => SAME_DEVICE.contains(&name) && is_on_cpu(object),
        None => false,
    }
}

/// What says something of a tensor and is none: `x.shape`, `x.size(0)`, `len(x)`.
pub(super) fn is_measure(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Attribute(_, name) => matches!(*name, "device" | "dtype" | "ndim" | "shape"),
        ExprKind::Item(parts) => is_measure(&parts.0),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Attribute(_, name) => matches!(*name, "dim" | "item" | "numel" | "size" | "tolist"),
            ExprKind::Name(name) => matches!(*name, "float" | "int" | "len" | "range"),
            _ => false,
        },
        _ => false,
    }
}
