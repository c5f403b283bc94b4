//! What the evidence of a check proves, and what all checks come to. Pure functions: the same evidence has the same verdict.
//!
//! Who else used the card while a check measured makes its numbers say nothing, so then they neither approve nor reject.

mod native;
mod run;

pub use native::SLOW;
pub use run::tail;

use super::document::{BurnEvidence, Check, Kind, LeakEvidence, Reason, State, Verdict, Weight};
use super::evidence::Lines;
use super::repeated::Repeated;
use crate::policy::Leak;
use crate::runtime::record::Record;

/// One attempt at a check on the card.
pub struct Attempt<'a> {
    pub kind: Kind,
    /// `None` when the worker left none that can be read.
    pub record: Option<&'a Record>,
    pub lines: &'a Lines,
    pub leak: Option<&'a LeakEvidence>,
    pub burn: Option<&'a BurnEvidence>,
    pub repeated: Option<&'a Repeated>,
    /// The last lines that the command wrote.
    pub said: &'a str,
}

/// What the policy and the request ask of the evidence.
#[derive(Clone, Copy, Debug)]
pub struct Gates<'a> {
    pub leak: &'a Leak,
    /// How many iterations must be measured at least.
    pub iterations: u32,
}

/// All that is to be said about an attempt, the most serious first.
pub fn reasons(attempt: &Attempt<'_>, gates: Gates<'_>) -> Vec<Reason> {
    let mut reasons = run::reasons(attempt);
    // It ends with a code of its own for each, which alone would be a command that failed.
    if let Some(told) = attempt.repeated.and_then(Repeated::reason)
        && let Some(failed) = reasons.iter_mut().find(|reason| reason.code == "command-failed")
    {
        *failed = told;
    }
    let is_disturbed = reasons.iter().any(|reason| reason.code == DISTURBED);
    let is_lost = reasons.iter().any(|reason| reason.code == LOST);
    match attempt.kind {
        Kind::Leak | Kind::Burn => reasons.extend(native::reasons(attempt, gates)),
        Kind::GpuTarget => reasons.extend(native::of_turns(attempt.leak, gates)),
        Kind::Lint | Kind::CpuTarget => {}
    }
    for reason in &mut reasons {
        let code = reason.code.as_str();
        let is_explained = (is_disturbed || is_lost) && (is_of_growth(code) || BY_OTHERS.contains(&code));
        if is_explained || (is_lost && BY_LOSS.contains(&code)) {
            reason.weight = Weight::Note;
        }
    }
    reasons.sort_by_key(|reason| reason.weight);
    reasons
}

/// Whether a reason of this code is of all iterations so far, and not of the last alone.
pub fn is_of_growth(code: &str) -> bool {
    ["leak", "growth-alert", "growth-fail", "growth-inconclusive", "one-off-growth"].contains(&code)
}

/// What somebody else on the card may be to blame for: it takes memory and time.
const BY_OTHERS: [&str; 6] =
    ["memory-not-back", "out-of-memory", "slow", "command-failed", "time-limit", "crashed"];
/// What follows when the card is gone.
const BY_LOSS: [&str; 3] = ["xid", "driver-error", "not-measured"];

/// Somebody else was on the card.
pub const DISTURBED: &str = "foreign-process";
/// The card is gone.
pub const LOST: &str = "gpu-lost";

/// What the reasons come to.
pub fn state(reasons: &[Reason]) -> State {
    match reasons.iter().map(|reason| reason.weight).min() {
        None | Some(Weight::Note) => State::Holds,
        Some(Weight::Correction) => State::HoldsWithCorrections,
        Some(Weight::Environment | Weight::Infrastructure) => State::NotRun,
        Some(Weight::Rejection) => State::Fails,
    }
}

/// What all checks, and what is to be said beside them, come to. Without one check that holds nothing is approved.
pub fn verdict(checks: &[Check], beside: &[Reason]) -> Verdict {
    if checks.iter().any(|check| matches!(check.state, State::Waiting | State::Running)) {
        return Verdict::Running;
    }
    let weights = checks.iter().flat_map(|check| &check.reasons).chain(beside).map(|reason| reason.weight);
    let proven = checks.iter().any(|check| check.kind != Kind::Lint && check.state != State::NotRun);
    match Verdict::of(weights.min()) {
        Verdict::Approved | Verdict::ApprovedWithMinorCorrections if !proven => Verdict::Infrastructure,
        verdict => verdict,
    }
}

/// Bytes for people, to a tenth of a MiB.
fn mebibytes(bytes: f64) -> String {
    format!("{:.1} MiB", bytes / f64::from(1 << 20))
}

#[cfg(test)]
mod tests;
