//! Fixes applied in memory, pass after pass: those that do not touch each other together, the others in the next pass.

use super::{Applied, Dropped, Key, Settled, Task};
use crate::Outcome;
use crate::facts::{FileId, Place, Span};
use crate::findings::{Finding, Fix, Safety, Status};
use crate::fixes::edits::Edits;
use crate::fixes::{Refusal, notebook, prove};
use crate::languages::Tree;
use crate::rules::UnknownSelector;
use crate::sources::{Language, Source, Sources};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// More passes than this help nobody: each checks the whole project.
const MOST_PASSES: usize = 20;

/// A project in the middle of being fixed.
#[derive(Clone)]
pub(super) struct Run<'a> {
    sources: Cow<'a, Sources>,
    pub(super) outcome: Cow<'a, Outcome>,
    contents: BTreeMap<FileId, String>,
    /// What the changed files held at first.
    read: BTreeMap<FileId, String>,
    /// The edits of each pass, by file.
    passes: Vec<FxHashMap<FileId, Edits>>,
    made: Vec<Made>,
    /// Findings that are not meant: in the baseline, or on unchanged lines.
    left_alone: FxHashSet<Key>,
}

/// A fix that is in the texts.
#[derive(Clone)]
pub(super) struct Made {
    pub key: Key,
    pub applied: Applied,
}

/// The edits that were chosen for one pass.
#[derive(Default)]
struct Chosen<'f> {
    of_file: BTreeMap<FileId, Vec<(Span, String)>>,
    fixes: Vec<(Made, &'f Fix)>,
}

impl<'a> Run<'a> {
    pub(super) fn new(sources: &'a Sources, outcome: &'a Outcome, task: &Task<'_>) -> Run<'a> {
        let mut run = Run {
            sources: Cow::Borrowed(sources),
            outcome: Cow::Borrowed(outcome),
            contents: BTreeMap::new(),
            read: BTreeMap::new(),
            passes: Vec::new(),
            made: Vec::new(),
            left_alone: FxHashSet::default(),
        };
        let is_left =
            |finding: &&Finding| finding.status != Status::Active || finding.severity < task.wanted.least;
        run.left_alone = outcome.findings.iter().filter(is_left).map(|finding| run.key_of(finding)).collect();
        run
    }

    pub(super) fn applied(&self) -> &[Made] {
        &self.made
    }

    /// Applies all fixes but the banned ones, until none is left.
    pub(super) fn continued(
        mut self,
        task: &Task<'_>,
        banned: &BTreeMap<Key, Refusal>,
    ) -> Result<Run<'a>, UnknownSelector> {
        for _ in 0..MOST_PASSES {
            let chosen = self.choose(task, banned);
            if chosen.fixes.is_empty() {
                break;
            }
            let mut edited = FxHashMap::default();
            let mut pass = FxHashMap::default();
            let Chosen { of_file, fixes } = chosen;
            let fixes: Vec<Made> = fixes.into_iter().map(|(made, _)| made).collect();
            for (file, edits) in of_file {
                let Some((edits, read, content)) = self.content_with(file, edits, task) else { continue };
                self.read.entry(file).or_insert(read);
                pass.insert(file, edits);
                edited.insert(file, content);
            }
            if edited.is_empty() {
                break;
            }
            let is_whole = |made: &Made| made.applied.files.iter().all(|file| edited.contains_key(file));
            self.made.extend(fixes.into_iter().filter(is_whole));
            self.contents.extend(edited.iter().map(|(file, content)| (*file, content.clone())));
            self.passes.push(pass);
            self.sources = Cow::Owned(self.sources.with_edited(edited));
            self.outcome = Cow::Owned(task.check(&self.sources)?);
        }
        Ok(self)
    }

    /// Fixes that do not touch each other, the worst findings first. A fix that was made once is not made again.
    fn choose(&self, task: &Task<'_>, banned: &BTreeMap<Key, Refusal>) -> Chosen<'_> {
        let mut chosen = Chosen::default();
        let made: FxHashSet<&Key> = self.made.iter().map(|made| &made.key).collect();
        let mut offered: Vec<(&Finding, &Fix)> = self
            .outcome
            .findings
            .iter()
            .filter_map(|finding| Some((finding, finding.fix.as_ref()?)))
            .collect();
        offered.sort_by_key(|(finding, _)| Reverse(finding.severity));
        for (finding, fix) in offered {
            let key = self.key_of(finding);
            let is_meant = (fix.safety == Safety::Safe || task.wanted.risky)
                && finding.status != Status::Suppressed
                && finding.severity >= task.wanted.least
                && !self.left_alone.contains(&key)
                && !banned.contains_key(&key)
                && !made.contains(&key);
            if !is_meant || !chosen.has_room_for(fix) {
                continue;
            }
            let mut files: Vec<FileId> = fix.edits.iter().map(|edit| edit.place.file).collect();
            files.dedup();
            let applied = Applied {
                rule: finding.rule.clone(),
                severity: finding.severity,
                message: finding.message.clone(),
                title: fix.title.clone(),
                safety: fix.safety,
                place: Place { file: key.0, span: Span { start: key.1, end: key.1 } },
                files,
            };
            chosen.add(fix);
            chosen.fixes.push((Made { key, applied }, fix));
        }
        self.that_hold_together(chosen)
    }

    /// Each fix alone changes nothing else. Where those of a file do together, the first of them is made in this pass.
    fn that_hold_together<'f>(&self, chosen: Chosen<'f>) -> Chosen<'f> {
        let of_file: Vec<_> = chosen.of_file.iter().collect();
        let clash = |(file, pairs): &(&FileId, &Vec<(Span, String)>)| {
            (!self.holds_together(**file, pairs)).then_some(**file)
        };
        let clashing: FxHashSet<FileId> = of_file.par_iter().filter_map(clash).collect();
        if clashing.is_empty() {
            return chosen;
        }
        let mut kept = Chosen::default();
        let mut taken: FxHashSet<FileId> = FxHashSet::default();
        for (made, fix) in chosen.fixes {
            let mut own = made.applied.files.iter().filter(|file| clashing.contains(file));
            if !own.any(|file| taken.contains(file)) {
                taken.extend(made.applied.files.iter().filter(|file| clashing.contains(file)));
                kept.add(fix);
                kept.fixes.push((made, fix));
            }
        }
        kept
    }

    fn holds_together(&self, file: FileId, pairs: &[(Span, String)]) -> bool {
        let Some(edits) = Edits::new(pairs.to_vec()) else { return false };
        let source = self.sources.file(file);
        let tree = match source.language {
            Language::Python | Language::Notebook => Tree::of(source),
            _ => Ok(Tree::default()),
        };
        tree.is_ok_and(|tree| prove(source, &edits, || Ok(&tree)).is_ok())
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

    pub(super) fn key_of(&self, finding: &Finding) -> Key {
        let Place { file, span } = finding.place;
        (file, self.origin(file, span.start), finding.rule.clone())
    }

    /// Where a byte stood before anything was changed.
    fn origin(&self, file: FileId, at: u32) -> u32 {
        let of_file = self.passes.iter().rev().filter_map(|pass| pass.get(&file));
        of_file.fold(at, |at, edits| edits.origin(at))
    }

    /// What is to be written, and why the rest is not.
    pub(super) fn settled(self, original: &Sources, dropped: BTreeMap<Key, Refusal>) -> Settled {
        let dropped = dropped.into_iter().map(|((file, at, rule), reason)| {
            let place = Place { file, span: Span { start: at, end: at } };
            Dropped { rule, place, reason }
        });
        let mut files = self.contents;
        let outcome = self.outcome.into_owned();
        let sources = match self.sources {
            Cow::Owned(sources) => sources,
            Cow::Borrowed(_) => original.clone(),
        };
        files.retain(|file, _| sources.file(*file).text != original.file(*file).text);
        let mut read = self.read;
        read.retain(|file, _| files.contains_key(file));
        Settled {
            sources,
            outcome,
            files,
            read,
            unwritten: Vec::new(),
            applied: self.made.into_iter().map(|made| made.applied).collect(),
            dropped: dropped.collect(),
        }
    }
}

impl<'f> Chosen<'f> {
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
