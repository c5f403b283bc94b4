//! Finds the fixes that do not leave a project better: what they were meant for is still found, or something new is. All
//! files that complain are halved at once, since each trial checks the whole project.

use super::passes::{Made, Run};
use super::{Key, Task, counts};
use crate::facts::FileId;
use crate::fixes::Refusal;
use crate::rules::UnknownSelector;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// More trials than this help nobody.
const MOST_BANS: usize = 30;

/// Continues a run with all fixes that hold, and says why the others do not.
pub(super) fn without<'a>(
    start: Run<'a>,
    task: &Task<'_>,
) -> Result<(Run<'a>, BTreeMap<Key, Refusal>), UnknownSelector> {
    let mut banned: BTreeMap<Key, Refusal> = BTreeMap::new();
    for _ in 0..MOST_BANS {
        let run = start.clone().continued(task, &banned)?;
        let complaints = complaints(&start, &run);
        if complaints.is_empty() {
            return Ok((run, banned));
        }
        banned.extend(culprits(&start, &run, complaints, task, &banned)?);
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
fn complaints(before: &Run<'_>, after: &Run<'_>) -> BTreeMap<FileId, Refusal> {
    let (old, new) = (counts(&before.outcome), counts(&after.outcome));
    let known: Vec<Key> = before.outcome.findings.iter().map(|finding| before.key_of(finding)).collect();
    let made = || after.applied().iter().skip(before.applied().len());
    let mut fixed: FxHashMap<(FileId, &str), usize> = FxHashMap::default();
    for made in made().filter(|made| known.contains(&made.key)) {
        *fixed.entry((made.key.0, &made.key.2)).or_default() += 1;
    }
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
        let reason = match mended {
            0 if least.is_some_and(|least| severity < least) => continue,
            0 => format!("`{rule}` would be found then"),
            _ => format!("`{rule}` would still be found"),
        };
        complaints.entry(file).or_insert(reason);
    }
    complaints
}

/// For each file that complains one fix that is to blame, found by leaving out half of those in question at a time.
fn culprits(
    start: &Run<'_>,
    run: &Run<'_>,
    complaints: BTreeMap<FileId, Refusal>,
    task: &Task<'_>,
    banned: &BTreeMap<Key, Refusal>,
) -> Result<BTreeMap<Key, Refusal>, UnknownSelector> {
    let made = || run.applied().iter().skip(start.applied().len());
    let mut suspects: BTreeMap<FileId, Vec<Key>> = BTreeMap::new();
    for &file in complaints.keys() {
        let touches = |made: &&Made| made.applied.files.contains(&file) || made.key.0 == file;
        let mut of_file: Vec<Key> = made().filter(touches).map(|made| made.key.clone()).collect();
        if of_file.is_empty() {
            // What is done in one file changes what another one does.
            of_file = made().map(|made| made.key.clone()).collect();
        }
        suspects.insert(file, of_file);
    }
    while suspects.values().any(|keys| keys.len() > 1) {
        let mut trial = banned.clone();
        for keys in suspects.values() {
            trial.extend(keys[..keys.len() / 2].iter().map(|key| (key.clone(), String::new())));
        }
        let still = self::complaints(start, &start.clone().continued(task, &trial)?);
        for (file, keys) in suspects.iter_mut().filter(|(_, keys)| keys.len() > 1) {
            let behind = keys.split_off(keys.len() / 2);
            if still.contains_key(file) {
                *keys = behind;
            }
        }
    }
    let one = |(file, keys): (FileId, Vec<Key>)| Some((keys.into_iter().next()?, complaints[&file].clone()));
    Ok(suspects.into_iter().filter_map(one).collect())
}
