//! An optimizer that takes over the state of an earlier run while its model is still on the CPU: the model moves, and the
//! state does not.

use super::handed_models;
use super::homes::{Home, Kept, kept_as, kept_by};
use super::memory::{call_of, method_of};
use super::order::PlaceInFunction;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind};
use crate::rules::files::{FileScope, RawFinding};

/// `optimizer.load_state_dict(…)` above `model.to(device)`.
pub(super) fn after_optimizer_state(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // Who goes through the state moves it.
    if ["optimizer.state", "optim.state", ".state.values()", ".state.items()"].iter().any(|word| {
        let text = scope.whole_text();
        text.match_indices(word).any(|(at, _)| !text[at + word.len()..].starts_with("_dict"))
    }) {
        return Vec::new();
    }
    let mut optimizers: Vec<(PlaceInFunction, Kept<'_>, Kept<'_>)> = Vec::new();
    let mut loads: Vec<(PlaceInFunction, Kept<'_>)> = Vec::new();
    let mut moves: Vec<(PlaceInFunction, Kept<'_>)> = Vec::new();
    let mut made: Vec<(PlaceInFunction, Kept<'_>, &Expr<'_>)> = Vec::new();
    let mut calls: Vec<(PlaceInFunction, &Call<'_>)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                if let ExprKind::Call(call) = &value.kind {
                    calls.push((PlaceInFunction::of(step.span, around), call));
                }
                let [target] = targets.as_slice() else { return };
                let Some(name) = kept_by(scope, target, around) else { return };
                made.push((PlaceInFunction::of(step.span, around), name, value));
                if let Some(model) = model_of_optimizer(scope, value, around) {
                    optimizers.push((PlaceInFunction::of(step.span, around), name, model));
                } else if is_moved(value) {
                    moves.push((PlaceInFunction::of(step.span, around), name));
                }
            }
            StatementKind::Evaluate(value) => {
                if let ExprKind::Call(call) = &value.kind {
                    calls.push((PlaceInFunction::of(step.span, around), call));
                }
                let Some((object, method, _)) = method_of(value) else { return };
                let Some(name) = kept_as(scope, object, around) else { return };
                match method {
                    "load_state_dict" => loads.push((PlaceInFunction::of(step.span, around), name)),
                    "to" | "cuda" => moves.push((PlaceInFunction::of(step.span, around), name)),
                    _ => {}
                }
            }
            _ => {}
        },
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    let mut found = Vec::new();
    for (loaded, optimizer) in &loads {
        let of_it = |(made, name, _): &&(PlaceInFunction, Kept<'_>, Kept<'_>)| {
            name == optimizer && (made.precedes(loaded) || is_of_object(name))
        };
        let Some((_, _, model)) = optimizers.iter().rev().find(of_it) else { continue };
        let mut of_model = moves.iter().filter(|(moved, name)| name == model && moved.home == loaded.home);
        // A model that was moved before has its parameters, and so the state, where it is now.
        let late = of_model.clone().find(|(moved, _)| loaded.precedes(moved) || follows(loaded, moved));
        // Another method may have moved it before.
        let may_be_early = is_of_object(model)
            && moves.iter().any(|(moved, name)| name == model && moved.home != loaded.home);
        let early = may_be_early || of_model.any(|(moved, _)| moved.span.end <= loaded.span.start);
        let is_handed = |(seen, call): &&(PlaceInFunction, &Call<'_>)| {
            seen.home == loaded.home
                && (loaded.precedes(seen) || follows(loaded, seen))
                && handed_models::moves_argument(scope, call, model.1)
        };
        let by_maker = || {
            let of_it = |(seen, name, _): &&(PlaceInFunction, Kept<'_>, &Expr<'_>)| {
                name == model && (seen.home == loaded.home || is_of_object(name))
            };
            made.iter()
                .find(of_it)
                .is_some_and(|(_, _, value)| handed_models::is_moved_by_maker(scope, value))
        };
        let handed = || calls.iter().find(is_handed).filter(|_| !by_maker()).map(|(seen, _)| seen);
        if let Some(moved) = late.map(|(moved, _)| moved).or_else(handed).filter(|_| !early) {
            let raw_finding = RawFinding::at(scope.place(loaded.span));
            let raw_finding = raw_finding.word("optimizer", optimizer.1).word("model", model.1);
            found.push(raw_finding.beside(scope.place(moved.span), format!("`{}` is moved here", model.1)));
        }
    }
    found
}

/// What stands below an `if args.resume:` runs after what stands in it.
fn follows(loaded: &PlaceInFunction, moved: &PlaceInFunction) -> bool {
    loaded.span.end <= moved.span.start && moved.arms.iter().all(|arm| loaded.arms.contains(arm))
}

/// Whether something is an attribute, which another method may have made before.
fn is_of_object((home, _): &Kept<'_>) -> bool {
    matches!(home, Home::Class(_))
}

/// `torch.optim.Adam(model.parameters())`: the name of the model.
fn model_of_optimizer<'a>(
    scope: &FileScope<'a>,
    value: &'a Expr<'_>,
    around: &[Ancestor<'_, '_>],
) -> Option<Kept<'a>> {
    let call = call_of(value)?;
    if let Some(model) = handed_models::made_by_helper(scope, call) {
        return Some((Home::of(around), model));
    }
    let path = scope.names.path(&call.callee)?;
    if !path.starts_with("torch.optim.") || path.contains("lr_scheduler") {
        return None;
    }
    let (object, "parameters", _) = method_of(&call.arguments.first()?.value)? else { return None };
    kept_as(scope, object, around)
}

/// `model.to(device)`, `Net().cuda()`
fn is_moved(value: &Expr<'_>) -> bool {
    matches!(method_of(value), Some((_, "to" | "cuda", _)))
}
