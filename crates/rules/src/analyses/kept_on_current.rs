//! Tensors that a function makes on the current GPU, and that a cache hands out again when another GPU is the current one.

use super::memory::path_of_decorator;
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, Function, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

const CACHES: &[&str] = &["functools.cache", "functools.lru_cache"];

/// Calls of torch that make a tensor of nothing but numbers.
const MAKERS: &[&str] = &[
    "torch.arange",
    "torch.empty",
    "torch.eye",
    "torch.full",
    "torch.linspace",
    "torch.ones",
    "torch.tensor",
    "torch.zeros",
];

/// `@lru_cache` above `def table(n): return torch.arange(n, device="cuda")`
pub(super) fn by_caches(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_statement(&mut |step, _| {
        let StatementKind::Define { function, decorators } = &step.kind else { return };
        let function = &scope.code.functions[*function];
        let Some(cache) = decorators.iter().find(|one| is_cache(scope, one)) else { return };
        let is_told = function.parameters.iter().any(|one| one.name.contains("dev") || one.name == "self");
        if let Some(made) = made_in(scope, function).filter(|_| !is_told) {
            let raw_finding = RawFinding::at(scope.place(cache.span)).word("name", function.name);
            found.push(raw_finding.beside(scope.place(made), "the tensor is made on the current GPU here"));
        }
    });
    found
}

fn is_cache(scope: &FileScope<'_>, decorator: &Expr<'_>) -> bool {
    path_of_decorator(scope, decorator).is_some_and(|path| CACHES.contains(&path))
}

/// Where the body of a function makes a tensor on the current GPU.
fn made_in(scope: &FileScope<'_>, function: &Function<'_>) -> Option<Span> {
    let mut made = None;
    let is_current = |expr: &Expr<'_>| matches!(&expr.kind, ExprKind::Text(text) if text == "cuda");
    walk_block(scope.code, &function.body, &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let makes = scope.names.path(&call.callee).is_some_and(|path| MAKERS.contains(&path))
            && argument(&call.arguments, None, Some("device")).is_some_and(is_current);
        let of_maker = |object: &Expr<'_>| match &object.kind {
            ExprKind::Call(inner) => {
                scope.names.path(&inner.callee).is_some_and(|path| MAKERS.contains(&path))
            }
            _ => false,
        };
        let moves = match &call.callee.kind {
            ExprKind::Attribute(object, "cuda") => call.arguments.is_empty() && of_maker(object),
            _ => false,
        };
        if makes || moves {
            made = made.or(Some(expr.span));
        }
    });
    made
}
