//! Cards of one kind, held against each other: which has another driver, less memory, or is slower than the others.
//!
//! A speed is compared with the median of the kind under the same load. That takes three cards: of two that differ nobody knows
//! which one is right.

use super::document::{CardKind, Driver, KindSpeed, Load, Machine};
use crate::runtime::cards::Card;
use crate::runtime::validation::document::{Reason, Weight};
use crate::runtime::validation::judgement::SLOW;
use crate::runtime::validation::pages::words::size;
use std::collections::BTreeMap;

/// Of fewer cards nobody knows which one is odd.
const FEWEST: usize = 3;
/// What a driver keeps for itself may differ by less.
const SAME_MEMORY: f64 = 0.02;

/// What the cards of a kind have in common: whether they exist, their name, and of a slice also its size.
type Key = (bool, String);

/// All kinds. Each machine learns how its card differs from its kind.
pub fn compare(machines: &mut [Machine]) -> Vec<CardKind> {
    let mut kinds: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (at, machine) in machines.iter().enumerate() {
        if let Some(card) = &machine.card {
            kinds.entry((machine.simulated, kind_of(card))).or_default().push(at);
        }
    }
    kinds.into_iter().map(|(key, members)| compared(key, &members, machines)).collect()
}

/// The name; of a slice of a card also how large it is.
fn kind_of(card: &Card) -> String {
    match card.uuid.starts_with("MIG-") {
        true => format!("{}, a slice of {}", card.name, size(card.memory as f64)),
        false => card.name.clone(),
    }
}

fn compared((simulated, name): Key, members: &[usize], machines: &mut [Machine]) -> CardKind {
    // The latest report of each card.
    let mut latest: BTreeMap<String, usize> = BTreeMap::new();
    for &at in members {
        let (Some(machine), Some(card)) = (machines.get(at), machines.get(at).and_then(|m| m.card.as_ref()))
        else {
            continue;
        };
        let before = latest.get(&card.uuid).and_then(|at| machines.get(*at));
        if before.is_none_or(|before| before.started <= machine.started) {
            latest.insert(card.uuid.clone(), at);
        }
    }
    let cards: Vec<&Machine> = latest.values().filter_map(|at| machines.get(*at)).collect();
    let drivers = most_common(cards.iter().filter_map(|machine| machine.driver.clone()));
    let memories = most_common(cards.iter().filter_map(|machine| Some(machine.card.as_ref()?.memory)));
    let speeds = speeds_of(&cards);
    let count = cards.len();
    let usual_driver = usual(&drivers, count);
    let usual_memory = usual(&memories, count);
    for &at in members {
        let Some(machine) = machines.get_mut(at) else { continue };
        let mut differences = Vec::new();
        differences.extend(usual_memory.and_then(|usual| other_memory(machine, *usual)));
        differences.extend(machine.speeds.iter_mut().filter_map(|speed| {
            let kind = speeds.iter().find(|kind| kind.load == speed.load && kind.cards > 1)?;
            let part = speed.median / kind.median;
            speed.of_kind = Some(part);
            (kind.cards as usize >= FEWEST).then(|| other_speed(part, speed.median, kind)).flatten()
        }));
        differences.extend(usual_driver.and_then(|usual| other_driver(machine, usual)));
        machine.differences = differences;
    }
    let drivers = drivers.into_iter().map(|(version, cards)| Driver { version, cards: cards as u64 });
    CardKind { name, simulated, cards: count as u64, drivers: drivers.collect(), speeds }
}

/// Each value and its number, the most common first.
fn most_common<T: Ord>(values: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// What more than half of the cards have, where there are enough.
fn usual<T>(counts: &[(T, usize)], cards: usize) -> Option<&T> {
    let (value, count) = counts.first()?;
    (cards >= FEWEST && 2 * count > cards).then_some(value)
}

fn speeds_of(cards: &[&Machine]) -> Vec<KindSpeed> {
    let mut speeds: BTreeMap<&Load, Vec<f64>> = BTreeMap::new();
    for speed in cards.iter().flat_map(|machine| &machine.speeds) {
        speeds.entry(&speed.load).or_default().push(speed.median);
    }
    let of_load = |(load, mut medians): (&Load, Vec<f64>)| {
        medians.sort_by(f64::total_cmp);
        let middle = medians.len() / 2;
        let upper = *medians.get(middle)?;
        let lower = *medians.get(middle - usize::from(medians.len() % 2 == 0))?;
        Some(KindSpeed {
            load: load.clone(),
            cards: medians.len() as u64,
            median: f64::midpoint(lower, upper),
            slowest: *medians.first()?,
            fastest: *medians.last()?,
        })
    };
    speeds.into_iter().filter_map(of_load).collect()
}

fn other_memory(machine: &Machine, usual: u64) -> Option<Reason> {
    let memory = machine.card.as_ref()?.memory;
    let differs = (memory as f64 - usual as f64).abs() > SAME_MEMORY * usual as f64;
    differs.then(|| {
        let message = format!(
            "the card has {} of memory, and most of its kind have {}: it is another model of the name, or ECC is set otherwise",
            size(memory as f64),
            size(usual as f64)
        );
        Reason::of(Weight::Correction, "memory-differs", message)
    })
}

fn other_driver(machine: &Machine, usual: &str) -> Option<Reason> {
    let driver = machine.driver.as_deref().filter(|driver| *driver != usual)?;
    let message = format!("its driver is {driver}, and that of most of its kind is {usual}");
    Some(Reason::of(Weight::Note, "driver-differs", message))
}

fn other_speed(part: f64, own: f64, kind: &KindSpeed) -> Option<Reason> {
    let (what, unit) = kind.load.measure.words();
    let percent = 100.0 * (part - 1.0).abs();
    let (cards, median) = (kind.cards, kind.median);
    let compared = |how: &str| {
        format!(
            "{what} is {percent:.0} % {how} than on the {cards} cards of its kind: {own:.1} {unit} against {median:.1}"
        )
    };
    if part < SLOW {
        let message = compared("slower") + "; look at its clocks, cooling, power and slot";
        return Some(Reason::of(Weight::Correction, "slower-than-kind", message));
    }
    // As far as the other way.
    (part > 1.0 / SLOW).then(|| {
        Reason::of(Weight::Note, "faster-than-kind", compared("faster") + "; its clocks may be set otherwise")
    })
}

impl super::document::Measure {
    /// What is measured, and its unit.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            super::document::Measure::Teraflops => ("multiplying", "TFLOP/s"),
            super::document::Measure::Gigabytes => ("reading", "GB/s"),
        }
    }
}
