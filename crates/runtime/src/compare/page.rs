//! For a terminal: the verdict, why, the times, and what nobody looked at.

use super::document::{Comparison, Side, Timing};
use crate::runtime::terminal::facts;
use crate::runtime::validation::pages::words;

pub fn text(told: &Comparison) -> String {
    let mut page = format!("gpulint compare: {}\n", told.verdict.words());
    if told.simulated {
        page.push_str(words::SIMULATED);
        page.push('\n');
    }
    let reasons = told.reasons.iter().map(|reason| (words::weight(reason.weight), reason.message.clone()));
    facts("Why", &reasons.collect::<Vec<_>>(), &mut page);
    facts("What was compared", &compared(told), &mut page);
    facts("Times", &times(told), &mut page);
    let unchecked = told.not_checked.iter().map(|one| (one.what.clone(), one.why.clone()));
    facts("Not checked", &unchecked.collect::<Vec<_>>(), &mut page);
    page
}

fn compared(told: &Comparison) -> Vec<(&'static str, String)> {
    let mut rows = vec![("base", side(&told.base)), ("head", side(&told.head))];
    if let Some(card) = &told.card {
        rows.push(("card", card.to_string()));
    }
    rows
}

fn side(side: &Side) -> String {
    let command = side.command.join(" ");
    match (&side.reference, &side.commit) {
        (Some(reference), Some(commit)) => {
            format!("{command} at {reference} ({})", commit.get(..12).unwrap_or(commit))
        }
        _ => command,
    }
}

fn times(told: &Comparison) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    for (name, side) in [("base", &told.base), ("head", &told.head)] {
        if let Some(middle) = median(&side.seconds) {
            let memory = side
                .peak_memory
                .map(|peak| format!(", and had {} on the card at most", words::size(peak as f64)))
                .unwrap_or_default();
            rows.push((name, format!("{middle:.3} s in the median of {} runs{memory}", side.seconds.len())));
        }
    }
    if let Some(timing) = &told.timing {
        rows.push(("head by base", series(timing)));
    }
    if let Some(control) = &told.control {
        rows.push(("base by base", series(control)));
    }
    if !told.disturbed.is_empty() {
        let (count, first) = (told.disturbed.len(), &told.disturbed[0]);
        rows.push(("thrown away", format!("{count} blocks of four runs: {first}")));
    }
    rows
}

fn series(timing: &Timing) -> String {
    let number = |value: Option<f64>| value.map_or("not known".to_owned(), |value| format!("{value:.4}"));
    let estimate = &timing.estimate;
    let found =
        estimate.detectable.map(|part| format!("; finds {:.1} % and more", 100.0 * part)).unwrap_or_default();
    format!(
        "{} ({} to {}, each bound at {:.2} %) from {} pairs{found}",
        number(estimate.ratio),
        number(estimate.lower),
        number(estimate.upper),
        100.0 * estimate.confidence,
        estimate.pairs,
    )
}

fn median(seconds: &[f64]) -> Option<f64> {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
