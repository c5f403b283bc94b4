//! Numbers of processes that are for all machines together, and are given as if they were for each.

use crate::commands::program_name;
use crate::facts::{Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// `num_processes: 1` beside `num_machines: 2`, in settings of accelerate and behind `accelerate launch`.
pub(super) fn below_machines(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.language() == Language::Yaml {
        return in_settings(scope).into_iter().collect();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let words = command.words();
        let Some(told) = told_to_launch(&words) else { continue };
        let number = |name| option(told, name).flatten().and_then(|count| count.parse::<usize>().ok());
        let pair = number("num_processes").zip(number("num_machines"));
        if let Some((processes, machines)) = pair.filter(|(processes, machines)| processes < machines)
            && !found.iter().any(|known| known.place == command.site)
        {
            let written = format!("--num_processes {processes}");
            let raw_finding = RawFinding::at(command.site).word("written", written);
            found.push(raw_finding.word("machines", machines.to_string()));
        }
    }
    found
}

/// What `accelerate launch` is told; what stands behind the program is for the program.
pub(super) fn told_to_launch<'t, 'w>(words: &'t [Option<&'w str>]) -> Option<&'t [Option<&'w str>]> {
    let at = words.windows(2).position(|pair| {
        pair[0].is_some_and(|word| program_name(word) == "accelerate") && pair[1] == Some("launch")
    })?;
    let is_program = |word: &Option<&str>| word.is_some_and(|word| word.ends_with(".py"));
    let end = words.iter().position(is_program).filter(|end| *end > at).unwrap_or(words.len());
    words.get(at + 2..end)
}

/// The value behind an option, with either sign between its words; `Some(None)` where it is not known.
pub(super) fn option<'w>(told: &[Option<&'w str>], wanted: &str) -> Option<Option<&'w str>> {
    told.iter().enumerate().find_map(|(at, word)| {
        let (name, value) = match (*word)?.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => ((*word)?, told.get(at + 1).copied().flatten()),
        };
        let name = name.strip_prefix("--")?;
        (name.replace('-', "_") == wanted).then(|| value.map(|value| value.trim_matches(['"', '\''])))
    })
}

fn in_settings(scope: &FileScope<'_>) -> Option<RawFinding> {
    let text = scope.whole_text();
    let is_of_accelerate = ["compute_environment:", "distributed_type:"].iter().any(|key| text.contains(key));
    let value = |key: &str| {
        lines_in(text).find_map(|(span, line)| {
            let value = line.strip_prefix(key)?.strip_prefix(':')?;
            let value = value.split('#').next().unwrap_or_default().trim();
            Some((Span { start: span.start, end: span.start + line.trim_end().len() as u32 }, value))
        })
    };
    let (span, processes) = value("num_processes")?;
    let (machines_at, machines) = value("num_machines")?;
    let (count, machines): (usize, usize) = processes.parse().ok().zip(machines.parse().ok())?;
    if !is_of_accelerate || count >= machines {
        return None;
    }
    let raw_finding = RawFinding::at(scope.place(span)).word("written", format!("num_processes: {count}"));
    let raw_finding = raw_finding.word("machines", machines.to_string());
    Some(raw_finding.beside(scope.place(machines_at), "it is divided by this number"))
}
