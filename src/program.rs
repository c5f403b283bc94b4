//! Many files → programs: which file imports which, where programs start, and what each does in order.

mod at_import;
mod budget;
mod crates;
mod entries;
mod heap;
mod importers;
mod imports;
pub mod knowledge;
mod launches;
mod milestones;
mod modules;
mod names;
mod paths;
mod reach;
mod renumbering;
mod run;
mod state;
mod stops;
mod summaries;
pub mod trace;
mod words;
mod work;

pub use budget::{Budget, Followed};
pub use entries::Start;
pub(crate) use importers::Importer;
pub use modules::{Found, Modules};
pub use names::Names;
pub use reach::{Known, Reach};
pub(crate) use run::is_gpu_variable;
pub use state::{ALLOCATOR, Before, Definition, Happened, MASK, ORDER, Reaching};

use crate::code::{Code, Import, Part};
use crate::facts::{FileId, Place};
use crate::policy::{Cpu, Scripts, Tests};
use crate::sources::{Language, Sources};
use crate::versions::Versions;
use imports::Imports;
use knowledge::Knowledge;
use rayon::prelude::*;
use run::Run;
use rustc_hash::FxHashSet;
use std::sync::{Mutex, OnceLock, PoisonError};
use trace::Trace;

/// All files of a run, with their code.
pub struct Program<'s> {
    pub(crate) sources: &'s Sources,
    pub(crate) codes: Vec<Option<Code<'s>>>,
    pub(crate) modules: Modules,
    reach: Reach,
    pub(crate) knowledge: &'s Knowledge,
    options: Options,
    versions: Versions<'s>,
    budget: Budget,
    imports: Imports,
    empty: Code<'s>,
    /// What the programs ran, known once they did.
    ran: OnceLock<Ran>,
    cpu_part: OnceLock<Vec<FileId>>,
    left_alone: OnceLock<Vec<FileId>>,
    words: words::Known,
    work: work::Work,
}

/// What the policy says that changes how programs are followed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Modules whose import the policy forbids in the CPU part (dotted names; what is below counts too).
    pub forbidden: Vec<String>,
    /// The import of a GPU library counts as GPU use.
    pub imports_matter: bool,
    /// One more program imports the modules that this section names: the CPU part.
    pub cpu_part: Option<Cpu>,
    /// What the policy says about scripts: names of functions that check the GPU.
    pub scripts: Scripts,
    /// What it says about tests: names of what releases GPU memory.
    pub tests: Tests,
    /// `[project.scripts]`: modules and the functions in them that are started.
    pub console_scripts: Vec<(String, String)>,
    /// Each file that touches the GPU is looked at as if it were started itself.
    pub every_gpu_file: bool,
    /// How far programs are followed; by default what suits the number of files.
    pub budget: Option<Budget>,
    /// Each call is followed, also where a summary of it would do: to compare the two.
    pub no_summaries: bool,
}

#[derive(Default)]
struct Ran {
    functions: FxHashSet<(FileId, usize)>,
    files: FxHashSet<FileId>,
    /// Files that start programs which use a GPU.
    users: FxHashSet<FileId>,
    /// Variables that programs set themselves, by the file that they start with.
    own_writes: FxHashSet<(FileId, String)>,
    /// Units of files of settings that programs loaded: they are judged there.
    loaded: FxHashSet<(FileId, usize)>,
}

impl Ran {
    /// Whether a program loaded this unit of this file into its own environment.
    fn has_loaded(&self, file: Option<FileId>, start: Start) -> bool {
        match (file, start) {
            (Some(file), Start::Unit(unit)) => self.loaded.contains(&(file, unit)),
            _ => false,
        }
    }
}

impl Drop for Program<'_> {
    /// Many small trees: all cores free them together.
    fn drop(&mut self) {
        std::mem::take(&mut self.codes).into_par_iter().for_each(drop);
    }
}

impl<'s> Program<'s> {
    /// `codes` holds the code of each file of `sources`, `None` where it could not be read or is not needed.
    pub fn new(
        sources: &'s Sources,
        modules: Modules,
        reach: Reach,
        codes: Vec<Option<Code<'s>>>,
        knowledge: &'s Knowledge,
        options: Options,
    ) -> Self {
        let imports = Imports::new(sources, &codes, &modules, knowledge, &options);
        let mut program = Program {
            cpu_part: OnceLock::new(),
            left_alone: OnceLock::new(),
            words: words::Known::default(),
            work: work::Work::default(),
            budget: options.budget.unwrap_or_else(|| Budget::of(sources.files.len())),
            sources,
            codes,
            modules,
            reach,
            knowledge,
            options,
            versions: Versions::new(sources),
            imports,
            empty: Code::default(),
            ran: OnceLock::new(),
        };
        if program.reach.is_partial() {
            program.reach.narrow_to(program.bearing());
        }
        program
    }

    /// Follows every program, then the code that none of them ran, then the import of the CPU part. Each
    /// trace is judged and dropped when it is done: those of a large project would not fit into memory
    /// together. `distinct` leaves out of judgements of several traces what need not be kept.
    pub fn follow<T: Send>(
        &self,
        judge: impl Fn(&Trace, Start) -> Vec<T> + Sync,
        distinct: impl Fn(&mut Vec<T>) + Sync,
    ) -> Followed<T> {
        let launchers = self.follow_launchers();
        let by_launchers = || launchers.iter().flat_map(|(trace, _)| &trace.launches);
        let by_programs = self.launched_by_programs(launches::distinct(by_launchers()));
        let entries = self.starts(launches::distinct(by_launchers().chain(&by_programs)));
        let ran = Mutex::new(Ran::default());
        let judge_noting = |trace: &Trace, start| {
            let mut ran = ran.lock().unwrap_or_else(PoisonError::into_inner);
            ran.functions.extend(trace.ran.iter().copied());
            ran.files.extend(trace.entered.iter().copied());
            ran.loaded.extend(trace.loaded.iter().copied());
            let uses = trace.events.iter().any(|event| event.what.initialises_cuda());
            ran.users.extend(trace.entry.filter(|_| uses));
            let own = |file| trace.own_writes().map(move |variable| (file, variable.to_owned()));
            ran.own_writes.extend(trace.entry.into_iter().flat_map(own));
            drop(ran);
            judge(trace, start)
        };
        let mut followed = self.follow_all(&entries, &judge_noting, &distinct);
        let ran = self.ran.get_or_init(|| ran.into_inner().unwrap_or_else(PoisonError::into_inner));
        let alone = launchers.iter().filter(|(trace, start)| !ran.has_loaded(trace.entry, *start));
        followed.judged.extend(alone.flat_map(|(trace, start)| judge(trace, *start)));
        let cut = launchers.iter().filter(|(trace, _)| trace.cut);
        followed.unfinished.extend(cut.filter_map(|(trace, _)| trace.entry));
        let files = (0..self.codes.len() as u32).map(FileId);
        let alone = files.filter(|&file| self.reach.leads(file) && self.has_code_alone(file, ran));
        let alone = alone.map(|file| (file, Start::Library, None)).collect::<Vec<_>>();
        let cpu_part = self.cpu_part().first().map(|&first| (first, Start::CpuPart, None));
        let left_alone = self.left_alone().first().map(|&first| (first, Start::Modules, None));
        for others in [alone, left_alone.into_iter().collect(), cpu_part.into_iter().collect()] {
            let more = self.follow_all(&others, &judge, &distinct);
            followed.judged.extend(more.judged);
            followed.unfinished.extend(more.unfinished);
        }
        distinct(&mut followed.judged);
        followed.unfinished.sort();
        followed.unfinished.dedup();
        followed
    }

    /// What following the programs cost so far, as one line of JSON.
    pub fn cost(&self) -> String {
        self.work.json()
    }

    /// Follows one program.
    pub fn trace(&self, file: FileId, start: Start) -> Trace {
        Run::new(self, file, start).trace()
    }

    /// Whether a file holds code about devices that no program ran.
    fn has_code_alone(&self, file: FileId, ran: &Ran) -> bool {
        let code = self.code(file);
        let mut functions = code.functions.iter().enumerate().filter(|(_, function)| function.mentions_gpu);
        functions.any(|(index, _)| !ran.functions.contains(&(file, index)))
            || (!ran.files.contains(&file) && code.mentions_gpu)
    }

    /// The code of a file; empty when it could not be read.
    pub fn code(&self, file: FileId) -> &Code<'s> {
        self.codes[file.0 as usize].as_ref().unwrap_or(&self.empty)
    }

    pub(crate) fn text(&self, place: Place) -> &'s str {
        self.sources.text(place)
    }

    /// What is known of the versions of packages.
    pub(crate) fn versions(&self) -> &Versions<'s> {
        &self.versions
    }

    /// Whether a file runs with Python 3.15 or later, which knows `__lazy_modules__`.
    pub(crate) fn knows_lazy_modules(&self, file: FileId) -> bool {
        self.versions.at_least(self.name_of(file), "python", "3.15") == Some(true)
    }

    /// Whether a file runs with Python 3.14 or later, which evaluates annotations when somebody asks for them.
    pub(crate) fn puts_annotations_off(&self, file: FileId) -> bool {
        self.versions.at_least(self.name_of(file), "python", "3.14") == Some(true)
    }

    /// Whether `multiprocessing` forks unless it is told otherwise: on Linux, before Python 3.14.
    fn forks_by_default(&self, file: FileId) -> bool {
        self.versions.at_least(self.name_of(file), "python", "3.14") != Some(true)
    }

    /// The file of settings with this name.
    fn dotenv(&self, name: &str) -> Option<FileId> {
        self.imports.file_named(name).filter(|&file| self.language_of(file) == Language::Dotenv)
    }

    /// Whether a file starts programs, or sets variables for those that load it, and is no Python.
    pub(crate) fn is_launcher(&self, file: FileId) -> bool {
        !self.code(file).units.is_empty()
    }

    pub(crate) fn name_of(&self, file: FileId) -> &'s str {
        &self.sources.file(file).name
    }

    pub(crate) fn dotted(&self, file: FileId) -> String {
        self.modules.dotted(file, &self.sources.file(file).name)
    }

    fn language_of(&self, file: FileId) -> Language {
        self.sources.file(file).language
    }

    /// The language that a place is written in: Python inside a shell is Python, and a shell inside Markdown a shell.
    /// A block of Python in Markdown is an example, which few rules are about.
    pub(crate) fn language_at(&self, place: Place) -> Language {
        let holds = |span: crate::facts::Span| span.start <= place.span.start && place.span.end <= span.end;
        let code = self.code(place.file);
        let language = self.language_of(place.file);
        match code.snippets.iter().find(|snippet| holds(snippet.span)) {
            Some(snippet) if snippet.stands_alone => language,
            Some(_) => Language::Python,
            None if language == Language::Markdown && code.units.iter().any(|unit| holds(unit.span)) => {
                Language::Shell
            }
            None => language,
        }
    }

    /// Whether the project asks for a package wherever it is installed.
    pub(crate) fn asks_for(&self, package: &str) -> bool {
        let files = 0..self.sources.files.len() as u32;
        files.flat_map(|file| &self.code(FileId(file)).requirements).any(|requirement| {
            requirement.name == package && matches!(requirement.part, Part::Main | Part::Locked)
        })
    }

    /// Whether a program that starts with this file was seen to use a GPU.
    pub(crate) fn uses_gpu(&self, file: FileId) -> bool {
        self.ran.get().is_some_and(|ran| ran.users.contains(&file))
    }

    /// Whether a program that starts with this file was seen to set the variable, whatever its launcher left.
    pub(crate) fn sets_itself(&self, file: FileId, variable: &str) -> bool {
        self.ran.get().is_some_and(|ran| ran.own_writes.contains(&(file, variable.to_owned())))
    }

    fn is_hot(&self, file: FileId) -> bool {
        self.imports.is_hot(file)
    }

    /// Whether an import of a file leads out of the project.
    pub(crate) fn imports_outside(&self, file: FileId, import: &Import<'_>) -> bool {
        imports::is_outside(import, file, &self.modules)
    }

    /// Whether a file imports a package somewhere, so that it is surely installed.
    fn needs(&self, file: FileId, package: &str) -> bool {
        self.imports.needs(file, package)
    }

    fn loads_library(&self, file: FileId) -> bool {
        self.imports.loads_library(file)
    }

    /// Whether the policy counts a module of the project as GPU code.
    fn is_gpu_module(&self, file: FileId) -> bool {
        self.options.cpu_part.as_ref().is_some_and(|cpu| cpu.is_gpu_module(&self.dotted(file)))
    }

    /// Whether the policy names a function as one that checks the GPU.
    fn is_validator(&self, function: &str) -> bool {
        self.options.scripts.is_validator(function)
    }

    /// Whether the policy names a fixture, decorator or context manager as one that releases GPU memory.
    fn is_cleanup(&self, name: &str) -> bool {
        self.options.tests.is_cleanup(name)
    }

    /// Whether the policy forbids the import of a module.
    pub(crate) fn is_forbidden(&self, module: &str) -> bool {
        let covers = |forbidden: &String| {
            module
                .strip_prefix(forbidden.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.options.forbidden.iter().any(covers)
    }

    /// The modules that the CPU part starts with: those that the policy names, or all.
    pub(crate) fn cpu_part(&self) -> &[FileId] {
        self.cpu_part.get_or_init(|| {
            let Some(cpu) = &self.options.cpu_part else { return Vec::new() };
            let named = |file: &FileId| match cpu.entry_points.is_empty() {
                true => self.sources.file(*file).reported,
                false => {
                    let name = self.name_of(*file).trim_end_matches(".py").trim_end_matches(".ipynb");
                    let by_path = name.trim_end_matches("/__init__").replace('/', ".");
                    cpu.entry_points_match(&self.dotted(*file)) || cpu.entry_points_match(&by_path)
                }
            };
            (0..self.codes.len() as u32)
                .map(FileId)
                .filter(|file| self.is_read(*file) && named(file))
                .collect()
        })
    }

    /// The modules of Python that no program was seen to import and whose import may do something.
    fn left_alone(&self) -> &[FileId] {
        self.left_alone.get_or_init(|| {
            let may_act = |file: &FileId| {
                self.language_of(*file) == Language::Python
                    && self.reach.leads(*file)
                    && self.is_hot(*file)
                    && !self.ran_elsewhere(*file)
                    && self.start_of(*file).is_none()
            };
            let left: Vec<FileId> = (0..self.codes.len() as u32).map(FileId).filter(may_act).collect();
            at_import::acting(self, &left)
        })
    }

    /// Whether a file of the project imports this one.
    pub(crate) fn is_imported(&self, file: FileId) -> bool {
        self.imports.is_imported(file) || self.reach.is_imported(file)
    }

    /// Whether the file could be read as its language.
    pub fn is_read(&self, file: FileId) -> bool {
        self.codes[file.0 as usize].is_some()
    }

    fn ran_elsewhere(&self, file: FileId) -> bool {
        self.ran.get().is_some_and(|ran| ran.files.contains(&file))
    }

    fn function_ran(&self, file: FileId, function: usize) -> bool {
        self.ran.get().is_some_and(|ran| ran.functions.contains(&(file, function)))
    }

    /// Names that the top level of a file binds by `def`, `class` or `=`.
    fn names_defined(&self, file: FileId) -> Vec<&str> {
        imports::names_defined(self.code(file))
    }
}
