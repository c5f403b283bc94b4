//! Fixtures of pytest that outlive a test and leave on the GPU what they made.

use super::gpu_values::{given_by, is_on_gpu};
use super::memory::{called, path, releases};
use crate::code::walk::{Ancestor, CodeNode, walk, walk_block};
use crate::code::{Call, Expr, ExprKind, Function, Statement, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::{argument, known};

/// Fixtures of a module or session that give an object on the GPU and never release it.
pub(super) fn without_teardown(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Statement(Statement {
            kind: StatementKind::Define { function: number, decorators },
            ..
        }) = part
        else {
            return;
        };
        let Some(lasts) = decorators.iter().find_map(|one| scope_of_fixture(scope, one)) else { return };
        let Some(function) = scope.code.functions.get(*number) else { return };
        if !matches!(lasts.as_str(), "module" | "session" | "package") || cleans_up(scope, function) {
            return;
        }
        if given_by(scope, function).into_iter().any(|given| is_on_gpu(scope, function, given)) {
            let raw_finding = RawFinding::at(scope.place(function.name_span));
            found.push(raw_finding.word("fixture", function.name).word("scope", lasts));
        }
    });
    found
}

/// How long the value of a fixture lasts; `None` for what is no decorator of a fixture.
pub(super) fn scope_of_fixture(scope: &FileScope<'_>, decorator: &Expr<'_>) -> Option<String> {
    let call: Option<&Call<'_>> = match &decorator.kind {
        ExprKind::Call(call) => Some(call),
        _ => None,
    };
    let path = path(scope, call.map_or(decorator, |call| &call.callee));
    if !matches!(path, "pytest.fixture" | "pytest.yield_fixture" | "pytest_asyncio.fixture") {
        return None;
    }
    let given = call.and_then(|call| argument(&call.arguments, None, Some("scope")));
    Some(given.map_or(Some("function".to_owned()), |given| known(given, scope.names)).unwrap_or_default())
}

/// Whether a fixture releases what it made: behind its `yield`, in a finalizer, or by what it enters around it.
fn cleans_up(scope: &FileScope<'_>, function: &Function<'_>) -> bool {
    let text = scope.text(function.span);
    if text.contains("addfinalizer(") || text.contains(".callback(") {
        return true;
    }
    let mut cleans = false;
    let mut yielded: Option<Span> = None;
    walk_block(scope.code, &function.body, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        if around.iter().any(|one| matches!(one, Ancestor::Function(_))) {
            return;
        }
        if matches!(expr.kind, ExprKind::Yield(_) | ExprKind::YieldFrom(_)) {
            yielded = Some(expr.span);
            // What the project enters may release at its end.
            cleans |= around.iter().any(|one| match one {
                Ancestor::With(step) => enters_own(scope, step),
                _ => false,
            });
        } else if yielded.is_some_and(|span| span.end <= expr.span.start) {
            let helper = matches!(&expr.kind, ExprKind::Call(call) if is_own(scope, call));
            cleans |= releases(scope, expr) || helper;
        }
    });
    cleans
}

/// Whether a `with` enters something that may release at its end: not what the libraries have for other things.
fn enters_own(scope: &FileScope<'_>, step: &Statement<'_>) -> bool {
    const OTHERS: &[&str] = &["torch.", "contextlib.", "tempfile.", "unittest.", "warnings."];
    let StatementKind::With { items, .. } = &step.kind else { return false };
    items.iter().any(|(item, _)| {
        let path = called(scope, item);
        !OTHERS.iter().any(|other| path.starts_with(other))
    })
}

/// Whether a call is of something of the project, of which nothing is known here.
fn is_own(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let path = scope.names.path(&call.callee).unwrap_or_default();
    let name = match &call.callee.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => *name,
        _ => "",
    };
    let says_so = ["clean", "release", "free", "clear", "teardown", "unload", "shutdown", "close", "empty"]
        .iter()
        .any(|word| name.to_ascii_lowercase().contains(word));
    says_so || path.is_empty() && matches!(call.callee.kind, ExprKind::Name(_))
}
