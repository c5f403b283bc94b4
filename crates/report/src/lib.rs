//! Renders what a run found, in the format that the reader asked for: one pure function per format.

mod azure;
mod change;
mod checkstyle;
pub mod commands;
mod compact;
mod concise;
mod correction;
mod excerpt;
mod github;
mod gitlab;
pub mod html;
mod json;
mod jsonl;
pub mod junit;
pub mod markdown;
mod place;
pub mod printable;
mod rdjson;
mod repairs;
mod sarif;
mod secrets;
mod statistics;
mod summary;
mod text;

pub use printable::printable;
pub use secrets::concealed;
pub use statistics::render as render_statistics;
pub use summary::{summary_line, unfinished_line};

// A module goes by one path in all packages: `crate::sources`, `crate::report::printable`.
extern crate self as report;
use gpulint_base::{facts, findings, sources};
use gpulint_check::corrections;
use gpulint_rules as rules;

use crate::corrections::Corrections;
use crate::findings::fingerprint::fingerprints;
use crate::findings::{Finding, Fix, Severity, Status};
use crate::rules::RuleSet;
use crate::sources::{Skipped, Sources};
use serde::Serialize;
use std::cmp::Reverse;
use std::io::Write;

/// Where gpulint is at home, as Cargo.toml says.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// Where every rule is listed; the id of the rule is the anchor.
pub(crate) const RULES_PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules.md");

/// What a renderer is given.
pub struct Report<'a> {
    pub sources: &'a Sources,
    /// The rules that the findings are of, for what there is to say about them in general.
    pub rules: &'a RuleSet,
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
    /// Where text for people is shown.
    pub shown_on: ShownOn,
    /// Whether text for people says nothing about the run: no summary.
    pub is_quiet: bool,
    /// The folder that paths count from, as seen from the top of the repository: `app/`, or nothing.
    pub below_repository: &'a str,
    /// Whether the run is part of a GitHub workflow. GitHub shows suppressed findings of a SARIF file like any other, and
    /// its uploads name the analysis.
    pub on_github: bool,
    /// What `--fix` changed, or `--diff` would.
    pub corrections: Option<&'a Corrections>,
    /// How many findings are gone since the state that this one is compared with; `None` when nothing is compared.
    pub fixed: Option<usize>,
}

/// Where text for people is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownOn {
    /// A file, a log or another program: others may read it.
    #[default]
    Paper,
    /// The terminal of whoever started the run, who may see what is in the files.
    Screen {
        /// Whether it follows links.
        links: bool,
    },
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Format {
    /// For people: each finding with its source lines.
    Text,
    /// One line for each finding: `path:line:column: severity[rule] message`.
    Concise,
    /// For programs that write code: the finding, the reason once for each rule, what to do, and the fix as a patch.
    Compact,
    /// One JSON object, for programs.
    Json,
    /// One JSON object for each finding, each on a line.
    Jsonl,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
    /// Workflow commands that GitHub Actions turns into annotations.
    Github,
    /// The code quality report of GitLab.
    Gitlab,
    /// Test cases as JUnit writes them.
    Junit,
    /// The diagnostic format of reviewdog.
    Rdjson,
    /// The XML of Checkstyle.
    Checkstyle,
    /// Logging commands that Azure Pipelines turns into issues.
    Azure,
    /// A table for the summary of a job or a comment.
    Markdown,
    /// One page that needs nothing else.
    Html,
    /// What was wrong, what was changed and what is left, in Markdown; in JSON where the file's name ends so.
    Correction,
    /// The same as one JSON object.
    #[value(skip)]
    CorrectionJson,
}

/// Writes the report. Text, concise and compact end with the summary; beside the others it belongs on
/// standard error, see [`summary_line`]. Returns what the form of the report had no room for, in one sentence.
pub fn render(report: &Report, format: Format, out: &mut dyn Write) -> std::io::Result<Option<String>> {
    let Some(form) = commands::Form::of(format) else { return render_as(report, format, out) };
    let mut whole = Vec::new();
    let left_out = render_as(report, format, &mut whole)?;
    // Whatever names and texts of the project it holds, it says nothing to the service that runs the job.
    let whole = String::from_utf8(whole).map_err(std::io::Error::other)?;
    out.write_all(commands::harmless(&whole, form).as_bytes())?;
    Ok(left_out)
}

fn render_as(report: &Report, format: Format, out: &mut dyn Write) -> std::io::Result<Option<String>> {
    let written = match format {
        Format::Sarif => return sarif::render(report, out),
        Format::Markdown => return markdown::render(report, out),
        Format::Html => return html::render(report, out),
        Format::Text => text::render(report, out),
        Format::Concise => concise::render(report, out),
        Format::Compact => compact::render(report, out),
        Format::Json => json::render(report, out),
        Format::Jsonl => jsonl::render(report, out),
        Format::Github => github::render(report, out),
        Format::Gitlab => gitlab::render(report, out),
        Format::Junit => junit::render(report, out),
        Format::Rdjson => rdjson::render(report, out),
        Format::Checkstyle => checkstyle::render(report, out),
        Format::Azure => azure::render(report, out),
        Format::Correction => correction::render(report, out),
        Format::CorrectionJson => correction::render_json(report, out),
    };
    written.map(|()| None)
}

/// How many findings there are, hidden ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub error: usize,
    pub warning: usize,
    pub note: usize,
    pub suppressed: usize,
    pub baselined: usize,
    /// Findings on unchanged lines, which a run about changed ones does not show.
    pub unchanged: usize,
    /// Those that the state has too that this one is compared with.
    pub old: usize,
    /// Those that it showed and that are gone.
    pub fixed: usize,
    /// Findings that fixes settle, safe ones or not: also those of which one warning speaks for all.
    pub fixable: usize,
}

impl<'a> Report<'a> {
    /// Counts the findings, each under its status or its severity.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { fixed: self.fixed.unwrap_or_default(), ..Counts::default() };
        for finding in self.findings {
            match (finding.status, finding.severity) {
                (Status::Suppressed, _) => counts.suppressed += 1,
                (Status::Baselined, _) => counts.baselined += 1,
                (Status::Unchanged, _) => counts.unchanged += 1,
                (Status::Old, _) => counts.old += 1,
                (Status::Active, Severity::Error) => counts.error += 1,
                (Status::Active, Severity::Warning) => counts.warning += 1,
                (Status::Active, Severity::Note) => counts.note += 1,
            }
        }
        counts.fixable = self.fixable().count();
        counts
    }

    /// The fixes that `--fix`, or `--fix --unsafe-fixes`, makes.
    fn fixable(&self) -> impl Iterator<Item = &'a Fix> {
        let min = self.min_severity;
        let meant = self.findings.iter().filter(move |f| f.status == Status::Active && f.counts_from(min));
        meant.filter_map(|finding| finding.fix.as_ref())
    }

    /// The findings that people are shown.
    fn shown(&self) -> impl Iterator<Item = &'a Finding> {
        let min = self.min_severity;
        self.findings.iter().filter(move |f| f.status == Status::Active && f.severity >= min)
    }

    /// The same, for readers who do not see all of them.
    fn worst_first(&self) -> Vec<&'a Finding> {
        let mut findings: Vec<_> = self.shown().collect();
        findings.sort_by_key(|finding| badness(finding));
        findings
    }

    /// The same, those of each file together.
    fn by_file(&self) -> Vec<Vec<&'a Finding>> {
        let shown: Vec<_> = self.shown().collect();
        shown.chunk_by(|one, other| one.place.file == other.place.file).map(<[_]>::to_vec).collect()
    }

    /// The findings that programs are told of, with their fingerprints: also those that do not count.
    fn recorded(&self) -> Vec<(&'a Finding, String)> {
        let fingerprints = fingerprints(self.findings, self.sources);
        let pairs = self.findings.iter().zip(fingerprints);
        let is_told = |finding: &Finding| {
            finding.severity >= self.min_severity
                && !matches!(finding.status, Status::Unchanged | Status::Old)
        };
        pairs.filter(|(finding, _)| is_told(finding)).collect()
    }
}

/// What findings are sorted by where the worst come first: those that count, by severity, the surest.
fn badness(finding: &Finding) -> impl Ord + use<> {
    (finding.status != Status::Active, Reverse((finding.severity, finding.confidence)))
}

/// The address of the repository, once there is one.
pub fn home() -> Option<&'static str> {
    (!REPOSITORY.contains("OWNER")).then_some(REPOSITORY)
}

/// The address of the page that explains a rule, once there is one; a project's own rules have none.
pub fn page_of(rule: &str) -> Option<String> {
    home()?;
    RuleSet::embedded().find(rule).map(|rule| format!("{RULES_PAGE}#{}", rule.id))
}

/// The severity as it is written in every format and on the command line.
pub fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
