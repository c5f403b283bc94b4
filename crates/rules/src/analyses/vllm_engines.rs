//! Engines of vLLM that a program makes: how many of them take memory of one GPU, and what does not choose their GPU.

use super::order::PlaceInFunction;
use super::spread_ranks::numbered_card;
use super::vllm_services;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Argument, Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

const ENGINES: &[&str] = &["vllm.LLM", "vllm.entrypoints.llm.LLM"];

/// What an engine takes of the memory of a GPU unless it is told, in percent.
pub(super) const DEFAULT_SHARE: u32 = 90;

/// Words of programs that put engines on other GPUs, or that let one go before the next is made.
const APART: &[&str] = &[
    "CUDA_VISIBLE_DEVICES",
    "num_gpus",
    "enable_sleep_mode",
    "external_launcher",
    "destroy_model_parallel",
    "cleanup_dist_env",
    "kv_cache_memory_bytes",
];

struct Engine {
    place: PlaceInFunction,
    /// In percent; `None` where it is not known.
    share: Option<u32>,
    /// It stands in a handler of exceptions, or in one `case` of a `match`: another may be made in its place.
    is_instead: bool,
}

/// Two engines in one function, or one in each process of a pool, which together want more memory than a GPU has.
pub(super) fn that_share_a_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    match scope.language() {
        Language::Yaml => return vllm_services::that_share_a_gpu(scope),
        Language::Shell => return vllm_services::in_scripts(scope),
        _ => {}
    }
    if APART.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut engines = engines_of(scope);
    engines.retain(|engine| !engine.is_instead);
    let mut found: Vec<RawFinding> = Vec::new();
    for (at, second) in engines.iter().enumerate() {
        let is_beside = |first: &&Engine| {
            let between = text.get(first.place.span.range().end..second.place.span.range().start);
            // Memory may be free again by then.
            first.place.precedes(&second.place)
                && between.is_some_and(|between| {
                    !["del ", "None", "return", "shutdown", "sys.exit", "device="]
                        .iter()
                        .any(|word| between.contains(word))
                })
        };
        let Some(first) = engines[..at].iter().rev().find(is_beside) else { continue };
        let Some(sum) = first.share.zip(second.share).map(|(one, other)| one + other) else { continue };
        if sum > 100 {
            let raw_finding = RawFinding::at(scope.place(second.place.span)).word("count", "two");
            let raw_finding = raw_finding.word("share", sum.to_string());
            found.push(raw_finding.beside(scope.place(first.place.span), "the first engine is made here"));
        }
    }
    found.extend(in_pools(scope, &engines));
    found
}

/// `Pool(2, initializer=load)`, where `load` makes an engine.
fn in_pools(scope: &FileScope<'_>, engines: &[Engine]) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &call.callee.kind else { return };
        let counts = match *name {
            "Pool" => "processes",
            "ProcessPoolExecutor" => "max_workers",
            _ => return,
        };
        let count =
            argument(&call.arguments, Some(0), Some(counts)).map(|count| &scope.names.meant(count).kind);
        let Some(ExprKind::Int(count)) = count else { return };
        let Some(started) = argument(&call.arguments, None, Some("initializer")) else { return };
        let ExprKind::Name(started) = started.kind else { return };
        let is_started = |engine: &&Engine| {
            engine.place.home.is_some_and(|number| scope.code.functions[number].name == started)
        };
        let Some(engine) = engines.iter().find(is_started) else { return };
        let sum =
            engine.share.zip(u32::try_from(*count).ok()).map(|(share, count)| share.saturating_mul(count));
        if let Some(sum) = sum.filter(|sum| *sum > 100 && *count > 1) {
            let raw_finding = RawFinding::at(scope.place(engine.place.span)).word("count", count.to_string());
            let raw_finding = raw_finding.word("share", sum.to_string());
            found.push(raw_finding.beside(scope.place(expr.span), "each process of this pool makes one"));
        }
    });
    found
}

/// `torch.cuda.set_device(1)` above an engine, which goes to the first GPU that the process sees.
pub(super) fn on_the_first_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const SETTERS: &[&str] = &["torch.accelerator.set_device_index", "torch.cuda.set_device"];
    const OF_PROCESS: &[&str] = &["rank", "RANK", "torchrun"];
    /// What else may be there for the chosen card.
    const USES: &[&str] = &[".cuda(", ".to(", "device="];
    let text = scope.whole_text();
    if APART.iter().chain(OF_PROCESS).any(|word| text.contains(word)) {
        return Vec::new();
    }
    let engines = engines_of(scope);
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        if !scope.names.path(&call.callee).is_some_and(|path| SETTERS.contains(&path)) {
            return;
        }
        let Some(card) = argument(&call.arguments, Some(0), Some("device")) else { return };
        let behind = text.get(expr.span.range().end..).unwrap_or_default();
        if !is_another(scope, card) || USES.iter().any(|word| behind.contains(word)) {
            return;
        }
        let place = PlaceInFunction::of(expr.span, around);
        let Some(engine) = engines.iter().find(|engine| place.precedes(&engine.place)) else { return };
        let raw_finding = RawFinding::at(scope.place(expr.span)).word("text", scope.text(expr.span));
        found.push(raw_finding.beside(scope.place(engine.place.span), "the engine is made here"));
    });
    found
}

/// Whether a device is surely not the first card: `1`, `"cuda:1"`, and what a server of Triton gives each instance.
fn is_another(scope: &FileScope<'_>, card: &Expr<'_>) -> bool {
    match &scope.names.meant(card).kind {
        ExprKind::Int(number) => *number > 0,
        _ => {
            numbered_card(scope, card).is_some_and(|name| name != "cuda:0")
                || scope.text(card.span).contains("model_instance_device_id")
        }
    }
}

fn engines_of(scope: &FileScope<'_>) -> Vec<Engine> {
    let mut engines = Vec::new();
    let mut matches: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) if matches!(step.kind, StatementKind::Match { .. }) => {
            matches.push(step.span)
        }
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. })
            if scope.names.path(&call.callee).is_some_and(|path| ENGINES.contains(&path)) =>
        {
            let place = PlaceInFunction::of(expr.span, around);
            let is_instead = around.iter().any(|one| matches!(one, Ancestor::Handler(..)))
                || matches.iter().any(|choice| choice.holds(expr.span));
            engines.push(Engine { place, share: share_of(scope, &call.arguments), is_instead });
        }
        _ => {}
    });
    engines
}

fn share_of(scope: &FileScope<'_>, arguments: &[Argument<'_>]) -> Option<u32> {
    if arguments.iter().any(|one| one.unpacked) {
        return None;
    }
    let Some(share) = argument(arguments, None, Some("gpu_memory_utilization")) else {
        return Some(DEFAULT_SHARE);
    };
    let share: f64 = scope.text(scope.names.meant(share).span).parse().ok()?;
    (share > 0.0 && share <= 1.0).then_some((share * 100.0).round() as u32)
}
