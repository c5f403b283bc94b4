//! Few words for programs that write code: each finding on a line, below it the reason, what to do, and the fix as a patch.
//!
//! The whole is a patch too: `git apply` and `patch -p1` pass over what stands between the diffs.

use super::commands::{Form, harmless};
use super::printable::{printable, sentence};
use super::secrets::concealed;
use super::{Report, summary, word};
use crate::corrections::patch;
use crate::findings::{Edit, Finding, Safety};
use crate::sources::Source;
use std::collections::BTreeSet;
use std::io::Write;

/// Places that explain a finding; of a longer chain the first ones and the last.
const MOST_PLACES: usize = 3;

/// More lines than this are looked at with `--diff`.
const MOST_LINES: usize = 80;

pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let mut explained = BTreeSet::new();
    let mut patched = BTreeSet::new();
    for finding in report.shown() {
        let (severity, rule) = (word(finding.severity), printable(&finding.rule));
        writeln!(out, "{} {severity} {rule}: {}", place(finding, report), sentence(&finding.message))?;
        if explained.insert(finding.rule.as_str())
            && let Some(rule) = report.rules.find(&finding.rule)
        {
            writeln!(out, "  why: {}", first_sentence(&sentence(&rule.why)))?;
        }
        for line in places(finding, report) {
            writeln!(out, "  {line}")?;
        }
        if let Some(cause) = report.cause_elsewhere(finding) {
            writeln!(out, "  {}", printable(&report.brought_by(cause)))?;
        }
        if let Some(advice) = &finding.advice {
            writeln!(out, "  do: {}", sentence(advice))?;
        }
        let Some(fix) = &finding.fix else { continue };
        let safety = match fix.safety {
            Safety::Safe => "safe",
            Safety::Unsafe => "unsafe",
        };
        let title = sentence(&fix.title);
        match patch_of(&fix.edits, report) {
            Some(patch) if patched.contains(&patch) => writeln!(out, "  fix ({safety}): {title}, as above")?,
            Some(patch) => {
                write!(out, "  fix ({safety}): {title}\n{patch}")?;
                patched.insert(patch);
            }
            None => writeln!(out, "  fix ({safety}): {title}, by `gpulint check --fix{}`", flag(fix.safety))?,
        }
    }
    summary::write(report, out)
}

fn flag(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "",
        Safety::Unsafe => " --unsafe-fixes",
    }
}

fn place(finding: &Finding, report: &Report) -> String {
    let position = report.sources.position(finding.place);
    let name = report.sources.file(finding.place.file).name_with_cell(position.cell);
    format!("{}:{}:{}", printable(&name), position.line, position.column)
}

/// Where what explains the finding happens.
fn places(finding: &Finding, report: &Report) -> Vec<String> {
    let told = finding.related.iter().map(|related| {
        let position = report.sources.position(related.place);
        let name = report.sources.file(related.place.file).name_with_cell(position.cell);
        format!("at {}:{}: {}", printable(&name), position.line, sentence(&related.message))
    });
    let mut told: Vec<String> = told.collect();
    if let Some(last) = told.pop_if(|_| finding.related.len() > MOST_PLACES) {
        let left_out = told.len() - (MOST_PLACES - 1);
        told.truncate(MOST_PLACES - 1);
        told.push(format!("at {left_out} more places"));
        told.push(last);
    }
    told
}

/// What a rule's text begins with. An abbreviation in the middle of a sentence is followed by a small letter.
fn first_sentence(text: &str) -> &str {
    let ends = text.match_indices(". ").map(|(at, _)| at + 1);
    let is_end = |end: &usize| text[*end..].trim_start().starts_with(|c: char| c.is_uppercase() || c == '`');
    ends.into_iter().find(is_end).map_or(text, |end| &text[..end])
}

/// The diffs of the files that a fix changes. `None` where they cannot be shown: in a notebook, where a line holds what is nobody's
/// business or what a service would take for a command, and where there are too many.
fn patch_of(edits: &[Edit], report: &Report) -> Option<String> {
    let mut text = String::new();
    for edits in edits.chunk_by(|one, other| one.place.file == other.place.file) {
        let source = report.sources.file(edits[0].place.file);
        if source.cells.is_some() {
            return None;
        }
        text.push_str(&patch(&source.name, &source.text, &with_edits(source, edits)?));
        let is_shown = |line: &str| concealed(source, line) == line;
        if !text.lines().all(is_shown) || text.lines().count() > MOST_LINES {
            return None;
        }
    }
    let is_as_written = harmless(&text, Form::Plain) == text
        && text.lines().all(|line| printable(&line.replace('\t', " ")) == line.replace('\t', " "));
    (is_as_written && !text.is_empty()).then_some(text)
}

fn with_edits(source: &Source, edits: &[Edit]) -> Option<String> {
    let (mut text, mut at) = (String::new(), 0);
    for edit in edits {
        text.push_str(source.text.get(at..edit.place.span.start as usize)?);
        text.push_str(&edit.text);
        at = edit.place.span.end as usize;
    }
    text.push_str(source.text.get(at..)?);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn a_sentence_ends_where_the_next_begins() {
        assert_eq!(first_sentence("One. Two."), "One.");
        assert_eq!(first_sentence("See e.g. this one. `torch` is next."), "See e.g. this one.");
        assert_eq!(first_sentence("torch 2.4 has it"), "torch 2.4 has it");
    }
}
