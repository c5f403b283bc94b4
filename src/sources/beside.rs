//! What a check asks of the disk beside the files that it was given: lists of packages, a template, where links lead.
//! Each answer is kept, so that a run sees one state of them, and can say which it saw.

use super::Digest;
use elsa::sync::FrozenMap;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Larger files are not read.
const MOST_BYTES: u64 = 16 << 20;

/// The answers so far, by path.
#[derive(Debug, Default)]
pub struct Beside {
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

impl Beside {
    /// The text of a file, or why there is none, in one clause.
    pub fn text(&self, path: &Path) -> Result<&str, &str> {
        asked_once(&self.texts, path, text_of).as_deref().map_err(String::as_str)
    }

    /// The names in a folder, sorted; none when it cannot be read.
    pub fn names_in(&self, folder: &Path) -> &[String] {
        let names: &Vec<String> = asked_once(&self.names, folder, |folder| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut names: Vec<String> =
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        });
        names
    }

    /// Where a path leads when links are followed; the path itself when nothing lies there.
    pub fn real(&self, path: &Path) -> &Path {
        let real: &PathBuf =
            asked_once(&self.real, path, |path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        real
    }

    /// Of the answer to a question.
    pub fn digest_of(&self, question: &Question) -> Digest {
        match question {
            Question::Text(path) => Digest::of(&self.text(path)),
            Question::Names(folder) => Digest::of(self.names_in(folder)),
            Question::Real(path) => Digest::of(self.real(path)),
        }
    }

    /// All that was asked so far, in no order.
    pub fn asked(&self) -> Vec<Question> {
        let texts = self.texts.keys_cloned().into_iter().map(Question::Text);
        let names = self.names.keys_cloned().into_iter().map(Question::Names);
        let real = self.real.keys_cloned().into_iter().map(Question::Real);
        texts.chain(names).chain(real).collect()
    }
}

fn asked_once<'a, T>(answers: &'a Answers<T>, path: &Path, ask: impl FnOnce(&Path) -> T) -> &'a T {
    match answers.get(path) {
        Some(known) => known,
        None => answers.insert(path.to_owned(), Box::new(ask(path))),
    }
}

fn text_of(path: &Path) -> Result<String, String> {
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    if metadata.len() > MOST_BYTES {
        return Err(format!("it is larger than {} MiB", MOST_BYTES >> 20));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}
