//! Jobs of Slurm that start fewer tasks than Lightning is told to use devices.

use super::literal_defaults::default_of;
use super::slurm_jobs::Job;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::commands::directives;
use crate::facts::{FileId, Place, Span};
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

const TRAINERS: &[&str] = &["lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer"];

/// Words that say that Lightning shall start its processes itself.
const OWN_PROCESSES: &[&str] =
    &["LightningEnvironment", "SLURM_NTASKS", "SLURM_JOB_NAME", "TorchElasticEnvironment", "torchrun"];

/// `srun python train.py` in a job without a number of tasks, where the program says `Trainer(devices=4)`.
pub(super) fn below_devices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let told = directives(text);
    let interactive = ["interactive", "bash"];
    let is_interactive = told
        .iter()
        .any(|(_, word)| interactive.iter().any(|name| word.ends_with(&format!("job-name={name}"))));
    if is_interactive || OWN_PROCESSES.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let asks = told.iter().find(|(_, word)| word.starts_with("--gres") || word.starts_with("--gpus"));
    let by_command =
        scope.program.run_commands().flatten().any(|command| command.options_of("sbatch").is_some());
    let Some((start, option)) = asks.filter(|_| !by_command) else { return Vec::new() };
    let asked = Span::new(*start, start + option.len());
    let mut found = Vec::new();
    for command in scope.own_commands() {
        let (Some(file), Some(by_srun)) = (command.starts, command.options_of("srun")) else { continue };
        let words: Vec<&str> = told.iter().map(|(_, word)| *word).chain(by_srun).collect();
        let is_task = |word: &&str| word.contains("ntasks") || word.starts_with("-n");
        let tasks = match words.iter().any(is_task) {
            true => Job::of(&words, "").tasks,
            false => Some(1),
        };
        let Some((devices, at)) = devices_of(scope, file, command) else { continue };
        let Some(tasks) = tasks.filter(|tasks| (*tasks as i64) < devices) else { continue };
        let count = if tasks == 1 { "one task".to_owned() } else { format!("{tasks} tasks") };
        let raw_finding =
            RawFinding::at(command.site).word("tasks", count).word("devices", devices.to_string());
        let raw_finding = raw_finding.beside(scope.place(asked), "the job asks for its GPUs here");
        found.push(raw_finding.beside(at, "this says how many devices Lightning uses"));
    }
    found
}

/// How many devices the one trainer of a program uses, and where that stands.
fn devices_of(scope: &FileScope<'_>, file: FileId, command: &RunCommand) -> Option<(i64, Place)> {
    scope.in_other(file, |program| {
        if OWN_PROCESSES.iter().any(|word| program.whole_text().contains(word)) {
            return None;
        }
        let mut found = Vec::new();
        walk(program.code, &mut |part, _| {
            let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
            if program.names.path(&call.callee).is_some_and(|path| TRAINERS.contains(&path)) {
                found.push(argument(&call.arguments, None, Some("devices")));
            }
        });
        let [Some(devices)] = found.as_slice() else { return None };
        let meant = program.names.meant(devices);
        let number = match meant.kind {
            ExprKind::Attribute(_, name) => given(command, name).unwrap_or_else(|| default(program, meant)),
            _ => default(program, meant),
        };
        Some((number?, program.place(devices.span)))
    })
}

fn default(program: &FileScope<'_>, devices: &Expr<'_>) -> Option<i64> {
    default_of(program, devices)?.number()
}

/// The number that a command gives an option; `None` in it where that is not known.
fn given(command: &RunCommand, name: &str) -> Option<Option<i64>> {
    let flags = [format!("--{name}"), format!("--{}", name.replace('_', "-"))];
    command.words.iter().enumerate().find_map(|(at, word)| {
        let word = word.as_deref()?;
        let flag = flags.iter().find(|flag| word.starts_with(flag.as_str()))?;
        let value = match word[flag.len()..].strip_prefix('=') {
            Some(value) => Some(value),
            None if word.len() == flag.len() => command.words.get(at + 1)?.as_deref(),
            None => return None,
        };
        Some(value.and_then(|value| value.parse().ok()))
    })
}
