//! One HTML page that needs nothing else and runs nothing: the verdict, its reasons, the kinds of cards and all machines.

use super::words;
use crate::report::html::{head, prose};
use crate::runtime::fleet::document::{Fleet, Machine};
use crate::runtime::validation::document::Weight;
use crate::runtime::validation::pages::html::{
    OWN_STYLE, RUNS_NOTHING, class_of_verdict, class_of_weight, facts, reason,
};
use crate::runtime::validation::pages::words as of_validation;
use maud::{DOCTYPE, Markup, html};

pub fn html(fleet: &Fleet) -> String {
    let title = words::title(fleet);
    let kinds: Vec<_> = fleet.kinds.iter().map(words::kind).collect();
    let not_checked = words::not_checked(fleet);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, RUNS_NOTHING, OWN_STYLE))
            body {
                h1 class=(format!("kind {}", class_of_verdict(fleet.verdict))) { (title) }
                @if fleet.simulated { p.left-out { (of_validation::SIMULATED) "." } }
                p { (prose(&words::counts(fleet))) }
                @for one in &fleet.reasons { (reason(one, &[])) }
                @if !kinds.is_empty() { (facts("Kinds of cards", &kinds)) }
                (machines(&words::worst_first(fleet)))
                (facts("All of them", &words::facts(fleet)))
                @if !not_checked.is_empty() { (facts("Not checked", &not_checked)) }
            }
        }
    };
    page.into_string() + "\n"
}

fn machines(machines: &[&Machine]) -> Markup {
    html! {
        section id="machines" {
            h2 { "Machines" }
            // Of many columns: it moves by itself on a narrow screen.
            div.wide {
                table {
                    tr { @for column in words::COLUMNS { th { (column) } } }
                    @for machine in machines {
                        tr class=(class_of(machine)) {
                            @for (at, cell) in words::row(machine).iter().enumerate() {
                                td.kind[at == 3] {
                                    (prose(cell))
                                    // Behind its code what each reason says.
                                    @if at == 4 {
                                        @for reason in words::why(machine) {
                                            br; (prose(&of_validation::reason(reason)))
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn class_of(machine: &Machine) -> &'static str {
    match words::heaviest(machine) {
        None | Some(Weight::Note) => "approved",
        Some(weight) => class_of_weight(weight),
    }
}
