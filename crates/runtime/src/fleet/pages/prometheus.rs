//! Metrics of merged reports for the textfile collector. Labels name the machine and its card; of a card with several reports
//! the worst verdict is told, and the speed of the latest.

use crate::runtime::fleet::document::{Fleet, Machine, Measure};
use crate::runtime::fleet::reading::weight_of;
use crate::runtime::metrics::exposition::{Exposition, Kind::Gauge};
use crate::runtime::metrics::seconds_of;
use crate::runtime::validation::document::{Verdict, Weight};
use crate::runtime::validation::pages::words::code;
use std::collections::BTreeMap;

pub fn prometheus(fleet: &Fleet) -> String {
    let simulated = [("simulated", "true".to_owned())];
    let mut page = Exposition::of("fleet", if fleet.simulated { &simulated } else { &[] });
    let version = [("version", fleet.version.as_str())];
    page.one("gpulint_info", Gauge, "The version of gpulint, as a label.", &version, 1.0);
    let help = "The verdict on all machines, as a label.";
    page.one("gpulint_fleet_verdict", Gauge, help, &[("verdict", &code(&fleet.verdict))], 1.0);
    let help = "What gpulint ended with.";
    page.plain("gpulint_fleet_exit_code", Gauge, help, f64::from(fleet.exit_code));
    for counted in &fleet.verdicts {
        let labels = [("verdict", code(&counted.verdict))];
        let labels = labels.each_ref().map(|(name, value)| (*name, value.as_str()));
        page.one(
            "gpulint_fleet_reports",
            Gauge,
            "Reports with each verdict.",
            &labels,
            counted.reports as f64,
        );
    }
    let help = "Files without a report that can be read.";
    page.plain("gpulint_fleet_unreadable_reports", Gauge, help, fleet.unreadable.len() as f64);
    let expected = fleet.expected.map(|expected| expected as f64);
    page.known("gpulint_fleet_expected_cards", Gauge, "How many cards there had to be.", expected);
    for kind in &fleet.kinds {
        let help = "Different cards of each kind.";
        page.one("gpulint_fleet_cards", Gauge, help, &[("gpu_name", &kind.name)], kind.cards as f64);
    }
    add_machines(&mut page, fleet);
    page.into_text()
}

/// A label of its own, if it has one, and the value.
type Sample = (Option<(&'static str, String)>, f64);

fn add_machines(page: &mut Exposition, fleet: &Fleet) {
    // A series may stand there once.
    let mut by_card: BTreeMap<(&str, &str, &str), Vec<&Machine>> = BTreeMap::new();
    for machine in &fleet.machines {
        let host = machine.host.as_deref().unwrap_or("unknown");
        let (uuid, name) = machine.card.as_ref().map_or(("", ""), |card| (&card.uuid, &card.name));
        by_card.entry((host, uuid, name)).or_default().push(machine);
    }
    let labels = |(host, uuid, name): &(&'_ str, &'_ str, &'_ str)| {
        [("host", (*host).to_owned()), ("gpu_uuid", (*uuid).to_owned()), ("gpu_name", (*name).to_owned())]
    };
    let mut family = |name: &'static str, help: &str, of: &dyn Fn(&[&Machine]) -> Vec<Sample>| {
        for (key, machines) in &by_card {
            for (own, value) in of(machines) {
                let all: Vec<_> = labels(key).into_iter().chain(own).collect();
                let all: Vec<_> = all.iter().map(|(name, value)| (*name, value.as_str())).collect();
                page.one(name, Gauge, help, &all, value);
            }
        }
    };
    let weight = |verdict: &Verdict| weight_of(*verdict).unwrap_or(Weight::Note);
    let worst = |machines: &[&Machine]| machines.iter().map(|machine| machine.verdict).min_by_key(weight);
    family("gpulint_fleet_card_verdict", "The worst verdict of a card's reports, as a label.", &|machines| {
        worst(machines).map(|verdict| (Some(("verdict", code(&verdict))), 1.0)).into_iter().collect()
    });
    family("gpulint_fleet_card_differences", "In how many ways a card differs from its kind.", &|machines| {
        let latest = machines.iter().max_by_key(|machine| &machine.started);
        latest.map(|machine| (None, machine.differences.len() as f64)).into_iter().collect()
    });
    let help = "When the latest validation of a card began, since 1970.";
    family("gpulint_fleet_card_start_time_seconds", help, &|machines| {
        let latest =
            machines.iter().filter_map(|machine| seconds_of(&machine.started)).max_by(f64::total_cmp);
        latest.map(|seconds| (None, seconds)).into_iter().collect()
    });
    let speed = |machines: &[&Machine], wanted: Measure, factor: f64| {
        let latest = machines.iter().max_by_key(|machine| &machine.started);
        let speed =
            latest.and_then(|machine| machine.speeds.iter().find(|speed| speed.load.measure == wanted));
        speed.map(|speed| (None, speed.median * factor)).into_iter().collect()
    };
    let help = "Floating-point operations in each second of the products, in the median.";
    family("gpulint_fleet_card_operations_per_second", help, &|machines| {
        speed(machines, Measure::Teraflops, 1e12)
    });
    let help = "Bytes that the comparisons read in each second, in the median.";
    family("gpulint_fleet_card_read_bytes_per_second", help, &|machines| {
        speed(machines, Measure::Gigabytes, 1e9)
    });
}
