//! The XML of JUnit: each check is a test case of the card on its machine, and what was not looked at is one that was skipped.

use super::super::document::{Check, Reason, State, Validation, Verdict};
use super::words;
use crate::report::junit::{self, Case, CaseOutcome, Suite};
use std::io;

pub fn junit(validation: &Validation) -> io::Result<String> {
    // Services take what is behind the last dot for the name, and what is before it for a folder.
    let without_dots = |text: &str| text.replace('.', "-");
    let host = without_dots(validation.host.as_deref().unwrap_or("unknown"));
    let card = validation.card.as_ref().map_or_else(|| "no-card".to_owned(), |card| without_dots(&card.uuid));
    let group = format!("{host}.{card}");
    let case =
        |name: &str, seconds, outcome| Case { name: name.to_owned(), group: group.clone(), seconds, outcome };
    let whole = case(
        "verdict",
        validation.wall_seconds,
        of_verdict(validation.verdict, of_reasons(validation, None)),
    );
    let checks = validation
        .checks
        .iter()
        .map(|check| case(&check.name, check.wall_seconds, of_check(check, validation)));
    let mut suites =
        vec![Suite { name: words::title(validation), cases: [whole].into_iter().chain(checks).collect() }];
    let skipped = words::not_checked(validation);
    if !skipped.is_empty() {
        let cases = skipped.into_iter().map(|(what, why)| case(&what, None, CaseOutcome::Skipped(why)));
        suites.push(Suite { name: "not checked".to_owned(), cases: cases.collect() });
    }
    junit::text(&suites)
}

/// What is wrong with no check alone, such as that there is no card, must not look like a success.
pub fn of_verdict(verdict: Verdict, text: String) -> CaseOutcome {
    let message = verdict.words().to_owned();
    match verdict {
        Verdict::Approved | Verdict::ApprovedWithMinorCorrections => {
            CaseOutcome::Passed(format!("{message}\n{text}"))
        }
        Verdict::Rejected => CaseOutcome::Failed { kind: "rejected", message, text },
        Verdict::EnvironmentInvalid => CaseOutcome::Errored { kind: "environment_invalid", message, text },
        Verdict::Infrastructure => CaseOutcome::Errored { kind: "infrastructure", message, text },
        Verdict::Interrupted => CaseOutcome::Errored { kind: "interrupted", message, text },
        Verdict::Running => CaseOutcome::Errored { kind: "running", message, text },
    }
}

fn of_check(check: &Check, validation: &Validation) -> CaseOutcome {
    let reasons = of_reasons(validation, Some(check));
    let evidence = words::evidence(check).into_iter().map(|(name, text)| format!("{name}: {text}\n"));
    let text = reasons + &evidence.collect::<String>();
    let message = check.reasons.first().map(|reason| reason.message.clone());
    let message = message.unwrap_or_else(|| words::state(check.state).to_owned());
    match check.state {
        State::Holds | State::HoldsWithCorrections => CaseOutcome::Passed(text),
        State::Fails => CaseOutcome::Failed { kind: "fails", message, text },
        State::NotRun => CaseOutcome::Errored { kind: "not_run", message, text },
        State::Waiting | State::Running => {
            CaseOutcome::Skipped("the validation has not come to its end".to_owned())
        }
    }
}

/// The reasons, one a line, and first of all that nothing of it is true of hardware.
fn of_reasons(validation: &Validation, check: Option<&Check>) -> String {
    let reasons = check.map_or(&validation.reasons, |check| &check.reasons);
    let simulated = validation.simulated.then(|| format!("{}\n", words::SIMULATED));
    let message = |reason: &Reason| match check {
        Some(_) => reason.message.clone(),
        None => words::reason(reason),
    };
    let lines =
        reasons.iter().map(|reason| format!("{}: {}\n", words::weight(reason.weight), message(reason)));
    simulated.into_iter().chain(lines).collect()
}
