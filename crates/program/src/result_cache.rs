//! What programs came to in earlier checks, so that one changed file costs what depends on it.
//!
//! A program is known again by where it starts and the environment that its launcher gives it; code that is looked at because
//! no program ran it, also by what the programs left of it. What it comes to is decided
//! by the parts of files that it rests on ([`super::dependencies`]): those that it ran, and those whose code was looked at on the way.
//! Of the other files it can only ask what [`Program::surface`] says. All of this is kept as digests, and where they are the
//! same again, the program is not followed. What a file says by itself (its [`FileFacts`]) rests on its text alone. All of this holds
//! for one list of names of files, one policy and one gpulint: who keeps it sees to that.

mod joining;
mod shard;
mod writing;

pub use shard::{NoShard, Shard};

use super::bindings::{Bindings, Differences, Names};
use super::dependencies::{DigestedPart, FilePart, PartNumbers, parts_of, parts_of_file};
use super::file_facts::FileFacts;
use super::habits::Habits;
use super::launches::{Launch, Launched};
use super::relevance::{ImportEdges, holds_for_all};
use super::trace::{EventKind, Trace};
use super::words::reads_variable;
use super::{Program, Start, dependency_log};
use crate::facts::{FileId, Place};
use crate::findings::Finding;
use crate::sources::{Digest, Language, Question, Sources};
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
    /// Where in `earlier` the bindings of modules lie.
    bindings: FxHashMap<Digest, usize>,
    differences: Differences,
    /// What was followed in this check, and what was taken from earlier ones.
    found: Mutex<NewResults<T>>,
    taken: Mutex<FxHashSet<Digest>>,
}

struct NewResults<T> {
    parts: PartNumbers,
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
            bindings,
            differences: Differences::default(),
            found: Mutex::new(NewResults { parts: PartNumbers::default(), programs: FxHashMap::default() }),
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
        let holds = |came: &&ProgramResult| {
            let is_held = |number: &u32| held.get(*number as usize).copied().unwrap_or_default();
            came.surface == program.surface() && came.rests_on.iter().all(is_held)
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

    /// What was judged of it and is wanted now.
    pub(super) fn judged_of(&self, came: &ProgramResult) -> Vec<T> {
        let judged = came.judged.iter().filter_map(|&number| self.earlier.judged.get(number as usize));
        judged.filter(|judged| self.is_shown(judged)).cloned().collect()
    }

    fn is_shown(&self, judged: &T) -> bool {
        judged.places().first().is_some_and(|place| self.reported.get(place.file.0 as usize) == Some(&true))
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
            self.keep(program, program.key_of(launched), parts, ProgramResult::of(program, &trace), &judged);
        }
        judged.retain(|judged| self.is_shown(judged));
        (trace, judged)
    }

    /// What rules about written code find in a file: what an earlier check found, if all that they looked at is as it was.
    pub fn written(&self, program: &Program<'_>, file: FileId, look: impl FnOnce() -> Vec<T>) -> Vec<T> {
        if self.leaves(file) {
            return Vec::new();
        }
        let key = Digest::of(&("written", file));
        if let Some(came) = self.valid_result(program, key) {
            return self.judged_of(came);
        }
        let missed = program.times_missed();
        let (found, read) = dependency_log::during(self.digests.len(), look);
        if program.times_missed() == missed && !read.all_texts {
            let parts = parts_of_file(program, file, &read);
            self.keep(
                program,
                key,
                parts,
                ProgramResult { surface: program.surface(), ..ProgramResult::default() },
                &found,
            );
        }
        found
    }

    fn keep(
        &self,
        program: &Program<'_>,
        key: Digest,
        parts: Vec<FilePart>,
        came: ProgramResult,
        judged: &[T],
    ) {
        let held = parts.into_iter().filter_map(|part| {
            let digest = self.digest_of(program, &part)?;
            let bindings = part.bindings(&program.facts_of(part.file).pieces).and_then(Bindings::digest);
            Some(DigestedPart { part, digest, bindings })
        });
        let held: Vec<DigestedPart> = held.collect();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let rests_on = held.into_iter().map(|held| found.parts.number(held)).collect();
        found.programs.insert(key, (ProgramResult { rests_on, ..came }, judged.to_vec()));
    }
}

impl ProgramResult {
    /// What a trace says of the whole project.
    fn of(program: &Program<'_>, trace: &Trace) -> ProgramResult {
        ProgramResult {
            rests_on: Vec::new(),
            entered: trace.entered.len(),
            surface: program.surface(),
            steps: trace.steps,
            is_cut: trace.cut,
            loaded: trace.loaded.clone(),
            uses_gpu: uses_gpu(trace),
            own_writes: trace.own_writes().map(str::to_owned).collect(),
            habits: Habits::of(trace),
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

impl Program<'_> {
    /// What a program is known by from check to check.
    fn key_of(&self, launched: &Launched<'_>) -> Digest {
        let &(file, start, _) = launched;
        let (left, others): (&[FileId], Option<Digest>) = match start {
            Start::Library => (&[file], None),
            Start::Modules => (&[file], Some(self.modules_left().1)),
            Start::CpuPart => (self.cpu_part(file), None),
            _ => return Digest::of(launched),
        };
        let ran = |file: FileId| {
            let functions = self.facts_of(file).gpu_functions.iter();
            let left: Vec<_> = functions.filter(|&&number| !self.function_ran(file, number)).collect();
            (file, self.ran_elsewhere(file), left)
        };
        Digest::of(&(launched, others, left.iter().map(|&file| ran(file)).collect::<Vec<_>>()))
    }

    /// All that a program can ask of files that it does not rest on.
    pub(super) fn surface_of(&self) -> Digest {
        let files = || self.all_files();
        let about = |file: FileId| {
            let imports = &self.imports;
            let flags = [imports.may_affect_gpu(file), imports.loads_library(file), self.is_imported(file)];
            (flags, imports.is_relative(file), self.start_of(file), &self.facts_of(file).asks_for)
        };
        let holds = |source: &&crate::sources::Source| {
            holds_for_all(source) || matches!(source.language, Language::Rust)
        };
        let texts = self.sources.files.iter().filter(holds).map(|source| &source.text);
        let telling = files().map(|file| self.imports.telling(file));
        Digest::made_by(|hasher| {
            files().for_each(|file| about(file).hash(hasher));
            telling.for_each(|packages| packages.hash(hasher));
            texts.for_each(|text| text.hash(hasher));
            self.tests_run_in_parallel().hash(hasher);
            self.images().hash(hasher);
            // The order of its maps does not change in one build.
            format!("{:?}", self.options).hash(hasher);
        })
    }
}
