//! One HTML page that needs nothing else and runs nothing: verdict, reasons, checks, evidence and plots.

use super::super::document::{Check, State, Validation, Verdict, Weight};
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
                @for reason in &validation.reasons {
                    article class=(class_of_weight(reason.weight)) {
                        h2 { span.kind { (words::weight(reason.weight)) } " " (prose(&words::reason(reason))) }
                        p.place { (sentence(&reason.code)) }
                    }
                }
                (facts("Where and when", &words::facts(validation)))
                @if !validation.checks.is_empty() { (checks(&validation.checks)) }
                @if !both_modes.is_empty() { (facts("In both modes", &both_modes)) }
                @for check in &validation.checks { (evidence(check, validation)) }
                @if !not_checked.is_empty() { (facts("Not checked", &not_checked)) }
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

pub fn facts(title: &str, facts: &[(impl AsRef<str>, String)]) -> Markup {
    html! {
        h2 { (prose(title)) }
        table {
            @for (name, text) in facts {
                tr { th { (prose(name.as_ref())) } td { (prose(text)) } }
            }
        }
    }
}

fn checks(checks: &[Check]) -> Markup {
    html! {
        h2 { "Checks" }
        table {
            tr { @for column in words::COLUMNS { th { (column) } } }
            @for check in checks {
                tr class=(class_of_state(check.state)) {
                    @for (at, cell) in words::row(check).iter().enumerate() {
                        td.kind[at == 2] { (prose(cell)) }
                    }
                }
            }
        }
    }
}

fn evidence(check: &Check, validation: &Validation) -> Markup {
    let lines = words::evidence(check);
    let plots = plots::of(check, validation.simulated);
    html! {
        @if !lines.is_empty() { (facts(&format!("What `{}` showed", check.name), &lines)) }
        @for (_, plot) in &plots { figure { (PreEscaped(plot)) } }
    }
}
