//! Markdown for the summary of a job: the verdict and its reasons, and all else behind a click.

use super::super::document::{Check, State, Validation};
use super::words;
use crate::report::markdown::{MOST_BYTES, code, prose};

/// What fits into a summary.
struct Page {
    text: String,
    left_out: usize,
}

impl Page {
    /// Adds a row, if there is still room. Nothing comes after the first that has none.
    fn row(&mut self, row: &str) {
        if self.left_out == 0 && self.text.len() + row.len() <= MOST_BYTES {
            self.text.push_str(row);
        } else {
            self.left_out += 1;
        }
    }

    /// A part that is closed when it is shown, with rows of a table of two columns.
    fn facts<N: AsRef<str>>(&mut self, title: &str, facts: &[(N, String)]) {
        if facts.is_empty() || self.left_out > 0 {
            self.left_out += facts.len();
            return;
        }
        self.text.push_str(&format!("<details><summary>{title}</summary>\n\n| | |\n|---|---|\n"));
        for (name, text) in facts {
            self.row(&format!("| {} | {} |\n", prose(name.as_ref()), prose(text)));
        }
        self.text.push_str("\n</details>\n\n");
    }
}

pub fn markdown(validation: &Validation) -> String {
    let mut page = Page { text: format!("## {}\n\n", words::title(validation)), left_out: 0 };
    if validation.simulated {
        page.text.push_str(&format!("**{}.**\n\n", words::SIMULATED));
    }
    if !validation.reasons.is_empty() {
        page.text.push_str("| weight | why | code |\n|---|---|---|\n");
        for reason in &validation.reasons {
            let (weight, why) = (words::weight(reason.weight), prose(&words::reason(reason)));
            page.row(&format!("| {weight} | {why} | {} |\n", code(&reason.code)));
        }
        page.text.push('\n');
    }
    checks(validation, &mut page);
    page.facts("In both modes", &words::both_modes(validation));
    page.facts("Where and when", &words::facts(validation));
    for check in &validation.checks {
        let evidence = words::evidence(check);
        page.facts(&format!("What {} showed", code(&check.name)), &evidence);
    }
    page.facts("Not checked", &words::not_checked(validation));
    if page.left_out > 0 {
        page.text.push_str(&format!(
            "**{} rows are left out: GitHub shows no summary above 1024 KiB. The JSON form has all of them.**\n",
            page.left_out
        ));
    }
    page.text
}

fn checks(validation: &Validation, page: &mut Page) {
    if validation.checks.is_empty() {
        return;
    }
    let holds = |check: &&Check| matches!(check.state, State::Holds | State::HoldsWithCorrections);
    let hold = validation.checks.iter().filter(holds).count();
    let title = format!("{hold} of {} checks hold", validation.checks.len());
    page.text.push_str(&format!("<details open><summary>{title}</summary>\n\n"));
    page.text.push_str(&format!(
        "| {} |\n|{}\n",
        words::COLUMNS.join(" | "),
        "---|".repeat(words::COLUMNS.len())
    ));
    for check in &validation.checks {
        let cells = words::row(check).map(|cell| prose(&cell));
        page.row(&format!("| {} |\n", cells.join(" | ")));
    }
    page.text.push_str("\n</details>\n\n");
}
