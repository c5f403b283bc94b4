//! For people: each finding with the lines it speaks about, the places that explain it, and advice.

use super::change;
use super::excerpt::{Excerpt, glimpse, markable};
use super::printable::{printable, sentence};
use super::{Report, ShownOn, page_of, summary};
use crate::facts::{Place, Span};
use crate::findings::{Edit, Finding, Related, Safety, Severity};
use crate::sources::Sources;
use annotate_snippets::{Annotation, AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use std::io::Write;

/// Up to here explaining places are shown with their source; a longer chain becomes a list.
const SHOWN_RELATED: usize = 4;
/// Up to here the list is whole; of a longer one the ends are shown.
const LISTED_RELATED: usize = 12;
/// Places of one file that are closer than this are shown in one piece.
const NEARBY_LINES: u32 = 20;

pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let renderer = if report.colour { Renderer::styled() } else { Renderer::plain() };
    let mut changes: Vec<&[Edit]> = Vec::new();
    for finding in report.shown() {
        let edits = finding.fix.as_ref().map(|fix| fix.edits.as_slice());
        // What one fix mends may be found by several rules.
        let is_told = edits.is_some_and(|edits| changes.contains(&edits));
        writeln!(out, "{}", picture_of(finding, report, &renderer, is_told))?;
        if let Some(lines) = change::lines_of(finding, report, gutter(finding, report)).filter(|_| !is_told) {
            writeln!(out, "{lines}")?;
            changes.extend(edits);
        }
        writeln!(out)?;
    }
    if let Some(step) = next_step(report).filter(|_| !report.is_quiet) {
        writeln!(out, "{step}")?;
    }
    summary::write(report, out)
}

/// How a reader at a terminal gets from a finding to what explains it.
fn next_step(report: &Report) -> Option<String> {
    let first = report.shown().next().filter(|_| report.shown_on != ShownOn::Paper)?;
    let position = report.sources.position(first.place);
    let path = printable(&report.sources.file(first.place.file).name);
    let rule = match has_link(report, &first.rule) {
        true => String::new(),
        false => format!("`gpulint rule {}` explains the rule, ", printable(&first.rule)),
    };
    Some(format!("{rule}`gpulint why {path}:{}` this finding.", position.line))
}

fn has_link(report: &Report, rule: &str) -> bool {
    matches!(report.shown_on, ShownOn::Screen { links: true }) && page_of(rule).is_some()
}

/// How wide the numbers of lines are in the picture of a finding.
fn gutter(finding: &Finding, report: &Report) -> usize {
    let places = [finding.place].into_iter().chain(finding.related.iter().map(|related| related.place));
    let last = places.map(|place| report.sources.position(place).end_line).max().unwrap_or_default();
    last.to_string().len()
}

fn picture_of<'a>(finding: &'a Finding, report: &Report<'a>, renderer: &Renderer, is_told: bool) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut title = level.primary_title(sentence(&finding.message)).id(printable(&finding.rule));
    if let Some(address) = page_of(&finding.rule).filter(|_| has_link(report, &finding.rule)) {
        title = title.id_url(address);
    }
    let mut elements = places_of(finding, report.sources, report.shown_on);
    if let Some(cause) = report.cause_elsewhere(finding) {
        elements.push(Level::NOTE.message(printable(&report.brought_by(cause)).into_owned()).into());
    }
    if let Some(advice) = &finding.advice {
        elements.push(Level::HELP.message(sentence(advice)).into());
    }
    if let Some(fix) = &finding.fix {
        let flag = match fix.safety {
            Safety::Safe => "--fix",
            Safety::Unsafe => "--fix --unsafe-fixes",
        };
        let told = if is_told { ", by the change that is shown above" } else { "" };
        let text = format!("{} (`{flag}`){told}", sentence(&fix.title));
        elements.push(Level::HELP.with_name("fix").message(text).into());
    }
    renderer.render(&[title.elements(elements)])
}

/// The place of the finding and those that explain it, in the order in which they are read.
fn places_of<'a>(finding: &'a Finding, sources: &'a Sources, on: ShownOn) -> Vec<Element<'a>> {
    let (mut near, mut far): (Vec<&Related>, Vec<&Related>) = (vec![], vec![]);
    let many = finding.related.len() > SHOWN_RELATED;
    let primary = sources.position(finding.place);
    let primary_is_shown = markable(sources.file(finding.place.file), finding.place.span).is_some();
    for related in &finding.related {
        let position = sources.position(related.place);
        let distance = position.line.abs_diff(primary.line);
        let same_file = related.place.file == finding.place.file && position.cell == primary.cell;
        let is_near = primary_is_shown && same_file && distance <= NEARBY_LINES;
        let is_shown = markable(sources.file(related.place.file), related.place.span).is_some();
        if is_near && is_shown && !many { near.push(related) } else { far.push(related) }
    }
    let mut elements = snippet_of(finding.place, &near, AnnotationKind::Primary, "", (sources, on));
    if many {
        elements.push(Level::NOTE.message(list_of(&far, sources)).into());
    } else {
        let snippets = |related: &&'a Related| {
            snippet_of(related.place, &[], AnnotationKind::Context, &related.message, (sources, on))
        };
        elements.extend(far.iter().flat_map(snippets));
    }
    elements
}

/// The lines of one place, with the nearby places that explain it. Of a line that is
/// too long to show only a piece is quoted.
fn snippet_of<'a>(
    place: Place,
    near: &[&'a Related],
    kind: AnnotationKind,
    label: &'a str,
    (sources, on): (&'a Sources, ShownOn),
) -> Vec<Element<'a>> {
    let source = sources.file(place.file);
    let position = source.position(place.span);
    let name = printable(&source.name_with_cell(position.cell)).into_owned();
    let Some(span) = markable(source, place.span) else {
        let origin = Origin::path(name).line(position.line as usize);
        let label = if label.is_empty() { String::new() } else { format!("{}: ", sentence(label)) };
        let text = format!("{label}{} (line {} is long)", glimpse(source, place.span, on), position.line);
        return vec![origin.char_column(position.column as usize).into(), Level::NOTE.message(text).into()];
    };
    let mut marks: Vec<(Span, AnnotationKind, &str)> = vec![(span, kind, label)];
    for related in near {
        let span = markable(source, related.place.span).unwrap_or(span);
        marks.push((span, AnnotationKind::Context, &related.message));
    }
    let excerpt = Excerpt::of(source, &marks.iter().map(|(span, ..)| *span).collect::<Vec<_>>(), on);
    let annotations: Vec<Annotation> = marks
        .iter()
        .map(|(span, kind, label)| kind.span(excerpt.range_of(*span)).label(sentence(label)))
        .collect();
    let snippet = Snippet::source(excerpt.text).line_start(excerpt.first_line).path(name);
    vec![snippet.annotations(annotations).into()]
}

fn list_of(related: &[&Related], sources: &Sources) -> String {
    let line = |related: &&Related| {
        let position = sources.position(related.place);
        let name = sources.file(related.place.file).name_with_cell(position.cell);
        format!("{}:{}:{}: {}", printable(&name), position.line, position.column, sentence(&related.message))
    };
    let mut lines: Vec<String> = related.iter().map(line).collect();
    let mut text = format!("{} places explain this, in order:", lines.len());
    if lines.len() > LISTED_RELATED {
        let cut = lines.len() - LISTED_RELATED;
        let half = LISTED_RELATED / 2;
        lines.splice(half..half + cut, [format!("… {cut} more, see them with --format json")]);
    }
    for line in lines {
        text.push('\n');
        text.push_str(&line);
    }
    text
}
