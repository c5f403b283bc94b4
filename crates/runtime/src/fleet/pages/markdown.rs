//! Markdown for the summary of a job: the verdict and its reasons, then the kinds of cards and the machines, as many as fit.

use super::words;
use crate::report::markdown::{MOST_BYTES, code, prose};
use crate::runtime::fleet::document::Fleet;
use crate::runtime::validation::pages::words as of_validation;

/// What the end of the page takes.
const ROOM_AT_END: usize = 500;

pub fn markdown(fleet: &Fleet) -> String {
    let mut page = format!("## {}\n\n", words::title(fleet));
    if fleet.simulated {
        page.push_str(&format!("**{}.**\n\n", of_validation::SIMULATED));
    }
    page.push_str(&format!("{}\n\n", prose(&words::counts(fleet))));
    let mut left_out = 0;
    let reasons = fleet.reasons.iter().map(|reason| {
        let weight = of_validation::weight(reason.weight);
        vec![weight.to_owned(), prose(&of_validation::reason(reason)), code(&reason.code)]
    });
    left_out += table(&["weight", "why", "code"], reasons.collect(), &mut page);
    let of_facts = |facts: Vec<(String, String)>| {
        facts.into_iter().map(|(name, text)| vec![prose(&name), prose(&text)]).collect::<Vec<_>>()
    };
    page.push_str("### Kinds of cards\n\n");
    left_out += table(&["card", ""], of_facts(fleet.kinds.iter().map(words::kind).collect()), &mut page);
    page.push_str("### Machines\n\n");
    let machines = words::worst_first(fleet).into_iter();
    let machines = machines.map(|machine| words::row(machine).map(|cell| prose(&cell)).to_vec());
    left_out += table(&words::COLUMNS, machines.collect(), &mut page);
    let facts = words::facts(fleet).into_iter().map(|(name, text)| (name.to_owned(), text));
    for (title, rows) in [("All of them", facts.collect()), ("Not checked", words::not_checked(fleet))] {
        page.push_str(&format!("<details><summary>{title}</summary>\n\n"));
        left_out += table(&["", ""], of_facts(rows), &mut page);
        page.push_str("</details>\n\n");
    }
    if left_out > 0 {
        page.push_str(&format!(
            "**{left_out} rows are left out: GitHub shows no summary above 1024 KiB. The JSON form has all of them.**\n"
        ));
    }
    page
}

/// Adds as many rows as there is room for; how many there was none for.
fn table(columns: &[&str], rows: Vec<Vec<String>>, page: &mut String) -> usize {
    if rows.is_empty() {
        return 0;
    }
    page.push_str(&format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len())));
    let mut left_out = 0;
    for row in rows {
        let row = format!("| {} |\n", row.join(" | "));
        if left_out == 0 && page.len() + row.len() + ROOM_AT_END <= MOST_BYTES {
            page.push_str(&row);
        } else {
            left_out += 1;
        }
    }
    page.push('\n');
    left_out
}
