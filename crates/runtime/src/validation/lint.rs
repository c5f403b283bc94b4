//! What the static check of the project says to the verdict.

use super::document::{Reason, Weight};
use super::workers::Files;
use serde::Deserialize;

/// As much of the report of `gpulint check` as counts here.
#[derive(Deserialize)]
struct Report {
    summary: Summary,
    files: Checked,
}

#[derive(Deserialize)]
struct Summary {
    error: u64,
    warning: u64,
}

#[derive(Deserialize)]
struct Checked {
    checked: u64,
}

/// Errors are a policy that the project does not keep; warnings are to be corrected.
pub fn reasons(files: &Files) -> Vec<Reason> {
    let reason = |weight, code, message: String| vec![Reason::of(weight, code, message)];
    let text = std::fs::read_to_string(&files.output).unwrap_or_default();
    let Ok(Report { summary, files: Checked { checked } }) = serde_json::from_str(&text) else {
        let said = files.said();
        let why = said.lines().find(|line| !line.is_empty()).unwrap_or("it ended without a report");
        let message = format!("the project could not be checked: {why}");
        return reason(Weight::Infrastructure, "lint-not-run", message);
    };
    let way_out = "see gpulint check";
    let findings = |count: u64, severity: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} finding{plural} of severity {severity} in the project's files: {way_out}")
    };
    match summary {
        Summary { error: 1.., .. } => {
            let message = findings(summary.error, "error");
            reason(Weight::Rejection, "lint-errors", message)
        }
        Summary { warning: 1.., .. } => {
            let message = findings(summary.warning, "warning");
            reason(Weight::Correction, "lint-warnings", message)
        }
        _ if checked == 0 => {
            reason(Weight::Note, "no-files", "the project has no files that gpulint checks".to_owned())
        }
        _ => Vec::new(),
    }
}
