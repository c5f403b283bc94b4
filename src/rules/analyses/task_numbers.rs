//! Numbers of tasks that are used as indices of GPUs, where Slurm shows a task fewer GPUs than there are such numbers.

use super::mask_numbers::index_in;
use super::named_scripts::Script;
use crate::code::walk::{Part, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

/// Where the number of a task on its machine becomes the number of a GPU, and the job has fewer.
pub(super) fn beyond_cards(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut used: Option<(Span, bool)> = None;
    walk(scope.code, &mut |part, _| {
        let Part::Expr(expr) = part else { return };
        if used.is_none() && index_in(scope, expr).is_some_and(|index| is_task_number(scope, index)) {
            used = Some((expr.span, true));
        }
        if used.is_none() && takes_own_number(scope, expr) {
            used = Some((expr.span, false));
        }
    });
    let Some((span, by_index)) = used else { return Vec::new() };
    let jobs = jobs_of(scope);
    let faults: Option<Vec<String>> = jobs.iter().map(|job| job.fault(by_index)).collect();
    // A job that fits shows that the program is meant for others than those that do not.
    let Some(reason) = faults.and_then(|faults| faults.into_iter().next()) else { return Vec::new() };
    vec![RawFinding::at(scope.place(span)).word("text", scope.text(span)).word("reason", reason)]
}

/// `int(os.environ["SLURM_LOCALID"])`
fn is_task_number(scope: &FileScope<'_>, index: &Expr<'_>) -> bool {
    let is_name = |name: &Expr<'_>| matches!(&name.kind, ExprKind::Text(name) if name == "SLURM_LOCALID");
    let meant = scope.names.meant(index);
    match &meant.kind {
        ExprKind::Call(call) => {
            let first = || argument(&call.arguments, Some(0), None);
            match scope.names.path(&call.callee) {
                Some("builtins.int") => first().is_some_and(|inner| is_task_number(scope, inner)),
                Some("os.environ.get" | "os.getenv") => first().is_some_and(is_name),
                _ => false,
            }
        }
        ExprKind::Item(item) => scope.names.path(&item.0) == Some("os.environ") && is_name(&item.1),
        _ => false,
    }
}

/// `jax.distributed.initialize()` takes the GPU with the number of the task, unless it is told otherwise.
fn takes_own_number(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    scope.names.path(&call.callee) == Some("jax.distributed.initialize") && call.arguments.is_empty()
}

/// What a job says about tasks and GPUs.
#[derive(Default)]
struct Job {
    name: String,
    tasks: Option<usize>,
    cards: Option<usize>,
    /// An option that shows each task one GPU.
    bound: Option<String>,
}

impl Job {
    /// Why some task has no GPU with its number.
    fn fault(&self, by_index: bool) -> Option<String> {
        let tasks = self.tasks.filter(|tasks| *tasks > 1)?;
        if let Some(option) = self.bound.as_ref().filter(|_| by_index) {
            return Some(format!("`{option}` in {} shows each task one GPU, number 0", self.name));
        }
        let cards = self.cards.filter(|cards| *cards < tasks && *cards > 0 && self.bound.is_none())?;
        Some(format!("{} starts {tasks} tasks on a machine and asks for {cards} GPUs", self.name))
    }
}

/// The jobs that start this file.
fn jobs_of(scope: &FileScope<'_>) -> Vec<Job> {
    let script = Script::of(scope);
    let mut jobs = Vec::new();
    for file in scope.program.sources.files.iter().filter(|file| file.language == Language::Shell) {
        if !file.text.contains("srun") {
            continue;
        }
        let text = file.text.replace("\\\n", " ");
        let starts = |line: &&str| {
            let mut words = line.split_whitespace();
            words.next() == Some("srun") && words.any(|word| script.is_named(word, &file.name))
        };
        let settings = text.lines().filter_map(|line| line.strip_prefix("#SBATCH"));
        let settings: Vec<&str> = settings.flat_map(str::split_whitespace).collect();
        for line in text.lines().map(str::trim_start).filter(starts) {
            let until = line.split_whitespace().take_while(|word| !word.starts_with("python"));
            // What srun is told overrules what the job was.
            let words: Vec<&str> = settings.iter().copied().chain(until.skip(1)).collect();
            jobs.push(job(&words, file.name.rsplit('/').next().unwrap_or(&file.name)));
        }
    }
    jobs
}

fn job(words: &[&str], name: &str) -> Job {
    let mut job = Job { name: format!("`{name}`"), ..Job::default() };
    let (mut all, mut nodes, mut for_each_card) = (None, None, None);
    for (at, word) in words.iter().enumerate() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, value),
            None => (*word, words.get(at + 1).copied().unwrap_or_default()),
        };
        // `rtx8000:1`, `gpu:4`
        let count = value.rsplit(':').next().and_then(|count| count.parse::<usize>().ok());
        match option {
            "--ntasks-per-node" => job.tasks = count,
            "--ntasks" | "-n" => all = count,
            "--nodes" | "-N" => nodes = count,
            "--gpus-per-node" => job.cards = count,
            "--gres" if value.starts_with("gpu") => job.cards = count.or(Some(1)),
            "--gpus-per-task" if count == Some(1) => job.bound = Some(format!("{option}={value}")),
            "--ntasks-per-gpu" => {
                for_each_card = count;
                job.bound = Some(format!("{option}={value}"));
            }
            "--gpu-bind" => {
                let one =
                    ["single:1", "per_task:1", "map_gpu:", "map:"].iter().any(|way| value.starts_with(way));
                job.bound = one.then(|| format!("{option}={value}"));
            }
            _ => {}
        }
    }
    let on_one = all.filter(|_| nodes.is_none_or(|nodes| nodes == 1));
    let by_cards = for_each_card.zip(job.cards).map(|(tasks, cards)| tasks * cards);
    job.tasks = job.tasks.or(by_cards).or(on_one);
    job
}
