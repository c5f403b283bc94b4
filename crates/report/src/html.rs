//! One HTML page that needs nothing else: how many findings there are of each rule and in each folder, each finding with its
//! lines and an address of its own, and filters that run in the page.

mod overview;

use super::excerpt::{Excerpt, glimpse, markable};
use super::printable::{printable, sentence};
use super::{Report, ShownOn, badness, page_of, summary, word};
use crate::facts::{Place, Span};
use crate::findings::{Finding, Related, Safety, Status};
use crate::sources::Source;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::io::Write;

/// More than this no browser shows well.
const MOST_FINDINGS: usize = 10_000;
/// Of a longer chain the rest is counted.
const MOST_LISTED: usize = 100;
/// Of findings that say the same, so many are read; the others are folded.
const MOST_UNFOLDED: usize = 3;

/// Colours and shapes of every page, light and dark.
const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Whatever stands in the code that was checked, a page loads nothing.
pub const LOADS_NOTHING: PreEscaped<&str> = PreEscaped(
    "<meta http-equiv=\"Content-Security-Policy\" \
     content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">",
);

/// Returns what was left out.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<Option<String>> {
    let recorded = report.recorded().into_iter();
    let anchored =
        recorded.map(|(finding, fingerprint)| Shown { finding, anchor: format!("f-{fingerprint}") });
    let mut findings: Vec<Shown> = anchored.collect();
    findings.sort_by_key(|shown| badness(shown.finding));
    let left_out = findings.len().saturating_sub(MOST_FINDINGS);
    let left_out = (left_out > 0).then(|| {
        let all = findings.len();
        format!("{left_out} of {all} findings are left out, none worse than those that are shown: more make a page that is too long")
    });
    findings.truncate(MOST_FINDINGS);
    let title = format!("gpulint: {}", summary::found(report));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, LOADS_NOTHING, ""))
            body {
                h1 { (title) }
                p { (prose(&summary::summary_line(report))) }
                @if let Some(text) = &left_out { p.left-out { (text) "." } }
                @if !findings.is_empty() { (filters_of(&findings)) }
                (overview::of(&findings, report))
                main { @for alike in groups_of(&findings) { (group(&alike, report)) } }
                (skipped_of(report))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    writeln!(out, "{}", page.into_string())?;
    Ok(left_out)
}

/// The head of a page: what it may load and run, and the style of all pages with its own behind it.
pub fn head(title: &str, allowed: PreEscaped<&str>, own_style: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            (allowed)
            title { (title) }
            style { (PreEscaped(STYLE)) (PreEscaped(own_style)) }
        }
    }
}

/// A finding and its address in the page.
pub(super) struct Shown<'a> {
    finding: &'a Finding,
    anchor: String,
}

/// Findings that say the same of different places, where the first of them stands.
fn groups_of<'s, 'a>(findings: &'s [Shown<'a>]) -> Vec<Vec<&'s Shown<'a>>> {
    let mut groups: Vec<Vec<&Shown>> = Vec::new();
    let mut known: FxHashMap<(&str, &str, &str), usize> = FxHashMap::default();
    for shown in findings {
        let Finding { rule, message, .. } = shown.finding;
        let at = *known.entry((kind_of(shown.finding), rule, message)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(shown),
            None => groups.push(vec![shown]),
        }
    }
    groups
}

/// The first of them, and the others folded.
fn group(alike: &[&Shown<'_>], report: &Report) -> Markup {
    let unfolded = if alike.len() > MOST_UNFOLDED + 1 { MOST_UNFOLDED } else { alike.len() };
    let (open, folded) = alike.split_at(unfolded);
    html! {
        @for shown in open { (article_of(shown, report)) }
        @if let Some(first) = folded.first() {
            details hidden[is_quiet(kind_of(first.finding))] {
                summary { (folded.len()) " more: " (prose(&first.finding.message)) }
                @for shown in folded { (article_of(shown, report)) }
            }
        }
    }
}

fn filters_of(findings: &[Shown<'_>]) -> Markup {
    let rules: BTreeSet<&str> = findings.iter().map(|shown| shown.finding.rule.as_str()).collect();
    let kinds: BTreeSet<&str> = findings.iter().map(|shown| kind_of(shown.finding)).collect();
    let kinds = ["error", "warning", "note", "suppressed", "baselined"]
        .into_iter()
        .filter(|kind| kinds.contains(kind));
    html! {
        // The script shows them: without it they would do nothing.
        form #filters hidden {
            @for kind in kinds {
                label { input type="checkbox" name="kind" value=(kind) checked[!is_quiet(kind)]; " " (kind) }
            }
            label {
                "rule "
                select name="rule" {
                    option value="" { "all" }
                    @for rule in rules { option { (printable(rule)) } }
                }
            }
            label { "text " input type="search" name="text"; }
            output name="count" {}
        }
    }
}

/// What a finding is filtered by.
fn kind_of(finding: &Finding) -> &'static str {
    match finding.status {
        Status::Active => word(finding.severity),
        Status::Suppressed => "suppressed",
        Status::Baselined => "baselined",
        Status::Unchanged => "unchanged",
        Status::Old => "old",
    }
}

/// Whether findings of a kind are not shown until somebody asks for them.
fn is_quiet(kind: &str) -> bool {
    matches!(kind, "suppressed" | "baselined" | "unchanged" | "old")
}

fn article_of(shown: &Shown<'_>, report: &Report) -> Markup {
    let Shown { finding, anchor } = shown;
    let kind = kind_of(finding);
    let rule = printable(&finding.rule);
    html! {
        article class=(kind) data-kind=(kind) data-rule=(rule) id=(anchor) hidden[is_quiet(kind)] {
            h2 {
                span.kind { (kind) } " " (prose(&finding.message))
            }
            p.place {
                a.here href=(format!("#{anchor}")) { (printable(&report.locate(finding.place).label())) } " "
                @match page_of(&finding.rule) {
                    Some(page) => a href=(page) rel="noreferrer" { (rule) },
                    None => span { (rule) },
                }
            }
            (lines_of(finding.place, report))
            @if !finding.related.is_empty() { (related_of(&finding.related, report)) }
            @if let Some(advice) = &finding.advice { p { b { "help: " } (prose(advice)) } }
            @if let Some(fix) = &finding.fix {
                p {
                    b { "fix: " } (prose(&fix.title)) " ("
                    code { (if fix.safety == Safety::Safe { "--fix" } else { "--fix --unsafe-fixes" }) } ")"
                }
            }
            @if let Some(reason) = &finding.unfixed { p.unfixed { "no fix: " (prose(reason)) } }
        }
    }
}

/// The lines of a place as the text format shows them, with the place marked.
fn lines_of(place: Place, report: &Report) -> Markup {
    lines_at(report.sources.file(place.file), place.span)
}

/// The same for a place in a file.
pub fn lines_at(source: &Source, span: Span) -> Markup {
    let position = source.position(span);
    let Some(span) = markable(source, span) else {
        return html! { pre { (glimpse(source, span, ShownOn::Paper)) } };
    };
    let excerpt = Excerpt::of(source, &[span], ShownOn::Paper);
    let (text, marked) = (excerpt.text.as_str(), excerpt.range_of(span));
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let end = start + line.len();
        let (from, to) = (marked.start.clamp(start, end) - start, marked.end.clamp(start, end) - start);
        start = end;
        (&line[..from], &line[from..to], &line[to..])
    });
    html! {
        pre {
            @for ((before, marked, after), number) in lines.zip(position.line..) {
                span.number { (number) } " " (before)
                @if !marked.is_empty() { mark { (marked) } }
                (after)
            }
        }
    }
}

fn related_of(related: &[Related], report: &Report) -> Markup {
    html! {
        ul {
            @for related in related.iter().take(MOST_LISTED) {
                li { span.place { (printable(&report.locate(related.place).label())) } ": " (prose(&related.message)) }
            }
            @if let more @ 1.. = related.len().saturating_sub(MOST_LISTED) { li { "and " (more) " more" } }
        }
    }
}

fn skipped_of(report: &Report) -> Markup {
    html! {
        @if !report.skipped.is_empty() {
            h2 { "Files that could not be checked" }
            ul {
                @for skipped in report.skipped {
                    li { span.place { (printable(&skipped.path)) } ": " (printable(&skipped.reason)) }
                }
            }
        }
        @if let Some(line) = summary::unfinished_line(report) { p { (prose(&line)) } }
    }
}

/// Text on one line, with code where it has backticks.
pub fn prose(text: &str) -> Markup {
    let text = sentence(text);
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without a partner stands for itself.
    let unpaired = if parts.len().is_multiple_of(2) { parts.len() - 1 } else { parts.len() };
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at == unpaired { "`" (part) }
            @else if at % 2 == 1 { code { (part) } }
            @else { (part) }
        }
    }
}
