//! Models that are spread over all cards, in a program that a launcher starts once for each card.

use super::placed_models::quantizes;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, Statement, StatementKind};
use crate::commands::{ranks, ranks_of_settings, settings_of_accelerate};
use crate::facts::{FileId, Place};
use crate::findings::Severity;
use crate::program::{RunCommand, is_spread};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Words of what trains in several processes, each with the whole model.
const TRAINS: &[&str] =
    &["Trainer(", ".prepare(", "DistributedDataParallel", "deepspeed.initialize", ".backward("];

/// Launchers that start as many processes as there are cards, unless they are told a number.
const LAUNCHERS: &[&str] = &["torchrun", "torch.distributed.run", "torch.distributed.launch", "deepspeed"];

/// `from_pretrained(name, device_map="auto")`, where a command of the project starts the program several times.
pub(super) fn in_each_rank(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut spread = Vec::new();
    let mut fixed = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
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
    if spread.is_empty() && fixed.is_empty() {
        return Vec::new();
    }
    let Some(site) = started_several_times(scope) else { return Vec::new() };
    let raw_finding = |span, written: String, effect| {
        let raw_finding = RawFinding::at(scope.place(span)).word("written", written).word("effect", effect);
        raw_finding.beside(site, "several processes are started here")
    };
    let over_all = "spreads the model over all cards in each of several processes";
    let mut found: Vec<_> =
        spread.into_iter().map(|(span, written)| raw_finding(span, written, over_all)).collect();
    found.extend(fixed.into_iter().map(|(span, written, is_quantized)| {
        let seen = raw_finding(span, written, "puts the model of each of several processes on the same card");
        // Another model goes on to the card of its process, once it is loaded.
        if is_quantized { seen } else { seen.at_most(Severity::Note) }
    }));
    found
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

/// Where a command of the project starts this file several times, or one that imports it, and trains there.
fn started_several_times(scope: &FileScope<'_>) -> Option<Place> {
    let trains = |file: FileId| TRAINS.iter().any(|word| scope.program.text_of(file).contains(word));
    scope.program.run_commands().flatten().find_map(|command| {
        let started = command.starts?;
        let is_it = started == scope.file || imports(scope, started);
        let fits = is_it && (trains(scope.file) || trains(started)) && is_several(scope, command);
        fits.then_some(command.site)
    })
}

fn imports(scope: &FileScope<'_>, file: FileId) -> bool {
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
