//! Models that are spread over all cards, in a program that a launcher starts once for each card.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, Statement, StatementKind};
use crate::commands::{ranks, ranks_of_settings, settings_of_accelerate};
use crate::facts::{FileId, Place};
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
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let ExprKind::Attribute(_, "from_pretrained") = &call.callee.kind else { return };
        let Some(map) = argument(&call.arguments, None, Some("device_map")) else { return };
        if let ExprKind::Text(text) = &scope.names.meant(map).kind
            && is_spread(text)
        {
            spread.push((map.span, text.to_string()));
        }
    });
    let text = scope.whole_text();
    // Who puts a rank into a map knows of the others.
    if spread.is_empty() || text.contains("{\"\":") || text.contains("{'':") {
        return Vec::new();
    }
    let Some(site) = started_several_times(scope) else { return Vec::new() };
    let found = spread.into_iter().map(|(span, map)| {
        let raw_finding = RawFinding::at(scope.place(span)).word("map", map);
        raw_finding.beside(site, "several processes are started here")
    });
    found.collect()
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
