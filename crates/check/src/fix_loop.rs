//! Makes all fixes that hold together: they are applied in memory, pass after pass, until nothing is left to fix; the project
//! is checked again; and what does not leave the project better is found by halving and left out.

mod bisect;
mod passes;

use crate::Outcome;
use crate::check;
use crate::facts::{FileId, Place};
use crate::findings::{Safety, Severity, Status};
use crate::fixes::Refusal;
use crate::rules::{RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Source, Sources};
use passes::FixState;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which fixes are made.
#[derive(Clone, Copy, Debug)]
pub struct FixSelection<'a> {
    /// Also those that may change what the program does.
    pub risky: bool,
    /// Findings below are left alone.
    pub least: Severity,
    /// The ids of the rules whose findings are fixed; `None` stands for all.
    pub fixable: Option<&'a FxHashSet<String>>,
}

/// The project as the fixes leave it.
pub struct FixedProject {
    pub sources: Sources,
    pub outcome: Outcome,
    /// The new content of each file that changes, a notebook's as JSON.
    pub files: BTreeMap<FileId, String>,
    /// What these files held when they were read.
    pub read: BTreeMap<FileId, String>,
    /// The same fixes on the project as it is then change nothing.
    pub is_final: bool,
    /// How many findings that a fix was offered for are gone without it, by that of another one.
    pub fixed_indirectly: usize,
    /// In the order in which they were made.
    pub applied: Vec<Applied>,
    /// Fixes that were tried and are not made.
    pub dropped: Vec<RefusedFix>,
}

/// A fix that was made.
#[derive(Clone, Debug)]
pub struct Applied {
    pub rule: String,
    pub severity: Severity,
    pub message: String,
    pub title: String,
    pub safety: Safety,
    /// The check found it before anything was changed; others come to light when those are mended.
    pub was_found: bool,
    /// Where the finding stood before anything was changed.
    pub place: Place,
    /// The files that it changes.
    pub files: Vec<FileId>,
}

/// A fix that was not made.
#[derive(Clone, Debug)]
pub struct RefusedFix {
    pub rule: String,
    /// Where the finding stood before anything was changed.
    pub place: Place,
    pub reason: Refusal,
}

/// A finding, known by where it stood at first; a rule finds one fault at one place.
type Key = (FileId, u32, String);

/// What all runs have in common.
struct Task<'a> {
    wanted: FixSelection<'a>,
    settings: &'a Settings,
    rules: &'a RuleSet,
    /// The content of a file as it was read.
    content_of: &'a dyn Fn(&Source) -> Option<String>,
    /// Other names that links give to a file, by the one under which it is changed.
    path_aliases: BTreeMap<FileId, Vec<FileId>>,
}

/// Makes the fixes in memory. `outcome` is what the check said of `sources`; `content_of` reads a file anew.
///
/// # Errors
/// When the policy or the command line names a rule that does not exist.
pub fn apply_until_stable(
    sources: &Sources,
    outcome: &Outcome,
    wanted: FixSelection<'_>,
    (settings, rules): (&Settings, &RuleSet),
    content_of: &dyn Fn(&Source) -> Option<String>,
) -> Result<FixedProject, UnknownSelector> {
    /// Each further round tries again what another fix stood in the way of.
    const ROUNDS: usize = 4;
    let task = Task { wanted, settings, rules, content_of, path_aliases: path_aliases(sources) };
    let mut run = FixState::new(sources, outcome, &task);
    let (mut dropped, mut in_vain) = (BTreeMap::new(), false);
    for _ in 0..ROUNDS {
        let before = run.applied().len();
        (run, dropped) = bisect::without(run, &task)?;
        in_vain = run.applied().len() == before;
        if in_vain || dropped.is_empty() {
            break;
        }
    }
    let is_final =
        run.is_final(&task, in_vain) || bisect::without(run.afresh(), &task)?.0.applied().is_empty();
    Ok(FixedProject { is_final, ..run.settled(sources, dropped) })
}

/// Files that were read under several names: the one under which each is changed, and the others.
pub fn path_aliases(sources: &Sources) -> BTreeMap<FileId, Vec<FileId>> {
    let root = sources.root.canonicalize().unwrap_or_else(|_| sources.root.clone());
    let mut same: BTreeMap<PathBuf, Vec<FileId>> = BTreeMap::new();
    for (at, source) in sources.files.iter().enumerate() {
        if let Some(real) = source.path.as_ref().and_then(|path| path.canonicalize().ok()) {
            same.entry(real).or_default().push(FileId(at as u32));
        }
    }
    let named = same.into_iter().filter(|(_, files)| files.len() > 1).filter_map(|(real, mut files)| {
        // Under its own name, unless nobody asked about that.
        files.sort_by_key(|file| {
            let source = sources.file(*file);
            let is_own = real
                .strip_prefix(&root)
                .is_ok_and(|name| source.path.as_ref().is_some_and(|path| *path == sources.root.join(name)));
            (!source.reported, !is_own)
        });
        let mut files = files.into_iter();
        Some((files.next()?, files.collect()))
    });
    named.collect()
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

    /// Whether the file is changed under another name.
    fn is_twin(&self, file: FileId) -> bool {
        self.path_aliases.values().flatten().any(|alias| *alias == file)
    }
}
