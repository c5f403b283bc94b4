//! What the steps of a Lightning module return before version 2.0: where the epoch has a hook at its end, all of it is kept until
//! then.

use crate::code::walk::{Ancestor, CodeNode, walk_block};
use crate::code::{Class, Expr, ExprKind, Function, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// A step, what may make something else of what it returned, and the hook that gets that of all steps of an epoch.
const HOOKS: &[(&str, &str, &str)] = &[
    ("training_step", "training_step_end", "training_epoch_end"),
    ("validation_step", "validation_step_end", "validation_epoch_end"),
    ("test_step", "test_step_end", "test_epoch_end"),
];

/// Keys of what is small: one number for each step.
const SMALL: &[&str] =
    &["loss", "log", "acc", "metric", "score", "count", "size", "num", "n_", "epoch", "step"];

/// Steps that return whole batches beside the loss.
pub(super) fn that_keep_batches(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for class in &scope.code.classes {
        for (step, end, hook) in HOOKS {
            let (Some(step), Some(_)) = (method(scope, class, step), method(scope, class, hook)) else {
                continue;
            };
            if returns_another(scope, class, end) {
                continue;
            }
            for (span, key) in returned(scope, step) {
                let raw_finding =
                    RawFinding::at(scope.place(span)).word("name", step.name).word("value", key);
                found.push(raw_finding.word("replacement", *hook));
            }
        }
    }
    found
}

fn method<'a>(scope: &'a FileScope<'_>, class: &Class<'_>, name: &str) -> Option<&'a Function<'a>> {
    let mut defined = class.body.iter().filter_map(|step| match &step.kind {
        StatementKind::Define { function, .. } => scope.code.functions.get(*function),
        _ => None,
    });
    defined.find(|function| function.name == name)
}

/// Where a step returns a dictionary that holds a batch, and under which key.
fn returned(scope: &FileScope<'_>, step: &Function<'_>) -> Vec<(Span, String)> {
    let mut found = Vec::new();
    walk_block(scope.code, &step.body, &mut |part, around| {
        let inner = around.iter().any(|one| matches!(one, Ancestor::Function(_)));
        let CodeNode::Statement(returns) = part else { return };
        let StatementKind::Return(Some(value)) = &returns.kind else { return };
        let ExprKind::Mapping(items) = &scope.names.meant(value).kind else { return };
        let large = items.iter().find_map(|(key, value)| match &key.as_ref()?.kind {
            ExprKind::Text(key) if may_be_batch(key, value) && !is_number(step, value) => {
                Some(key.to_string())
            }
            _ => None,
        });
        found.extend(large.filter(|_| !inner).map(|key| (returns.span, key)));
    });
    found
}

/// Whether a method at the end of a step returns a dictionary of its own in the place of what it is given.
fn returns_another(scope: &FileScope<'_>, class: &Class<'_>, name: &str) -> bool {
    let Some(end) = method(scope, class, name) else { return false };
    let given: Vec<&str> = end.parameters.iter().map(|one| one.name).collect();
    let mut others = false;
    walk_block(scope.code, &end.body, &mut |part, _| {
        let CodeNode::Statement(returns) = part else { return };
        let StatementKind::Return(Some(value)) = &returns.kind else { return };
        others |= !matches!(value.kind, ExprKind::Name(name) if given.contains(&name));
    });
    others
}

/// Whether a value is the number of the batch, which Lightning hands to a step behind the batch itself.
fn is_number(step: &Function<'_>, value: &Expr<'_>) -> bool {
    let behind_batch = step.parameters.iter().skip(2);
    matches!(value.kind, ExprKind::Name(name) if behind_batch.clone().any(|one| one.name == name))
}

/// Whether a value under a key may be as large as the batch, and lie on the GPU.
fn may_be_batch(key: &str, value: &Expr<'_>) -> bool {
    let key = key.to_lowercase();
    let is_name = matches!(value.kind, ExprKind::Name(_));
    is_name && !SMALL.iter().any(|small| key.contains(small))
}
