//! Models with hooks that refer to them, and that are deleted: nothing frees them before the garbage collection.

use super::memory::{collects, empties_cache};
use super::placed_models::quantizes;
use crate::code::walk::{CodeNode, functions_around, walk, walk_block};
use crate::code::{Block, Expr, ExprKind, Statement, StatementKind, Target};
use crate::program::is_spread;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `del model` and `torch.cuda.empty_cache()` behind it, without `gc.collect()` anywhere.
pub(super) fn that_are_not_collected(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut is_collected = false;
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Expr(expr) = part {
            is_collected |= collects(scope, expr);
        }
    });
    if is_collected {
        return Vec::new();
    }
    let mut found = Vec::new();
    let functions = scope.code.functions.iter().map(|function| &function.body);
    for body in functions.chain([&scope.code.body]) {
        let mut models: Vec<&str> = Vec::new();
        walk_block(scope.code, body, &mut |part, around| {
            let CodeNode::Statement(step) = part else { return };
            if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
                && let [Target::Name(name, _)] = &targets[..]
                && functions_around(around).next().is_none()
                && has_hooks(scope, value)
            {
                models.push(name);
            }
        });
        if !models.is_empty() {
            add_held(scope, body, &models, &mut found);
        }
    }
    found
}

/// The places in a block, and in the blocks of its steps, where the cache is emptied behind a model that was deleted.
fn add_held(scope: &FileScope<'_>, block: &Block<'_>, models: &[&str], found: &mut Vec<RawFinding>) {
    let deleted = |step: &Statement<'_>| {
        let StatementKind::Delete(targets) = &step.kind else { return None };
        models.iter().copied().find(|model| targets.iter().any(|target| target.names().contains(model)))
    };
    if let Some((at, model)) = block.iter().enumerate().find_map(|(at, step)| Some((at, deleted(step)?))) {
        let emptied = block[at..].iter().find_map(|step| match &step.kind {
            StatementKind::Evaluate(expr) if empties_cache(scope, expr) => Some(expr.span),
            _ => None,
        });
        found.extend(emptied.map(|span| {
            let raw_finding = RawFinding::at(scope.place(span)).word("model", model);
            raw_finding.beside(scope.place(block[at].span), "the model is deleted here")
        }));
    }
    for inner in block.iter().flat_map(|step| step.kind.blocks()) {
        add_held(scope, inner, models, found);
    }
}

/// A model that accelerate puts on the GPU with hooks: one that bitsandbytes quantises, or that is spread over the cards.
fn has_hooks(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let map = argument(&call.arguments, None, Some("device_map"));
    let is_over_all = map
        .is_some_and(|map| matches!(&scope.names.meant(map).kind, ExprKind::Text(text) if is_spread(text)));
    matches!(call.callee.kind, ExprKind::Attribute(_, "from_pretrained")) && (is_over_all || quantizes(call))
}
