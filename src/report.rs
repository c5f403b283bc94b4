//! Renders what a run found, in the format that the reader asked for: one pure function per format.

mod concise;
mod excerpt;
mod github;
mod json;
mod printable;
mod secrets;
mod statistics;
mod summary;
mod text;

pub(crate) use printable::printable;
pub use statistics::render as render_statistics;
pub use summary::{summary_line, unfinished_line};

use crate::findings::{Finding, Severity, Status};
use crate::sources::{Skipped, Sources};
use serde::Serialize;
use std::io::Write;

/// Where every rule is explained; the id of the rule is the anchor.
pub(crate) const RULES_PAGE: &str = "https://github.com/OWNER/gpulint/blob/main/docs/rules.md";

/// What a renderer is given.
pub struct Report<'a> {
    pub sources: &'a Sources,
    /// All findings, also hidden and suppressed ones, sorted by file, place and rule.
    pub findings: &'a [Finding],
    /// How many files were checked.
    pub checked: usize,
    pub skipped: &'a [Skipped],
    /// Files whose programs were not followed to their end, by name.
    pub unfinished: &'a [String],
    /// Findings below are counted and not shown.
    pub min_severity: Severity,
    pub has_policy: bool,
    /// Active findings at or above make the run fail.
    pub fail_on: Severity,
    /// Whether text for people carries ANSI colours.
    pub colour: bool,
    /// The folder that paths count from, as seen from the top of the repository: `app/`, or nothing.
    pub below_repository: &'a str,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Format {
    /// For people: each finding with its source lines.
    Text,
    /// One line for each finding: `path:line:column: severity[rule] message`.
    Concise,
    /// One JSON object, for programs.
    Json,
    /// Workflow commands that GitHub Actions turns into annotations.
    Github,
}

/// Writes the report. Text and concise end with the summary; beside the others it belongs on
/// standard error, see [`summary_line`].
pub fn render(report: &Report, format: Format, out: &mut dyn Write) -> std::io::Result<()> {
    match format {
        Format::Text => text::render(report, out),
        Format::Concise => concise::render(report, out),
        Format::Json => json::render(report, out),
        Format::Github => github::render(report, out),
    }
}

/// How many findings there are, hidden ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub error: usize,
    pub warning: usize,
    pub note: usize,
    pub suppressed: usize,
    pub baselined: usize,
    /// Active findings that have a fix, safe or not.
    pub fixable: usize,
}

impl<'a> Report<'a> {
    /// Counts the findings, each under its status or its severity.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for finding in self.findings {
            match (finding.status, finding.severity) {
                (Status::Suppressed, _) => counts.suppressed += 1,
                (Status::Baselined, _) => counts.baselined += 1,
                (Status::Active, Severity::Error) => counts.error += 1,
                (Status::Active, Severity::Warning) => counts.warning += 1,
                (Status::Active, Severity::Note) => counts.note += 1,
            }
            counts.fixable += usize::from(finding.status == Status::Active && finding.fix.is_some());
        }
        counts
    }

    /// The findings that people are shown.
    fn shown(&self) -> impl Iterator<Item = &'a Finding> {
        let min = self.min_severity;
        self.findings.iter().filter(move |f| f.status == Status::Active && f.severity >= min)
    }
}

/// The severity as it is written in every format and on the command line.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
