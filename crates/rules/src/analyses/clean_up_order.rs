//! The order in which code cleans up: `del`, then the collector, then the cache. What becomes free after the cache was
//! emptied stays in it.

use super::memory::{collects, empties_cache, function_called, path};
use crate::code::walk::blocks;
use crate::code::{Block, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// What one statement is to a clean-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CleanUpStep {
    Empties,
    Collects,
    Deletes,
}

/// Statements that clean up one after the other, and where each is.
type Acts = Vec<(CleanUpStep, Span)>;

/// `empty_cache()` before `gc.collect()` or `del`, with nothing but a clean-up between them.
pub(super) fn emptied_before_collected(scope: &FileScope<'_>) -> Vec<RawFinding> {
    blocks(scope.code).into_iter().flat_map(|block| too_early(scope, block)).collect()
}

fn too_early(scope: &FileScope<'_>, block: &Block<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    let mut acts = Acts::new();
    let mut cell = None;
    for step in block {
        let here = scope.program.sources.position(scope.place(step.span)).cell;
        let cleans = here == cell && add_acts(scope, step, &mut acts, 0);
        if !cleans {
            found.extend(fault(scope, &acts));
            acts.clear();
        }
        // What ends one clean-up may begin the next.
        if here != cell {
            add_acts(scope, step, &mut acts, 0);
        }
        cell = here;
    }
    found.extend(fault(scope, &acts));
    found
}

/// The last time that the cache is emptied, when the collector or a `del` comes only then.
fn fault(scope: &FileScope<'_>, acts: &Acts) -> Option<RawFinding> {
    let at = acts.iter().rposition(|(act, _)| *act == CleanUpStep::Empties)?;
    let (before, after) = (&acts[..at], &acts[at + 1..]);
    let late = |wanted: CleanUpStep| {
        let first = after.iter().find(|(act, _)| *act == wanted)?;
        (!before.iter().any(|(act, _)| *act == wanted)).then_some(first.1)
    };
    let (later, word) = match late(CleanUpStep::Collects) {
        Some(later) => (later, "gc.collect()"),
        None => (late(CleanUpStep::Deletes)?, "del"),
    };
    // Both are done by one function that is called here: the fault is in that function, and is told there.
    if later == acts[at].1 {
        return None;
    }
    let raw_finding = RawFinding::at(scope.place(acts[at].1)).word("later", word);
    Some(raw_finding.beside(scope.place(later), "what becomes free here stays in the cache"))
}

/// Adds what a statement does; `false` when it is no part of a clean-up.
fn add_acts(scope: &FileScope<'_>, step: &Statement<'_>, acts: &mut Acts, depth: usize) -> bool {
    const DEEPEST: usize = 4;
    let before = acts.len();
    let belongs = match &step.kind {
        StatementKind::Evaluate(value) => expression(scope, value, step, acts, depth),
        StatementKind::Assign { value: Some(value), .. } => {
            if collects(scope, value) {
                acts.push((CleanUpStep::Collects, step.span));
            }
            is_quiet_value(scope, value)
        }
        StatementKind::Delete(targets) => {
            let frees = |target: &Target<'_>| !is_of_a_table(scope, target);
            if targets.iter().any(frees) {
                acts.push((CleanUpStep::Deletes, step.span));
            }
            true
        }
        StatementKind::Branch { then, otherwise, .. } if otherwise.is_empty() => {
            depth < DEEPEST && then.iter().all(|step| add_acts(scope, step, acts, depth + 1))
        }
        StatementKind::With { body, .. }
        | StatementKind::Try { body, .. }
        | StatementKind::For { body, .. } => {
            depth < DEEPEST && body.iter().all(|step| add_acts(scope, step, acts, depth + 1))
        }
        StatementKind::Import(_) | StatementKind::Share(_) => true,
        _ => false,
    };
    if !belongs {
        acts.truncate(before);
    }
    belongs
}

fn expression(
    scope: &FileScope<'_>,
    value: &Expr<'_>,
    step: &Statement<'_>,
    acts: &mut Acts,
    depth: usize,
) -> bool {
    if empties_cache(scope, value) {
        acts.push((CleanUpStep::Empties, value.span));
        return true;
    }
    if collects(scope, value) {
        acts.push((CleanUpStep::Collects, value.span));
        return true;
    }
    // A function of this file that does nothing but clean up.
    if depth == 0
        && let Some(function) = function_called(scope, value)
        && !function.body.is_empty()
    {
        let mut inner = Acts::new();
        let cleans = function.body.iter().all(|one| add_acts(scope, one, &mut inner, depth + 1));
        if !cleans || inner.is_empty() {
            return false;
        }
        acts.extend(inner.into_iter().map(|(act, _)| (act, step.span)));
        return true;
    }
    is_quiet(scope, value)
}

/// Whether a call neither runs a model nor takes memory: figures, messages, waiting.
fn is_quiet(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    const METHODS: &[&str] = &[
        "clear",
        "close",
        "cpu",
        "debug",
        "error",
        "exception",
        "info",
        "log",
        "print",
        "warning",
        "zero_grad",
    ];
    match &value.kind {
        ExprKind::Call(call) => {
            let path = path(scope, &call.callee);
            let known =
                ["builtins.print", "builtins.setattr", "time.sleep", "gc.", "torch.cuda.", "logging."];
            let method = match &call.callee.kind {
                ExprKind::Attribute(_, name) => METHODS.contains(name),
                _ => false,
            };
            method || known.iter().any(|known| path.starts_with(known))
        }
        ExprKind::Await(inner) => is_quiet(scope, inner),
        ExprKind::Text(_) | ExprKind::None => true,
        _ => false,
    }
}

/// Whether a value is made without running anything that takes memory.
fn is_quiet_value(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::Call(_) | ExprKind::Await(_) => is_quiet(scope, value) || is_clock(scope, value),
        ExprKind::Binary(_, sides) => is_quiet_value(scope, &sides.0) && is_quiet_value(scope, &sides.1),
        ExprKind::Sequence(parts) => parts.iter().all(|part| is_quiet_value(scope, part)),
        ExprKind::Mapping(entries) => entries.is_empty(),
        ExprKind::None
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Text(_)
        | ExprKind::Name(_)
        | ExprKind::Attribute(..) => true,
        ExprKind::Unknown(parts) => parts.is_empty(),
        _ => false,
    }
}

fn is_clock(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    super::memory::called(scope, value).starts_with("time.")
}

/// `del os.environ["X"]`, `del sys.modules["x"]`, `del config["x"]`: nothing that lies on a GPU.
fn is_of_a_table(scope: &FileScope<'_>, target: &Target<'_>) -> bool {
    match target {
        Target::Item(item) => {
            matches!(path(scope, &item.0), "os.environ" | "sys.modules" | "sys.path")
                || holds_settings(scope.text(item.0.span))
        }
        _ => false,
    }
}

/// Whether a table holds settings or figures, by its name.
fn holds_settings(table: &str) -> bool {
    const WORDS: &[&str] = &[
        "args",
        "cfg",
        "conf",
        "config",
        "configs",
        "env",
        "environment",
        "headers",
        "history",
        "kwargs",
        "log",
        "logs",
        "meta",
        "metadata",
        "metrics",
        "opts",
        "options",
        "params",
        "settings",
        "stats",
    ];
    let last = table.rsplit('.').next().unwrap_or(table).to_ascii_lowercase();
    last.split('_').any(|word| WORDS.contains(&word))
}
