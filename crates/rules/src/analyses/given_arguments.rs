//! What the calls of a file give to the parameters of its functions.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, Function, Parameter, ParameterKind};
use crate::facts::Span;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// The expressions that calls of this file give to the parameter which a name stands for; empty for any other name.
pub(super) fn given_to<'c>(scope: &FileScope<'c>, name: &Expr<'_>) -> Vec<&'c Expr<'c>> {
    let ExprKind::Name(wanted) = name.kind else { return Vec::new() };
    let Some((function, _)) = parameter_behind(scope, wanted, name.span) else { return Vec::new() };
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

/// The parameter that a name stands for at a place: that of the innermost function which has one of this name.
pub(super) fn parameter_behind<'c>(
    scope: &FileScope<'c>,
    name: &str,
    at: Span,
) -> Option<(&'c Function<'c>, &'c Parameter<'c>)> {
    let around = scope.code.functions.iter().filter(|function| function.span.holds(at));
    let having = around
        .filter_map(|function| Some((function, function.parameters.iter().find(|one| one.name == name)?)));
    having.min_by_key(|(function, _)| function.span.end - function.span.start)
}
