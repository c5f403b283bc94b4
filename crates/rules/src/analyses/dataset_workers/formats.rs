//! Datasets that make tensors on a GPU where an item is taken: `dataset.with_format("torch", device="cuda")`, and those of PyTorch
//! Geometric that hold all their graphs there: `dataset.data = dataset.data.to("cuda")`.

use super::super::cuda_calls::{moves_to_gpu, names_gpu};
use super::super::given_arguments::parameter_behind;
use super::super::memory::method_of;
use super::Loader;
use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;
use rustc_hash::FxHashMap;

/// Loaders of this file whose dataset is told to put what it hands out on a GPU: where, and by which method.
pub(super) fn on_gpu<'l>(loaders: &'l [Loader], scope: &FileScope<'_>) -> Vec<(&'l Loader, (Span, String))> {
    let mut found = Vec::new();
    let has_graphs = scope.whole_text().contains("torch_geometric");
    if !has_graphs && !scope.whole_text().contains("_format(") {
        return found;
    }
    let loaders = loaders.iter().filter(|loader| loader.place.file == scope.file);
    let loaders: FxHashMap<Span, &Loader> = loaders.map(|loader| (loader.place.span, loader)).collect();
    // `dataset.set_format(…)` changes the dataset, `with_format` makes another one.
    let mut changed: Vec<(Option<usize>, &str, Span, &str)> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let home = functions_around(around).next_back();
        if let CodeNode::Statement(step) = part {
            let moved = graphs_moved(scope, step).filter(|_| has_graphs);
            return changed.extend(moved.map(|(name, at, by)| (home, name, at, by)));
        }
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), span }) = part else { return };
        if let Some(object) = formatted(scope, expr, "set_format") {
            changed.push((home, scope.text(object.span), *span, ".set_format"));
        }
        let Some(loader) = loaders.get(span) else { return };
        let Some(dataset) = argument(&call.arguments, Some(0), Some("dataset")) else { return };
        let made = scope.names.meant(dataset);
        if formatted(scope, made, "with_format").is_some() {
            found.push((*loader, (made.span, ".with_format".to_owned())));
            return;
        }
        let name = scope.text(dataset.span);
        // A name of another function is another dataset; one of the module, and what an object keeps, is the same.
        let is_here = |one: &Option<usize>| {
            *one == home
                || name.starts_with("self.")
                || one.is_none() && parameter_behind(scope, name, dataset.span).is_none()
        };
        let last = changed.iter().rev().find(|(home, known, ..)| *known == name && is_here(home));
        if let Some((.., at, by)) = last {
            found.push((*loader, (*at, (*by).to_owned())));
        }
    });
    found
}

/// `dataset.data = dataset.data.to(device)`: each graph is a part of what lies on the GPU.
fn graphs_moved<'s>(scope: &FileScope<'s>, step: &Statement<'_>) -> Option<(&'s str, Span, &'static str)> {
    let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return None };
    let [Target::Attribute(dataset, "data" | "_data")] = &targets[..] else { return None };
    let (_, method, call) = method_of(value)?;
    moves_to_gpu(method, call, scope).then(|| (scope.text(dataset.span), value.span, ".to"))
}

/// The dataset that a call gives a format on a GPU.
fn formatted<'c>(scope: &FileScope<'_>, expr: &'c Expr<'c>, method: &str) -> Option<&'c Expr<'c>> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let ExprKind::Attribute(object, name) = &call.callee.kind else { return None };
    let device = argument(&call.arguments, None, Some("device"))?;
    (*name == method && names_gpu(device, scope, 0)).then_some(object)
}
