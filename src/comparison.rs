//! Compares what was found in two states of a project: what a change brought, wherever it stands, what it mended, and which
//! changed lines are the reason.
//!
//! A finding is old when the other state has one of the same rule at the same statement of the same file ([`statement`]),
//! also where the file was moved. Equal ones are counted.

mod cause;
mod hunks;
mod statement;

pub use cause::{Causes, find_causes};

use crate::changes::States;
use crate::facts::Place;
use crate::findings::{Audience, Finding, Severity, Status};
use crate::sources::Sources;
use hunks::{Hunk, hunks};
use rustc_hash::{FxHashMap, FxHashSet};
use statement::Statements;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What was found in a state.
pub struct Found {
    pub sources: Sources,
    pub findings: Vec<Finding>,
}

/// Which findings count.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Milder ones do not fail a run.
    pub fail_on: Severity,
    /// Milder ones are not shown.
    pub shown: Severity,
}

/// By what a finding is known again in another state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FindingIdentity {
    rule: String,
    /// Where the file lay in the base.
    file: PathBuf,
    statement: String,
}

/// The marks of findings in the base, or in a state that has files where the present one has them.
fn marks(findings: &[Finding], sources: &Sources, states: &States, is_base: bool) -> Vec<FindingIdentity> {
    let mut statements = Statements::of(sources);
    let changed: FxHashSet<&Path> = states.changed().into_iter().collect();
    let mark = |finding: &Finding| {
        let source = sources.file(finding.place.file);
        let path = source.path.as_deref().unwrap_or(Path::new(&source.name));
        // A file that is the same in both needs no reading. A link is what it leads to.
        let is_link = || path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        let statement = match changed.contains(path) || is_link() {
            true => statements.at(finding.place),
            false => format!("{}..{}", finding.place.span.start, finding.place.span.end),
        };
        let file = if is_base { path } else { states.before(path) };
        FindingIdentity { rule: finding.rule.clone(), file: file.to_owned(), statement }
    };
    findings.iter().map(mark).collect()
}

/// Marks the active findings that the base has too, and returns how many of those that the base shows are gone.
pub fn mark_old(
    base: &Found,
    findings: &mut [Finding],
    sources: &Sources,
    states: &States,
    limits: Limits,
) -> usize {
    let mut known: FxHashMap<FindingIdentity, Vec<&Finding>> = FxHashMap::default();
    for (finding, mark) in base.findings.iter().zip(marks(&base.findings, &base.sources, states, true)) {
        known.entry(mark).or_default().push(finding);
    }
    let edits = Edits::between(&base.sources, sources, states);
    let marks = marks(findings, sources, states, false);
    // Of equal ones those are new that stand on changed lines.
    let mut order: Vec<usize> = (0..findings.len()).collect();
    let fails = |finding: &Finding| finding.severity >= limits.fail_on;
    order.sort_by_key(|&at| {
        let finding = &findings[at];
        (!fails(finding), finding.status != Status::Active, edits.touch(finding.place), finding.place)
    });
    let is_open_before = |rule: &str| {
        base.findings.iter().any(|finding| finding.rule == rule && finding.speaks == Audience::ForProject)
    };
    for at in order {
        let finding = &mut findings[at];
        // What nobody had to look at is no excuse for what fails.
        let counts = |known: &&Finding| {
            known.severity >= limits.fail_on
                || known.status != Status::Active
                || known.speaks != Audience::ForItself
        };
        let alike = known.get_mut(&marks[at]);
        let old = alike.and_then(|alike| {
            let position = match fails(finding) {
                true => alike.iter().position(counts),
                false => alike.iter().position(|known| !counts(known)).or((!alike.is_empty()).then_some(0)),
            };
            position.map(|position| alike.swap_remove(position))
        });
        if finding.status != Status::Active {
            continue;
        }
        if old.is_some() {
            finding.status = Status::Old;
        } else if finding.speaks == Audience::ForOneOfMany && is_open_before(&finding.rule) {
            // The project is known to leave it open; the change does so once more.
            finding.severity = finding.severity.max(Severity::Warning);
        }
    }
    // A milder one that fails now is new, and not gone.
    let new = findings.iter().zip(&marks).filter(|(finding, _)| finding.status == Status::Active);
    let new: FxHashSet<&FindingIdentity> = new.map(|(_, mark)| mark).collect();
    let left = known.iter().filter(|(mark, _)| !new.contains(mark)).flat_map(|(_, left)| left);
    left.filter(|finding| finding.status == Status::Active && finding.severity >= limits.shown).count()
}

/// The changed lines of the files that were asked about.
struct Edits<'a> {
    base: &'a Sources,
    present: &'a Sources,
    states: &'a States,
    known: RefCell<FxHashMap<PathBuf, Option<Rc<Vec<Hunk>>>>>,
}

impl<'a> Edits<'a> {
    fn between(base: &'a Sources, present: &'a Sources, states: &'a States) -> Edits<'a> {
        Edits { base, present, states, known: RefCell::default() }
    }

    /// Whether a line of the place changed, or lines beside it were taken out.
    fn touch(&self, place: Place) -> bool {
        self.ask(place, Hunk::touches)
    }

    /// The new lines that a place stands on, from 0 and without the last.
    fn new_lines(&self, place: Place) -> Option<std::ops::Range<usize>> {
        let (first, last) = self.lines(place);
        match self.hunks(place) {
            None => Some(first..last + 1),
            Some(hunks) => hunks.iter().find(|hunk| hunk.brings(first, last)).map(|hunk| hunk.after.clone()),
        }
    }

    fn ask(&self, place: Place, holds: impl Fn(&Hunk, usize, usize) -> bool) -> bool {
        let (first, last) = self.lines(place);
        self.hunks(place).is_none_or(|hunks| hunks.iter().any(|hunk| holds(hunk, first, last)))
    }

    fn lines(&self, place: Place) -> (usize, usize) {
        let source = self.present.file(place.file);
        let line = |offset| source.line_column(offset).0 as usize - 1;
        (line(place.span.start), line(place.span.end))
    }

    /// `None` for a file that the base lacks.
    fn hunks(&self, place: Place) -> Option<Rc<Vec<Hunk>>> {
        let source = self.present.file(place.file);
        // Standard input is compared with nothing.
        let path = source.path.as_deref()?;
        let mut known = self.known.borrow_mut();
        let hunks = known.entry(path.to_owned()).or_insert_with(|| {
            let before = self.states.before(path);
            if before == path && self.states.base.instead(path) == self.states.present.instead(path) {
                return Some(Rc::default());
            }
            let old = self.base.at(before)?;
            Some(Rc::new(hunks(&self.base.file(old).text, &source.text)))
        });
        hunks.clone()
    }
}
