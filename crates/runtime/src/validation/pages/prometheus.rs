//! Metrics of a validation for the textfile collector. Labels name the card, the check and nothing that differs from run to run:
//! an iteration is none.

use super::super::document::{Check, Speed, Validation};
use super::words;
use crate::runtime::metrics::exposition::{Exposition, Kind::Gauge};
use crate::runtime::metrics::{card, seconds_of};

pub fn prometheus(validation: &Validation) -> String {
    let mut page = Exposition::of("validate", &common_labels(validation));
    let version = [("version", validation.version.as_str())];
    page.one("gpulint_info", Gauge, "The version of gpulint, as a label.", &version, 1.0);
    let started = seconds_of(&validation.started);
    let help = "When the validation began, since 1970.";
    page.known("gpulint_validation_start_time_seconds", Gauge, help, started);
    let help = "From the beginning of the validation to its end.";
    page.known("gpulint_validation_wall_seconds", Gauge, help, validation.wall_seconds);
    let verdict = words::code(&validation.verdict);
    let help = "The verdict, as a label.";
    page.one("gpulint_validation_verdict", Gauge, help, &[("verdict", &verdict)], 1.0);
    let code = validation.exit_code.map(f64::from);
    page.known("gpulint_validation_exit_code", Gauge, "What gpulint ended with.", code);
    let help = "How many things nobody looked at.";
    page.plain("gpulint_validation_not_checked", Gauge, help, words::not_checked(validation).len() as f64);
    add_checks(&mut page, &validation.checks);
    page.into_text()
}

fn common_labels(validation: &Validation) -> Vec<(&'static str, String)> {
    let mut labels = Vec::new();
    if let Some(card) = &validation.card {
        labels.push(("gpu_uuid", card.uuid.clone()));
        labels.push(("gpu_name", card.name.clone()));
    }
    if validation.simulated {
        labels.push(("simulated", "true".to_owned()));
    }
    labels
}

fn add_checks(page: &mut Exposition, checks: &[Check]) {
    for check in checks {
        let (kind, state) = (words::code(&check.kind), words::code(&check.state));
        let labels = [("target", check.name.as_str()), ("kind", &kind), ("verdict", &state)];
        page.one("gpulint_target_result", Gauge, "How a check ended, as a label.", &labels, 1.0);
    }
    let mut family = |name: &'static str, help: &str, of: &dyn Fn(&Check) -> Option<f64>| {
        for (check, value) in checks.iter().filter_map(|check| Some((check, of(check)?))) {
            page.one(name, Gauge, help, &[("target", &check.name)], value);
        }
    };
    family("gpulint_target_wall_seconds", "How long a check took.", &|check| check.wall_seconds);
    family("gpulint_lock_wait_seconds", "How long it waited for the card.", &|check| {
        Some(check.record.as_ref()?.slot?.waited_seconds)
    });
    family("gpulint_wrong_elements", "Elements of products that are not what they must be.", &|check| {
        let leak = check.leak.as_ref().map(|leak| leak.wrong);
        let burn = check.burn.as_ref().map(|burn| burn.wrong.saturating_add(burn.differing));
        leak.or(burn).map(|count| count as f64)
    });
    add_memory(page, checks);
    add_speeds(page, checks);
    for check in checks {
        let readings = check.record.as_ref().and_then(|record| record.readings.as_ref());
        if let Some(readings) = readings {
            card::add(page, readings, &[("target", &check.name)]);
        }
    }
}

fn add_memory(page: &mut Exposition, checks: &[Check]) {
    for check in checks {
        let leak = check.leak.as_ref();
        let growths = [
            ("driver", leak.and_then(|leak| leak.growth.as_ref())),
            ("allocator", leak.and_then(|leak| leak.pool_growth.as_ref())),
        ];
        for (source, growth) in growths {
            let Some(growth) = growth else { continue };
            let labels = [("target", check.name.as_str()), ("source", source)];
            let help = "Growth in each iteration: the median of the slopes between all pairs.";
            page.one("gpulint_memory_leak_bytes_per_iteration", Gauge, help, &labels, growth.per_iteration);
        }
    }
    for check in checks {
        let mut used = check.leak.iter().flat_map(|leak| &leak.measured).map(|point| point.used);
        let values = [("min", used.clone().min()), ("max", used.clone().max()), ("last", used.next_back())];
        for (statistic, value) in values {
            let Some(value) = value else { continue };
            let labels = [("target", check.name.as_str()), ("statistic", statistic)];
            let help = "Memory in use on the card after an iteration.";
            page.one("gpulint_memory_allocated_bytes", Gauge, help, &labels, value as f64);
        }
    }
}

fn add_speeds(page: &mut Exposition, checks: &[Check]) {
    let mut family = |name: &'static str, help: &str, factor: f64, of: fn(&Check) -> Option<Speed>| {
        for (check, speed) in checks.iter().filter_map(|check| Some((check, of(check)?))) {
            let values = [("median", speed.median), ("min", speed.slowest), ("max", speed.fastest)];
            for (statistic, value) in values {
                let labels = [("target", check.name.as_str()), ("statistic", statistic)];
                page.one(name, Gauge, help, &labels, value * factor);
            }
        }
    };
    let help = "Floating-point operations in each second of the products.";
    family("gpulint_burn_operations_per_second", help, 1e12, |check| check.burn.as_ref()?.teraflops);
    let help = "Bytes that the comparisons read in each second.";
    family("gpulint_burn_read_bytes_per_second", help, 1e9, |check| check.burn.as_ref()?.gigabytes);
}
