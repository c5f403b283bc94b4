//! Checkpoints that are loaded onto the GPU, and stay there beside the model while it trains.

use super::gpu_values::names_gpu;
use super::memory::method_of;
use crate::code::walk::{CodeNode, walk, within_function};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What one function, or the module outside of all, does in which order.
#[derive(Default)]
struct Steps<'s> {
    loads: Vec<(&'s str, Span)>,
    /// Where a name gets another value, or none.
    ends: Vec<(&'s str, Span)>,
    /// `optimizer.load_state_dict(checkpoint["optimizer"])`, with all that is handed over.
    restores: Vec<(String, Span)>,
    trains: Vec<Span>,
}

/// `checkpoint = torch.load(path, map_location="cuda")` in the function that resumes a training and goes on with it.
pub(super) fn beside_training(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let trainers: Vec<&str> = scope
        .code
        .functions
        .iter()
        .filter(|function| scope.text(function.span).contains(".backward("))
        .map(|function| function.name)
        .collect();
    let mut homes: Vec<(Option<usize>, Steps<'_>)> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let (home, _) = within_function(around);
        let at = homes.iter().position(|(known, _)| *known == home).unwrap_or_else(|| {
            homes.push((home, Steps::default()));
            homes.len() - 1
        });
        let steps = &mut homes[at].1;
        match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    let named = targets.iter().filter_map(|target| match target {
                        Target::Name(name, _) => Some(*name),
                        _ => None,
                    });
                    for name in named {
                        let known =
                            if is_loaded_to_gpu(scope, value) { &mut steps.loads } else { &mut steps.ends };
                        known.push((name, step.span));
                    }
                }
                StatementKind::Delete(targets) => {
                    steps.ends.extend(targets.iter().filter_map(|target| match target {
                        Target::Name(name, _) => Some((*name, step.span)),
                        _ => None,
                    }));
                }
                _ => {}
            },
            CodeNode::Expr(expr) => {
                let Some((object, method, call)) = method_of(expr) else {
                    if let ExprKind::Call(call) = &expr.kind
                        && matches!(call.callee.kind, ExprKind::Name(name) if trainers.contains(&name))
                    {
                        steps.trains.push(expr.span);
                    }
                    return;
                };
                if method == "backward" {
                    steps.trains.push(expr.span);
                } else if method == "load_state_dict"
                    && scope.text(object.span).contains("optim")
                    && let Some(state) = call.arguments.first()
                {
                    steps.restores.push((scope.text(state.value.span).to_owned(), expr.span));
                }
            }
            CodeNode::Target(_) => {}
        }
    });
    let mut found = Vec::new();
    for (_, steps) in &homes {
        for (name, load) in &steps.loads {
            let is_of_it = |text: &str| {
                text.starts_with(name)
                    && !text[name.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
            };
            let restored = steps.restores.iter().find(|(text, span)| span.start > load.end && is_of_it(text));
            let Some((_, restored)) = restored else { continue };
            let Some(trains) = steps.trains.iter().find(|span| span.start > restored.end) else { continue };
            // Also where it ends inside of the training, another place ends it.
            if steps.ends.iter().any(|(ended, span)| ended == name && span.start > load.end) {
                continue;
            }
            let seen = RawFinding::at(scope.place(*load)).word("name", *name);
            found.push(seen.beside(scope.place(*trains), "the training goes on here"));
        }
    }
    found
}

/// `torch.load(path, map_location=device)`, where the device may be a GPU.
fn is_loaded_to_gpu(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    scope.names.path(&call.callee) == Some("torch.load")
        && argument(&call.arguments, Some(1), Some("map_location"))
            .is_some_and(|device| names_gpu(scope, device, 0))
}
