//! Tasks of Ray that replace the mask which Ray has given them.

use super::memory::path;
use super::ray_tasks::definition;
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::program::MASK;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `os.environ["CUDA_VISIBLE_DEVICES"] = "0"` in what `@ray.remote(num_gpus=1)` starts.
pub(super) fn in_tasks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.program.has_any(&["NOSET_CUDA_VISIBLE_DEVICES", "local_mode=True"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_statement(&mut |step, _| {
        let Some((body, decorators, _)) = definition(scope, step) else { return };
        let Some(decorator) = decorators.iter().find(|one| is_given_gpu(scope, one)) else { return };
        walk_block(scope.code, body, &mut |part, _| {
            if let Some((span, mask)) = mask_written(scope, part) {
                let raw_finding = RawFinding::at(scope.place(span)).word("mask", mask);
                found.push(raw_finding.beside(scope.place(decorator.span), "Ray gives it a GPU here"));
            }
        });
    });
    found
}

/// `@ray.remote(num_gpus=1)`
fn is_given_gpu(scope: &FileScope<'_>, decorator: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &decorator.kind else { return false };
    let count = argument(&call.arguments, None, Some("num_gpus")).map(|count| scope.names.meant(count));
    // A part of a GPU is one as well.
    let is_some = count.is_some_and(|count| match &count.kind {
        ExprKind::Int(count) => *count > 0,
        _ => scope.text(count.span).starts_with("0."),
    });
    path(scope, &call.callee) == "ray.remote" && is_some
}

/// The mask that a step writes to the environment, where it names cards by their numbers.
fn mask_written(scope: &FileScope<'_>, part: CodeNode<'_, '_>) -> Option<(Span, String)> {
    let CodeNode::Statement(Statement { kind: StatementKind::Assign { targets, value, .. }, span, .. }) =
        part
    else {
        return None;
    };
    let ([Target::Item(pair)], Some(value)) = (&targets[..], value) else { return None };
    let is_text = |expr: &Expr<'_>, wanted: &str| matches!(&scope.names.meant(expr).kind, ExprKind::Text(text) if text == wanted);
    if scope.names.path(&pair.0) != Some("os.environ") || !is_text(&pair.1, MASK) {
        return None;
    }
    let ExprKind::Text(mask) = &scope.names.meant(value).kind else { return None };
    let names_cards = mask.starts_with(|first: char| first.is_ascii_digit());
    names_cards.then(|| (*span, mask.to_string()))
}
