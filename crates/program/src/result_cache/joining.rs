//! What several checks of the same files kept, together.

use super::answers::earlier_answer;
use super::shard::Shard;
use super::writing::{RestedOn, ResultWriter};
use super::{MOST_STATES, ProgramFinding, ResultStore};
use crate::facts::FileId;
use crate::program::text_questions::TextQuestion;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

impl<T: ProgramFinding> ResultStore<T> {
    /// All that is known in one of them. Of what several know, the first is believed first.
    pub fn joined(all: Vec<ResultStore<T>>) -> ResultStore<T> {
        let mut joined = ResultStore::default();
        let mut keeping = ResultWriter::default();
        let (mut at, mut questions, mut variables) =
            (FxHashMap::default(), FxHashSet::default(), BTreeMap::new());
        let mut bindings = FxHashSet::default();
        let mut texts: FxHashMap<TextQuestion, Vec<FileId>> = FxHashMap::default();
        for earlier in all {
            if joined.files.len() < earlier.files.len() {
                joined.files.resize_with(earlier.files.len(), || None);
            }
            for (known, seen) in joined.files.iter_mut().zip(earlier.files) {
                if known.is_none() {
                    *known = seen;
                }
            }
            for (question, digest) in earlier.questions {
                // Where two have seen different answers, one of them does not hold, and then none does.
                if questions.insert((question.clone(), digest)) {
                    joined.questions.push((question, digest));
                }
            }
            variables.extend(earlier.variables);
            let rested_on = RestedOn {
                parts: &earlier.parts,
                answers: &|number| earlier_answer(&earlier.answers, &earlier.texts, number),
            };
            texts.extend(earlier.texts.iter().cloned());
            for (digest, names) in earlier.bindings {
                if bindings.insert(digest) {
                    joined.bindings.push((digest, names));
                }
            }
            for (key, states) in earlier.programs {
                let place = *at.entry(key).or_insert_with(|| {
                    joined.programs.push((key, Vec::new()));
                    joined.programs.len() - 1
                });
                let Some((_, known)) = joined.programs.get_mut(place) else { continue };
                let few = MOST_STATES.saturating_sub(known.len());
                for came in states.into_iter().take(few) {
                    let judged = came.judged.iter().filter_map(|&number| earlier.judged.get(number as usize));
                    let judged = judged.cloned().collect();
                    known.push(keeping.numbered(came, &rested_on, judged));
                }
            }
        }
        joined.variables = variables.into_iter().collect();
        let answered = |question: TextQuestion| {
            let files = texts.remove(&question).unwrap_or_default();
            (question, files)
        };
        joined.texts = keeping.answers.asked.into_iter().map(answered).collect();
        joined.answers = keeping.answers.all;
        (joined.parts, joined.judged) = (keeping.parts.all, keeping.judged);
        joined
    }

    /// Without what other shards tell of the files by themselves.
    #[must_use]
    pub fn told_by(mut self, shard: Shard) -> ResultStore<T> {
        for (number, seen) in self.files.iter_mut().enumerate() {
            if !shard.has(FileId(number as u32)) {
                *seen = None;
            }
        }
        self
    }

    /// How many programs are known.
    pub fn programs(&self) -> usize {
        self.programs.len()
    }
}
