//! Whether the memory of the card is, after all checks, what it was before the first.

use super::document::{Check, Reason, Validation, Weight};
use crate::runtime::watch::{Returned, TOLERANCE};

/// In one clause, that each check began with more than the one before; `None` when it is not so.
pub fn grown(document: &Validation) -> Option<String> {
    let (first, last) = ends(document)?;
    let more = last.saturating_sub(first);
    let mebibytes = more.div_ceil(1 << 20);
    (more > TOLERANCE).then(|| {
        format!("{mebibytes} MiB of GPU memory more were in use after the last check than before the first")
    })
}

/// That it is not, after all.
pub fn reason(document: &Validation) -> Option<Reason> {
    let grown = grown(document)?;
    let message = format!("{grown}, although nobody else was on the card");
    Some(Reason::of(Weight::Rejection, "memory-not-back", message))
}

/// Bytes in use before the first check on the card and after the last; nothing where others changed them.
fn ends(document: &Validation) -> Option<(u64, u64)> {
    let records = document.checks.iter().filter(|check| check.kind.uses_card()).filter_map(of_check);
    // Between what was taken over and this validation nobody watched the card.
    let mut records: Vec<_> = records.filter(|(started, ..)| *started >= document.started.as_str()).collect();
    records.sort_by(|one, other| one.0.cmp(other.0));
    let (_, first, _) = records.first()?;
    let (_, _, last) = records.last()?;
    Some(((*first)?, (*last)?))
}

/// When a check began, and the memory before and after it.
fn of_check(check: &Check) -> Option<(&str, Option<u64>, Option<u64>)> {
    let record = check.record.as_ref()?;
    let is_foreign = record.readings.as_ref().is_some_and(|readings| !readings.foreign_processes.is_empty());
    let before = record.baseline.as_ref().filter(|_| !is_foreign).map(|baseline| baseline.memory);
    let after = record.returned.as_ref().and_then(Returned::after);
    Some((record.started.as_str(), before, after))
}
