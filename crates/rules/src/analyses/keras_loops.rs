//! Models of Keras that are made in the turns of a loop, each beside the state of those before.

use super::memory::function_named;
use crate::code::walk::{Ancestor, CodeNode, walk_block, within_function};
use crate::code::{Block, Call, Expr, ExprKind, StatementKind, Target};
use crate::rules::files::{FileScope, RawFinding};

/// What makes a model.
const MAKERS: &[&str] =
    &["Model", "Sequential", "clone_model", "load_model", "model_from_config", "model_from_json"];

/// A list that is written there with so many elements makes few models.
const FEW: usize = 3;

/// `model = keras.Sequential(…)` in each turn of a loop, in a file that never clears the session.
pub(super) fn without_clearing(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // What is run in a process of its own leaves nothing behind.
    const CLEARING: &[&str] =
        &["clear_session", "reset_default_graph", "multiprocessing", "subprocess", "torch"];
    let text = scope.whole_text();
    if CLEARING.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut found = in_trials(scope);
    scope.each_statement(&mut |step, around| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let [Target::Name(name, _)] = targets.as_slice() else { return };
        let ExprKind::Call(call) = &value.kind else { return };
        let (_, around) = within_function(around);
        let Some(at) = around.iter().rposition(|one| matches!(one, Ancestor::Loop(_))) else { return };
        let Ancestor::Loop(turn) = around[at] else { return };
        let in_each = around[at + 1..].iter().all(|one| matches!(one, Ancestor::With(_) | Ancestor::Try(_)));
        let body = match &turn.kind {
            StatementKind::For { iterable, body, .. } if !is_few(scope, iterable) => body,
            StatementKind::While { body, .. } => body,
            _ => return,
        };
        let makes = makes_model(scope, call) || builds(scope, &value.kind);
        if in_each && makes && !is_kept(scope, body, name) {
            found.push(RawFinding::at(scope.place(value.span)).word("text", text_of(scope, call)));
        }
    });
    found
}

fn text_of(scope: &FileScope<'_>, call: &Call<'_>) -> String {
    scope.text(call.callee.span).to_owned()
}

fn makes_model(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let Some(path) = scope.names.path(&call.callee) else { return false };
    let rest = ["tensorflow.keras.", "keras.", "tf_keras."].iter().find_map(|root| path.strip_prefix(root));
    rest.is_some_and(|rest| MAKERS.contains(&rest.strip_prefix("models.").unwrap_or(rest)))
}

/// `build()`, of a function of the file that makes a model and returns it.
fn builds(scope: &FileScope<'_>, value: &ExprKind<'_>) -> bool {
    let ExprKind::Call(call) = value else { return false };
    let ExprKind::Name(name) = call.callee.kind else { return false };
    let Some(function) = function_named(scope, name) else { return false };
    let mut made: Option<&str> = None;
    let mut returned = false;
    walk_block(scope.code, &function.body, &mut |part, _| {
        let CodeNode::Statement(step) = part else { return };
        match &step.kind {
            StatementKind::Assign {
                targets, value: Some(Expr { kind: ExprKind::Call(call), .. }), ..
            } => {
                if let [Target::Name(name, _)] = targets.as_slice()
                    && makes_model(scope, call)
                {
                    made = Some(name);
                }
            }
            StatementKind::Return(Some(value)) => {
                returned |= match &value.kind {
                    ExprKind::Name(name) => made == Some(name),
                    ExprKind::Call(call) => makes_model(scope, call),
                    _ => false,
                };
            }
            _ => {}
        }
    });
    returned
}

/// `study.optimize(objective)` of Optuna, whose function makes a model in each trial.
fn in_trials(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !scope.whole_text().contains("optuna") {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let ExprKind::Attribute(_, "optimize") = call.callee.kind else { return };
        let Some(ExprKind::Name(name)) = call.arguments.first().map(|one| &one.value.kind) else { return };
        let Some(function) = function_named(scope, name) else { return };
        for step in &function.body {
            if let StatementKind::Assign { value: Some(value), .. } = &step.kind
                && let ExprKind::Call(call) = &value.kind
                && (makes_model(scope, call) || builds(scope, &value.kind))
            {
                found.push(RawFinding::at(scope.place(value.span)).word("text", text_of(scope, call)));
                return;
            }
        }
    });
    found
}

/// `for size in (8, 16)`, `for _ in range(2)`
fn is_few(scope: &FileScope<'_>, iterable: &Expr<'_>) -> bool {
    match &scope.names.meant(iterable).kind {
        ExprKind::Sequence(elements) => elements.len() <= FEW,
        ExprKind::Call(call) => {
            let is_range = scope.names.path(&call.callee) == Some("builtins.range");
            let [only] = call.arguments.as_slice() else { return false };
            is_range && matches!(only.value.kind, ExprKind::Int(count) if count <= FEW as i64)
        }
        _ => false,
    }
}

/// Whether the model is handed to something that keeps it: `models.append(model)`, `models[name] = model`, `yield model`.
fn is_kept(scope: &FileScope<'_>, body: &Block<'_>, name: &str) -> bool {
    let is_it = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Name(used) if used == name);
    let mut kept = false;
    walk_block(scope.code, body, &mut |part, _| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } if is_it(value) => {
                kept |= targets.iter().any(|target| !matches!(target, Target::Name(..)));
            }
            StatementKind::Return(Some(_)) => kept = true,
            _ => {}
        },
        CodeNode::Expr(expr) => match &expr.kind {
            ExprKind::Call(call) => {
                let adds = matches!(
                    call.callee.kind,
                    ExprKind::Attribute(_, "append" | "extend" | "add" | "insert" | "put")
                );
                kept |= adds && call.arguments.iter().any(|one| mentions(&one.value, name));
            }
            ExprKind::Yield(_) => kept = true,
            _ => {}
        },
        CodeNode::Target(_) => {}
    });
    kept
}

/// Whether the name stands in a value, as it is or in a tuple.
fn mentions(value: &Expr<'_>, name: &str) -> bool {
    match &value.kind {
        ExprKind::Name(used) => *used == name,
        ExprKind::Sequence(parts) => parts.iter().any(|part| mentions(part, name)),
        _ => false,
    }
}
