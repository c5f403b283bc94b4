//! Many files → programs: which file imports which, where programs start, and what each does in order.

mod at_import;
mod bindings;
mod budget;
mod code_loading;
mod crates;
mod dependencies;
mod dependency_log;
mod documented;
mod entries;
mod file_digests;
mod file_facts;
mod following;
mod habits;
mod heap;
mod images;
mod importers;
mod imports;
mod interpreter;
pub mod knowledge;
mod launcher_arguments;
pub mod launches;
mod launching_programs;
mod milestones;
mod modules;
mod names;
mod options;
mod own_projects;
mod paths;
mod program_ends;
pub mod ranks;
mod relevance;
mod renumbering;
mod result_cache;
mod run_commands;
mod state;
mod summaries;
mod text_questions;
pub mod trace;
mod words;
mod work;

pub use budget::{Budget, FollowedPrograms};
pub use code_loading::Lowering;
pub use documented::Documented;
pub use entries::Start;
pub use file_digests::FileDigests;
pub use file_facts::FileFacts;
pub use habits::Convention;
pub use importers::Importer;
pub use interpreter::{is_gpu_variable, is_spread};
pub use modules::{ImportTarget, Modules};
pub use names::Names;
pub use options::{Asked, Options};
pub use own_projects::own_projects;
pub use relevance::{ImportEdges, ReachableFiles, Relevance, import_edges_of};
pub use result_cache::{NoShard, ProgramFinding, ResultCache, ResultStore, Shard};
pub use run_commands::RunCommand;
pub use state::{ALLOCATOR, Definition, FirstOccurrence, MASK, ORDER, Reaching, StateSnapshot};

// A module goes by one path in all packages: `crate::sources`, `crate::program::trace`.
extern crate self as program;
use gpulint_base::{code, commands, facts, findings, keywords, masks, policy, sources};
use gpulint_languages::versions;

use crate::code::{Code, Function, Import};
use crate::facts::{FileId, Place};
use crate::sources::{Digest, Language, Sources};
use crate::versions::Versions;
use file_facts::FileFactsReader;
use following::Coverage;
use imports::Imports;
use interpreter::Interpreter;
use knowledge::Knowledge;
use launches::Launch;
use rayon::prelude::*;
use std::sync::OnceLock;
use trace::Trace;

/// All files of a run, with their code.
pub struct Program<'s> {
    pub sources: &'s Sources,
    pub codes: Vec<Option<Code<'s>>>,
    pub modules: Modules,
    relevance: Relevance,
    pub knowledge: &'s Knowledge,
    options: Options,
    versions: Versions<'s>,
    budget: Budget,
    /// What each file says by itself; of files that play no part, nothing.
    file_facts: Vec<FileFacts>,
    /// Where each file leads to, where that was asked.
    import_edges: Vec<ImportEdges>,
    imports: Imports,
    /// Where code that somebody asks for is not read yet, how it is.
    lowering: Option<Lowering>,
    missing_code: code_loading::MissingCode,
    /// Code is given of those files alone that a check without a memory would parse.
    is_narrow: bool,
    /// All that a program can ask of files that it does not rest on, where that is kept.
    surface: Option<Digest>,
    empty: Code<'s>,
    /// What the programs ran, known once they did.
    coverage: OnceLock<Coverage>,
    cpu_parts: OnceLock<Vec<Vec<FileId>>>,
    images: OnceLock<images::Images>,
    documented: OnceLock<Vec<documented::Documented>>,
    left_alone: OnceLock<(Vec<FileId>, Digest)>,
    of_ranks: Vec<OnceLock<ranks::OfRanks>>,
    run_commands: Vec<OnceLock<Vec<RunCommand>>>,
    commands_by_key: OnceLock<run_commands::CommandsByKey>,
    /// The files by their own names; none where several are called so.
    files_by_name: OnceLock<run_commands::ByName>,
    words: words::WordAnswers,
    questions: text_questions::AskedQuestions,
    work: work::Work,
}

impl Drop for Program<'_> {
    /// Many small trees: all cores free them together.
    fn drop(&mut self) {
        std::mem::take(&mut self.codes).into_par_iter().for_each(drop);
    }
}

/// All that a program is made of.
pub struct Parts<'s> {
    pub sources: &'s Sources,
    pub modules: Modules,
    pub reach: Relevance,
    /// The code of each file, `None` where it could not be read or is not needed.
    pub codes: Vec<Option<Code<'s>>>,
    /// What is known of each file without its code, where it is.
    pub looks: Vec<Option<FileFacts>>,
    pub leads: Vec<ImportEdges>,
    /// How code that is not there yet is read when somebody asks for it; `None` where it is not needed. With it, a
    /// program can be known from an earlier check.
    pub lowering: Option<Lowering>,
    pub knowledge: &'s Knowledge,
    pub options: Options,
}

impl<'s> Program<'s> {
    pub fn new(parts: Parts<'s>) -> Self {
        let Parts { sources, modules, reach, codes, looks, leads, lowering, knowledge, options } = parts;
        let words = imports::Words::of(knowledge);
        let is_kept = lowering.is_some();
        let looking = FileFactsReader { modules: &modules, knowledge, options: &options, words, is_kept };
        let known = sources.files.par_iter().zip(&codes).zip(looks).enumerate();
        let looks: Vec<FileFacts> = known
            .map(|(index, ((source, code), known))| {
                known.unwrap_or_else(|| looking.at(FileId(index as u32), source, code.as_ref()))
            })
            .collect();
        let mut program = Program {
            cpu_parts: OnceLock::new(),
            images: OnceLock::new(),
            documented: OnceLock::new(),
            left_alone: OnceLock::new(),
            of_ranks: sources.files.iter().map(|_| OnceLock::new()).collect(),
            run_commands: sources.files.iter().map(|_| OnceLock::new()).collect(),
            commands_by_key: OnceLock::new(),
            files_by_name: OnceLock::new(),
            words: words::WordAnswers::default(),
            questions: text_questions::AskedQuestions::default(),
            work: work::Work::default(),
            budget: options.budget.unwrap_or_else(|| Budget::of(sources.files.len())),
            sources,
            imports: Imports::new(sources, &looks),
            codes,
            modules,
            relevance: reach,
            file_facts: looks,
            import_edges: leads,
            lowering,
            missing_code: code_loading::MissingCode::default(),
            is_narrow: true,
            surface: None,
            knowledge,
            options,
            versions: Versions::new(sources),
            empty: Code::default(),
            coverage: OnceLock::new(),
        };
        if program.lowering.is_some() {
            program.surface = Some(program.surface_of());
        }
        if program.relevance.is_partial() {
            program.relevance.narrow_to(program.bearing());
        }
        program
    }

    /// What following the programs cost so far, as one line of JSON.
    pub fn cost(&self) -> String {
        self.work.json()
    }

    /// Follows one program.
    pub fn trace(&self, file: FileId, start: Start) -> Trace {
        Interpreter::new(self, file, start).trace()
    }

    /// Follows a program that a launcher starts.
    pub fn trace_launched(&self, launch: &Launch) -> Trace {
        Interpreter::new(self, launch.file, launch.start).launched_by(Some(launch)).trace()
    }

    /// The code of a file; empty when it could not be read.
    pub fn code(&self, file: FileId) -> &Code<'s> {
        dependency_log::note_whole(file);
        self.code_in_pieces(file)
    }

    /// The same, for who looks at no function that does not run.
    pub fn code_in_pieces(&self, file: FileId) -> &Code<'s> {
        dependency_log::note_pieces(file);
        if !self.is_open(file) {
            return &self.empty;
        }
        match &self.codes[file.0 as usize] {
            Some(code) => code,
            None => {
                self.note_missing(file);
                &self.empty
            }
        }
    }

    /// What a file says by itself.
    fn facts_of(&self, file: FileId) -> &FileFacts {
        &self.file_facts[file.0 as usize]
    }

    /// Whether what programs come to is known from earlier checks, and for later ones.
    pub fn is_remembered(&self) -> bool {
        self.surface.is_some()
    }

    /// All that a program can ask of files that it does not rest on; `None` where no program is known from earlier checks.
    fn surface(&self) -> Option<Digest> {
        self.surface
    }

    /// Whether what is found in a file is wanted: now, or by a later check.
    pub fn is_judged(&self, file: FileId) -> bool {
        self.surface.is_some() || self.sources.file(file).reported
    }

    pub fn text(&self, place: Place) -> &'s str {
        dependency_log::note_text(place);
        self.sources.text(place)
    }

    /// The functions of a file, for who asks about those that ran.
    pub fn functions_that_ran(&self, file: FileId) -> &[Function<'s>] {
        &self.code_in_pieces(file).functions
    }

    /// What is known of the versions of packages.
    pub fn versions(&self) -> &Versions<'s> {
        &self.versions
    }

    /// Whether a file runs with Python 3.15 or later, which knows `__lazy_modules__`.
    pub fn knows_lazy_modules(&self, file: FileId) -> bool {
        self.versions.at_least(self.name_of(file), "python", "3.15") == Some(true)
    }

    /// Whether a file runs with Python 3.14 or later, which evaluates annotations when somebody asks for them.
    pub fn puts_annotations_off(&self, file: FileId) -> bool {
        self.versions.at_least(self.name_of(file), "python", "3.14") == Some(true)
    }

    /// Whether `multiprocessing` forks unless it is told otherwise: on Linux, before Python 3.14.
    pub fn forks_by_default(&self, file: FileId) -> bool {
        self.versions.at_least(self.name_of(file), "python", "3.14") != Some(true)
    }

    /// The file with this name in the project.
    pub fn file_named(&self, name: &str) -> Option<FileId> {
        self.imports.file_named(name)
    }

    /// The file of settings with this name.
    fn dotenv(&self, name: &str) -> Option<FileId> {
        self.file_named(name).filter(|&file| self.language_of(file) == Language::Dotenv)
    }

    /// Whether a file starts programs, or sets variables for those that load it, and is no Python.
    pub fn is_launcher(&self, file: FileId) -> bool {
        self.facts_of(file).units > 0
    }

    pub fn name_of(&self, file: FileId) -> &'s str {
        &self.sources.file(file).name
    }

    pub fn dotted(&self, file: FileId) -> String {
        self.modules.dotted(file, &self.sources.file(file).name)
    }

    fn language_of(&self, file: FileId) -> Language {
        self.sources.file(file).language
    }

    /// The language that a place is written in: Python inside a shell is Python, and a shell inside Markdown a shell.
    /// A block of Python in Markdown is an example, which few rules are about.
    pub fn language_at(&self, place: Place) -> Language {
        let holds = |span: crate::facts::Span| span.start <= place.span.start && place.span.end <= span.end;
        let code = self.code_in_pieces(place.file);
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
    pub fn asks_for(&self, package: &str) -> bool {
        self.file_facts.iter().flat_map(|look| &look.asks_for).any(|asked| asked == package)
    }

    /// Whether a program that starts with this file was seen to use a GPU.
    pub fn uses_gpu(&self, file: FileId) -> bool {
        self.coverage.get().is_some_and(|ran| ran.users.contains(&file))
    }

    /// Whether a program that starts with this file was seen to set the variable, whatever its launcher left.
    pub fn sets_itself(&self, file: FileId, variable: &str) -> bool {
        self.coverage.get().is_some_and(|ran| ran.own_writes.contains(&(file, variable.to_owned())))
    }

    /// Whether most programs of the project keep to a convention.
    pub fn keeps_to(&self, convention: Convention) -> bool {
        self.coverage.get().is_some_and(|ran| ran.follows_convention(convention))
    }

    fn may_affect_gpu(&self, file: FileId) -> bool {
        self.imports.may_affect_gpu(file)
    }

    /// Whether an import of a file leads out of the project.
    pub fn imports_outside(&self, file: FileId, import: &Import<'_>) -> bool {
        imports::is_outside(import, file, &self.modules)
    }

    /// Whether a file imports a package somewhere, so that it is surely installed.
    fn needs(&self, file: FileId, package: &str) -> bool {
        self.imports.needs(file, package)
    }

    fn loads_library(&self, file: FileId) -> bool {
        self.imports.loads_library(file)
    }

    /// What is asked of the programs that start with a file.
    fn asked_of(&self, file: FileId) -> &Asked {
        self.options.asked_of(file)
    }

    /// The modules that the CPU part starts with which the policy of a file asks for: those that it names, or all that it
    /// governs.
    pub fn cpu_part(&self, of: FileId) -> &[FileId] {
        self.cpu_parts().get(self.options.number_of(of)).map_or(&[], Vec::as_slice)
    }

    /// The CPU part of each policy.
    fn cpu_parts(&self) -> &[Vec<FileId>] {
        self.cpu_parts.get_or_init(|| {
            let part = |(number, asked): (usize, &Asked)| {
                let Some(cpu) = &asked.cpu_part else { return Vec::new() };
                let named = |file: &FileId| match cpu.entry_points.is_empty() {
                    true => self.sources.file(*file).reported,
                    false => {
                        let name = self.name_of(*file).trim_end_matches(".py").trim_end_matches(".ipynb");
                        let name = name.strip_prefix(asked.folder.as_str()).unwrap_or(name);
                        let by_path = name.trim_end_matches("/__init__").replace('/', ".");
                        cpu.entry_points_match(&self.dotted(*file)) || cpu.entry_points_match(&by_path)
                    }
                };
                let governed = self.all_files().filter(|file| self.options.number_of(*file) == number);
                governed.filter(|file| self.is_read(*file) && named(file)).collect()
            };
            self.options.asked.iter().enumerate().map(part).collect()
        })
    }

    /// Whether a file of the project imports this one.
    pub fn is_imported(&self, file: FileId) -> bool {
        self.imports.is_imported(file) || self.relevance.is_imported(file)
    }

    /// Whether the file could be read as its language.
    pub fn is_read(&self, file: FileId) -> bool {
        self.facts_of(file).is_read && self.is_open(file)
    }

    /// Whether the code of a file is given to who asks for it.
    fn is_open(&self, file: FileId) -> bool {
        !self.is_narrow || self.relevance.is_parsed(file)
    }

    /// All files of the check, read or not.
    pub fn all_files(&self) -> impl Iterator<Item = FileId> + Clone + use<> {
        (0..self.codes.len() as u32).map(FileId)
    }

    /// Whether a file has comments for gpulint.
    pub fn has_comments(&self, file: FileId) -> bool {
        self.facts_of(file).has_comments
    }

    fn ran_elsewhere(&self, file: FileId) -> bool {
        self.coverage.get().is_some_and(|ran| ran.files.contains(&file))
    }

    fn function_ran(&self, file: FileId, function: usize) -> bool {
        self.coverage.get().is_some_and(|ran| ran.functions.contains(&(file, function)))
    }

    /// Names that the top level of a file binds by `def`, `class` or `=`.
    fn names_defined(&self, file: FileId) -> Vec<&str> {
        imports::names_defined(self.code_in_pieces(file))
    }
}
