//! Plots as SVG, each a file by itself as well as a part of the page: the time line of the card over all checks, its memory during
//! each, growth over the iterations of a leak test, and its speed beside that of earlier runs.

mod axes;
mod timeline;

pub use timeline::svg as timeline;

use super::super::document::{BurnEvidence, Check, EarlierRun, LeakEvidence, LeakPoint, Speed, Validation};
use super::super::judgement::SLOW;
use super::super::repeated::Repeated;
use crate::runtime::record::Record;
use axes::{Line, Plot};

const MIB: f64 = 1024.0 * 1024.0;
const GIB: f64 = 1024.0 * MIB;
/// More than this cannot be told apart on a screen.
const MOST_POINTS: usize = 1000;

/// All plots of a validation, each with a name for its file, which is unlike the others.
pub fn plots(validation: &Validation) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        timeline(validation).map(|svg| ("00-timeline.svg".to_owned(), svg)).into_iter().collect();
    for (number, check) in validation.checks.iter().enumerate() {
        for (what, svg) in of(check, validation.simulated) {
            let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
            let check: String = check.name.chars().take(60).map(safe).collect();
            // Two names may differ in nothing else.
            all.push((format!("{:02}-{check}-{what}.svg", number + 1), svg));
        }
    }
    all
}

/// Those of one check, each with a word for what it shows.
pub(super) fn of(check: &Check, simulated: bool) -> Vec<(&'static str, String)> {
    let title = |what: &str| {
        // In front, where no long name cuts it off.
        let simulated = if simulated { "simulated: " } else { "" };
        format!("{simulated}{what} during {}", check.name)
    };
    let memory = check.record.as_ref().and_then(|record| memory(record, title("memory of the card")));
    let growth = check.leak.as_ref().and_then(|leak| growth(leak, title("growth")));
    let repeated = check.repeated.as_ref().and_then(|told| of_repeated(told, title("growth by allocator")));
    let burn = check.burn.as_ref();
    let multiplying = burn.and_then(|burn| {
        let measure = Measured { speed: burn.teraflops?, unit: "TFLOP/s", of: |run| run.teraflops };
        speeds(burn, measure, title("speed of multiplying, beside earlier runs,"))
    });
    let reading = burn.and_then(|burn| {
        let measure = Measured { speed: burn.gigabytes?, unit: "GB/s", of: |run| run.gigabytes };
        speeds(burn, measure, title("speed of reading, beside earlier runs,"))
    });
    let named = [
        ("memory", memory),
        ("growth", growth),
        ("allocators", repeated),
        ("multiplying", multiplying),
        ("reading", reading),
    ];
    named.into_iter().filter_map(|(name, plot)| Some((name, plot?.svg()))).collect()
}

fn memory(record: &Record, title: String) -> Option<Plot> {
    let points = &record.readings.as_ref()?.series.points;
    if points.len() < 2 {
        return None;
    }
    let most = points.iter().map(|point| point.memory).max().unwrap_or(0) as f64;
    let (factor, unit) = if most >= GIB { (GIB, "GiB") } else { (MIB, "MiB") };
    let all = points.iter().map(|point| (point.seconds, point.memory as f64 / factor)).collect();
    let own = points.iter().filter_map(|point| Some((point.seconds, point.command_memory? as f64 / factor)));
    let mut lines = vec![Line { name: "in use on the card".into(), points: thinned(all) }];
    lines.push(Line { name: "of the command".into(), points: thinned(own.collect()) });
    let baseline = record.baseline.as_ref().map(|baseline| baseline.memory as f64 / factor);
    Some(Plot {
        title,
        x: "seconds",
        y: unit,
        lines,
        level: baseline.map(|level| ("before", level)),
        from_zero: true,
    })
}

fn growth(leak: &LeakEvidence, title: String) -> Option<Plot> {
    if leak.measured.len() < 2 {
        return None;
    }
    let points = |of: fn(&LeakPoint) -> Option<u64>, points: &[LeakPoint], before: usize| {
        let first = leak.measured.first().and_then(of)? as f64;
        let points = points.iter().enumerate();
        let points = points.filter_map(|(index, point)| {
            Some(((before + index + 1) as f64, (of(point)? as f64 - first) / MIB))
        });
        Some(thinned(points.collect()))
    };
    let used = |point: &LeakPoint| Some(point.used);
    let warm = leak.warm_up.len();
    let lines = [
        ("on the card", points(used, &leak.measured, warm)),
        ("in the pool", points(|point| point.pool_used, &leak.measured, warm)),
        ("to warm up", points(used, &leak.warm_up, 0)),
    ];
    let lines = lines
        .into_iter()
        .filter_map(|(name, points)| Some(Line { name: name.into(), points: points? }))
        .collect();
    Some(Plot { title, x: "iteration", y: "MiB", lines, level: None, from_zero: false })
}

/// A speed of this run, and what it was in an earlier one.
struct Measured {
    speed: Speed,
    unit: &'static str,
    of: fn(&EarlierRun) -> Option<f64>,
}

fn speeds(burn: &BurnEvidence, measured: Measured, title: String) -> Option<Plot> {
    let Measured { speed, unit, of } = measured;
    let count = burn.earlier_runs.len() as f64;
    let runs = burn.earlier_runs.iter().enumerate();
    let earlier: Vec<_> = runs.filter_map(|(at, run)| Some((at as f64 - count, of(run)?))).collect();
    if earlier.is_empty() {
        return None;
    }
    Some(Plot {
        title,
        x: "runs before this one",
        y: unit,
        lines: vec![
            Line { name: "earlier runs".into(), points: thinned(earlier) },
            Line { name: "this run".into(), points: vec![(0.0, speed.median)] },
        ],
        level: speed.earlier.map(|earlier| ("slow below this", SLOW * earlier)),
        from_zero: false,
    })
}

/// Of a Python program that ran several times in one process, each allocator and what only the driver counts.
fn of_repeated(repeated: &Repeated, title: String) -> Option<Plot> {
    let warm_up = repeated.iterations.len() - repeated.counted();
    let lines = repeated.growth.iter().filter(|one| one.series.len() > 1).map(|one| {
        let first = one.series.first().copied().unwrap_or_default();
        let points = one.series.iter().enumerate();
        let points = points.map(|(at, bytes)| ((warm_up + at + 1) as f64, (bytes - first) / MIB));
        Line { name: one.of.clone().into(), points: thinned(points.collect()) }
    });
    // More cannot be told apart.
    let lines: Vec<Line> = lines.take(axes::MOST_LINES).collect();
    (!lines.is_empty()).then_some(Plot {
        title,
        x: "iteration",
        y: "MiB",
        lines,
        level: None,
        from_zero: false,
    })
}

/// Evenly chosen, and the last.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let points = points.into_iter().enumerate();
    points.filter(|(index, _)| index % every == 0 || *index == last).map(|(_, point)| point).collect()
}
