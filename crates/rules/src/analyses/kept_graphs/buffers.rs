//! Buffers of a module that it makes anew of themselves: `self.mean = self.mean * 0.9 + mean * 0.1` chains the graph of each
//! step to that of the step before.

use super::{is_for_torch, is_without_graph, part_with_graph, terms, text_of_target};
use crate::code::walk::{Ancestor, CodeNode, walk, within_function};
use crate::code::{Class, Expr, ExprKind, StatementKind, Target};
use crate::rules::analyses::gradients::are_off;
use crate::rules::analyses::memory::{method_of, path};
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashSet;

/// Updates of buffers in `forward`, with what has a graph wherever the module is used.
pub(super) fn with_graphs(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let has_buffers =
        ["register_buffer(", "running_mean"].iter().any(|word| scope.whole_text().contains(word));
    if !has_buffers || !is_for_torch(scope.whole_text()) {
        return Vec::new();
    }
    let classes = scope.code.classes.iter().enumerate();
    classes.flat_map(|(number, class)| in_class(scope, number, class)).collect()
}

fn in_class(scope: &FileScope<'_>, number: usize, class: &Class<'_>) -> Vec<RawFinding> {
    // What comes to a normalisation of batches has gone through layers before.
    let inherits = class.bases.iter().any(|base| scope.text(base.span).contains("BatchNorm"));
    if !inherits && !scope.whole_text().contains("register_buffer") {
        return Vec::new();
    }
    let (mut buffers, layers) = members(scope, number);
    let is_batch_norm = inherits || class.name.contains("BatchNorm");
    if inherits {
        buffers.extend(["self.running_mean".to_owned(), "self.running_var".to_owned()]);
    }
    if buffers.is_empty() || (layers.is_empty() && !is_batch_norm) {
        return Vec::new();
    }
    let mut off: FxHashSet<usize> = FxHashSet::default();
    let mut made: FxHashSet<String> = FxHashSet::default();
    let mut found = Vec::new();
    scope.each_statement(&mut |step, around| {
        if let StatementKind::Define { function, decorators } = &step.kind
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
        let parameters = &scope.code.functions[function].parameters;
        let mut note = |name: String, value: &Expr<'_>, updates: bool| {
            let has_graph = |one: &Expr<'_>| match &one.kind {
                ExprKind::Name(known) => {
                    made.contains(*known)
                        || (is_batch_norm && parameters.iter().skip(1).any(|one| one.name == *known))
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
        };
        match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => match (&targets[..], &value.kind) {
                // `mean, var = x.mean(0), x.var(0)`
                ([Target::Sequence(targets)], ExprKind::Sequence(values))
                    if targets.len() == values.len() =>
                {
                    for (target, value) in targets.iter().zip(values) {
                        text_of_target(scope, target).into_iter().for_each(|name| note(name, value, false));
                    }
                }
                ([target], _) => {
                    text_of_target(scope, target).into_iter().for_each(|name| note(name, value, false));
                }
                _ => {}
            },
            StatementKind::Update { target, value, .. } => {
                text_of_target(scope, target).into_iter().for_each(|name| note(name, value, true));
            }
            // `self.mean.mul_(0.9).add_(mean * 0.1)`
            StatementKind::Evaluate(value) => {
                if let Some((object, "add_" | "sub_" | "lerp_", call)) = method_of(value)
                    && let Some(given) = call.arguments.first()
                {
                    let object = match method_of(object) {
                        Some((inner, "mul_" | "div_", _)) => inner,
                        _ => object,
                    };
                    note(scope.text(object.span).to_owned(), &given.value, true);
                }
            }
            _ => {}
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
            CodeNode::Expr(expr) => {
                let Some((object, "register_buffer", call)) = method_of(expr) else { return };
                let name = call.arguments.first().map(|argument| &argument.value.kind);
                if let (ExprKind::Name("self"), Some(ExprKind::Text(name))) = (&object.kind, name) {
                    buffers.insert(format!("self.{name}"));
                }
            }
            CodeNode::Statement(step) => {
                let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
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
            CodeNode::Target(_) => {}
        }
    });
    (buffers, layers)
}
