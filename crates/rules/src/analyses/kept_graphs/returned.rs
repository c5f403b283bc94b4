//! Sums of losses that a function of the file returns: one function trains a step, and the loop around its calls adds up.

use super::lists::growing::Lists;
use super::{
    GraphStep, Note, is_cut_off, is_without_graph, part_with_graph, terms, text_of_target, with_graphs,
};
use crate::code::walk::{CodeNode, innermost_loop, walk, within_function};
use crate::code::{Expr, ExprKind, Function, Operator, StatementKind, Target};
use crate::facts::Span;
use crate::rules::analyses::memory::{function_called, function_named, method_of, path};
use crate::rules::files::{FileScope, RawFinding};

/// What one function returns, by position: whether it has a graph.
struct Returned<'c> {
    function: &'c Function<'c>,
    graphs: Vec<bool>,
}

/// `loss, size = train_step(batch)` and `total += loss` in a loop, where `train_step` calls `loss.backward()` and returns
/// `loss` as it is.
pub(super) fn by_sums(scope: &FileScope<'_>, notes: &[Note]) -> Vec<RawFinding> {
    let returned = returned(scope, notes);
    if returned.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(Span, String, String, Span)> = Vec::new();
    // Names that hold such a loss, each with the loop and what was begun in it.
    let mut losses: Vec<(Span, String)> = Vec::new();
    let mut begun: Vec<(Span, String)> = Vec::new();
    let lists = Lists::of(scope);
    walk(scope.code, &mut |part, around| {
        let (function, around) = within_function(around);
        // `losses.append(train_step(batch))`
        if let CodeNode::Expr(expr) = part {
            let Some((list, "append", call)) = method_of(expr) else { return };
            let Some(inside) = innermost_loop(around).map(|step| step.span) else { return };
            let [only] = &call.arguments[..] else { return };
            let name = scope.text(list.span);
            let of_name = matches!(only.value.kind, ExprKind::Name(name) if losses.iter().any(|(at, known)| *at == inside && known == name));
            let is_loss = of_name || has_graph(scope, &returned, &only.value, 0, false);
            if is_loss
                && !is_without_graph(scope, around)
                && lists.grows(name, function, inside)
                && !lists.is_differentiated(name, function, "")
            {
                found.push((
                    inside,
                    name.to_owned(),
                    scope.text(only.value.span).to_owned(),
                    only.value.span,
                ));
            }
            return;
        }
        let CodeNode::Statement(step) = part else { return };
        let Some(inside) = innermost_loop(around).map(|step| step.span) else { return };
        if is_without_graph(scope, around) {
            return;
        }
        match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let [target] = &targets[..] else { return };
                for (position, name) in names(scope, target) {
                    losses.retain(|(_, known)| *known != name);
                    if has_graph(scope, &returned, value, position, matches!(target, Target::Sequence(_))) {
                        losses.push((inside, name.clone()));
                    }
                    begun.push((inside, name));
                }
            }
            StatementKind::Update { target, operator: Operator::Add, value } => {
                let Some(total) = text_of_target(scope, target) else { return };
                let is_returned = |one: &Expr<'_>| has_graph(scope, &returned, one, 0, false);
                if let Some(loss) = part_with_graph(scope, value, &is_returned) {
                    found.push((inside, total, scope.text(loss.span).to_owned(), step.span));
                    return;
                }
                let terms = terms(scope, value);
                let loss = terms
                    .iter()
                    .find(|term| losses.iter().any(|(at, known)| *at == inside && known == *term));
                if let Some(loss) = loss {
                    found.push((inside, total, loss.clone(), step.span));
                }
            }
            _ => {}
        }
    });
    found.retain(|(inside, total, ..)| !begun.contains(&(*inside, total.clone())));
    let raw_finding = |(_, total, loss, span): (Span, String, String, Span)| {
        RawFinding::at(scope.place(span)).word("total", total).word("value", loss)
    };
    found.into_iter().map(raw_finding).collect()
}

/// The functions that differentiate a loss and return something with its graph.
fn returned<'c>(scope: &FileScope<'c>, notes: &[Note]) -> Vec<Returned<'c>> {
    let mut all: Vec<Returned<'c>> = Vec::new();
    scope.each_statement(&mut |step, around| {
        let StatementKind::Return(Some(value)) = &step.kind else { return };
        let (Some(number), around) = within_function(around) else { return };
        let of_function: Vec<&Note> = notes.iter().filter(|note| note.function == Some(number)).collect();
        let differentiates = of_function.iter().any(|note| matches!(note.what, GraphStep::Backward(_)));
        if !differentiates || is_without_graph(scope, around) {
            return;
        }
        let graphs = with_graphs(&of_function);
        let before = || notes.iter().filter(|note| note.function == Some(number) && note.span < step.span);
        let keeps = |part: &Expr<'_>| {
            terms(scope, part).iter().any(|term| graphs.contains(term) && !is_cut_off(before(), term))
        };
        let parts = match &value.kind {
            ExprKind::Sequence(parts) => parts.iter().map(keeps).collect(),
            _ => vec![keeps(value)],
        };
        let function = &scope.code.functions[number];
        // One of several ways out may cut the loss off.
        let known = all.iter_mut().find(|one| std::ptr::eq(one.function, function));
        match known {
            Some(known) if known.graphs.len() == parts.len() => {
                known.graphs.iter_mut().zip(parts).for_each(|(known, new)| *known &= new);
            }
            Some(known) => known.graphs.clear(),
            None => all.push(Returned { function, graphs: parts }),
        }
    });
    all
}

/// Whether the value of a call has a graph, or its part at a position where it is taken apart.
fn has_graph(
    scope: &FileScope<'_>,
    returned: &[Returned<'_>],
    value: &Expr<'_>,
    position: usize,
    taken_apart: bool,
) -> bool {
    let Some(function) = function_called(scope, value).or_else(|| method_called(scope, value)) else {
        return false;
    };
    returned.iter().any(|one| {
        std::ptr::eq(one.function, function)
            && taken_apart == (one.graphs.len() > 1)
            && one.graphs.get(position) == Some(&true)
    })
}

/// `trainer.step(batch)`, where one method of the file alone has the name, and no library gave the object.
fn method_called<'a>(scope: &FileScope<'a>, value: &Expr<'_>) -> Option<&'a Function<'a>> {
    let (object, name, call) = method_of(value)?;
    let is_own = matches!(object.kind, ExprKind::Name(_)) && path(scope, &call.callee).is_empty();
    let is_method =
        |function: &&Function<'_>| function.parameters.first().is_some_and(|one| one.name == "self");
    function_named(scope, name).filter(|_| is_own).filter(is_method)
}

/// The names that a target binds, with their positions.
fn names(scope: &FileScope<'_>, target: &Target<'_>) -> Vec<(usize, String)> {
    match target {
        Target::Sequence(parts) => parts
            .iter()
            .enumerate()
            .filter_map(|(at, part)| Some((at, text_of_target(scope, part)?)))
            .collect(),
        _ => text_of_target(scope, target).map(|name| (0, name)).into_iter().collect(),
    }
}
