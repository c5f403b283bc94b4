//! A diagnosis as people read it: titles, and lines below them. How they are set is up to [`super::pages`].

mod cards;

use super::{Diagnosis, Order, Verdict, cause, driver_fault, listing_fault};
use crate::runtime::advice::{Advice, Level, shown};
use crate::runtime::backends::Backend;
use crate::runtime::driver::{Answer, codes};
use crate::runtime::exports::Place;
use crate::runtime::management::Listing;

/// Behind the version of what stands in for a driver.
const SIMULATED: &str = " (simulated: these cards do not exist)";

/// Lines under a title.
pub struct Section {
    pub title: &'static str,
    pub lines: Vec<Line>,
}

/// One line.
pub enum Line {
    /// A name and what it is.
    Fact(String, String),
    /// Columns; the first row names them.
    Table(Vec<Vec<String>>),
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
        ("Cards", cards::table(diagnosis)),
        ("Driver", driver(diagnosis)),
        ("Surroundings", surroundings(diagnosis)),
        ("Backends", backends(diagnosis)),
        ("Allocator of torch", allocator(diagnosis)),
        ("Batch size", batch(diagnosis)),
        ("About the cards", cards::remarks(diagnosis)),
        ("Not seen", unseen(diagnosis)),
    ];
    let sections = all.into_iter().map(|(title, lines)| Section { title, lines });
    sections.filter(|section| !section.lines.is_empty()).collect()
}

fn policy(diagnosis: &Diagnosis) -> Vec<Line> {
    let mut lines = match &diagnosis.verdict {
        Verdict::NoPolicy => {
            vec![Line::Sentence(
                "none: nothing says which GPU is the right one; `gpulint init` writes a policy".into(),
            )]
        }
        Verdict::Met { card } => vec![Line::Sentence(format!("met: this process gets {card} and no other"))],
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
    };
    let offered = &diagnosis.policy_lines;
    if !offered.is_empty() {
        let these =
            if offered.len() == 1 { "these lines name" } else { "these lines name one of the cards by" };
        let whom = if offered.len() == 1 { format!(" {} by", offered[0].name) } else { String::new() };
        lines.push(Line::Sentence(format!(
            "{these}{whom} its UUID, which stays the same when cards are counted anew"
        )));
    }
    lines.extend(offered.iter().map(|one| Line::Code("gpulint.yaml", one.text.clone())));
    lines
}

fn process(diagnosis: &Diagnosis) -> Vec<Line> {
    let resolution = &diagnosis.resolution;
    let visible = diagnosis.machine.visible();
    let mut lines: Vec<Line> = match visible {
        [] => vec![fact("cuda:0", "no card")],
        cards => cards
            .iter()
            .enumerate()
            .map(|(ordinal, card)| fact(format!("cuda:{ordinal}"), card.to_string()))
            .collect(),
    };
    // The variables explain which cards are left, and not why a driver fails.
    let failed = driver_fault(&diagnosis.machine.driver).filter(|_| !shows_no_card(diagnosis));
    lines.push(fact("why", failed.unwrap_or_else(|| resolution.reason.clone())));
    lines.extend(resolution.variables.iter().map(|variable| {
        let value = match &variable.value {
            None => "not set".to_owned(),
            Some(value) if value.is_empty() => "empty".to_owned(),
            Some(value) => value.clone(),
        };
        fact(variable.name, value)
    }));
    if resolution.order == Order::FastestFirst {
        let told = match resolution.orders_differ {
            Some(true) => Some(
                "warning: CUDA counts the cards of this machine in another order than nvidia-smi; with \
                 CUDA_DEVICE_ORDER=PCI_BUS_ID both count alike",
            ),
            Some(false) => Some(
                "CUDA counts the cards of this machine as nvidia-smi does, today; only \
                 CUDA_DEVICE_ORDER=PCI_BUS_ID makes it stay so",
            ),
            None => None,
        };
        lines.extend(told.map(|text| Line::Sentence(text.into())));
    }
    lines.extend(resolution.surprise.iter().map(|text| Line::Sentence(format!("warning: {text}"))));
    lines
}

/// Whether the driver works and has no card for this process.
fn shows_no_card(diagnosis: &Diagnosis) -> bool {
    match diagnosis.machine.driver.answer() {
        Some(Answer::Cards { .. }) => true,
        Some(Answer::Error { code }) => matches!(*code, codes::NO_DEVICE | codes::INVALID_DEVICE),
        _ => false,
    }
}

fn driver(diagnosis: &Diagnosis) -> Vec<Line> {
    let mut lines = Vec::new();
    match diagnosis.machine.listing.answer() {
        Some(Listing::Cards { driver, cuda, simulated, .. }) => {
            let what = if *simulated { SIMULATED } else { "" };
            lines.extend(driver.iter().map(|version| fact("driver", format!("{version}{what}"))));
            lines.extend(cuda.map(|version| fact("CUDA", format!("up to {}", cuda_version(version)))));
        }
        _ => lines.extend(listing_fault(&diagnosis.machine.listing).map(|why| fact("NVML", why))),
    }
    match diagnosis.machine.driver.answer() {
        Some(Answer::Cards { version: Some(version), simulated, .. }) if lines.len() < 2 => {
            let what = if *simulated { SIMULATED } else { "" };
            lines.push(fact("CUDA", format!("up to {}{what}", cuda_version(*version))));
        }
        _ => {
            let machine = &diagnosis.machine;
            let why = cause(machine).or_else(|| driver_fault(&machine.driver));
            lines.extend(why.map(|why| fact("CUDA", why)));
        }
    }
    lines
}

/// Without what the driver's section says already.
fn unseen(diagnosis: &Diagnosis) -> Vec<Line> {
    let machine = &diagnosis.machine;
    let faults = [listing_fault(&machine.listing), driver_fault(&machine.driver)];
    let said = |text: &str| faults.iter().flatten().any(|fault| text.ends_with(fault.as_str()));
    let rest = diagnosis.unseen.iter().filter(|text| !said(text));
    rest.map(|text| Line::Sentence(text.clone())).collect()
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
        .filter(|presence| match presence.backend {
            Backend::Cpu => false,
            Backend::Mps => diagnosis.surroundings.platform.is_mac(),
            _ => true,
        })
        .map(|presence| {
            let is = if presence.present { "yes" } else { "no" };
            fact(presence.backend.name(), format!("{is}: {}", presence.reason))
        })
        .collect();
    lines.push(fact("automatic", backends.automatic.backend.name()));
    if backends.chosen != backends.automatic {
        lines.push(fact("chosen", backends.chosen.reason.clone()));
    }
    // That one has been explained with the process.
    let switches = backends.switches.iter().filter(|switch| switch.variable != "CUDA_VISIBLE_DEVICES");
    lines.extend(switches.map(|switch| {
        let value = switch.value.as_deref().unwrap_or("not set");
        fact(switch.variable.clone(), format!("{value}: {}", switch.effect))
    }));
    lines.extend(backends.contradictions.iter().cloned().map(Line::Sentence));
    lines
}

fn allocator(diagnosis: &Diagnosis) -> Vec<Line> {
    let advice = &diagnosis.allocator;
    let is_set = !advice.variables.is_empty() || !advice.findings.is_empty();
    if diagnosis.machine.visible().is_empty() && !is_set {
        return Vec::new();
    }
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
    let card = diagnosis.machine.visible().iter().take(1).map(|card| fact("card", card.short_name()));
    let mut lines: Vec<Line> = card.collect();
    lines.extend([
        fact("usable", format!("{} of {}", shown(advice.usable_bytes), shown(advice.available_bytes))),
        fact("largest", advice.formula.strip_prefix("largest batch = ").unwrap_or(&advice.formula)),
    ]);
    lines.extend(advice.start.map(|start| fact("start with", start.to_string())));
    lines.extend(
        advice
            .scaled
            .as_ref()
            .map(|scaled| fact("scaled", format!("{}: {}", scaled.batch, worded(&scaled.reason)))),
    );
    lines.extend(advice.reserves.iter().map(|reserve| fact("kept back", worded(&reserve.reason))));
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
