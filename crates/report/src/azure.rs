//! Logging commands, one line each, that Azure Pipelines shows as issues of a run.
//!
//! Form: <https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands>; escapes:
//! `docs/design/percentEncoding.md` of <https://github.com/microsoft/azure-pipelines-agent>.

use super::Report;
use super::printable::visible;
use crate::findings::{Finding, Severity};
use std::io::Write;

/// The worst come first: a long list is cut.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    for finding in report.worst_first() {
        writeln!(out, "{}", command_of(finding, report))?;
    }
    Ok(())
}

fn command_of<'a>(finding: &'a Finding, report: &Report<'a>) -> String {
    // There are two kinds of issues. A note that somebody asked to see is the milder one.
    let (kind, prefix) = match finding.severity {
        Severity::Error => ("error", ""),
        Severity::Warning => ("warning", ""),
        Severity::Note => ("warning", "note: "),
    };
    let (place, text) = report.annotated(finding);
    let (path, line, rule) = (escaped(&place.path), place.line, escaped(&finding.rule));
    let column = place.columns.map(|(column, _)| format!("columnnumber={column};")).unwrap_or_default();
    let text = escaped(&format!("{prefix}{}", text));
    format!("##vso[task.logissue type={kind};sourcepath={path};linenumber={line};{column}code={rule};]{text}")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => escaped.push_str("%AZP25"),
            ';' => escaped.push_str("%3B"),
            ']' => escaped.push_str("%5D"),
            '\r' => escaped.push_str("%0D"),
            '\n' => escaped.push_str("%0A"),
            c => escaped.push(visible(c)),
        }
    }
    escaped
}
