//! Weights of a loss function that stay on the CPU, where what it is called with is on the GPU.

use super::dropped_moves::makes_on_cpu;
use super::gpu_values::{SET_DEFAULT, is_on_gpu_in};
use super::unmoved_tensors::{is_cpu_tensor, is_module};
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Loss functions with weights: the positions of those that are tensors.
const LOSSES: &[(&str, Option<usize>)] = &[
    ("torch.nn.BCELoss", Some(0)),
    ("torch.nn.BCEWithLogitsLoss", Some(0)),
    ("torch.nn.CrossEntropyLoss", Some(0)),
    ("torch.nn.MultiLabelSoftMarginLoss", Some(0)),
    ("torch.nn.MultiMarginLoss", None),
    ("torch.nn.NLLLoss", Some(0)),
];

/// Those whose `weight` is a list with one number for each class.
const FOR_CLASSES: &[&str] = &["torch.nn.CrossEntropyLoss", "torch.nn.MultiMarginLoss", "torch.nn.NLLLoss"];

/// `criterion = CrossEntropyLoss(weight=torch.tensor([…]))` and `criterion(out, y.to(device))`.
pub(super) fn left_on_cpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut made: Vec<(&str, Span, Span)> = Vec::new();
    let mut called: Vec<(&str, Span, &Call<'_>, Option<usize>)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let [target] = targets.as_slice() else { return };
            let Some(weights) = weights_of(scope, value) else { return };
            let in_module = around.iter().any(|one| match one {
                Ancestor::Class(number) => is_module(scope, &scope.code.classes[*number]),
                _ => false,
            });
            match target {
                Target::Name(name, _) => made.push((name, step.span, weights)),
                // A module moves the losses that are its attributes.
                Target::Attribute(object, name) if !in_module => {
                    let end = object.span.end + name.len() as u32 + 1;
                    let text = scope.text(Span { start: object.span.start, end });
                    made.push((text, step.span, weights));
                }
                _ => {}
            }
        }
        CodeNode::Expr(expr) => {
            let ExprKind::Call(call) = &expr.kind else { return };
            let home = functions_around(around).next_back();
            called.push((scope.text(call.callee.span), expr.span, call, home));
        }
        CodeNode::Target(_) => {}
    });
    let text = scope.whole_text();
    let mut found = Vec::new();
    for (name, _, weights) in &made {
        let is_moved = [".to(", ".cuda("].iter().any(|moves| text.contains(&format!("{name}{moves}")));
        let is_again = made.iter().filter(|(other, ..)| other == name).count() > 1;
        if is_moved || is_again {
            continue;
        }
        let is_called = |(callee, _, call, home): &&(&str, Span, &Call<'_>, Option<usize>)| {
            callee == name && call.arguments.iter().any(|one| is_on_gpu_in(scope, *home, &one.value))
        };
        if let Some((_, call, ..)) = called.iter().find(is_called) {
            let raw_finding = RawFinding::at(scope.place(*weights)).word("text", scope.text(*weights));
            let raw_finding = raw_finding.word("name", *name);
            found.push(raw_finding.beside(scope.place(*call), "it is called with what is on the GPU here"));
        }
    }
    if found.is_empty() || scope.program.has_any(SET_DEFAULT) { Vec::new() } else { found }
}

/// The weights on the CPU that a loss function is made with.
fn weights_of(scope: &FileScope<'_>, value: &Expr<'_>) -> Option<Span> {
    let ExprKind::Call(call) = &value.kind else { return None };
    let path = scope.names.path(&call.callee)?;
    let (_, position) = LOSSES.iter().find(|(name, _)| *name == path)?;
    let given = [(*position, "weight"), (None, "pos_weight")];
    let on_cpu = |expr: &Expr<'_>| is_cpu_tensor(scope, expr, 0) || is_old_tensor(scope, expr);
    let weights =
        given.into_iter().filter_map(|(at, name)| Some((name, argument(&call.arguments, at, Some(name))?)));
    // There is one for each class: `torch.tensor(class_weights)` has several, whatever it is made of.
    let for_classes = |name: &str| name == "weight" && FOR_CLASSES.contains(&path);
    let mut left = weights.filter(|(name, expr)| {
        on_cpu(expr) || for_classes(name) && makes_on_cpu(scope, scope.names.meant(expr))
    });
    left.next().map(|(_, expr)| expr.span)
}

/// `torch.FloatTensor([1.0, 2.0])`
fn is_old_tensor(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &scope.names.meant(expr).kind else { return false };
    matches!(scope.names.path(&call.callee), Some("torch.FloatTensor" | "torch.Tensor" | "torch.from_numpy"))
}
