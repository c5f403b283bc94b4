//! `tensor.to("cuda")` as a statement of its own: it gives a copy, which nothing takes.

use super::gpu_values::names_gpu;
use super::memory::{method_of, path};
use crate::code::walk::{CodeNode, walk, within_function};
use crate::code::{Call, Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions of torch that make a tensor on the CPU, unless they are told a device.
const MAKERS: &[&str] = &[
    "arange",
    "as_tensor",
    "empty",
    "eye",
    "from_numpy",
    "full",
    "linspace",
    "ones",
    "rand",
    "randint",
    "randn",
    "randperm",
    "tensor",
    "zeros",
];

/// Moves of a tensor whose result is dropped, where the tensor is used further down.
pub(super) fn as_statements(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut moves: Vec<(Option<usize>, &str, Span)> = Vec::new();
    let mut uses: Vec<(Option<usize>, &str, Span)> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let (home, _) = within_function(around);
        match part {
            CodeNode::Statement(step) => {
                if let StatementKind::Evaluate(expr) = &step.kind
                    && let Some(name) = moved(scope, expr)
                {
                    moves.push((home, name, expr.span));
                }
            }
            CodeNode::Expr(Expr { kind: ExprKind::Name(name), span }) => uses.push((home, name, *span)),
            CodeNode::Expr(_) | CodeNode::Target(_) => {}
        }
    });
    // Who times the copy wants nothing of it: a move is no use.
    let moved: FxHashSet<u32> = moves.iter().map(|(.., span)| span.start).collect();
    let mut last: FxHashMap<(Option<usize>, &str), u32> = FxHashMap::default();
    for (home, name, span) in uses.into_iter().filter(|(.., span)| !moved.contains(&span.start)) {
        let known = last.entry((home, name)).or_default();
        *known = span.start.max(*known);
    }
    let is_used = |(home, name, span): &(Option<usize>, &str, Span)| {
        last.get(&(*home, *name)).is_some_and(|last| *last >= span.end)
    };
    let found = moves.iter().filter(|one| is_used(one)).map(|(_, name, span)| {
        RawFinding::at(scope.place(*span)).word("name", *name).word("text", scope.text(*span))
    });
    found.collect()
}

/// The name of the tensor that an expression moves to a GPU.
fn moved<'c>(scope: &FileScope<'_>, expr: &'c Expr<'_>) -> Option<&'c str> {
    let (object, method, call) = method_of(expr)?;
    let ExprKind::Name(name) = object.kind else { return None };
    let to_gpu = match method {
        "cuda" => true,
        "to" => argument(&call.arguments, Some(0), Some("device"))
            .is_some_and(|device| names_gpu(scope, device, 0)),
        _ => false,
    };
    (to_gpu && (is_tensor_of_tokenizer(scope, object) || is_made_on_cpu(scope, object))).then_some(name)
}

/// Whether a name stands for one of the tensors that a tokenizer gives: `tok(text, return_tensors="pt").input_ids`. What holds all
/// of them moves them where they are, and so does a module.
fn is_tensor_of_tokenizer(scope: &FileScope<'_>, object: &Expr<'_>) -> bool {
    const PARTS: &[&str] = &["attention_mask", "input_ids", "pixel_values", "token_type_ids"];
    let made = scope.names.meant(object);
    let whole = match &made.kind {
        ExprKind::Attribute(whole, name) if PARTS.contains(name) => Some(&**whole),
        ExprKind::Item(item) => {
            matches!(&item.1.kind, ExprKind::Text(name) if PARTS.contains(&&**name)).then_some(&item.0)
        }
        ExprKind::Call(call) if matches!(call.callee.kind, ExprKind::Attribute(_, "encode")) => Some(made),
        _ => None,
    };
    let Some(ExprKind::Call(call)) = whole.map(|whole| &scope.names.meant(whole).kind) else { return false };
    let given = argument(&call.arguments, None, Some("return_tensors"));
    matches!(given.map(|given| &given.kind), Some(ExprKind::Text(kind)) if kind == "pt")
}

/// Whether a name stands for a tensor that a function of torch makes on the CPU.
fn is_made_on_cpu(scope: &FileScope<'_>, object: &Expr<'_>) -> bool {
    makes_on_cpu(scope, scope.names.meant(object))
}

/// Whether a function of torch makes a tensor on the CPU here.
pub(super) fn makes_on_cpu(scope: &FileScope<'_>, made: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &made.kind else { return false };
    let is_maker =
        path(scope, &call.callee).strip_prefix("torch.").is_some_and(|name| MAKERS.contains(&name));
    is_maker && !is_told_device(call)
}

fn is_told_device(call: &Call<'_>) -> bool {
    call.arguments.iter().any(|one| one.unpacked) || argument(&call.arguments, None, Some("device")).is_some()
}
