//! Finds the fixes that do not leave a project better: what they were meant for is still found, or something new is. All
//! files that complain are halved at once, since each trial checks the whole project.

use super::passes::{AppliedFix, FixState};
use super::{Key, Task, counts};
use crate::facts::FileId;
use crate::findings::{Finding, Severity, Status};
use crate::fixes::Refusal;
use crate::rules::UnknownSelector;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// More trials than this help nobody.
const MOST_BANS: usize = 30;

/// Continues a run with all fixes that hold, and says why the others do not.
pub(super) fn without<'a>(
    start: FixState<'a>,
    task: &Task<'_>,
) -> Result<(FixState<'a>, BTreeMap<Key, Refusal>), UnknownSelector> {
    let mut banned: BTreeMap<Key, Refusal> = BTreeMap::new();
    for _ in 0..MOST_BANS {
        let run = start.clone().continued(task, &banned)?;
        let complaints = complaints(&start, &run);
        if complaints.is_empty() {
            return Ok((run, banned));
        }
        banned.extend(bisect(&start, &run, complaints, task, &banned)?);
    }
    // What cannot be told apart in time is left as it was.
    let run = start.clone().continued(task, &banned)?;
    let made = run.applied().iter().skip(start.applied().len());
    banned.extend(
        made.map(|made| (made.key.clone(), "it could not be proven together with others".to_owned())),
    );
    Ok((start, banned))
}

/// Files in which more is found than should be, with what that is. A fix may bring to light what is less serious than
/// what it mends: code that asks for the GPU at last is code that uses one.
fn complaints(before: &FixState<'_>, after: &FixState<'_>) -> BTreeMap<FileId, Refusal> {
    let (old, new) = (counts(&before.outcome), counts(&after.outcome));
    let known: FxHashSet<Key> =
        before.outcome.findings.iter().map(|finding| before.key_of(finding)).collect();
    let stayed = after.outcome.findings.iter().filter(|finding| !after.is_in_new_text(finding));
    let there: FxHashSet<Key> = stayed.map(|finding| after.key_of(finding)).collect();
    // Of what stood at a place the worst that is gone: something milder may be found there then.
    let mut gone: FxHashMap<(FileId, u32), Severity> = FxHashMap::default();
    for finding in before.outcome.findings.iter().filter(|finding| finding.status != Status::Suppressed) {
        let key = before.key_of(finding);
        if !there.contains(&key) {
            let worst = gone.entry((key.0, key.1)).or_insert(finding.severity);
            *worst = finding.severity.max(*worst);
        }
    }
    let is_milder = |finding: &Finding| {
        let (file, at, _) = after.key_of(finding);
        gone.get(&(file, at)).is_some_and(|worst| finding.severity < *worst)
    };
    let made = || after.applied().iter().skip(before.applied().len());
    let mut fixed: FxHashMap<(FileId, &str), usize> = FxHashMap::default();
    for made in made().filter(|made| known.contains(&made.key)) {
        *fixed.entry((made.key.0, &made.key.2)).or_default() += 1;
    }
    let all_are_milder = |file: FileId, rule: &str| {
        let findings = after.outcome.findings.iter();
        findings.filter(|finding| finding.place.file == file && finding.rule == rule).all(is_milder)
    };
    let mut complaints = BTreeMap::new();
    for (&(file, rule), &(count, severity)) in &new {
        let was = old.get(&(file, rule)).map_or(0, |(count, _)| *count);
        let mended = fixed.get(&(file, rule)).copied().unwrap_or_default();
        if count + mended <= was {
            continue;
        }
        // What came to light and was mended too says nothing of what brought it there.
        let meant = || made().filter(|made| known.contains(&made.key));
        let here = meant().filter(|made| made.applied.files.contains(&file));
        let least = here.map(|made| made.applied.severity).min();
        let least = least.or_else(|| meant().map(|made| made.applied.severity).min());
        let is_still =
            made().any(|made| made.key.0 == file && made.key.2 == rule && there.contains(&made.key));
        let reason = match (is_still, mended) {
            (false, _) if least.is_some_and(|least| severity < least) => continue,
            (false, 0) if all_are_milder(file, rule) => continue,
            (false, 0) => format!("`{rule}` would be found then"),
            _ => format!("`{rule}` would still be found"),
        };
        complaints.entry(file).or_insert(reason);
    }
    // What cannot be read has no findings, and is not better for it.
    for file in made().flat_map(|made| &made.applied.files) {
        if unread(after, *file) > unread(before, *file) {
            complaints.insert(*file, "the file, or a part of it, could not be read any more".to_owned());
        }
    }
    complaints
}

/// How many parts of a file could not be read.
fn unread(run: &FixState<'_>, file: FileId) -> usize {
    let name = run.name_of(file);
    run.outcome.skipped.iter().filter(|skipped| skipped.path == name).count()
}

/// For each file that complains one fix that is to blame, found by leaving out half of those in question at a time.
fn bisect(
    start: &FixState<'_>,
    run: &FixState<'_>,
    complaints: BTreeMap<FileId, Refusal>,
    task: &Task<'_>,
    banned: &BTreeMap<Key, Refusal>,
) -> Result<BTreeMap<Key, Refusal>, UnknownSelector> {
    let made = || run.applied().iter().skip(start.applied().len());
    let mut suspects: BTreeMap<FileId, Vec<Suspect>> = BTreeMap::new();
    for &file in complaints.keys() {
        let touches = |made: &&AppliedFix| made.applied.files.contains(&file) || made.key.0 == file;
        let mut of_file = grouped(made().filter(touches));
        if of_file.is_empty() {
            // What is done in one file changes what another one does.
            of_file = grouped(made());
        }
        suspects.insert(file, of_file);
    }
    while suspects.values().any(|suspects| suspects.len() > 1) {
        let mut trial = banned.clone();
        for suspects in suspects.values() {
            let first_half = suspects[..suspects.len() / 2].iter().flatten();
            trial.extend(first_half.map(|key| (key.clone(), String::new())));
        }
        let still = self::complaints(start, &start.clone().continued(task, &trial)?);
        for (file, suspects) in suspects.iter_mut().filter(|(_, suspects)| suspects.len() > 1) {
            let behind = suspects.split_off(suspects.len() / 2);
            if still.contains_key(file) {
                *suspects = behind;
            }
        }
    }
    let mut bisect = BTreeMap::new();
    for (file, suspects) in suspects {
        let keys = suspects.into_iter().next().unwrap_or_default();
        bisect.extend(keys.into_iter().map(|key| (key, complaints[&file].clone())));
    }
    Ok(bisect)
}

/// Fixes that do the same, so that leaving out one of them alone changes nothing.
type Suspect = Vec<Key>;

fn grouped<'m>(all: impl Iterator<Item = &'m AppliedFix>) -> Vec<Suspect> {
    let mut groups: Vec<(u64, Suspect)> = Vec::new();
    for made in all {
        match groups.iter_mut().find(|(deed, _)| *deed == made.deed) {
            Some((_, keys)) => keys.push(made.key.clone()),
            None => groups.push((made.deed, vec![made.key.clone()])),
        }
    }
    groups.into_iter().map(|(_, keys)| keys).collect()
}
