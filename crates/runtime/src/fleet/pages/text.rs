//! For a terminal: the verdict, why, the kinds of cards, and the machines that speak against an approval.

use super::words;
use crate::report::printable::sentence;
use crate::runtime::fleet::document::Fleet;
use crate::runtime::terminal::{facts, table};
use crate::runtime::validation::pages::words as of_validation;

/// More rows nobody reads in a terminal.
const MOST_ROWS: usize = 50;

pub fn text(fleet: &Fleet) -> String {
    let mut page = words::title(fleet) + "\n";
    if fleet.simulated {
        page.push_str(&format!("{}\n", of_validation::SIMULATED));
    }
    let reasons = fleet.reasons.iter();
    let reasons = reasons.map(|reason| (of_validation::weight(reason.weight), of_validation::reason(reason)));
    facts("Why", &reasons.collect::<Vec<_>>(), &mut page);
    facts("All of them", &words::facts(fleet), &mut page);
    facts("Kinds of cards", &fleet.kinds.iter().map(words::kind).collect::<Vec<_>>(), &mut page);
    page.push_str("\nMachines\n");
    let mut rows = vec![words::COLUMNS.map(str::to_owned).to_vec()];
    let machines = words::worst_first(fleet);
    let shown = machines.iter().take(MOST_ROWS);
    rows.extend(shown.map(|machine| words::row(machine).map(|cell| sentence(&cell)).to_vec()));
    table(&rows, &mut page);
    if let more @ 1.. = machines.len().saturating_sub(MOST_ROWS) {
        page.push_str(&format!("  and {more} more, none worse than these: --format json has all of them\n"));
    }
    facts("Not checked", &words::not_checked(fleet), &mut page);
    page
}
