//! What a page begins with where it has many findings: how many there are of each rule, and in each folder.

use super::{Shown, kind_of};
use crate::report::Report;
use crate::report::printable;
use crate::sources::folder_of;
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// With fewer findings the list itself says as much.
const LEAST: usize = 4;
/// More rows are counted: below these there is little in each.
const MOST_ROWS: usize = 30;
/// The kinds that count, each a column.
const KINDS: [&str; 3] = ["error", "warning", "note"];

/// How many findings of each kind, and the first of them.
#[derive(Default)]
struct Row {
    counts: [usize; 3],
    first: String,
}

pub fn of(shown: &[Shown<'_>], report: &Report) -> Markup {
    let counted: Vec<&Shown> = shown.iter().filter(|shown| KINDS.contains(&kind_of(shown.finding))).collect();
    if counted.len() < LEAST {
        return html! {};
    }
    let rules = rows(&counted, |shown| shown.finding.rule.clone());
    let folders = rows(&counted, |shown| {
        let name = &report.sources.file(shown.finding.place.file).name;
        match folder_of(name) {
            "" => "./".to_owned(),
            folder => format!("{folder}/"),
        }
    });
    html! {
        section.overview {
            (table("rule", &rules))
            @if folders.len() > 1 { (table("folder", &folders)) }
        }
    }
}

/// By name, those with the most and the worst first.
fn rows(counted: &[&Shown<'_>], name: impl Fn(&Shown<'_>) -> String) -> Vec<(String, Row)> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for shown in counted {
        let row = rows.entry(name(shown)).or_default();
        if let Some(at) = KINDS.iter().position(|kind| *kind == kind_of(shown.finding)) {
            row.counts[at] += 1;
        }
        if row.first.is_empty() {
            row.first.clone_from(&shown.anchor);
        }
    }
    let mut rows: Vec<(String, Row)> = rows.into_iter().collect();
    rows.sort_by_key(|(_, row)| Reverse(row.counts));
    rows
}

fn table(what: &str, rows: &[(String, Row)]) -> Markup {
    html! {
        table {
            thead { tr { th { (what) } @for kind in KINDS { th.count { (kind) } } } }
            tbody {
                @for (name, row) in rows.iter().take(MOST_ROWS) {
                    tr {
                        td { a href=(format!("#{}", row.first)) { (printable(name)) } }
                        @for (kind, count) in KINDS.iter().zip(row.counts) {
                            td class=(format!("count {kind}")) { @if count > 0 { span.kind { (count) } } }
                        }
                    }
                }
                @if let more @ 1.. = rows.len().saturating_sub(MOST_ROWS) {
                    tr { td colspan="4" { "and " (more) " more" } }
                }
            }
        }
    }
}
