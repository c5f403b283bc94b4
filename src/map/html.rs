//! The map as one HTML page that needs nothing else: a picture, the programs, and each module with its source, findings and
//! imports. Filters, sorting and search run in the page; without them all of it is there to be read.

mod lists;
mod modules;
mod picture;

use super::{Edge, Kind, Map, PlaceText, ProgramLine};
use crate::report::html::{LOADS_NOTHING, head, prose};
use crate::report::printable;
use crate::sources::Sources;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::io::{self, Write};

const OWN_STYLE: &str = include_str!("html/map.css");
const SCRIPT: &str = include_str!("html/map.js");
/// More modules no browser shows well.
const MOST_MODULES: usize = 2_000;

/// # Errors
/// Only those of `out`.
pub fn write(map: &Map, sources: &Sources, programs_first: bool, out: &mut dyn Write) -> io::Result<()> {
    let page = Page::of(map, sources);
    let title = "gpulint: GPU map";
    let programs = lists::programs(&page);
    let whole = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, LOADS_NOTHING, OWN_STYLE))
            body.map {
                h1 { (title) }
                p { (prose(&map.headline())) }
                @if page.left_out > 0 {
                    p.left-out { (page.left_out) " modules are left out, none with worse findings: more make a page that is too long." }
                }
                @if !map.is_empty() {
                    nav { (contents(map, programs_first)) }
                    @if programs_first { (programs) (lists::what_if(&page)) }
                    (overview(map))
                    (picture::of(map, &page))
                    @if !programs_first { (programs) (lists::what_if(&page)) }
                    (lists::all(&page))
                    section #modules {
                        h2 { "Modules" }
                        (filters(map))
                        main { @for at in 0..page.shown { (modules::article(&page, at)) } }
                    }
                }
                (lists::unread(map))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    writeln!(out, "{}", whole.into_string())
}

/// What all parts of the page refer to.
pub struct Page<'a> {
    map: &'a Map,
    sources: &'a Sources,
    /// Where each module stands, by its path.
    numbers: FxHashMap<&'a str, usize>,
    /// How many modules have an article.
    shown: usize,
    left_out: usize,
    /// The modules in the order of the page.
    order: Vec<usize>,
    /// The places that have an address: module, cell, line.
    places: BTreeSet<(usize, Option<u32>, u32)>,
    /// Imports by the path of the module that they stand in, and that they lead to.
    edges_from: FxHashMap<&'a str, Vec<&'a Edge>>,
    edges_to: FxHashMap<&'a str, Vec<&'a Edge>>,
    /// Programs by the path of their file.
    programs: FxHashMap<&'a str, Vec<&'a ProgramLine>>,
}

impl<'a> Page<'a> {
    fn of(map: &'a Map, sources: &'a Sources) -> Page<'a> {
        let mut order: Vec<usize> = (0..map.modules.len()).collect();
        if order.len() > MOST_MODULES {
            order.sort_by_key(|&at| std::cmp::Reverse(map.modules[at].danger()));
        }
        let left_out = order.len().saturating_sub(MOST_MODULES);
        order.truncate(MOST_MODULES);
        let numbers: FxHashMap<&str, usize> =
            order.iter().map(|&at| (map.modules[at].path.as_str(), at)).collect();
        let mut page = Page {
            map,
            sources,
            numbers,
            shown: order.len(),
            left_out,
            order,
            places: BTreeSet::new(),
            edges_from: FxHashMap::default(),
            edges_to: FxHashMap::default(),
            programs: FxHashMap::default(),
        };
        for edge in &map.edges {
            page.edges_from.entry(&edge.from.path).or_default().push(edge);
            page.edges_to.entry(&edge.to).or_default().push(edge);
        }
        for line in &map.programs {
            page.programs.entry(&line.path).or_default().push(line);
        }
        let places = page.order.iter().flat_map(|&at| {
            let lines = modules::lines_in(&page, at);
            lines.into_iter().map(move |line| (at, line.spot.cell, line.spot.line))
        });
        page.places = places.collect();
        page
    }

    /// The address of a module in the page.
    fn module_address(&self, path: &str) -> Option<String> {
        self.numbers.get(path).map(|at| format!("m{at}"))
    }

    /// The address of a place, or of its module where the place is not told.
    fn address(&self, spot: &PlaceText) -> Option<String> {
        let at = *self.numbers.get(spot.path.as_str())?;
        match self.places.contains(&(at, spot.cell, spot.line)) {
            true => Some(line_address(at, spot)),
            false => Some(format!("m{at}")),
        }
    }

    /// A place with a link to it.
    fn place(&self, spot: &PlaceText) -> Markup {
        let text = spot.to_string();
        html! {
            @match self.address(spot) {
                Some(address) => a.place href=(format!("#{address}")) { (printable(&text)) },
                None => span.place { (printable(&text)) },
            }
        }
    }

    /// A module, or a library, with a link to it where it is one of the project.
    fn target(&self, name: &str) -> Markup {
        html! {
            @match self.module_address(name) {
                Some(address) => a.place href=(format!("#{address}")) { (printable(name)) },
                None => code { (printable(name)) },
            }
        }
    }
}

fn line_address(at: usize, spot: &PlaceText) -> String {
    match spot.cell {
        Some(cell) => format!("m{at}-c{cell}-l{}", spot.line),
        None => format!("m{at}-l{}", spot.line),
    }
}

fn contents(map: &Map, programs_first: bool) -> Markup {
    let crosses = map.crossing().next().is_some();
    let mut sections = [
        ("picture", "Picture", true),
        ("programs", "Programs", !map.programs.is_empty()),
        ("crossing", "Into the GPU part", crosses),
        ("chains", "Ways of the CPU part", !map.chains.is_empty()),
        ("variables", "Variables", !map.variables.is_empty()),
        ("modules", "Modules", true),
    ];
    if programs_first {
        sections.swap(0, 1);
    }
    html! {
        @for (address, words, _) in sections.iter().filter(|(.., is_there)| *is_there) {
            a href=(format!("#{address}")) { (words) } " "
        }
    }
}

fn overview(map: &Map) -> Markup {
    let counts = map.counts();
    let rows = || Kind::ALL.iter().filter_map(|kind| Some((kind, counts.get(kind)?)));
    html! {
        section.overview {
            table {
                thead { tr { th { "what" } th.count { "places" } th.count { "modules" } } }
                tbody {
                    @for (kind, (places, modules)) in rows() {
                        tr { td { (prose(kind.words())) } td.count { (places) } td.count { (modules) } }
                    }
                }
            }
        }
    }
}

/// The filters of the modules.
fn filters(map: &Map) -> Markup {
    let faults = || map.modules.iter().flat_map(|module| &module.findings);
    let rules: BTreeSet<&str> = faults().map(|fault| fault.rule.as_str()).collect();
    let families: BTreeSet<&str> = faults().map(|fault| fault.family.as_str()).collect();
    let parts: BTreeSet<super::Part> = map.modules.iter().map(|module| module.part).collect();
    let options = |name: &str, words: &[&str]| {
        html! {
            label {
                (name) " "
                select name=(name) {
                    option value="" { "all" }
                    @for word in words { option { (printable(word)) } }
                }
            }
        }
    };
    html! {
        // The script shows them: without it they would do nothing.
        form #filters hidden {
            label { "search " input type="search" name="text" accesskey="s"; }
            (options("part", &parts.iter().map(|part| part.word()).collect::<Vec<_>>()))
            (options("severity", &["error", "warning", "note"]))
            (options("rule", &rules.into_iter().collect::<Vec<_>>()))
            (options("family", &families.into_iter().collect::<Vec<_>>()))
            output name="count" {}
        }
    }
}
