//! Workflow commands, one line each, that GitHub Actions shows beside the lines of a pull request.
//!
//! Form and escapes: <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>
//! and `command.ts` of <https://github.com/actions/toolkit>.

use super::Report;
use super::printable::visible;
use crate::findings::{Finding, Severity};
use std::borrow::Cow;
use std::io::Write;

pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    for finding in report.shown() {
        writeln!(out, "{}", command_of(finding, report))?;
    }
    Ok(())
}

fn command_of(finding: &Finding, report: &Report) -> String {
    let sources = report.sources;
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let title = property(&format!("gpulint ({})", finding.rule));
    let source = sources.file(finding.place.file);
    let file = property(&in_repository(report.below_repository, &source.name));
    let position = sources.position(finding.place);
    let (line, end_line) = source.file_lines(finding.place.span);
    // An annotation over several lines must not have columns, or GitHub refuses it. In the JSON of a notebook
    // columns are others than in its code.
    let span = if line == end_line && position.cell.is_none() {
        let (column, end_column) = (position.column, position.end_column);
        format!("line={line},col={column},endLine={end_line},endColumn={end_column}")
    } else {
        format!("line={line},endLine={end_line}")
    };
    let cell = position.cell.map(|cell| format!("cell {cell}, line {}: ", position.line)).unwrap_or_default();
    let mut text = format!("{cell}{}", finding.message);
    if let Some(advice) = &finding.advice {
        text.push_str(&format!("\nhelp: {advice}"));
    }
    format!("::{command} title={title},file={file},{span}::{}", data(&text))
}

/// A path as GitHub knows it: from the top of the repository, and not from the root of the project.
fn in_repository<'a>(mut folder: &str, mut name: &'a str) -> Cow<'a, str> {
    if folder.is_empty() {
        return Cow::Borrowed(name);
    }
    while let (Some(rest), false) = (name.strip_prefix("../"), folder.is_empty()) {
        name = rest;
        folder = folder.trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    match folder.trim_end_matches('/') {
        "" => Cow::Borrowed(name),
        folder => Cow::Owned(format!("{folder}/{name}")),
    }
}

fn data(text: &str) -> String {
    escaped(text, &['%', '\r', '\n'])
}

fn property(text: &str) -> String {
    escaped(text, &['%', '\r', '\n', ':', ','])
}

/// The given characters as percent escapes, and no other control characters: this also goes to a log.
fn escaped(text: &str, escapes: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if escapes.contains(&c) {
            escaped.push_str(&format!("%{:02X}", c as u32));
        } else {
            escaped.push(visible(c));
        }
    }
    escaped
}
