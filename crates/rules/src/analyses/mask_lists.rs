//! Lists whose members fill a mask, and lists that are cut out of the text of one.

use crate::code::{Call, Expr, ExprKind};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// The list whose members a text joins: `",".join(map(str, gpus))`, `",".join(str(gpu) for gpu in gpus)`.
pub(super) fn joined<'c>(scope: &FileScope<'_>, value: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let ExprKind::Call(call) = &value.kind else { return None };
    let ExprKind::Attribute(between, "join") = &call.callee.kind else { return None };
    if !matches!(&between.kind, ExprKind::Text(text) if text.trim() == ",") {
        return None;
    }
    let members = argument(&call.arguments, Some(0), None)?;
    match &members.kind {
        ExprKind::Comprehension(comprehension) => match &comprehension.generators[..] {
            [only] => named(&only.iterable),
            _ => None,
        },
        ExprKind::Call(inner) => mapped(scope, inner, "builtins.str").and_then(named),
        _ => named(members),
    }
}

/// The text that a list is cut out of: `text.split(",")`, `[int(one) for one in text.split(",")]`,
/// `list(map(int, text.split(",")))`, also where the list has a name.
pub(super) fn cut_from<'c>(scope: &'c FileScope<'_>, list: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let list = scope.names.meant(list);
    match &list.kind {
        ExprKind::Comprehension(comprehension) => match &comprehension.generators[..] {
            [only] => parts_of(&only.iterable),
            _ => None,
        },
        ExprKind::Call(call) => parts_of(list).or_else(|| match scope.names.path(&call.callee) {
            Some("builtins.list" | "builtins.tuple") => {
                let ExprKind::Call(inner) = &argument(&call.arguments, Some(0), None)?.kind else {
                    return None;
                };
                mapped(scope, inner, "builtins.int").and_then(parts_of)
            }
            _ => None,
        }),
        _ => None,
    }
}

/// What `map` gives to a function.
pub(super) fn mapped<'c>(scope: &FileScope<'_>, call: &'c Call<'c>, function: &str) -> Option<&'c Expr<'c>> {
    match (scope.names.path(&call.callee), &call.arguments[..]) {
        (Some("builtins.map"), [made, values]) if scope.names.path(&made.value) == Some(function) => {
            Some(&values.value)
        }
        _ => None,
    }
}

/// The text of `text.split(",")`.
fn parts_of<'c>(expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let ExprKind::Attribute(text, "split") = &call.callee.kind else { return None };
    let separator = argument(&call.arguments, Some(0), None)?;
    matches!(&separator.kind, ExprKind::Text(text) if text == ",").then(|| named(text))?
}

/// A name, or an attribute of one.
fn named<'c>(expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    match &expr.kind {
        ExprKind::Name(_) => Some(expr),
        ExprKind::Attribute(object, _) => named(object).map(|_| expr),
        _ => None,
    }
}
