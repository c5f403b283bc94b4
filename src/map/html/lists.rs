//! The lists of the page: programs, what changes elsewhere, imports that cross, ways of the CPU part, variables.

use super::Page;
use crate::map::programs::PlacedText;
use crate::map::{Card, Map, ProgramLine};
use crate::report::html::prose;
use crate::report::printable;
use maud::{Markup, html};

/// Longer lists are read by programs, which have JSON.
const MOST_ROWS: usize = 2_000;
/// So many places stand in one cell.
const MOST_PLACES: usize = 20;

pub fn programs(page: &Page<'_>) -> Markup {
    let programs = &page.map.programs;
    if programs.is_empty() {
        return html! {};
    }
    html! {
        section #programs {
            h2 { "Programs: which card each takes" }
            table.sortable {
                thead { tr { @for head in ["program", "started by", "card", "order", "decided by", "too late"] { th { (head) } } } }
                tbody { @for line in programs.iter().take(MOST_ROWS) { (program(line, page)) } }
            }
            (more(programs.len()))
            @for more in &page.map.starts_left_out { p.left-out { (page.target(&more.path)) " has " (more.words()) "." } }
        }
    }
}

fn program(line: &ProgramLine, page: &Page<'_>) -> Markup {
    let class = match (line.uses_gpu(), line.cards.iter().any(is_bad)) {
        (false, _) => "unused",
        (true, true) => "error",
        _ => "",
    };
    html! {
        tr class=(class) {
            td { (page.target(&line.path)) }
            td {
                @match &line.launcher {
                    Some(launcher) => (page.place(launcher)),
                    None => (prose(&line.start)),
                }
            }
            td.kind[class == "error"] {
                (prose(&line.card_words()))
                @if !line.complete { " (not followed to its end)" }
            }
            td { @if line.uses_gpu() { (prose(&line.order.words())) } }
            td {
                @match &line.asks {
                    Some(asks) => (deeds(&[asks], page)),
                    None => (deeds(&line.decided_by(), page)),
                }
            }
            td { (deeds(&line.too_late.iter().collect::<Vec<_>>(), page)) }
        }
    }
}

fn is_bad(card: &Card) -> bool {
    matches!(card, Card::Fails { .. } | Card::Known { forbidden: true, .. })
}

fn deeds(deeds: &[&PlacedText], page: &Page<'_>) -> Markup {
    html! {
        @for deed in deeds.iter().take(MOST_PLACES) { div { (page.place(&deed.spot)) " " (prose(&deed.text)) } }
        @if let left @ 1.. = deeds.len().saturating_sub(MOST_PLACES) { div { "and " (left) " more" } }
    }
}

pub fn what_if(page: &Page<'_>) -> Markup {
    let Some(what_if) = &page.map.what_if else { return html! {} };
    html! {
        section #what-if {
            h2 { "What if" }
            p { (prose(&what_if.headline())) }
            @if !what_if.changes.is_empty() {
                table.sortable {
                    thead { tr { th { "program" } th { "before" } th { "then" } } }
                    tbody {
                        @for change in &what_if.changes {
                            tr class=(if change.fails { "error" } else { "" }) {
                                td { (prose(&change.program.name())) }
                                td { (prose(&change.before_words())) }
                                td.kind { (prose(&change.program.card_words())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The imports that cross, the ways of the CPU part, the variables and their rivals.
pub fn all(page: &Page<'_>) -> Markup {
    let map = page.map;
    let crossing: Vec<_> = map.crossing().collect();
    html! {
        @if !crossing.is_empty() {
            section #crossing {
                h2 { "Imports from the CPU part into the GPU part" }
                table.sortable {
                    thead { tr { th { "import" } th { "leads to" } th { "when" } th { "GPU library at import" } } }
                    tbody {
                        @for edge in crossing.iter().take(MOST_ROWS) {
                            tr class=(if edge.loads_gpu_library { "error" } else { "" }) {
                                td { (page.place(&edge.from)) }
                                td { (page.target(&edge.to)) }
                                td { (edge.kind.word()) }
                                td.kind { @if edge.loads_gpu_library { "yes" } }
                            }
                        }
                    }
                }
                (more(crossing.len()))
            }
        }
        @if !map.chains.is_empty() {
            section #chains {
                h2 { "Ways of the CPU part to a GPU library" }
                ul {
                    @for chain in &map.chains {
                        li {
                            (page.target(&chain.entry)) ": "
                            @for hop in &chain.hops { (page.place(&hop.spot)) " → " (page.target(&hop.to)) " (" (hop.kind.word()) ") " }
                        }
                    }
                }
                @if map.chains_left_out > 0 {
                    p.left-out { "and " (map.chains_left_out) " more, none shorter than those of the same module" }
                }
            }
        }
        @if !map.variables.is_empty() {
            section #variables {
                h2 { "Variables" }
                table.sortable {
                    thead { tr { th { "variable" } th { "set" } th { "read" } } }
                    tbody {
                        @for variable in &map.variables {
                            tr {
                                td { code { (printable(&variable.name)) } }
                                td { (spots(&variable.set, page)) }
                                td { (spots(&variable.read, page)) }
                            }
                        }
                    }
                }
            }
        }
        @for rivals in &map.rivals {
            section.rivals {
                h2 { "Switches that decide " (rivals.decides.words()) }
                ul {
                    @for switch in rivals.switches.iter().take(MOST_ROWS) {
                        li {
                            code { (printable(&switch.name)) } ", "
                            (if switch.is_constant { "a constant" } else { "a variable" }) ", " (page.place(&switch.first))
                        }
                    }
                }
            }
        }
    }
}

fn spots(spots: &[crate::map::PlaceText], page: &Page<'_>) -> Markup {
    html! {
        @for spot in spots.iter().take(MOST_PLACES) { (page.place(spot)) " " }
        @if let left @ 1.. = spots.len().saturating_sub(MOST_PLACES) { "and " (left) " more" }
    }
}

fn more(all: usize) -> Markup {
    html! {
        @if let left @ 1.. = all.saturating_sub(MOST_ROWS) { p.left-out { "and " (left) " more: `--format json` has all" } }
    }
}

pub fn unread(map: &Map) -> Markup {
    html! {
        @if !map.skipped.is_empty() || !map.unfinished.is_empty() {
            section {
                h2 { "Not read" }
                ul {
                    @for skipped in &map.skipped {
                        li { span.place { (printable(&skipped.path)) } ": " (prose(&skipped.reason)) }
                    }
                    @for path in &map.unfinished {
                        li { span.place { (printable(path)) } ": its programs are too large, and were not followed to their end" }
                    }
                }
            }
        }
    }
}
