//! One HTML page that needs nothing else and runs nothing: verdict, the card, reasons, its time line, checks, evidence and plots. Each
//! part has an address of its own, and what holds is folded.

mod tile;

use super::super::document::{Check, Reason, State, Validation, Verdict, Weight};
use super::{plots, words};
use crate::report::html::{head, prose};
use crate::report::printable::sentence;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// In addition to that of all pages.
pub const OWN_STYLE: &str = include_str!("page.css");

/// Whatever a command or a card calls itself, the page loads nothing and runs nothing.
pub const RUNS_NOTHING: PreEscaped<&str> = PreEscaped(
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
);

pub fn html(validation: &Validation) -> String {
    let title = words::title(validation);
    let not_checked = words::not_checked(validation);
    let both_modes = words::both_modes(validation);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, RUNS_NOTHING, OWN_STYLE))
            body {
                // One attribute: of two, browsers take the first.
                h1 class=(format!("kind {}", class_of_verdict(validation.verdict))) { (title) }
                @if validation.simulated { p.left-out { (words::SIMULATED) "." } }
                (tile::of(validation))
                @for alike in groups_of(&validation.reasons) { (group(&alike)) }
                @if let Some(svg) = plots::timeline(validation) {
                    section id="time-line" {
                        h2 { "Over time" }
                        figure { (PreEscaped(svg)) }
                    }
                }
                @if !validation.checks.is_empty() { (checks(&validation.checks)) }
                @if !both_modes.is_empty() { (facts("In both modes", &both_modes)) }
                @for (number, check) in validation.checks.iter().enumerate() { (evidence(number + 1, check, validation)) }
                @if !not_checked.is_empty() { (facts("Not checked", &not_checked)) }
                (facts("Where and when", &words::facts(validation)))
            }
        }
    };
    page.into_string() + "\n"
}

pub fn class_of_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Approved => "approved",
        Verdict::ApprovedWithMinorCorrections | Verdict::Running => "warning",
        Verdict::Rejected | Verdict::EnvironmentInvalid | Verdict::Infrastructure | Verdict::Interrupted => {
            "error"
        }
    }
}

pub fn class_of_weight(weight: Weight) -> &'static str {
    match weight {
        Weight::Rejection | Weight::Environment | Weight::Infrastructure => "error",
        Weight::Correction => "warning",
        Weight::Note => "note",
    }
}

fn class_of_state(state: State) -> &'static str {
    match state {
        State::Holds => "approved",
        State::HoldsWithCorrections => "warning",
        State::Fails | State::NotRun => "error",
        State::Waiting | State::Running => "",
    }
}

/// Reasons that differ in nothing but their check, where the first of them stands.
fn groups_of(reasons: &[Reason]) -> Vec<Vec<&Reason>> {
    let mut groups: Vec<Vec<&Reason>> = Vec::new();
    for reason in reasons {
        let is_alike = |first: &Reason| {
            (first.weight, &first.code, &first.message) == (reason.weight, &reason.code, &reason.message)
        };
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| is_alike(first))) {
            Some(group) => group.push(reason),
            None => groups.push(vec![reason]),
        }
    }
    groups
}

fn group(alike: &[&Reason]) -> Markup {
    let Some((first, others)) = alike.split_first() else { return html! {} };
    let checks: Vec<&str> = others.iter().filter_map(|reason| reason.check.as_deref()).collect();
    reason(first, &checks)
}

/// A reason in a box, with the other checks that say the same.
pub fn reason(reason: &Reason, checks: &[&str]) -> Markup {
    html! {
        article class=(class_of_weight(reason.weight)) {
            h2 { span.kind { (words::weight(reason.weight)) } " " (prose(&words::reason(reason))) }
            p.place { (sentence(&reason.code)) }
            @if !checks.is_empty() {
                details {
                    summary { (checks.len()) " more checks say the same" }
                    @for check in checks { p { (sentence(check)) } }
                }
            }
        }
    }
}

/// A table with a title, whose address is made of the title.
pub fn facts(title: &str, facts: &[(impl AsRef<str>, String)]) -> Markup {
    html! {
        section id=(address(title)) {
            h2 { (prose(title)) }
            (table(facts))
        }
    }
}

fn table(facts: &[(impl AsRef<str>, String)]) -> Markup {
    html! {
        table {
            @for (name, text) in facts {
                tr { th { (prose(name.as_ref())) } td { (prose(text)) } }
            }
        }
    }
}

/// Titles are ours: letters and spaces.
fn address(title: &str) -> String {
    title.to_ascii_lowercase().replace(' ', "-")
}

fn checks(checks: &[Check]) -> Markup {
    html! {
        section id="checks" {
            h2 { "Checks" }
            div.wide {
                table {
                    tr { @for column in words::COLUMNS { th { (column) } } }
                    @for (number, check) in checks.iter().enumerate() {
                        tr class=(class_of_state(check.state)) {
                            @for (at, cell) in words::row(check).iter().enumerate() {
                                td.kind[at == 2] {
                                    @if at == 0 && has_evidence(check) { a href=(format!("#check-{}", number + 1)) { (prose(cell)) } }
                                    @else { (prose(cell)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn has_evidence(check: &Check) -> bool {
    !words::evidence(check).is_empty()
}

/// What holds needs no look: it is folded, and its address opens it.
fn evidence(number: usize, check: &Check, validation: &Validation) -> Markup {
    let lines = words::evidence(check);
    let plots = plots::of(check, validation.simulated);
    html! {
        @if !lines.is_empty() {
            details class=(format!("evidence {}", class_of_state(check.state))) open[check.state != State::Holds] {
                summary {
                    h2 { (prose(&format!("What `{}` showed", check.name))) }
                    " " span.kind { (words::state(check.state)) }
                }
                // Inside, since browsers open what holds the address that they go to.
                div id=(format!("check-{number}")) {
                    (table(&lines))
                    @for (_, plot) in &plots { figure { (PreEscaped(plot)) } }
                }
            }
        }
    }
}
