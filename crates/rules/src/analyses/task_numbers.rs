//! Numbers of tasks that are used as indices of GPUs, where Slurm shows a task fewer GPUs than there are such numbers.

use super::device_indices::index_in;
use super::returned_parts::returned_part;
use super::slurm_jobs::Job;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::commands::directives;
use crate::facts::Span;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::file_name_of;

/// Names that stand for names, and conversions around them: further ones are not followed.
const MOST_HOPS: usize = 4;

/// Where the number of a task on its machine becomes the number of a GPU, and the job has fewer.
pub(super) fn beyond_cards(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut used: Option<(Span, bool)> = None;
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        if used.is_none() && index_in(scope, expr).is_some_and(|index| is_task_number(scope, index, 0)) {
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
fn is_task_number(scope: &FileScope<'_>, index: &Expr<'_>, hops: usize) -> bool {
    // `local_rank = int(local_rank)` has no end.
    if hops > MOST_HOPS {
        return false;
    }
    let is_name = |name: &Expr<'_>| match &name.kind {
        ExprKind::Text(name) => {
            matches!(name.as_ref(), "SLURM_LOCALID" | "SLURM_PROCID")
                || (name == "LOCAL_RANK" && is_rank_task_number(scope))
        }
        _ => false,
    };
    let meant = returned_part(scope, index).unwrap_or(scope.names.meant(index));
    match &meant.kind {
        ExprKind::Call(call) => {
            let first = || argument(&call.arguments, Some(0), None);
            match scope.names.path(&call.callee) {
                Some("builtins.int") => first().is_some_and(|inner| is_task_number(scope, inner, hops + 1)),
                Some("os.environ.get" | "os.getenv") => first().is_some_and(is_name),
                _ => false,
            }
        }
        ExprKind::Item(item) => scope.names.path(&item.0) == Some("os.environ") && is_name(&item.1),
        // `self.local_rank`, which is 0 until the group is joined.
        ExprKind::Name(_) | ExprKind::Attribute(..) => {
            let values = scope.names.may_mean(meant);
            let mut others = values
                .iter()
                .filter(|value| !matches!(value.kind, ExprKind::Int(_)) && !converts(scope, value, meant))
                .peekable();
            values.len() > 1
                && others.peek().is_some()
                && others.all(|value| !std::ptr::eq(*value, meant) && is_task_number(scope, value, hops + 1))
        }
        _ => false,
    }
}

/// `local_rank = int(local_rank)`: what it was before, whatever that is.
fn converts(scope: &FileScope<'_>, value: &Expr<'_>, name: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let inner = argument(&call.arguments, Some(0), None);
    scope.names.path(&call.callee) == Some("builtins.int")
        && inner.is_some_and(|inner| scope.text(inner.span) == scope.text(name.span))
}

/// `os.environ["LOCAL_RANK"] = os.environ["SLURM_LOCALID"]` in this file, or `export LOCAL_RANK=$SLURM_LOCALID` in a script.
fn is_rank_task_number(scope: &FileScope<'_>) -> bool {
    const EXPORTED: &[&str] =
        &["LOCAL_RANK=$SLURM_LOCALID", "LOCAL_RANK=${SLURM_LOCALID}", "LOCAL_RANK=\"$SLURM_LOCALID\""];
    let is_set = |line: &str| {
        line.split_once('=').is_some_and(|(name, value)| {
            name.contains("LOCAL_RANK") && name.contains("environ[") && value.contains("SLURM_LOCALID")
        })
    };
    scope.whole_text().lines().any(is_set)
        || EXPORTED.iter().any(|line| !scope.program.files_with(line).is_empty())
}

/// `jax.distributed.initialize()` takes the GPU with the number of the task, unless it is told otherwise.
fn takes_own_number(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    scope.names.path(&call.callee) == Some("jax.distributed.initialize") && call.arguments.is_empty()
}

impl Job {
    /// Why some task has no GPU with its number.
    fn fault(&self, by_index: bool) -> Option<String> {
        let tasks = self.tasks.filter(|tasks| *tasks > 1)?;
        if let Some(option) = self.bound.as_ref().filter(|_| by_index) {
            return Some(format!("`{option}` in {} shows each task one GPU, number 0", self.name));
        }
        let cards = self.cards().filter(|cards| *cards < tasks && *cards > 0 && self.bound.is_none())?;
        Some(format!("{} starts {tasks} tasks on a machine and asks for {cards} GPUs", self.name))
    }
}

/// Whether every job that starts this file shows each of its tasks one card alone.
pub(super) fn has_one_card_each(scope: &FileScope<'_>) -> bool {
    let jobs = jobs_of(scope);
    !jobs.is_empty() && jobs.iter().all(|job| job.bound.is_some())
}

/// The jobs that start this file, or one that imports it.
fn jobs_of(scope: &FileScope<'_>) -> Vec<Job> {
    let mut jobs = Vec::new();
    let mut started = vec![scope.file];
    started.extend(scope.program.importers(scope.file).into_iter().map(|importer| importer.file));
    for commands in scope.program.run_commands() {
        for command in
            commands.iter().filter(|command| command.starts.is_some_and(|file| started.contains(&file)))
        {
            let around = std::iter::successors(Some(command), |inner| Some(&commands[inner.around?]));
            let mut around: Vec<&RunCommand> = around.collect();
            around.reverse();
            if around.iter().all(|command| command.options_of("srun").is_none()) {
                continue;
            }
            // The outermost script is what sbatch was given.
            let outermost = around.first().map_or(command.site.file, |command| command.site.file);
            let launcher = scope.program.sources.file(outermost);
            let mut words: Vec<&str> = directives(&launcher.text).into_iter().map(|(_, word)| word).collect();
            // What sbatch is told overrules what the script says, and what srun is told overrules both.
            for option in ["sbatch", "srun"] {
                words.extend(around.iter().filter_map(|command| command.options_of(option)).flatten());
            }
            jobs.push(Job::of(&words, file_name_of(&launcher.name)));
        }
    }
    jobs
}
