//! Buffers of a module that it makes anew of themselves: `self.mean = self.mean * 0.9 + mean * 0.1` chains the graph of each
//! step to that of the step before.

use super::{is_for_torch, is_without_graph, part_with_graph, terms, text_of_target};
use crate::code::walk::{Ancestor, Part, walk, within_function};
use crate::code::{Class, Expr, ExprKind, StepKind, Target};
use crate::rules::analyses::gradients::are_off;
use crate::rules::analyses::memory::{method_of, path};
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashSet;

/// Updates of buffers in `forward`, with what has a graph wherever the module is used.
pub(super) fn with_graphs(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !scope.whole_text().contains("register_buffer(") || !is_for_torch(scope.whole_text()) {
        return Vec::new();
    }
    let classes = scope.code.classes.iter().enumerate();
    classes.flat_map(|(number, class)| in_class(scope, number, class)).collect()
}

fn in_class(scope: &FileScope<'_>, number: usize, class: &Class<'_>) -> Vec<RawFinding> {
    let (buffers, layers) = members(scope, number);
    // What comes to a normalisation of batches has gone through layers before.
    let is_batch_norm = class.bases.iter().any(|base| scope.text(base.span).contains("BatchNorm"));
    if buffers.is_empty() || (layers.is_empty() && !is_batch_norm) {
        return Vec::new();
    }
    let mut off: FxHashSet<usize> = FxHashSet::default();
    let mut made: FxHashSet<String> = FxHashSet::default();
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let Part::Step(step) = part else { return };
        if let StepKind::Define { function, decorators } = &step.kind
            && decorators.iter().any(|one| are_off(scope, one))
        {
            off.insert(*function);
        }
        let (Some(function), within) = within_function(around) else { return };
        let is_here = around.iter().any(|one| matches!(one, Ancestor::Class(it) if *it == number))
            && scope.code.functions[function].name == "forward"
            && !off.contains(&function);
        if !is_here || is_without_graph(scope, within) {
            return;
        }
        let (target, value, updates) = match &step.kind {
            StepKind::Assign { targets, value: Some(value), .. } => match &targets[..] {
                [target] => (target, value, false),
                _ => return,
            },
            StepKind::Update { target, value, .. } => (target, value, true),
            _ => return,
        };
        let Some(name) = text_of_target(scope, target) else { return };
        let parameters = &scope.code.functions[function].parameters;
        let has_graph = |one: &Expr<'_>| match &one.kind {
            ExprKind::Name(known) => {
                made.contains(*known)
                    || (is_batch_norm && parameters.iter().skip(1).any(|parameter| parameter.name == *known))
            }
            ExprKind::Call(call) => layers.contains(scope.text(call.callee.span)),
            ExprKind::Attribute(..) => layers.contains(scope.text(one.span)),
            _ => false,
        };
        let with_graph = part_with_graph(scope, value, &has_graph);
        if !buffers.contains(&name) {
            match with_graph {
                Some(_) => made.insert(name),
                None if updates => false,
                None => made.remove(&name),
            };
        } else if let Some(part) = with_graph.filter(|_| updates || terms(scope, value).contains(&name)) {
            let value = scope.text(part.span);
            found.push(RawFinding::at(scope.place(part.span)).word("total", name).word("value", value));
        }
    });
    found
}

/// The buffers of a class, and its layers and parameters that an optimizer trains, each as `self.name`.
fn members(scope: &FileScope<'_>, number: usize) -> (FxHashSet<String>, FxHashSet<String>) {
    const LAYERS: &[&str] = &[
        "Bilinear",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose1d",
        "ConvTranspose2d",
        "ConvTranspose3d",
        "Embedding",
        "GRU",
        "LSTM",
        "Linear",
        "MultiheadAttention",
        "Parameter",
        "RNN",
    ];
    let (mut buffers, mut layers) = (FxHashSet::default(), FxHashSet::default());
    walk(scope.code, &mut |part, around| {
        if !around.iter().any(|one| matches!(one, Ancestor::Class(it) if *it == number)) {
            return;
        }
        match part {
            Part::Expr(expr) => {
                let Some((object, "register_buffer", call)) = method_of(expr) else { return };
                let name = call.arguments.first().map(|argument| &argument.value.kind);
                if let (ExprKind::Name("self"), Some(ExprKind::Text(name))) = (&object.kind, name) {
                    buffers.insert(format!("self.{name}"));
                }
            }
            Part::Step(step) => {
                let StepKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
                let ([target @ Target::Attribute(..)], ExprKind::Call(call)) = (&targets[..], &value.kind)
                else {
                    return;
                };
                let layer = path(scope, &call.callee).strip_prefix("torch.nn.");
                let is_trained = !scope.text(value.span).contains("requires_grad=False");
                if layer.is_some_and(|layer| LAYERS.contains(&layer)) && is_trained {
                    layers.extend(text_of_target(scope, target));
                }
            }
            Part::Target(_) => {}
        }
    });
    (buffers, layers)
}
