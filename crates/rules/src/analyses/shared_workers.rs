//! Workers of Dask that are told of a GPU each, and all see the same ones.

use crate::commands::{option_values, program_name};
use crate::rules::files::{FileScope, RawFinding};

/// `dask worker … --nworkers 4 --resources "GPU=1"`
pub(super) fn of_dask(scope: &FileScope<'_>) -> Vec<RawFinding> {
    // Whoever sets masks may give each worker its own.
    if scope.whole_text().contains("VISIBLE_DEVICES") {
        return Vec::new();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let words = command.words();
        let is_program =
            |word: &Option<&str>, name: &str| word.is_some_and(|word| program_name(word) == name);
        let worker = words.iter().position(|word| is_program(word, "dask-worker")).or_else(|| {
            words.windows(2).position(|pair| is_program(&pair[0], "dask") && pair[1] == Some("worker"))
        });
        let Some(told) = worker.map(|at| &words[at + 1..]) else { continue };
        let value_of = |names: &[&str]| option_values(told, names).find_map(|(_, value)| value);
        let count = value_of(&["--nprocs", "--nworkers", "--n-workers"]);
        let gpu = value_of(&["--resources"]).filter(|resources| resources.contains("GPU="));
        if let (Some(count), Some(_)) = (count.and_then(|count| count.parse::<u32>().ok()), gpu)
            && count > 1
            && !found.iter().any(|known| known.place == command.site)
        {
            found.push(RawFinding::at(command.site).word("count", count.to_string()));
        }
    }
    found
}
