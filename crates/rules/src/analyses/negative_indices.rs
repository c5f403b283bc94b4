//! Numbers of GPUs that are -1 where there is none, used as an index all the same.

use super::device_indices::index_in;
use super::hard_cuda::{is_asked, leaves_before, skips_of};
use super::mask_numbers::written_target;
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Expr, ExprKind, Statement, StatementKind};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::gpu_questions;

/// Calls that do nothing where the number is negative, take it for the CPU, ask for no index where there is no GPU, or get the
/// kind of the device in another argument.
const LENIENT: &[&str] = &[
    "ctranslate2.Generator",
    "ctranslate2.Translator",
    "faster_whisper.WhisperModel",
    "torch.cuda.device",
    "torch.cuda.set_device",
    "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel",
    "transformers.pipeline",
];

/// A name that is -1 in one of the branches of a test.
struct Missing<'a> {
    name: &'a str,
    span: Span,
    function: Option<usize>,
    test: Span,
    /// Whether it is the branch in which the test holds.
    holds: bool,
}

/// A name that gets another value, with the tests around that.
struct Bound<'a> {
    name: &'a str,
    span: Span,
    /// With whether they hold there.
    tests: Vec<(Span, bool)>,
}

/// A place where a name is the index.
struct Used<'a> {
    name: &'a str,
    span: Span,
    function: Option<usize>,
}

/// `args.gpu = -1` behind a test, and `torch.device("cuda", args.gpu)` whatever the test says; `.cuda(tensor.get_device())`.
pub(super) fn used_as_indices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let skips = skips_of(scope);
    let mut missing: Vec<Missing<'_>> = Vec::new();
    let mut bound: Vec<Bound<'_>> = Vec::new();
    let mut matched: Vec<(&str, Span)> = Vec::new();
    let mut used: Vec<Used<'_>> = Vec::new();
    let mut of_tensors: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let Some((test, holds)) = test_of(scope, value, around) else { return };
                let function = functions_around(around).next_back();
                let named = targets.iter().filter_map(|target| written_target(scope, target));
                missing.extend(named.map(|(name, span)| Missing { name, span, function, test, holds }));
            }
            StatementKind::Match { subject, .. } => matched.push((scope.text(subject.span), step.span)),
            _ => {}
        },
        CodeNode::Expr(expr) => {
            let Some(index) = index_in(scope, expr).filter(|_| !is_lenient(scope, expr)) else { return };
            let is_skipped = || skips.iter().any(|skip| skip.covers(around));
            if is_asked(around, expr.span, scope) || asks_sign(scope, around, expr.span) || is_skipped() {
                return;
            }
            let function = functions_around(around).next_back();
            match &index.kind {
                ExprKind::Name(_) | ExprKind::Attribute(..) => {
                    used.push(Used { name: scope.text(index.span), span: expr.span, function });
                }
                ExprKind::Call(call) if call.arguments.is_empty() => {
                    if matches!(call.callee.kind, ExprKind::Attribute(_, "get_device")) {
                        of_tensors.push(expr.span);
                    }
                }
                _ => {}
            }
        }
        CodeNode::Target(target) => {
            let Some((name, span)) = written_target(scope, target) else { return };
            bound.push(Bound {
                name,
                span,
                tests: tests_in(around).map(|(test, holds)| (test.span, holds)).collect(),
            });
        }
    });
    let mut found = Vec::new();
    for Used { name, span, function } in used {
        // `match gpu: case -1:` asks too.
        if matched.iter().any(|(subject, at)| *subject == name && at.start <= span.start) {
            continue;
        }
        let reaches = |one: &&Missing<'_>| {
            let is_seen = one.function == function || one.function.is_none();
            let is_between = |other: &Bound<'_>| {
                let is_other_way = other.tests.contains(&(one.test, !one.holds));
                let is_there = other.span.start > one.span.start && other.span.end <= span.start;
                other.name == name && is_there && !is_other_way
            };
            one.name == name && is_seen && one.span.end <= span.start && !bound.iter().any(is_between)
        };
        if let Some(one) = missing.iter().find(reaches) {
            let reason = format!("`{name}` is -1 where `{}` is {}", scope.text(one.test), one.holds);
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

/// The test that makes a value -1, where it asks for a GPU: the one around, or that of `0 if torch.cuda.is_available() else -1`.
fn test_of(scope: &FileScope<'_>, value: &Expr<'_>, around: &[Ancestor<'_, '_>]) -> Option<(Span, bool)> {
    const WORDS: &[&str] = &["cuda", "gpu", "cpu"];
    if let ExprKind::Choice(parts) = &value.kind {
        let (test, then, otherwise) = &**parts;
        let is_question = scope.text(test.span).contains("is_available");
        let holds = is_minus_one(then);
        return (is_question && (holds || is_minus_one(otherwise))).then_some((test.span, holds));
    }
    // A search begins with -1, or goes back to it.
    let is_search = around.iter().rev().take_while(|one| !matches!(one, Ancestor::Function(_))).any(is_loop);
    if !is_minus_one(value) || is_search {
        return None;
    }
    let asks = |(test, _): &(&Expr<'_>, bool)| {
        let lower = scope.text(test.span).to_ascii_lowercase();
        WORDS.iter().any(|word| lower.contains(word))
    };
    tests_in(around).filter(asks).last().map(|(test, holds)| (test.span, holds))
}

fn is_loop(one: &Ancestor<'_, '_>) -> bool {
    matches!(one, Ancestor::Loop(_))
}

/// The tests around code, with whether they hold there.
fn tests_in<'c, 's>(around: &[Ancestor<'c, 's>]) -> impl Iterator<Item = (&'c Expr<'s>, bool)> {
    around.iter().filter_map(|one| match one {
        Ancestor::Then(test) => Some((*test, true)),
        Ancestor::Otherwise(test) => Some((*test, false)),
        Ancestor::Loop(Statement { kind: StatementKind::While { test, .. }, .. }) => Some((test, true)),
        _ => None,
    })
}

/// Whether a test around a place, one in its line, or one before it that leaves, looks at the sign of a number; or an error is expected there.
fn asks_sign(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>], span: Span) -> bool {
    const SIGNS: &[&str] = &["==-1", "!=-1", ">-1", "<=-1", "<0", ">=0"];
    const EXPECT: &[&str] = &["raises(", "assertRaises", "suppress("];
    let has_sign = |text: &str| {
        let text: String = text.split_whitespace().collect();
        SIGNS.iter().any(|sign| text.contains(sign))
    };
    let is_sign = |test: &Expr<'_>| has_sign(scope.text(test.span));
    let (before, behind) = scope.whole_text().split_at(span.start as usize);
    let line = before.rsplit('\n').next().into_iter().chain(behind.lines().next());
    let is_expected = |one: &Ancestor<'_, '_>| match one {
        Ancestor::With(Statement { kind: StatementKind::With { items, .. }, .. }) => {
            items.iter().any(|item| {
                let text = scope.text(item.0.span);
                EXPECT.iter().any(|word| text.contains(word))
            })
        }
        _ => false,
    };
    let inside = functions_around(around).next_back().map(|number| &scope.code.functions[number].body);
    let blocks = [Some(&scope.code.body), inside];
    tests_in(around).any(|(test, _)| is_sign(test))
        || line.into_iter().any(has_sign)
        || around.iter().any(is_expected)
        || blocks.into_iter().flatten().any(|block| leaves_before(block, span, scope, &is_sign))
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
