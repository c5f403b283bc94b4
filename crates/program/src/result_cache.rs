//! What programs came to in earlier checks, so that one changed file costs what depends on it.
//!
//! A program is known again by where it starts and the environment that its launcher gives it; code that is looked at because
//! no program ran it, also by what the programs left of it. What it comes to is decided
//! by the parts of files that it rests on ([`super::dependencies`]): those that it ran, and those whose code was looked at on the way.
//! Of the other files it can only ask what [`Program::surface`] says. All of this is kept as digests, and where they are the
//! same again, the program is not followed. What a file says by itself (its [`FileFacts`]) rests on its text alone. All of this holds
//! for one list of names of files, one policy and one gpulint: who keeps it sees to that.

mod answers;
mod joining;
mod keys;
mod shard;
mod writing;

pub use shard::{NoShard, Shard};

use super::bindings::{Bindings, Differences, Names};
use super::dependencies::{DigestedPart, FilePart, PartNumbers, parts_of, parts_of_file};
use super::file_facts::FileFacts;
use super::habits::Habits;
use super::launches::{Launch, Launched};
use super::relevance::ImportEdges;
use super::text_questions::TextQuestion;
use super::trace::{EventKind, Trace};
use super::words::reads_variable;
use super::{Program, dependency_log};
use crate::facts::{FileId, Place};
use crate::findings::Finding;
use crate::sources::{Digest, Question, Sources};
use answers::AnswerNumbers;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::hash::Hash;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What judging a program gives.
pub trait ProgramFinding: Clone + Hash + Eq + Send + Sync {
    /// What it is said of, and then what explains it.
    fn places(&self) -> Vec<Place>;
    /// Takes down that the program which starts with this file shows it.
    fn shown_by(&mut self, program: FileId);
}

impl ProgramFinding for Finding {
    fn places(&self) -> Vec<Place> {
        let explained = self.related.iter().map(|related| related.place);
        [self.place].into_iter().chain(explained).collect()
    }

    fn shown_by(&mut self, program: FileId) {
        self.programs.push(program);
    }
}

/// What is kept from check to check. `T` is what judging a program gives.
#[derive(Clone, Serialize, Deserialize)]
pub struct ResultStore<T> {
    /// For each file, by its number.
    files: Vec<Option<KnownFile>>,
    /// What was asked of the disk, and of all texts at once, with the answers that the programs rest on.
    questions: Vec<(Question, Digest)>,
    variables: Vec<(String, bool)>,
    /// What was asked of the texts of all files, and the files for which the answer is yes.
    texts: Vec<(TextQuestion, Vec<FileId>)>,
    /// The answers that programs rest on, with the number of the question.
    answers: Vec<(u32, Digest)>,
    /// The parts of files that the programs rest on.
    parts: Vec<DigestedPart>,
    /// What the modules of these parts bound beside them, by its digest.
    bindings: Vec<(Digest, Names)>,
    /// What each came to under the last texts that it was followed with, those that held last first.
    programs: Vec<(Digest, Vec<ProgramResult>)>,
    /// What was judged, once for all programs that came to it.
    judged: Vec<T>,
}

/// What one file said by itself.
#[derive(Clone, Serialize, Deserialize)]
struct KnownFile {
    digest: Digest,
    look: FileFacts,
    leads: Option<ImportEdges>,
}

/// What a program came to, without its trace; of a file whose code was only read, what was judged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProgramResult {
    /// The parts that it rests on, by their numbers: first those of the files whose top level ran.
    rests_on: Vec<u32>,
    /// The answers that it rests on, by their numbers.
    answers: Vec<u32>,
    entered: usize,
    /// Of what could be asked of other files.
    surface: Option<Digest>,
    steps: usize,
    /// It was not followed to its end.
    is_cut: bool,
    loaded: Vec<(FileId, usize)>,
    uses_gpu: bool,
    own_writes: Vec<String>,
    habits: Habits,
    launches: Vec<Launch>,
    judged: Vec<u32>,
}

/// A branch is left and comes back, and so do changes that a hook puts aside.
const MOST_STATES: usize = 6;
/// So many programs are kept for each file, at most. There are more where launchers change again and again.
const MOST_OF_EACH: usize = 20;

impl<T> Default for ResultStore<T> {
    fn default() -> Self {
        ResultStore {
            files: Vec::new(),
            questions: Vec::new(),
            variables: Vec::new(),
            texts: Vec::new(),
            answers: Vec::new(),
            parts: Vec::new(),
            bindings: Vec::new(),
            programs: Vec::new(),
            judged: Vec::new(),
        }
    }
}

/// What one check takes from earlier ones, and leaves to later ones.
pub struct ResultCache<T> {
    earlier: ResultStore<T>,
    /// Of each file as it is now.
    digests: Vec<Digest>,
    reported: Vec<bool>,
    /// The part of the project that is followed; `None` for all of it.
    shard: Option<Shard>,
    /// Where in `earlier` each program lies.
    programs: FxHashMap<Digest, usize>,
    /// Which of the earlier parts are as they were.
    holds: OnceLock<Vec<bool>>,
    /// Which of the earlier answers are as they were.
    answers_hold: OnceLock<Vec<bool>>,
    /// Where in `earlier` the bindings of modules lie.
    bindings: FxHashMap<Digest, usize>,
    differences: Differences,
    /// What was followed in this check, and what was taken from earlier ones.
    found: Mutex<NewResults<T>>,
    taken: Mutex<FxHashSet<Digest>>,
}

struct NewResults<T> {
    parts: PartNumbers,
    answers: AnswerNumbers,
    programs: FxHashMap<Digest, (ProgramResult, Vec<T>)>,
}

impl<T: ProgramFinding> ResultCache<T> {
    /// `digests` has one of each file.
    pub fn new(mut earlier: ResultStore<T>, sources: &Sources, digests: Vec<Digest>) -> Self {
        let same_answer = |(question, digest): &(Question, Digest)| {
            sources.beside.digest_of(question, &sources.root) == *digest
        };
        let same_variable = |(name, reads): &(String, bool)| reads_variable(sources, name) == *reads;
        let holds = earlier.questions.iter().all(same_answer) && earlier.variables.iter().all(same_variable);
        if !holds || earlier.files.len() != sources.files.len() {
            earlier = ResultStore { files: earlier.files, ..ResultStore::default() };
        }
        earlier.files.resize_with(sources.files.len(), || None);
        let numbered = earlier.programs.iter().enumerate();
        let bindings = earlier.bindings.iter().enumerate();
        let bindings = bindings.map(|(number, (digest, _))| (*digest, number)).collect();
        ResultCache {
            programs: numbered.map(|(number, (key, _))| (*key, number)).collect(),
            earlier,
            digests,
            reported: sources.files.iter().map(|source| source.reported).collect(),
            shard: None,
            holds: OnceLock::new(),
            answers_hold: OnceLock::new(),
            bindings,
            differences: Differences::default(),
            found: Mutex::new(NewResults {
                parts: PartNumbers::default(),
                answers: AnswerNumbers::default(),
                programs: FxHashMap::default(),
            }),
            taken: Mutex::default(),
        }
    }

    /// The same, of which only a part is followed: the rest comes to nothing, and is not kept.
    #[must_use]
    pub fn of_shard(self, shard: Shard) -> Self {
        ResultCache { shard: Some(shard), ..self }
    }

    /// Whether only a part of the project is followed.
    pub fn is_shard(&self) -> bool {
        self.shard.is_some()
    }

    /// Whether what starts with this file is left to another shard.
    pub(super) fn leaves(&self, file: FileId) -> bool {
        self.shard.is_some_and(|shard| !shard.has(file))
    }

    /// Whether little of what the files say by themselves is known.
    pub fn is_new(&self) -> bool {
        let known = self.earlier.files.iter().flatten().count();
        2 * known < self.earlier.files.len()
    }

    /// What a file says by itself, when its text is still the same.
    pub fn facts_of(&self, file: FileId) -> Option<&FileFacts> {
        Some(&self.known_file(file)?.look)
    }

    /// Where it leads to.
    pub fn import_edges_of(&self, file: FileId) -> Option<&ImportEdges> {
        self.known_file(file)?.leads.as_ref()
    }

    fn known_file(&self, file: FileId) -> Option<&KnownFile> {
        let seen = self.earlier.files[file.0 as usize].as_ref()?;
        (seen.digest == self.digests[file.0 as usize]).then_some(seen)
    }

    /// What a program came to, if all that it rests on is as it was.
    pub(super) fn of(&self, program: &Program<'_>, launched: &Launched<'_>) -> Option<&ProgramResult> {
        self.valid_result(program, program.key_of(launched))
    }

    fn valid_result(&self, program: &Program<'_>, key: Digest) -> Option<&ProgramResult> {
        let (_, all) = &self.earlier.programs[*self.programs.get(&key)?];
        let held = self
            .holds
            .get_or_init(|| self.earlier.parts.iter().map(|held| self.holds(program, held)).collect());
        let answers = self.answers_hold.get_or_init(|| self.which_answers_hold(program));
        let is_held = |held: &[bool], number: u32| held.get(number as usize).copied().unwrap_or_default();
        let holds = |came: &&ProgramResult| {
            came.surface == program.surface()
                && came.answers.iter().all(|&number| is_held(answers, number))
                && came.rests_on.iter().all(|&number| is_held(held, number))
        };
        let came = all.iter().find(holds)?;
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        Some(came)
    }

    fn holds(&self, program: &Program<'_>, held: &DigestedPart) -> bool {
        self.digest_of(program, &held.part) == Some(held.digest) && self.binds_the_same(program, held)
    }

    /// Whether nobody can tell that the module of a part bound other names than it binds now.
    fn binds_the_same(&self, program: &Program<'_>, held: &DigestedPart) -> bool {
        let file = held.part.file;
        let Some(now) = held.part.bindings(&program.facts_of(file).pieces) else { return true };
        if now.digest() == held.bindings {
            return true;
        }
        let then = held.bindings.map_or(Some(&[][..]), |digest| {
            let (_, names) = self.earlier.bindings.get(*self.bindings.get(&digest)?)?;
            Some(names)
        });
        then.is_some_and(|then| !self.differences.show(file, (held.bindings, then), now, program))
    }

    fn digest_of(&self, program: &Program<'_>, part: &FilePart) -> Option<Digest> {
        let whole = *self.digests.get(part.file.0 as usize)?;
        part.digest(whole, &program.sources.file(part.file).text, &program.facts_of(part.file).pieces)
    }

    /// The parts that a program of an earlier check rests on: first those of the files whose top level ran.
    pub(super) fn parts_of<'a>(
        &'a self,
        came: &'a ProgramResult,
    ) -> impl Iterator<Item = (u32, &'a FilePart)> {
        came.rests_on
            .iter()
            .filter_map(|&number| Some((number, &self.earlier.parts.get(number as usize)?.part)))
    }

    /// What was judged of it and is wanted now; of a program, with the file that it starts with.
    pub(super) fn judged_of(&self, came: &ProgramResult, start: Option<FileId>) -> Vec<T> {
        let judged = came.judged.iter().filter_map(|&number| self.earlier.judged.get(number as usize));
        judged.filter(|judged| self.is_shown(judged, start)).cloned().collect()
    }

    /// Whether it stands in a file that is reported, or a program shows it that starts with one.
    fn is_shown(&self, judged: &T, start: Option<FileId>) -> bool {
        let is_reported = |file: FileId| self.reported.get(file.0 as usize) == Some(&true);
        start.is_some_and(is_reported) || judged.places().first().is_some_and(|place| is_reported(place.file))
    }

    /// Follows and judges a program, keeps what it came to, and leaves of what was judged what is wanted now.
    pub(super) fn keeping(
        &self,
        program: &Program<'_>,
        launched: &Launched<'_>,
        follow: impl FnOnce() -> Trace,
        judge: impl FnOnce(&Trace) -> Vec<T>,
    ) -> (Trace, Vec<T>) {
        let missed = program.times_missed();
        let work = || {
            let trace = follow();
            let judged = judge(&trace);
            (trace, judged)
        };
        let ((trace, mut judged), read) = dependency_log::during(self.digests.len(), work);
        // What code that no program ran starts is judged by what the programs did.
        let starts_others = trace.events.iter().any(|event| matches!(event.what, EventKind::Launch { .. }));
        // Where code was missing, all is done again.
        if program.times_missed() == missed && (launched.1.is_program() || !starts_others) {
            let parts = parts_of(program, &trace, &judged, &read);
            let came = ProgramResult::of(program, &trace);
            self.keep(program, program.key_of(launched), (parts, &read.questions), came, &judged);
        }
        judged.retain(|judged| self.is_shown(judged, Some(launched.0)));
        (trace, judged)
    }

    /// What rules about written code find in a file: what an earlier check found, if all that they looked at is as it was.
    pub fn written(&self, program: &Program<'_>, file: FileId, look: impl FnOnce() -> Vec<T>) -> Vec<T> {
        if self.leaves(file) {
            return Vec::new();
        }
        let key = Digest::of(&("written", file));
        if let Some(came) = self.valid_result(program, key) {
            return self.judged_of(came, None);
        }
        let missed = program.times_missed();
        let (found, read) = dependency_log::during(self.digests.len(), look);
        if program.times_missed() == missed {
            let parts = parts_of_file(program, file, &read);
            let came = ProgramResult { surface: program.surface(), ..ProgramResult::default() };
            self.keep(program, key, (parts, &read.questions), came, &found);
        }
        found
    }

    fn keep(
        &self,
        program: &Program<'_>,
        key: Digest,
        (parts, questions): (Vec<FilePart>, &[u32]),
        came: ProgramResult,
        judged: &[T],
    ) {
        let held = parts.into_iter().filter_map(|part| {
            let digest = self.digest_of(program, &part)?;
            let bindings = part.bindings(&program.facts_of(part.file).pieces).and_then(Bindings::digest);
            Some(DigestedPart { part, digest, bindings })
        });
        let held: Vec<DigestedPart> = held.collect();
        let answers = questions.iter().filter_map(|&number| {
            let question = program.question(number)?;
            let digest = question.digest(&program.files_answering(&question), &self.digests);
            Some((question, digest))
        });
        let answers: Vec<(TextQuestion, Digest)> = answers.collect();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = answers.into_iter().map(|(question, digest)| found.answers.number(question, digest));
        let answers = answers.collect();
        let rests_on = held.into_iter().map(|held| found.parts.number(held)).collect();
        found.programs.insert(key, (ProgramResult { rests_on, answers, ..came }, judged.to_vec()));
    }
}

impl ProgramResult {
    /// What a trace says of the whole project.
    fn of(program: &Program<'_>, trace: &Trace) -> ProgramResult {
        ProgramResult {
            rests_on: Vec::new(),
            answers: Vec::new(),
            entered: trace.entered.len(),
            surface: program.surface(),
            steps: trace.steps,
            is_cut: trace.cut,
            loaded: trace.loaded.clone(),
            uses_gpu: uses_gpu(trace),
            own_writes: trace.own_writes().map(str::to_owned).collect(),
            habits: Habits::of(trace, |file| program.lies_among_tests(file)),
            launches: trace.launches.clone(),
            judged: Vec::new(),
        }
    }

    /// How many of the parts are of files whose top level ran.
    pub fn entered(&self) -> usize {
        self.entered
    }

    /// Whether following it now would come to the same, where it may take so many steps at most: what was cut off before these
    /// may come to more.
    pub fn is_reached_by(&self, most: usize) -> bool {
        if self.is_cut { self.steps >= most } else { self.steps <= most }
    }

    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub fn steps(&self) -> usize {
        self.steps
    }

    pub fn loaded(&self) -> &[(FileId, usize)] {
        &self.loaded
    }

    pub fn uses_gpu(&self) -> bool {
        self.uses_gpu
    }

    pub fn own_writes(&self) -> &[String] {
        &self.own_writes
    }

    pub fn habits(&self) -> Habits {
        self.habits
    }

    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }
}

/// Whether a program reaches a GPU.
pub(super) fn uses_gpu(trace: &Trace) -> bool {
    trace.events.iter().any(|event| event.what.initialises_cuda())
}
