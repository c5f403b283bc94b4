//! Cards that accelerate is told to take, and processes that are more than these.

use super::process_counts::{option, told_to_launch};
use crate::facts::{Span, lines_in};
use crate::masks;
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// Kinds of settings with one process for each card.
const IN_SEVERAL: &[&str] = &["MULTI_GPU", "FSDP", "DEEPSPEED", "MEGATRON_LM"];

/// `gpu_ids: 0,1` beside `num_processes: 4`, in settings of accelerate and behind `accelerate launch`.
pub(super) fn beyond_ids(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.language() == Language::Yaml {
        return in_settings(scope).into_iter().collect();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        if let Some(text) = in_command(scope, command)
            && !found.iter().any(|known| known.place == command.site)
        {
            found.push(RawFinding::at(command.site).word("text", text));
        }
    }
    found
}

fn in_settings(scope: &FileScope<'_>) -> Option<RawFinding> {
    let settings = Settings::of(scope.whole_text())?;
    let ((span, written), (at, ids)) = (settings.processes?, settings.ids?);
    let says = format!("num_processes: {written}");
    let text = match settings.machines {
        1 => beyond(&says, &written, &format!("gpu_ids: {ids}"), &ids)?,
        machines => {
            let each = written.parse::<usize>().ok()? / machines;
            let left = ids_in(&ids)?;
            let is_more = each > left;
            is_more.then(|| {
                let left = masks::gpus(left);
                format!(
                    "`{says}` on {machines} machines wants {each} GPUs on each, and `gpu_ids: {ids}` leaves {left}"
                )
            })?
        }
    };
    let raw_finding = RawFinding::at(scope.place(span)).word("text", text);
    Some(raw_finding.beside(scope.place(at), "these are the cards"))
}

/// What settings of accelerate say of machines with several cards, as written.
struct Settings {
    /// The processes are spread over so many.
    machines: usize,
    processes: Option<(Span, String)>,
    ids: Option<(Span, String)>,
}

impl Settings {
    fn of(text: &str) -> Option<Settings> {
        let value = |key: &str| {
            lines_in(text).find_map(|(span, line)| {
                let value = line.strip_prefix(key)?.strip_prefix(':')?;
                let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
                let end = span.start + line.trim_end().len() as u32;
                Some((Span { start: span.start, end }, value.to_owned()))
            })
        };
        let is = |key: &str, wanted: &[&str]| value(key).is_some_and(|(_, it)| wanted.contains(&it.as_str()));
        let elsewhere = is("use_cpu", &["true"]) || !is("distributed_type", IN_SEVERAL);
        let machines = value("num_machines").map_or(Some(1), |(_, count)| count.parse().ok())?;
        let (processes, ids) = (value("num_processes"), value("gpu_ids"));
        (machines > 0 && !elsewhere).then_some(Settings { machines, processes, ids })
    }
}

/// Where a command says one of both itself; what a file of settings says alone is told there.
fn in_command(scope: &FileScope<'_>, command: &RunCommand) -> Option<String> {
    let words = command.words();
    let told = told_to_launch(&words)?;
    // A word that is not known may be an option, unless it stands behind one.
    let is_value = |at: usize| {
        at.checked_sub(1).and_then(|before| told[before]).is_some_and(|word| word.starts_with("--"))
    };
    let is_open = (0..told.len()).any(|at| told[at].is_none() && !is_value(at));
    let elsewhere = ["--cpu", "--tpu"].iter().any(|option| told.contains(&Some(option)));
    let on_one = option(told, "num_machines").is_none_or(|count| count == Some("1"));
    if is_open || elsewhere || !on_one {
        return None;
    }
    let settings = match option(told, "config_file") {
        Some(path) => {
            let file = scope.program.file_beside(command, None, path?)?;
            Some(Settings::of(scope.program.text_of(file)).filter(|settings| settings.machines == 1)?)
        }
        None => None,
    };
    let (processes, ids) = (option(told, "num_processes"), option(told, "gpu_ids"));
    if processes.is_none() && ids.is_none() {
        return None;
    }
    let said = |given: Option<Option<&str>>, of: fn(&Settings) -> &Option<(Span, String)>| match given {
        Some(value) => value.map(str::to_owned),
        None => settings.as_ref().and_then(|it| of(it).as_ref()).map(|(_, value)| value.clone()),
    };
    let (count, cards) = (said(processes, |it| &it.processes)?, said(ids, |it| &it.ids)?);
    let name = |given: bool, option: &str, value: &str| match given {
        true => format!("--{option} {value}"),
        false => format!("{option}: {value}"),
    };
    let written = name(processes.is_some(), "num_processes", &count);
    beyond(&written, &count, &name(ids.is_some(), "gpu_ids", &cards), &cards)
}

/// What is said where the processes are more than the cards that are listed.
fn beyond(written: &str, count: &str, listed: &str, ids: &str) -> Option<String> {
    let count: usize = count.parse().ok()?;
    let cards = ids_in(ids)?;
    let left = masks::gpus(cards);
    (count > cards).then(|| format!("`{written}` wants {count} GPUs, and `{listed}` leaves {left}"))
}

/// How many cards a list names.
fn ids_in(ids: &str) -> Option<usize> {
    let ids: Option<Vec<usize>> = ids.split(',').map(|id| id.trim().parse().ok()).collect();
    ids.map(|ids| ids.len())
}
