//! Which card each of several processes takes.

mod deepspeed;

use super::task_numbers::has_one_card_each;
use crate::code::walk::{Ancestor, CodeNode, innermost_class, walk};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::commands::ranks;
use crate::facts::{FileId, Span};
use crate::findings::Severity;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Calls that make a card current.
const SETTERS: &[&str] =
    &["torch.accelerator.set_device_index", "torch.cuda.device", "torch.cuda.set_device"];

const JOIN: &str = "torch.distributed.init_process_group";

/// Horovod joins its processes by this, whatever they compute on.
const JOIN_HOROVOD: &str = "horovod.torch.init";

/// Words that speak of one of several processes.
const OF_RANKS: &[&str] = &["rank", "distributed", "worker", "process"];

/// Processes that join a group for NVIDIA cards and never say which card is theirs.
pub(super) fn without_device(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut joins: Vec<Span> = Vec::new();
    let (mut moves, mut joined) = (false, Vec::new());
    let mut chooses = scope.whole_text().contains("CUDA_VISIBLE_DEVICES") || has_cards_from_ray(scope);
    scope.each_call(&mut |expr, call, _| {
        // `.cuda()` goes to the current card, which is the first one.
        moves |= matches!(call.callee.kind, ExprKind::Attribute(_, "cuda")) && call.arguments.is_empty();
        match scope.names.path(&call.callee) {
            Some(JOIN_HOROVOD) => joined.push(expr.span),
            Some(JOIN) => {
                let backend = argument(&call.arguments, Some(0), Some("backend"));
                // Names of backends are taken in any case of letters.
                let is_nccl = backend.is_some_and(|backend| match &scope.names.meant(backend).kind {
                    ExprKind::Text(text) => text.to_ascii_lowercase().contains("nccl"),
                    _ => false,
                });
                let open = call.arguments.iter().any(|one| one.unpacked);
                let size = argument(&call.arguments, None, Some("world_size"));
                let is_one =
                    size.is_some_and(|size| matches!(scope.names.meant(size).kind, ExprKind::Int(1)));
                if is_nccl && !open && !is_one && argument(&call.arguments, None, Some("device_id")).is_none()
                {
                    joins.push(expr.span);
                }
            }
            // `dist.barrier(device_ids=[rank])`
            Some("torch.distributed.barrier") => {
                chooses |= argument(&call.arguments, None, Some("device_ids")).is_some()
            }
            Some(path) => chooses |= SETTERS.contains(&path),
            None => {}
        }
    });
    if moves {
        joins.append(&mut joined);
    }
    joins.extend(deepspeed::joined_without_card(scope));
    let alone = || has_one_card_each(scope);
    if chooses || joins.is_empty() || callers_choose(scope) || callees_choose(scope) || alone() {
        return Vec::new();
    }
    // There the wrapper works on the card of the rank; only what names none goes to GPU 0.
    let several = is_started_in_several(scope) && !names_card_of_rank(scope);
    let raw_finding = |span: &Span| {
        let raw_finding = RawFinding::at(scope.place(*span));
        if several { raw_finding.at_least(Severity::Warning) } else { raw_finding }
    };
    joins.iter().map(raw_finding).collect()
}

/// Whether the file wraps its model for the card of its rank: `DistributedDataParallel(model, device_ids=[rank])`. A name says so too, where
/// one of its values is that of a rank: `device = int(os.environ["LOCAL_RANK"])`.
fn names_card_of_rank(scope: &FileScope<'_>) -> bool {
    let of_rank = |text: &str| text.to_ascii_lowercase().contains("rank");
    let (mut names, mut of_ranks, mut wrapped) = (false, Vec::new(), Vec::new());
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(Statement { kind: StatementKind::Assign { targets, value, .. }, .. }) => {
            if let ([Target::Name(name, _)], Some(value)) = (&targets[..], value)
                && of_rank(scope.text(value.span))
            {
                of_ranks.push(*name);
            }
        }
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            let Some(cards) = argument(&call.arguments, None, Some("device_ids")) else { return };
            names |= of_rank(scope.text(cards.span));
            if let ExprKind::Sequence(cards) = &cards.kind {
                wrapped.extend(cards.iter().map(|card| scope.text(card.span)));
            }
        }
        _ => {}
    });
    names || wrapped.iter().any(|card| of_ranks.contains(card))
}

/// Whether Ray hands the processes of a file their cards: each sees its own alone.
fn has_cards_from_ray(scope: &FileScope<'_>) -> bool {
    let text = scope.whole_text();
    text.contains("num_gpus=") && (text.contains("ray.remote") || text.contains(".options("))
}

/// Calls that start several processes of one function.
const SPAWNS: &[&str] = &["torch.multiprocessing.spawn", "torch.multiprocessing.start_processes"];

/// Whether this file runs in several processes that all see all cards: a command of the project starts them, or the file
/// does.
pub(super) fn is_started_in_several(scope: &FileScope<'_>) -> bool {
    let mut spawns = false;
    scope.each_call(&mut |_, call, _| {
        if scope.names.path(&call.callee).is_some_and(|path| SPAWNS.contains(&path)) {
            let count = argument(&call.arguments, Some(2), Some("nprocs"));
            spawns |= count.is_some_and(|count| !matches!(scope.names.meant(count).kind, ExprKind::Int(1)));
        }
    });
    spawns || is_launched_in_several(scope)
}

/// Whether a command of the project starts this file in several processes.
pub(super) fn is_launched_in_several(scope: &FileScope<'_>) -> bool {
    let by_launcher = |command: &RunCommand| {
        let starts_several = ["torchrun", "horovodrun"].iter().any(|name| command.options_of(name).is_some());
        command.starts == Some(scope.file)
            && starts_several
            && ranks(&command.words()).is_none_or(|ranks| ranks.count > 1)
    };
    scope.program.run_commands().flatten().any(by_launcher)
}

/// Whether a file that names this module chooses a card, before it has the group joined.
fn callers_choose(scope: &FileScope<'_>) -> bool {
    let dotted = scope.program.dotted(scope.file);
    let name = dotted.rsplit('.').next().unwrap_or(&dotted);
    let choices = ["set_device", "set_device_index", "CUDA_VISIBLE_DEVICES"];
    let calls = |file: &FileId| *file != scope.file && scope.program.has_word(*file, name);
    scope.is_library() && choices.iter().any(|choice| scope.program.files_with(choice).iter().any(calls))
}

/// Whether a module of the project that a function imports, when it runs, makes a card the current one: `from train import main`.
fn callees_choose(scope: &FileScope<'_>) -> bool {
    let mut chooses = false;
    walk(scope.code, &mut |part, around| {
        let CodeNode::Statement(Statement { kind: StatementKind::Import(import), .. }) = part else { return };
        if around.iter().any(|one| matches!(one, Ancestor::Function(_))) {
            let targets = scope.program.import_targets(scope.file, import);
            chooses |= targets.iter().any(|file| scope.program.has_word(*file, "set_device"));
        }
    });
    chooses
}

/// `torch.cuda.set_device` in a module that others import, outside what sets up ranks.
pub(super) fn set_by_libraries(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    let mut joins = false;
    scope.each_call(&mut |expr, call, around| match scope.names.path(&call.callee) {
        Some(JOIN) => joins = true,
        Some("torch.cuda.set_device") => {
            let of_ranks = |text: &str| {
                let text = text.to_ascii_lowercase();
                OF_RANKS.iter().any(|word| text.contains(word))
            };
            let in_set_up = around.iter().any(|one| match one {
                Ancestor::Function(number) => of_ranks(scope.code.functions[*number].name),
                Ancestor::Then(test) => of_ranks(scope.text(test.span)),
                _ => false,
            });
            if !in_set_up && !of_ranks(scope.text(expr.span)) && !runs_elsewhere(around, scope) {
                found.push(RawFinding::at(scope.place(expr.span)).word("text", scope.text(expr.span)));
            }
        }
        _ => {}
    });
    if joins || !scope.is_library() {
        return Vec::new();
    }
    found
}

/// Whether code runs in a thread or process of its own: each has its own current GPU.
fn runs_elsewhere(around: &[Ancestor<'_, '_>], scope: &FileScope<'_>) -> bool {
    let (Some(name), class) = within_definitions(around, scope) else { return false };
    let is_run = name == "run"
        && class.is_some_and(|class| {
            let base = |base: &Expr<'_>| scope.text(base.span).ends_with("Thread");
            scope.code.classes[class].bases.iter().any(base)
        });
    is_run || is_handed_to_another(name, scope)
}

/// The innermost function by its name, and the innermost class.
fn within_definitions<'a>(
    around: &[Ancestor<'_, '_>],
    scope: &FileScope<'a>,
) -> (Option<&'a str>, Option<usize>) {
    let function = around.iter().rev().find_map(|one| match one {
        Ancestor::Function(number) => Some(scope.code.functions[*number].name),
        _ => None,
    });
    (function, innermost_class(around))
}

/// Whether a function is what a thread or process starts with: `Thread(target=name)`, `Pool(initializer=name)`.
fn is_handed_to_another(name: &str, scope: &FileScope<'_>) -> bool {
    let mut is_handed = false;
    scope.each_call(&mut |_, call, _| {
        for keyword in ["target", "initializer"] {
            let given = argument(&call.arguments, None, Some(keyword)).map(|given| &given.kind);
            is_handed |= matches!(given, Some(ExprKind::Name(given) | ExprKind::Attribute(_, given)) if *given == name);
        }
    });
    is_handed
}
