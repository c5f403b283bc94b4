//! Makes all fixes that hold together: they are applied in memory, pass after pass, until nothing is left to fix; the project
//! is checked again; and what does not leave the project better is found by halving and left out.

mod culprits;
mod passes;

use super::Refusal;
use crate::Outcome;
use crate::check;
use crate::facts::{FileId, Place};
use crate::findings::{Safety, Severity, Status};
use crate::rules::{RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Source, Sources};
use passes::Run;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Which fixes are made.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Also those that may change what the program does.
    pub risky: bool,
    /// Findings below are left alone.
    pub least: Severity,
}

/// The project as the fixes leave it.
pub struct Settled {
    pub sources: Sources,
    pub outcome: Outcome,
    /// The new content of each file that changes, a notebook's as JSON.
    pub files: BTreeMap<FileId, String>,
    /// What these files held when they were read.
    pub read: BTreeMap<FileId, String>,
    /// Files that should have changed and could not be written; nobody has written any so far.
    pub unwritten: Vec<FileId>,
    /// In the order in which they were made.
    pub applied: Vec<Applied>,
    /// Fixes that were tried and are not made.
    pub dropped: Vec<Dropped>,
}

/// A fix that was made.
#[derive(Clone, Debug)]
pub struct Applied {
    pub rule: String,
    pub severity: Severity,
    pub message: String,
    pub title: String,
    pub safety: Safety,
    /// Where the finding stood before anything was changed.
    pub place: Place,
    /// The files that it changes.
    pub files: Vec<FileId>,
}

/// A fix that was not made.
#[derive(Clone, Debug)]
pub struct Dropped {
    pub rule: String,
    /// Where the finding stood before anything was changed.
    pub place: Place,
    pub reason: Refusal,
}

/// A finding, known by where it stood at first; a rule finds one fault at one place.
type Key = (FileId, u32, String);

/// What all runs have in common.
struct Task<'a> {
    wanted: Wanted,
    settings: &'a Settings,
    rules: &'a RuleSet,
    /// The content of a file as it was read.
    content_of: &'a dyn Fn(&Source) -> Option<String>,
}

/// Makes the fixes in memory. `outcome` is what the check said of `sources`; `content_of` reads a file anew.
///
/// # Errors
/// When the policy or the command line names a rule that does not exist.
pub fn settle(
    sources: &Sources,
    outcome: &Outcome,
    wanted: Wanted,
    (settings, rules): (&Settings, &RuleSet),
    content_of: &dyn Fn(&Source) -> Option<String>,
) -> Result<Settled, UnknownSelector> {
    /// Each further round tries again what another fix stood in the way of.
    const ROUNDS: usize = 4;
    let task = Task { wanted, settings, rules, content_of };
    let mut run = Run::new(sources, outcome, &task);
    let mut dropped = BTreeMap::new();
    for _ in 0..ROUNDS {
        let before = run.applied().len();
        (run, dropped) = culprits::without(run, &task)?;
        if dropped.is_empty() || run.applied().len() == before {
            break;
        }
    }
    Ok(run.settled(sources, dropped))
}

/// How many findings of each rule each file has, and the worst of them; those that comments silence do not count.
fn counts(outcome: &Outcome) -> FxHashMap<(FileId, &str), (usize, Severity)> {
    let mut counts: FxHashMap<(FileId, &str), (usize, Severity)> = FxHashMap::default();
    for finding in outcome.findings.iter().filter(|finding| finding.status != Status::Suppressed) {
        let (count, worst) = counts.entry((finding.place.file, &finding.rule)).or_insert((0, Severity::Note));
        *count += 1;
        *worst = finding.severity.max(*worst);
    }
    counts
}

impl Task<'_> {
    fn check(&self, sources: &Sources) -> Result<Outcome, UnknownSelector> {
        check(sources, self.settings, self.rules)
    }
}
