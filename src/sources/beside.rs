//! What a check asks of the disk beside the files that it was given: lists of packages, a template, where links lead.
//! Each answer is kept, so that a run sees one state of them, and can say which it saw.

use elsa::sync::FrozenMap;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Larger files are not read.
const MOST_BYTES: u64 = 16 << 20;

/// The answers so far.
#[derive(Debug, Default)]
pub struct Beside {
    answers: FrozenMap<Question, Box<Answer>>,
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Question {
    Text(PathBuf),
    /// Which names a folder holds.
    Names(PathBuf),
    /// Where a path leads when links are followed.
    Real(PathBuf),
}

/// What the disk said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Else why there is none, in one clause.
    Text(Result<String, String>),
    /// Sorted; of a folder that cannot be read, none.
    Names(Vec<String>),
    Real(PathBuf),
}

impl Beside {
    /// The text of a file, or why there is none.
    pub fn text(&self, path: PathBuf) -> Result<&str, &str> {
        match self.answer(Question::Text(path)) {
            Answer::Text(text) => text.as_deref().map_err(String::as_str),
            Answer::Names(_) | Answer::Real(_) => unreachable!("a text was asked for"),
        }
    }

    /// The names in a folder, sorted; none when it cannot be read.
    pub fn names_in(&self, folder: PathBuf) -> &[String] {
        match self.answer(Question::Names(folder)) {
            Answer::Names(names) => names,
            Answer::Text(_) | Answer::Real(_) => unreachable!("names were asked for"),
        }
    }

    /// Where a path leads when links are followed; the path itself when nothing lies there.
    pub fn real(&self, path: &Path) -> &Path {
        match self.answer(Question::Real(path.to_owned())) {
            Answer::Real(path) => path,
            Answer::Text(_) | Answer::Names(_) => unreachable!("a path was asked for"),
        }
    }

    /// The answer to a question, which is asked once.
    pub fn answer(&self, question: Question) -> &Answer {
        if let Some(known) = self.answers.get(&question) {
            return known;
        }
        let answer = Box::new(ask(&question));
        self.answers.insert(question, answer)
    }

    /// All that was asked so far, in no order.
    pub fn asked(&self) -> Vec<Question> {
        self.answers.keys_cloned()
    }
}

fn ask(question: &Question) -> Answer {
    match question {
        Question::Text(path) => Answer::Text(text_of(path)),
        Question::Names(folder) => {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut names: Vec<String> =
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            Answer::Names(names)
        }
        Question::Real(path) => Answer::Real(path.canonicalize().unwrap_or_else(|_| path.clone())),
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
