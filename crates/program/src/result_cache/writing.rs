//! What a check leaves to later ones: what its programs came to, and of earlier ones what may come back.

use super::answers::{AnswerNumbers, earlier_answer, updated};
use super::{KnownFile, MOST_OF_EACH, MOST_STATES, ProgramFinding, ProgramResult, ResultCache, ResultStore};
use crate::facts::FileId;
use crate::program::Program;
use crate::program::bindings::Names;
use crate::program::dependencies::{DigestedPart, PartNumbers};
use crate::program::text_questions::TextQuestion;
use crate::sources::{Digest, Question};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::PoisonError;

impl<T: ProgramFinding> ResultCache<T> {
    /// What is to be kept for later checks; `None` where that is what was kept already.
    pub fn kept(self, program: &Program<'_>) -> Option<ResultStore<T>> {
        let changed: Vec<FileId> = self.changed_files().collect();
        let mut found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let taken = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        let news = program.file_facts.iter().zip(&self.earlier.files).zip(&self.digests);
        let news =
            news.filter(|((_, seen), digest)| seen.as_ref().is_none_or(|seen| seen.digest != **digest));
        /// So few looks are taken anew each time.
        const FEW: usize = 10;
        let learnt = program.import_edges.len()
            > self.earlier.files.iter().flatten().filter(|seen| seen.leads.is_some()).count();
        if self.shard.is_none() && found.programs.is_empty() && news.count() <= FEW && !learnt {
            return None;
        }
        let seen = |(number, digest): (usize, Digest)| {
            let known = self.earlier.files[number].as_ref().filter(|seen| seen.digest == digest);
            let leads =
                program.import_edges.get(number).or(known.and_then(|seen| seen.leads.as_ref())).cloned();
            Some(KnownFile { digest, look: program.file_facts[number].clone(), leads })
        };
        let is_whole = !program.relevance.is_partial();
        let mut keeping = ResultWriter::default();
        let mut programs = Vec::new();
        let few = self.earlier.programs.len() <= MOST_OF_EACH * self.digests.len();
        let new_rest = RestedOn { parts: &found.parts.all, answers: &|number| found.answers.get(number) };
        let earlier_rest = RestedOn {
            parts: &self.earlier.parts,
            answers: &|number| earlier_answer(&self.earlier.answers, &self.earlier.texts, number),
        };
        for (key, before) in self.earlier.programs {
            let new = found.programs.remove(&key);
            // Of a check of few files it is not known which programs are gone.
            if new.is_none() && !taken.contains(&key) && (is_whole || !few) {
                continue;
            }
            let mut all: Vec<ProgramResult> =
                new.into_iter().map(|(came, new)| keeping.numbered(came, &new_rest, new)).collect();
            for came in before.into_iter().take(MOST_STATES - all.len()) {
                let known = came.judged.iter().filter_map(|&number| self.earlier.judged.get(number as usize));
                let known = known.cloned().collect();
                all.push(keeping.numbered(came, &earlier_rest, known));
            }
            programs.push((key, all));
        }
        let new = found.programs.into_iter();
        programs.extend(new.map(|(key, (came, new))| (key, vec![keeping.numbered(came, &new_rest, new)])));
        let mut questions = self.earlier.questions;
        let (beside, root) = (&program.sources.beside, &program.sources.root);
        let known: FxHashSet<Question> = questions.iter().map(|(question, _)| question.clone()).collect();
        let new = beside.asked(root).into_iter().filter(|question| !known.contains(question));
        questions.extend(new.map(|question| (question.clone(), beside.digest_of(&question, root))));
        let mut variables = self.earlier.variables;
        let asked = program.variables_asked();
        variables.retain(|(name, _)| !asked.iter().any(|(known, _)| known == name));
        variables.extend(asked);
        let before: FxHashMap<&TextQuestion, &Vec<FileId>> =
            self.earlier.texts.iter().map(|(question, files)| (question, files)).collect();
        let texts = keeping.answers.asked.into_iter().map(|question| {
            let files = match before.get(&question) {
                Some(before) => updated(program, &question, before, &changed),
                None => program.files_answering(&question).to_vec(),
            };
            (question, files)
        });
        let texts = texts.collect();
        let files = self.digests.into_iter().enumerate().map(seen).collect();
        let mut bindings: FxHashMap<Digest, Names> = self.earlier.bindings.into_iter().collect();
        let now = program.file_facts.iter().map(|look| &look.pieces.bindings);
        bindings.extend(now.filter_map(|now| Some((now.digest()?, now.names().clone()))));
        let rested_on = keeping.parts.all.iter().filter_map(|held| held.bindings);
        let bindings = rested_on.filter_map(|digest| Some((digest, bindings.remove(&digest)?))).collect();
        Some(ResultStore {
            files,
            questions,
            variables,
            texts,
            answers: keeping.answers.all,
            bindings,
            parts: keeping.parts.all,
            programs,
            judged: keeping.judged,
        })
    }
}

/// Numbers what was judged and what programs rest on, the same once.
pub(super) struct ResultWriter<T> {
    numbers: FxHashMap<T, u32>,
    pub judged: Vec<T>,
    pub parts: PartNumbers,
    pub answers: AnswerNumbers,
}

/// What the numbers of a result stand for.
pub(super) struct RestedOn<'a> {
    pub parts: &'a [DigestedPart],
    pub answers: &'a dyn Fn(u32) -> Option<(&'a TextQuestion, Digest)>,
}

impl<T> Default for ResultWriter<T> {
    fn default() -> Self {
        ResultWriter {
            numbers: FxHashMap::default(),
            judged: Vec::new(),
            parts: PartNumbers::default(),
            answers: AnswerNumbers::default(),
        }
    }
}

impl<T: ProgramFinding> ResultWriter<T> {
    /// What a program came to, with the numbers that its parts and what was judged have here.
    pub fn numbered(
        &mut self,
        mut came: ProgramResult,
        rested_on: &RestedOn<'_>,
        judged: Vec<T>,
    ) -> ProgramResult {
        let held = came.rests_on.iter().filter_map(|&number| rested_on.parts.get(number as usize).cloned());
        came.rests_on = held.map(|held| self.parts.number(held)).collect();
        let answers = came.answers.iter().filter_map(|&number| (rested_on.answers)(number));
        came.answers =
            answers.map(|(question, digest)| self.answers.number(question.clone(), digest)).collect();
        came.judged = judged.into_iter().map(|one| self.number(one)).collect();
        came
    }

    fn number(&mut self, one: T) -> u32 {
        let next = self.judged.len() as u32;
        let number = *self.numbers.entry(one.clone()).or_insert(next);
        if number == next {
            self.judged.push(one);
        }
        number
    }
}
