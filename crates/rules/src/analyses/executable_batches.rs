//! Functions that accelerate runs again with a smaller batch, and models that were made outside of them.

use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, Function, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

const FINDERS: &[&str] = &[
    "accelerate.find_executable_batch_size",
    "accelerate.utils.find_executable_batch_size",
    "accelerate.utils.memory.find_executable_batch_size",
];

/// Words of names that hold what lies on the GPU.
const HEAVY: &[&str] = &["model", "net", "optim"];

/// `accelerator.prepare(model)` inside of the function, of a model from outside of it.
pub(super) fn around_models(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_statement(&mut |step, _| {
        let StatementKind::Define { function, decorators } = &step.kind else { return };
        let is_finder = |decorator: &Expr<'_>| match &decorator.kind {
            ExprKind::Call(call) => {
                scope.names.path(&call.callee).is_some_and(|path| FINDERS.contains(&path))
            }
            _ => scope.names.path(decorator).is_some_and(|path| FINDERS.contains(&path)),
        };
        let Some(decorator) = decorators.iter().find(|decorator| is_finder(decorator)) else { return };
        if let Some((span, name)) = prepared_from_outside(scope, &scope.code.functions[*function]) {
            let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
            found.push(
                raw_finding
                    .beside(scope.place(decorator.span), "this runs again when memory does not suffice"),
            );
        }
    });
    found
}

/// The first model that a function prepares and does not make.
fn prepared_from_outside<'s>(scope: &FileScope<'s>, function: &Function<'_>) -> Option<(Span, &'s str)> {
    let mut made: Vec<(&str, u32)> = Vec::new();
    let mut prepared: Option<(Span, &'s str)> = None;
    // Where the statement begins that is looked at: what it makes itself it has not made before.
    let mut start = 0;
    walk_block(scope.code, &function.body, &mut |part, _| match part {
        CodeNode::Statement(step) => start = step.span.start,
        CodeNode::Target(Target::Name(name, span)) => made.push((name, span.end)),
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) if prepared.is_none() => {
            let ExprKind::Attribute(_, "prepare") = call.callee.kind else { return };
            let from_outside = call.arguments.iter().find_map(|one| {
                let ExprKind::Name(name) = one.value.kind else { return None };
                let is_heavy = HEAVY.iter().any(|word| name.to_ascii_lowercase().contains(word));
                let is_given = function.parameters.iter().any(|parameter| parameter.name == name);
                let is_made = made.iter().any(|(known, end)| *known == name && *end <= start);
                (is_heavy && !is_given && !is_made).then_some(one.value.span)
            });
            prepared = from_outside.map(|at| (at, scope.text(at)));
        }
        _ => {}
    });
    prepared
}
