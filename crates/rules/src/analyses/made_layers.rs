//! Layers that a module makes while it runs: they are new with every call, and nothing moves them to a GPU.

use super::gpu_values::SET_DEFAULT;
use super::unmoved_tensors::{RUN, is_module, is_moved_somewhere, makes_layer, methods_of};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Call, Expr, ExprKind, Function, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Layers that a method of a module makes and calls.
pub(super) fn while_running(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for class in scope.code.classes.iter().filter(|class| is_module(scope, class)) {
        for method in methods_of(scope, class) {
            let text = scope.text(method.span);
            if ["device", "cuda", "no_grad"].iter().any(|word| text.contains(word)) {
                continue;
            }
            found.extend(in_method(scope, method));
        }
    }
    if found.is_empty() || scope.program.has_any(SET_DEFAULT) || !is_moved_somewhere(scope) {
        Vec::new()
    } else {
        found
    }
}

fn in_method(scope: &FileScope<'_>, method: &Function<'_>) -> Vec<RawFinding> {
    // What other methods make they may keep.
    let runs = RUN.contains(&method.name);
    let mut made: Vec<(&str, Span)> = Vec::new();
    let mut found = Vec::new();
    walk_block(scope.code, &method.body, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
                && let [Target::Name(name, _)] = targets.as_slice()
                && runs
                && is_layer(scope, value)
            {
                made.push((name, value.span));
            }
        }
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            if let Some(span) = called_layer(scope, call, &made) {
                made.retain(|(_, of_name)| *of_name != span);
                found.push(RawFinding::at(scope.place(span)).word("name", name_of(scope.text(span))));
            }
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    found
}

/// `torch.nn.Linear(8, 8)(x)`, and `layer(x)` below `layer = torch.nn.Linear(8, 8)`.
fn called_layer(scope: &FileScope<'_>, call: &Call<'_>, made: &[(&str, Span)]) -> Option<Span> {
    if call.arguments.is_empty() {
        return None;
    }
    if let ExprKind::Name(name) = call.callee.kind {
        return made.iter().find(|(known, _)| *known == name).map(|(_, span)| *span);
    }
    is_layer(scope, &call.callee).then_some(call.callee.span)
}

/// A layer that has parameters or buffers from the start.
fn is_layer(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let text = scope.text(value.span);
    scope.names.path(&call.callee).is_some_and(|path| path.starts_with("torch.nn."))
        && makes_layer(scope, value)
        && !["Sequential(", "Parameter(", "Lazy", "affine=False"].iter().any(|word| text.contains(word))
}

/// `nn.Linear` of `nn.Linear(8, 8)`.
fn name_of(text: &str) -> &str {
    text.split('(').next().unwrap_or(text).trim()
}
