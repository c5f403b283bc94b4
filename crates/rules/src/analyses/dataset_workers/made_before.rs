//! Objects that a program makes once and keeps: a worker that is a copy of the program finds them there.

use crate::code::walk::{Ancestor, CodeNode, walk, walk_top, within_function};
use crate::code::{Comparison, Expr, ExprKind};
use crate::facts::Place;
use crate::program::knowledge::Does;
use crate::rules::files::FileScope;

/// Whether a call makes what a global name holds from then on, and a module that the file imports has had it made at its top:
/// `if held is None: held = Accelerator()`. What lies on the GPU is of no use to a copy, so tensors and models do not count.
pub(super) fn is_made_before(place: Place, name: &str, scope: &FileScope<'_>) -> bool {
    let effects = scope.program.knowledge.of_call(name);
    if effects.is_empty() || effects.iter().any(|effect| effect.row.does.contains(&Does::Allocate)) {
        return false;
    }
    let Some(maker) = scope.in_other(place.file, |other| maker_of(place, other)) else { return false };
    let mut modules = scope.program.files_imported(scope.file);
    modules.push(scope.file);
    modules.into_iter().any(|file| {
        let mut calls = false;
        walk_top(scope.program.code(file), &mut |part, around| {
            let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
            let (ExprKind::Name(called) | ExprKind::Attribute(_, called)) = call.callee.kind else { return };
            calls |= called == maker && !around.iter().any(|one| matches!(one, Ancestor::Then(_)));
        });
        calls
    })
}

/// The function that makes what stands at a place only where its global name holds nothing yet.
fn maker_of(place: Place, scope: &FileScope<'_>) -> Option<String> {
    let mut maker = None;
    walk(scope.code, &mut |part, around| {
        if !matches!(part, CodeNode::Expr(expr) if expr.span == place.span) {
            return;
        }
        let (Some(function), around) = within_function(around) else { return };
        let function = &scope.code.functions[function];
        let text = scope.text(function.span);
        let waits = around.iter().any(|one| match one {
            Ancestor::Then(test) => {
                empty_name(test).is_some_and(|held| text.contains(&format!("global {held}")))
            }
            _ => false,
        });
        if waits {
            maker = Some(function.name.to_owned());
        }
    });
    maker
}

/// The name that holds nothing where a test holds: `held is None`, `not held`.
fn empty_name<'c>(test: &Expr<'c>) -> Option<&'c str> {
    match &test.kind {
        ExprKind::Not(inner) => match inner.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        },
        ExprKind::Compare(Comparison::Is | Comparison::Equal, sides) => {
            match (&sides.0.kind, &sides.1.kind) {
                (ExprKind::Name(name), ExprKind::None) => Some(name),
                _ => None,
            }
        }
        _ => None,
    }
}
