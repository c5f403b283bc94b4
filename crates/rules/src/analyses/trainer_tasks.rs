//! Jobs of Slurm that start fewer tasks than Lightning is told to use devices.

use super::literal_defaults::{Literal, default_of};
use super::slurm_jobs::{Job, is_by_launcher};
use super::submitted;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, Target};
use crate::commands::{attribute_of_option, directives};
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
    if OWN_PROCESSES.iter().any(|word| text.contains(word)) || says_how_to_submit(text) {
        return Vec::new();
    }
    let asks = told.iter().find(|(_, word)| word.starts_with("--gres") || word.starts_with("--gpus"));
    // What `sbatch` is told overrules what the script says, and a word that is not known may say it.
    let is_told = submitted::is_told(scope, &|word| is_of_tasks(word) || word.is_empty());
    let Some((start, option)) = asks.filter(|_| !is_told) else { return Vec::new() };
    let asked = Span::new(*start, start + option.len());
    let mut found = Vec::new();
    for command in scope.own_commands() {
        let (Some(file), Some(by_srun)) = (command.starts, command.options_of("srun")) else { continue };
        let words: Vec<&str> = told.iter().map(|(_, word)| *word).chain(by_srun).collect();
        if is_interactive(&words) || is_by_launcher(command) {
            continue;
        }
        let tasks = match words.iter().any(|word| is_of_tasks(word)) {
            true => Job::of(&words, "").tasks,
            // The number follows from that of the GPUs.
            false => (!words.iter().any(|word| word.starts_with("--gpus-per-task"))).then_some(1),
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
        let mut trainers = Vec::new();
        program.each_call(&mut |_, call, _| {
            if program.names.path(&call.callee).is_some_and(|path| TRAINERS.contains(&path)) {
                trainers.push(call);
            }
        });
        let [trainer] = trainers.as_slice() else { return None };
        if !starts_each_process(program, trainer) {
            return None;
        }
        let devices = argument(&trainer.arguments, None, Some("devices"))?;
        let mut meant = program.names.meant(devices);
        // `int(args.devices)`
        if let ExprKind::Call(call) = &meant.kind
            && program.names.path(&call.callee) == Some("builtins.int")
        {
            meant = program.names.meant(&call.arguments.first()?.value);
        }
        let number = match &meant.kind {
            ExprKind::Attribute(_, name) if is_assigned(program, name) => return None,
            ExprKind::Attribute(_, name) | ExprKind::Name(name) => match given(program, command, name) {
                Given::Number(number) => Some(number),
                Given::Unknown => None,
                Given::Nothing => default(program, meant),
            },
            // A variable of the environment that the job may set.
            ExprKind::Call(call) if is_named_in(scope.whole_text(), call) => None,
            // `--trainer.devices=1`, which something else may read.
            _ if command.words.iter().flatten().any(|word| word.contains("devices")) => None,
            _ => default(program, meant),
        };
        Some((number?, program.place(devices.span)))
    })
}

fn default(program: &FileScope<'_>, devices: &Expr<'_>) -> Option<i64> {
    default_of(program, devices)?.number()
}

/// Whether a word says how many tasks there are.
fn is_of_tasks(word: &str) -> bool {
    word.contains("tasks") || word.starts_with("-n")
}

/// `# submit it by: sbatch --ntasks-per-node=4 job.sh`
fn says_how_to_submit(text: &str) -> bool {
    let is_comment = |line: &&str| line.starts_with('#') && !line.starts_with("#SBATCH");
    text.lines().filter(is_comment).any(|line| line.contains("sbatch ") && line.contains("tasks"))
}

/// Whether a job has one of the names under which Lightning takes it for a shell in which somebody works.
fn is_interactive(words: &[&str]) -> bool {
    const NAMES: &[&str] = &["bash", "interactive"];
    words.iter().enumerate().any(|(at, word)| {
        let name = match *word {
            "-J" | "--job-name" => words.get(at + 1).copied(),
            word => word.strip_prefix("--job-name=").or_else(|| word.strip_prefix("-J")),
        };
        name.is_some_and(|name| NAMES.contains(&name.trim_matches(['"', '\''])))
    })
}

/// Whether a trainer uses GPUs, and one process for each.
fn starts_each_process(program: &FileScope<'_>, trainer: &Call<'_>) -> bool {
    const OF_GPUS: &[&str] = &["auto", "cuda", "gpu"];
    const OTHERS: &[&str] = &["fork", "notebook", "spawn"];
    const CLASSES: &[&str] = &["DDPStrategy", "DeepSpeedStrategy", "FSDPStrategy", "ModelParallelStrategy"];
    let text_of = |name| {
        let given = argument(&trainer.arguments, None, Some(name))?;
        match default_of(program, given) {
            Some(Literal::Text(text)) => Some((given, Some(text))),
            _ => Some((given, None)),
        }
    };
    let by_gpus = match text_of("accelerator") {
        Some((_, Some(kind))) => OF_GPUS.contains(&kind.as_str()),
        _ => true,
    };
    let by_processes = match text_of("strategy") {
        None => true,
        Some((_, Some(way))) => way != "dp" && !OTHERS.iter().any(|other| way.contains(other)),
        Some((given, None)) => match &program.names.meant(given).kind {
            ExprKind::Call(made) => {
                let text = program.text(made.callee.span);
                CLASSES.contains(&text.rsplit('.').next().unwrap_or(text))
                    && !made.arguments.iter().any(|one| one.name == Some("start_method"))
            }
            _ => false,
        },
    };
    by_gpus && by_processes
}

/// Whether a program gives an attribute a value of its own: `args.devices = 1`.
fn is_assigned(program: &FileScope<'_>, attribute: &str) -> bool {
    let mut is_it = false;
    walk(program.code, &mut |part, _| {
        is_it |= matches!(part, CodeNode::Target(Target::Attribute(_, name)) if *name == attribute);
    });
    is_it
}

/// Whether a text has one of the texts that a call is given.
fn is_named_in(text: &str, call: &Call<'_>) -> bool {
    call.arguments.iter().any(|one| matches!(&one.value.kind, ExprKind::Text(name) if text.contains(&**name)))
}

/// What a command gives an option.
enum Given {
    Nothing,
    Number(i64),
    Unknown,
}

/// The number that a command gives the option of an attribute, under each of its names.
fn given(program: &FileScope<'_>, command: &RunCommand, name: &str) -> Given {
    let flags = flags_of(program, name);
    let mut found = Given::Nothing;
    for (at, word) in command.words.iter().enumerate() {
        let Some(word) = word.as_deref() else {
            // `--data $DATA` is a value, and `$OPTIONS` may be anything.
            let before = at.checked_sub(1).and_then(|at| command.words[at].as_deref());
            if before.is_some_and(|before| before.starts_with("--") && !before.contains('=')) {
                continue;
            }
            return Given::Unknown;
        };
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word, command.words.get(at + 1).and_then(|next| next.as_deref())),
        };
        // `--dev 1`: a beginning is enough.
        let is_flag = |flag: &String| *flag == option || option.len() > 2 && flag.starts_with(option);
        let is_short = |flag: &String| flag.len() == 2 && option.starts_with(flag.as_str());
        if option.starts_with('-') && flags.iter().any(is_flag) {
            found = match value.and_then(|value| value.parse().ok()) {
                Some(number) => Given::Number(number),
                None => return Given::Unknown,
            };
        } else if word.contains(name) || !option.starts_with("--") && flags.iter().any(is_short) {
            // `trainer.devices=1`, `-d1`
            return Given::Unknown;
        }
    }
    found
}

/// The names of the option that fills an attribute: `add_argument("-d", "--devices")`.
fn flags_of(program: &FileScope<'_>, attribute: &str) -> Vec<String> {
    let mut flags = vec![format!("--{attribute}"), format!("--{}", attribute.replace('_', "-"))];
    program.each_call(&mut |_, call, _| {
        if !matches!(&call.callee.kind, ExprKind::Attribute(_, "add_argument" | "option"))
            && !matches!(&call.callee.kind, ExprKind::Name("option"))
        {
            return;
        }
        let text = |expr: &Expr<'_>| match &expr.kind {
            ExprKind::Text(text) => Some(text.to_string()),
            _ => None,
        };
        let own = call.arguments.iter().filter(|one| one.name.is_none());
        let own: Vec<String> = own.filter_map(|one| text(&one.value)).collect();
        let dest = argument(&call.arguments, None, Some("dest")).and_then(text);
        let is_it = |flag: &String| attribute_of_option(flag) == attribute;
        if dest.as_deref() == Some(attribute) || own.iter().any(is_it) {
            flags.extend(own);
        }
    });
    flags
}
