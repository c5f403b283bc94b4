//! What the record of a run says, whatever it was that ran.

use super::{Attempt, DISTURBED, LOST, mebibytes};
use crate::runtime::record::{End, NotChecked, Record};
use crate::runtime::validation::document::{Kind, Reason, Weight};
use crate::runtime::watch::{NvmlFailure, Readings, Returned, Stray};

/// XID 79: "GPU has fallen off the bus".
const FALLEN_OFF: u64 = 79;

/// What keeps the clocks down because the card is too hot or gets too little power. A limit of power that is reached is how a
/// card works under load.
const TROUBLE: [&str; 4] =
    ["hw_slowdown", "hw_thermal_slowdown", "sw_thermal_slowdown", "hw_power_brake_slowdown"];

pub(super) fn reasons(attempt: &Attempt<'_>) -> Vec<Reason> {
    let Some(record) = attempt.record else {
        let said = tail(attempt.said);
        let message = format!("the worker ended without a record{said}");
        return vec![Reason::of(Weight::Infrastructure, "crashed", message)];
    };
    let mut reasons: Vec<Reason> = of_end(record, attempt).into_iter().collect();
    // What was killed has written down neither what it read nor how it left the card.
    if matches!(record.end, End::Refused { .. } | End::NotStarted { .. } | End::Running) {
        return reasons;
    }
    reasons.extend(of_readings(record.readings.as_ref(), record));
    reasons.extend(of_memory(record.returned.as_ref()));
    let stayed = record.orphans.iter().filter(|orphan| !orphan.ended);
    reasons.extend(stayed.map(|orphan| {
        let message = format!("process {} ({}) could not be ended", orphan.pid, orphan.name);
        Reason::of(Weight::Rejection, "process-left", message)
    }));
    if attempt.kind == Kind::GpuTarget {
        reasons.extend(record.orphans.iter().filter(|orphan| orphan.ended).map(|orphan| {
            let message = format!("it left process {} ({}) behind, which was ended", orphan.pid, orphan.name);
            Reason::of(Weight::Note, "process-left", message)
        }));
    }
    reasons
}

fn of_end(record: &Record, attempt: &Attempt<'_>) -> Option<Reason> {
    let native = attempt.kind.is_native();
    // That one of our own loads does not end says something about the driver; that a target does not is its fault.
    let fault = if native { Weight::Infrastructure } else { Weight::Rejection };
    let said = tail(attempt.said);
    Some(match &record.end {
        End::Refused { reason: why } => Reason::of_refusal(record.exit_code, why),
        End::NotStarted { reason: why } => Reason::of(Weight::Infrastructure, "not-started", why.clone()),
        End::Running => {
            Reason::of(Weight::Infrastructure, "interrupted", "the worker was ended before the check was")
        }
        // What it was stopped for says more.
        End::Stopped { .. } if strayed(record).is_some() => return None,
        End::Stopped { reason: why } => Reason::of(Weight::Infrastructure, "stopped", why.clone()),
        End::TimeLimit { seconds } => {
            let why = if native { "the driver may hang; " } else { "" };
            let message =
                format!("it had not ended after {seconds:.0} s: {why}--timeout gives it more time{said}");
            Reason::of(fault, "time-limit", message)
        }
        End::MemoryLimit { allowed, used } => {
            let (used, allowed) = (mebibytes(*used as f64), mebibytes(*allowed as f64));
            Reason::of(
                Weight::Rejection,
                "memory-limit",
                format!("it took {used} on the card, and may take {allowed}"),
            )
        }
        End::Signalled { signal } => {
            Reason::of(fault, "crashed", format!("it was ended by signal {signal}{said}"))
        }
        End::Exited { code: 0 } => return None,
        // Its lines say more.
        End::Exited { .. } if native && attempt.lines.failure().is_some() => return None,
        End::Exited { code } if native => {
            Reason::of(fault, "crashed", format!("it ended with code {code} and said no more{said}"))
        }
        End::Exited { code } => {
            Reason::of(Weight::Rejection, "command-failed", format!("it ended with code {code}{said}"))
        }
    })
}

fn of_readings(readings: Option<&Readings>, record: &Record) -> Vec<Reason> {
    let fell = readings.is_some_and(|readings| {
        readings.lost || readings.xids.iter().any(|xid| xid.number == Some(FALLEN_OFF))
    });
    let was_seen = readings.is_some_and(|readings| readings.samples > 0);
    let could_not = |unchecked: &NotChecked| unchecked.why == NvmlFailure::Lost.to_string();
    let mut reasons = Vec::new();
    if fell || is_lost(record.returned.as_ref()) || (!was_seen && record.not_checked.iter().any(could_not)) {
        reasons.push(lost_card());
    } else if !was_seen {
        let why =
            record.not_checked.first().map(|unchecked| format!(": {}", unchecked.why)).unwrap_or_default();
        let message = format!("the card was not watched{why}");
        reasons.push(Reason::of(Weight::Infrastructure, "not-measured", message));
    }
    // Events may come where readings fail.
    let Some(readings) = readings else { return reasons };
    if !readings.xids.is_empty() {
        let number =
            |number: Option<u64>| number.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
        let told: Vec<String> = readings
            .xids
            .iter()
            .take(5)
            .map(|xid| format!("XID {} after {:.1} s", number(xid.number), xid.seconds))
            .collect();
        let message =
            format!("the driver reported {}: see NVIDIA's list of XIDs and the kernel log", told.join(", "));
        reasons.push(Reason::of(Weight::Rejection, "xid", message));
    }
    if let Some(count) = readings.ecc_uncorrected.filter(|count| *count > 0) {
        let message = format!(
            "the memory of the card counts {count} errors since the driver was loaded that ECC could not correct: \
             replace the card, or let its vendor look at it"
        );
        reasons.push(Reason::of(Weight::Rejection, "ecc", message));
    }
    if let Some(foreign) = readings.foreign_processes.first() {
        let others = match readings.foreign_processes.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!(
            "{}{others} computed on the card meanwhile, so that the numbers say nothing: let everybody use \
             gpulint exec, or keep them off the card",
            foreign.process()
        );
        reasons.push(Reason::of(Weight::Infrastructure, DISTURBED, message));
    }
    reasons.extend(of_strays(&readings.strays));
    for slowed in &readings.slowed {
        let is_trouble = TROUBLE.contains(&slowed.reason.as_str());
        let weight = if is_trouble { Weight::Correction } else { Weight::Note };
        let way_out = if is_trouble { ": look at its cooling and its power supply" } else { "" };
        let message = format!(
            "the card was slowed down ({}) in {} of {} readings{way_out}",
            slowed.reason, slowed.samples, readings.slowed_of
        );
        reasons.push(Reason::of(weight, "throttled", message));
    }
    reasons
}

/// One use of another card is enough. Of whose it was nobody knows counts where the policy forbids the card.
fn of_strays(strays: &[Stray]) -> Option<Reason> {
    if let Some(stray) = own(strays) {
        let place = stray.place();
        let what = if stray.forbidden { "" } else { ", which is not the card of the policy" };
        let message = format!(
            "{} computed on {place}{what}: something in it sets CUDA_VISIBLE_DEVICES anew; gpulint trace shows where",
            stray.process()
        );
        return Some(Reason::of(Weight::Rejection, "wrong-card", message));
    }
    let unclaimed = strays.iter().find(|stray| stray.forbidden)?;
    let message = format!(
        "{} computed on {}, and it is not known whether it was one of the check: keep others off that card meanwhile, and \
         run it again",
        unclaimed.process(),
        unclaimed.place()
    );
    Some(Reason::of(Weight::Infrastructure, "unclaimed", message))
}

/// The command's own. A card that is forbidden is the graver fault.
fn own(strays: &[Stray]) -> Option<&Stray> {
    strays.iter().filter(|stray| !stray.unclaimed).max_by_key(|stray| stray.forbidden)
}

fn strayed(record: &Record) -> Option<&Stray> {
    record.readings.as_ref().and_then(|readings| own(&readings.strays))
}

fn of_memory(returned: Option<&Returned>) -> Option<Reason> {
    let Some(returned) = returned else {
        let message = "whether its memory is back is not known: the record does not say it";
        return Some(Reason::of(Weight::Infrastructure, "not-measured", message));
    };
    match returned {
        Returned::Back { .. } => None,
        Returned::NotBack { baseline, after, waited, holders } => {
            let more = mebibytes(after.saturating_sub(*baseline) as f64);
            let held = match holders.first() {
                Some(holder) => format!("; process {} holds it", holder.pid),
                None => String::new(),
            };
            let message = format!(
                "{more} that were free before are still in use {waited:.1} s after its end, and nobody else came{held}"
            );
            Some(Reason::of(Weight::Rejection, "memory-not-back", message))
        }
        Returned::Disturbed { by, .. } => {
            let by: Vec<String> = by.iter().map(u32::to_string).collect();
            let message = format!(
                "whether its memory is back cannot be said, because others came, went or changed what they use: {}",
                by.join(", ")
            );
            Some(Reason::of(Weight::Infrastructure, DISTURBED, message))
        }
        lost @ Returned::NotKnown { .. } if is_lost(Some(lost)) => None,
        Returned::NotKnown { reason: why } => {
            let message = format!("whether its memory is back is not known: {why}");
            Some(Reason::of(Weight::Infrastructure, "not-measured", message))
        }
    }
}

fn is_lost(returned: Option<&Returned>) -> bool {
    matches!(returned, Some(Returned::NotKnown { reason }) if *reason == NvmlFailure::Lost.to_string())
}

fn lost_card() -> Reason {
    let message = "the card fell off the bus meanwhile: look at the kernel log and its power supply; it needs a restart";
    Reason::of(Weight::Infrastructure, LOST, message)
}

/// What the command said at its end, to go behind a sentence.
pub fn tail(said: &str) -> String {
    const LINES: usize = 3;
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.get(lines.len().saturating_sub(LINES)..) {
        None | Some([]) => String::new(),
        Some(last) => format!("; it said: {}", last.join(" / ")),
    }
}
