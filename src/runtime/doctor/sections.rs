//! A diagnosis as people read it: titles, and lines below them. How they are set is up to [`super::pages`].

use super::{Diagnosis, Verdict, driver_fault, listing_fault};
use crate::runtime::advice::{Advice, Level, shown};
use crate::runtime::cards::Card;
use crate::runtime::driver::Answer;
use crate::runtime::exports::Place;
use crate::runtime::management::{Board, Listing, Mode};

/// Lines under a title.
pub struct Section {
    pub title: &'static str,
    pub lines: Vec<Line>,
}

/// One line.
pub enum Line {
    /// A name and what it is.
    Fact(String, String),
    Sentence(String),
    /// To be copied: for what, and the text.
    Code(&'static str, String),
}

fn fact(name: impl Into<String>, text: impl Into<String>) -> Line {
    Line::Fact(name.into(), text.into())
}

/// What comes first is what most people look for.
pub fn sections(diagnosis: &Diagnosis) -> Vec<Section> {
    let all = [
        ("Policy", policy(diagnosis)),
        ("This process", process(diagnosis)),
        ("Cards", cards(diagnosis)),
        ("Driver", driver(diagnosis)),
        ("Surroundings", surroundings(diagnosis)),
        ("Backends", backends(diagnosis)),
        ("Allocator of torch", allocator(diagnosis)),
        ("Batch size", batch(diagnosis)),
        ("Not seen", diagnosis.unseen.iter().cloned().map(Line::Sentence).collect()),
    ];
    let sections = all.into_iter().map(|(title, lines)| Section { title, lines });
    sections.filter(|section| !section.lines.is_empty()).collect()
}

fn policy(diagnosis: &Diagnosis) -> Vec<Line> {
    match &diagnosis.verdict {
        Verdict::NoPolicy => {
            vec![Line::Sentence("no policy says which GPU is right: `gpulint init` writes one".into())]
        }
        Verdict::Met { card } => vec![Line::Sentence(format!("met: the process gets {card} and no other"))],
        Verdict::NotMet { reason, allowed, exports } => {
            let mut lines = vec![Line::Sentence(format!("not met: {reason}"))];
            if let Some(card) = allowed {
                lines.push(fact("allowed", format!("{}, {}", card.name, card.uuid)));
            }
            // The rest is in the reports for programs.
            let wanted = [Place::Bash, Place::Powershell, Place::Cmd];
            let shells = exports.iter().filter(|export| wanted.contains(&export.place));
            lines.extend(shells.map(|export| Line::Code(export.place.name(), export.text.clone())));
            lines
        }
    }
}

fn process(diagnosis: &Diagnosis) -> Vec<Line> {
    let resolution = &diagnosis.resolution;
    let mut lines: Vec<Line> = resolution
        .variables
        .iter()
        .map(|variable| {
            let value = match &variable.value {
                None => "not set".to_owned(),
                Some(value) if value.is_empty() => "empty".to_owned(),
                Some(value) => value.clone(),
            };
            fact(variable.name, value)
        })
        .collect();
    let first = resolution.ordinal_0.as_ref().map_or_else(|| "no card".to_owned(), ToString::to_string);
    lines.push(fact("cuda:0", format!("{first}: {}", resolution.reason)));
    let others = diagnosis.machine.visible().iter().enumerate().skip(1);
    lines.extend(others.map(|(ordinal, card)| fact(format!("cuda:{ordinal}"), card.to_string())));
    match resolution.orders_differ {
        Some(true) => lines.push(Line::Sentence(
            "CUDA's own order is not the order of the PCI addresses here: without CUDA_DEVICE_ORDER=PCI_BUS_ID an index is \
             another card than in nvidia-smi"
                .into(),
        )),
        Some(false) => lines.push(Line::Sentence(
            "CUDA's own order is that of the PCI addresses on this machine, today: nothing promises that it stays so".into(),
        )),
        None => {}
    }
    lines.extend(resolution.surprise.iter().cloned().map(Line::Sentence));
    lines
}

fn cards(diagnosis: &Diagnosis) -> Vec<Line> {
    let boards = diagnosis.machine.boards();
    let shown_only = diagnosis.machine.visible().iter();
    let mut lines: Vec<Line> = match boards {
        [] => shown_only.map(|card| fact(card.pci.to_string(), described(card, None, diagnosis))).collect(),
        boards => boards
            .iter()
            .enumerate()
            .map(|(rank, board)| {
                fact(format!("{rank}  {}", board.card.pci), described(&board.card, Some(board), diagnosis))
            })
            .collect(),
    };
    lines.extend(
        diagnosis
            .architectures
            .iter()
            .flat_map(|facts| &facts.remarks)
            .map(|remark| Line::Sentence(worded(remark))),
    );
    lines
}

fn described(card: &Card, board: Option<&Board>, diagnosis: &Diagnosis) -> String {
    let mut parts = vec![card.name.clone(), shown(card.memory)];
    if let Some(capability) = card.compute_capability() {
        let facts = diagnosis
            .architectures
            .iter()
            .find(|facts| facts.capability.as_deref() == Some(&capability.to_string()));
        let architecture = facts.and_then(|facts| facts.architecture).map(|name| format!(" ({name})"));
        parts.push(format!("compute capability {capability}{}", architecture.unwrap_or_default()));
    }
    parts.push(card.uuid.clone());
    if let Some(board) = board {
        parts.extend(board.used.map(|used| format!("{} in use", shown(used))));
        parts.extend(board.users.as_ref().filter(|users| !users.is_empty()).map(|users| {
            let pids: Vec<String> = users.iter().map(|user| user.pid.to_string()).collect();
            format!("used by process {}", pids.join(", "))
        }));
        parts.extend(match board.compute_mode {
            Some(Mode::OneProcess) => Some("for one process at a time".to_owned()),
            Some(Mode::Nobody) => Some("nobody may compute on it".to_owned()),
            _ => None,
        });
        parts.extend((board.mig == Some(true)).then(|| "divided into slices (MIG)".to_owned()));
        parts.extend((board.persistence == Some(false)).then(|| "persistence mode off".to_owned()));
    }
    parts.join(", ")
}

fn driver(diagnosis: &Diagnosis) -> Vec<Line> {
    let mut lines = Vec::new();
    match diagnosis.machine.listing.answer() {
        Some(Listing::Cards { driver, cuda, .. }) => {
            lines.extend(driver.iter().map(|version| fact("version", version)));
            lines.extend(cuda.map(|version| fact("CUDA", format!("up to {}", cuda_version(version)))));
        }
        _ => lines.extend(listing_fault(&diagnosis.machine.listing).map(|why| fact("NVML", why))),
    }
    match diagnosis.machine.driver.answer() {
        Some(Answer::Cards { version: Some(version), .. }) if lines.len() < 2 => {
            lines.push(fact("CUDA", format!("up to {}", cuda_version(*version))));
        }
        _ => lines.extend(driver_fault(&diagnosis.machine.driver).map(|why| fact("CUDA", why))),
    }
    lines
}

/// 12080 → 12.8
fn cuda_version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

fn surroundings(diagnosis: &Diagnosis) -> Vec<Line> {
    diagnosis.surroundings.remarks.iter().map(|remark| Line::Sentence(remark.text.clone())).collect()
}

fn backends(diagnosis: &Diagnosis) -> Vec<Line> {
    let backends = &diagnosis.backends;
    let mut lines: Vec<Line> = backends
        .seen
        .iter()
        .map(|presence| {
            let is = if presence.present { "yes" } else { "no" };
            fact(presence.backend.name(), format!("{is}: {}", presence.reason))
        })
        .collect();
    lines.push(fact(
        "automatic",
        format!("{}: {}", backends.automatic.backend.name(), backends.automatic.reason),
    ));
    if backends.chosen != backends.automatic {
        lines.push(fact("chosen", backends.chosen.reason.clone()));
    }
    lines.extend(backends.switches.iter().map(|switch| {
        let value = switch.value.as_deref().unwrap_or("not set");
        fact(switch.variable.clone(), format!("{value}: {}", switch.effect))
    }));
    lines.extend(backends.contradictions.iter().cloned().map(Line::Sentence));
    lines
}

fn allocator(diagnosis: &Diagnosis) -> Vec<Line> {
    let advice = &diagnosis.allocator;
    let mut lines: Vec<Line> = advice
        .variables
        .iter()
        .map(|variable| {
            let force = if variable.in_force { "" } else { " (another variable is in force)" };
            fact(variable.name, format!("{}{force}", variable.value))
        })
        .collect();
    lines.extend(advice.findings.iter().map(|finding| Line::Sentence(worded(finding))));
    let recommended = advice.recommendation.value.unwrap_or("leave it as it is");
    lines.push(fact("recommended", recommended));
    lines.extend(advice.recommendation.reasons.iter().map(|reason| Line::Sentence(worded(reason))));
    lines
}

fn batch(diagnosis: &Diagnosis) -> Vec<Line> {
    let Some(advice) = &diagnosis.batch else { return Vec::new() };
    let mut lines = vec![
        fact("usable", format!("{} of {}", shown(advice.usable_bytes), shown(advice.available_bytes))),
        fact("largest", advice.formula.clone()),
    ];
    lines.extend(advice.start.map(|start| fact("start with", start.to_string())));
    lines.extend(
        advice
            .scaled
            .as_ref()
            .map(|scaled| fact("scaled", format!("{}: {}", scaled.batch, worded(&scaled.reason)))),
    );
    lines.extend(
        advice.reserves.iter().map(|reserve| {
            fact("kept back", format!("{}: {}", shown(reserve.bytes), worded(&reserve.reason)))
        }),
    );
    lines.extend(advice.notes.iter().map(|note| Line::Sentence(worded(note))));
    lines
}

fn worded(advice: &Advice) -> String {
    let level = match advice.level {
        Level::Note => "",
        Level::Warning => "warning: ",
        Level::Error => "error: ",
    };
    format!("{level}{}", advice.text)
}
