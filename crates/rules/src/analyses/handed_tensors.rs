//! Tensors of a module that it hands to a function of the project, together with its input: `functional.stretch(x, self.phases)`.

use super::memory::function_named;
use super::own_calls::{imported, module_and_name};
use super::unmoved_tensors::{is_attribute, is_input, meets_input};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Call, Expr, ExprKind, Function};
use crate::facts::Span;
use crate::rules::files::FileScope;
use rustc_hash::FxHashSet;

/// Where a method hands an attribute and an input to a function that computes with both.
pub(super) fn used_with_input(
    scope: &FileScope<'_>,
    method: &Function<'_>,
    name: &str,
    inputs: &FxHashSet<&str>,
) -> Option<Span> {
    let mut used = None;
    walk_block(scope.code, &method.body, &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_handed = || call.arguments.iter().any(|one| is_attribute(&one.value, name));
        if used.is_none() && is_handed() && is_mixed(scope, call, name, inputs) {
            used = Some(expr.span);
        }
    });
    used
}

/// Whether the function of the project that is called computes with the attribute and an input.
fn is_mixed(scope: &FileScope<'_>, call: &Call<'_>, name: &str, inputs: &FxHashSet<&str>) -> bool {
    if call.arguments.iter().any(|one| one.unpacked) {
        return false;
    }
    let Some((module, called)) = module_and_name(&call.callee).filter(|(module, _)| *module != Some("self"))
    else {
        return false;
    };
    let look = |other: &FileScope<'_>, called: &str| {
        function_named(other, called)
            .is_some_and(|function| mixes(scope, call, name, inputs, other, function))
    };
    match imported(scope, module, called) {
        Some((file, called)) => scope.in_other(file, |other| look(other, called)),
        None => module.is_none() && look(scope, called),
    }
}

fn mixes<'o>(
    scope: &FileScope<'_>,
    call: &Call<'_>,
    name: &str,
    inputs: &FxHashSet<&str>,
    other: &FileScope<'o>,
    function: &Function<'o>,
) -> bool {
    let (mut given, mut theirs) = (None, FxHashSet::default());
    for (at, one) in call.arguments.iter().enumerate() {
        let parameter = match one.name {
            Some(name) => function.parameters.iter().find(|known| known.name == name),
            None => function.parameters.get(at),
        };
        let Some(parameter) = parameter else { return false };
        if is_attribute(&one.value, name) {
            given = Some(parameter.name);
        } else if is_input(scope, &one.value, inputs) {
            theirs.insert(parameter.name);
        }
    }
    let Some(given) = given.filter(|_| !theirs.is_empty()) else { return false };
    // What moves it, or makes something else of it, may do so for the input.
    let text = other.text(function.span);
    let is_moved =
        ["to(", "cuda(", "device", "type_as("].iter().any(|end| text.contains(&format!("{given}.{end}")));
    let is_made_anew = text.lines().any(|line| {
        line.trim_start().strip_prefix(given).is_some_and(|rest| rest.trim_start().starts_with('='))
    });
    let is_it = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Name(known) if known == given);
    !is_moved && !is_made_anew && meets_input(other, function, &mut theirs, &is_it, false).is_some()
}
