//! Devices of which only the kind is kept: `"cuda" if x.is_cuda else "cpu"`, where `x.device` has the index as well.

use super::memory::{method_of, path};
use crate::code::{Call, Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `torch.zeros(3, device="cuda" if x.is_cuda else "cpu")`, `y.to(x.device.type)`
pub(super) fn of_other_tensors(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        let Some(given) = device_of(scope, expr, call) else { return };
        if let Some(tensor) = asked_for_kind(scope, scope.names.meant(given)) {
            let text = scope.text(given.span);
            found.push(RawFinding::at(scope.place(given.span)).word("text", text).word("tensor", tensor));
        }
    });
    found
}

/// The device that a call of torch makes something on, or moves it to.
fn device_of<'e>(scope: &FileScope<'_>, expr: &'e Expr<'_>, call: &'e Call<'_>) -> Option<&'e Expr<'e>> {
    if let Some((_, "to", _)) = method_of(expr) {
        return argument(&call.arguments, Some(0), Some("device"));
    }
    let called = path(scope, &call.callee);
    if called == "torch.device" {
        // With an index beside it, it is the kind that is wanted.
        return argument(&call.arguments, Some(0), None).filter(|_| call.arguments.len() == 1);
    }
    // These take the kind alone.
    const BY_KIND: &[&str] = &["GradScaler", "amp.", "autocast"];
    let makes = called.starts_with("torch.") && !BY_KIND.iter().any(|word| called.contains(word));
    argument(&call.arguments, None, Some("device")).filter(|_| makes)
}

/// The tensor of which an expression says the kind of device alone.
fn asked_for_kind<'a>(scope: &FileScope<'a>, expr: &Expr<'_>) -> Option<&'a str> {
    let is_text = |one: &Expr<'_>, wanted: &str| matches!(&one.kind, ExprKind::Text(text) if text == wanted);
    let tensor = match &expr.kind {
        ExprKind::Choice(parts) if is_text(&parts.1, "cuda") && is_text(&parts.2, "cpu") => {
            match &parts.0.kind {
                ExprKind::Attribute(tensor, "is_cuda") => tensor,
                _ => return None,
            }
        }
        ExprKind::Attribute(device, "type") => match &device.kind {
            ExprKind::Attribute(tensor, "device") if !matches!(tensor.kind, ExprKind::Name("self")) => tensor,
            _ => return None,
        },
        _ => return None,
    };
    Some(scope.text(tensor.span))
}
