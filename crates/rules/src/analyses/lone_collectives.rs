//! Calls that all processes of a group must make, where one of them comes alone.

use super::lone_forwards;
use super::memory::{path, path_of_decorator};
use crate::code::walk::{CodeNode, functions_around, walk, walk_block};
use crate::code::{Block, Call, Comparison, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Functions of `torch.distributed` that wait for the other processes.
const OF_TORCH: &[&str] = &[
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "gather_object",
    "monitored_barrier",
    "reduce",
    "reduce_scatter",
    "scatter",
];

/// Those of Horovod, in each of its modules.
const OF_HOROVOD: &[&str] = &[
    "allgather",
    "allgather_object",
    "allreduce",
    "barrier",
    "broadcast",
    "broadcast_object",
    "broadcast_optimizer_state",
    "broadcast_parameters",
    "join",
];

/// Names that say of a process whether it is the first one.
const FIRST: &[&str] = &[
    "is_chief",
    "is_first_rank",
    "is_global_zero",
    "is_local_main_process",
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

/// A call that waits for all.
struct Waiting<'s> {
    span: Span,
    name: &'s str,
    /// The test that lets one process through, or the decorator.
    by: Span,
}

/// `if rank == 0: dist.barrier()`
pub(super) fn of_one_process(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let engines = engines_of(scope);
    let mut alone: Vec<Waiting<'_>> = Vec::new();
    // The names of what waits where it is asked for a process in another way, or the other processes come.
    let mut elsewhere: Vec<&str> = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Statement(step) = part else { return };
        match &step.kind {
            StatementKind::Branch { test, then, otherwise } => {
                let asks = is_of_ranks(scope, test);
                let (first, others) = match who_passes(scope, test) {
                    Some(true) => (Some(then), otherwise),
                    Some(false) => (Some(otherwise), then),
                    None if asks => {
                        elsewhere.extend(waits_in(scope, then, &engines).into_iter().map(|one| one.1));
                        elsewhere.extend(waits_in(scope, otherwise, &engines).into_iter().map(|one| one.1));
                        return;
                    }
                    None => return,
                };
                let waits = first.map_or(Vec::new(), |block| waits_in(scope, block, &engines));
                // What the other processes do meanwhile may be the other half of it.
                if does_something(scope, others) {
                    elsewhere.extend(waits.iter().map(|one| one.1));
                    elsewhere.extend(waits_in(scope, others, &engines).into_iter().map(|one| one.1));
                } else {
                    alone.extend(waits.into_iter().map(|(span, name)| Waiting { span, name, by: test.span }));
                }
            }
            StatementKind::Define { function, decorators } => {
                let is_for_first = |one: &&Expr<'_>| {
                    path_of_decorator(scope, one).is_some_and(|path| path.ends_with("rank_zero_only"))
                };
                if let Some(decorator) = decorators.iter().find(is_for_first) {
                    let waits = waits_in(scope, &scope.code.functions[*function].body, &engines);
                    let by = decorator.span;
                    alone.extend(waits.into_iter().map(|(span, name)| Waiting { span, name, by }));
                }
            }
            _ => {}
        }
    });
    let mut seen: Vec<Span> = Vec::new();
    let mut found = Vec::new();
    for Waiting { span, name, by } in alone {
        if elsewhere.contains(&name) || seen.contains(&span) {
            continue;
        }
        seen.push(span);
        let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
        found.push(raw_finding.beside(scope.place(by), "the other processes do not come behind this"));
    }
    for one in lone_forwards::of_one_process(scope) {
        let raw_finding = RawFinding::at(scope.place(one.span)).word("name", one.name);
        found.push(raw_finding.beside(scope.place(one.by), "the other processes do not come behind this"));
    }
    found
}

/// What `deepspeed.initialize` gives first, as it is written.
fn engines_of<'a>(scope: &FileScope<'a>) -> Vec<&'a str> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Statement(Statement { kind: StatementKind::Assign { targets, value, .. }, .. }) = part
        else {
            return;
        };
        let made = value.as_ref().and_then(|value| match &value.kind {
            ExprKind::Call(call) => Some(path(scope, &call.callee)),
            _ => None,
        });
        if let ([Target::Sequence(parts)], Some("deepspeed.initialize")) = (&targets[..], made)
            && let Some(Target::Name(name, _) | Target::Attribute(_, name)) = parts.first()
        {
            found.push(*name);
        }
    });
    found
}

/// The calls in a block that wait for all processes, but not those of functions that it defines.
fn waits_in<'a>(scope: &FileScope<'a>, block: &Block<'a>, engines: &[&str]) -> Vec<(Span, &'a str)> {
    let mut found = Vec::new();
    walk_block(scope.code, block, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_inside = functions_around(around).next().is_none();
        if is_inside && waits(scope, call, engines) {
            found.push((expr.span, scope.text(call.callee.span)));
        }
    });
    found
}

/// Whether a call waits until all processes have made it. A group of its own may have one process alone.
fn waits(scope: &FileScope<'_>, call: &Call<'_>, engines: &[&str]) -> bool {
    if call.arguments.iter().any(|one| one.unpacked || one.name == Some("group")) {
        return false;
    }
    let path = path(scope, &call.callee);
    if let Some(name) = path.strip_prefix("torch.distributed.") {
        return OF_TORCH.contains(&name);
    }
    if let Some(rest) = path.strip_prefix("horovod.") {
        return rest.split_once('.').is_some_and(|(_, name)| OF_HOROVOD.contains(&name));
    }
    let ExprKind::Attribute(object, name) = &call.callee.kind else { return false };
    let text = scope.text(object.span);
    let last = text.rsplit('.').next().unwrap_or(text);
    match *name {
        "wait_for_everyone" => true,
        "gather" | "gather_for_metrics" | "reduce" => last == "accelerator",
        "save_checkpoint" => {
            engines.contains(&last) || last == "trainer" && scope.whole_text().contains("lightning")
        }
        "barrier" => last == "strategy" && text.contains("trainer"),
        _ => false,
    }
}

/// Who comes behind a test: the first process alone, all but the first, or others that are not known.
pub(super) fn who_passes(scope: &FileScope<'_>, test: &Expr<'_>) -> Option<bool> {
    match &test.kind {
        ExprKind::Not(inner) => match &inner.kind {
            ExprKind::All(_) => None,
            _ => who_passes(scope, inner).map(|first| !first),
        },
        // `if distributed and rank == 0:`
        ExprKind::All(parts) => parts.iter().find_map(|part| who_passes(scope, part)).filter(|first| *first),
        // `if not distributed or rank == 0:`, `if rank == 0 or rank == "cpu":`
        ExprKind::Any(parts) => {
            let (first, others): (Vec<&Expr<'_>>, Vec<&Expr<'_>>) =
                parts.iter().partition(|part| who_passes(scope, part) == Some(true));
            let is_alone = |part: &&Expr<'_>| match &part.kind {
                ExprKind::Not(_) => who_passes(scope, part).is_none(),
                ExprKind::Compare(Comparison::Equal, sides) => {
                    names_rank(scope, &sides.0)
                        && matches!(sides.1.kind, ExprKind::Text(_) | ExprKind::Negate(_) | ExprKind::Int(-1))
                }
                _ => false,
            };
            (!first.is_empty() && others.iter().all(is_alone)).then_some(true)
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
            let is_zero = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Int(0));
            let of_rank = |expr: &Expr<'_>| names_rank(scope, expr);
            if !(is_zero(&sides.1) && of_rank(&sides.0) || is_zero(&sides.0) && of_rank(&sides.1)) {
                return None;
            }
            match comparison {
                Comparison::Equal => Some(true),
                Comparison::NotEqual => Some(false),
                _ => None,
            }
        }
        ExprKind::Call(call) => says_first(&call.callee).then_some(true),
        _ => says_first(test).then_some(true),
    }
}

/// `is_main_process`, `trainer.is_global_zero`
fn says_first(expr: &Expr<'_>) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) | ExprKind::Attribute(_, name) if FIRST.contains(name))
}

/// `rank`, `args.local_rank`, `dist.get_rank()`
fn names_rank(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    const RANKS: &[&str] = &[
        "get_rank",
        "global_rank",
        "local_rank",
        "process_index",
        "rank",
        "world_rank",
        "RANK",
        "LOCAL_RANK",
    ];
    // `init_process_group("nccl", rank=gpu)`
    let is_given = |name: &str| {
        let text = scope.whole_text();
        text.contains("init_process_group(")
            && [",", ")", "\n"].iter().any(|end| text.contains(&format!("rank={name}{end}")))
    };
    match &expr.kind {
        ExprKind::Name(name) => RANKS.contains(name) || is_given(name),
        ExprKind::Attribute(_, name) => RANKS.contains(name),
        ExprKind::Call(call) => {
            let name = scope.text(call.callee.span).rsplit('.').next().unwrap_or_default();
            let given = call.arguments.first().map(|one| &one.value);
            let group = call.arguments.iter().any(|one| one.name == Some("group"));
            // `int(os.environ["RANK"])`
            let number = name == "int" && given.is_some_and(|given| scope.text(given.span).contains("RANK"));
            number || !group && call.arguments.is_empty() && RANKS.contains(&name)
        }
        _ => false,
    }
}

/// Whether a test speaks of processes at all.
fn is_of_ranks(scope: &FileScope<'_>, test: &Expr<'_>) -> bool {
    const WORDS: &[&str] = &["rank", "main", "master", "process", "chief", "first", "zero"];
    let text = scope.text(test.span).to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// Whether a block calls something: the other half of what waits may be there.
pub(super) fn does_something(scope: &FileScope<'_>, block: &Block<'_>) -> bool {
    let mut calls = false;
    walk_block(scope.code, block, &mut |part, _| {
        calls |= matches!(part, CodeNode::Expr(Expr { kind: ExprKind::Call(_), .. }));
    });
    calls
}
