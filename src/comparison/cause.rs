//! Which change brought a finding. A finding that stands on new lines, or is explained by some, was brought by them. For the
//! others it is tried: changes are taken back, half of them at a time, and the project is checked again, until one
//! is left without which the finding is not there.

use super::hunks::{Hunk, hunks, without};
use super::{Edits, FindingIdentity, Found, Limits, marks};
use crate::changes::States;
use crate::disk::Disk;
use crate::facts::{Place, Span};
use crate::findings::{Audience, Cause, Finding, Severity, Status};
use crate::sources::Sources;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A project is checked again so often at most; a larger one until so many files were looked at, and a few times at least.
const MOST_CHECKS: usize = 24;
const MOST_FILES: usize = 3_000;
const LEAST_CHECKS: usize = 4;

/// Larger texts are taken back as a whole.
const MOST_BYTES: u64 = 4 << 20;

/// What the search works on.
pub struct Causes<'a> {
    pub base: &'a Found,
    pub sources: &'a Sources,
    pub states: &'a States,
    /// Checks a state; `None` where it cannot be checked.
    pub check: &'a dyn Fn(&Disk) -> Option<Found>,
}

/// One change: some lines of a file, or all of it.
struct Change {
    path: PathBuf,
    /// `None`: the file came, went or is no text.
    lines: Option<Lines>,
}

struct Lines {
    before: Arc<str>,
    after: Arc<str>,
    hunk: Hunk,
}

/// Says of each new finding which change brought it, where that can be told.
pub fn find_causes(findings: &mut [Finding], limits: Limits, causes: Causes<'_>) {
    let least = limits.shown.min(limits.fail_on);
    let is_new = |finding: &Finding| finding.status == Status::Active && finding.severity >= least;
    let edits = Edits::between(&causes.base.sources, causes.sources, causes.states);
    for finding in findings.iter_mut().filter(|finding| is_new(finding)) {
        finding.caused_by = causes.by_place(finding, &edits);
    }
    let is_open = findings.iter().any(|finding| is_new(finding) && finding.caused_by.is_none());
    // Where a folder came as a whole, the changes are not all that differs.
    if !is_open || !causes.states.lack_the_same() {
        return;
    }
    // Those that speak of GPUs are the likely ones, and tried first.
    let (likely, others): (Vec<Change>, Vec<Change>) =
        causes.changes().into_iter().partition(|change| causes.is_likely(change));
    let (first, changes) = (likely.len(), likely.into_iter().chain(others).collect::<Vec<_>>());
    let all: Vec<FindingIdentity> = marks(findings, causes.sources, causes.states, false);
    let count = |mark: &FindingIdentity, marks: &[FindingIdentity]| {
        marks.iter().filter(|other| *other == mark).count()
    };
    let files = causes.sources.files.len().max(1);
    let mut left = (MOST_FILES / files).clamp(LEAST_CHECKS, MOST_CHECKS);
    for at in 0..findings.len() {
        if !is_new(&findings[at]) || findings[at].caused_by.is_some() || left == 0 {
            continue;
        }
        let mut without_it: Vec<usize> = Vec::new();
        let mut tell = |undone: &[&Change]| {
            left = left.checked_sub(1)?;
            let found = (causes.check)(&causes.state_without(undone))?;
            let there = marks_that_count(&found, causes.states, least);
            let is_gone = |at: &usize| count(&all[*at], &there) < count(&all[*at], &all);
            without_it = (0..all.len()).filter(is_gone).collect();
            Some(without_it.contains(&at))
        };
        let Some(change) = narrowed(changes.iter().collect(), first, &mut tell) else { continue };
        // What the last try was without has the same reason, where that try was about this change.
        let cause = causes.cause_of(change);
        if !without_it.contains(&at) {
            without_it = vec![at];
        }
        for same in without_it {
            if is_new(&findings[same]) {
                findings[same].caused_by.get_or_insert_with(|| cause.clone());
            }
        }
    }
}

/// The change without which something is gone, where all of them together bring it; the first of those that do it together.
/// At first it is looked for in the `likely` ones.
fn narrowed<'c>(
    mut changes: Vec<&'c Change>,
    likely: usize,
    is_gone: &mut dyn FnMut(&[&Change]) -> Option<bool>,
) -> Option<&'c Change> {
    let mut half = likely;
    while changes.len() > 1 {
        if half == 0 || half == changes.len() {
            half = changes.len() / 2;
        }
        let second = changes.split_off(half);
        half = 0;
        match (is_gone(&changes), &second) {
            (Some(true), _) => {}
            (Some(false), second) if is_gone(second)? => changes = second.clone(),
            // Both are needed.
            (Some(false), _) => break,
            (None, _) => return None,
        }
    }
    changes.first().copied()
}

/// The findings that count. One that the project as a whole decides is milder where another speaks for it.
fn marks_that_count(found: &Found, states: &States, least: Severity) -> Vec<FindingIdentity> {
    let counts = |finding: &&Finding| {
        finding.status == Status::Active
            && (finding.severity >= least || finding.speaks != Audience::ForItself)
    };
    let findings: Vec<Finding> = found.findings.iter().filter(counts).cloned().collect();
    marks(&findings, &found.sources, states, false)
}

impl Causes<'_> {
    /// The new lines that a finding stands on, or else those that a related place does.
    fn by_place(&self, finding: &Finding, edits: &Edits<'_>) -> Option<Cause> {
        let related: &[_] = if finding.speaks == Audience::ForProject { &[] } else { &finding.related };
        let places = std::iter::once(finding.place).chain(related.iter().map(|related| related.place));
        let mut places = places.filter(|place| place.span != Span::default() || place == &finding.place);
        places.find_map(|place| {
            let lines = edits.new_lines(place)?;
            Some(self.cause_at(place, lines))
        })
    }

    fn cause_at(&self, place: Place, lines: Range<usize>) -> Cause {
        let source = self.sources.file(place.file);
        // Of many new lines the one that counts.
        let (first, last) = match place.span == Span::default() {
            true => (lines.start as u32 + 1, lines.start as u32 + 1),
            false => source.file_lines(place.span),
        };
        Cause { path: source.name.clone(), lines: Some((first, last)), removed: false }
    }

    /// Whether a change speaks of GPUs.
    fn is_likely(&self, change: &Change) -> bool {
        let lines = |text: &str, range: &Range<usize>| {
            let lines: Vec<&str> = text.split_inclusive('\n').skip(range.start).take(range.len()).collect();
            Sources::speaks_of_gpus(lines.concat().as_bytes())
        };
        match &change.lines {
            Some(Lines { before, after, hunk }) => lines(before, &hunk.before) || lines(after, &hunk.after),
            None => [&self.states.base, &self.states.present]
                .into_iter()
                .filter_map(|disk| disk.read(&change.path, MOST_BYTES).ok())
                .any(|content| Sources::speaks_of_gpus(&content)),
        }
    }

    /// All changes in the order of the files, first those of files that are read.
    fn changes(&self) -> Vec<Change> {
        let mut all = Vec::new();
        let mut paths = self.states.changed();
        paths.sort_by_key(|path| !Sources::may_hold(&self.sources.root, path));
        for path in paths {
            let (old, new) = (
                self.text(&self.states.base, self.states.before(path)),
                self.text(&self.states.present, path),
            );
            match (old, new) {
                (Some(before), Some(after)) => {
                    all.extend(hunks(&before, &after).into_iter().map(|hunk| {
                        let lines = Lines { before: Arc::clone(&before), after: Arc::clone(&after), hunk };
                        Change { path: path.to_owned(), lines: Some(lines) }
                    }));
                }
                _ if self.states.moved_from(path) => {}
                _ => all.push(Change { path: path.to_owned(), lines: None }),
            }
        }
        all
    }

    fn text(&self, disk: &Disk, path: &Path) -> Option<Arc<str>> {
        let bytes = disk.read(path, MOST_BYTES).ok().filter(|bytes| bytes.len() as u64 <= MOST_BYTES)?;
        String::from_utf8(bytes).ok().map(Arc::from)
    }

    /// The present state without some of the changes.
    fn state_without(&self, undone: &[&Change]) -> Disk {
        let together = undone.chunk_by(|one, other| one.path == other.path);
        let files = together.map(|changes| {
            let path = changes[0].path.clone();
            let Some(Lines { before, after, .. }) = &changes[0].lines else {
                let old = self.states.base.instead(&path).flatten().map(Arc::from);
                return (path, old);
            };
            let hunks: Vec<&Hunk> =
                changes.iter().filter_map(|change| Some(&change.lines.as_ref()?.hunk)).collect();
            (path, Some(Arc::from(without(before, after, &hunks).into_bytes())))
        });
        self.states.present.and(files.collect::<Vec<_>>())
    }

    fn cause_of(&self, change: &Change) -> Cause {
        let path = self.sources.name_of(&change.path);
        match &change.lines {
            Some(Lines { hunk, .. }) if hunk.after.is_empty() => {
                let before = hunk.after.start.max(1) as u32;
                Cause { path, lines: Some((before, before)), removed: true }
            }
            Some(Lines { hunk, .. }) => Cause {
                path,
                lines: Some((hunk.after.start as u32 + 1, hunk.after.end as u32)),
                removed: false,
            },
            None => {
                let is_there = self.states.present.is_file(&change.path);
                Cause { path, lines: is_there.then_some((1, 1)), removed: !is_there }
            }
        }
    }
}
