//! One module on the page: what stands in which of its lines, what the programs that start with it do, who imports it.

use super::{Page, line_address};
use crate::facts::Place;
use crate::map::{Fault, PlaceText, ProgramLine};
use crate::report::html::{lines_at, prose};
use crate::report::{page_of, printable, word};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Of a module that many import, so many are named.
const MOST_IMPORTERS: usize = 100;

/// A line of a module, with all that is said of it.
pub struct Line<'a> {
    pub spot: PlaceText,
    place: Place,
    texts: Vec<String>,
    faults: Vec<&'a Fault>,
}

/// The lines of a module that something is said of, in their order.
pub fn lines_in<'a>(page: &Page<'a>, at: usize) -> Vec<Line<'a>> {
    let module = &page.map.modules[at];
    let mut lines = Lines(BTreeMap::new());
    for touched in &module.touchpoints {
        lines.say(&touched.spot, touched.place, touched.text.clone());
    }
    for edge in page.edges_from.get(module.path.as_str()).into_iter().flatten() {
        if page.map.module(&edge.to).is_some() {
            lines.say(&edge.from, edge.place, format!("imports {} ({})", edge.to, edge.kind.word()));
        }
    }
    for fault in &module.findings {
        lines.at(&fault.spot, fault.place).faults.push(fault);
    }
    lines.0.into_values().collect()
}

struct Lines<'a>(BTreeMap<PlaceText, Line<'a>>);

impl<'a> Lines<'a> {
    fn at(&mut self, spot: &PlaceText, place: Place) -> &mut Line<'a> {
        let new = || Line { spot: spot.clone(), place, texts: Vec::new(), faults: Vec::new() };
        self.0.entry(spot.clone()).or_insert_with(new)
    }

    fn say(&mut self, spot: &PlaceText, place: Place, text: String) {
        let line = self.at(spot, place);
        if !line.texts.contains(&text) {
            line.texts.push(text);
        }
    }
}

pub fn article(page: &Page<'_>, number: usize) -> Markup {
    let at = page.order[number];
    let module = &page.map.modules[at];
    let worst = module.danger().map(word).unwrap_or_default();
    let set = |of: fn(&Fault) -> &str| {
        let words: BTreeSet<&str> = module.findings.iter().map(of).collect();
        words.into_iter().collect::<Vec<_>>().join(" ")
    };
    let programs = page.programs.get(module.path.as_str()).map_or(&[][..], Vec::as_slice);
    let importers = page.edges_to.get(module.path.as_str()).map_or(&[][..], Vec::as_slice);
    html! {
        article #{ "m" (at) } class=(worst) data-part=(module.part.word()) data-rules=(set(|fault| &fault.rule))
            data-families=(set(|fault| &fault.family)) data-severities=(set(|fault| word(fault.severity))) {
            h3 {
                a.here href=(format!("#m{at}")) { (printable(&module.path)) } " "
                span.part.(module.part.word().to_lowercase()) { (module.part.word()) }
            }
            @if let Some(start) = &module.start { p { (start) } }
            @if module.loads_gpu_library { p { "Its import loads a GPU library." } }
            @for line in lines_in(page, at) { (of_line(page, at, &line)) }
            @if !importers.is_empty() {
                p {
                    b { "imported by " }
                    @for edge in importers.iter().take(MOST_IMPORTERS) { (page.place(&edge.from)) " (" (edge.kind.word()) ") " }
                    @if let more @ 1.. = importers.len().saturating_sub(MOST_IMPORTERS) { "and " (more) " more" }
                }
            }
            @for line in programs { (trace(page, line)) }
        }
    }
}

fn of_line(page: &Page<'_>, at: usize, line: &Line<'_>) -> Markup {
    html! {
        div.at id=(line_address(at, &line.spot)) {
            @for text in &line.texts { p { (prose(text)) } }
            @for fault in &line.faults {
                p class=(word(fault.severity)) {
                    span.kind { (word(fault.severity)) } " " (prose(&fault.message)) " "
                    @match page_of(&fault.rule) {
                        Some(address) => a href=(address) rel="noreferrer" { (printable(&fault.rule)) },
                        None => span { (printable(&fault.rule)) },
                    }
                }
            }
            (lines_at(page.sources.file(line.place.file), line.place.span))
        }
    }
}

/// What a program does, in order.
fn trace(page: &Page<'_>, line: &ProgramLine) -> Markup {
    html! {
        @if !line.steps.is_empty() {
            details {
                summary { (prose(&line.name())) ": what it does, in order" }
                ol.trace {
                    @for step in &line.steps {
                        li style=(format!("margin-left: {}rem", step.depth.min(8))) {
                            (page.place(&step.deed.spot)) " " (prose(&step.deed.text))
                            @if !step.certain { " (on some paths)" }
                        }
                    }
                }
                @if line.more_steps > 0 { p { "and " (line.more_steps) " more: `gpulint trace` tells all" } }
            }
        }
    }
}
