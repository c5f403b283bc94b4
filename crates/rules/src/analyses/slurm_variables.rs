//! Variables of Slurm that are set only where their own option is given.

use crate::commands::directives;
use crate::facts::{Span, lines_in};
use crate::program::RunCommand;
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
    // What `sbatch` is told beside the script is not known where no command of the project starts it.
    let told = |command: &RunCommand| {
        command.options_of("sbatch").is_some_and(|told| told.iter().any(|word| word.starts_with("--gpus")))
    };
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
    if !found.is_empty() && scope.program.run_commands().flatten().any(told) {
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

/// `SLURM_GPUS_PER_NODE=8`, and what reads it as a setting of `sbatch`.
fn sets(text: &str, variable: &str) -> bool {
    let setting = format!("{}=", variable.replace("SLURM_", "SBATCH_"));
    text.contains(&setting) || {
        let assigned = format!("{variable}=");
        let mut found = text.match_indices(&assigned);
        found.any(|(at, _)| !text[..at].ends_with(['$', '{', '_']))
    }
}

/// Where a command of a script takes a variable, without another value in case that there is none; what is printed harms nobody.
fn uses_of(text: &str, variable: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (span, line) in lines_in(text) {
        let start = line.trim_start();
        if ["#", "echo ", "printf "].iter().any(|begin| start.starts_with(begin))
            || asks_first(line, variable)
        {
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

/// `[ -n "$X" ]`, `if [[ -z $X ]]`
fn asks_first(line: &str, variable: &str) -> bool {
    line.contains(variable) && (line.contains("[ -") || line.contains("[[ -"))
}
