//! How code asks whether it runs on an AMD card.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Block, Call, Comparison, Expr, ExprKind, ImportNames, Statement, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::{argument, catches_missing, is_for_imports};

/// Modules of torch that are in no build of it.
const ABSENT: &[&str] = &["torch.hip", "torch.rocm", "torch.backends.hip", "torch.backends.rocm"];

/// What is true on AMD cards too.
const CUDA_IS_THERE: &str = "torch.cuda.is_available";

/// Questions that are answered with no on every machine.
pub(super) fn never_detected(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<(Span, &str)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Expr(expr) => match &expr.kind {
            ExprKind::Call(call) if asks_for_absent(call, scope) => {
                found.push((expr.span, "is false on every machine"));
            }
            ExprKind::Compare(Comparison::In | Comparison::NotIn, pair) if is_listing(pair, scope) => {
                found.push((expr.span, "is false on every machine"));
            }
            ExprKind::Attribute(..) | ExprKind::Name(_) => {
                // Behind `hasattr` it is the question that is wrong, and without a handler it fails.
                let catches = |one| catches_missing(one, scope) && !is_for_imports(one);
                let in_try = around.iter().any(catches);
                let is_called = matches!(around.last(), Some(Ancestor::Argument(..)));
                if in_try && !is_called && is_absent(expr, scope) && !is_asked_before(around, scope) {
                    found.push((expr.span, "exists on no machine, so this check is always false"));
                }
            }
            _ => {}
        },
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Import(import) => {
                let in_try = around.iter().any(|one| catches_missing(one, scope));
                let names = match &import.names {
                    ImportNames::Names(names) => &names[..],
                    _ => &[],
                };
                let absent = ABSENT.contains(&import.module)
                    || names.iter().any(|one| ABSENT.contains(&&*format!("{}.{}", import.module, one.name)));
                if in_try && absent && scope.program.imports_outside(scope.file, import) {
                    found.push((step.span, "exists on no machine, so this check is always false"));
                }
            }
            StatementKind::Branch { test, otherwise, .. } if is_cuda_check(test, scope) => {
                chained(otherwise, scope, &mut found);
            }
            _ => {}
        },
        CodeNode::Target(_) => {}
    });
    early_answers(scope, &mut found);
    found.sort_unstable();
    found.dedup();
    let raw_finding = |(span, what): &(Span, &str)| {
        RawFinding::at(scope.place(*span)).word("text", scope.text(*span)).word("what", *what)
    };
    found.iter().map(raw_finding).collect()
}

/// `elif torch.version.hip:` behind `if torch.cuda.is_available():`.
fn chained<'a>(otherwise: &Block<'_>, scope: &FileScope<'a>, found: &mut Vec<(Span, &'a str)>) {
    let [Statement { kind: StatementKind::Branch { test, otherwise, .. }, .. }] = &otherwise[..] else {
        return;
    };
    if asks_for_rocm(test, scope) {
        found.push((test.span, ANSWERED));
    }
    chained(otherwise, scope, found);
}

const ANSWERED: &str = "is never reached with an AMD GPU, where `torch.cuda.is_available()` is already true";

/// `if torch.cuda.is_available(): return "cuda"`, and only then a question about AMD cards.
fn early_answers<'a>(scope: &FileScope<'a>, found: &mut Vec<(Span, &'a str)>) {
    for function in &scope.code.functions {
        let mut answered = false;
        for step in &function.body {
            let StatementKind::Branch { test, then, otherwise } = &step.kind else { continue };
            if answered && asks_for_rocm(test, scope) {
                found.push((test.span, ANSWERED));
            }
            let leaves = matches!(then.last(), Some(Statement { kind: StatementKind::Return(_), .. }));
            answered |= is_cuda_check(test, scope) && leaves && otherwise.is_empty();
        }
    }
}

fn is_cuda_check(test: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    match &scope.names.meant(test).kind {
        ExprKind::Call(call) => scope.names.path(&call.callee) == Some(CUDA_IS_THERE),
        _ => false,
    }
}

/// `torch.version.hip`, also with `is not None`, and beside another condition.
fn asks_for_rocm(test: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    match &test.kind {
        ExprKind::All(operands) => operands.iter().any(|operand| asks_for_rocm(operand, scope)),
        ExprKind::Compare(Comparison::IsNot | Comparison::NotEqual, pair) => {
            matches!(pair.1.kind, ExprKind::None) && asks_for_rocm(&pair.0, scope)
        }
        ExprKind::Call(call) => {
            // `getattr(torch.version, "hip", None)`
            let of = argument(&call.arguments, Some(0), None).and_then(|of| scope.names.path(of));
            let name = argument(&call.arguments, Some(1), None).map(|name| &name.kind);
            scope.names.path(&call.callee) == Some("builtins.getattr")
                && of == Some("torch.version")
                && matches!(name, Some(ExprKind::Text(text)) if text == "hip")
        }
        _ => scope.names.path(test) == Some("torch.version.hip"),
    }
}

/// `hasattr(torch, "hip")`, `getattr(torch, "hip", None)`, `find_spec("torch.hip")`.
fn asks_for_absent(call: &Call<'_>, scope: &FileScope<'_>) -> bool {
    name_asked_for(call, scope).is_some_and(|name| ABSENT.contains(&name.as_str()))
}

/// The dotted name that a question is about.
fn name_asked_for(call: &Call<'_>, scope: &FileScope<'_>) -> Option<String> {
    let first = argument(&call.arguments, Some(0), None)?;
    let text = |expr: &Expr<'_>| match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => Some(text.to_string()),
        _ => None,
    };
    let attribute = || {
        let second = argument(&call.arguments, Some(1), None)?;
        Some(format!("{}.{}", scope.names.path(first)?, text(second)?))
    };
    match scope.names.path(&call.callee)? {
        "builtins.hasattr" => attribute(),
        // Without a default it fails.
        "builtins.getattr" if call.arguments.len() == 3 => attribute(),
        "importlib.util.find_spec" => text(first),
        _ => None,
    }
}

/// `"hip" in dir(torch)`
fn is_listing(pair: &(Expr<'_>, Expr<'_>), scope: &FileScope<'_>) -> bool {
    let (ExprKind::Text(name), ExprKind::Call(call)) = (&pair.0.kind, &pair.1.kind) else { return false };
    let lists = ["builtins.dir", "builtins.vars"].map(Some).contains(&scope.names.path(&call.callee));
    let of = argument(&call.arguments, Some(0), None).and_then(|of| scope.names.path(of));
    lists && of.is_some_and(|of| ABSENT.contains(&&*format!("{of}.{name}")))
}

fn is_absent(expr: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    scope.names.path(expr).is_some_and(|path| ABSENT.contains(&path))
}

/// Whether the code stands behind a test that asks for the absent module, which is told itself.
fn is_asked_before(around: &[Ancestor<'_, '_>], scope: &FileScope<'_>) -> bool {
    around.iter().any(|one| match one {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => {
            ["hasattr(", "getattr(", "find_spec("].iter().any(|word| scope.text(test.span).contains(word))
        }
        _ => false,
    })
}
