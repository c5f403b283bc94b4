//! What the calls of a file give to the parameters of its functions.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, Function, ParameterKind};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// The expressions that calls of this file give to the parameter which a name stands for; empty for any other name.
pub(super) fn given_to<'c>(scope: &FileScope<'c>, name: &Expr<'_>) -> Vec<&'c Expr<'c>> {
    let ExprKind::Name(wanted) = name.kind else { return Vec::new() };
    let around = |function: &&Function<'_>| {
        function.span.start <= name.span.start && name.span.end <= function.span.end
    };
    // The innermost one that has such a parameter.
    let functions = scope.code.functions.iter().filter(around);
    let has_it = functions.filter(|function| function.parameters.iter().any(|one| one.name == wanted));
    let Some(function) = has_it.min_by_key(|function| function.span.end - function.span.start) else {
        return Vec::new();
    };
    let is_bound = function.parameters.first().is_some_and(|first| matches!(first.name, "self" | "cls"));
    let mut plain = function.parameters.iter().filter(|one| one.kind == ParameterKind::Plain);
    let position = plain.position(|one| one.name == wanted);
    let mut given = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let (called, by_object) = match &call.callee.kind {
            ExprKind::Name(called) => (*called, false),
            ExprKind::Attribute(_, called) => (*called, true),
            _ => return,
        };
        if called != function.name || by_object != is_bound {
            return;
        }
        let position = position.and_then(|position| position.checked_sub(usize::from(is_bound)));
        given.extend(argument(&call.arguments, position, Some(wanted)));
    });
    given
}
