//! Launchers: shells, workflows, containers. Their variables reach the programs that they start, and those
//! that are files of the project are programs of their own with that environment.

pub(super) mod images;
pub(super) mod make;
mod noted_commands;
mod scripts;
mod subshells;
mod wanted_cards;

use super::{CodePosition, Flow, Interpreter, Start};
use crate::code::{Block, Expr, ExprKind, Host};
use crate::commands::{Invocation, is_assignment};
use crate::facts::FileId;
use crate::program::heap::values::Value;
use crate::program::launches::{Inherited, Launch, normalised};
use crate::program::state::{Definition, MASK};
use crate::program::trace::{EventKind, Frame, NOT_NOTED};
use crate::sources::Language;
use smallvec::smallvec;

/// What a launcher knows beside its variables.
#[derive(Default)]
pub(super) struct Shell {
    /// The folder in which commands run, relative to the project root; `None` where it is not known.
    pub folder: Option<String>,
    /// Folders that `pushd` left.
    left: Vec<Option<String>>,
    /// Every variable that is set is exported: `set -a`.
    export_all: bool,
    /// Variables that will be exported when they are set: `export X`.
    to_export: Vec<String>,
    pub host: Host,
    /// Commands that ran so far.
    pub commands: usize,
    /// Scripts being run by other scripts, outermost first.
    scripts: Vec<FileId>,
    /// The command that runs what is followed now, by its number in the trace.
    pub around: Option<usize>,
    notes_commands: bool,
}

impl<'p> Interpreter<'p> {
    /// Runs one unit of a file, with nothing in its environment.
    pub(super) fn run_unit(&mut self, number: usize) {
        let code = self.program.code_in_pieces(self.entry);
        let Some(unit) = code.units.get(number) else { return };
        self.begin_launcher(self.entry, unit.host);
        self.block(&unit.body);
        self.flow = Flow::Next;
        self.here.statement = unit.span;
        self.note(EventKind::End, unit.span);
    }

    /// Runs the Python that a launcher hands to an interpreter.
    pub(super) fn run_snippet(&mut self, number: usize) {
        let code = self.program.code_in_pieces(self.entry);
        let Some(snippet) = code.snippets.get(number) else { return };
        let scope = self.new_scope(None, false);
        self.here = CodePosition::in_module(self.entry, scope, 0);
        self.trace.entered.push(self.entry);
        if snippet.stands_alone {
            // The blocks of a document mostly go without this import.
            let os = Value::Outside(self.paths.id("os"));
            self.bind_in(scope, "os", os);
        }
        self.block(&snippet.body);
        self.flow = Flow::Next;
    }

    fn begin_launcher(&mut self, file: FileId, host: Host) {
        let scope = self.new_scope(None, false);
        self.here = CodePosition::in_module(file, scope, 0);
        self.shell.export_all = self.program.language_of(file) == Language::Dotenv;
        self.shell.scripts.push(file);
        self.trace.entered.push(file);
        self.trace.host = host;
        self.enter_host(host);
    }

    /// The environment that the launcher of this program left is there from the start.
    pub(super) fn begin_launched(&mut self, launch: &Launch) {
        self.trace.host = launch.host;
        self.trace.frames[0].site = Some(launch.site);
        let frame = self.trace.frames.len() as u32;
        self.trace.frames.push(Frame {
            parent: None,
            site: None,
            statement: None,
            file: launch.site.file,
            function: None,
            number: None,
            is_test: false,
        });
        let outer = std::mem::replace(&mut self.here, CodePosition::in_module(launch.site.file, 0, frame));
        self.begin_told(&launch.arguments);
        for (name, all) in &launch.environment {
            let mut reaching = crate::program::Reaching::new();
            for one in all {
                reaching.push(match one {
                    Inherited::Unset => Definition::Unset,
                    Inherited::Removed { place, statement } => {
                        // It may stand in the script that started the launcher.
                        (self.here.file, self.here.statement) = (statement.file, statement.span);
                        let event = self.note_at(EventKind::Remove { variable: name.to_string() }, *place);
                        self.trace.inherited = event + 1;
                        Definition::Removed(event)
                    }
                    Inherited::Elsewhere => Definition::Elsewhere,
                    Inherited::Given(value) => Definition::Set(NOT_NOTED, Some(value.clone())),
                    Inherited::Set { place, statement, value } => {
                        (self.here.file, self.here.statement) = (statement.file, statement.span);
                        let what = EventKind::Write {
                            variable: name.to_string(),
                            value: value.as_deref().map(str::to_owned),
                            only_if_unset: false,
                            by_index: false,
                        };
                        let event = self.note_at(what, *place);
                        self.trace.inherited = event + 1;
                        Definition::Set(event, value.clone())
                    }
                });
            }
            self.set_reaching(name, reaching);
        }
        self.here = outer;
    }

    /// The environment of whoever starts the program, as far as the question is about that. A container has one of its own.
    pub(super) fn begin_given(&mut self) {
        let host = match self.start {
            Start::Unit(unit) => self.code().units.get(unit).map_or(Host::Machine, |unit| unit.host),
            _ => Host::Machine,
        };
        if matches!(host, Host::Container | Host::BareContainer) {
            return;
        }
        let program = self.program;
        for (name, value) in &program.options.given {
            let given = Definition::Set(NOT_NOTED, Some(value.as_str().into()));
            self.set_reaching(name, std::iter::once(given).collect());
        }
    }

    /// Runs steps on a machine that has no GPU.
    pub(super) fn without_gpu(&mut self, block: &'p Block<'p>) {
        let host = std::mem::replace(&mut self.shell.host, Host::NoGpu);
        self.block(block);
        self.shell.host = host;
    }

    pub(super) fn export_all(&mut self, all: bool) {
        self.shell.export_all = all;
    }

    /// Whether a launcher is followed, and nothing that it calls.
    pub(super) fn runs_one_script(&self) -> bool {
        self.shell.scripts.len() == 1
    }

    pub(super) fn exports_all(&self) -> bool {
        self.shell.export_all
    }

    /// `export X` before X has a value.
    pub(super) fn will_export(&mut self, name: &str) {
        self.shell.to_export.push(name.to_owned());
    }

    pub(super) fn is_to_be_exported(&self, name: &str) -> bool {
        self.shell.to_export.iter().any(|known| known == name)
    }

    /// Goes on where the ways meet that left a function or a script by `return`.
    pub(super) fn join_exits(&mut self) {
        let exits = self.here.end.take().map(|end| self.landing(end)).unwrap_or_default();
        if self.flow == Flow::Return {
            self.flow = Flow::Next;
        }
        if exits.is_empty() {
            return;
        }
        match std::mem::replace(&mut self.flow, Flow::Next) {
            Flow::Next => self.join_with_here(exits),
            _ => self.join(exits),
        }
    }

    /// What the place of a unit says about the GPUs that its programs see.
    pub(super) fn enter_host(&mut self, host: Host) {
        self.shell.host = host;
        if host == Host::Scheduler {
            // The scheduler gives the job a mask of its own, if nobody gave it one.
            let reaching = self.reaching(MASK);
            if reaching.iter().any(Definition::is_absent) {
                self.set_reaching(MASK, smallvec![Definition::Elsewhere]);
            }
        }
    }

    /// A word that ends in a known path: `"$ROOT/train.py"`, `"$(dirname "$0")/train.py"`.
    pub(super) fn ending_of(&self, word: &Expr<'p>) -> Option<String> {
        let ExprKind::Join(parts) = &word.kind else { return None };
        match &parts.last()?.kind {
            ExprKind::Text(text) if text.starts_with(['/', '\\']) && !is_assignment(text) => {
                Some(text[1..].to_owned())
            }
            _ => None,
        }
    }

    fn file_named_by(&mut self, word: &'p Expr<'p>) -> Option<FileId> {
        let value = self.shell_value(word);
        let path = value.as_text().map(|text| text.into_owned()).or_else(|| self.kept_ending(&value))?;
        self.program.launched_file(self.here.file, self.shell.folder.as_deref(), &path)
    }

    /// `cd`, `pushd` and `popd`; `false` for any other command.
    pub(super) fn changes_folder(&mut self, words: &[Option<&str>]) -> bool {
        let path = words.get(1).copied().flatten();
        match words.first().copied().flatten() {
            Some("cd") => self.change_folder(path),
            Some("pushd") => {
                self.shell.left.push(self.shell.folder.clone());
                self.change_folder(path);
            }
            Some("popd") => self.shell.folder = self.shell.left.pop().flatten(),
            _ => return false,
        }
        true
    }

    /// The folder in which a command runs.
    pub(super) fn folder_of(&self, invocation: &Invocation) -> Option<String> {
        match &invocation.folder {
            Some(folder) => normalised(self.shell.folder.as_deref().unwrap_or(""), folder),
            None => self.shell.folder.clone(),
        }
    }

    pub(super) fn change_folder(&mut self, path: Option<&str>) {
        self.shell.folder = match path {
            Some(path) if !path.starts_with('/') && path != "-" => {
                normalised(self.shell.folder.as_deref().unwrap_or(""), path)
            }
            _ => None,
        };
    }
}
