//! One report, from the text of its file to what is kept of it.

use super::document::{Load, Machine, MachineSpeed, Measure};
use crate::runtime::cards::Card;
use crate::runtime::native::lines::Multiplier;
use crate::runtime::record::NotChecked;
use crate::runtime::validation::document::{
    BurnEvidence, Reason, SCHEMA, State, Validation, Verdict, Weight,
};
use crate::runtime::validation::judgement;
use serde::Deserialize;

/// No report is nearly that long.
pub const MOST_BYTES: u64 = 32 << 20;

/// Of each report so many reasons are kept, the heaviest.
pub const MOST_REASONS: usize = 20;
/// Of each text so many letters.
const MOST_LETTERS: usize = 400;

/// What is kept of a report.
#[derive(Clone, Debug)]
pub struct Reading {
    pub origin: Origin,
    pub machine: Machine,
    pub not_checked: Vec<NotChecked>,
}

/// What all reports that are merged must have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub version: String,
    pub policy: Option<String>,
    pub plan: String,
}

/// Why a file has none, as a clause. The version is that of the gpulint that wrote it, where it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoReport {
    pub version: Option<String>,
    pub why: String,
}

/// What each document begins with.
#[derive(Deserialize)]
struct Head {
    schema: u32,
    tool: String,
    version: String,
}

/// The report in the text of a file.
///
/// # Errors
/// When the text is something else, or not all of one.
pub fn read(file: &str, text: &[u8]) -> Result<Reading, NoReport> {
    let fault = |version: Option<&str>, why: String| NoReport {
        version: version.map(shortened),
        why: shortened(&why),
    };
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(fault(None, "it is empty".to_owned()));
    }
    let head: Head = serde_json::from_slice(text).map_err(|error| fault(None, error.to_string()))?;
    if head.tool != "gpulint" {
        return Err(fault(None, format!("it is from {}, and not from gpulint", shortened(&head.tool))));
    }
    let version = Some(head.version.as_str());
    if head.schema != SCHEMA {
        let why = format!("its schema is {}, and this gpulint reads {SCHEMA}", head.schema);
        return Err(fault(version, why));
    }
    let validation: Validation = serde_json::from_slice(text)
        .map_err(|error| fault(version, format!("it is no validation: {error}")))?;
    Ok(reading_of(file, validation))
}

fn reading_of(file: &str, validation: Validation) -> Reading {
    let mut reasons: Vec<Reason> = validation.reasons.iter().map(cut).collect();
    reasons.extend(contradiction(&validation));
    let weight = weight_of(validation.verdict);
    // Whatever it says for itself, what is not approved weighs something.
    if let Some(weight) = weight
        && reasons.iter().all(|reason| reason.weight > weight)
    {
        let message = match validation.verdict {
            Verdict::Running => "the validation has not come to its end".to_owned(),
            verdict => format!("{}, for no reason that the report gives", verdict.words()),
        };
        let code = if validation.verdict == Verdict::Running { "not-ended" } else { "no-reason" };
        reasons.push(Reason::of(weight, code, message));
    }
    // With all of it, so that the same reasons come in the same order.
    reasons.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
    let more_reasons = reasons.len().saturating_sub(MOST_REASONS) as u64;
    reasons.truncate(MOST_REASONS);
    let speeds = validation.checks.iter().filter(|check| was_measured(check.state));
    let speeds = speeds.filter_map(|check| check.burn.as_ref()).flat_map(speeds_of).collect();
    let not_checked = validation
        .not_checked
        .iter()
        .map(|not| NotChecked { what: shortened(&not.what), why: shortened(&not.why) });
    Reading {
        origin: Origin {
            version: shortened(&validation.version),
            policy: validation.policy.as_deref().map(shortened),
            // Its length is that of the policy's commands.
            plan: validation.plan,
        },
        not_checked: not_checked.collect(),
        machine: Machine {
            file: file.to_owned(),
            host: validation.host.as_deref().map(shortened),
            card: validation.card.map(|card| Card {
                uuid: shortened(&card.uuid),
                name: shortened(&card.name),
                ..card
            }),
            driver: validation.driver.as_deref().map(shortened),
            simulated: validation.simulated,
            started: shortened(&validation.started),
            wall_seconds: validation.wall_seconds.filter(|seconds| seconds.is_finite()),
            verdict: validation.verdict,
            reasons,
            more_reasons,
            differences: Vec::new(),
            speeds,
        },
    }
}

/// By what reasons are sorted.
pub fn key_of(reason: &Reason) -> (Weight, &Option<String>, &str, &str) {
    (reason.weight, &reason.check, &reason.code, &reason.message)
}

/// What a verdict weighs; nothing for an approval.
pub fn weight_of(verdict: Verdict) -> Option<Weight> {
    match verdict {
        Verdict::Approved => None,
        Verdict::ApprovedWithMinorCorrections => Some(Weight::Correction),
        Verdict::Rejected => Some(Weight::Rejection),
        Verdict::EnvironmentInvalid => Some(Weight::Environment),
        Verdict::Running | Verdict::Infrastructure | Verdict::Interrupted => Some(Weight::Infrastructure),
    }
}

/// That its own checks do not come to the approval that it claims.
fn contradiction(validation: &Validation) -> Option<Reason> {
    if !matches!(validation.verdict, Verdict::Approved | Verdict::ApprovedWithMinorCorrections) {
        return None;
    }
    let beside: Vec<Reason> =
        validation.reasons.iter().filter(|reason| reason.check.is_none()).cloned().collect();
    let found = judgement::verdict(&validation.checks, &beside);
    // What is said of a check and what is said of the whole may differ as well.
    let listed = Verdict::of(validation.reasons.iter().map(|reason| reason.weight).min());
    (found != validation.verdict || listed != validation.verdict).then(|| {
        let message = format!(
            "the report says `{}`, and what is in it comes to something else: it was changed or is damaged",
            validation.verdict.words()
        );
        Reason::of(Weight::Infrastructure, "contradiction", message)
    })
}

/// Whether the speeds of a check count.
fn was_measured(state: State) -> bool {
    matches!(state, State::Holds | State::HoldsWithCorrections | State::Fails)
}

fn speeds_of(burn: &BurnEvidence) -> impl Iterator<Item = MachineSpeed> {
    let multiplier = match &burn.multiplier {
        Multiplier::Own => "own".to_owned(),
        Multiplier::Cublas { version: Some(version), .. } => format!("cublas {version}"),
        Multiplier::Cublas { version: None, .. } => "cublas".to_owned(),
    };
    let side = burn.side;
    let measured = [(Measure::Teraflops, burn.teraflops), (Measure::Gigabytes, burn.gigabytes)];
    measured.into_iter().filter_map(move |(measure, speed)| {
        let median = speed?.median;
        let load = Load { measure, side, multiplier: multiplier.clone() };
        (median.is_finite() && median > 0.0).then_some(MachineSpeed { load, median, of_kind: None })
    })
}

fn cut(reason: &Reason) -> Reason {
    Reason {
        check: reason.check.as_deref().map(shortened),
        weight: reason.weight,
        code: shortened(&reason.code),
        message: shortened(&reason.message),
    }
}

pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
