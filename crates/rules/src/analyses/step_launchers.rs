//! Tasks of Slurm of which each starts as many processes as its machine has GPUs.

use super::slurm_jobs::Job;
use crate::commands::{directives, ranks};
use crate::masks;
use crate::rules::files::{FileScope, RawFinding};

/// Variables that count the tasks of a machine, and its cards.
const TASKS: &[&str] = &["SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"];
const CARDS: &[&str] = &["SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"];

/// `#SBATCH --ntasks-per-node=8` and `srun torchrun --nproc_per_node=8`: 64 processes on a machine.
pub(super) fn in_each_task(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if !text.contains("srun") || !text.contains("nproc") {
        return Vec::new();
    }
    let words: Vec<&str> = directives(text).into_iter().map(|(_, word)| word).collect();
    let job = Job::of(&words, "");
    let (Some((tasks, _)), Some((cards, option))) = (job.on_each, job.cards) else { return Vec::new() };
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands().filter(|_| tasks > 1 && cards > 0) {
        let Some(told) = command.options_of("srun") else { continue };
        // The step says for itself how many tasks it has.
        let counts = |word: &&str| {
            word.starts_with("--ntasks") || word.starts_with("-n") || word.starts_with("--gpus")
        };
        if command.options_of("torchrun").is_none() || told.iter().any(counts) {
            continue;
        }
        let written = scope.text(command.site.span);
        let known = ranks(&command.words()).map(|ranks| ranks.count);
        let Some(started) =
            known.or_else(|| counted_by(written, tasks, cards)).filter(|started| *started > 1)
        else {
            continue;
        };
        if tasks * started <= cards || found.iter().any(|known| known.place == command.site) {
            continue;
        }
        let finding = RawFinding::at(command.site).word("count", masks::gpus(tasks * started));
        let finding =
            finding.word("ranks", format!("torchrun with {started} processes in each of {tasks} tasks"));
        let finding = finding.word("option", &option).word("given", masks::gpus(cards));
        found.push(finding.word(
            "advice",
            "let the job have one task on each machine, `--ntasks-per-node=1`: torchrun starts the others",
        ));
    }
    found
}

/// The number that a variable of Slurm gives: `--nproc_per_node=$SLURM_NTASKS_PER_NODE`.
fn counted_by(written: &str, tasks: usize, cards: usize) -> Option<usize> {
    let (_, behind) = written.split_once("nproc")?;
    let value = behind.split(['=', ' ']).find(|word| word.contains('$'))?;
    let has = |names: &[&str]| names.iter().any(|name| value.contains(name));
    if has(TASKS) { Some(tasks) } else { has(CARDS).then_some(cards) }
}
