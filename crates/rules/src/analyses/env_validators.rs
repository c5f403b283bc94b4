//! Functions that are to prove which GPU is used, and look at variables only.

use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::program::is_gpu_variable;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What such functions are called: a word of each.
const CHECKING: &[&str] = &["validate", "verify", "check", "assert", "ensure", "require", "confirm"];
const CHECKED: &[&str] = &["gpu", "cuda", "device", "env", "pin", "visible"];

/// Methods and functions that ask no device.
const PLAIN: &[&str] = &[
    "append",
    "critical",
    "debug",
    "error",
    "exception",
    "exit",
    "format",
    "get",
    "info",
    "isdigit",
    "items",
    "join",
    "lower",
    "lstrip",
    "print",
    "replace",
    "rstrip",
    "split",
    "startswith",
    "strip",
    "upper",
    "warn",
    "warning",
    "write",
];

#[derive(Clone, Copy, Default)]
struct ValidatorScan {
    /// It compares a GPU variable with something.
    compares: bool,
    /// It stops, or answers.
    judges: bool,
    /// It asks the device, or calls something that may.
    asks: bool,
}

/// Validators that compare variables and never ask the device.
pub(super) fn that_read_variables_only(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut seen = vec![ValidatorScan::default(); scope.code.functions.len()];
    walk(scope.code, &mut |part, around| {
        let functions = functions_around(around);
        let found = match part {
            CodeNode::Statement(step) => ValidatorScan {
                judges: matches!(
                    step.kind,
                    StatementKind::Raise { .. }
                        | StatementKind::Assert { .. }
                        | StatementKind::Return(Some(_))
                ),
                ..ValidatorScan::default()
            },
            CodeNode::Expr(expr) => look(scope, expr),
            CodeNode::Target(_) => return,
        };
        for number in functions {
            let known = &mut seen[number];
            known.compares |= found.compares;
            known.judges |= found.judges;
            known.asks |= found.asks;
        }
    });
    let functions = scope.code.functions.iter().zip(seen);
    let wrong = functions.filter(|(function, seen)| {
        is_validator(scope, function.name) && seen.compares && seen.judges && !seen.asks
    });
    wrong
        .map(|(function, _)| RawFinding::at(scope.place(function.name_span)).word("function", function.name))
        .collect()
}

fn is_validator(scope: &FileScope<'_>, name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    scope.policy.scripts.is_validator(name) || (has(CHECKING) && has(CHECKED))
}

fn look(scope: &FileScope<'_>, expr: &Expr<'_>) -> ValidatorScan {
    match &expr.kind {
        ExprKind::Compare(_, sides) => {
            let compares = reads_variable(scope, &sides.0) || reads_variable(scope, &sides.1);
            ValidatorScan { compares, ..ValidatorScan::default() }
        }
        ExprKind::Call(call) => {
            let path = scope.names.path(&call.callee);
            let last = match (&call.callee.kind, path) {
                (ExprKind::Attribute(_, name), _) => name,
                (_, Some(path)) => path.rsplit('.').next().unwrap_or(path),
                // Something of the project, which may ask.
                _ => return ValidatorScan { asks: true, ..ValidatorScan::default() },
            };
            let is_plain = PLAIN.contains(&last)
                || path.is_some_and(|path| {
                    ["builtins.", "os.environ", "os.getenv", "logging.", "sys.", "warnings."]
                        .iter()
                        .any(|harmless| path.starts_with(harmless))
                });
            ValidatorScan { asks: !is_plain, judges: path == Some("sys.exit"), ..ValidatorScan::default() }
        }
        _ => ValidatorScan::default(),
    }
}

/// Whether an expression is a GPU variable of the environment, or made of one.
fn reads_variable(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let named = |key: &Expr<'_>| matches!(&scope.names.meant(key).kind, ExprKind::Text(name) if is_gpu_variable(name));
    match &scope.names.meant(expr).kind {
        ExprKind::Item(pair) => scope.names.path(&pair.0) == Some("os.environ") && named(&pair.1),
        // `"X" in os.environ`
        ExprKind::Text(name) => is_gpu_variable(name),
        ExprKind::Any(values) => values.first().is_some_and(|first| reads_variable(scope, first)),
        ExprKind::Call(call) => match (scope.names.path(&call.callee), &call.callee.kind) {
            (Some("os.environ.get" | "os.getenv"), _) => {
                argument(&call.arguments, Some(0), Some("key")).is_some_and(named)
            }
            (_, ExprKind::Attribute(object, _)) => reads_variable(scope, object),
            _ => false,
        },
        _ => false,
    }
}
