//! What the measurements of gpulint's own loads say.

use super::{Attempt, Gates, mebibytes};
use crate::runtime::growth::{Growth, Outcome};
use crate::runtime::native::End;
use crate::runtime::native::device::OUT_OF_MEMORY;
use crate::runtime::native::leak::iterations_to_reach;
use crate::runtime::native::lines::Failure;
use crate::runtime::validation::document::{BurnEvidence, Kind, LeakEvidence, Reason, Speed, Weight};

/// A card that is slower than this part of what it was before has something.
pub const SLOW: f64 = 0.9;
/// One round warms up, and of one alone nobody knows whether it was an exception.
const ROUNDS: u64 = 2;

pub(super) fn reasons(attempt: &Attempt<'_>, gates: Gates<'_>) -> Vec<Reason> {
    let was_started = attempt.record.is_some_and(|record| record.wall_seconds.is_some());
    if !was_started {
        return Vec::new();
    }
    let mut reasons: Vec<Reason> = Vec::new();
    reasons.extend(attempt.lines.notes().map(|note| Reason::of(Weight::Note, "note", note)));
    if attempt.lines.damaged {
        let message = "its measurements are damaged: somebody else has written to their file";
        reasons.push(Reason::of(Weight::Infrastructure, "not-measured", message));
    }
    match attempt.kind {
        Kind::Leak => reasons.extend(of_leak(attempt.leak, gates)),
        _ => reasons.extend(of_burn(attempt.burn)),
    }
    if let Some(failure) = attempt.lines.failure() {
        let is_another_card =
            attempt.record.is_some_and(|record| record.exit_code == Some(End::WrongCard.exit_code()));
        reasons.push(of_failure(failure, is_another_card));
    } else if !attempt.lines.ended() && attempt.record.is_some_and(|record| record.exit_code == Some(0)) {
        reasons.push(Reason::of(
            Weight::Infrastructure,
            "not-measured",
            "it ended without having measured all",
        ));
    }
    // What was cut short has fewer iterations, and that was said.
    let has_said = reasons.iter().any(|reason| reason.weight <= Weight::Infrastructure);
    let ended = attempt.lines.ended() && attempt.lines.failure().is_none();
    if ended && !has_said {
        let (measured, wanted) = match attempt.kind {
            Kind::Leak => of_iterations(attempt.leak, gates),
            _ => (attempt.burn.map_or(0, |burn| burn.rounds), ROUNDS),
        };
        if measured < wanted {
            let message = format!("only {measured} of {wanted} rounds were measured");
            reasons.push(Reason::of(Weight::Infrastructure, "not-measured", message));
        }
    }
    reasons
}

/// What the turns of a project's command say together.
pub(super) fn of_turns(turns: Option<&LeakEvidence>, gates: Gates<'_>) -> Vec<Reason> {
    let growth = turns.and_then(|turns| turns.growth.as_ref());
    growth.map(|growth| of_growth(growth, "the card", "`runtime.iterations`", gates)).unwrap_or_default()
}

/// How many were measured, and how many must be, by the rule that the load itself goes by.
fn of_iterations(leak: Option<&LeakEvidence>, gates: Gates<'_>) -> (u64, u64) {
    let measured = leak.map(|leak| leak.measured.as_slice()).unwrap_or_default();
    let used: Vec<u64> = measured.iter().map(|point| point.used).collect();
    let pool_used: Option<Vec<u64>> = measured.iter().map(|point| point.pool_used).collect();
    let wanted = iterations_to_reach(gates.iterations as usize, &used, pool_used.as_deref());
    (used.len() as u64, wanted.unwrap_or(used.len()) as u64)
}

fn of_failure(failure: &Failure, is_another_card: bool) -> Reason {
    let Failure { doing, code, why } = failure;
    let told = code.map(|code| format!(" (CUDA error {code})")).unwrap_or_default();
    match code {
        Some(OUT_OF_MEMORY) => {
            let message = format!("the card had no memory left while {doing}{told}: {why}");
            Reason::of(Weight::Rejection, "out-of-memory", message)
        }
        Some(_) => Reason::of(Weight::Rejection, "driver-error", format!("{doing} failed{told}: {why}")),
        None if is_another_card => {
            Reason::of(Weight::Environment, "wrong-card", format!("{doing} failed: {why}"))
        }
        None => Reason::of(Weight::Infrastructure, "not-measured", format!("{doing} failed: {why}")),
    }
}

fn of_leak(leak: Option<&LeakEvidence>, gates: Gates<'_>) -> Vec<Reason> {
    let Some(leak) = leak else { return Vec::new() };
    let mut reasons = of_wrong(leak.wrong, "the products");
    let sources = [(&leak.growth, "the card"), (&leak.pool_growth, "the card's pool")];
    for (growth, of) in sources {
        reasons.extend(growth.iter().flat_map(|growth| of_growth(growth, of, "--iterations", gates)));
    }
    reasons
}

fn of_growth(growth: &Growth, of: &str, way_out: &str, gates: Gates<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let total = mebibytes(growth.total as f64);
    let iterations = growth.iterations;
    match growth.outcome {
        Outcome::Clean => {}
        Outcome::OneOff => {
            let message = format!(
                "memory of {of} grew by {total} early in {iterations} iterations, and no more after that"
            );
            reasons.push(Reason::of(Weight::Note, "one-off-growth", message));
        }
        Outcome::Leak => {
            let message = format!(
                "memory of {of} leaks: it grew by {total} over {iterations} iterations, by {} in each. gpulint frees all \
                 that it takes, so try another version of the driver",
                mebibytes(growth.per_iteration)
            );
            reasons.push(Reason::of(Weight::Rejection, "leak", message));
        }
        Outcome::Inconclusive => {
            let message = format!(
                "memory of {of} grew by {total} over {iterations} iterations, which may be a small leak: give it more with \
                 {way_out}"
            );
            reasons.push(Reason::of(Weight::Correction, "growth-inconclusive", message));
        }
    }
    let fail = gates.leak.fail;
    if growth.total >= i64::try_from(fail.bytes).unwrap_or(i64::MAX) {
        let message = format!("memory of {of} grew by {total} over the run: `runtime.leak.fail` is {fail}");
        reasons.push(Reason::of(Weight::Rejection, "growth-fail", message));
    }
    let alert = gates.leak.alert;
    if growth.most_in_one >= alert.bytes {
        let most = mebibytes(growth.most_in_one as f64);
        let message =
            format!("memory of {of} grew by {most} within one iteration: `runtime.leak.alert` is {alert}");
        reasons.push(Reason::of(Weight::Correction, "growth-alert", message));
    }
    reasons
}

fn of_burn(burn: Option<&BurnEvidence>) -> Vec<Reason> {
    let Some(burn) = burn else { return Vec::new() };
    let mut reasons = of_wrong(burn.wrong, "the first product");
    if burn.differing > 0 {
        let message = format!(
            "{} of later products are not those of the first, which the same numbers gave: the card computes wrong under load",
            elements(burn.differing)
        );
        reasons.push(Reason::of(Weight::Rejection, "wrong-result", message));
    }
    reasons.extend(of_speed(burn.teraflops, "multiplies", "TFLOP/s"));
    reasons.extend(of_speed(burn.gigabytes, "reads memory", "GB/s"));
    reasons
}

fn of_speed(speed: Option<Speed>, does: &str, unit: &str) -> Option<Reason> {
    let speed = speed?;
    let earlier = speed.earlier?;
    (speed.median < SLOW * earlier).then(|| {
        let part = 100.0 * speed.median / earlier;
        let message = format!(
            "the card {does} at {:.2} {unit}, {part:.0} % of the {earlier:.2} {unit} of its earlier runs; 90 % are asked for",
            speed.median
        );
        Reason::of(Weight::Rejection, "slow", message)
    })
}

fn of_wrong(wrong: u64, what: &str) -> Vec<Reason> {
    match wrong {
        0 => Vec::new(),
        wrong => {
            let (elements, are) = (elements(wrong), if wrong == 1 { "is" } else { "are" });
            let message =
                format!("{elements} of {what} {are} wrong: the card, its memory or its clocks are faulty");
            vec![Reason::of(Weight::Rejection, "wrong-result", message)]
        }
    }
}

fn elements(count: u64) -> String {
    format!("{count} element{}", if count == 1 { "" } else { "s" })
}
