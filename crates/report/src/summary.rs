//! The last words of a run: what was checked, what was found, what is hidden and what to do next.

use super::printable::printable;
use super::{Counts, Report, ShownOn, word};
use crate::findings::{Safety, Severity, Status};
use std::io::Write;

/// One line for each file that could not be checked, and the summary.
pub fn write(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    if report.is_quiet {
        return Ok(());
    }
    for skipped in report.skipped {
        writeln!(out, "skipped {}: {}", printable(&skipped.path), printable(&skipped.reason))?;
    }
    if let Some(line) = unfinished_line(report) {
        writeln!(out, "{line}")?;
    }
    let line = summary_line(report);
    match report.shown_on {
        ShownOn::Screen { .. } => writeln!(out, "{}", folded(&line)),
        ShownOn::Paper => writeln!(out, "{line}"),
    }
}

/// A longer line is broken by terminals in the middle of a word.
const WIDEST: usize = 100;

/// The sentences of a line that is too long, as many in each line as have room there.
fn folded(line: &str) -> String {
    if line.chars().count() <= WIDEST {
        return line.to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    for sentence in sentences(line) {
        append(&mut lines, sentence);
        // What has no room even alone is broken between words.
        let is_long = |line: &String| line.chars().count() > WIDEST;
        while let Some(long) = lines.pop_if(|line| is_long(line)) {
            let Some(at) = last_gap(&long) else {
                lines.push(long);
                break;
            };
            lines.push(long[..at].to_owned());
            lines.push(long[at + 1..].to_owned());
        }
    }
    lines.join("\n")
}

fn append(lines: &mut Vec<String>, sentence: &str) {
    match lines.last_mut() {
        Some(last) if last.chars().count() + 1 + sentence.chars().count() <= WIDEST => {
            last.push(' ');
            last.push_str(sentence);
        }
        _ => lines.push(sentence.to_owned()),
    }
}

/// The sentences of a line; a point inside of a word or of code ends none.
fn sentences(line: &str) -> Vec<&str> {
    let ends = line.match_indices(". ").map(|(at, _)| at + 1);
    let ends = ends.filter(|&end| line[..end].matches('`').count().is_multiple_of(2));
    let mut sentences = Vec::new();
    let mut start = 0;
    for end in ends {
        sentences.push(&line[start..end]);
        start = end + 1;
    }
    sentences.push(&line[start..]);
    sentences
}

/// The last blank before the widest column that stands in no code.
fn last_gap(line: &str) -> Option<usize> {
    let end = line.char_indices().nth(WIDEST).map_or(line.len(), |(at, _)| at + 1);
    let gaps = line.match_indices(' ').map(|(at, _)| at).take_while(|&at| at < end);
    gaps.filter(|&at| line[..at].matches('`').count().is_multiple_of(2)).last()
}

/// One line about the programs that were not followed to their end; `None` when all were.
pub fn unfinished_line(report: &Report) -> Option<String> {
    /// More names than this help nobody; JSON has them all.
    const MOST: usize = 3;
    let (named, others) = report.unfinished.split_at(report.unfinished.len().min(MOST));
    let mut names = named.iter().map(|name| printable(name).into_owned()).collect::<Vec<_>>().join(", ");
    if !others.is_empty() {
        names.push_str(&format!(" and {} more", others.len()));
    }
    let program = match report.unfinished.len() {
        0 => return None,
        1 => "the program was",
        _ => "the programs were",
    };
    Some(format!(
        "too large {names}: {program} not followed to the end, so findings may be missing; check such files one by one, \
         and see with `gpulint trace FILE` how far each is followed"
    ))
}

/// The summary as one line without a line feed.
pub fn summary_line(report: &Report) -> String {
    let counts = report.counts();
    let mut line = checked(report);
    if !report.skipped.is_empty() {
        line.push_str(&format!(", skipped {}", report.skipped.len()));
    }
    line.push_str(&format!(": {}", found(report)));
    let aside = aside(report, &counts);
    if !aside.is_empty() {
        line.push_str(&format!(" ({})", aside.join("; ")));
    }
    line.push('.');
    if let Some(fixes) = fixes(report) {
        line.push_str(&fixes);
    }
    if !report.has_policy {
        line.push_str(" No policy says which GPU is right: `gpulint init` writes one.");
    }
    line
}

/// "Checked 12 files".
pub fn checked(report: &Report) -> String {
    format!("Checked {}", counted(report.checked, "file"))
}

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

fn of_severity(counts: &Counts, severity: Severity) -> usize {
    match severity {
        Severity::Error => counts.error,
        Severity::Warning => counts.warning,
        Severity::Note => counts.note,
    }
}

/// "1 error, 2 warnings", or the kinds of which there are none.
pub fn found(report: &Report) -> String {
    let counts = &report.counts();
    let shown = SEVERITIES.into_iter().filter(|severity| *severity >= report.min_severity);
    let hidden = SEVERITIES.into_iter().filter(|severity| *severity < report.min_severity);
    let new = if report.fixed.is_some() { "new " } else { "" };
    let found: Vec<String> = shown
        .filter(|severity| of_severity(counts, *severity) > 0)
        .map(|severity| counted(of_severity(counts, severity), &format!("{new}{}", word(severity))))
        .collect();
    if !found.is_empty() {
        return found.join(", ");
    }
    // "No findings" beside hidden ones would be untrue.
    let something_is_hidden = hidden.map(|severity| of_severity(counts, severity)).sum::<usize>() > 0;
    let none = match report.min_severity {
        Severity::Error if something_is_hidden => "errors",
        Severity::Warning if something_is_hidden => "errors or warnings",
        _ => "findings",
    };
    format!("no {new}{none}")
}

/// What was found and not shown, and how to see it.
fn aside(report: &Report, counts: &Counts) -> Vec<String> {
    let mut aside = vec![];
    let hidden = SEVERITIES
        .into_iter()
        .filter(|severity| *severity < report.min_severity && of_severity(counts, *severity) > 0);
    let hidden: Vec<Severity> = hidden.collect();
    if let Some(lowest) = hidden.iter().min() {
        let new = if report.fixed.is_some() { "new " } else { "" };
        let kinds = hidden
            .iter()
            .map(|severity| counted(of_severity(counts, *severity), &format!("{new}{}", word(*severity))));
        let kinds = kinds.collect::<Vec<_>>().join(" and ");
        let total: usize = hidden.iter().map(|severity| of_severity(counts, *severity)).sum();
        let them = if total == 1 { "it" } else { "them" };
        // Otherwise a run fails and shows nothing that would explain it.
        let failing = hidden.iter().any(|severity| *severity >= report.fail_on);
        let but = if failing { ", which fail the run" } else { "" };
        let but = if failing && total == 1 { ", which fails the run" } else { but };
        aside.push(format!("{kinds} hidden{but}, see {them} with --min-severity {}", word(*lowest)));
    }
    if let Some(corrections) = report.corrections.filter(|done| done.mended > 0) {
        let would = if corrections.is_dry { "would be " } else { "" };
        aside.insert(0, format!("{} {would}fixed", corrections.mended));
    }
    if counts.suppressed > 0 {
        aside.push(format!("{} suppressed", counts.suppressed));
    }
    if counts.baselined > 0 {
        aside.push(format!("{} in the baseline", counts.baselined));
    }
    let least = report.min_severity.min(report.fail_on);
    let old =
        report.findings.iter().filter(|finding| finding.status == Status::Old && finding.severity >= least);
    match old.count() {
        0 => {}
        old => aside.push(format!("{old} known before")),
    }
    if counts.fixed > 0 {
        aside.push(format!("{} gone since", counts.fixed));
    }
    if counts.unchanged > 0 {
        aside.push(format!("{} on unchanged lines hidden", counted(counts.unchanged, "finding")));
    }
    aside
}

/// How many findings `--fix` would settle; `None` when none.
fn fixes(report: &Report) -> Option<String> {
    let offers: Vec<Safety> = report.fixable().map(|fix| fix.safety).collect();
    let safe = offers.iter().filter(|safety| **safety == Safety::Safe).count();
    match (safe, offers.len() - safe) {
        (0, 0) => None,
        (safe, 0) => Some(format!(" {safe} can be fixed with `--fix`.")),
        (0, risky) => Some(format!(" {risky} can be fixed with `--fix --unsafe-fixes`.")),
        (safe, risky) => {
            Some(format!(" {safe} can be fixed with `--fix`, {risky} more with `--fix --unsafe-fixes`."))
        }
    }
}

pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
