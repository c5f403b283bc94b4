//! Code that names a card other than the first one, beside calls that take the current card, or the first one, instead.

use super::homes::Home;
use super::loader_generators::LOADERS;
use super::memory::method_of;
use super::parallel_models;
use super::ranks::is_started_in_several;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind};
use crate::commands::attribute_of_option;
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

pub(super) const PARALLEL: &[&str] = &["torch.nn.DataParallel", "torch.nn.parallel.DataParallel"];

/// Calls that act on the current card: most make a context there, and counts of memory speak of it alone.
const ON_CURRENT: &[&str] = &[
    "torch.cuda.empty_cache",
    "torch.cuda.max_memory_allocated",
    "torch.cuda.max_memory_reserved",
    "torch.cuda.mem_get_info",
    "torch.cuda.memory_allocated",
    "torch.cuda.memory_reserved",
    "torch.cuda.reset_peak_memory_stats",
    "torch.cuda.synchronize",
];

/// `DataParallel(net.cuda())` where the current card is not the first one: it begins with the first one all the same.
pub(super) fn left_by_data_parallel(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut current, mut wrapped, mut named) = (Vec::new(), Vec::new(), Vec::new());
    scope.each_call(&mut |expr, call, around| {
        let place = (Home::of(around), expr.span);
        match scope.names.path(&call.callee) {
            _ if is_moved_to_current(scope, expr) => {
                let ExprKind::Attribute(wrapper, _) = &call.callee.kind else { return };
                let ExprKind::Call(inner) = &wrapper.kind else { return };
                let wraps = scope.names.path(&inner.callee).is_some_and(|path| PARALLEL.contains(&path));
                let ids = argument(&inner.arguments, Some(1), Some("device_ids")).filter(|_| wraps);
                named.extend(ids.and_then(|ids| start_of(scope, ids)).map(|start| (wrapper.span, start)));
            }
            Some("torch.cuda.set_device") => {
                let index = argument(&call.arguments, Some(0), Some("device"));
                current.extend(index.and_then(|index| index_of(scope, index)).map(|index| (place, index)));
            }
            Some(path) if PARALLEL.contains(&path) => {
                let open = call.arguments.iter().any(|one| one.unpacked);
                let ids = argument(&call.arguments, Some(1), Some("device_ids"));
                if ids.is_none() && !open {
                    wrapped.push(place);
                }
                let moved =
                    call.arguments.first().is_some_and(|model| is_moved_to_current(scope, &model.value));
                let start = ids.and_then(|ids| start_of(scope, ids)).filter(|_| moved);
                named.extend(start.map(|start| (expr.span, start)));
            }
            _ => {}
        }
    });
    let moves_to_current = scope.whole_text().contains(".cuda()");
    let mut found = Vec::new();
    for (home, span) in wrapped.into_iter().filter(|_| moves_to_current) {
        let before = |((known, at), _): &&((Home, Span), i64)| {
            (*known == home || *known == Home::Module) && at.start < span.start
        };
        if let Some(((_, at), index)) = current.iter().rev().find(before).filter(|(_, index)| *index > 0) {
            let raw_finding = RawFinding::at(scope.place(span)).word("index", index.to_string());
            let raw_finding = raw_finding.word("starts", "without `device_ids` starts at `cuda:0`");
            found.push(raw_finding.beside(scope.place(*at), format!("`cuda:{index}` is made current here")));
        }
    }
    // What is made current was told above.
    if current.is_empty() {
        found.extend(parallel_models::on_another_card(scope));
    }
    if !chooses_current(scope) {
        found.extend(named.into_iter().map(|(span, start)| {
            let starts = format!("starts at {start}");
            RawFinding::at(scope.place(span)).word("index", "0").word("starts", starts)
        }));
    }
    found
}

/// `net.cuda()`, or a name for it: the current card.
fn is_moved_to_current(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    match method_of(scope.names.meant(expr)) {
        Some((_, "cuda", call)) => call.arguments.is_empty(),
        _ => false,
    }
}

/// Where `DataParallel` starts by a list of cards, where that is, or may be, another card than the first of the machine.
fn start_of(scope: &FileScope<'_>, ids: &Expr<'_>) -> Option<String> {
    match &scope.names.meant(ids).kind {
        ExprKind::Sequence(known) => {
            let first = index_of(scope, known.first()?).filter(|first| *first > 0)?;
            Some(format!("`cuda:{first}`, the first of `device_ids`"))
        }
        ExprKind::Attribute(_, name) if is_option(scope, name) => {
            Some(format!("the first of `{}`, which the command line gives", scope.text(ids.span)))
        }
        _ => None,
    }
}

/// Whether the command line gives the cards under this name, and nothing in the project makes one of them current or visible.
fn is_option(scope: &FileScope<'_>, name: &str) -> bool {
    const OPTIONS: &[&str] =
        &["--device_ids", "--devices", "--gpu", "--gpu_ids", "--gpus", "--gpu-ids", "--device-ids"];
    let given = |option: &&str| attribute_of_option(option) == name;
    let options: Vec<&str> = OPTIONS.iter().copied().filter(given).collect();
    scope.program.has_any(&options)
        && !scope.program.has_any(&["CUDA_VISIBLE_DEVICES", "set_device", "cuda.device("])
}

/// `torch.cuda.empty_cache()` in a file that uses another card than the first one, which is the current one.
pub(super) fn left_by_cleaning(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut used, mut first_used, mut cleaned, mut pinned) = (None, false, Vec::new(), Vec::new());
    let mut of_rank = None;
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        if of_rank.is_none() && takes_rank(scope, expr) {
            of_rank = Some(expr.span);
        }
        match &expr.kind {
            ExprKind::Text(text) => match text.strip_prefix("cuda") {
                Some("") => first_used = true,
                Some(rest) => match rest.strip_prefix(':').and_then(|index| index.parse::<i64>().ok()) {
                    Some(0) => first_used = true,
                    Some(_) => used = used.or(Some(expr.span)),
                    None => {}
                },
                None => {}
            },
            // A card that is not known may be the first one.
            ExprKind::Join(_) => first_used |= scope.text(expr.span).contains("cuda:"),
            ExprKind::Call(call) => {
                if let Some((_, "cuda", call)) = method_of(expr) {
                    let index = argument(&call.arguments, Some(0), Some("device"));
                    match index.and_then(|index| index_of(scope, index)) {
                        Some(index) if index > 0 => used = used.or(Some(expr.span)),
                        _ => first_used = true,
                    }
                }
                let path = scope.names.path(&call.callee);
                // The stream of a graph is one of the current card, unless it is handed over.
                let captures = path == Some("torch.cuda.graph")
                    && argument(&call.arguments, Some(2), Some("stream")).is_none();
                if path.is_some_and(|path| ON_CURRENT.contains(&path)) && call.arguments.is_empty()
                    || captures
                {
                    cleaned.push((expr.span, scope.text(expr.span)));
                }
                if path == Some("peft.PeftModel.from_pretrained")
                    && argument(&call.arguments, None, Some("torch_device")).is_none()
                    && !call.arguments.iter().any(|one| one.unpacked)
                {
                    cleaned.push((expr.span, "PeftModel.from_pretrained"));
                }
                if pins_batches(scope, call) {
                    pinned.push((expr.span, "DataLoader(pin_memory=True)"));
                }
            }
            _ => {}
        }
    });
    // A group for NVIDIA cards without a device is a fault of its own.
    let by_ranks = || !scope.whole_text().contains("nccl") && is_started_in_several(scope);
    let ranked = of_rank.filter(|_| !cleaned.is_empty() && !ranks_choose(scope) && by_ranks());
    let alone = used.filter(|_| !first_used && !chooses_current(scope));
    if alone.is_some() {
        cleaned.append(&mut pinned);
    }
    let Some(used) = ranked.or(alone) else { return Vec::new() };
    let raw_finding = |(span, text): (Span, &str)| {
        let raw_finding = RawFinding::at(scope.place(span)).word("text", text);
        raw_finding.beside(scope.place(used), "the card that is used")
    };
    cleaned.into_iter().map(raw_finding).collect()
}

/// `DataLoader(rows, pin_memory=True)`: its thread takes the current card.
fn pins_batches(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let is_loader = scope.names.path(&call.callee).is_some_and(|path| LOADERS.contains(&path));
    let given = |name| argument(&call.arguments, None, Some(name));
    is_loader
        && given("pin_memory").is_some_and(|pins| matches!(pins.kind, ExprKind::Bool(true)))
        && given("pin_memory_device").is_none()
}

/// `torch.device(rank)`, `net.to(local_rank)`, `x.cuda(rank)`, `f"cuda:{rank}"`: the card with the number of the process.
fn takes_rank(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let is_rank = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Name("rank" | "local_rank"));
    match &expr.kind {
        ExprKind::Join(parts) => scope.text(expr.span).contains("cuda:{") && parts.iter().any(is_rank),
        ExprKind::Call(call) => {
            let moves = matches!(call.callee.kind, ExprKind::Attribute(_, "to" | "cuda"));
            let makes = scope.names.path(&call.callee) == Some("torch.device");
            let map = argument(&call.arguments, None, Some("device_map"));
            (moves || makes) && call.arguments.first().is_some_and(|first| is_rank(&first.value))
                || map.is_some_and(is_rank)
        }
        _ => false,
    }
}

/// Whether something makes a card the current one, or this file sets the mask of its process.
fn ranks_choose(scope: &FileScope<'_>) -> bool {
    const CHOICES: &[&str] = &["cuda.device(", "cuda.set_device", "import set_device", "set_device_index"];
    let sets = |line: &str| {
        line.split_once("CUDA_VISIBLE_DEVICES").is_some_and(|(_, rest)| {
            let rest = rest.trim_start_matches(['"', '\'', ']', ' ']);
            rest.starts_with('=') && !rest.starts_with("==")
        })
    };
    scope.program.has_any(CHOICES) || scope.whole_text().lines().any(sets)
}

/// Whether the file says which card is the current one, or which are visible.
pub(super) fn chooses_current(scope: &FileScope<'_>) -> bool {
    let text = scope.whole_text();
    ["set_device", "cuda.device(", "VISIBLE_DEVICES"].iter().any(|word| text.contains(word))
}

/// The index that an expression names; `None` when it is not known.
pub(super) fn index_of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<i64> {
    match &scope.names.meant(expr).kind {
        ExprKind::Int(index) => Some(*index),
        ExprKind::Text(text) => text.strip_prefix("cuda:")?.parse().ok(),
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("torch.device") => {
            let index = argument(&call.arguments, Some(1), Some("index"));
            index_of(scope, index.or(argument(&call.arguments, Some(0), None))?)
        }
        _ => None,
    }
}
