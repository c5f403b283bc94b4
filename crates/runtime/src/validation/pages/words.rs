//! What a validation says, in words that all forms share.

use super::super::both_modes::BothModes;
use super::super::document::{
    BurnEvidence, Check, Kind, LeakEvidence, Reason, Speed, State, Validation, Weight,
};
use super::super::repeated::{Alive, Repeated};
use crate::runtime::advice::shown;
use crate::runtime::growth::{Growth, Outcome};
use crate::runtime::native::lines::Multiplier;
use crate::runtime::prevention::Prevention;
use crate::runtime::process::Namespace;
use crate::runtime::proof::seen;
use crate::runtime::record::{End, Record};
use crate::runtime::watch::{ForbiddenCard, Readings, Returned, strays_seen};
use serde::Serialize;
use std::time::Duration;

/// What stands below the verdict when no card was there.
pub const SIMULATED: &str =
    "simulated: the card does not exist, so no number here says anything about hardware";

/// The first line.
pub fn title(validation: &Validation) -> String {
    format!("gpulint validate: {}", validation.verdict.words())
}

pub fn weight(weight: Weight) -> &'static str {
    match weight {
        Weight::Rejection => "rejection",
        Weight::Environment => "environment",
        Weight::Infrastructure => "infrastructure",
        Weight::Correction => "correction",
        Weight::Note => "note",
    }
}

/// For other programs: as the document has it.
pub fn code(of: &impl Serialize) -> String {
    let value = serde_json::to_value(of).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Lint => "lint",
        Kind::Leak => "leak test",
        Kind::Burn => "burn test",
        Kind::GpuTarget => "command with the GPU",
        Kind::CpuTarget => "command without a GPU",
    }
}

pub fn state(state: State) -> &'static str {
    match state {
        State::Waiting => "waits",
        State::Running => "runs",
        State::Holds => "holds",
        State::HoldsWithCorrections => "holds, with corrections",
        State::Fails => "fails",
        State::NotRun => "not run",
    }
}

/// The same behind "it".
fn of_it(of: State) -> &'static str {
    match of {
        State::NotRun => "was not run",
        other => state(other),
    }
}

/// The reason with the check that it is from.
pub fn reason(reason: &Reason) -> String {
    match &reason.check {
        Some(check) => format!("{check}: {}", reason.message),
        None => reason.message.clone(),
    }
}

/// Where and when.
pub fn facts(validation: &Validation) -> Vec<(&'static str, String)> {
    let card = validation.card.as_ref().map(|card| {
        let capability = card.compute_capability().map(|told| format!(", compute capability {told}"));
        let capability = capability.unwrap_or_default();
        format!("{}, {}{capability}, {} at {}", card.name, shown(card.memory), card.uuid, card.pci)
    });
    let exit = validation.exit_code.map(|code| code.to_string());
    let all = [
        ("machine", validation.host.clone()),
        ("card", Some(card.unwrap_or_else(|| "none".to_owned()))),
        ("driver", validation.driver.clone()),
        ("started", Some(validation.started.clone())),
        ("took", validation.wall_seconds.map(duration)),
        ("workers", Some(validation.jobs.to_string())),
        ("one after the other", validation.fallback.clone()),
        ("plan", Some(validation.plan.clone())),
        ("policy", validation.policy.clone()),
        ("gpulint", Some(validation.version.clone())),
        ("exit code", exit),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The columns of the table of checks.
pub const COLUMNS: [&str; 5] = ["check", "what it is", "outcome", "took", "attempts"];

/// Its rows.
pub fn row(check: &Check) -> [String; 5] {
    [
        check.name.clone(),
        kind(check.kind).to_owned(),
        state(check.state).to_owned(),
        check.wall_seconds.map_or_else(|| "-".to_owned(), duration),
        check.attempts.to_string(),
    ]
}

/// What a check measured.
pub fn evidence(check: &Check) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    facts.extend(
        check
            .leak
            .iter()
            .flat_map(|leak| if check.kind.is_native() { of_leak(leak) } else { of_turns(leak) }),
    );
    facts.extend(check.burn.iter().flat_map(of_burn));
    facts.extend(check.repeated.iter().flat_map(of_repeated));
    facts.extend(match &check.proof {
        Some(proof) => seen(proof),
        None => check.record.iter().flat_map(of_record).collect(),
    });
    facts
}

/// Targets that ran with the GPU and without, each in one line.
pub fn both_modes(validation: &Validation) -> Vec<(String, String)> {
    let told =
        |seconds: Option<f64>| seconds.map(|seconds| format!(" ({})", duration(seconds))).unwrap_or_default();
    let one = |both: &BothModes| {
        let pays = match (both.without_gpu, both.seconds_for_gpu_modules) {
            (State::Holds | State::HoldsWithCorrections | State::Fails, Some(0.0)) => {
                "; without it, it pays nothing for the GPU: no forbidden module was imported".to_owned()
            }
            (_, Some(seconds)) if seconds > 0.0 => {
                format!("; without it, {seconds:.2} s went into the import of forbidden modules")
            }
            _ => String::new(),
        };
        let text = format!(
            "{}: without the GPU it {}{}, with the GPU it {}{}{pays}",
            state(both.state),
            of_it(both.without_gpu),
            told(both.seconds_without_gpu),
            of_it(both.with_gpu),
            told(both.seconds_with_gpu),
        );
        (both.target.clone(), text)
    };
    validation.both_modes.iter().map(one).collect()
}

/// What nobody looked at, and why; of the checks as well, with their names.
pub fn not_checked(validation: &Validation) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        validation.not_checked.iter().map(|not| (not.what.clone(), not.why.clone())).collect();
    for check in &validation.checks {
        for not in check.record.iter().flat_map(|record| &record.not_checked) {
            let of_check = (format!("{}: {}", check.name, not.what), not.why.clone());
            // The whole may have said it already, in either way.
            if !validation.not_checked.contains(not) && !all.contains(&of_check) {
                all.push(of_check);
            }
        }
    }
    all
}

fn of_leak(leak: &LeakEvidence) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    facts.push((
        "iterations",
        format!(
            "{} measured, after {} to warm up; {} in use before them",
            leak.measured.len(),
            leak.warm_up.len(),
            size(leak.context as f64)
        ),
    ));
    facts.extend(leak.growth.as_ref().map(|growth| ("growth on the card", of_growth(growth))));
    facts.extend(leak.pool_growth.as_ref().map(|growth| ("growth in the pool", of_growth(growth))));
    facts.push(("products", wrong(leak.wrong)));
    facts
}

/// A command that ran several times: nobody saw into it.
fn of_turns(leak: &LeakEvidence) -> Vec<(&'static str, String)> {
    let mut facts = vec![("turns", leak.measured.len().to_string())];
    facts.extend(leak.growth.as_ref().map(|growth| ("growth over the turns", of_growth(growth))));
    facts
}

/// A Python program that ran several times in one process.
fn of_repeated(repeated: &Repeated) -> Vec<(&'static str, String)> {
    let count = repeated.counted();
    let warm_up = repeated.iterations.len() - count;
    let iterations = format!("{count} measured, after {warm_up} to warm up, in one process");
    let mut facts = vec![("iterations", iterations)];
    facts.extend(repeated.growth.iter().map(|one| {
        let outcome = one.outcome.replace('_', " ");
        let between = one.series.len().saturating_sub(1).max(1) as f64;
        let each = format!("{} in each on average", signed((one.bytes / between).round()));
        (
            "growth",
            format!(
                "of {}: {outcome}: {} over {} iterations, {each}",
                one.of,
                signed(one.bytes),
                one.series.len()
            ),
        )
    }));
    facts.extend(of_alive(repeated));
    facts
}

fn of_alive(repeated: &Repeated) -> impl Iterator<Item = (&'static str, String)> {
    let words = |one: &Alive| format!("{}, {}", size(one.bytes), one.words());
    repeated.alive.iter().map(move |one| ("still alive", words(one)))
}

fn of_growth(growth: &Growth) -> String {
    let outcome = match growth.outcome {
        Outcome::Clean => "clean",
        Outcome::OneOff => "once, and then no more",
        Outcome::Leak => "a leak",
        Outcome::Inconclusive => "inconclusive",
    };
    let iterations = growth.iterations;
    if growth.total == 0 && growth.increases == 0 && growth.decreases == 0 {
        return format!("{outcome}: not a byte over {iterations} iterations");
    }
    format!(
        "{outcome}: {} over {iterations} iterations, {} in each (median slope), at most {} from one to the next; up {}, \
         down {}",
        signed(growth.total as f64),
        signed(growth.per_iteration),
        size(growth.most_in_one as f64),
        times(growth.increases),
        times(growth.decreases),
    )
}

fn of_burn(burn: &BurnEvidence) -> Vec<(&'static str, String)> {
    let by = match &burn.multiplier {
        Multiplier::Own => "gpulint's own kernel".to_owned(),
        Multiplier::Cublas { path, version: Some(version) } => format!("cuBLAS {version} ({path})"),
        Multiplier::Cublas { path, version: None } => format!("cuBLAS ({path})"),
    };
    let side = burn.side;
    let rounds = format!("{} round{}", burn.rounds, if burn.rounds == 1 { "" } else { "s" });
    let load = format!(
        "matrices of {side} × {side}, {} of {} that were free, multiplied by {by}; {rounds} in {}",
        size(burn.bytes as f64),
        size(burn.free as f64),
        duration(burn.seconds)
    );
    let mut facts = vec![("load", load)];
    facts.extend(burn.teraflops.map(|speed| ("multiplying", of_speed(&speed, "TFLOP/s"))));
    facts.extend(burn.gigabytes.map(|speed| ("reading", of_speed(&speed, "GB/s"))));
    facts.push(("first product", wrong(burn.wrong)));
    let differing = match burn.differing {
        0 => "equal to the first in each element".to_owned(),
        1 => "1 element is not that of the first".to_owned(),
        count => format!("{count} elements are not those of the first"),
    };
    facts.push(("later products", differing));
    facts
}

fn of_speed(speed: &Speed, unit: &str) -> String {
    let [median, slowest, fastest] = [speed.median, speed.slowest, speed.fastest].map(rate);
    let mut text = format!("{median} {unit} in the median, {slowest} to {fastest}");
    if let Some(peak) = speed.peak.filter(|peak| *peak > 0.0) {
        let part = 100.0 * speed.median / peak;
        text.push_str(&format!("; {part:.0} % of the card's peak of {peak:.1}"));
    }
    if let Some(earlier) = speed.earlier.filter(|earlier| *earlier > 0.0) {
        let percent = 100.0 * (speed.median / earlier - 1.0);
        text.push_str(&format!("; {percent:+.1} % against the {} of earlier runs", rate(earlier)));
    }
    text
}

fn of_record(record: &Record) -> Vec<(&'static str, String)> {
    let mut facts = vec![("ended", of_end(&record.end))];
    facts.extend(record.slot.map(|slot| ("waited for the card", duration(slot.waited_seconds))));
    facts.extend(record.peak_memory.map(|peak| {
        let headroom = record.headroom.map(|bytes| format!(", {} never", size(bytes as f64)));
        (
            "memory of the card",
            format!("at most {} in use{}", size(peak as f64), headroom.unwrap_or_default()),
        )
    }));
    facts.extend(record.returned.as_ref().map(|returned| ("memory afterwards", of_returned(returned))));
    facts.extend(record.prevention.as_ref().map(|prevention| ("other cards", of_prevention(prevention))));
    let kept = record.kept_environment.join(", ");
    facts.extend((!kept.is_empty()).then(|| ("handed on", format!("{kept}, of the CI job (--keep-env)"))));
    facts.extend(record.readings.iter().flat_map(of_readings));
    let left = record.orphans.len();
    let processes = if left == 1 { "process" } else { "processes" };
    facts.extend((left > 0).then(|| ("left behind", format!("{left} {processes}"))));
    facts.extend(record.reported.iter().map(|reported| {
        let unit = reported.unit.as_deref().unwrap_or_default();
        ("reported", format!("{} {} {unit}", reported.name, reported.value).trim_end().to_owned())
    }));
    facts
}

fn of_prevention(prevention: &Prevention) -> String {
    match prevention {
        Prevention::Hidden { files, namespace } => {
            let namespace = match namespace {
                Namespace::Mount => "a mount namespace",
                Namespace::User => "a user namespace",
            };
            format!("out of reach: it could not open {} ({namespace})", files.join(", "))
        }
        Prevention::NothingToHide => "there is no device file of another card".to_owned(),
        Prevention::NotPossible { why } => format!("not out of reach, only watched: {why}"),
    }
}

fn of_end(end: &End) -> String {
    match end {
        End::Running => "it has not, or nobody could say how".to_owned(),
        End::Exited { code } => format!("with exit code {code}"),
        End::Signalled { signal } => format!("by signal {signal}"),
        End::TimeLimit { seconds } => format!("by the limit of {}", duration(*seconds)),
        End::MemoryLimit { allowed, used } => {
            format!("by the limit of memory: {} of {}", size(*used as f64), size(*allowed as f64))
        }
        End::Stopped { reason } | End::NotStarted { reason } | End::Refused { reason } => reason.clone(),
    }
}

fn of_returned(returned: &Returned) -> String {
    let more = |baseline: &u64, after: &u64| signed(*after as f64 - *baseline as f64);
    match returned {
        Returned::Back { baseline, after, .. } => format!("back where it was ({})", more(baseline, after)),
        Returned::NotBack { baseline, after, .. } => format!("not back: {}", more(baseline, after)),
        Returned::Disturbed { .. } => "others used the card meanwhile, so it says nothing".to_owned(),
        Returned::NotKnown { reason } => format!("not known: {reason}"),
    }
}

fn of_readings(readings: &Readings) -> Vec<(&'static str, String)> {
    let mut facts = vec![("readings", format!("{}, {} failed", readings.samples, none_or(readings.failed)))];
    facts.extend(readings.temperature.map(|degrees| ("temperature", format!("at most {} °C", degrees.max))));
    facts.extend(
        readings
            .power_milliwatts
            .map(|power| ("power", format!("at most {:.0} W", power.max as f64 / 1000.0))),
    );
    facts.extend(readings.slowed.iter().map(|slowed| {
        let text = format!("{} in {} of {} readings", slowed.reason, slowed.samples, readings.slowed_of);
        ("slowed down by", text)
    }));
    facts.extend(readings.xids.iter().map(|xid| {
        let number = xid.number.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
        ("error of the card", format!("XID {number} after {}", duration(xid.seconds)))
    }));
    facts.extend(readings.core_clock.map(|clock| match clock.min == clock.max {
        true => ("clock", format!("{} MHz", clock.max)),
        false => ("clock", format!("{} to {} MHz", clock.min, clock.max)),
    }));
    facts
        .extend(readings.forbidden_cards.iter().map(|card| ("forbidden card", of_forbidden(card, readings))));
    facts.extend(readings.foreign_processes.iter().map(|foreign| {
        let name = foreign.name.as_deref().unwrap_or("unnamed");
        ("other process", format!("{name} ({})", foreign.pid))
    }));
    facts
}

fn of_forbidden(card: &ForbiddenCard, readings: &Readings) -> String {
    let strays = readings.strays.iter().filter(|stray| stray.card == card.card).count();
    let seen = strays_seen(strays).unwrap_or_else(|| "no process of the command was there".to_owned());
    let memory = card.memory.map(|memory| match memory.min == memory.max {
        true => format!(", and {} were in use all the time", size(memory.max as f64)),
        false => format!(", and {} to {} were in use", size(memory.min as f64), size(memory.max as f64)),
    });
    format!("{}: in {} looks {seen}{}", card.name, card.looks, memory.unwrap_or_default())
}

/// A speed, with a digit behind the point, or two that say something.
fn rate(speed: f64) -> String {
    if speed.abs() >= 1.0 || speed == 0.0 { format!("{speed:.1}") } else { format!("{speed:.2}") }
}

fn none_or(count: u64) -> String {
    if count == 0 { "none".to_owned() } else { count.to_string() }
}

fn wrong(elements: u64) -> String {
    match elements {
        0 => "each element is right".to_owned(),
        1 => "1 element is wrong".to_owned(),
        count => format!("{count} elements are wrong"),
    }
}

fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Seconds, of longer times also minutes and hours.
pub fn duration(seconds: f64) -> String {
    match Duration::try_from_secs_f64(seconds) {
        Ok(long) if long >= Duration::from_secs(60) => {
            humantime::format_duration(Duration::from_secs(long.as_secs())).to_string()
        }
        _ => format!("{seconds:.1} s"),
    }
}

/// Bytes in the largest unit of which there is one.
pub fn size(bytes: f64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().map(|(bits, unit)| (f64::from(1u32 << bits), unit));
    match unit.into_iter().find(|(factor, _)| bytes.abs() >= *factor) {
        Some((factor, unit)) => format!("{:.1} {unit}", bytes / factor),
        None => format!("{bytes:.0} B"),
    }
}

fn signed(bytes: f64) -> String {
    if bytes > 0.0 { format!("+{}", size(bytes)) } else { size(bytes) }
}
