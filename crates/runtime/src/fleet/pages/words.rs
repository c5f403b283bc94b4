//! What merged reports say, in words that all forms share.

use crate::runtime::fleet::document::{CardKind, Fleet, KindSpeed, Machine, MachineSpeed};
use crate::runtime::fleet::reading::weight_of;
use crate::runtime::validation::document::{Reason, Weight};
use crate::runtime::validation::pages::words::duration;

/// The first line.
pub fn title(fleet: &Fleet) -> String {
    format!("gpulint report merge: {}", fleet.verdict.words())
}

/// How many there are.
pub fn counts(fleet: &Fleet) -> String {
    let mut parts: Vec<String> = fleet
        .verdicts
        .iter()
        .map(|counted| format!("{} {}", counted.reports, counted.verdict.words().replace(": ", ", ")))
        .collect();
    let unreadable = fleet.unreadable.len();
    parts.extend((unreadable > 0).then(|| format!("{unreadable} without a report that can be read")));
    let reports = if fleet.reports == 1 { "report" } else { "reports" };
    format!("{} {reports}: {}", fleet.reports, parts.join("; "))
}

/// What all machines have in common.
pub fn facts(fleet: &Fleet) -> Vec<(&'static str, String)> {
    let copies = (fleet.copies > 0)
        .then(|| format!("{}, left out: the same report again, or an earlier state of one", fleet.copies));
    let all = [
        ("machines", Some(counts(fleet))),
        ("expected", fleet.expected.map(|expected| expected.to_string())),
        ("copies", copies),
        ("plan", Some(fleet.plan.clone())),
        ("policy", fleet.policy.clone()),
        ("gpulint", Some(fleet.version.clone())),
        ("exit code", Some(fleet.exit_code.to_string())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Each kind of card, and what is known of it.
pub fn kind(kind: &CardKind) -> (String, String) {
    let simulated = if kind.simulated { ", simulated" } else { "" };
    let cards = if kind.cards == 1 { "card" } else { "cards" };
    let mut parts = vec![format!("{} {cards}{simulated}", kind.cards)];
    if let [only] = kind.drivers.as_slice() {
        parts.push(format!("driver {}", only.version));
    } else if !kind.drivers.is_empty() {
        let drivers = kind.drivers.iter().map(|driver| format!("{} ({})", driver.version, driver.cards));
        parts.push(format!("drivers {}", drivers.collect::<Vec<_>>().join(", ")));
    }
    parts.extend(kind.speeds.iter().map(kind_speed));
    (kind.name.clone(), parts.join("; "))
}

fn kind_speed(speed: &KindSpeed) -> String {
    let (what, unit) = speed.load.measure.words();
    let by = match speed.load.multiplier.as_str() {
        "own" => "gpulint's own kernel",
        other => other,
    };
    format!(
        "{what} {:.1} {unit} in the median, {:.1} to {:.1} (matrices of {side} × {side}, {by}, {cards} of them)",
        speed.median,
        speed.slowest,
        speed.fastest,
        side = speed.load.side,
        cards = speed.cards,
    )
}

/// The columns of the table of machines.
pub const COLUMNS: [&str; 7] = ["machine", "card", "UUID", "verdict", "why", "speed", "took"];

/// Its rows.
pub fn row(machine: &Machine) -> [String; 7] {
    let card = machine.card.as_ref();
    let dash = || "-".to_owned();
    [
        machine.host.clone().unwrap_or_else(dash),
        card.map_or_else(|| "none".to_owned(), |card| card.name.clone()),
        card.map_or_else(dash, |card| card.uuid.clone()),
        machine.verdict.words().to_owned(),
        why(machine).into_iter().map(|reason| reason.code.clone()).collect::<Vec<_>>().join(", "),
        machine.speeds.iter().map(machine_speed).collect::<Vec<_>>().join(", "),
        machine.wall_seconds.map_or_else(dash, duration),
    ]
}

fn machine_speed(speed: &MachineSpeed) -> String {
    let (_, unit) = speed.load.measure.words();
    let part = speed.of_kind.map(|part| format!(" ({:.0} %)", 100.0 * part)).unwrap_or_default();
    format!("{:.1} {unit}{part}", speed.median)
}

/// What speaks against a machine or its card; no notes.
pub fn why(machine: &Machine) -> Vec<&Reason> {
    let all = machine.reasons.iter().chain(&machine.differences);
    all.filter(|reason| reason.weight < Weight::Note).collect()
}

/// The machines, the worst first.
pub fn worst_first(fleet: &Fleet) -> Vec<&Machine> {
    let mut machines: Vec<&Machine> = fleet.machines.iter().collect();
    machines.sort_by_key(|machine| heaviest(machine).unwrap_or(Weight::Note));
    machines
}

/// What a machine weighs with all that is said of it.
pub fn heaviest(machine: &Machine) -> Option<Weight> {
    why(machine).into_iter().map(|reason| reason.weight).chain(weight_of(machine.verdict)).min()
}

/// What nobody looked at, and on how many machines.
pub fn not_checked(fleet: &Fleet) -> Vec<(String, String)> {
    let on = |reports: u64| match reports {
        reports if reports == fleet.reports => "on all machines".to_owned(),
        1 => "on 1 machine".to_owned(),
        reports => format!("on {reports} machines"),
    };
    fleet
        .not_checked
        .iter()
        .map(|not| (not.what.clone(), format!("{} ({})", not.why, on(not.reports))))
        .collect()
}
