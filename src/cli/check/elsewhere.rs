//! What the programs of the named files show in files that are not named: it is in no report.

use crate::Outcome;
use crate::cli::say;
use crate::report::printable;
use crate::sources::Sources;

/// Names the places, and how to see what is found there.
pub(super) fn name_others(outcome: &Outcome, sources: &Sources) {
    /// More than these would be a report of their own.
    const MOST: usize = 3;
    let Some((first, _)) = outcome.elsewhere.first() else { return };
    let shown = outcome.elsewhere.iter().take(MOST).map(|(place, rule)| {
        let line = sources.position(*place).line;
        format!("{}:{line} ({rule})", printable(&sources.file(place.file).name))
    });
    let mut shown = shown.collect::<Vec<_>>().join(", ");
    if let Some(more) = outcome.elsewhere.len().checked_sub(MOST).filter(|more| *more > 0) {
        shown.push_str(&format!(" and {more} more"));
    }
    let (stand, it) = match outcome.elsewhere.len() {
        1 => ("A finding of what is checked stands", "it"),
        _ => ("Findings of what is checked stand", "them"),
    };
    let file = printable(&sources.file(first.file).name);
    say(format_args!(
        "note: {stand} in files that are not named: {shown}. `gpulint check` without names shows {it}, and so does naming {file}"
    ));
}
