//! The diagnostic format of reviewdog, which comments on pull requests of many services.
//!
//! Form: <https://github.com/reviewdog/reviewdog/tree/master/proto/rdf>.

use super::repairs::as_one;
use super::{Report, home, page_of};
use crate::facts::Place;
use crate::findings::{Finding, Severity};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;

pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let document = Document {
        source: Named { name: "gpulint", url: home() },
        diagnostics: report.worst_first().into_iter().map(|finding| diagnostic(finding, report)).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn diagnostic<'a>(finding: &'a Finding, report: &Report<'a>) -> Diagnostic<'a> {
    let related = finding
        .related
        .iter()
        .map(|related| Related { message: &related.message, location: location(related.place, report) });
    Diagnostic {
        message: report.message_with_help(finding),
        location: location(finding.place, report),
        severity: match finding.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Note => "INFO",
        },
        code: Code { value: &finding.rule, url: page_of(&finding.rule) },
        suggestions: suggestion(finding, report).into_iter().collect(),
        related_locations: related.collect(),
    }
}

/// The fix as one text; each further one would be another way to mend the same.
fn suggestion(finding: &Finding, report: &Report) -> Option<Suggestion> {
    let edit = as_one(finding, report)?;
    Some(Suggestion { range: location(edit.place, report).range, text: edit.text })
}

/// Here columns count bytes.
fn location<'a>(place: Place, report: &Report<'a>) -> Location<'a> {
    let found = report.locate(place);
    let bytes_before = |line: u32, column: u32| {
        let text = found.source.line_text(line).trim_start_matches('\u{feff}');
        text.chars().take(column as usize - 1).map(char::len_utf8).sum::<usize>() + 1
    };
    let column = |line, column: fn((u32, u32)) -> u32| {
        found.columns.map(|columns| bytes_before(line, column(columns)))
    };
    let start = Position { line: found.line, column: column(found.line, |columns| columns.0) };
    let end = Position { line: found.end_line, column: column(found.end_line, |columns| columns.1) };
    Location { path: found.path, range: Range { start, end } }
}

#[derive(Serialize)]
struct Document<'a> {
    source: Named,
    diagnostics: Vec<Diagnostic<'a>>,
}

#[derive(Serialize)]
struct Named {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'static str>,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    message: String,
    location: Location<'a>,
    severity: &'static str,
    code: Code<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Related<'a>>,
}

#[derive(Serialize)]
struct Suggestion {
    range: Range,
    text: String,
}

#[derive(Serialize)]
struct Code<'a> {
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: Cow<'a, str>,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}
