//! Models that bitsandbytes quantised while they were loaded, and that the program moves to a device afterwards.

use super::gpu_values::names_gpu;
use super::memory::method_of;
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Argument, Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// How many bits are left of each weight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bits {
    Four,
    Eight,
}

/// What a name, or an attribute, was given last.
struct Given<'a> {
    name: &'a str,
    span: Span,
    bits: Option<Bits>,
    home: Option<usize>,
    /// The blocks that it stands in, and that need not run.
    blocks: Vec<Span>,
}

/// `model.to(device)`
struct Move<'a> {
    object: &'a Expr<'a>,
    method: &'a str,
    span: Span,
    home: Option<usize>,
    blocks: Vec<Span>,
}

/// `model.to(device)` below `model = AutoModelForCausalLM.from_pretrained(name, load_in_8bit=True)`.
pub(super) fn after_loading(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut given: Vec<Given<'_>> = Vec::new();
    let mut moves: Vec<Move<'_>> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let [target @ (Target::Name(..) | Target::Attribute(..))] = targets.as_slice() else { return };
            let name = match target {
                Target::Name(name, _) => *name,
                Target::Attribute(object, _) => {
                    let rest = &scope.whole_text()[object.span.start as usize..value.span.start as usize];
                    rest.split(['=', ':']).next().unwrap_or_default().trim()
                }
                _ => return,
            };
            let home = functions_around(around).next_back();
            let bits = bits_of(scope, value);
            given.push(Given { name, span: step.span, bits, home, blocks: blocks(around) });
        }
        CodeNode::Expr(expr) => {
            let Some((object, method @ ("to" | "cuda"), call)) = method_of(expr) else { return };
            if method == "cuda" || call.arguments.iter().any(|one| is_device(scope, one)) {
                let home = functions_around(around).next_back();
                moves.push(Move { object, method, span: expr.span, home, blocks: blocks(around) });
            }
        }
        CodeNode::Target(_) => {}
    });
    let mut found = Vec::new();
    for Move { object, method, span, home, blocks } in moves {
        let bits = bits_of(scope, object).map(|bits| (bits, object.span)).or_else(|| {
            let text = scope.text(object.span);
            let is_seen = |one: &&Given<'_>| one.home == home || text.starts_with("self.");
            let same = given.iter().filter(|one| one.name == text && one.span.end <= span.start);
            let before = same.filter(is_seen);
            let last = before.max_by_key(|one| one.span.start)?;
            // On the other side of a branch the model may be another one.
            let holds = last.blocks.iter().all(|block| blocks.contains(block));
            last.bits.filter(|_| holds).map(|bits| (bits, last.span))
        });
        let Some((bits, loaded)) = bits else { continue };
        if bits == Bits::Eight && method == "to" && has_bitsandbytes(scope, "0.48") {
            continue;
        }
        let (count, until) = match (bits, method) {
            (Bits::Eight, "cuda") => ("eight", "transformers raises an error"),
            (Bits::Eight, _) => {
                ("eight", "transformers raises an error, with bitsandbytes before 0.48 at least")
            }
            (Bits::Four, _) => ("four", "with versions before bitsandbytes 0.43.2 it raises an error"),
        };
        let raw_finding = RawFinding::at(scope.place(span)).word("bits", count).word("until", until);
        let raw_finding = raw_finding.word("text", method);
        let raw_finding = raw_finding.beside(scope.place(loaded), "it is quantised here");
        found.push(if bits == Bits::Four { raw_finding.at_most(Severity::Note) } else { raw_finding });
    }
    found
}

/// The blocks around something that need not run.
fn blocks(around: &[Ancestor<'_, '_>]) -> Vec<Span> {
    let span = |one: &Ancestor<'_, '_>| match one {
        Ancestor::Then(test) => Some(test.span),
        // Another span than that of the first block.
        Ancestor::Otherwise(test) => Some(Span { start: test.span.end, end: test.span.end }),
        Ancestor::Try(step) | Ancestor::Handler(step, _) => Some(step.span),
        _ => None,
    };
    around.iter().filter_map(span).collect()
}

/// Whether an argument of `to` is a device, and no type.
fn is_device(scope: &FileScope<'_>, one: &Argument<'_>) -> bool {
    let text = scope.text(one.value.span);
    let is_named = text.contains("device") || text.contains("cuda");
    one.name.is_none_or(|name| name == "device") && (is_named || names_gpu(scope, &one.value, 0))
}

/// The bits that a call of `from_pretrained` leaves.
fn bits_of(scope: &FileScope<'_>, value: &Expr<'_>) -> Option<Bits> {
    let ExprKind::Call(call) = &value.kind else { return None };
    let ExprKind::Attribute(_, "from_pretrained") = &call.callee.kind else { return None };
    let config = || {
        let config = argument(&call.arguments, None, Some("quantization_config"))?;
        let ExprKind::Call(made) = &scope.names.meant(config).kind else { return None };
        let is_config = scope.names.path(&made.callee)?.ends_with("BitsAndBytesConfig");
        is_config.then(|| bits_in(scope, made)).flatten()
    };
    bits_in(scope, call).or_else(config)
}

fn bits_in(scope: &FileScope<'_>, call: &Call<'_>) -> Option<Bits> {
    let is_on = |name: &str| {
        let given = argument(&call.arguments, None, Some(name));
        given.is_some_and(|given| matches!(scope.names.meant(given).kind, ExprKind::Bool(true)))
    };
    match (is_on("load_in_8bit"), is_on("load_in_4bit")) {
        (true, _) => Some(Bits::Eight),
        (_, true) => Some(Bits::Four),
        _ => None,
    }
}

fn has_bitsandbytes(scope: &FileScope<'_>, version: &str) -> bool {
    scope.program.versions().at_least(scope.program.name_of(scope.file), "bitsandbytes", version)
        == Some(true)
}
