//! The readings of a card, as samples: those of a run, and those of each check of a validation.

use super::exposition::{Exposition, Kind, Kind::Counter, Kind::Gauge};
use crate::runtime::watch::{Readings, Summary};
use std::collections::BTreeMap;

/// `labels` are of all samples: the check, where a page has several.
pub(crate) fn add(page: &mut Exposition, readings: &Readings, labels: &[(&'static str, &str)]) {
    let mut add = Add { page, labels };
    add.of("gpulint_samples_total", Counter, "Readings of the card.", &[], readings.samples as f64);
    add.of("gpulint_samples_failed_total", Counter, "Readings that failed.", &[], readings.failed as f64);
    let quantities = [
        ("gpulint_memory_used_bytes", "Memory in use on the card, by everybody.", readings.memory, 1.0),
        ("gpulint_command_memory_bytes", "Memory of the command on the card.", readings.command_memory, 1.0),
        ("gpulint_utilization_ratio", "Share of time in which a kernel ran.", readings.utilisation, 0.01),
        ("gpulint_temperature_celsius", "Temperature of the card.", readings.temperature, 1.0),
        ("gpulint_power_watts", "Power of the card.", readings.power_milliwatts, 0.001),
        ("gpulint_core_clock_hertz", "Clock of the card's multiprocessors.", readings.core_clock, 1e6),
    ];
    for (name, help, summary, factor) in quantities {
        add.summary(name, help, &[], summary, factor);
    }
    for slowed in &readings.slowed {
        let help = "Readings in which something kept the clocks down.";
        let reason = [("reason", slowed.reason.as_str())];
        add.of("gpulint_slowed_samples_total", Counter, help, &reason, slowed.samples as f64);
    }
    let mut xids = BTreeMap::new();
    for xid in &readings.xids {
        *xids.entry(xid.number).or_insert(0u32) += 1;
    }
    for (number, count) in xids {
        let number = number.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
        let help = "Errors that the driver reported about the card.";
        add.of("gpulint_xid_total", Counter, help, &[("xid", &number)], f64::from(count));
    }
    let help = "Processes of others that were seen on the card.";
    add.of("gpulint_foreign_processes", Gauge, help, &[], readings.foreign_processes.len() as f64);
    for card in &readings.forbidden_cards {
        let labels = [("forbidden_uuid", card.card.as_str()), ("forbidden_name", &card.name)];
        let help = "How often a card that the policy forbids was looked at.";
        add.of("gpulint_forbidden_card_looks_total", Counter, help, &labels, card.looks as f64);
        let there = readings.strays.iter().filter(|stray| stray.card == card.card).count();
        let help = "Processes on a card that the policy forbids, which are the command's or may be.";
        add.of("gpulint_forbidden_card_processes", Gauge, help, &labels, there as f64);
        let help = "Memory in use on a card that the policy forbids, by everybody.";
        add.summary("gpulint_forbidden_card_memory_bytes", help, &labels, card.memory, 1.0);
    }
}

struct Add<'p> {
    page: &'p mut Exposition,
    labels: &'p [(&'static str, &'p str)],
}

impl Add<'_> {
    fn of(&mut self, name: &'static str, kind: Kind, help: &str, own: &[(&'static str, &str)], value: f64) {
        let labels: Vec<_> = self.labels.iter().chain(own).copied().collect();
        self.page.one(name, kind, help, &labels, value);
    }

    fn summary(
        &mut self,
        name: &'static str,
        help: &str,
        own: &[(&'static str, &str)],
        summary: Option<Summary>,
        factor: f64,
    ) {
        let Some(summary) = summary else { return };
        let values = [
            ("last", summary.last as f64),
            ("min", summary.min as f64),
            ("mean", summary.mean),
            ("max", summary.max as f64),
        ];
        for (statistic, value) in values {
            let labels: Vec<_> = own.iter().copied().chain([("statistic", statistic)]).collect();
            self.of(name, Gauge, help, &labels, value * factor);
        }
    }
}
