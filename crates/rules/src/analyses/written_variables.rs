//! What a statement writes into the environment of its process, in each of the usual forms.

use crate::code::{Argument, Call, Expr, ExprKind, Operator, Statement, StatementKind, Target};
use crate::program::{MASK, ORDER};
use crate::rules::files::FileScope;

/// What a statement of Python writes into the variable of this name, also where it is a default alone.
pub(super) fn written<'c>(
    scope: &FileScope<'_>,
    step: &'c Statement<'c>,
    variable: &str,
) -> Option<&'c Expr<'c>> {
    let default = || {
        let StatementKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) = &step.kind else {
            return None;
        };
        let is_default = scope.names.path(&call.callee) == Some("os.environ.setdefault");
        pair(call, |key| is_text(scope, key, variable)).filter(|_| is_default)
    };
    overwritten(scope, step, variable).or_else(default)
}

/// What a statement of Python writes whatever is there: by an item, `update`, `|=` or `putenv`.
pub(super) fn overwritten<'c>(
    scope: &FileScope<'_>,
    step: &'c Statement<'c>,
    variable: &str,
) -> Option<&'c Expr<'c>> {
    let is_named = |key: &Expr<'_>| is_text(scope, key, variable);
    let is_environment = |expr: &Expr<'_>| scope.names.path(expr) == Some("os.environ");
    match &step.kind {
        StatementKind::Assign { targets, value: Some(value), .. } => {
            let writes = |target: &Target<'_>| match target {
                Target::Item(item) => is_environment(&item.0) && is_named(&item.1),
                _ => false,
            };
            targets.iter().any(writes).then_some(value)
        }
        StatementKind::Update { target: Target::Name(..), value, operator: Operator::BitOr } => {
            // `environ |= …` of `from os import environ`
            scope.text(step.span).starts_with("environ").then(|| item(value, is_named)).flatten()
        }
        StatementKind::Update {
            target: Target::Attribute(object, "environ"),
            value,
            operator: Operator::BitOr,
        } => (scope.names.path(object) == Some("os")).then(|| item(value, is_named)).flatten(),
        StatementKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) => {
            match scope.names.path(&call.callee)? {
                "os.putenv" => pair(call, is_named),
                "os.environ.update" => {
                    let by_name = |one: &&Argument<'_>| one.name == Some(variable);
                    let named = call.arguments.iter().find(by_name).map(|one| &one.value);
                    named.or_else(|| item(&call.arguments.first()?.value, is_named))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a file of Python writes a mask, and not the order in which its numbers count.
pub(super) fn writes_mask_alone(scope: &FileScope<'_>) -> bool {
    let mut found = (false, false);
    scope.each_statement(&mut |step, _| {
        let writes = |variable: &str| match &step.kind {
            // `%env CUDA_VISIBLE_DEVICES=1` in a notebook
            StatementKind::SetVariable(set) => set.name == variable,
            _ => written(scope, step, variable).is_some(),
        };
        found.0 |= writes(MASK);
        found.1 |= writes(ORDER);
    });
    found.0 && !found.1
}

fn is_text(scope: &FileScope<'_>, expr: &Expr<'_>, wanted: &str) -> bool {
    matches!(&scope.names.meant(expr).kind, ExprKind::Text(text) if text == wanted)
}

fn pair<'c>(call: &'c Call<'c>, is_named: impl Fn(&Expr<'_>) -> bool) -> Option<&'c Expr<'c>> {
    match &call.arguments[..] {
        [key, value] if is_named(&key.value) => Some(&value.value),
        _ => None,
    }
}

/// `{"CUDA_VISIBLE_DEVICES": "1"}`
fn item<'c>(mapping: &'c Expr<'c>, is_named: impl Fn(&Expr<'_>) -> bool) -> Option<&'c Expr<'c>> {
    let ExprKind::Mapping(items) = &mapping.kind else { return None };
    items.iter().find(|(key, _)| key.as_ref().is_some_and(&is_named)).map(|(_, value)| value)
}
