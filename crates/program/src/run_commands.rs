//! The commands that the files of a project run: scripts, workflows, containers, Makefiles, notebooks, and the shells of
//! Python. Rules that ask how something is started read them here: each is a command as its program gets it, with quotes
//! taken off, lines joined, and what its variables hold put in.

use super::interpreter::Interpreter;
use super::knowledge::Does;
use super::text_questions::TextQuestion;
use super::trace::EventKind;
use super::{Program, Start};
use crate::code::Host;
use crate::commands::{WrapperCommand, program_name};
use crate::facts::{FileId, Place};
use crate::sources::{Language, file_name_of};
use rustc_hash::FxHashMap;

/// By the own name of a file: the only one that is called so, if there is one.
pub(super) type ByName = FxHashMap<Box<str>, Option<FileId>>;

/// Where commands are kept, each as a file and the number among the commands that it runs.
#[derive(Default)]
pub(super) struct CommandsByKey {
    /// By the name of a program that they have among their words.
    by_program: FxHashMap<Box<str>, Vec<(FileId, usize)>>,
    /// By the file that they stand in.
    by_file: FxHashMap<FileId, Vec<(FileId, usize)>>,
}

/// A command that runs.
#[derive(Clone, Debug)]
pub struct RunCommand {
    pub site: Place,
    /// `None` where a word is not known before it runs.
    pub words: Vec<Option<Box<str>>>,
    pub wrappers: Vec<WrapperCommand>,
    /// The file of the project that it starts.
    pub starts: Option<FileId>,
    /// Where it runs, as far as that is known.
    pub folder: Option<String>,
    pub host: Host,
    /// It is given a mask, and nothing says in which order the mask counts.
    pub has_mask_alone: bool,
    /// It is given a mask under which cards get other numbers: one that does not begin with 0, or is not known.
    pub is_renumbered: bool,
    /// The command that runs the script in which this one stands, by its number in what one file runs.
    pub around: Option<usize>,
}

impl RunCommand {
    pub fn words(&self) -> Vec<Option<&str>> {
        self.words.iter().map(Option::as_deref).collect()
    }

    /// The words that are known behind the name of a program, its options and what it is told: `gunicorn --preload api:app`,
    /// also as a module of Python.
    pub fn told(&self, program: &str) -> Option<Vec<&str>> {
        let mut words = self.words_behind_wrappers();
        words.find(|word| program_name(word) == program)?;
        Some(words.collect())
    }

    /// The words behind `pip install`, where it is that.
    pub fn told_pip_install(&self) -> Option<Vec<&str>> {
        let told = ["pip", "pip3"].iter().find_map(|pip| self.told(pip))?;
        told.strip_prefix(&["install"]).map(<[&str]>::to_vec)
    }

    /// What stands before belongs to wrappers, and their options do not name the program.
    fn words_behind_wrappers(&self) -> impl Iterator<Item = &str> {
        let behind = self.wrappers.iter().map(|wrapped| wrapped.options.end).max().unwrap_or_default();
        self.words.iter().skip(behind).map(|word| word.as_deref().unwrap_or_default())
    }

    /// The options that a program is given which starts the next one: `srun`.
    pub fn options_of(&self, wrapper: &str) -> Option<Vec<&str>> {
        let wrapped = self.wrappers.iter().find(|wrapped| wrapped.name == wrapper)?;
        let words = self.words.get(wrapped.options.clone())?;
        Some(words.iter().map(|word| word.as_deref().unwrap_or_default()).collect())
    }
}

impl Program<'_> {
    /// The commands of the project, for each file that runs some.
    pub fn run_commands(&self) -> impl Iterator<Item = &[RunCommand]> {
        let commands = self.files_that_run_commands().map(|file| self.run_commands_of(file));
        commands.filter(|commands| !commands.is_empty())
    }

    fn files_that_run_commands(&self) -> impl Iterator<Item = FileId> {
        self.note_question(|| TextQuestion::RunningCommands);
        self.all_files().filter(|&file| self.may_run_commands(file))
    }

    pub(super) fn may_run_commands(&self, file: FileId) -> bool {
        let starts_some = matches!(self.language_of(file), Language::Python | Language::Notebook)
            && self.may_start_programs(file);
        starts_some || self.is_launcher(file)
    }

    /// The commands of the project that have the name of this program among their words.
    pub fn commands_with(&self, program: &str) -> impl Iterator<Item = &RunCommand> {
        self.note_question(|| TextQuestion::RunningCommands);
        let places = self.commands_by_key().by_program.get(program).into_iter().flatten();
        places.map(|(file, number)| &self.run_commands_of(*file)[*number])
    }

    /// The commands of the project that stand in this file.
    pub fn commands_in(&self, file: FileId) -> impl Iterator<Item = &RunCommand> {
        self.note_question(|| TextQuestion::RunningCommands);
        let places = self.commands_by_key().by_file.get(&file).into_iter().flatten();
        places.map(|(file, number)| &self.run_commands_of(*file)[*number])
    }

    fn commands_by_key(&self) -> &CommandsByKey {
        self.commands_by_key.get_or_init(|| {
            let mut known = CommandsByKey::default();
            for file in self.files_that_run_commands() {
                for (number, command) in self.run_commands_of(file).iter().enumerate() {
                    known.by_file.entry(command.site.file).or_default().push((file, number));
                    for word in command.words_behind_wrappers() {
                        known.by_program.entry(program_name(word).into()).or_default().push((file, number));
                    }
                }
            }
            known
        })
    }

    fn run_commands_of(&self, file: FileId) -> &[RunCommand] {
        self.run_commands[file.0 as usize].get_or_init(|| {
            let follow = |start| Interpreter::new(self, file, start).noting_commands();
            let code = self.code_in_pieces(file);
            match self.language_of(file) {
                Language::Notebook => follow(Start::Script).trace().commands,
                Language::Python if code.shell_texts.is_empty() => Vec::new(),
                Language::Python => follow(Start::Script).commands_of_texts(&code.shell_texts),
                _ => {
                    let mut commands: Vec<RunCommand> = Vec::new();
                    for unit in 0..code.units.len() {
                        let before = commands.len();
                        commands.extend(follow(Start::Unit(unit)).trace().commands);
                        commands[before..].iter_mut().for_each(|command| {
                            command.around = command.around.map(|around| around + before);
                        });
                    }
                    commands
                }
            }
        })
    }

    /// The first place at which a program surely needs a GPU, when it is started: without one the call there raises.
    pub fn surely_needs_gpu(&self, file: FileId, start: Start) -> Option<Place> {
        /// What falls back to the CPU is no need.
        const RAISING: &[&str] = &["torch.", "cupy.", "numba.cuda.", "cuda", "to"];
        let trace = Interpreter::new(self, file, start).trace();
        let raises = |what: &EventKind| match what {
            EventKind::Call { callee, does, .. } => {
                let named = RAISING.iter().any(|root| match root.ends_with('.') {
                    true => callee.starts_with(root),
                    false => callee == root,
                });
                named && does.contains(&Does::Allocate)
            }
            _ => false,
        };
        let mut events = trace.events.iter();
        events
            .find(|event| event.surely_happens() && event.what.takes_gpu() && raises(&event.what))
            .map(|event| event.place)
    }

    /// The file that a word of a command names, also where the project lies in another folder when it runs: then by its own
    /// name, where no other file is called so.
    pub(super) fn file_started(&self, launcher: FileId, folder: Option<&str>, path: &str) -> Option<FileId> {
        self.launched_file(launcher, folder, path).or_else(|| self.only_file_called(file_name_of(path)))
    }

    fn only_file_called(&self, own: &str) -> Option<FileId> {
        let known = self.files_by_name.get_or_init(|| {
            let mut known = ByName::default();
            for file in self.all_files() {
                let name = file_name_of(self.name_of(file)).into();
                known.entry(name).and_modify(|only| *only = None).or_insert(Some(file));
            }
            known
        });
        known.get(own).copied().flatten()
    }

    /// The module that a server loads, as a command names it: `app.api` of `app.api:create()`.
    pub fn module_loaded(&self, command: &RunCommand, folder: Option<&str>, dotted: &str) -> Option<FileId> {
        let stem = dotted.replace('.', "/");
        let folder = folder.or(command.folder.as_deref());
        let file = |end: &str| self.launched_file(command.site.file, folder, &format!("{stem}{end}"));
        let end = format!("/{stem}.py");
        let elsewhere = || {
            let mut files = self.all_files().filter(|&file| self.name_of(file).ends_with(&end));
            files.next().filter(|_| files.next().is_none())
        };
        file(".py").or_else(|| file("/__init__.py")).or_else(elsewhere)
    }

    /// A file in the folder in which a command runs, or in one below it.
    pub fn file_beside(&self, command: &RunCommand, folder: Option<&str>, path: &str) -> Option<FileId> {
        self.launched_file(command.site.file, folder.or(command.folder.as_deref()), path)
    }
}
