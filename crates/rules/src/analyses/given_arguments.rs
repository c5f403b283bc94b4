//! What calls give to the parameters of functions.

use super::own_calls::imported;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Code, Expr, ExprKind, Function, Parameter, ParameterKind};
use crate::facts::Span;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// The expressions that calls of this file give to the parameter which a name stands for; empty for any other name.
pub(super) fn given_to<'c>(scope: &FileScope<'c>, name: &Expr<'_>) -> Vec<&'c Expr<'c>> {
    let Some(wanted) = Wanted::of(scope, name) else { return Vec::new() };
    given_in(scope.code, &wanted, &|_| false)
}

/// Whether something holds of what a call of this file, or of one that imports it, gives to the parameter which a name
/// stands for; the function may be what makes an object of a class.
pub(super) fn any_given_to(
    scope: &FileScope<'_>,
    name: &Expr<'_>,
    holds: &dyn Fn(&FileScope<'_>, &Expr<'_>) -> bool,
) -> bool {
    let Some(wanted) = Wanted::of(scope, name) else { return false };
    if given_in(scope.code, &wanted, &|_| false).into_iter().any(|given| holds(scope, given)) {
        return true;
    }
    let importing = scope.program.importers(scope.file).into_iter().map(|one| one.file);
    let mut callers = importing.filter(|file| scope.program.has_word(*file, wanted.called));
    callers.any(|file| {
        scope.in_other(file, |caller| {
            let in_module = |module: &str| {
                imported(caller, Some(module), wanted.called).is_some_and(|(from, _)| from == scope.file)
            };
            given_in(caller.code, &wanted, &in_module).into_iter().any(|given| holds(caller, given))
        })
    })
}

/// A parameter, by what calls name its function, and by its place among the arguments.
struct Wanted<'c> {
    called: &'c str,
    /// It is called on an object: `reader.open(rank)`.
    by_object: bool,
    position: Option<usize>,
    name: &'c str,
}

impl<'c> Wanted<'c> {
    fn of(scope: &FileScope<'c>, name: &Expr<'_>) -> Option<Wanted<'c>> {
        let ExprKind::Name(wanted) = name.kind else { return None };
        let (function, parameter) = parameter_behind(scope, wanted, name.span)?;
        let is_bound = function.parameters.first().is_some_and(|first| matches!(first.name, "self" | "cls"));
        let mut plain = function.parameters.iter().filter(|one| one.kind == ParameterKind::Plain);
        let position = plain.position(|one| one.name == wanted);
        let position = position.and_then(|position| position.checked_sub(usize::from(is_bound)));
        // `Reader(rank)` calls its `__init__`.
        let made = scope.code.classes.iter().rev().find(|class| {
            function.name == "__init__"
                && class.span.start <= function.span.start
                && function.span.end <= class.span.end
        });
        let called = made.map_or(function.name, |class| class.name);
        Some(Wanted { called, by_object: is_bound && made.is_none(), position, name: parameter.name })
    }
}

/// `in_module` says whether a name stands for the module in which the function lies.
fn given_in<'c>(
    code: &'c Code<'c>,
    wanted: &Wanted<'_>,
    in_module: &dyn Fn(&str) -> bool,
) -> Vec<&'c Expr<'c>> {
    let mut given = Vec::new();
    walk(code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_called = match &call.callee.kind {
            ExprKind::Name(called) => *called == wanted.called && !wanted.by_object,
            ExprKind::Attribute(object, called) if *called == wanted.called => {
                wanted.by_object || matches!(object.kind, ExprKind::Name(module) if in_module(module))
            }
            _ => false,
        };
        if is_called {
            given.extend(argument(&call.arguments, wanted.position, Some(wanted.name)));
        }
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
