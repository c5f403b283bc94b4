//! The correction report: what was wrong in each file, what was changed, what proves that nothing else was, and what is left
//! for people.

mod document;
mod page;

pub use document::render as render_json;
pub use page::render;

use super::Report;
use super::printable::visible;
use super::secrets::concealed;
use crate::corrections::{Correction, FixedFinding};
use crate::facts::FileId;
use crate::findings::{Finding, Safety, Severity};
use crate::sources::Language;
use serde::Serialize;

/// A file that was corrected, or would be.
#[derive(Serialize)]
pub struct Entry<'a> {
    pub path: &'a str,
    pub mended: &'a [FixedFinding],
    /// For people: secrets are stars in it.
    pub diff: String,
}

/// A finding that stays, and why.
#[derive(Serialize)]
pub struct Left<'a> {
    pub rule: &'a str,
    pub severity: Severity,
    pub message: &'a str,
    pub path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
    pub line: u32,
    pub column: u32,
    /// In one clause.
    pub why: String,
}

/// What is known of a file after its correction. Nothing is listed that was not looked at.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Each fix alone and those of a pass together leave a file that parses.
    Parses,
    /// Tokens and nodes of the syntax tree that no change touches are there, in their order and nesting.
    SyntaxKept,
    /// No comment is gone, unless a change is about it alone.
    CommentsKept,
    /// What could be read of the file can still be read.
    Readable,
    /// The findings are gone from a check of the whole project, and nothing as serious came for them.
    FindingsGone,
}

/// The files that were corrected.
pub fn entries<'a>(report: &Report<'a>) -> Vec<Entry<'a>> {
    let files = report.corrections.into_iter().flat_map(|corrections| &corrections.files);
    files
        .map(|file| Entry { path: &file.name, mended: &file.mended, diff: shown_diff(file, report) })
        .collect()
}

/// The findings that stay.
fn left<'a>(report: &Report<'a>) -> Vec<Left<'a>> {
    report.shown().map(|finding| left_of(finding, report)).collect()
}

fn left_of<'a>(finding: &'a Finding, report: &Report<'a>) -> Left<'a> {
    let position = report.sources.position(finding.place);
    Left {
        rule: &finding.rule,
        severity: finding.severity,
        message: &finding.message,
        path: &report.sources.file(finding.place.file).name,
        cell: position.cell,
        line: position.line,
        column: position.column,
        why: why(finding, report),
    }
}

/// Why a finding stays, or how it can be mended.
fn why(finding: &Finding, report: &Report) -> String {
    if let Some(reason) = &finding.unfixed {
        return reason.clone();
    }
    match &finding.fix {
        Some(fix) if fix.safety == Safety::Safe => format!("`--fix` mends it: {}", fix.title),
        Some(fix) => {
            format!("`--fix --unsafe-fixes` mends it, and may change what the program does: {}", fix.title)
        }
        None => match report.rules.find(&finding.rule).and_then(|rule| rule.fix.as_ref()) {
            Some(_) => "there is no fix for it here".to_owned(),
            _ => "this rule has no fix".to_owned(),
        },
    }
}

/// What was looked at before the file was changed.
fn proofs(file: FileId, report: &Report) -> &'static [Proof] {
    use Proof::{CommentsKept, FindingsGone, Parses, Readable, SyntaxKept};
    match report.sources.file(file).language {
        Language::Python | Language::Notebook => &[Parses, SyntaxKept, CommentsKept, Readable, FindingsGone],
        _ => &[Readable, FindingsGone],
    }
}

/// The diff of a file as reports show it: without what is nobody's business, and without what steers a terminal.
fn shown_diff(correction: &Correction, report: &Report) -> String {
    /// Nobody reads the rest of a longer line.
    const MOST_LETTERS: usize = 1000;
    let source = report.sources.file(correction.file);
    let line = |line: &str| {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let (mark, text) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        let text = concealed(source, text);
        let letters = text.chars().map(|c| if c == '\t' { c } else { visible(c) });
        let mut shown: String = letters.clone().take(MOST_LETTERS).collect();
        if letters.count() > MOST_LETTERS {
            shown.push('…');
        }
        format!("{mark}{shown}\n")
    };
    correction.diff().split_inclusive('\n').map(line).collect()
}
