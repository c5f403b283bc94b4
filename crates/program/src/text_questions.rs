//! Questions about all texts of a project whose answers findings rest on. Each asks of every file by itself whether something
//! holds there, so that after a change only the files that changed are asked again.

use super::{MASK, Program, dependency_log, words};
use crate::facts::FileId;
use crate::sources::{Digest, Language};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// In which files does something hold?
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum TextQuestion {
    /// Anything: somebody looked at every text.
    Anything,
    /// It has this text.
    Having(Box<str>),
    /// It is this file of Python, and has this word.
    Word(FileId, Box<str>),
    /// It is a file of Python that sets an attribute of this name on something other than `self`.
    SettingAttribute(Box<str>),
    /// It is another file of Python that may look up this name of the module.
    Naming(FileId, Box<str>),
    /// It runs commands.
    RunningCommands,
    /// It is a document with commands that give a program a mask.
    GivingMasks,
}

/// The questions that were asked so far, by their numbers, and what is known of their answers.
#[derive(Default)]
pub(super) struct AskedQuestions {
    numbers: Mutex<(FxHashMap<TextQuestion, u32>, Vec<TextQuestion>)>,
    answers: Mutex<FxHashMap<TextQuestion, Arc<[FileId]>>>,
    attributes: OnceLock<FxHashMap<Box<str>, Vec<FileId>>>,
}

impl TextQuestion {
    /// Whether an answer says what the files are that it names, or rests on all that they say.
    fn rests_on_texts(&self) -> bool {
        matches!(self, TextQuestion::Anything | TextQuestion::RunningCommands | TextQuestion::GivingMasks)
    }

    /// What stands for an answer: the files, and where it matters what they say. `digests` has one of each file.
    pub fn digest(&self, files: &[FileId], digests: &[Digest]) -> Digest {
        if self.rests_on_texts() {
            let texts: Vec<_> = files.iter().map(|file| digests.get(file.0 as usize)).collect();
            return Digest::of(&(files, texts));
        }
        Digest::of(files)
    }
}

impl Program<'_> {
    /// Notes that an answer was looked at.
    pub(super) fn note_question(&self, question: impl FnOnce() -> TextQuestion) {
        if !dependency_log::is_asked() {
            return;
        }
        let mut known = self.questions.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let (numbers, all) = &mut *known;
        let next = all.len() as u32;
        let number = *numbers.entry(question()).or_insert_with_key(|question| {
            all.push(question.clone());
            next
        });
        dependency_log::note_question(number);
    }

    pub(super) fn question(&self, number: u32) -> Option<TextQuestion> {
        let known = self.questions.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        known.1.get(number as usize).cloned()
    }

    /// The files for which the answer is yes, ascending.
    pub(super) fn files_answering(&self, question: &TextQuestion) -> Arc<[FileId]> {
        let known = |answers: &FxHashMap<TextQuestion, Arc<[FileId]>>| answers.get(question).cloned();
        let answers = || self.questions.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known(&answers()) {
            return answer;
        }
        let answer: Arc<[FileId]> = match question {
            TextQuestion::Word(file, _) => {
                [*file].into_iter().filter(|&file| self.holds_in(question, file)).collect()
            }
            TextQuestion::SettingAttribute(field) => self.files_setting(field).into(),
            _ => self.all_files().filter(|&file| self.holds_in(question, file)).collect(),
        };
        answers().entry(question.clone()).or_insert(answer).clone()
    }

    /// Whether the answer is yes for one file.
    pub(super) fn holds_in(&self, question: &TextQuestion, file: FileId) -> bool {
        let source = self.sources.file(file);
        match question {
            TextQuestion::Anything => true,
            TextQuestion::Having(text) => source.text.contains(&**text),
            TextQuestion::Word(of, word) => *of == file && words::has_word(source, word),
            TextQuestion::SettingAttribute(field) => {
                source.is_python() && attributes_set(&source.text).any(|set| set == &**field)
            }
            TextQuestion::Naming(of, name) => *of != file && words::may_name(source, name),
            TextQuestion::RunningCommands => self.may_run_commands(file),
            TextQuestion::GivingMasks => source.language == Language::Markdown && source.text.contains(MASK),
        }
    }

    /// Whether some file sets an attribute of this name on a module, a class or an object by its name.
    pub(super) fn sets_attribute(&self, field: &str) -> bool {
        self.note_question(|| TextQuestion::SettingAttribute(field.into()));
        !self.files_setting(field).is_empty()
    }

    fn files_setting(&self, field: &str) -> &[FileId] {
        let known = self.questions.attributes.get_or_init(|| {
            let mut known: FxHashMap<Box<str>, Vec<FileId>> = FxHashMap::default();
            for (file, source) in (0..).map(FileId).zip(&self.sources.files) {
                for field in attributes_set(&source.text).filter(|_| source.is_python()) {
                    match known.get_mut(field) {
                        Some(files) if files.last() == Some(&file) => {}
                        Some(files) => files.push(file),
                        None => _ = known.insert(field.into(), vec![file]),
                    }
                }
            }
            known
        });
        known.get(field).map_or(&[], Vec::as_slice)
    }
}

/// The names in `.name = …` and `.name[…`, but for those of `self`.
fn attributes_set(text: &str) -> impl Iterator<Item = &str> {
    memchr::memchr_iter(b'.', text.as_bytes()).filter_map(|at| {
        let behind = &text[at + 1..];
        let end = behind.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(behind.len());
        let (name, rest) = behind.split_at(end);
        let rest = rest.trim_start();
        let is_set = rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with('[');
        (!name.is_empty() && is_set && !text[..at].ends_with("self")).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_are_set_are_found_in_a_text() {
        let text = "self.a = 1\nsettings.b = 2\nx.c == 3\nx.d\n  .e [0]\ny.f [0] = 1\nz.ü=1.\nq.";
        assert_eq!(attributes_set(text).collect::<Vec<_>>(), ["b", "e", "f", "ü"]);
    }
}
