//! What a job of Slurm says about tasks and GPUs, and masks that reach beyond the GPUs that it asks for.

use super::scheduler_requests::{asked_elsewhere, highest_of_array};
use super::{served_ranks, step_launchers, submitted};
use crate::code::walk::{CodeNode, walk};
use crate::code::{ExprKind, SetVariable, StatementKind};
use crate::commands::{self, Machines, Mask, Ranks, directives};
use crate::facts::{Span, lines_in};
use crate::masks;
use crate::program::{MASK, RunCommand};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// What a job says about tasks and GPUs.
#[derive(Default)]
pub(super) struct Job {
    pub name: String,
    pub tasks: Option<usize>,
    /// How many tasks it asks for in all, and on each machine; with the number of the word that says so.
    in_all: Option<(usize, usize)>,
    pub on_each: Option<(usize, usize)>,
    /// How many cards it gets on a machine, with the option that says so.
    pub cards: Option<(usize, String)>,
    /// The same, or how many it gets on all machines together: on one these are no more.
    at_most: Option<(usize, String)>,
    /// An option that shows each task one GPU.
    pub bound: Option<String>,
}

/// Masks in a job script that name more cards than the job asks for.
pub(super) fn masks_beyond_request(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.language() == Language::Yaml {
        return devices_beyond_launcher(scope).into_iter().collect();
    }
    let words: Vec<&str> = directives(scope.whole_text()).into_iter().map(|(_, word)| word).collect();
    let Some((cards, option)) = Job::of(&words, "").at_most else { return Vec::new() };
    // A machine for one job alone may give it all its cards; and what `sbatch` is told overrules what the script says.
    let is_whole = words.iter().any(|word| word.starts_with("--exclusive"));
    if is_whole || submitted::is_told(scope, &counts_cards) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut look = |set: &SetVariable<'_>| {
        let Some(value) = &set.value else { return };
        let ExprKind::Text(mask) = &value.kind else {
            // The number of the task in its array.
            let written = scope.text(value.span);
            if set.name == MASK && highest_of_array(&words, written).is_some_and(|highest| highest >= cards) {
                let finding =
                    RawFinding::at(scope.place(set.span)).word("what", format!("the mask `{written}`"));
                found.push(finding.word("option", &option).word("given", masks::gpus(cards)));
            }
            return;
        };
        let read = masks::read(mask);
        if set.name == MASK && read.highest.is_some_and(|highest| highest >= cards as u64) {
            let given = masks::gpus(cards);
            let finding = RawFinding::at(scope.place(set.span)).word("what", format!("the mask `{mask}`"));
            found.push(finding.word("option", &option).word("given", given));
        }
    };
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::SetVariable(set) => look(set),
            StatementKind::Command(command) => command.environment.iter().for_each(&mut look),
            _ => {}
        },
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    // `deepspeed --include localhost:4,5` counts the cards that the job was given.
    for command in scope.own_commands() {
        let Some((list, written)) = picked(&command.words()) else { continue };
        if masks::read(list).highest.is_some_and(|highest| highest >= cards as u64) {
            let finding = RawFinding::at(command.site).word("what", format!("`{written}`"));
            found.push(finding.word("option", &option).word("given", masks::gpus(cards)));
        }
    }
    found
}

/// The indices that an option of a launcher picks on this machine, and the option as it is written.
fn picked<'w>(words: &[Option<&'w str>]) -> Option<(&'w str, String)> {
    let Mask::Listed(list) = commands::invocation(words).mask? else { return None };
    let word = words.get(list.word).copied().flatten()?;
    let indices = word.get(list.range.0..list.range.1)?;
    if word.contains('=') {
        return Some((indices, word.to_owned()));
    }
    let option = words.get(list.word.checked_sub(1)?).copied().flatten()?;
    Some((indices, format!("{option} {word}")))
}

/// Launchers in a job script that start more processes on a machine than the job asks for cards there.
pub(super) fn ranks_beyond_request(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = served_ranks::beyond_container(scope);
    found.extend(ranks_beyond_job(scope));
    for launched in step_launchers::in_each_task(scope) {
        if found.iter().all(|known| known.place != launched.place) {
            found.push(launched);
        }
    }
    found
}

fn ranks_beyond_job(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let words: Vec<&str> = directives(scope.whole_text()).into_iter().map(|(_, word)| word).collect();
    let asked = Job::of(&words, "").at_most.or_else(|| asked_elsewhere(scope));
    let Some((cards, option)) = asked else { return Vec::new() };
    if words.iter().any(|word| word.starts_with("--exclusive")) || submitted::is_told(scope, &counts_cards) {
        return Vec::new();
    }
    let advice = match words.is_empty() {
        true => "start as many processes as the job asks for GPUs",
        false => "start as many processes as the job asks for GPUs, `--nproc_per_node=$SLURM_GPUS_ON_NODE`",
    };
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let words = command.words();
        let ranks = commands::ranks(&words).or_else(|| ranks_of_settings(scope, command, &words));
        let Some(ranks) = ranks.filter(|ranks| ranks.count > cards) else { continue };
        // The number of `accelerate launch` counts the processes of all machines.
        let on_others = !matches!(commands::machines(&words), None | Some(Machines::Known(1)));
        let told_by_step = command.options_of("srun").is_some_and(|told| says_cards(&told));
        if on_others && words.contains(&Some("accelerate")) || told_by_step {
            continue;
        }
        let finding = RawFinding::at(command.site).word("ranks", &ranks.option);
        found.push(
            finding
                .word("count", masks::gpus(ranks.count))
                .word("option", &option)
                .word("given", masks::gpus(cards))
                .word("advice", advice),
        );
    }
    found.sort_by_key(|finding| finding.place.span);
    found.dedup_by_key(|finding| finding.place.span);
    found
}

/// `--ntasks=1` beside `--ntasks-per-node=2`: the first wins, and the second is no more than a limit.
pub(super) fn tasks_below_node(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let told = directives(scope.whole_text());
    let words: Vec<&str> = told.iter().map(|(_, word)| *word).collect();
    let counts_tasks = |word: &str| word.contains("ntasks") || word.starts_with("-n");
    if !says_cards(&words) || submitted::is_told(scope, &counts_tasks) {
        return Vec::new();
    }
    let job = Job::of(&words, "");
    let Some((all, at)) = job.in_all else { return Vec::new() };
    let Some((each, limit)) = job.on_each.filter(|(each, _)| all < *each) else { return Vec::new() };
    // A launcher that Slurm starts once starts the others itself.
    if scope.own_commands().any(is_by_launcher) || !scope.own_commands().any(starts_all_tasks) {
        return Vec::new();
    }
    let place = |at: usize| scope.place(Span::new(told[at].0, told[at].0 + told[at].1.len()));
    let raw_finding = RawFinding::at(place(at)).word("all", all.to_string());
    let raw_finding = raw_finding.word("each", each.to_string());
    vec![raw_finding.beside(place(limit), "this is only a limit beside it")]
}

/// A step that asks for a kind of GPU in a job that asked for any, or for another kind.
pub(super) fn steps_of_another_kind(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let words: Vec<&str> = directives(scope.whole_text()).into_iter().map(|(_, word)| word).collect();
    let Some((kind, option)) = kind_asked_for(&words) else { return Vec::new() };
    if submitted::is_told(scope, &counts_cards) {
        return Vec::new();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let Some((Some(wanted), step)) = command.options_of("srun").and_then(|told| kind_asked_for(&told))
        else {
            continue;
        };
        let is_known = found.iter().any(|known| known.place == command.site);
        if kind.as_ref() != Some(&wanted) && !is_known {
            found.push(RawFinding::at(command.site).word("step", step).word("option", &option));
        }
    }
    found
}

/// The kind of GPU that options ask for, if they say one, and the option: `--gres=gpu:a100:2`. Lists of several say nothing.
fn kind_asked_for(words: &[&str]) -> Option<(Option<String>, String)> {
    let mut asked = words.iter().enumerate().filter_map(|(at, word)| {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, value),
            None => (*word, words.get(at + 1).copied()?),
        };
        let kind = match option {
            "--gres" => value.strip_prefix("gpu")?.trim_start_matches(':'),
            "--gpus" | "--gpus-per-node" | "-G" => value,
            _ => return None,
        };
        let kind = kind.split(':').next().filter(|kind| !kind.is_empty() && kind.parse::<usize>().is_err());
        Some((kind.map(str::to_owned), value.contains([',', '$']), format!("{option}={value}")))
    });
    let (kind, is_open, option) = asked.next()?;
    (!is_open && asked.next().is_none()).then_some((kind, option))
}

/// `--gpus-per-task` in a job that says neither how many tasks there are nor how many GPUs.
pub(super) fn gpus_of_unknown_tasks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let told = directives(scope.whole_text());
    let counts = |word: &str| {
        let name = word.split('=').next().unwrap_or_default();
        word.starts_with("-n")
            || word.starts_with("-G")
            || name.contains("tasks")
            || matches!(name, "--gpus" | "--gpus-per-node" | "--gres")
    };
    let Some((start, word)) = told.iter().find(|(_, word)| word.starts_with("--gpus-per-task")) else {
        return Vec::new();
    };
    // A comment of the script says that it is told more, whatever it is called there.
    let by_hand = scope.whole_text().contains("sbatch -");
    if by_hand || told.iter().any(|(_, word)| counts(word)) || submitted::is_told(scope, &counts) {
        return Vec::new();
    }
    vec![RawFinding::at(scope.place(Span::new(*start, start + word.len())))]
}

/// `srun python train.py`, with as many tasks as the job has.
fn starts_all_tasks(command: &RunCommand) -> bool {
    let is_told =
        |told: &[&str]| told.iter().any(|word| word.starts_with("-n") || word.starts_with("--ntasks"));
    command.starts.is_some() && command.options_of("srun").is_some_and(|told| !is_told(&told))
}

/// `torchrun --nproc_per_node=4 train.py`
pub(super) fn is_by_launcher(command: &RunCommand) -> bool {
    const LAUNCHERS: &[&str] = &[
        "accelerate",
        "deepspeed",
        "horovodrun",
        "mpiexec",
        "mpirun",
        "torchrun",
        "torch.distributed.launch",
        "torch.distributed.run",
    ];
    let words = command.words();
    commands::ranks(&words).is_some()
        || words.iter().flatten().any(|word| LAUNCHERS.contains(&commands::program_name(word)))
}

/// The processes that the settings of `accelerate launch --config_file` ask for, on one machine.
fn ranks_of_settings(scope: &FileScope<'_>, command: &RunCommand, words: &[Option<&str>]) -> Option<Ranks> {
    let settings = commands::settings_of_accelerate(words)?;
    let file = scope.program.file_beside(command, None, settings)?;
    commands::ranks_of_settings(scope.program.text_of(file))
}

fn says_cards(words: &[&str]) -> bool {
    words.iter().any(|word| counts_cards(word))
}

/// `--gres=gpu:2`, `--gpus-per-node=2`
fn counts_cards(word: &str) -> bool {
    word.starts_with("--gres") || word.starts_with("--gpus")
}

impl Job {
    /// What the words of `#SBATCH` lines, and those behind `sbatch` and `srun`, say.
    pub fn of(words: &[&str], name: &str) -> Job {
        let mut job = Job { name: format!("`{name}`"), ..Job::default() };
        let (mut nodes, mut for_each_card, mut all_cards) = (None, None, None);
        for (at, word) in words.iter().enumerate() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, value),
                None => {
                    match word.get(..2).filter(|option| ["-n", "-N"].contains(option) && word.len() > 2) {
                        // `-n4`
                        Some(option) => (option, &word[2..]),
                        None => (*word, words.get(at + 1).copied().unwrap_or_default()),
                    }
                }
            };
            let value = value.trim_matches(['"', '\'']);
            // `rtx8000:1`, `gpu:4`
            let count = value.rsplit(':').next().and_then(|count| count.parse::<usize>().ok());
            match option {
                "--ntasks-per-node" | "--tasks-per-node" => job.on_each = count.map(|count| (count, at)),
                "--ntasks" | "-n" => job.in_all = count.map(|count| (count, at)),
                "--nodes" | "-N" => nodes = count,
                "--gpus-per-node" => job.cards = count.map(|count| (count, format!("{option}={value}"))),
                "--gres" if value.starts_with("gpu") => {
                    job.cards = Some((count.unwrap_or(1), format!("{option}={value}")));
                }
                "--gpus" | "-G" => all_cards = count.map(|count| (count, format!("{option}={value}"))),
                "--gpus-per-task" if count == Some(1) => job.bound = Some(format!("{option}={value}")),
                "--ntasks-per-gpu" => {
                    for_each_card = count;
                    job.bound = Some(format!("{option}={value}"));
                }
                "--gpu-bind" => {
                    let one = ["single:1", "per_task:1", "map_gpu:", "map:"]
                        .iter()
                        .any(|way| value.starts_with(way));
                    job.bound = one.then(|| format!("{option}={value}"));
                }
                _ => {}
            }
        }
        // One card, or all of them, lie in one machine.
        job.at_most = job.cards.clone().or_else(|| all_cards.clone());
        let of_machine = |(count, _): &(usize, String)| *count == 1 || nodes == Some(1);
        job.cards = job.cards.or(all_cards.filter(of_machine));
        let number = |told: Option<(usize, usize)>| told.map(|(count, _)| count);
        let on_one = number(job.in_all).filter(|_| nodes.is_none_or(|nodes| nodes == 1));
        let by_cards = for_each_card.zip(job.cards()).map(|(tasks, cards)| tasks * cards);
        job.tasks = number(job.on_each).or(by_cards).or(on_one);
        job
    }

    /// How many cards it gets on a machine.
    pub fn cards(&self) -> Option<usize> {
        self.cards.as_ref().map(|(cards, _)| *cards)
    }
}

/// Names of GPUs, by which clusters call the features of their machines.
const FEATURES: &[&str] = &[
    "2080", "3090", "4090", "a100", "a30", "a40", "a5000", "a6000", "ampere", "b200", "gtx", "h100", "h200",
    "k40", "k80", "l4", "l40", "l40s", "p100", "pascal", "quadro", "rtx", "t4", "titan", "turing", "v100",
    "volta",
];

/// `#SBATCH -C TitanX` or `-p gpu` in a job that asks for no GPU: they choose the machine, and hand out nothing.
pub(super) fn features_without_request(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let told = directives(scope.whole_text());
    let words: Vec<&str> = told.iter().map(|(_, word)| *word).collect();
    let asks = |words: &[&str]| {
        says_cards(words)
            || words.iter().any(|word| {
                word.starts_with("--tres") || word.starts_with("--exclusive") || word.starts_with("-G")
            })
    };
    let by_command = |command: &RunCommand| {
        ["sbatch", "srun", "salloc"]
            .iter()
            .any(|name| command.options_of(name).is_some_and(|told| asks(&told)))
    };
    if asks(&words) || scope.program.run_commands().flatten().any(by_command) {
        return Vec::new();
    }
    let named = told.iter().enumerate().find_map(|(at, (start, word))| {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, value),
            None if matches!(*word, "-C" | "--constraint" | "-p" | "--partition") => {
                (*word, told.get(at + 1)?.1)
            }
            None => (word.get(..2)?, word.get(2..).filter(|value| !value.is_empty())?),
        };
        let value = value.trim_matches(['"', '\'']);
        let (kind, is_of_gpus) = match option {
            "-C" | "--constraint" => ("constraint", names_a_card(value)),
            "-p" | "--partition" => ("partition", value.split(',').all(is_for_gpus)),
            _ => return None,
        };
        is_of_gpus.then_some((Span::new(*start, start + word.len()), kind, value))
    });
    let found = named.map(|(span, kind, value)| {
        RawFinding::at(scope.place(span)).word("kind", kind).word("feature", value)
    });
    found.into_iter().collect()
}

/// `gpu`, `GPU-shared`, `gpu_a100`
fn is_for_gpus(partition: &str) -> bool {
    let name = partition.to_ascii_lowercase();
    let mut parts = name.split(|sign: char| !sign.is_ascii_alphanumeric());
    parts.any(|part| matches!(part, "gpu" | "gpus"))
}

/// Whether each alternative of a constraint is a GPU: `TitanX`, `gpu_v100|rtx3090`.
fn names_a_card(constraint: &str) -> bool {
    let is_card = |name: &str| {
        let name = name.to_ascii_lowercase();
        let mut parts = name.split(|sign: char| !sign.is_ascii_alphanumeric());
        parts.any(|part| {
            FEATURES.iter().any(|card| match card.len() {
                // `t4` is a part of many words.
                0..=3 => part == *card || part.strip_prefix("gpu") == Some(card),
                _ => part.starts_with(card) || part.ends_with(card),
            }) || part.starts_with("rtx")
                || part.starts_with("gtx")
        })
    };
    constraint.split(['|', '[', ']']).filter(|name| !name.is_empty()).all(is_card)
}

/// `device: 1` in settings of Hydra whose launcher gives each job one card: submitit counts these from 0.
fn devices_beyond_launcher(scope: &FileScope<'_>) -> Option<RawFinding> {
    const NAMES: &[&str] = &["cuda_device", "device", "device_id", "gpu", "gpu_id"];
    let text = scope.whole_text();
    if !text.contains("hydra") || !text.contains("launcher") {
        return None;
    }
    let value = |line: &str, names: &[&str]| {
        let (name, value) = line.trim().split_once(':')?;
        let value = value.split('#').next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned();
        names.contains(&name).then_some(value)
    };
    let given = text.lines().find_map(|line| value(line, &["gpus_per_node"]))?;
    let cards: u64 = given.parse().ok().filter(|cards| *cards > 0)?;
    lines_in(text).find_map(|(span, line)| {
        // Settings at the top; those of the launcher are its own.
        let device = value(line, NAMES).filter(|_| !line.starts_with([' ', '#']))?;
        let index: u64 = device.strip_prefix("cuda:").unwrap_or(&device).parse().ok()?;
        (index >= cards).then(|| {
            let finding = RawFinding::at(scope.place(span)).word("what", format!("`{}`", line.trim()));
            let finding = finding.word("option", format!("gpus_per_node: {cards}"));
            finding.word("given", masks::gpus(cards as usize))
        })
    })
}
