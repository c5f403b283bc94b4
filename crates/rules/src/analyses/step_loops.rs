//! Loops that run a model once for each batch, and what they do needlessly in each step.

use super::memory::{called, empties_cache, method_of};
use crate::code::walk::{Ancestor, CodeNode, walk, walk_block};
use crate::code::{Block, Expr, Statement, StatementKind, Target};
use crate::rules::files::{FileScope, RawFinding};

/// `empty_cache()` in every step of a loop, whatever happens in it.
pub(super) fn that_empty_the_cache(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        if !empties_cache(scope, expr) {
            return;
        }
        let (_, around) = crate::code::walk::within_function(around);
        let Some(at) = around.iter().rposition(|one| matches!(one, Ancestor::Loop(_))) else { return };
        let Ancestor::Loop(step) = around[at] else { return };
        let unconditional = around[at + 1..].iter().all(|one| is_in_each_step(scope, one));
        if unconditional && runs_steps(scope, step) && !skips_some(scope, step) {
            found.push(RawFinding::at(scope.place(expr.span)).word("text", scope.text(expr.span)));
        }
    });
    found
}

/// Whether code with this around it runs in each turn of its loop, on a machine with a GPU.
fn is_in_each_step(scope: &FileScope<'_>, around: &Ancestor<'_, '_>) -> bool {
    match around {
        Ancestor::Then(test) => {
            let text = scope.text(test.span);
            let asks_for_gpu = ["is_available", "cuda", "gpu", "device"]
                .iter()
                .any(|word| text.to_ascii_lowercase().contains(word));
            let depends = ["%", "memory", "step", "iter", "update", "idx", "== 0", "== 1", ">", "<"];
            asks_for_gpu && !depends.iter().any(|word| text.contains(word))
        }
        Ancestor::Otherwise(_)
        | Ancestor::Handler(..)
        | Ancestor::Comprehension(_)
        | Ancestor::TryElse(_) => false,
        _ => true,
    }
}

/// Whether the turns of a loop are steps: batches, not epochs, models or measurements.
fn runs_steps(scope: &FileScope<'_>, step: &Statement<'_>) -> bool {
    let (body, head) = match &step.kind {
        StatementKind::For { target, iterable, body, .. } => {
            let target = match target {
                Target::Name(name, _) => (*name).to_owned(),
                Target::Sequence(parts) => names_in(parts),
                _ => String::new(),
            };
            (body, format!("{target} {}", scope.text(iterable.span)).to_ascii_lowercase())
        }
        StatementKind::While { body, .. } => (body, String::new()),
        _ => return false,
    };
    let mut trains = false;
    let mut apart = false;
    walk_block(scope.code, body, &mut |part, around| {
        if let CodeNode::Statement(Statement {
            kind: StatementKind::Assign { targets, value: Some(value), .. },
            ..
        }) = part
        {
            apart |=
                targets.iter().any(|target| names_model(target)) && makes_something(scope, value, targets);
        }
        let CodeNode::Expr(expr) = part else { return };
        let inner = around.iter().any(|one| matches!(one, Ancestor::Loop(_) | Ancestor::Function(_)));
        let name = method_of(expr).map_or("", |(_, name, _)| name);
        trains |= !inner && (name == "backward" || is_optimizer_step(scope, expr));
        apart |= loads_a_model(scope, expr, name) || name.starts_with("reset_peak_memory");
    });
    const OUTER: &[&str] = &[
        "epoch",
        "fold",
        "model",
        "seed",
        "trial",
        "config",
        "experiment",
        "run",
        "layer",
        "sizes",
        "batch_size",
        "checkpoint",
        "dtype",
        "device",
        "length",
        "phase",
    ];
    const INNER: &[&str] =
        &["loader", "batch", "dataset", "chunk", "frames", "images", "samples", "prompts", "iterations"];
    let has = |words: &[&str]| words.iter().any(|word| head.contains(word));
    !apart && (trains || (has(INNER) && !has(OUTER) && !has_inner_steps(scope, body)))
}

fn names_model(target: &Target<'_>) -> bool {
    match target {
        Target::Name(name, _) => ["model", "pipe", "network"].iter().any(|word| name.contains(word)),
        Target::Sequence(parts) => parts.iter().any(names_model),
        _ => false,
    }
}

/// Whether a value is made here, and is not what the name stood for before: `model = model.cuda()`.
fn makes_something(scope: &FileScope<'_>, value: &Expr<'_>, targets: &[Target<'_>]) -> bool {
    let text = scope.text(value.span);
    let again = |target: &Target<'_>| matches!(target, Target::Name(name, _) if text.contains(name));
    method_of(value).is_none_or(|(_, name, _)| !["train", "eval"].contains(&name))
        && super::memory::call_of(value).is_some()
        && !targets.iter().any(again)
}

/// An `if step % 10: continue` before it makes it rare.
fn skips_some(scope: &FileScope<'_>, step: &Statement<'_>) -> bool {
    let (StatementKind::For { body, .. } | StatementKind::While { body, .. }) = &step.kind else {
        return false;
    };
    body.iter().any(|step| match &step.kind {
        StatementKind::Branch { test, then, .. } => {
            scope.text(test.span).contains('%')
                && then.iter().any(|step| matches!(step.kind, StatementKind::Continue))
        }
        _ => false,
    })
}

fn names_in(targets: &[Target<'_>]) -> String {
    let names = targets.iter().filter_map(|target| match target {
        Target::Name(name, _) => Some(*name),
        _ => None,
    });
    names.collect::<Vec<_>>().join(" ")
}

fn is_optimizer_step(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    method_of(expr).is_some_and(|(object, name, _)| {
        let text = scope.text(object.span).to_ascii_lowercase();
        name == "step" && (text.contains("optim") || text.contains("scaler") || text == "opt")
    })
}

fn loads_a_model(scope: &FileScope<'_>, expr: &Expr<'_>, method: &str) -> bool {
    const LOADING: &[&str] = &["from_pretrained", "load_checkpoint", "load_model", "load_state_dict"];
    let path = called(scope, expr);
    let last = path.rsplit('.').next().unwrap_or_default();
    LOADING.contains(&method) || LOADING.contains(&last) || path == "torch.load"
}

/// Whether a loop that has no step of its own holds one that has.
fn has_inner_steps(scope: &FileScope<'_>, body: &Block<'_>) -> bool {
    let mut found = false;
    walk_block(scope.code, body, &mut |part, _| {
        if let CodeNode::Statement(step) = part
            && matches!(step.kind, StatementKind::For { .. } | StatementKind::While { .. })
        {
            found |= runs_steps(scope, step);
        }
    });
    found
}
