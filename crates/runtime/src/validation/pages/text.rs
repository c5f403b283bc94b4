//! For a terminal: the verdict, why, what was run, what it showed, and what nobody looked at.

use super::super::document::Validation;
use super::words;
use crate::report::printable::{printable, sentence};
use crate::runtime::terminal::{facts, table};

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
    facts("In both modes", &words::both_modes(validation), &mut page);
    for check in &validation.checks {
        let evidence = words::evidence(check);
        if !evidence.is_empty() {
            facts(&format!("What {} showed", printable(&check.name)), &evidence, &mut page);
        }
    }
    facts("Not checked", &words::not_checked(validation), &mut page);
    page
}
