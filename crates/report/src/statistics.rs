//! How many findings each rule has, for whoever plans the work.

use super::printable::printable;
use super::{Report, summary, word};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;

/// One line for each rule with findings that would be shown, the most frequent first, and the
/// summary.
pub fn render(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let mut counts = BTreeMap::new();
    for finding in report.shown() {
        *counts.entry((Reverse(finding.severity), finding.rule.as_str())).or_insert(0usize) += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    for ((Reverse(severity), rule), count) in counts {
        writeln!(out, "{count:6}  {:7}  {}", word(severity), printable(rule))?;
    }
    summary::write(report, out)
}
