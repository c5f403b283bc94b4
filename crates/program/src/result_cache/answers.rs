//! Answers of questions about all texts: which of the earlier ones hold, and numbers for those that are kept.

use super::{ProgramFinding, ResultCache};
use crate::facts::FileId;
use crate::program::Program;
use crate::program::text_questions::TextQuestion;
use crate::sources::Digest;
use rustc_hash::FxHashMap;

/// Numbers questions and answers, the same once.
#[derive(Default)]
pub(super) struct AnswerNumbers {
    questions: FxHashMap<TextQuestion, u32>,
    numbers: FxHashMap<(u32, Digest), u32>,
    pub asked: Vec<TextQuestion>,
    pub all: Vec<(u32, Digest)>,
}

impl AnswerNumbers {
    pub fn number(&mut self, question: TextQuestion, digest: Digest) -> u32 {
        let next = self.asked.len() as u32;
        let of = *self.questions.entry(question).or_insert_with_key(|question| {
            self.asked.push(question.clone());
            next
        });
        let next = self.all.len() as u32;
        *self.numbers.entry((of, digest)).or_insert_with(|| {
            self.all.push((of, digest));
            next
        })
    }

    pub fn get(&self, number: u32) -> Option<(&TextQuestion, Digest)> {
        let (of, digest) = self.all.get(number as usize)?;
        Some((self.asked.get(*of as usize)?, *digest))
    }
}

/// The question and the answer that a number of an earlier check stands for.
pub(super) fn earlier_answer<'a>(
    answers: &[(u32, Digest)],
    texts: &'a [(TextQuestion, Vec<FileId>)],
    number: u32,
) -> Option<(&'a TextQuestion, Digest)> {
    let (of, digest) = answers.get(number as usize)?;
    Some((&texts.get(*of as usize)?.0, *digest))
}

impl<T: ProgramFinding> ResultCache<T> {
    /// Which of the earlier answers are as they were.
    pub(super) fn which_answers_hold(&self, program: &Program<'_>) -> Vec<bool> {
        let changed: Vec<FileId> = self.changed_files().collect();
        let earlier = &self.earlier;
        let now = |(question, files): &(TextQuestion, Vec<FileId>)| {
            question.digest(&updated(program, question, files, &changed), &self.digests)
        };
        let now: Vec<Digest> = earlier.texts.iter().map(now).collect();
        earlier.answers.iter().map(|(number, digest)| now.get(*number as usize) == Some(digest)).collect()
    }

    /// The files whose texts are not those that were kept last.
    pub(super) fn changed_files(&self) -> impl Iterator<Item = FileId> {
        let files = (0..).map(FileId).zip(&self.earlier.files).zip(&self.digests);
        let changed =
            files.filter(|((_, known), digest)| known.as_ref().is_none_or(|known| known.digest != **digest));
        changed.map(|((file, _), _)| file)
    }
}

/// What is answered now, where it is known what was answered before some files changed.
pub(super) fn updated(
    program: &Program<'_>,
    question: &TextQuestion,
    before: &[FileId],
    changed: &[FileId],
) -> Vec<FileId> {
    let same = before.iter().copied().filter(|file| changed.binary_search(file).is_err());
    let new = changed.iter().copied().filter(|&file| program.holds_in(question, file));
    let mut files: Vec<FileId> = same.chain(new).collect();
    files.sort_unstable();
    files
}
