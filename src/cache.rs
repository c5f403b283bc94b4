//! Outcomes of earlier checks, for the same files under the same policy. A commit hook and a second try of a commit ask
//! again what was answered before.
//!
//! What a check depends on is the key: the program, the settings, the rules, and names and texts of all files that were
//! read ([`key`]). What it asked the disk for besides is kept with the outcome, and asked again. Where a text has changed, what
//! the programs came to that do not rest on it is taken from a second entry, one for each project
//! ([`ResultStore`]). The entries lie in the user's folder of caches and never in the project, where a pull request could bring
//! one that hides findings.

mod key;
pub mod shards;

use crate::Outcome;
use crate::check;
use crate::check_remembering;
use crate::findings::Finding;
use crate::program::{ResultCache, ResultStore};
use crate::rules::{Loaded, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Digest, Question, Sources};
use etcetera::BaseStrategy;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Outcomes that take more are found anew, and so are programs.
const MOST_BYTES: usize = 4 << 20;
const MOST_BYTES_OF_PROGRAMS: usize = 16 << 20;

/// When there is more than this, the older half goes.
const MOST_ENTRIES: usize = 500;
const MOST_BYTES_OF_ALL: u64 = 64 << 20;

/// A folder of outcomes.
pub struct Cache {
    folder: PathBuf,
}

/// Checks of several states of one project. What one finds, the next need not find again.
pub struct Checks {
    cache: Option<Cache>,
    /// Of each project, where there is no cache.
    earlier: RefCell<FxHashMap<Digest, ResultStore<Finding>>>,
}

impl Checks {
    pub fn with(cache: Option<Cache>) -> Checks {
        Checks { cache, earlier: RefCell::default() }
    }

    /// The same as [`check`] finds.
    ///
    /// # Errors
    /// Those of [`check`].
    pub fn check(
        &self,
        sources: &Sources,
        settings: &Settings,
        rules: &Loaded,
    ) -> Result<Outcome, UnknownSelector> {
        if let Some(cache) = &self.cache {
            return cache.check(sources, settings, rules);
        }
        let Some(keys) = key::of(sources, settings, rules) else { return check(sources, settings, rules) };
        let earlier = self.earlier.borrow().get(&keys.project).cloned().unwrap_or_default();
        let memory = ResultCache::new(earlier, sources, keys.files);
        let (outcome, earlier) = check_remembering(sources, settings, rules, Some(memory), None)?;
        if let Some(earlier) = earlier {
            self.earlier.borrow_mut().insert(keys.project, earlier);
        }
        Ok(outcome)
    }
}

/// An outcome, and what else it rests on.
#[derive(Serialize, Deserialize)]
struct Entry<O> {
    asked: Vec<(Question, Digest)>,
    outcome: O,
}

impl Cache {
    /// The cache of the user; `None` where there is no place for one.
    pub fn of_user() -> Option<Cache> {
        let folder = etcetera::choose_base_strategy().ok()?.cache_dir();
        // Without a home the folder would be one of wherever this runs.
        folder.is_absolute().then(|| Cache { folder: folder.join("gpulint").join("check") })
    }

    /// What [`check`] finds, from an earlier run where that is known. A cache that cannot be read or written is none.
    ///
    /// # Errors
    /// Those of [`check`].
    pub fn check(
        &self,
        sources: &Sources,
        settings: &Settings,
        rules: &Loaded,
    ) -> Result<Outcome, UnknownSelector> {
        let Some(keys) = key::of(sources, settings, rules) else { return check(sources, settings, rules) };
        let file = self.folder.join(format!("{}.json", keys.check));
        if let Some(outcome) = found_in(&file, sources) {
            return Ok(outcome);
        }
        let programs = self.folder.join(format!("{}.programs", keys.project));
        let earlier: Option<ResultStore<Finding>> =
            text_in(&programs).and_then(|text| serde_json::from_str(&text).ok());
        let memory = ResultCache::new(earlier.unwrap_or_default(), sources, keys.files);
        let (outcome, earlier) = check_remembering(sources, settings, rules, Some(memory), None)?;
        let _ = self.keep(&file, &outcome, sources);
        if let Some(earlier) = earlier {
            let _ = self.place(&programs, &earlier, MOST_BYTES_OF_PROGRAMS);
        }
        Ok(outcome)
    }

    fn keep(&self, file: &Path, outcome: &Outcome, sources: &Sources) -> io::Result<()> {
        // The least that one takes.
        if outcome.findings.len() > MOST_BYTES / 200 {
            return Ok(());
        }
        let asked = sources.beside.asked(&sources.root).into_iter().map(|question| {
            let digest = sources.beside.digest_of(&question, &sources.root);
            (question, digest)
        });
        self.place(file, &Entry { asked: asked.collect(), outcome }, MOST_BYTES)
    }

    /// Writes something into a file of the cache, behind its digest.
    fn place(&self, file: &Path, entry: &impl Serialize, most: usize) -> io::Result<()> {
        let entry = serde_json::to_vec(entry).map_err(io::Error::other)?;
        if entry.len() > most {
            return Ok(());
        }
        self.make_folder()?;
        // Others see the whole entry or none. What a killed run leaves goes like any entry.
        let beside = file.with_extension(std::process::id().to_string());
        let whole = [Digest::of(&entry).to_string().as_bytes(), b"\n", &entry].concat();
        let placed = fs::write(&beside, whole).and_then(|()| fs::rename(&beside, file));
        if placed.is_err() {
            let _ = fs::remove_file(&beside);
        }
        self.sweep()?;
        placed
    }

    /// Messages quote code: nobody else needs to read them.
    fn make_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.folder)
    }

    /// Removes those that were not asked for the longest, where there are too many.
    fn sweep(&self) -> io::Result<()> {
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder)?.flatten() {
            // Another run may have removed it.
            let Ok(metadata) = entry.metadata() else { continue };
            entries.push((metadata.modified()?, metadata.len(), entry.path()));
        }
        let bytes: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        if entries.len() <= MOST_ENTRIES && bytes <= MOST_BYTES_OF_ALL {
            return Ok(());
        }
        entries.sort();
        let (mut left, mut left_bytes) = (entries.len(), bytes);
        for (_, bytes, path) in entries {
            if left <= MOST_ENTRIES / 2 && left_bytes <= MOST_BYTES_OF_ALL / 2 {
                break;
            }
            let _ = fs::remove_file(path);
            (left, left_bytes) = (left - 1, left_bytes - bytes);
        }
        Ok(())
    }
}

/// The outcome in an entry, when the entry is whole and the disk still says what it rests on.
fn found_in(file: &Path, sources: &Sources) -> Option<Outcome> {
    let Entry { asked, outcome }: Entry<Outcome> = serde_json::from_str(&text_in(file)?).ok()?;
    asked
        .iter()
        .all(|(question, digest)| sources.beside.digest_of(question, &sources.root) == *digest)
        .then_some(outcome)
}

/// The text of an entry, when it is whole.
fn text_in(file: &Path) -> Option<String> {
    let mut whole = fs::read_to_string(file).ok()?;
    let (digest, entry) = whole.split_once('\n')?;
    if Digest::of(entry.as_bytes()).to_string() != digest {
        return None;
    }
    // It was of use: others go first.
    let _ = File::options().append(true).open(file).and_then(|file| file.set_modified(SystemTime::now()));
    let begin = digest.len() + 1;
    Some(whole.split_off(begin))
}

#[cfg(test)]
mod tests;
