//! All programs are followed, and then what none of them ran. What earlier programs came to decides how later code is
//! looked at.

use super::budget::EarlierResults;
use super::habits::{Convention, Habits};
use super::imports::{names_gpu_device, sets_environment};
use super::launches::{self, Launch, Launched};
use super::launching_programs::LaunchingPrograms;
use super::result_cache::{ProgramFinding, ProgramResult, ResultCache, uses_gpu};
use super::trace::Trace;
use super::{FollowedPrograms, Program, Start};
use crate::facts::FileId;
use crate::sources::Language;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, PoisonError};

/// What some programs came to, together.
#[derive(Default)]
pub(super) struct Coverage {
    pub functions: FxHashSet<(FileId, usize)>,
    pub files: FxHashSet<FileId>,
    /// Files that start programs which use a GPU.
    pub users: FxHashSet<FileId>,
    /// Variables that programs set themselves, by the file that they start with.
    pub own_writes: FxHashSet<(FileId, String)>,
    /// What programs do about the choice of a GPU and about its memory, by the file that they start with.
    habits: FxHashMap<FileId, Habits>,
    /// Units of files of settings that programs loaded: they are judged there.
    loaded: FxHashSet<(FileId, usize)>,
    /// The numbers of the parts that are noted already.
    noted: FxHashSet<u32>,
}

impl Coverage {
    /// Whether a program loaded this unit of this file into its own environment.
    fn has_loaded(&self, file: Option<FileId>, start: Start) -> bool {
        match (file, start) {
            (Some(file), Start::Unit(unit)) => self.loaded.contains(&(file, unit)),
            _ => false,
        }
    }

    /// Notes what another came to.
    pub fn add(&mut self, other: &Coverage) {
        self.functions.extend(&other.functions);
        self.files.extend(&other.files);
        self.users.extend(&other.users);
        self.own_writes.extend(other.own_writes.iter().cloned());
        self.loaded.extend(&other.loaded);
        other.habits.iter().for_each(|(&file, &habits)| self.note_habits(file, habits));
    }

    /// Notes what a program of an earlier check came to.
    pub fn note<T: ProgramFinding>(&mut self, came: &ProgramResult, memory: &ResultCache<T>, entry: FileId) {
        for (index, (number, part)) in memory.parts_of(came).enumerate() {
            if index < came.entered() {
                self.files.insert(part.file);
            }
            if self.noted.insert(number) {
                self.functions.extend(part.functions.iter().map(|&function| (part.file, function as usize)));
            }
        }
        self.loaded.extend(came.loaded());
        self.users.extend(came.uses_gpu().then_some(entry));
        self.own_writes.extend(came.own_writes().iter().map(|variable| (entry, variable.clone())));
        self.note_habits(entry, came.habits());
    }

    /// Whether most of the programs that could keep to a convention do.
    pub fn follows_convention(&self, convention: Convention) -> bool {
        convention.is_kept(self.habits.values())
    }

    /// Notes what a program came to that was followed.
    pub fn note_trace(&mut self, trace: &Trace, program: &Program<'_>) {
        self.functions.extend(trace.ran.iter().copied());
        self.files.extend(trace.entered.iter().copied());
        self.loaded.extend(trace.loaded.iter().copied());
        self.users.extend(trace.entry.filter(|_| uses_gpu(trace)));
        let own = |file| trace.own_writes().map(move |variable| (file, variable.to_owned()));
        self.own_writes.extend(trace.entry.into_iter().flat_map(own));
        if let Some(file) = trace.entry {
            self.note_habits(file, Habits::of(trace, |file| program.lies_among_tests(file)));
        }
    }

    /// A file that is started in several ways has the habits that it has in all of them.
    fn note_habits(&mut self, file: FileId, habits: Habits) {
        self.habits.entry(file).and_modify(|known| known.join(habits)).or_insert(habits);
    }
}

impl Program<'_> {
    /// Follows every program, then the code that none of them ran, then the import of the CPU part. Each
    /// trace is judged and dropped when it is done: those of a large project would not fit into memory
    /// together. What an earlier check says of a program is taken from there. `distinct` leaves out of judgements of
    /// several traces what need not be kept.
    pub fn follow<T: ProgramFinding>(
        &mut self,
        judge: impl Fn(&Program<'_>, &Trace, Start) -> Vec<T> + Sync,
        distinct: impl Fn(&mut Vec<T>) + Sync,
        memory: Option<&ResultCache<T>>,
    ) -> FollowedPrograms<T> {
        let launchers = self.until_loaded(|program| {
            program.load_for(program.launchers());
            program.follow_launchers()
        });
        let by_launchers: Vec<&Launch> = launchers.iter().flat_map(|(trace, _)| &trace.launches).collect();
        let mut first = LaunchingPrograms::default();
        // Notebooks start scripts, and hardly the other way round.
        for notebooks in [true, false] {
            let (launches, _) = launches::distinct(by_launchers.iter().copied().chain(&first.launches));
            let mut starting = self.starts(launches);
            let is_notebook = |file: FileId| self.language_of(file) == Language::Notebook;
            starting.retain(|(file, ..)| is_notebook(*file) == notebooks && self.may_start_programs(*file));
            let more = self.for_all_checks(|program| program.follow_first(&starting, &judge, memory));
            first.add(more);
        }
        let (launches, left_out) = launches::distinct(by_launchers.iter().copied().chain(&first.launches));
        let entries = self.starts(launches);
        let (mut followed, ran) = self.for_all_checks(|program| {
            let known = EarlierResults { first: &first.came, memory, ran: Mutex::new(Coverage::default()) };
            let followed = program.follow_all(&entries, &judge, &distinct, Some(&known));
            (followed, known.ran.into_inner().unwrap_or_else(PoisonError::into_inner))
        });
        let _ = self.coverage.set(ran);
        followed.starts_left_out = left_out;
        // How the rest is looked at depends on what the programs of all shards did.
        if memory.is_some_and(ResultCache::is_shard) {
            return followed;
        }
        let alone = self.until_loaded(|program| {
            let ran = program.coverage.get();
            let has_loaded = |file, start| ran.is_some_and(|ran| ran.has_loaded(file, start));
            let alone = launchers.iter().filter(|(trace, start)| !has_loaded(trace.entry, *start));
            let judge = |(trace, start): &(Trace, Start)| {
                let mut judged = judge(program, trace, *start);
                judged.iter_mut().for_each(|one| trace.entry.into_iter().for_each(|file| one.shown_by(file)));
                judged
            };
            alone.flat_map(judge).collect::<Vec<T>>()
        });
        followed.judged.extend(alone);
        let cut = launchers.iter().filter(|(trace, _)| trace.cut);
        followed.unfinished.extend(cut.filter_map(|(trace, _)| trace.entry));
        for start in [Start::Library, Start::Modules, Start::CpuPart] {
            let more = self.for_all_checks(|program| {
                let others: Vec<Launched<'_>> =
                    program.others(start).into_iter().map(|file| (file, start, None)).collect();
                let first = FxHashMap::default();
                let known = EarlierResults { first: &first, memory, ran: Mutex::default() };
                program.follow_all(&others, &judge, &distinct, Some(&known))
            });
            followed.judged.extend(more.judged);
            followed.unfinished.extend(more.unfinished);
        }
        distinct(&mut followed.judged);
        followed.unfinished.sort();
        followed.unfinished.dedup();
        followed
    }

    /// What is followed beside the programs: files that are looked at alone, modules that no program imports, and the first
    /// module of the CPU part, with which the others are imported.
    fn others(&self, start: Start) -> Vec<FileId> {
        match start {
            Start::Library => self
                .all_files()
                .filter(|&file| self.relevance.leads(file) && self.has_code_alone(file))
                .collect(),
            Start::CpuPart => self.cpu_parts().iter().filter_map(|part| part.first().copied()).collect(),
            _ => self.left_alone().to_vec(),
        }
    }

    /// Whether a file holds code about devices that no program ran.
    fn has_code_alone(&self, file: FileId) -> bool {
        let look = self.facts_of(file);
        let is_alone = look.gpu_functions.iter().any(|&function| !self.function_ran(file, function))
            || (!self.ran_elsewhere(file) && look.mentions_gpu);
        is_alone && self.may_speak_of_gpu(file)
    }

    /// Whether a file of Python, or something that it imports, has to do with GPUs, or speaks of one, or sets a variable:
    /// what is no text ends the program, whatever the variable is for.
    pub(super) fn may_speak_of_gpu(&self, file: FileId) -> bool {
        self.language_of(file) != Language::Python
            || self.imports.may_use_gpu(file)
            || names_gpu_device(&self.sources.file(file).text)
            || sets_environment(&self.sources.file(file).text)
    }
}
