//! Outcomes of earlier checks, for the same files under the same policy. A commit hook and a second try of a commit ask
//! again what was answered before.
//!
//! What a check depends on is the key: the program, the settings, the rules, and names and texts of all files that were
//! read ([`key`]). What it asked the disk for besides is kept with the outcome, and asked again. The entries lie in the
//! user's folder of caches and never in the project, where a pull request could bring one that hides findings.

mod key;

use crate::Outcome;
use crate::check;
use crate::rules::{Loaded, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Question, Sources};
use etcetera::BaseStrategy;
use key::Digest;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Outcomes that take more are found anew.
const MOST_BYTES: usize = 4 << 20;

/// When there is more than this, the older half goes.
const MOST_ENTRIES: usize = 500;
const MOST_BYTES_OF_ALL: u64 = 64 << 20;

/// A folder of outcomes.
pub struct Cache {
    folder: PathBuf,
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
        let Some(key) = key::of(sources, settings, rules) else { return check(sources, settings, rules) };
        let file = self.folder.join(format!("{key}.json"));
        if let Some(outcome) = found_in(&file, sources) {
            return Ok(outcome);
        }
        let outcome = check(sources, settings, rules)?;
        // The answer does not depend on whether it could be kept.
        let _ = self.keep(&file, &outcome, sources);
        Ok(outcome)
    }

    fn keep(&self, file: &Path, outcome: &Outcome, sources: &Sources) -> io::Result<()> {
        // The least that one takes.
        if outcome.findings.len() > MOST_BYTES / 200 {
            return Ok(());
        }
        let asked = sources.beside.asked().into_iter().map(|question| {
            let digest = answer_to(&question, sources);
            (question, digest)
        });
        let asked = asked.collect();
        let entry = serde_json::to_vec(&Entry { asked, outcome }).map_err(io::Error::other)?;
        if entry.len() > MOST_BYTES {
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
    let whole = fs::read_to_string(file).ok()?;
    let (digest, entry) = whole.split_once('\n')?;
    if Digest::of(entry.as_bytes()).to_string() != digest {
        return None;
    }
    let Entry { asked, outcome }: Entry<Outcome> = serde_json::from_str(entry).ok()?;
    if asked.iter().any(|(question, digest)| answer_to(question, sources) != *digest) {
        return None;
    }
    // It was of use: others go first.
    let _ = File::options().append(true).open(file).and_then(|file| file.set_modified(SystemTime::now()));
    Some(outcome)
}

fn answer_to(question: &Question, sources: &Sources) -> Digest {
    Digest::made_by(|hasher| sources.beside.hash_answer(question, hasher))
}

#[cfg(test)]
mod tests;
