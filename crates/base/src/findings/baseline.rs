//! Baselines: a file with the findings that a project had when it began to use gpulint, to be settled later. They are
//! marked and do not fail a run, so that only new ones do.
//!
//! The file is JSON with one finding on each line, sorted, so that a change of it can be reviewed like code. What
//! recognises a finding is its fingerprint; path, rule and message are for people, and for moved files.

use super::fingerprint::marks;
use super::{Finding, Status};
use crate::disk::{Disk, Refused, refused};
use crate::sources::Sources;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

/// The name of the file where nothing else is said.
pub const NAME: &str = "gpulint-baseline.json";

/// The form of the file. Another one gets another number.
const SCHEMA: u64 = 1;

/// Half a million findings; more are none that anybody settles.
const MOST_BYTES: u64 = 128 << 20;

/// Known findings, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeSet<Entry>,
}

/// One known finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub path: String,
    pub rule: String,
    pub fingerprint: String,
    pub message: String,
}

/// A file that is no baseline that can be used, in one sentence with the way out.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("the baseline {0} does not exist; `gpulint check --baseline {0} --write-baseline` writes it")]
    Missing(String),
    #[error("the baseline {0} cannot be read ({1})")]
    Unreadable(String, String),
    #[error("the baseline {0} leads outside of the project; put it there, or name it with --baseline")]
    Outside(String),
    #[error(
        "the baseline {0} is no regular file; name another with --baseline, or under `baseline` of the policy"
    )]
    NotRegular(String),
    #[error("the baseline {0} is larger than {mib} MiB, which no list of findings is", mib = MOST_BYTES >> 20)]
    TooLarge(String),
    #[error(
        "{0}:{1}: no baseline: {2}; correct the line, or remove the file and write it anew with --write-baseline"
    )]
    Malformed(String, usize, String),
    #[error(
        "{0}:{1}: a baseline of schema {2}, and this gpulint reads schema 1; use a newer gpulint, \
         or remove the file and write it anew with --write-baseline"
    )]
    OtherSchema(String, usize, String),
}

impl BaselineError {
    /// Why a file that is refused is neither read nor written.
    pub fn of_refused(error: &std::io::Error, shown: &str) -> BaselineError {
        match refused(error) {
            Some(Refused::Outside) => BaselineError::Outside(shown.to_owned()),
            Some(Refused::NotRegular) => BaselineError::NotRegular(shown.to_owned()),
            None => BaselineError::Unreadable(shown.to_owned(), error.to_string()),
        }
    }
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    schema: serde_json::Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(rename = "schema")]
    _schema: u64,
    findings: Vec<Entry>,
}

/// What a run can say about entries: which files and rules it looked at.
pub struct Run<'a> {
    /// Paths of the files that were checked, as reports show them.
    pub files: FxHashSet<&'a str>,
    /// Ids of the rules that ran.
    pub rules: FxHashSet<&'a str>,
    /// Whether a path as reports show it is gone from the disk.
    pub is_gone: &'a dyn Fn(&str) -> bool,
    /// Whether a path lies below those that the user named.
    pub is_named: &'a dyn Fn(&str) -> bool,
}

/// What became of a baseline in a run.
#[derive(Debug, Default)]
pub struct BaselineResult<'b> {
    /// Entries whose finding was seen again, under its path or where the file moved to.
    seen: FxHashSet<&'b Entry>,
}

impl Baseline {
    /// Reads a file; `shown` is its name in messages.
    pub fn read(disk: &Disk, file: &Path, shown: &str) -> Result<Baseline, BaselineError> {
        let bytes = match disk.read(file, MOST_BYTES) {
            Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
                return Err(BaselineError::TooLarge(shown.to_owned()));
            }
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(BaselineError::Missing(shown.to_owned()));
            }
            Err(error) if refused(&error).is_some() => return Err(BaselineError::of_refused(&error, shown)),
            Err(error) => return Err(BaselineError::Unreadable(shown.to_owned(), error.to_string())),
        };
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let malformed = |error: serde_json::Error| {
            let (line, what) = (error.line().max(1), error.to_string());
            let what = what.split(" at line ").next().unwrap_or_default().to_owned();
            BaselineError::Malformed(shown.to_owned(), line, what)
        };
        let Head { schema } = serde_json::from_slice(bytes).map_err(malformed)?;
        if !schema.is_null() && schema != SCHEMA {
            let line = bytes
                .split(|byte| *byte == b'\n')
                .position(|line| memchr::memmem::find(line, b"\"schema\"").is_some());
            return Err(BaselineError::OtherSchema(
                shown.to_owned(),
                line.unwrap_or_default() + 1,
                schema.to_string(),
            ));
        }
        let document: Document = serde_json::from_slice(bytes).map_err(malformed)?;
        Ok(Baseline { entries: document.findings.into_iter().collect() })
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Marks the findings that are known. Findings in a file that lies at a new path are known by the entries of
    /// files that are gone.
    pub fn mark(&self, findings: &mut [Finding], sources: &Sources, run: &Run) -> BaselineResult<'_> {
        let known: FxHashMap<(&str, &str), &Entry> = self
            .entries
            .iter()
            .map(|entry| ((entry.rule.as_str(), entry.fingerprint.as_str()), entry))
            .collect();
        let mut held = BaselineResult::default();
        let mut gone: BTreeSet<&str> = self.entries.iter().map(|entry| entry.path.as_str()).collect();
        gone.retain(|path| (run.is_gone)(path));
        let mut statuses = Vec::with_capacity(findings.len());
        for (finding, mark) in findings.iter().zip(marks(findings, sources)) {
            let entry_of =
                |path: Option<&str>| known.get(&(finding.rule.as_str(), mark.within(path).as_str())).copied();
            let is_active = finding.status == Status::Active;
            let entry = entry_of(None).filter(|_| is_active);
            let moved = || {
                gone.iter().filter_map(|path| entry_of(Some(path))).find(|entry| !held.seen.contains(entry))
            };
            let entry = entry.or_else(|| if is_active { moved() } else { None });
            held.seen.extend(entry);
            statuses.push(if entry.is_some() { Status::Baselined } else { finding.status });
        }
        for (finding, status) in findings.iter_mut().zip(statuses) {
            finding.status = status;
        }
        held
    }

    /// Entries that no finding answers to any more, of files and rules that this run looked at.
    pub fn settled<'b>(&'b self, held: &BaselineResult<'b>, run: &Run) -> Vec<&'b Entry> {
        let looked_at = |entry: &&Entry| {
            run.files.contains(entry.path.as_str()) && run.rules.contains(entry.rule.as_str())
        };
        self.entries.iter().filter(looked_at).filter(|entry| !held.seen.contains(entry)).collect()
    }

    /// The baseline after this run: the findings that are `kept` now, and the entries that the run says nothing about.
    pub fn rewritten(
        &self,
        held: &BaselineResult,
        findings: &[Finding],
        sources: &Sources,
        run: &Run,
        is_kept: &dyn Fn(&Finding) -> bool,
    ) -> Baseline {
        let is_untouched = |entry: &&Entry| {
            let path = entry.path.as_str();
            let moved_or_gone = (run.is_gone)(path) && (held.seen.contains(entry) || (run.is_named)(path));
            let looked_at = run.files.contains(path) && run.rules.contains(entry.rule.as_str());
            !moved_or_gone && !looked_at
        };
        let mut entries: BTreeSet<Entry> = self.entries.iter().filter(is_untouched).cloned().collect();
        let marks = marks(findings, sources);
        let kept = findings.iter().zip(marks).filter(|(finding, _)| is_kept(finding));
        entries.extend(kept.map(|(finding, mark)| Entry {
            path: sources.file(finding.place.file).name.clone(),
            rule: finding.rule.clone(),
            fingerprint: mark.within(None),
            message: finding.message.clone(),
        }));
        Baseline { entries }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let line = |entry: &Entry| format!("\n    {}", serde_json::to_string(entry).unwrap_or_default());
        let lines: Vec<String> = self.entries.iter().map(line).collect();
        let end = if lines.is_empty() { "" } else { "\n  " };
        format!("{{\n  \"schema\": {SCHEMA},\n  \"findings\": [{}{end}]\n}}\n", lines.join(","))
    }

    /// How many entries this one has that `other` lacks.
    pub fn beyond(&self, other: &Baseline) -> usize {
        self.entries.difference(&other.entries).count()
    }
}
