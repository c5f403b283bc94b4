//! What programs came to in earlier checks, so that one changed file costs what depends on it.
//!
//! A program is known again by where it starts and the environment that its launcher gives it. What it comes to is decided
//! by the texts of the files that it rests on: those that it ran, and those whose code was looked at on the way. Of the
//! other files it can only ask what [`Program::surface`] says. Both are kept as one digest, and where that is the same
//! again, the program is not followed. What a file says by itself (its [`Look`]) rests on its text alone. All of this holds
//! for one list of names of files, one policy and one gpulint: who keeps it sees to that.

use super::launches::{Launch, Launched};
use super::looks::Look;
use super::reach::{Leads, holds_for_all};
use super::trace::Trace;
use super::words::reads_variable;
use super::{Program, readings};
use crate::facts::FileId;
use crate::sources::{Digest, Language, Question, Sources};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// What is kept from check to check. `T` is what judging a program gives.
#[derive(Serialize, Deserialize)]
pub struct Earlier<T> {
    /// For each file, by its number.
    files: Vec<Option<Seen>>,
    /// What was asked of the disk, and of all texts at once, with the answers that the programs rest on.
    questions: Vec<(Question, Digest)>,
    variables: Vec<(String, bool)>,
    /// What each came to under the last texts that it was followed with, those that held last first.
    programs: Vec<(Digest, Vec<Came>)>,
    /// What was judged, once for all programs that came to it.
    judged: Vec<T>,
}

/// What one file said by itself.
#[derive(Clone, Serialize, Deserialize)]
struct Seen {
    digest: Digest,
    look: Look,
    leads: Option<Leads>,
}

/// What a program came to, without its trace.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Came {
    /// The files whose top level ran, and behind them the others that it rests on.
    rests_on: Vec<FileId>,
    entered: usize,
    /// Of these files, and of what could be asked of the others.
    digest: Option<Digest>,
    steps: usize,
    /// The functions that ran and may choose a GPU.
    functions: Vec<(FileId, usize)>,
    loaded: Vec<(FileId, usize)>,
    uses_gpu: bool,
    own_writes: Vec<String>,
    launches: Vec<Launch>,
    judged: Vec<u32>,
}

/// A branch is left and comes back, and so do changes that a hook puts aside.
const MOST_STATES: usize = 3;
/// So many programs are kept for each file, at most. There are more where launchers change again and again.
const MOST_OF_EACH: usize = 20;

impl<T> Default for Earlier<T> {
    fn default() -> Self {
        Earlier {
            files: Vec::new(),
            questions: Vec::new(),
            variables: Vec::new(),
            programs: Vec::new(),
            judged: Vec::new(),
        }
    }
}

/// What one check takes from earlier ones, and leaves to later ones.
pub struct Memory<'m, T> {
    earlier: Earlier<T>,
    /// Of each file as it is now.
    digests: Vec<Digest>,
    /// Where in `earlier` each program lies.
    programs: FxHashMap<Digest, usize>,
    /// What was followed in this check, and what was taken from earlier ones.
    found: Mutex<FxHashMap<Digest, (Came, Vec<T>)>>,
    taken: Mutex<FxHashSet<Digest>>,
    is_shown: &'m (dyn Fn(&T) -> bool + Sync),
}

impl<'m, T: Clone + Hash + Eq> Memory<'m, T> {
    /// `digests` has one of each file. `is_shown`: of what was judged, only this is wanted now.
    pub fn new(
        mut earlier: Earlier<T>,
        sources: &Sources,
        digests: Vec<Digest>,
        is_shown: &'m (dyn Fn(&T) -> bool + Sync),
    ) -> Self {
        let same_answer =
            |(question, digest): &(Question, Digest)| sources.beside.digest_of(question) == *digest;
        let same_variable = |(name, reads): &(String, bool)| reads_variable(sources, name) == *reads;
        let holds = earlier.questions.iter().all(same_answer) && earlier.variables.iter().all(same_variable);
        if !holds || earlier.files.len() != sources.files.len() {
            earlier.programs.clear();
            earlier.judged.clear();
            earlier.questions.clear();
            earlier.variables.clear();
        }
        earlier.files.resize_with(sources.files.len(), || None);
        let numbered = earlier.programs.iter().enumerate();
        Memory {
            programs: numbered.map(|(number, (key, _))| (*key, number)).collect(),
            earlier,
            digests,
            found: Mutex::default(),
            taken: Mutex::default(),
            is_shown,
        }
    }

    /// Whether little of what the files say by themselves is known.
    pub fn is_new(&self) -> bool {
        let known = self.earlier.files.iter().flatten().count();
        2 * known < self.earlier.files.len()
    }

    /// What a file says by itself, when its text is still the same.
    pub fn look(&self, file: FileId) -> Option<&Look> {
        Some(&self.seen(file)?.look)
    }

    /// Where it leads to.
    pub fn leads(&self, file: FileId) -> Option<&Leads> {
        self.seen(file)?.leads.as_ref()
    }

    fn seen(&self, file: FileId) -> Option<&Seen> {
        let seen = self.earlier.files[file.0 as usize].as_ref()?;
        (seen.digest == self.digests[file.0 as usize]).then_some(seen)
    }

    /// What a program came to, if all that it rests on is as it was.
    pub(super) fn of(&self, program: &Program<'_>, launched: &Launched<'_>) -> Option<&Came> {
        let key = Digest::of(launched);
        let (_, all) = &self.earlier.programs[*self.programs.get(&key)?];
        let holds =
            |came: &&Came| came.digest.is_some() && came.digest == self.digest_of(program, &came.rests_on);
        let came = all.iter().find(holds)?;
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        Some(came)
    }

    /// What was judged of it and is wanted now.
    pub(super) fn judged_of(&self, came: &Came) -> Vec<T> {
        let judged = came.judged.iter().filter_map(|&number| self.earlier.judged.get(number as usize));
        judged.filter(|judged| (self.is_shown)(judged)).cloned().collect()
    }

    /// Follows and judges a program, keeps what it came to, and leaves of what was judged what is wanted now.
    pub(super) fn keeping(
        &self,
        program: &Program<'_>,
        launched: &Launched<'_>,
        follow: impl FnOnce() -> (Trace, Vec<T>),
    ) -> (Trace, Vec<T>) {
        let missed = program.times_missed();
        let ((trace, mut judged), read) = readings::during(self.digests.len(), follow);
        // What is cut off depends on what others spend. Where code was missing, all is done again.
        if !trace.cut && program.times_missed() == missed {
            let mut came = Came::of(program, &trace);
            came.rest_on(program, &trace, read);
            came.digest = self.digest_of(program, &came.rests_on);
            let key = Digest::of(launched);
            self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (came, judged.clone()));
        }
        judged.retain(|judged| (self.is_shown)(judged));
        (trace, judged)
    }

    fn digest_of(&self, program: &Program<'_>, files: &[FileId]) -> Option<Digest> {
        let texts: Option<Vec<Digest>> =
            files.iter().map(|file| self.digests.get(file.0 as usize).copied()).collect();
        Some(Digest::of(&(program.surface()?, texts?)))
    }

    /// What is to be kept for later checks; `None` where that is what was kept already.
    pub fn kept(self, program: &Program<'_>) -> Option<Earlier<T>> {
        let mut found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let taken = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        let news = program.looks.iter().zip(&self.earlier.files).zip(&self.digests);
        let news =
            news.filter(|((_, seen), digest)| seen.as_ref().is_none_or(|seen| seen.digest != **digest));
        /// So few looks are taken anew each time.
        const FEW: usize = 10;
        let learnt = program.leads.len()
            > self.earlier.files.iter().flatten().filter(|seen| seen.leads.is_some()).count();
        if found.is_empty() && news.count() <= FEW && !learnt {
            return None;
        }
        let seen = |(number, digest): (usize, Digest)| {
            let known = self.earlier.files[number].as_ref().filter(|seen| seen.digest == digest);
            let leads = program.leads.get(number).or(known.and_then(|seen| seen.leads.as_ref())).cloned();
            Some(Seen { digest, look: program.looks[number].clone(), leads })
        };
        let is_whole = !program.reach.is_partial();
        let mut judged = Judged { numbers: FxHashMap::default(), all: Vec::new() };
        let mut programs = Vec::new();
        let few = self.earlier.programs.len() <= MOST_OF_EACH * self.digests.len();
        for (key, before) in self.earlier.programs {
            let new = found.remove(&key);
            // Of a check of few files it is not known which programs are gone.
            if new.is_none() && !taken.contains(&key) && (is_whole || !few) {
                continue;
            }
            let mut all: Vec<Came> = new.into_iter().map(|(came, new)| judged.numbered(came, new)).collect();
            for came in before.into_iter().take(MOST_STATES - all.len()) {
                let known = came.judged.iter().filter_map(|&number| self.earlier.judged.get(number as usize));
                let known = known.cloned().collect();
                all.push(judged.numbered(came, known));
            }
            programs.push((key, all));
        }
        programs.extend(found.into_iter().map(|(key, (came, new))| (key, vec![judged.numbered(came, new)])));
        let mut questions = self.earlier.questions;
        let beside = &program.sources.beside;
        let known: FxHashSet<Question> = questions.iter().map(|(question, _)| question.clone()).collect();
        let new = beside.asked().into_iter().filter(|question| !known.contains(question));
        questions.extend(new.map(|question| (question.clone(), beside.digest_of(&question))));
        let mut variables = self.earlier.variables;
        let asked = program.variables_asked();
        variables.retain(|(name, _)| !asked.iter().any(|(known, _)| known == name));
        variables.extend(asked);
        let files = self.digests.into_iter().enumerate().map(seen).collect();
        Some(Earlier { files, questions, variables, programs, judged: judged.all })
    }
}

/// Numbers what was judged, the same once.
struct Judged<T> {
    numbers: FxHashMap<T, u32>,
    all: Vec<T>,
}

impl<T: Clone + Hash + Eq> Judged<T> {
    fn numbered(&mut self, mut came: Came, judged: Vec<T>) -> Came {
        came.judged = judged.into_iter().map(|one| self.number(one)).collect();
        came
    }

    fn number(&mut self, one: T) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(one.clone()).or_insert(next);
        if number == next {
            self.all.push(one);
        }
        number
    }
}

impl Came {
    /// What a trace says of the whole project.
    pub(super) fn of(program: &Program<'_>, trace: &Trace) -> Came {
        let may_choose = |(file, number): &&(FileId, usize)| {
            program.look(*file).gpu_functions.binary_search(number).is_ok()
        };
        Came {
            rests_on: trace.entered.clone(),
            entered: trace.entered.len(),
            digest: None,
            steps: trace.steps,
            functions: trace.ran.iter().filter(may_choose).copied().collect(),
            loaded: trace.loaded.clone(),
            uses_gpu: trace.events.iter().any(|event| event.what.initialises_cuda()),
            own_writes: trace.own_writes().map(str::to_owned).collect(),
            launches: trace.launches.clone(),
            judged: Vec::new(),
        }
    }

    /// Adds all that decided what was found. What a summary of an earlier program looked at is not seen here: it is what
    /// that program ran, and the names that a star brings from files that need not run.
    fn rest_on(&mut self, program: &Program<'_>, trace: &Trace, read: Vec<FileId>) {
        let ran = trace.ran.iter().chain(&trace.units).chain(&trace.loaded).map(|(file, _)| *file);
        let sites = trace.frames.iter().flat_map(|frame| [frame.site, frame.statement]).flatten();
        let places = trace.events.iter().flat_map(|event| [event.place, event.statement]).chain(sites);
        let frames = trace.frames.iter().map(|frame| frame.file);
        let all = ran.chain(places.map(|place| place.file)).chain(frames).chain(read);
        let mut others: FxHashSet<FileId> = all.chain(trace.entry).collect();
        let stars = others.iter().chain(&trace.entered).flat_map(|&file| &program.look(file).stars);
        let stars: Vec<FileId> = stars.copied().collect();
        others.extend(stars);
        let entered: FxHashSet<FileId> = trace.entered.iter().copied().collect();
        let mut others: Vec<FileId> = others.difference(&entered).copied().collect();
        others.sort();
        self.rests_on.extend(others);
    }

    pub fn steps(&self) -> usize {
        self.steps
    }

    pub fn entered(&self) -> &[FileId] {
        &self.rests_on[..self.entered.min(self.rests_on.len())]
    }

    pub fn functions(&self) -> &[(FileId, usize)] {
        &self.functions
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

    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }
}

impl Program<'_> {
    /// All that a program can ask of files that it does not rest on.
    pub(super) fn surface_of(&self) -> Digest {
        let files = || (0..self.looks.len() as u32).map(FileId);
        let about = |file: FileId| {
            let imports = &self.imports;
            let flags = [imports.is_hot(file), imports.loads_library(file), self.is_imported(file)];
            (flags, imports.is_relative(file), self.start_of(file), &self.look(file).asks_for)
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
            // The order of its maps does not change in one build.
            format!("{:?}", self.options).hash(hasher);
        })
    }
}
