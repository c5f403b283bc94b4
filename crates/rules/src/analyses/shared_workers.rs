//! Workers of Dask that are told of a GPU each, and all see the same ones.

use crate::commands::program_name;
use crate::rules::files::{FileScope, RawFinding};

/// `dask worker … --nworkers 4 --resources "GPU=1"`
pub(super) fn of_dask(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // Whoever sets masks may give each worker its own.
    if scope.whole_text().contains("VISIBLE_DEVICES") {
        return Vec::new();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let words: Vec<&str> = command.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
        let worker = words.iter().position(|word| program_name(word) == "dask-worker").or_else(|| {
            words.windows(2).position(|pair| program_name(pair[0]) == "dask" && pair[1] == "worker")
        });
        let Some(told) = worker.map(|at| &words[at + 1..]) else { continue };
        let count = value_of(told, &["--nprocs", "--nworkers", "--n-workers"]);
        let gpu = value_of(told, &["--resources"]).filter(|resources| resources.contains("GPU="));
        if let (Some(count), Some(_)) = (count.and_then(|count| count.parse::<u32>().ok()), gpu)
            && count > 1
            && !found.iter().any(|known| known.place == command.site)
        {
            found.push(RawFinding::at(command.site).word("count", count.to_string()));
        }
    }
    found
}

fn value_of<'w>(told: &[&'w str], names: &[&str]) -> Option<&'w str> {
    told.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
        Some((name, value)) if names.contains(&name) => Some(value),
        _ if names.contains(word) => told.get(at + 1).copied(),
        _ => None,
    })
}
