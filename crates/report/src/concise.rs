//! One line for each finding, in the form that editors and `grep` understand.

use super::printable::{printable, sentence};
use super::{Report, summary, word};
use crate::findings::Severity;
use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE, DEFAULT_WARNING_STYLE, Style};
use std::io::Write;

pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    for finding in report.shown() {
        let position = report.sources.position(finding.place);
        let name = report.sources.file(finding.place.file).name_with_cell(position.cell);
        let name = printable(&name);
        let (line, column) = (position.line, position.column);
        let (severity, rule) = (word(finding.severity), printable(&finding.rule));
        let style = if report.colour { style_of(finding.severity) } else { Style::new() };
        let message = sentence(&finding.message);
        let cause = report.cause_elsewhere(finding);
        let cause =
            cause.map(|cause| format!(" ({})", printable(&report.brought_by(cause)))).unwrap_or_default();
        writeln!(out, "{name}:{line}:{column}: {style}{severity}[{rule}]{style:#} {message}{cause}")?;
    }
    summary::write(report, out)
}

fn style_of(severity: Severity) -> Style {
    match severity {
        Severity::Error => DEFAULT_ERROR_STYLE,
        Severity::Warning => DEFAULT_WARNING_STYLE,
        Severity::Note => DEFAULT_NOTE_STYLE,
    }
}
