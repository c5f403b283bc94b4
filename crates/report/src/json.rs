//! One JSON object. Its shape is a promise: keys are added, never renamed, without a new `schema`.

use super::{Counts, RULES_PAGE, Report, correction};
use crate::findings::{Confidence, Finding, Safety, Severity, Status};
use crate::sources::{Skipped, Sources};
use serde::Serialize;
use std::io::Write;

/// Suppressed and baselined findings are among the findings, told apart by their status; those on unchanged lines and
/// old ones are counted only.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let document = Document {
        schema: 1,
        tool: Tool { name: "gpulint", version: env!("CARGO_PKG_VERSION") },
        findings: entries(report).collect(),
        files: Files { checked: report.checked, skipped: report.skipped, unfinished: report.unfinished },
        corrections: report.corrections.map(|_| correction::entries(report)),
        summary: report.counts(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// The findings that are not below the severity that is shown.
pub fn entries<'a>(report: &Report<'a>) -> impl Iterator<Item = Entry<'a>> {
    let sources = report.sources;
    report.recorded().into_iter().map(move |(finding, print)| entry_of(finding, print, sources))
}

fn entry_of<'a>(finding: &'a Finding, fingerprint: String, sources: &'a Sources) -> Entry<'a> {
    let position = sources.position(finding.place);
    let related = finding.related.iter().map(|related| {
        let position = sources.position(related.place);
        RelatedEntry {
            path: &sources.file(related.place.file).name,
            cell: position.cell,
            line: position.line,
            column: position.column,
            message: &related.message,
        }
    });
    Entry {
        rule: &finding.rule,
        family: &finding.family,
        severity: finding.severity,
        confidence: finding.confidence,
        message: &finding.message,
        path: &sources.file(finding.place.file).name,
        cell: position.cell,
        line: position.line,
        column: position.column,
        end_line: position.end_line,
        end_column: position.end_column,
        related: related.collect(),
        fix: finding.fix.as_ref().map(|fix| Offer { title: &fix.title, safety: fix.safety }),
        caused_by: finding.caused_by.as_ref().map(|cause| CauseEntry {
            path: &cause.path,
            line: cause.lines.map(|(line, _)| line),
            end_line: cause.lines.map(|(_, end_line)| end_line),
            removed: cause.removed,
        }),
        unfixed: finding.unfixed.as_deref(),
        programs: programs_of(finding, sources),
        policies: finding.policies.iter().map(String::as_str).collect(),
        status: finding.status,
        fingerprint,
        url: format!("{RULES_PAGE}#{}", finding.rule),
    }
}

/// The names of the programs that a finding speaks for, where there are several.
fn programs_of<'a>(finding: &Finding, sources: &'a Sources) -> Vec<&'a str> {
    let several = finding.programs.iter().filter(|_| finding.programs.len() > 1);
    several.map(|&program| sources.file(program).name.as_str()).collect()
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: Tool,
    findings: Vec<Entry<'a>>,
    files: Files<'a>,
    /// What `--fix` changed, or `--diff` would.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrections: Option<Vec<correction::Entry<'a>>>,
    summary: Counts,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Files<'a> {
    checked: usize,
    skipped: &'a [Skipped],
    unfinished: &'a [String],
}

/// One finding.
#[derive(Serialize)]
pub struct Entry<'a> {
    rule: &'a str,
    family: &'a str,
    severity: Severity,
    confidence: Confidence,
    message: &'a str,
    path: &'a str,
    /// Lines count in this cell of a notebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    related: Vec<RelatedEntry<'a>>,
    fix: Option<Offer<'a>>,
    /// The change that brought it, in a comparison with an earlier state.
    #[serde(skip_serializing_if = "Option::is_none")]
    caused_by: Option<CauseEntry<'a>>,
    /// Why the rule's fix is not offered here.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfixed: Option<&'a str>,
    /// The programs that it speaks for, by the files that they start with, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    programs: Vec<&'a str>,
    /// The files of the policies that it is judged by, where the run has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    policies: Vec<&'a str>,
    status: Status,
    fingerprint: String,
    url: String,
}

/// A change between two states.
#[derive(Serialize)]
struct CauseEntry<'a> {
    path: &'a str,
    /// Lines of the file; none of one that is gone.
    line: Option<u32>,
    end_line: Option<u32>,
    /// Whether lines, or the file, were only taken out.
    removed: bool,
}

/// A fix that `--fix` would make.
#[derive(Serialize)]
struct Offer<'a> {
    title: &'a str,
    safety: Safety,
}

#[derive(Serialize)]
struct RelatedEntry<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
    line: u32,
    column: u32,
    message: &'a str,
}
