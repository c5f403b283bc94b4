//! Models that are spread over all cards, or that lie on the same one, in a program that a launcher starts once for each card.

use super::common_paths::all_come_to;
use super::device_texts::texts_of;
use super::placed_models::quantizes;
use super::ranks::is_started_in_several;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, Statement, StatementKind};
use crate::commands::{ranks, ranks_of_settings, settings_of_accelerate};
use crate::facts::{FileId, Place, Span};
use crate::findings::Severity;
use crate::program::launches::is_notebook_launcher;
use crate::program::{RunCommand, is_spread};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;
use std::cell::LazyCell;

/// Words of what trains in several processes, each with the whole model.
const TRAINS: &[&str] =
    &["Trainer(", ".prepare(", "DistributedDataParallel", "deepspeed.initialize", ".backward("];

/// Launchers that start as many processes as there are cards, unless they are told a number.
const LAUNCHERS: &[&str] = &["torchrun", "torch.distributed.run", "torch.distributed.launch", "deepspeed"];

/// `from_pretrained(name, device_map="auto")`, where a command of the project starts the program several times.
pub(super) fn in_each_rank(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut spread = Vec::new();
    let mut fixed = Vec::new();
    let mut loaded: Vec<(Span, String)> = Vec::new();
    let started = LazyCell::new(|| started_several_times(scope));
    scope.each_call(&mut |_, call, around| {
        if scope.names.path(&call.callee) == Some("torch.load")
            && let Some(device) = argument(&call.arguments, Some(1), Some("map_location"))
            && let Some(card) = numbered_card(scope, device)
            && !around.iter().any(|around| asks_for_processes(around, scope))
            && all_come_to(scope, started.map_or(scope.file, |(_, file)| file), device.span, around)
        {
            loaded.push((device.span, card));
        }
        let ExprKind::Attribute(_, "from_pretrained") = &call.callee.kind else { return };
        let Some(map) = argument(&call.arguments, None, Some("device_map")) else { return };
        if let ExprKind::Text(text) = &scope.names.meant(map).kind
            && is_spread(text)
        {
            spread.push((map.span, format!("device_map=\"{text}\"")));
        } else if is_one_card(scope, map) {
            fixed.push((map.span, format!("device_map={}", scope.text(map.span)), quantizes(call)));
        }
    });
    let text = scope.whole_text();
    // Who puts a rank into a map knows of the others.
    if fixed.is_empty() && (text.contains("{\"\":") || text.contains("{'':")) {
        spread.clear();
    }
    if spread.is_empty() && fixed.is_empty() && loaded.is_empty() {
        return Vec::new();
    }
    let site = started.map(|(site, _)| site);
    let raw_finding = |span, written: String, effect| {
        let raw_finding = RawFinding::at(scope.place(span)).word("written", written).word("effect", effect);
        match site {
            Some(site) => raw_finding.beside(site, "several processes are started here"),
            None => raw_finding,
        }
    };
    let spawns = || is_started_in_several(scope) && TRAINS.iter().any(|word| text.contains(word));
    let mut found = Vec::new();
    if !loaded.is_empty() && (site.is_some() || spawns()) && !masks_by_code(scope) {
        let advice = "write `map_location=\"cpu\"`, or the card of the process";
        let on_one = "loads on the same card in each of several processes";
        let seen = |(span, card)| raw_finding(span, format!("map_location=\"{card}\""), on_one);
        found.extend(loaded.into_iter().map(seen).map(|seen| seen.word("advice", advice)));
    }
    if site.is_none() {
        return found;
    }
    let raw_finding = |span, written, effect| {
        let advice = "leave the map out, or write `device_map={\"\": local_rank}`; or start one process: `python`, `--num_processes 1`";
        raw_finding(span, written, effect).word("advice", advice)
    };
    let over_all = "spreads the model over all cards in each of several processes";
    found.extend(spread.into_iter().map(|(span, written)| raw_finding(span, written, over_all)));
    found.extend(fixed.into_iter().map(|(span, written, is_quantized)| {
        let seen = raw_finding(span, written, "puts the model of each of several processes on the same card");
        // Another model goes on to the card of its process, once it is loaded.
        if is_quantized { seen } else { seen.at_most(Severity::Note) }
    }));
    found
}

/// `if rank == 0:`, `if not args.distributed:`, in either block.
pub(super) fn asks_for_processes(around: &Ancestor<'_, '_>, scope: &FileScope<'_>) -> bool {
    const WORDS: &[&str] = &["ddp", "distrib", "launcher", "main", "master", "multi", "rank", "world"];
    let (Ancestor::Then(test) | Ancestor::Otherwise(test)) = around else { return false };
    let text = scope.text(test.span).to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// Whether code of the project gives a process a mask, behind which its own card is the first.
fn masks_by_code(scope: &FileScope<'_>) -> bool {
    let files = scope.program.files_with("CUDA_VISIBLE_DEVICES");
    files.iter().any(|file| scope.program.sources.file(*file).language == Language::Python)
}

/// `"cuda:0"`, `torch.device("cuda:0")`
pub(super) fn numbered_card(scope: &FileScope<'_>, device: &Expr<'_>) -> Option<String> {
    let device = scope.names.meant(device);
    let inner = match &device.kind {
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("torch.device") => {
            argument(&call.arguments, Some(0), None)?
        }
        _ => device,
    };
    let texts = texts_of(inner, scope, true);
    let number = |text: &str| text.strip_prefix("cuda:").is_some_and(|number| number.parse::<u32>().is_ok());
    let [only] = texts.as_slice() else { return None };
    (only.whole && number(&only.text)).then(|| only.text.clone())
}

/// `{"": 0}` and `{"": "cuda:0"}`, which is no rank.
fn is_one_card(scope: &FileScope<'_>, map: &Expr<'_>) -> bool {
    let ExprKind::Mapping(entries) = &scope.names.meant(map).kind else { return false };
    let [(Some(key), value)] = entries.as_slice() else { return false };
    matches!(&key.kind, ExprKind::Text(text) if text.is_empty())
        && match &scope.names.meant(value).kind {
            ExprKind::Int(_) => true,
            ExprKind::Text(text) => text.starts_with("cuda:"),
            _ => false,
        }
}

/// Where a command of the project starts this file several times, or one that imports it, and trains there; with the file that
/// it starts.
fn started_several_times(scope: &FileScope<'_>) -> Option<(Place, FileId)> {
    let trains = |file: FileId| TRAINS.iter().any(|word| scope.program.text_of(file).contains(word));
    let by_command = scope.program.run_commands().flatten().find_map(|command| {
        let started = command.starts?;
        let is_it = started == scope.file || imports(scope, started);
        let fits = is_it && (trains(scope.file) || trains(started)) && is_several(scope, command);
        fits.then_some((command.site, started))
    });
    by_command
        .or_else(|| launched_by_notebook(scope).filter(|_| trains(scope.file)).map(|site| (site, scope.file)))
}

/// `notebook_launcher(train, num_processes=2)`
fn launched_by_notebook(scope: &FileScope<'_>) -> Option<Place> {
    let mut site = None;
    scope.each_call(&mut |expr, call, _| {
        if !scope.names.path(&call.callee).is_some_and(is_notebook_launcher) {
            return;
        }
        let count = argument(&call.arguments, Some(2), Some("num_processes"));
        if count.is_some_and(|count| matches!(scope.names.meant(count).kind, ExprKind::Int(2..))) {
            site.get_or_insert(scope.place(expr.span));
        }
    });
    site
}

/// Whether another file imports this one.
pub(super) fn imports(scope: &FileScope<'_>, file: FileId) -> bool {
    let mut found = false;
    walk(scope.program.code(file), &mut |part, _| {
        let CodeNode::Statement(Statement { kind: StatementKind::Import(import), .. }) = part else { return };
        found |= scope.program.import_targets(file, import).contains(&scope.file);
    });
    found
}

fn is_several(scope: &FileScope<'_>, command: &RunCommand) -> bool {
    let words = command.words();
    let is_named = |name: &str| words.iter().flatten().any(|word| word.rsplit('/').next() == Some(name));
    if words.iter().flatten().any(|word| *word == "--cpu") {
        return false;
    }
    if let Some(ranks) = ranks(&words) {
        return ranks.count > 1;
    }
    let settings = || {
        let file = scope.program.file_beside(command, None, settings_of_accelerate(&words)?)?;
        ranks_of_settings(scope.program.text_of(file))
    };
    // A card by its number is one card.
    let is_one = || words.iter().flatten().any(|word| word.starts_with("--include"));
    match settings() {
        Some(ranks) => ranks.count > 1,
        None => {
            words.iter().flatten().any(|word| matches!(*word, "--multi_gpu" | "--multi-gpu"))
                || LAUNCHERS.iter().any(|name| is_named(name)) && !is_one()
        }
    }
}
