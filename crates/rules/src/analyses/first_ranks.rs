//! Which of the processes of a group a test lets through.

use super::memory::{function_called, path};
use super::own_calls::{imported, module_and_name};
use crate::code::walk::{CodeNode, functions_around, walk_block};
use crate::code::{Comparison, Expr, ExprKind, Function, Statement, StatementKind};
use crate::rules::files::FileScope;

/// Names that say of a process whether it is the first one.
const FIRST: &[&str] = &[
    "is_chief",
    "is_first_rank",
    "is_global_zero",
    "is_local_main_process",
    "is_local_process_zero",
    "is_main_process",
    "is_main_rank",
    "is_master",
    "is_master_process",
    "is_rank_0",
    "is_rank_zero",
    "is_rank0",
    "is_world_process_zero",
    "main_process",
    "master_process",
    "rank_zero",
];

/// Names of the number of a process, and of what gives it.
const RANKS: &[&str] = &[
    "get_rank",
    "global_rank",
    "local_process_index",
    "local_rank",
    "process_index",
    "rank",
    "world_rank",
    "RANK",
    "LOCAL_RANK",
];

/// A test is looked for behind so many names and functions.
const MOST_HOPS: usize = 3;

/// Who comes behind a test: the first process alone, all but the first, or others that are not known.
pub(super) fn who_passes(scope: &FileScope<'_>, test: &Expr<'_>) -> Option<bool> {
    passes(scope, test, 0)
}

fn passes(scope: &FileScope<'_>, test: &Expr<'_>, hops: usize) -> Option<bool> {
    if hops > MOST_HOPS {
        return None;
    }
    match &test.kind {
        ExprKind::Not(inner) => match &inner.kind {
            ExprKind::All(_) => None,
            _ => passes(scope, inner, hops).map(|first| !first),
        },
        // `if distributed and rank == 0:`
        ExprKind::All(parts) => {
            parts.iter().find_map(|part| passes(scope, part, hops)).filter(|first| *first)
        }
        ExprKind::Any(parts) => any_passes(scope, parts, hops),
        // `rank == 0 if dist.is_initialized() else True`
        ExprKind::Choice(parts) => {
            let sides = [&parts.1, &parts.2];
            let is_free = |side: &&Expr<'_>| matches!(side.kind, ExprKind::Bool(true));
            let asked: Vec<_> = sides.iter().filter(|side| !is_free(side)).collect();
            let is_first = asked.iter().all(|side| passes(scope, side, hops) == Some(true));
            (!asked.is_empty() && is_first).then_some(true)
        }
        // `if args.local_rank in [-1, 0]:`
        ExprKind::Compare(comparison @ (Comparison::In | Comparison::NotIn), sides) => {
            let ExprKind::Sequence(numbers) = &sides.1.kind else { return None };
            let is_one = |one: &Expr<'_>| matches!(one.kind, ExprKind::Int(-1 | 0) | ExprKind::Negate(_));
            let is_first = names_rank(scope, &sides.0)
                && numbers.iter().all(is_one)
                && numbers.iter().any(|one| matches!(one.kind, ExprKind::Int(0)));
            is_first.then_some(*comparison == Comparison::In)
        }
        ExprKind::Compare(comparison, sides) => {
            if names_rank(scope, &sides.0) {
                compared(*comparison, number(&sides.1)?)
            } else if names_rank(scope, &sides.1) {
                compared(turned(*comparison), number(&sides.0)?)
            } else {
                None
            }
        }
        ExprKind::Call(call) if says_first(&call.callee) => Some(true),
        // `if dist.get_rank():` lets all but the first through.
        _ if names_rank(scope, test) => Some(false),
        ExprKind::Call(call) if is_of_ranks(scope, &call.callee) => says_so(scope, test, hops),
        _ if says_first(test) => Some(true),
        ExprKind::Name(_) | ExprKind::Attribute(..) => {
            let meant = scope.names.meant(test);
            if std::ptr::eq(meant, test) { None } else { passes(scope, meant, hops + 1) }
        }
        _ => None,
    }
}

/// `if not distributed or rank == 0:`, `if rank == 0 or rank == "cpu":`
fn any_passes(scope: &FileScope<'_>, parts: &[Expr<'_>], hops: usize) -> Option<bool> {
    let (first, others): (Vec<&Expr<'_>>, Vec<&Expr<'_>>) =
        parts.iter().partition(|part| passes(scope, part, hops) == Some(true));
    let is_alone = |part: &&Expr<'_>| match &part.kind {
        ExprKind::Not(_) => passes(scope, part, hops).is_none(),
        ExprKind::Compare(Comparison::Equal, sides) => {
            names_rank(scope, &sides.0)
                && matches!(sides.1.kind, ExprKind::Text(_) | ExprKind::Negate(_) | ExprKind::Int(-1))
        }
        _ => false,
    };
    (!first.is_empty() && others.iter().all(is_alone)).then_some(true)
}

/// What a number is compared with: a small number, or one that a variable of the environment spells.
fn number(expr: &Expr<'_>) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(number) => Some(*number),
        ExprKind::Text(text) => text.parse().ok(),
        _ => None,
    }
}

/// Who passes where the number of the process stands on the left.
fn compared(comparison: Comparison, number: i64) -> Option<bool> {
    match (comparison, number) {
        (Comparison::Equal, 0) | (Comparison::LessOrEqual, 0) | (Comparison::Less, 1) => Some(true),
        (Comparison::NotEqual, 0) | (Comparison::Greater, 0) | (Comparison::GreaterOrEqual, 1) => Some(false),
        _ => None,
    }
}

/// The same comparison with its sides changed.
fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        other => other,
    }
}

/// `is_main_process`, `trainer.is_global_zero`
fn says_first(expr: &Expr<'_>) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) | ExprKind::Attribute(_, name) if FIRST.contains(name))
}

/// Whether a function of the project, which a test calls, gives true to the first process alone.
fn says_so(scope: &FileScope<'_>, test: &Expr<'_>, hops: usize) -> Option<bool> {
    if let Some(function) = function_called(scope, test) {
        return gives_first(scope, function, hops).then_some(true);
    }
    let ExprKind::Call(call) = &test.kind else { return None };
    let (module, name) = module_and_name(&call.callee)?;
    let (file, name) = imported(scope, module, name)?;
    let is_first = scope.in_other(file, |other| {
        super::memory::function_named(other, name).is_some_and(|function| gives_first(other, function, hops))
    });
    is_first.then_some(true)
}

/// `return not dist.is_initialized() or dist.get_rank() == 0`
fn gives_first(scope: &FileScope<'_>, function: &Function<'_>, hops: usize) -> bool {
    let (mut first, mut others) = (0, 0);
    walk_block(scope.code, &function.body, &mut |part, around| {
        let CodeNode::Statement(Statement { kind: StatementKind::Return(value), .. }) = part else { return };
        if functions_around(around).next().is_some() {
            return;
        }
        match value {
            // Without a group there is one process.
            Some(Expr { kind: ExprKind::Bool(true), .. }) => {}
            Some(value) if passes(scope, value, hops + 1) == Some(true) => first += 1,
            _ => others += 1,
        }
    });
    first > 0 && others == 0
}

/// `rank`, `args.local_rank`, `dist.get_rank()`, `int(os.environ["RANK"])`
fn names_rank(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    // `init_process_group("nccl", rank=gpu)`
    let is_given = |name: &str| {
        let text = scope.whole_text();
        text.contains("init_process_group(")
            && [",", ")", "\n"].iter().any(|end| text.contains(&format!("rank={name}{end}")))
    };
    match &expr.kind {
        ExprKind::Name(name) => {
            RANKS.contains(name) || is_given(name) || {
                let meant = scope.names.meant(expr);
                matches!(meant.kind, ExprKind::Call(_) | ExprKind::Item(_)) && gives_rank(scope, meant)
            }
        }
        ExprKind::Attribute(_, name) => RANKS.contains(name),
        _ => gives_rank(scope, expr),
    }
}

fn gives_rank(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let of_environment = |expr: &Expr<'_>| {
        let text = scope.text(expr.span);
        text.contains("environ") && text.contains("RANK") || text.contains("getenv(") && text.contains("RANK")
    };
    match &expr.kind {
        ExprKind::Item(_) => of_environment(expr),
        ExprKind::Call(call) => {
            let name = scope.text(call.callee.span).rsplit('.').next().unwrap_or_default();
            let given = call.arguments.first().map(|one| &one.value);
            let group = call.arguments.iter().any(|one| one.name == Some("group"));
            let number = name == "int" && given.is_some_and(|given| scope.text(given.span).contains("RANK"));
            let read =
                matches!(path(scope, &call.callee), "os.environ.get" | "os.getenv") && of_environment(expr);
            number || read || !group && call.arguments.is_empty() && RANKS.contains(&name)
        }
        _ => false,
    }
}

/// `if not is_leader and count > 1:`: whether a part of a test asks which process this is, by whatever name.
pub(super) fn asks_for_rank(scope: &FileScope<'_>, test: &Expr<'_>) -> bool {
    match &test.kind {
        ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().any(|part| asks_for_rank(scope, part)),
        ExprKind::Not(inner) => asks_for_rank(scope, inner),
        _ => is_of_ranks(scope, test) || passes(scope, test, 0).is_some(),
    }
}

/// Whether a test speaks of processes at all.
pub(super) fn is_of_ranks(scope: &FileScope<'_>, test: &Expr<'_>) -> bool {
    const WORDS: &[&str] = &["rank", "main", "master", "process", "chief", "first", "zero"];
    let text = scope.text(test.span).to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}
