//! Where gradients are off: `torch.no_grad()`, `torch.inference_mode()` and their relatives; and loops that run a
//! model in evaluation mode without them.

use super::memory::{called, method_of, path};
use crate::code::walk::{Around, Part, walk, walk_block, within_function};
use crate::code::{Expr, ExprKind, Step, StepKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, Sighting};
use rustc_hash::FxHashSet;

/// Whether an item of a `with`, or a decorator, turns gradients off.
pub(super) fn are_off(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    const OFF: &[&str] = &[
        "torch.no_grad",
        "torch.inference_mode",
        "torch.autograd.no_grad",
        "torch.autograd.inference_mode",
        "torch.autograd.grad_mode.no_grad",
        "torch.autograd.grad_mode.inference_mode",
    ];
    let expr = scope.names.meant(expr);
    let path = match &expr.kind {
        ExprKind::Call(call) => {
            let path = path(scope, &call.callee);
            if path.ends_with("set_grad_enabled") {
                return call
                    .arguments
                    .first()
                    .is_some_and(|one| matches!(one.value.kind, ExprKind::Bool(false)));
            }
            path
        }
        ExprKind::Choice(parts) => return are_off(scope, &parts.1) || are_off(scope, &parts.2),
        _ => path(scope, expr),
    };
    // What is chosen by the version of torch, or wrapped by the project, is known by its name.
    let name = scope.text(expr.span);
    OFF.contains(&path)
        || ["no_grad", "inference_mode", "disable_grad"].iter().any(|word| name.contains(word))
}

/// A model that was put into evaluation mode.
struct Evaluated {
    function: Option<usize>,
    model: String,
    span: Span,
    /// `model.train()`: it is no longer so.
    ended: bool,
}

/// The first call of a model in a loop behind `model.eval()`, with gradients on.
pub(super) fn missing_in_evaluation(scope: &FileScope<'_>) -> Vec<Sighting> {
    let evaluated = evaluated_in(scope);
    if evaluated.iter().all(|one| one.ended) || records_nothing(scope) {
        return Vec::new();
    }
    let off = functions_without_gradients(scope);
    let mut found = Vec::new();
    let mut seen: FxHashSet<(Span, String)> = FxHashSet::default();
    walk(scope.code, &mut |part, around| {
        let Part::Expr(expr) = part else { return };
        let ExprKind::Call(call) = &expr.kind else { return };
        let model = scope.text(call.callee.span).trim_end_matches(".forward");
        let (function, inside) = within_function(around);
        let last = evaluated
            .iter()
            .rev()
            .find(|one| one.function == function && one.model == model && one.span.end <= expr.span.start);
        let Some(eval) = last.filter(|one| !one.ended) else { return };
        let is_off = inside.iter().any(|one| match one {
            Around::With(step) => with_is_off(scope, step),
            _ => false,
        });
        let in_off_function =
            around.iter().any(|one| matches!(one, Around::Function(it) if off.contains(it)));
        let innermost = inside.iter().rev().find_map(|one| match one {
            Around::Loop(step) => Some(*step),
            _ => None,
        });
        let Some(step) = innermost else { return };
        if is_off
            || in_off_function
            || makes(step, model)
            || differentiates(scope, step)
            || !seen.insert((step.span, model.to_owned()))
        {
            return;
        }
        let sighting = Sighting::at(scope.place(expr.span)).word("model", model);
        found.push(sighting.beside(scope.place(eval.span), "evaluation mode turns no gradients off"));
    });
    found
}

fn with_is_off(scope: &FileScope<'_>, step: &Step<'_>) -> bool {
    match &step.kind {
        StepKind::With { items, .. } => items.iter().any(|(item, _)| are_off(scope, item)),
        _ => false,
    }
}

fn evaluated_in(scope: &FileScope<'_>) -> Vec<Evaluated> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let mut note = |model: &str, span, ended| {
            let (function, _) = within_function(around);
            found.push(Evaluated { function, model: model.to_owned(), span, ended });
        };
        match part {
            Part::Step(Step { kind: StepKind::Assign { targets, value: Some(value), .. }, span }) => {
                let [Target::Name(name, _)] = &targets[..] else { return };
                match mode_of(value) {
                    Some((_, false)) => note(name, *span, false),
                    // Another object has the name now.
                    _ => note(name, *span, true),
                }
            }
            Part::Expr(expr) => {
                if let Some((object, trains)) = mode_of(expr) {
                    note(scope.text(object.span), expr.span, trains);
                }
            }
            _ => {}
        }
    });
    found
}

/// `model.eval()`, `model.train(False)`, `model.train()`: the model, and whether it trains now.
fn mode_of<'e, 's>(expr: &'e Expr<'s>) -> Option<(&'e Expr<'s>, bool)> {
    let (object, name, call) = method_of(expr)?;
    match (name, &call.arguments[..]) {
        ("eval", []) => Some((object, false)),
        ("train", []) => Some((object, true)),
        ("train", [one]) => Some((object, !matches!(one.value.kind, ExprKind::Bool(false)))),
        // `Net().eval().to(device)`
        ("to" | "cuda" | "half" | "float" | "cpu" | "requires_grad_", _) => mode_of(object),
        _ => None,
    }
}

/// Functions that run with gradients off: by a decorator, or because this file calls them so.
fn functions_without_gradients(scope: &FileScope<'_>) -> FxHashSet<usize> {
    let mut off = FxHashSet::default();
    let mut fresh: Vec<usize> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    // Each call by name, with the function that it stands in.
    let mut calls: Vec<(usize, &str)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        Part::Step(Step { kind: StepKind::Define { function, decorators }, .. })
            if decorators.iter().any(|one| are_off(scope, one)) =>
        {
            off.insert(*function);
        }
        Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            // `torch.set_grad_enabled(False)` as a statement holds from there on.
            let as_manager = matches!(around.last(), Some(Around::WithItem(_) | Around::Decorator(_)));
            if path(scope, &call.callee).ends_with("set_grad_enabled") && are_off(scope, expr) && !as_manager
            {
                fresh.extend(within_function(around).0);
            }
            let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &call.callee.kind else { return };
            if around.iter().any(|one| matches!(one, Around::With(step) if with_is_off(scope, step))) {
                names.push(name);
            }
            calls.extend(within_function(around).0.map(|function| (function, *name)));
        }
        _ => {}
    });
    let functions = &scope.code.functions;
    let named = |name: &str| -> Vec<usize> {
        let all = functions.iter().enumerate();
        all.filter(|(_, function)| function.name == name).map(|(number, _)| number).collect()
    };
    fresh.extend(names.into_iter().flat_map(named).chain(off.iter().copied()));
    while let Some(function) = fresh.pop() {
        off.insert(function);
        let below = calls.iter().filter(|(caller, _)| *caller == function).flat_map(|(_, name)| named(name));
        fresh.extend(below.filter(|number| !off.contains(number)).collect::<Vec<_>>());
    }
    off
}

/// Whether each turn of a loop makes the model anew: then it is called once, and not for each of many batches.
fn makes(step: &Step<'_>, model: &str) -> bool {
    let (StepKind::For { body, .. } | StepKind::While { body, .. }) = &step.kind else { return false };
    body.iter().any(|step| match &step.kind {
        StepKind::Assign { targets, value: Some(_), .. } => {
            targets.iter().any(|target| matches!(target, Target::Name(name, _) if *name == model))
        }
        _ => false,
    })
}

/// Whether a loop asks for gradients, which evaluation mode allows.
fn differentiates(scope: &FileScope<'_>, step: &Step<'_>) -> bool {
    let (StepKind::For { body, .. } | StepKind::While { body, .. }) = &step.kind else { return false };
    let mut found = false;
    walk_block(scope.code, body, &mut |part, _| {
        if let Part::Expr(expr) = part {
            let method = method_of(expr).map_or("", |(_, name, _)| name);
            found |= matches!(method, "backward" | "requires_grad_" | "manual_backward")
                || called(scope, expr).starts_with("torch.autograd.grad")
                || called(scope, expr).starts_with("torch.func.");
        }
    });
    found
}

/// Whether nothing in this file records a graph: its models ask for no gradients, or the whole program turned them off.
fn records_nothing(scope: &FileScope<'_>) -> bool {
    let text = scope.whole_text();
    let mut off = text.contains("requires_grad = False") || text.contains("requires_grad_(False)");
    walk(scope.code, &mut |part, around| {
        if let Part::Step(Step { kind: StepKind::Evaluate(value), .. }) = part {
            let module = !around.iter().any(|one| matches!(one, Around::Function(_)));
            off |= module && called(scope, value).ends_with("set_grad_enabled") && are_off(scope, value);
        }
    });
    off
}
