//! Variables of Slurm that are set only where their own option is given.

use super::submitted;
use crate::commands::directives;
use crate::facts::{Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};

/// The variables that count GPUs, each with the option without which it is not set.
const BY_OPTION: &[(&str, &str)] = &[
    ("SLURM_GPUS_PER_NODE", "--gpus-per-node"),
    ("SLURM_GPUS_PER_TASK", "--gpus-per-task"),
    ("SLURM_GPUS_PER_SOCKET", "--gpus-per-socket"),
    ("SLURM_GPUS", "--gpus"),
];

/// `torchrun --nproc_per_node=$SLURM_GPUS_PER_NODE` in a job that asks for its GPUs by `--gres`.
pub(super) fn without_option(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let words: Vec<&str> = directives(text).into_iter().map(|(_, word)| word).collect();
    let asked = words.iter().find(|word| word.starts_with("--gres=gpu") || word.starts_with("--gpus"));
    // What `sbatch` is told beside the script is not known where no command of the project starts it, and no document shows one.
    let asks = |word: &str| word.starts_with("--gpus") || word.starts_with("-G");
    let Some(asked) = asked else { return Vec::new() };
    let mut found = Vec::new();
    for (variable, option) in BY_OPTION {
        if gives(text, &words, option) || sets(text, variable) {
            continue;
        }
        found.extend(uses_of(text, variable).into_iter().next().map(|span| {
            let raw_finding = RawFinding::at(scope.place(span)).word("variable", *variable);
            raw_finding.word("option", *option).word("asked", *asked)
        }));
    }
    // Asked last, of all commands of the project.
    if !found.is_empty() && submitted::is_told(scope, &asks) {
        found.clear();
    }
    found
}

/// Whether an option stands anywhere in a script, also behind `srun`.
fn gives(text: &str, words: &[&str], option: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '-');
    text.match_indices(option).any(|(at, _)| is_end(&text[at + option.len()..]))
        || option == "--gpus" && words.iter().any(|word| word.starts_with("-G"))
}

/// `SLURM_GPUS_PER_NODE=8`, `${SLURM_GPUS_PER_NODE:=8}`, `read SLURM_GPUS_PER_NODE`, and what reads it as a setting of `sbatch`.
fn sets(text: &str, variable: &str) -> bool {
    /// Commands that give a value to the variables they name.
    const FILLERS: &[&str] = &["for", "getopts", "mapfile", "printf", "read", "readarray"];
    let setting = format!("{}=", variable.replace("SLURM_", "SBATCH_"));
    let assigns = |(at, _): (usize, &str)| {
        let (before, behind) = (&text[..at], &text[at + variable.len()..]);
        match before.ends_with('{') {
            true => behind.starts_with('=') || behind.starts_with(":="),
            false => behind.starts_with('=') && !before.ends_with(['$', '_']),
        }
    };
    let fills = |line: &str| {
        let mut words = line.split(|letter: char| letter.is_whitespace() || letter == ';');
        words.any(|word| FILLERS.contains(&word)) && words.any(|word| word == variable)
    };
    text.contains(&setting) || text.match_indices(variable).any(assigns) || text.lines().any(fills)
}

/// Where a command of a script takes a variable, without another value in case that there is none; what is printed harms nobody.
fn uses_of(text: &str, variable: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (span, line) in lines_in(text) {
        let start = line.trim_start();
        // Whoever asks goes another way where there is none.
        if asks_first(start, variable) {
            break;
        }
        if ["#", "echo ", "printf "].iter().any(|begin| start.starts_with(begin)) {
            continue;
        }
        for form in [format!("${variable}"), format!("${{{variable}}}")] {
            let mut at = line.match_indices(&form).map(|(at, _)| at);
            let whole = |at: &usize| {
                !line[at + form.len()..].starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            };
            if let Some(at) = at.find(whole) {
                let begin = span.start as usize + at;
                found.push(Span::new(begin, begin + form.len()));
            }
        }
    }
    found
}

/// `[ -n "$X" ]`, `if [[ -z $X ]]`, `test -n "$X"`, `case $X in`, `${X:?}`
fn asks_first(line: &str, variable: &str) -> bool {
    const TESTS: &[&str] = &["[ ", "[[ ", "((", "test ", "case "];
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut named = line.match_indices(variable).map(|(at, _)| (&line[..at], &line[at + variable.len()..]));
    !line.starts_with('#')
        && named.any(|(before, behind)| {
            let is_whole = !before.ends_with(is_part) && !behind.starts_with(is_part);
            // `$((2 * SLURM_GPUS))` computes.
            let begins = |at: usize| !before[..at].ends_with(|letter: char| is_part(letter) || letter == '$');
            let asks = || TESTS.iter().any(|test| before.match_indices(test).any(|(at, _)| begins(at)));
            is_whole && (asks() || before.ends_with("${") && behind.trim_start_matches(':').starts_with('?'))
        })
}
