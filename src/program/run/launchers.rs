//! Launchers: shells, workflows, containers. Their variables reach the programs that they start, and those
//! that are files of the project are programs of their own with that environment.

mod apart;
mod scripts;

use super::branches::Outcome;
use super::{Flow, Here, Run};
use crate::code::{Block, Command, Export, Expr, ExprKind, Host, SetVariable};
use crate::commands::{Invocation, Started, invocation, is_assignment, program_name};
use crate::facts::{FileId, Span};
use crate::program::knowledge::Does;
use crate::program::launches::{Inherited, Launch, inherited, normalised};
use crate::program::state::{Definition, MASK};
use crate::program::trace::{Frame, What};
use crate::program::value::{ScopeId, Value};
use crate::program::{Start, is_gpu_variable};
use crate::sources::Language;
use smallvec::smallvec;

/// What a launcher knows beside its variables.
#[derive(Default)]
pub(super) struct Shell {
    /// The folder in which commands run, relative to the project root; `None` where it is not known.
    folder: Option<String>,
    /// Every variable that is set is exported: `set -a`.
    export_all: bool,
    host: Host,
    /// Scripts being run by other scripts, outermost first.
    scripts: Vec<FileId>,
}

impl<'p> Run<'p> {
    /// Runs one unit of a file, with nothing in its environment.
    pub(super) fn run_unit(&mut self, number: usize) {
        let code = self.program.code(self.entry);
        let Some(unit) = code.units.get(number) else { return };
        self.begin_launcher(self.entry, unit.host);
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
        self.shell.host = host;
        self.trace.host = host;
        self.shell.export_all = self.program.language_of(file) == Language::Dotenv;
        self.shell.scripts.push(file);
        self.trace.entered.push(file);
        if host == Host::Scheduler {
            // The scheduler gives the job a mask of its own.
            self.state.set(MASK, smallvec![Definition::Elsewhere]);
        }
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

    /// The namespace of shell variables: a shell has one for all its functions.
    fn shell_scope(&self) -> ScopeId {
        let mut scope = self.here.scope;
        while let Some(parent) = self.scopes[scope as usize].parent {
            scope = parent;
        }
        scope
    }

    pub(super) fn set_variable(&mut self, set: &'p SetVariable<'p>) {
        let scope = self.shell_scope();
        let value = match &set.value {
            Some(value) => self.eval(value),
            None => match self.in_scope(scope, &set.name) {
                Some(value) => value.clone(),
                None => return,
            },
        };
        let exported = match set.export {
            Export::Yes => true,
            Export::No => false,
            Export::IfExported => self.shell.export_all || self.is_exported(&set.name),
        };
        if exported {
            let key = Value::text(&*set.name, self.place(set.span));
            let text = self.as_text(&value, set.span);
            self.write_variable(&key, &text, set.span, set.only_if_unset);
        }
        self.bind_in(scope, &set.name, value);
    }

    /// A shell has no numbers: what is exported is text.
    pub(super) fn as_text(&self, value: &Value<'p>, span: Span) -> Value<'p> {
        match value {
            Value::Int(number, _) => Value::text(number.to_string(), self.place(span)),
            value => value.clone(),
        }
    }

    fn is_exported(&self, name: &str) -> bool {
        let reaching = self.state.reaching(name);
        reaching.iter().any(|definition| matches!(definition, Definition::Set(..) | Definition::Elsewhere))
    }

    pub(super) fn unset_variable(&mut self, name: &'p str, span: Span) {
        let scope = self.shell_scope();
        self.unbind_in(scope, name);
        let key = Value::text(name, self.place(span));
        self.remove_variable(&key, span);
    }

    /// What `$X` gives.
    pub(super) fn shell_variable(
        &mut self,
        name: &'p str,
        default: Option<Value<'p>>,
        span: Span,
    ) -> Value<'p> {
        let scope = self.shell_scope();
        let known = self.in_scope(scope, name).cloned();
        match (known, default) {
            (Some(value), None) => value,
            (Some(value), Some(default)) => match value.truth() {
                Some(true) => value,
                Some(false) => default,
                None => Value::one_of([value, default]),
            },
            (None, default) => {
                let key = Value::text(name, self.place(span));
                self.read_variable(&key, default, span)
            }
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

    pub(super) fn command(&mut self, command: &'p Command<'p>, span: Span) {
        let words: Vec<Value<'p>> = command.words.iter().map(|word| self.eval(word)).collect();
        if let Some(Value::Text(name)) = words.first()
            && let Some(Value::Function(closure)) = self.in_scope(self.shell_scope(), &name.text).cloned()
            && closure.file == self.here.file
        {
            return self
                .with_environment(command, |run| run.shell_function(closure.function, &words[1..], span));
        }
        let texts: Vec<Option<String>> = words
            .iter()
            .zip(&command.words)
            .map(|(value, word)| {
                value.as_text().map(|text| text.into_owned()).or_else(|| self.ending_of(word))
            })
            .collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        if texts.first() == Some(&Some("cd")) || texts.first() == Some(&Some("pushd")) {
            return self.change_folder(texts.get(1).copied().flatten());
        }
        let invocation = invocation(&texts);
        if command.environment.is_empty() && invocation.removed.is_empty() && !invocation.clean {
            self.start(command, &invocation, &texts, span);
        } else {
            self.with_environment(command, |run| {
                for name in &invocation.removed {
                    let key = Value::text(name.clone(), run.place(span));
                    run.remove_variable(&key, span);
                }
                run.start(command, &invocation, &texts, span);
            });
        }
    }

    /// Runs a command with the variables that are set for it alone.
    fn with_environment(&mut self, command: &'p Command<'p>, run: impl FnOnce(&mut Self)) {
        if command.environment.is_empty() {
            return run(self);
        }
        // Only the environment is taken back: what a function binds stays.
        let before = self.state.clone();
        for set in &command.environment {
            let value = set.value.as_ref().map_or(Value::Unknown, |value| self.eval(value));
            let key = Value::text(&*set.name, self.place(set.span));
            let text = self.as_text(&value, set.span);
            self.write_variable(&key, &text, set.span, set.only_if_unset);
        }
        run(self);
        self.state.restore_environment(&before);
    }

    /// A word that ends in a known path: `"$ROOT/train.py"`, `"$(dirname "$0")/train.py"`.
    fn ending_of(&self, word: &Expr<'p>) -> Option<String> {
        let ExprKind::Join(parts) = &word.kind else { return None };
        match &parts.last()?.kind {
            ExprKind::Text(text) if text.starts_with('/') && !is_assignment(text) => {
                Some(text[1..].to_owned())
            }
            _ => None,
        }
    }

    fn file_named_by(&mut self, word: &'p Expr<'p>) -> Option<FileId> {
        let value = self.eval(word);
        let path = value.as_text().map(|text| text.into_owned()).or_else(|| self.ending_of(word))?;
        self.program.launched_file(self.here.file, self.shell.folder.as_deref(), &path)
    }

    fn change_folder(&mut self, path: Option<&str>) {
        self.shell.folder = match path {
            Some(path) if !path.starts_with('/') && path != "-" => {
                normalised(self.shell.folder.as_deref().unwrap_or(""), path)
            }
            _ => None,
        };
    }

    /// The body of a shell function: it shares the variables of its caller.
    fn shell_function(&mut self, number: usize, arguments: &[Value<'p>], span: Span) {
        /// Names of the arguments that are followed.
        const NAMES: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let key = (self.here.file, number);
        if self.active.contains(&key) || !self.spend() {
            return;
        }
        self.trace.ran.insert(key);
        let scope = self.shell_scope();
        let before: Vec<_> = NAMES.iter().map(|name| self.in_scope(scope, name).cloned()).collect();
        for (index, name) in NAMES.iter().enumerate() {
            self.bind_in(scope, name, arguments.get(index).cloned().unwrap_or(Value::Unknown));
        }
        let frame = self.push_frame(self.here.file, Some(number), span);
        let outer_frame = std::mem::replace(&mut self.here.frame, frame);
        let exits = std::mem::take(&mut self.here.exits);
        self.active.push(key);
        self.block(&self.code().functions[number].body);
        self.active.pop();
        let mut ways = std::mem::replace(&mut self.here.exits, exits);
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
        self.here.frame = outer_frame;
        for (name, value) in NAMES.iter().zip(before) {
            match value {
                Some(value) => self.bind_in(scope, name, value),
                None => self.unbind_in(scope, name),
            }
        }
    }

    /// A program is started, with the environment as it is now.
    fn start(
        &mut self,
        command: &'p Command<'p>,
        invocation: &Invocation,
        words: &[Option<&str>],
        span: Span,
    ) {
        let folder = match &invocation.folder {
            Some(folder) => normalised(self.shell.folder.as_deref().unwrap_or(""), folder),
            None => self.shell.folder.clone(),
        };
        let (program, launcher) = (self.program, self.here.file);
        let folder = folder.as_deref();
        let targets: Vec<(FileId, Start)> = match &invocation.started {
            Started::File(path) => {
                let file = program.launched_file(launcher, folder, path);
                if let Some(script) = file.filter(|&file| !program.code(file).units.is_empty()) {
                    return self.apart_from(|run| run.run_script(script, span, false));
                }
                file.map(|file| (file, Start::Script)).into_iter().collect()
            }
            Started::Module(dotted) => {
                let file = program.launched_module(launcher, folder, dotted);
                file.map(|file| (file, Start::Module)).into_iter().collect()
            }
            Started::Tests(paths) => {
                let tests = program.launched_tests(launcher, folder, paths);
                tests.into_iter().map(|file| (file, Start::Tests)).collect()
            }
            Started::PythonCode(_) | Started::PythonInput => {
                command.snippet.map(|snippet| (launcher, Start::Snippet(snippet))).into_iter().collect()
            }
            Started::Program(name) => {
                let has_gpu = self.shell.host != Host::NoGpu || self.is_exported(MASK);
                if has_gpu && program.knowledge.command_uses_gpu(name, words) {
                    return self.start_gpu_program(name, words, span);
                }
                // Whoever sets a mask for one command means a program that uses it.
                if !command.environment.iter().any(|set| is_gpu_variable(&set.name)) {
                    return;
                }
                Vec::new()
            }
            Started::ShellCode(_) | Started::ShellInput | Started::Unknown => Vec::new(),
        };
        let environment = inherited(&self.state, &self.trace);
        let site = self.place(span);
        for &(file, start) in &targets {
            let launch =
                Launch { file, start, environment: environment.clone(), site, host: self.shell.host };
            self.trace.launches.push(launch);
        }
        let callee = started_name(invocation);
        self.note(
            What::Launch { callee, targets: targets.into_iter().map(|(file, _)| file).collect() },
            span,
        );
    }

    /// A program that is no file of the project and is known to use a GPU.
    fn start_gpu_program(&mut self, name: &str, words: &[Option<&str>], span: Span) {
        let mut behind = words.iter().skip_while(|word| word.is_none_or(|word| program_name(word) != name));
        // What it is told to do, as people know it: `vllm serve`.
        let callee = format!("{name} {}", behind.nth(1).copied().flatten().unwrap_or("…"));
        self.in_child += 1;
        self.note(What::Launch { callee: callee.clone(), targets: Vec::new() }, span);
        self.note(What::Call { callee, does: vec![Does::CudaInit], note: None }, span);
        self.in_child -= 1;
    }
}

/// What is started, for people.
fn started_name(invocation: &Invocation) -> String {
    match &invocation.started {
        Started::File(path) => path.clone(),
        Started::Module(module) => format!("python -m {module}"),
        Started::Tests(_) => "pytest".to_owned(),
        Started::PythonCode(_) | Started::PythonInput => "python".to_owned(),
        Started::ShellCode(_) | Started::ShellInput => "sh".to_owned(),
        Started::Program(name) => name.clone(),
        Started::Unknown => "a program".to_owned(),
    }
}
