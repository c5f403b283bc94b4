//! States that a loop feeds back into a model: each carries the graph of all steps before, unless it is cut off.

use super::memory::{method_of, parts_of, path};
use crate::code::walk::{CodeNode, innermost_loop, loops_around, walk, within_function};
use crate::code::{Call, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// `y, hidden = lstm(x, hidden)`, with where it stands.
struct Feed {
    function: Option<usize>,
    loops: Vec<Span>,
    span: Span,
    state: String,
    call: String,
    /// What is called is a recurrent module that the file makes.
    is_made_here: bool,
}

/// What a file does with its states.
#[derive(Default)]
struct Seen {
    feeds: Vec<Feed>,
    /// `loss.backward(retain_graph=True)`: the function, and the innermost loop.
    kept: Vec<(Option<usize>, Span)>,
    /// Everything else that is given a value: the function, the loops around it, and its name.
    begun: Vec<(Option<usize>, Vec<Span>, String)>,
}

/// States that are fed back where `backward(retain_graph=True)` runs in each step, or where nothing is ever differentiated.
pub(super) fn with_graphs(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if !text.contains("torch") {
        return Vec::new();
    }
    let seen = seen_in(scope);
    let is_differentiated = ["backward", "grad"].iter().any(|word| text.contains(word));
    let found = seen.feeds.iter().filter(|feed| {
        let grows = is_kept_by_function(&seen, feed)
            || is_kept_by_object(scope, &seen, feed)
            || (!is_differentiated && is_of_script(feed));
        grows && !is_begun_in_loop(&seen, feed) && !is_cut(text, &feed.state)
    });
    let raw_finding = |feed: &Feed| {
        RawFinding::at(scope.place(feed.span)).word("state", &feed.state).word("call", &feed.call)
    };
    found.map(raw_finding).collect()
}

/// In the loop of the same function whose steps are differentiated.
fn is_kept_by_function(seen: &Seen, feed: &Feed) -> bool {
    seen.kept.iter().any(|(function, inside)| *function == feed.function && feed.loops.contains(inside))
}

/// `out, self.hidden = self.lstm(x, self.hidden)` in a module that is called in each step of a loop.
fn is_kept_by_object(scope: &FileScope<'_>, seen: &Seen, feed: &Feed) -> bool {
    let Some(attribute) = feed.state.strip_prefix("self.") else { return false };
    let is_forward = feed.function.is_some_and(|number| scope.code.functions[number].name == "forward");
    let others = seen.begun.iter().filter(|(_, _, name)| name.rsplit('.').next() == Some(attribute));
    let mut others = others.map(|(function, ..)| function.map(|number| scope.code.functions[number].name));
    is_forward
        && feed.loops.is_empty()
        && !seen.kept.is_empty()
        && others.all(|name| name == Some("__init__"))
}

/// In a loop of a script, of a module that the script makes.
fn is_of_script(feed: &Feed) -> bool {
    feed.function.is_none() && feed.is_made_here && !feed.loops.is_empty()
}

/// Whether one of the loops begins the state anew.
fn is_begun_in_loop(seen: &Seen, feed: &Feed) -> bool {
    let mut others = seen.begun.iter().filter(|(_, _, name)| *name == feed.state);
    others.any(|(function, loops, _)| {
        let is_within = loops.iter().any(|inside| feed.loops.contains(inside));
        // What a nested function does with it, nobody knows when.
        is_within || (*function != feed.function && !feed.state.starts_with("self."))
    })
}

/// Whether something speaks of the state without its graph.
fn is_cut(text: &str, state: &str) -> bool {
    let name = state.rsplit('.').next().unwrap_or(state);
    let mut lines = text.lines().filter(|line| line.contains(name));
    lines.any(|line| ["detach", ".data", "repackage", "numpy()"].iter().any(|word| line.contains(word)))
}

fn seen_in(scope: &FileScope<'_>) -> Seen {
    let mut seen = Seen::default();
    walk(scope.code, &mut |part, around| {
        let (function, within) = within_function(around);
        let loops = || -> Vec<Span> { loops_around(within).map(|step| step.span).collect() };
        match part {
            CodeNode::Statement(step) => match fed(scope, step) {
                Some((state, call)) => seen.feeds.push(Feed {
                    function,
                    loops: loops(),
                    span: step.span,
                    state,
                    call: scope.text(call.callee.span).to_owned(),
                    is_made_here: is_recurrent(scope, call),
                }),
                None => {
                    for name in targets_of(scope, step) {
                        seen.begun.push((function, loops(), name));
                    }
                }
            },
            CodeNode::Expr(expr) => {
                let Some((_, "backward", call)) = method_of(expr) else { return };
                let keeps = call.arguments.iter().any(|one| {
                    one.name == Some("retain_graph") && matches!(one.value.kind, ExprKind::Bool(true))
                });
                if let Some(inside) = innermost_loop(within).filter(|_| keeps) {
                    seen.kept.push((function, inside.span));
                }
            }
            CodeNode::Target(_) => {}
        }
    });
    seen
}

/// The state and the call of `y, hidden = lstm(x, hidden)`.
fn fed<'e, 's>(scope: &FileScope<'_>, step: &'e Statement<'s>) -> Option<(String, &'e Call<'s>)> {
    let StatementKind::Assign { targets, value: Some(Expr { kind: ExprKind::Call(call), .. }), .. } =
        &step.kind
    else {
        return None;
    };
    let callee = scope.text(call.callee.span).to_ascii_lowercase();
    // What is called does something else than a step of the model.
    const OTHERS: &[&str] = &[
        "clone",
        "copy",
        "detach",
        "env",
        "init",
        "optim",
        "repackage",
        "reset",
        "torch.",
        "update",
        "zero",
    ];
    if OTHERS.iter().any(|word| callee.contains(word)) {
        return None;
    }
    let given: Vec<&str> = call
        .arguments
        .iter()
        .flat_map(|one| parts_of(&one.value))
        .filter(|one| matches!(one.kind, ExprKind::Name(_) | ExprKind::Attribute(..)))
        .map(|one| scope.text(one.span))
        .collect();
    let names: Vec<String> = targets.iter().flat_map(|target| names_of(scope, target)).collect();
    let state = names.into_iter().find(|name| given.contains(&name.as_str()) && is_state(name, &callee))?;
    Some((state, call))
}

/// `hidden`, `self.state`, `h` of an LSTM.
fn is_state(name: &str, callee: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    let is_recurrent = ["cell", "gru", "lstm", "rnn"].iter().any(|word| callee.contains(word));
    let is_model = ["model", "net", "policy"].iter().any(|word| callee.contains(word));
    name.contains("hidden")
        || (is_recurrent && (name.len() <= 2 || name.contains("state")))
        || (is_model && ["memory", "state"].iter().any(|word| name.ends_with(word)))
}

/// Whether a call runs a recurrent module that the file makes: `lstm = nn.LSTM(10, 20)`.
fn is_recurrent(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    const MODULES: &[&str] = &["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"];
    let mut made = scope.names.meant(&call.callee);
    while let Some((object, "cuda" | "to" | "double" | "float", _)) = method_of(made) {
        made = scope.names.meant(object);
    }
    let ExprKind::Call(made) = &made.kind else { return false };
    path(scope, &made.callee).strip_prefix("torch.nn.").is_some_and(|name| MODULES.contains(&name))
}

fn targets_of(scope: &FileScope<'_>, step: &Statement<'_>) -> Vec<String> {
    match &step.kind {
        StatementKind::Assign { targets, .. } => {
            targets.iter().flat_map(|target| names_of(scope, target)).collect()
        }
        StatementKind::For { target, .. } => names_of(scope, target),
        StatementKind::Delete(targets) => targets.iter().flat_map(|target| names_of(scope, target)).collect(),
        _ => Vec::new(),
    }
}

/// The names and attributes that a target binds, also in a tuple in a tuple.
fn names_of(scope: &FileScope<'_>, target: &Target<'_>) -> Vec<String> {
    match target {
        Target::Name(name, _) => vec![(*name).to_owned()],
        Target::Attribute(object, name) => vec![format!("{}.{name}", scope.text(object.span))],
        Target::Sequence(parts) => parts.iter().flat_map(|part| names_of(scope, part)).collect(),
        Target::Rest(inner) => names_of(scope, inner),
        _ => Vec::new(),
    }
}
