//! Fixes applied in memory, pass after pass: those that do not touch each other together, the others in the next pass.

use super::{Applied, FixedProject, Key, RefusedFix, Task};
use crate::Outcome;
use crate::facts::{FileId, Place, Span};
use crate::findings::{Finding, Fix, Safety, Status};
use crate::fixes::edits::Edits;
use crate::fixes::originals::Original;
use crate::fixes::{Refusal, notebook, prove};
use crate::rules::UnknownSelector;
use crate::sources::{Source, Sources};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;

/// More passes than this help nobody: each checks the whole project.
const MOST_PASSES: usize = 20;

/// A project in the middle of being fixed.
#[derive(Clone)]
pub(super) struct FixState<'a> {
    sources: Cow<'a, Sources>,
    pub(super) outcome: Cow<'a, Outcome>,
    contents: BTreeMap<FileId, String>,
    /// What the changed files held at first.
    read: BTreeMap<FileId, String>,
    /// The edits of each pass, by file.
    passes: Vec<FxHashMap<FileId, Edits>>,
    made: Vec<AppliedFix>,
    /// Findings that are meant, and whether a fix was offered for them at first.
    known: FxHashMap<Key, bool>,
    /// Findings that are not meant: in the baseline, or on unchanged lines.
    left_alone: FxHashSet<Key>,
    /// Files that cannot be changed, because they are no longer what was checked.
    unusable: BTreeSet<FileId>,
    /// What would be fixed, if these files could be changed.
    refused: BTreeMap<Key, Refusal>,
}

/// A fix that is in the texts.
#[derive(Clone)]
pub(super) struct AppliedFix {
    pub key: Key,
    /// Equal where two fixes make the same edits.
    pub deed: u64,
    pub applied: Applied,
}

/// The edits that were chosen for one pass.
#[derive(Default)]
struct Chosen {
    of_file: BTreeMap<FileId, Vec<(Span, String)>>,
    fixes: Vec<AppliedFix>,
    /// What is in files that cannot be changed.
    refused: Vec<Key>,
}

impl<'a> FixState<'a> {
    pub(super) fn new(sources: &'a Sources, outcome: &'a Outcome, task: &Task<'_>) -> FixState<'a> {
        let mut run = FixState {
            sources: Cow::Borrowed(sources),
            outcome: Cow::Borrowed(outcome),
            contents: BTreeMap::new(),
            read: BTreeMap::new(),
            passes: Vec::new(),
            made: Vec::new(),
            known: FxHashMap::default(),
            left_alone: FxHashSet::default(),
            unusable: BTreeSet::new(),
            refused: BTreeMap::new(),
        };
        let is_left =
            |finding: &&Finding| finding.status != Status::Active || !finding.counts_from(task.wanted.least);
        run.left_alone = outcome.findings.iter().filter(is_left).map(|finding| run.key_of(finding)).collect();
        let meant = outcome.findings.iter().filter(|finding| !is_left(finding));
        run.known = meant.map(|finding| (run.key_of(finding), false)).collect();
        let offered: Vec<Key> = run.offered(task).map(|(finding, _)| run.key_of(finding)).collect();
        run.known.extend(offered.into_iter().map(|key| (key, true)));
        run
    }

    pub(super) fn applied(&self) -> &[AppliedFix] {
        &self.made
    }

    /// Applies all fixes but the banned ones, until none is left.
    pub(super) fn continued(
        mut self,
        task: &Task<'_>,
        banned: &BTreeMap<Key, Refusal>,
    ) -> Result<FixState<'a>, UnknownSelector> {
        for _ in 0..MOST_PASSES {
            let chosen = self.choose(task, banned);
            let unusable = "the file is gone, changed since it was checked, or is not written in UTF-8";
            self.refused.extend(chosen.refused.into_iter().map(|key| (key, unusable.to_owned())));
            if chosen.fixes.is_empty() {
                break;
            }
            let mut changed = Vec::new();
            for (file, edits) in chosen.of_file {
                match self.content_with(file, edits, task) {
                    Some(change) => changed.push((file, change)),
                    None => _ = self.unusable.insert(file),
                }
            }
            // A fix is made in all of its files or in none.
            if chosen.fixes.iter().any(|made| self.is_unusable(&made.applied.files)) {
                continue;
            }
            let mut edited = FxHashMap::default();
            let mut pass = FxHashMap::default();
            for (file, (edits, read, content)) in changed {
                self.read.entry(file).or_insert(read);
                for same in task.path_aliases.get(&file).into_iter().flatten().chain([&file]) {
                    pass.insert(*same, edits.clone());
                    edited.insert(*same, content.clone());
                }
                self.contents.insert(file, content);
            }
            self.made.extend(chosen.fixes);
            self.passes.push(pass);
            self.sources = Cow::Owned(self.sources.with_edited(edited));
            self.outcome = Cow::Owned(task.check(&self.sources)?);
        }
        Ok(self)
    }

    /// Fixes that do not touch each other, the worst findings first. A fix that was made once is not made again.
    fn choose(&self, task: &Task<'_>, banned: &BTreeMap<Key, Refusal>) -> Chosen {
        let mut doubtful = BTreeSet::new();
        loop {
            let chosen = self.chosen_among(task, banned, &doubtful);
            // Each fix alone changes nothing else; together they have to as well.
            let files = chosen.of_file.par_iter().map(|(file, _)| *file);
            let is_wrong = |file: &FileId| {
                !doubtful.contains(file) && !self.holds_together(*file, &chosen.of_file[file])
            };
            let wrong: Vec<FileId> = files.filter(is_wrong).collect();
            if wrong.is_empty() {
                return chosen;
            }
            doubtful.extend(wrong);
        }
    }

    /// The same; in doubtful files each fix is held together with those before it.
    fn chosen_among(
        &self,
        task: &Task<'_>,
        banned: &BTreeMap<Key, Refusal>,
        doubtful: &BTreeSet<FileId>,
    ) -> Chosen {
        let mut chosen = Chosen::default();
        let made: FxHashSet<&Key> = self.made.iter().map(|made| &made.key).collect();
        let mut offered: Vec<(&Finding, &Fix)> = self.offered(task).collect();
        offered.sort_by_key(|(finding, _)| Reverse(finding.severity));
        for (finding, fix) in offered {
            let key = self.key_of(finding);
            let mut files: Vec<FileId> = fix.edits.iter().map(|edit| edit.place.file).collect();
            files.dedup();
            if self.is_unusable(&files) {
                chosen.refused.push(key);
                continue;
            }
            if banned.contains_key(&key) || made.contains(&key) || !chosen.has_room_for(fix) {
                continue;
            }
            let applied = Applied {
                rule: finding.rule.clone(),
                severity: finding.severity,
                message: finding.message.clone(),
                title: fix.title.clone(),
                safety: fix.safety,
                was_found: self.known.contains_key(&key),
                place: Place { file: key.0, span: Span { start: key.1, end: key.1 } },
                files,
            };
            let edits_of = |chosen: &Chosen, file: &FileId| chosen.of_file.get(file).cloned();
            let before: Vec<_> = applied.files.iter().map(|file| (*file, edits_of(&chosen, file))).collect();
            chosen.add(fix);
            if applied
                .files
                .iter()
                .all(|file| !doubtful.contains(file) || self.holds_together(*file, &chosen.of_file[file]))
            {
                let deed = FxBuildHasher.hash_one((self.passes.len(), &fix.edits));
                chosen.fixes.push(AppliedFix { key, deed, applied });
                continue;
            }
            for (file, edits) in before {
                match edits {
                    Some(edits) => _ = chosen.of_file.insert(file, edits),
                    None => _ = chosen.of_file.remove(&file),
                }
            }
        }
        chosen
    }

    /// The fixes that are wanted. What a file has under two names is fixed under one of them.
    fn offered(&self, task: &Task<'_>) -> impl Iterator<Item = (&Finding, &Fix)> {
        let all = self.outcome.findings.iter().filter_map(|finding| Some((finding, finding.fix.as_ref()?)));
        all.filter(|(finding, fix)| {
            (fix.safety == Safety::Safe || task.wanted.risky)
                && task.wanted.fixable.is_none_or(|fixable| fixable.contains(&finding.rule))
                && finding.status != Status::Suppressed
                && finding.counts_from(task.wanted.least)
                && !self.left_alone.contains(&self.key_of(finding))
                && !fix.edits.iter().any(|edit| task.is_twin(edit.place.file))
        })
    }

    fn is_unusable(&self, files: &[FileId]) -> bool {
        files.iter().any(|file| self.unusable.contains(file))
    }

    /// Whether it is certain that the same fixes on what is there now would change nothing. `in_vain`: all that are left
    /// have just been tried.
    pub(super) fn is_final(&self, task: &Task<'_>, in_vain: bool) -> bool {
        self.offered(task).all(|(finding, _)| {
            let key = self.key_of(finding);
            // What was made once would be tried again.
            let was_tried = in_vain && !self.made.iter().any(|made| made.key == key);
            was_tried || self.refused.contains_key(&key)
        })
    }

    /// What is there now as the start of a run of its own.
    pub(super) fn afresh(&self) -> FixState<'_> {
        let is_left = |finding: &&Finding| self.left_alone.contains(&self.key_of(finding));
        let key = |finding: &Finding| (finding.place.file, finding.place.span.start, finding.rule.clone());
        FixState {
            sources: Cow::Borrowed(&self.sources),
            outcome: Cow::Borrowed(&self.outcome),
            contents: self.contents.clone(),
            read: self.read.clone(),
            passes: Vec::new(),
            made: Vec::new(),
            known: FxHashMap::default(),
            left_alone: self.outcome.findings.iter().filter(is_left).map(key).collect(),
            unusable: self.unusable.clone(),
            refused: BTreeMap::new(),
        }
    }

    fn holds_together(&self, file: FileId, pairs: &[(Span, String)]) -> bool {
        let source = self.sources.file(file);
        Edits::new(pairs.to_vec()).is_some_and(|edits| prove(source, &edits, &Original::default()).is_ok())
    }

    /// The edits, the file as it is, and with the edits, when it is still what was read.
    fn content_with(
        &self,
        file: FileId,
        pairs: Vec<(Span, String)>,
        task: &Task<'_>,
    ) -> Option<(Edits, String, String)> {
        let edits = Edits::new(pairs)?;
        let source = self.sources.file(file);
        let content = match self.contents.get(&file) {
            Some(content) => Cow::Borrowed(content),
            None => Cow::Owned((task.content_of)(source)?),
        };
        let expected = edits.applied_to(&source.text);
        let read = |content: String| Source::new(None, source.name.clone(), source.language, content).text;
        let edited = match &source.cells {
            None if *content == source.text => expected.clone(),
            Some(Ok(cells)) if read(content.to_string()) == source.text => {
                notebook::with_edits(&content, cells, &edits)?
            }
            _ => return None,
        };
        (read(edited.clone()) == expected).then_some((edits, content.into_owned(), edited))
    }

    pub(super) fn name_of(&self, file: FileId) -> &str {
        &self.sources.file(file).name
    }

    pub(super) fn key_of(&self, finding: &Finding) -> Key {
        let Place { file, span } = finding.place;
        (file, self.origin(file, span.start), finding.rule.clone())
    }

    /// Whether a finding stands in what a fix has written.
    pub(super) fn is_in_new_text(&self, finding: &Finding) -> bool {
        let Place { file, span } = finding.place;
        let mut at = span.start;
        self.passes.iter().rev().filter_map(|pass| pass.get(&file)).any(|edits| {
            let is_new = edits.wrote(at);
            at = edits.origin(at);
            is_new
        })
    }

    /// Where a byte stood before anything was changed.
    fn origin(&self, file: FileId, at: u32) -> u32 {
        let of_file = self.passes.iter().rev().filter_map(|pass| pass.get(&file));
        of_file.fold(at, |at, edits| edits.origin(at))
    }

    /// What is to be written, and why the rest is not.
    pub(super) fn settled(self, original: &Sources, mut dropped: BTreeMap<Key, Refusal>) -> FixedProject {
        dropped.extend(self.refused.clone());
        let unfixed: Vec<Option<Refusal>> =
            self.outcome.findings.iter().map(|finding| dropped.get(&self.key_of(finding)).cloned()).collect();
        let there: FxHashSet<Key> =
            self.outcome.findings.iter().map(|finding| self.key_of(finding)).collect();
        let is_indirect = |key: &Key| {
            let is_made = self.made.iter().any(|made| made.key == *key);
            !is_made && !dropped.contains_key(key) && !there.contains(key)
        };
        let fixed_indirectly =
            self.known.iter().filter(|(key, offered)| **offered && is_indirect(key)).count();
        let dropped = dropped.into_iter().map(|((file, at, rule), reason)| {
            let place = Place { file, span: Span { start: at, end: at } };
            RefusedFix { rule, place, reason }
        });
        let mut files = self.contents;
        let mut outcome = self.outcome.into_owned();
        for (finding, reason) in outcome.findings.iter_mut().zip(unfixed) {
            if reason.is_some() {
                (finding.fix, finding.unfixed) = (None, reason);
            }
        }
        let sources = match self.sources {
            Cow::Owned(sources) => sources,
            Cow::Borrowed(_) => original.clone(),
        };
        files.retain(|file, _| sources.file(*file).text != original.file(*file).text);
        let mut read = self.read;
        read.retain(|file, _| files.contains_key(file));
        FixedProject {
            sources,
            outcome,
            files,
            read,
            is_final: false,
            fixed_indirectly,
            applied: self.made.into_iter().map(|made| made.applied).collect(),
            dropped: dropped.collect(),
        }
    }
}

impl Chosen {
    /// Whether the edits of a fix overlap none that was chosen. What is the same in both is made once.
    fn has_room_for(&self, fix: &Fix) -> bool {
        fix.edits.iter().all(|edit| {
            let others = self.of_file.get(&edit.place.file).into_iter().flatten();
            others.into_iter().all(|(span, text)| {
                let (one, other) = (edit.place.span, *span);
                let is_apart = one.start != other.start && (one.end <= other.start || other.end <= one.start);
                is_apart || (one == other && *text == edit.text)
            })
        })
    }

    fn add(&mut self, fix: &Fix) {
        for edit in &fix.edits {
            let pairs = self.of_file.entry(edit.place.file).or_default();
            let pair = (edit.place.span, edit.text.clone());
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
}
