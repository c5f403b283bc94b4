//! Sums of losses where a model is evaluated with gradients on: nothing calls `backward()`, so nothing ever frees the graphs
//! that the sum keeps.

use super::{is_cut, is_for_torch, is_without_graph, lists, terms, text_of_target};
use crate::code::walk::{CodeNode, innermost_loop, walk_block, within_function};
use crate::code::{Expr, ExprKind, Function, Operator, StatementKind};
use crate::facts::Span;
use crate::rules::analyses::gradients::{Run, runs_with_gradients};
use crate::rules::analyses::memory::function_called;
use crate::rules::files::{FileScope, RawFinding};

/// `total += loss` in a loop, of a loss that is made of what a model in evaluation mode gave there.
pub(super) fn by_sums(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !is_for_torch(scope.whole_text()) {
        return Vec::new();
    }
    let runs = runs_with_gradients(scope);
    let mut loops: Vec<Span> = runs.iter().map(|run| run.inside).collect();
    loops.dedup();
    let mut found: Vec<RawFinding> =
        loops.into_iter().flat_map(|inside| in_loop(scope, &runs, inside)).collect();
    found.extend(lists::in_evaluation(scope, &runs));
    found
}

fn in_loop(scope: &FileScope<'_>, runs: &[Run<'_>], inside: Span) -> Vec<RawFinding> {
    // Names that hold what the model gave, or what was made of it, with a graph.
    let mut made: Vec<String> = Vec::new();
    let (mut begun, mut found): (Vec<String>, Vec<(String, String, Span)>) = (Vec::new(), Vec::new());
    scope.each_statement(&mut |step, around| {
        let (_, around) = within_function(around);
        let is_here = innermost_loop(around).is_some_and(|step| step.span == inside);
        if !is_here || is_without_graph(scope, around) {
            return;
        }
        match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let has_graph = is_made_of(scope, value, runs, &made);
                for name in targets.iter().filter_map(|target| text_of_target(scope, target)) {
                    made.retain(|known| *known != name);
                    if has_graph {
                        made.push(name.clone());
                    }
                    begun.push(name);
                }
            }
            StatementKind::Update { target, operator: Operator::Add, value } => {
                if let Some(total) = text_of_target(scope, target)
                    && let Some(loss) = loss_in(scope, value, runs, &made)
                {
                    found.push((total, loss, step.span));
                }
            }
            _ => {}
        }
    });
    found.retain(|(total, ..)| !begun.contains(total));
    let raw_findings = found.into_iter().map(|(total, loss, span)| {
        RawFinding::at(scope.place(span)).word("total", total).word("value", loss)
    });
    raw_findings.collect()
}

/// Whether an expression is made of what a model gave, and keeps its graph.
fn is_made_of(scope: &FileScope<'_>, expr: &Expr<'_>, runs: &[Run<'_>], made: &[String]) -> bool {
    let runs_model =
        runs.iter().any(|run| expr.span.start <= run.call.start && run.call.end <= expr.span.end)
            && !function_called(scope, expr).is_some_and(|function| returns_numbers(scope, function));
    let names = arguments_of(scope, expr);
    !is_cut(scope, expr) && (runs_model || names.iter().any(|name| is_known(made, name)))
}

/// Whether all that a function returns is cut off from its graph: `return loss.item()`.
fn returns_numbers(scope: &FileScope<'_>, function: &Function<'_>) -> bool {
    let (mut numbers, mut others) = (false, false);
    let mut look = |value: &Expr<'_>| match is_cut(scope, value) {
        true => numbers = true,
        false => others = true,
    };
    walk_block(scope.code, &function.body, &mut |part, _| {
        let CodeNode::Statement(step) = part else { return };
        let StatementKind::Return(Some(value)) = &step.kind else { return };
        match &value.kind {
            ExprKind::Sequence(parts) => parts.iter().for_each(&mut look),
            _ => look(value),
        }
    });
    numbers && !others
}

/// The loss that a sum takes over: known by its name, or by that of the function that makes it.
fn loss_in(scope: &FileScope<'_>, value: &Expr<'_>, runs: &[Run<'_>], made: &[String]) -> Option<String> {
    if is_cut(scope, value) {
        return None;
    }
    let is_loss = |name: &str| name.to_ascii_lowercase().contains("loss");
    let named = terms(scope, value).into_iter().find(|term| is_loss(term) && is_known(made, term));
    named.or_else(|| {
        let ExprKind::Call(call) = &value.kind else { return None };
        let callee = scope.text(call.callee.span).to_ascii_lowercase();
        let makes_loss = ["loss", "criterion", "cross_entropy"].iter().any(|word| callee.ends_with(word));
        (makes_loss && is_made_of(scope, value, runs, made)).then(|| scope.text(value.span).to_owned())
    })
}

/// The names that an expression is made of, in the arguments of its calls too.
fn arguments_of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Vec<String> {
    let mut names = terms(scope, expr);
    if let ExprKind::Call(call) = &expr.kind {
        names.extend(call.arguments.iter().flat_map(|argument| arguments_of(scope, &argument.value)));
    }
    names
}

/// Whether a name, or what it is an attribute or an item of, holds something with a graph.
fn is_known(made: &[String], name: &str) -> bool {
    let base = name.split(['.', '[']).next().unwrap_or(name);
    made.iter().any(|known| known == name || known == base)
}
