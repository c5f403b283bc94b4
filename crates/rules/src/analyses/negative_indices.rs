//! Numbers of GPUs that are -1 where there is none, used as an index all the same.

use super::hard_cuda::is_asked;
use super::mask_numbers::{index_in, written_target};
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::gpu_questions;

/// Calls that do nothing where the number is negative.
const LENIENT: &[&str] = &["torch.cuda.device", "torch.cuda.set_device"];

/// A name that is set to -1 where a test says so.
struct Missing<'a> {
    name: &'a str,
    span: Span,
    function: Option<usize>,
    /// How the test reads.
    test: &'a str,
}

/// `args.gpu = -1` behind a test, and `torch.device("cuda", args.gpu)` whatever the test says; `.cuda(tensor.get_device())`.
pub(super) fn used_as_indices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut missing: Vec<Missing<'_>> = Vec::new();
    let mut used: Vec<(Span, Option<usize>, &str)> = Vec::new();
    let mut of_tensors: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let Some(test) = asked_around(scope, around).filter(|_| is_minus_one(value)) else { return };
            let function = functions_around(around).next_back();
            let named = targets.iter().filter_map(|target| written_target(scope, target));
            missing.extend(named.map(|(name, span)| Missing { name, span, function, test }));
        }
        CodeNode::Expr(expr) => {
            let Some(index) = index_in(scope, expr).filter(|_| !is_lenient(scope, expr)) else { return };
            if is_asked(around, expr.span, scope) {
                return;
            }
            match &index.kind {
                ExprKind::Name(_) | ExprKind::Attribute(..) => {
                    used.push((expr.span, functions_around(around).next_back(), scope.text(index.span)));
                }
                ExprKind::Call(call) if call.arguments.is_empty() => {
                    if matches!(call.callee.kind, ExprKind::Attribute(_, "get_device")) {
                        of_tensors.push(expr.span);
                    }
                }
                _ => {}
            }
        }
        CodeNode::Target(_) => {}
    });
    let mut found = Vec::new();
    for (span, function, name) in used {
        let reaches = |one: &&Missing<'_>| {
            let is_seen = one.function == function || one.function.is_none();
            one.name == name && is_seen && one.span.end <= span.start
        };
        if let Some(one) = missing.iter().find(reaches) {
            let reason = format!("`{name}` is -1 where `{}` says so", one.test);
            let raw_finding = RawFinding::at(scope.place(span)).word("text", scope.text(span));
            let raw_finding = raw_finding.word("reason", reason);
            found.push(raw_finding.beside(scope.place(one.span), "it becomes -1 here"));
        }
    }
    if !of_tensors.is_empty() && runs_without_gpu(scope) {
        found.extend(of_tensors.into_iter().map(|span| {
            let raw_finding = RawFinding::at(scope.place(span)).word("text", scope.text(span));
            let reason = "`get_device()` is -1 for a tensor on the CPU, where this project runs too";
            raw_finding.word("reason", reason).at_most(Severity::Note)
        }));
    }
    found
}

fn is_minus_one(value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::Negate(inner) => matches!(inner.kind, ExprKind::Int(1)),
        ExprKind::Int(number) => *number == -1,
        _ => false,
    }
}

fn is_lenient(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Call(call) => scope.names.path(&call.callee).is_some_and(|path| LENIENT.contains(&path)),
        _ => false,
    }
}

/// The test around a statement, where it asks for a GPU.
fn asked_around<'a>(scope: &FileScope<'a>, around: &[Ancestor<'_, '_>]) -> Option<&'a str> {
    const WORDS: &[&str] = &["cuda", "gpu", "cpu"];
    around.iter().rev().find_map(|one| match one {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => {
            let text = scope.text(test.span);
            let lower = text.to_ascii_lowercase();
            WORDS.iter().any(|word| lower.contains(word)).then_some(text)
        }
        _ => None,
    })
}

/// Whether the file, or one that it is tied to by imports, has an answer for a machine without a GPU.
fn runs_without_gpu(scope: &FileScope<'_>) -> bool {
    let answers = |scope: &FileScope<'_>| {
        gpu_questions::choose_cpu(scope)
            || gpu_questions::are_asked(scope) && scope.whole_text().contains("cpu")
    };
    answers(scope)
        || gpu_questions::tied_files(scope)
            .into_iter()
            .any(|file| scope.in_other(file, |other| answers(other)))
}
