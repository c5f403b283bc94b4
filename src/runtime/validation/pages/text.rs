//! For a terminal: the verdict, why, what was run, what it showed, and what nobody looked at.

use super::super::document::Validation;
use super::words;
use crate::report::printable::{printable, sentence};
use crate::runtime::terminal::{table, wrapped};
use std::fmt::Write;

pub fn text(validation: &Validation) -> String {
    let mut page = words::title(validation) + "\n";
    if validation.simulated {
        page.push_str(words::SIMULATED);
        page.push('\n');
    }
    let reasons = validation.reasons.iter();
    let reasons = reasons.map(|reason| (words::weight(reason.weight), words::reason(reason)));
    facts("Why", &reasons.collect::<Vec<_>>(), &mut page);
    facts("Where and when", &words::facts(validation), &mut page);
    if !validation.checks.is_empty() {
        page.push_str("\nChecks\n");
        let mut rows = vec![words::COLUMNS.map(str::to_owned).to_vec()];
        rows.extend(
            validation.checks.iter().map(|check| words::row(check).map(|cell| sentence(&cell)).to_vec()),
        );
        table(&rows, &mut page);
    }
    for check in &validation.checks {
        let evidence = words::evidence(check);
        if !evidence.is_empty() {
            facts(&format!("What {} showed", printable(&check.name)), &evidence, &mut page);
        }
    }
    facts("Not checked", &words::not_checked(validation), &mut page);
    page
}

/// A section, if there is anything in it: names in a column, and what there is to say beside them.
fn facts(title: &str, facts: &[(impl AsRef<str>, String)], page: &mut String) {
    /// A longer name stands on a line of its own, before what there is to say.
    const WIDEST: usize = 24;
    if facts.is_empty() {
        return;
    }
    let _ = writeln!(page, "\n{title}");
    let names: Vec<String> = facts.iter().map(|(name, _)| sentence(name.as_ref())).collect();
    let widths = names.iter().map(|name| name.chars().count()).filter(|width| *width <= WIDEST);
    let width = widths.max().unwrap_or_default();
    for (name, (_, text)) in names.iter().zip(facts) {
        if name.chars().count() > WIDEST {
            let _ = write!(page, "  {name}\n  {:width$}  ", "");
        } else {
            let _ = write!(page, "  {name:width$}  ");
        }
        wrapped(&sentence(text), width + 4, page);
    }
}
