//! The code quality report of GitLab, which shows it in merge requests.
//!
//! Form: <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>.

use super::Report;
use crate::findings::{Severity, Status};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;

pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let active = report.recorded().into_iter().filter(|(finding, _)| finding.status == Status::Active);
    let violation = |(finding, fingerprint): (&crate::findings::Finding, String)| {
        let place = report.locate(finding.place);
        let severity = match finding.severity {
            Severity::Error => "critical",
            Severity::Warning => "major",
            Severity::Note => "info",
        };
        Violation {
            description: report.message_with_help(finding),
            check_name: finding.rule.clone(),
            fingerprint,
            severity,
            location: Location { path: place.path, lines: Lines { begin: place.line, end: place.end_line } },
        }
    };
    serde_json::to_writer_pretty(&mut *out, &active.map(violation).collect::<Vec<_>>())?;
    writeln!(out)
}

#[derive(Serialize)]
struct Violation<'a> {
    description: String,
    check_name: String,
    /// Different for each violation: of two equal ones GitLab shows one.
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: Cow<'a, str>,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}
