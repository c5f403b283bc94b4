//! What a check counts as fixable is what the fixes then mend, held against all labelled projects.

use super::labelled::{self, Project};
use crate::facts::FileId;
use crate::findings::{Finding, Safety, Severity, Status};
use std::collections::BTreeSet;

#[test]
fn what_is_counted_as_fixable_is_fixed() {
    let faults = labelled::each(|project| {
        let runs = [(false, Severity::Warning), (true, Severity::Warning), (true, Severity::Note)];
        runs.iter().flat_map(|(risky, least)| differences(project, *risky, *least)).collect()
    });
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// A finding, by where it stands.
type Key = (FileId, u32, String);

fn key_of(finding: &Finding) -> Key {
    (finding.place.file, finding.place.span.start, finding.rule.clone())
}

/// Where the count and the fixes differ. What another fix mends with its own is mended too, and what only comes to light when
/// others are mended was never counted.
fn differences(project: &Project, risky: bool, least: Severity) -> Vec<String> {
    let all = || {
        let findings = project.outcome.findings.iter();
        findings.filter(|finding| finding.status == Status::Active && finding.counts_from(least))
    };
    let is_made =
        |finding: &&Finding| finding.fix.as_ref().is_some_and(|fix| risky || fix.safety == Safety::Safe);
    let known: BTreeSet<Key> = all().map(key_of).collect();
    let counted: BTreeSet<Key> = all().filter(is_made).map(key_of).collect();
    let settled = project.settled(risky, least);
    let mended: BTreeSet<Key> = settled
        .applied
        .iter()
        .map(|made| (made.place.file, made.place.span.start, made.rule.clone()))
        .filter(|key| known.contains(key))
        .collect();
    let label = |key: &Key| {
        let name = &project.sources.file(key.0).name;
        format!("{}, risky {risky}, from {least:?}: {} at {name} {}", project.name, key.2, key.1)
    };
    let missing = counted.difference(&mended).filter(|key| {
        let left = settled.outcome.findings.iter();
        let left = left.filter(|finding| finding.rule == key.2 && finding.place.file == key.0).count();
        let before = known.iter().filter(|other| (other.0, &other.2) == (key.0, &key.2)).count();
        let made = mended.iter().filter(|other| (other.0, &other.2) == (key.0, &key.2)).count();
        left + made >= before
    });
    let missing = missing.map(|key| {
        let dropped = settled.dropped.iter().find(|dropped| {
            (dropped.place.file, dropped.place.span.start, &dropped.rule) == (key.0, key.1, &key.2)
        });
        format!("{} is counted and not mended: {:?}", label(key), dropped.map(|dropped| &dropped.reason))
    });
    let more = mended.difference(&counted).map(|key| format!("{} is mended and not counted", label(key)));
    missing.chain(more).collect()
}
