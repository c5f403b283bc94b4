//! Outputs of a model that an object keeps for a second question, each with the graph of its call.

use super::memory::method_of;
use crate::code::walk::{CodeNode, functions_around, walk, walk_block};
use crate::code::{Comparison, Expr, ExprKind, Statement, StatementKind, Target};
use crate::rules::files::{FileScope, RawFinding};

/// Words of a file that gives the graph up, or needs it.
const WITHOUT: &[&str] = &[
    "no_grad",
    "inference_mode",
    "set_grad_enabled",
    ".detach(",
    "backward",
    "requires_grad",
    ".clear()",
    "grad(",
];

/// Names of what is called as a model.
const MODELS: &[&str] = &["model", "net", "network", "encoder", "backbone", "extractor", "feature_extractor"];

/// `if key not in self.cache: self.cache[key] = self.model(x)`
pub(super) fn that_keep_graphs(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if !text.contains("torch") || WITHOUT.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Statement(Statement {
            kind: StatementKind::Assign { targets, value, .. }, span, ..
        }) = part
        else {
            return;
        };
        let ([Target::Item(pair)], Some(value)) = (&targets[..], value) else { return };
        let ExprKind::Attribute(owner, _) = &pair.0.kind else { return };
        let of_self = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Name("self"));
        let is_model = match &scope.names.meant(value).kind {
            ExprKind::Call(call) => match &call.callee.kind {
                ExprKind::Attribute(object, name) => of_self(object) && MODELS.contains(name),
                _ => false,
            },
            _ => false,
        };
        let kept = scope.text(pair.0.span);
        let home = functions_around(around).next_back();
        let is_asked = || home.is_some_and(|home| asks_for_key(scope, home, kept));
        if of_self(owner) && is_model && is_asked() && goes_to_gpu(scope) {
            found.push(RawFinding::at(scope.place(*span)).word("kept", kept));
        }
    });
    found
}

/// Whether a function asks what is there already, which is not made again then: `if key in self.cache:`
fn asks_for_key(scope: &FileScope<'_>, function: usize, kept: &str) -> bool {
    let mut asks = false;
    walk_block(scope.code, &scope.code.functions[function].body, &mut |part, _| {
        if let CodeNode::Expr(Expr { kind: ExprKind::Compare(how, sides), .. }) = part {
            asks |= matches!(how, Comparison::In | Comparison::NotIn) && scope.text(sides.1.span) == kept;
        }
    });
    asks
}

/// Whether the file moves something to a device.
fn goes_to_gpu(scope: &FileScope<'_>) -> bool {
    let mut moves = false;
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Expr(expr) = part {
            moves |= matches!(method_of(expr), Some((_, "to" | "cuda", _)));
        }
    });
    moves
}
