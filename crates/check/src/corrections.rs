//! What the fixes did to a project, file by file, as reports tell it.

mod diffs;

pub use diffs::patch;

use super::fix_loop::{Applied, FixedProject, RefusedFix};
use crate::facts::FileId;
use crate::findings::{Safety, Severity};
use crate::sources::{Position, Sources};
use serde::Serialize;

/// What was changed, or would be.
#[derive(Debug, Default)]
pub struct Corrections {
    /// By name.
    pub files: Vec<Correction>,
    /// Fixes that were tried and not made.
    pub dropped: Vec<RemainingFinding>,
    /// How many of the findings of the check are mended; one that needs changes in several files counts once.
    pub mended: usize,
    /// Nothing was written: a diff was asked for.
    pub is_dry: bool,
    /// The same fixes on what is there then would change nothing.
    pub is_final: bool,
    /// A file could not be written and is as it was.
    pub is_partial: bool,
}

/// One file that changes.
#[derive(Debug)]
pub struct Correction {
    pub file: FileId,
    pub name: String,
    /// The findings that are mended by what changes in this file, in the order of their places.
    pub mended: Vec<FixedFinding>,
    /// A unified diff of the file, as `git apply` and `patch -p1` read it.
    pub patch: String,
    /// Of a notebook a diff of the code of its cells.
    pub cells: Option<String>,
}

/// A finding that is mended.
#[derive(Clone, Debug, Serialize)]
pub struct FixedFinding {
    pub rule: String,
    pub severity: Severity,
    pub message: String,
    /// What was done.
    pub title: String,
    pub safety: Safety,
    /// Where the finding stood, in the file as it was.
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
    pub line: u32,
    pub column: u32,
}

/// A finding that stays although there is a fix for it.
#[derive(Clone, Debug, Serialize)]
pub struct RemainingFinding {
    pub rule: String,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
    /// In the file as it was.
    pub line: u32,
    /// In one clause.
    pub reason: String,
}

impl Corrections {
    /// `sources` is the project as it was.
    pub fn of(sources: &Sources, settled: &FixedProject, is_dry: bool) -> Corrections {
        let mut files: Vec<Correction> = Vec::new();
        for (&file, content) in &settled.files {
            let mut of_file: Vec<&Applied> =
                settled.applied.iter().filter(|applied| applied.files.contains(&file)).collect();
            of_file.sort_by_key(|applied| (applied.place, &applied.rule));
            let read = settled.read.get(&file).map_or("", String::as_str);
            let (old, new) = (sources.file(file), settled.sources.file(file));
            files.push(Correction {
                file,
                name: old.name.clone(),
                mended: of_file.into_iter().map(|applied| FixedFinding::of(applied, sources)).collect(),
                patch: diffs::patch(&old.name, read, content),
                cells: diffs::of_cells(old, new),
            });
        }
        files.sort_by(|one, other| one.name.cmp(&other.name));
        let is_counted = |applied: &&Applied| {
            applied.was_found && applied.files.iter().any(|file| settled.files.contains_key(file))
        };
        Corrections {
            files,
            dropped: settled.dropped.iter().map(|dropped| RemainingFinding::of(dropped, sources)).collect(),
            mended: settled.applied.iter().filter(is_counted).count() + settled.fixed_indirectly,
            is_dry,
            is_final: settled.is_final,
            is_partial: false,
        }
    }
}

impl Correction {
    /// The diff for people.
    pub fn diff(&self) -> &str {
        self.cells.as_deref().unwrap_or(&self.patch)
    }
}

impl FixedFinding {
    fn of(applied: &Applied, sources: &Sources) -> FixedFinding {
        let Position { cell, line, column, .. } = sources.position(applied.place);
        FixedFinding {
            rule: applied.rule.clone(),
            severity: applied.severity,
            message: applied.message.clone(),
            title: applied.title.clone(),
            safety: applied.safety,
            path: sources.file(applied.place.file).name.clone(),
            cell,
            line,
            column,
        }
    }
}

impl RemainingFinding {
    fn of(dropped: &RefusedFix, sources: &Sources) -> RemainingFinding {
        let Position { cell, line, .. } = sources.position(dropped.place);
        let path = sources.file(dropped.place.file).name.clone();
        RemainingFinding { rule: dropped.rule.clone(), path, cell, line, reason: dropped.reason.clone() }
    }
}
