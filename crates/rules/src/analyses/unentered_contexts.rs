//! Context managers that choose a device, or a way of computing, and that nobody enters: made alone they do nothing.

use crate::code::{Expr, ExprKind, StatementKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What does nothing until `with` enters it. `torch.set_grad_enabled` is none of these: calling it is enough.
pub(super) const MANAGERS: &[&str] = &[
    "cupy.cuda.Device",
    "cupy.cuda.using_allocator",
    "jax.default_device",
    "tensorflow.device",
    "torch.amp.autocast",
    "torch.autocast",
    "torch.cuda.amp.autocast",
    "torch.cuda.device",
    "torch.cuda.device_of",
    "torch.cuda.stream",
    "torch.enable_grad",
    "torch.inference_mode",
    "torch.no_grad",
];

/// `torch.cuda.device(1)` as a statement of its own.
pub(super) fn as_statements(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_statement(&mut |step, _| {
        let StatementKind::Evaluate(expr @ Expr { kind: ExprKind::Call(call), .. }) = &step.kind else {
            return;
        };
        if let Some(path) = scope.names.path(&call.callee).filter(|path| MANAGERS.contains(path)) {
            found.push(RawFinding::at(scope.place(expr.span)).word("name", path));
        }
    });
    found
}

/// `tensor.to(torch.cuda.device("cuda:1"))`: the context manager in the place of a device.
pub(super) fn as_devices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let is_manager = |expr: &Expr<'_>| match &scope.names.meant(expr).kind {
        ExprKind::Call(call) => scope.names.path(&call.callee) == Some("torch.cuda.device"),
        _ => false,
    };
    let at = |span, what: &str| {
        RawFinding::at(scope.place(span)).word("text", scope.text(span)).word("what", what)
    };
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        if scope.names.path(&call.callee) == Some("torch.cuda") {
            found.push(at(expr.span, "calls the module `torch.cuda`"));
        }
        let moves = matches!(call.callee.kind, ExprKind::Attribute(_, "to"));
        let of_torch = scope.names.path(&call.callee).is_some_and(|path| path.starts_with("torch."));
        let first = argument(&call.arguments, Some(0), None).filter(|_| moves);
        let named = argument(&call.arguments, None, Some("device")).filter(|_| moves || of_torch);
        found.extend(
            first
                .into_iter()
                .chain(named)
                .filter(|given| is_manager(given))
                .map(|given| at(given.span, "is a context manager, not a device")),
        );
    });
    found
}
