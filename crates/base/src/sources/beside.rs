//! What a check asks of the disk beside the files that it was given: lists of packages, a template, where links lead.
//! Each answer is kept, so that a run sees one state of them, and can say which it saw.

use super::Digest;
use crate::disk::{Bounds, Disk, Refused, refused};
use elsa::sync::FrozenMap;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Larger files are not read.
const MOST_BYTES: u64 = 16 << 20;

/// The answers so far, by path.
#[derive(Debug, Default)]
pub struct DiskAnswers {
    disk: Disk,
    texts: Answers<Result<String, String>>,
    names: Answers<Vec<String>>,
    real: Answers<PathBuf>,
}

type Answers<T> = FrozenMap<PathBuf, Box<T>>;

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Question {
    Text(PathBuf),
    /// Which names a folder holds.
    Names(PathBuf),
    /// Where a path leads when links are followed.
    Real(PathBuf),
}

impl DiskAnswers {
    /// What is asked of a state of the disk.
    pub fn of(disk: Disk) -> DiskAnswers {
        DiskAnswers { disk, ..DiskAnswers::default() }
    }

    /// The same state, of which nothing was asked yet.
    pub fn anew(&self) -> DiskAnswers {
        DiskAnswers::of(self.disk.clone())
    }

    /// Where it may ask.
    pub fn bounds(&self) -> &Bounds {
        self.disk.bounds()
    }

    /// The text of a file, or why there is none, in one clause.
    pub fn text(&self, path: &Path) -> Result<&str, &str> {
        asked_once(&self.texts, path, |path| text_of(&self.disk, path)).as_deref().map_err(String::as_str)
    }

    /// The names in a folder, sorted; none when it cannot be read.
    pub fn names_in(&self, folder: &Path) -> &[String] {
        let names: &Vec<String> = asked_once(&self.names, folder, |folder| {
            let names = self.disk.names_in(folder).unwrap_or_default();
            names.into_iter().map(|name| name.to_string_lossy().into_owned()).collect()
        });
        names
    }

    /// Where a path leads when links are followed; the path itself when nothing lies there.
    pub fn real(&self, path: &Path) -> &Path {
        let real: &PathBuf =
            asked_once(&self.real, path, |path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        real
    }

    /// Of the answer to a question that is asked from this folder. Where that lies is no part of the answer.
    pub fn digest_of(&self, question: &Question, root: &Path) -> Digest {
        match question {
            Question::Text(path) => Digest::of(&self.text(&root.join(path))),
            Question::Names(folder) => Digest::of(self.names_in(&root.join(folder))),
            Question::Real(path) => {
                let real = self.real(&root.join(path));
                Digest::of(real.strip_prefix(root).unwrap_or(real))
            }
        }
    }

    /// All that was asked so far, in no order, with paths as seen from a folder where they lie in it.
    pub fn asked(&self, root: &Path) -> Vec<Question> {
        let below = |path: PathBuf| path.strip_prefix(root).map(Path::to_owned).unwrap_or(path);
        let texts = self.texts.keys_cloned().into_iter().map(|path| Question::Text(below(path)));
        let names = self.names.keys_cloned().into_iter().map(|path| Question::Names(below(path)));
        let real = self.real.keys_cloned().into_iter().map(|path| Question::Real(below(path)));
        texts.chain(names).chain(real).collect()
    }
}

fn asked_once<'a, T>(answers: &'a Answers<T>, path: &Path, ask: impl FnOnce(&Path) -> T) -> &'a T {
    match answers.get(path) {
        Some(known) => known,
        None => answers.insert(path.to_owned(), Box::new(ask(path))),
    }
}

fn text_of(disk: &Disk, path: &Path) -> Result<String, String> {
    let bytes = disk.read(path, MOST_BYTES).map_err(|error| match refused(&error) {
        Some(Refused::NotRegular) => "it is no file".to_owned(),
        _ => error.to_string(),
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {} MiB", MOST_BYTES >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())
}
