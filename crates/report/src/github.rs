//! Workflow commands, one line each, that GitHub Actions shows beside the lines of a pull request.
//!
//! Form and escapes: <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>
//! and `command.ts` of <https://github.com/actions/toolkit>.

use super::Report;
use super::printable::visible;
use crate::findings::{Finding, Severity};
use std::io::Write;

/// So many annotations of each level GitHub shows for one step: those that come first.
const SHOWN: usize = 10;

/// The worst come first, since only the first are shown.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let findings = report.worst_first();
    let (worse, notes): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.severity > Severity::Note);
    for finding in &worse {
        writeln!(out, "{}", command_of(finding, report))?;
    }
    // Before the notes: behind ten of them it would not be shown itself.
    if let Some(text) = beyond(&worse, &notes) {
        writeln!(out, "::notice title=gpulint::{}", data(&text))?;
    }
    for finding in &notes {
        writeln!(out, "{}", command_of(finding, report))?;
    }
    Ok(())
}

/// How many findings are not shown as annotations; `None` when all are.
fn beyond(worse: &[&Finding], notes: &[&Finding]) -> Option<String> {
    let of = |severity| worse.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    if errors.max(warnings).max(notes.len()) <= SHOWN {
        return None;
    }
    let beyond = |count: usize, shown: usize, noun: &str| match count.saturating_sub(shown) {
        0 => None,
        1 => Some(format!("1 more {noun}")),
        more => Some(format!("{more} more {noun}s")),
    };
    // This notice is shown in the place of a note.
    let kinds = [
        beyond(errors, SHOWN, "error"),
        beyond(warnings, SHOWN, "warning"),
        beyond(notes.len(), SHOWN - 1, "note"),
    ];
    let kinds: Vec<String> = kinds.into_iter().flatten().collect();
    Some(format!(
        "Not shown: {}, since GitHub shows the first {SHOWN} of each level. The report that `--output markdown=FILE` \
         writes lists them.",
        kinds.join(", ")
    ))
}

fn command_of<'a>(finding: &'a Finding, report: &Report<'a>) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let title = property(&format!("gpulint ({})", finding.rule));
    let (place, text) = report.annotated(finding);
    let (file, line, end_line) = (property(&place.path), place.line, place.end_line);
    // An annotation over several lines must not have columns, or GitHub refuses it.
    let span = match place.columns {
        Some((column, end_column)) if line == end_line => {
            format!("line={line},col={column},endLine={end_line},endColumn={end_column}")
        }
        _ => format!("line={line},endLine={end_line}"),
    };
    format!("::{command} title={title},file={file},{span}::{}", data(&text))
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
