//! Launchers: shells, workflows, containers. Their variables reach the programs that they start, and those
//! that are files of the project are programs of their own with that environment.

use super::branches::Outcome;
use super::{Flow, Here, Run};
use crate::code::{Block, Expr, ExprKind, Host, Setting};
use crate::commands::is_assignment;
use crate::facts::{FileId, Span};
use crate::program::launches::{Inherited, Launch, normalised};
use crate::program::state::{Definition, MASK};
use crate::program::trace::{Frame, What};
use crate::sources::Language;
use smallvec::smallvec;

/// Scripts that start each other are followed this deep.
const MOST_SCRIPTS: usize = 8;

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
    /// Scripts being run by other scripts, outermost first.
    scripts: Vec<FileId>,
}

impl<'p> Run<'p> {
    /// Runs one unit of a file, with nothing in its environment.
    pub(super) fn run_unit(&mut self, number: usize) {
        let code = self.program.code(self.entry);
        let Some(unit) = code.units.get(number) else { return };
        self.begin_launcher(self.entry, unit.host);
        self.trace.host = unit.host;
        self.block(&unit.body);
        self.flow = Flow::Next;
        self.here.statement = unit.span;
        self.note(What::End, unit.span);
    }

    /// Runs the Python that a launcher hands to an interpreter.
    pub(super) fn run_snippet(&mut self, number: usize) {
        let code = self.program.code(self.entry);
        let Some(snippet) = code.snippets.get(number) else { return };
        let scope = self.new_scope(None, false);
        self.here = Here::in_module(self.entry, scope, 0);
        self.trace.entered.push(self.entry);
        self.block(&snippet.body);
        self.flow = Flow::Next;
    }

    fn begin_launcher(&mut self, file: FileId, host: Host) {
        let scope = self.new_scope(None, false);
        self.here = Here::in_module(file, scope, 0);
        self.shell.export_all = self.program.language_of(file) == Language::Dotenv;
        self.shell.scripts.push(file);
        self.trace.entered.push(file);
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
        });
        let outer = std::mem::replace(&mut self.here, Here::in_module(launch.site.file, 0, frame));
        for (name, all) in &launch.environment {
            let mut reaching = crate::program::Reaching::new();
            for one in all {
                reaching.push(match one {
                    Inherited::Unset => Definition::Unset,
                    Inherited::Removed { place, statement } => {
                        self.here.statement = statement.span;
                        let event = self.note_at(What::Remove { variable: name.to_string() }, *place);
                        self.trace.inherited = event + 1;
                        Definition::Removed(event)
                    }
                    Inherited::Elsewhere => Definition::Elsewhere,
                    Inherited::Set { place, statement, value } => {
                        self.here.statement = statement.span;
                        let what = What::Write {
                            variable: name.to_string(),
                            value: value.as_deref().map(str::to_owned),
                            only_if_unset: false,
                        };
                        let event = self.note_at(what, *place);
                        self.trace.inherited = event + 1;
                        Definition::Set(event, value.clone())
                    }
                });
            }
            self.state.set(name, reaching);
        }
        self.here = outer;
    }

    /// Runs steps whose changes to variables end with them.
    pub(super) fn apart(&mut self, block: &'p Block<'p>) {
        self.apart_from(|run| run.block(block));
    }

    pub(super) fn apart_from(&mut self, steps: impl FnOnce(&mut Self)) {
        let environment = self.state.clone();
        let shell = (self.shell.folder.clone(), self.shell.export_all, self.shell.host);
        let to_export = self.shell.to_export.len();
        let variables = self.scopes[self.shell_scope() as usize].values.clone();
        self.catches.push(Vec::new());
        steps(self);
        // `exit` in a subshell ends the subshell.
        self.catches.pop();
        if matches!(self.flow, Flow::Raise | Flow::Gone) {
            self.flow = Flow::Next;
        }
        self.state.restore_environment(&environment);
        (self.shell.folder, self.shell.export_all, self.shell.host) = shell;
        self.shell.to_export.truncate(to_export);
        let scope = self.shell_scope();
        let changed: Vec<&'p str> = self.scopes[scope as usize].values.keys().copied().collect();
        for name in changed {
            if !variables.contains_key(name) {
                self.unbind_in(scope, name);
            }
        }
        for (name, value) in variables {
            self.bind_in(scope, name, value);
        }
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

    /// `source env.sh`: the steps of another file, in this shell.
    pub(super) fn source_file(&mut self, path: &'p Expr<'p>, span: Span) {
        let Some(file) = self.file_named_by(path) else {
            // Anything may be set in it.
            return self.state.fill_gaps(false);
        };
        self.run_script(file, span, true);
    }

    /// The units of another script: in this shell, or in one of its own.
    pub(super) fn run_script(&mut self, file: FileId, span: Span, in_this_shell: bool) {
        if self.shell.scripts.contains(&file) || self.shell.scripts.len() >= MOST_SCRIPTS {
            return;
        }
        let code = self.program.code(file);
        let frame = self.push_frame(file, None, span);
        self.trace.entered.push(file);
        let scope = if in_this_shell { self.here.scope } else { self.new_scope(None, false) };
        let outer = std::mem::replace(&mut self.here, Here::in_module(file, scope, frame));
        self.shell.scripts.push(file);
        let export_all = self.shell.export_all;
        self.shell.export_all |= !in_this_shell && self.program.language_of(file) == Language::Dotenv;
        for unit in &code.units {
            if !in_this_shell && unit.host != Host::Machine {
                self.enter_host(unit.host);
            }
            self.block(&unit.body);
            self.join_exits();
        }
        self.shell.export_all = if in_this_shell { self.shell.export_all } else { export_all };
        self.flow = Flow::Next;
        self.shell.scripts.pop();
        self.here = outer;
    }

    /// Goes on where the ways meet that left a function or a script by `return`.
    pub(super) fn join_exits(&mut self) {
        let mut ways = std::mem::take(&mut self.here.exits);
        if !ways.is_empty() {
            if matches!(self.flow, Flow::Next | Flow::Return) {
                ways.push(Outcome { state: std::mem::take(&mut self.state), changes: Vec::new() });
            }
            self.flow = Flow::Next;
            self.join(ways);
        }
        if self.flow == Flow::Return {
            self.flow = Flow::Next;
        }
    }

    /// What the place of a unit says about the GPUs that its programs see.
    pub(super) fn enter_host(&mut self, host: Host) {
        self.shell.host = host;
        if host == Host::Scheduler {
            // The scheduler gives the job a mask of its own, if nobody gave it one.
            let reaching = self.state.reaching(MASK);
            if reaching.iter().any(Definition::is_absent) {
                self.state.set(MASK, smallvec![Definition::Elsewhere]);
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

    pub(super) fn change_folder(&mut self, path: Option<&str>) {
        self.shell.folder = match path {
            Some(path) if !path.starts_with('/') && path != "-" => {
                normalised(self.shell.folder.as_deref().unwrap_or(""), path)
            }
            _ => None,
        };
    }

    /// A key of a configuration file that chooses a device.
    pub(super) fn setting(&mut self, setting: &'p Setting<'p>) {
        let value = self.eval(&setting.value);
        if let Some(key) = setting.path.last() {
            self.chosen_by_setting(key, &value);
        }
    }
}
