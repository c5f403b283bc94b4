//! Commands of launchers: functions of the shell, and programs with the environment that they find.

use super::command_words::Argument;
use super::generators::Active;
use super::launchers::images::given_by;
use super::launchers::make::MakeInvocation;
use super::{CodePosition, Interpreter};
use crate::code::{Command, ExprKind, Function, Host, Observation, ParameterKind};
use crate::commands::{
    Gpus, Invocation, SeparateEnvironment, Setting, Started, cards_of_accelerate, invocation, program_name,
};
use crate::facts::{FileId, Span};
use crate::program::heap::values::{Closure, Value};
use crate::program::knowledge::Does;
use crate::program::launcher_arguments::{LauncherArgument, arguments_in};
use crate::program::launches::{Launch, add_ranks, inherited};
use crate::program::state::{Definition, MASK, Reaching};
use crate::program::trace::{EventKind, Takes};
use crate::program::{Start, is_gpu_variable};
use crate::sources::Language;
use smallvec::smallvec;

impl<'p> Interpreter<'p> {
    pub(super) fn command(&mut self, command: &'p Command<'p>, span: Span) {
        let words = self.arguments(command);
        let closure = match words.first().map(|word| &word.value) {
            Some(Value::Function(closure)) => Some(closure.clone()),
            Some(Value::Text(name)) => match self.heap.peek(self.shell_scope(), &name.text) {
                Some(Value::Function(closure)) => Some(closure.clone()),
                _ => None,
            },
            _ => None,
        };
        if let Some(closure) = closure {
            let arguments: Vec<Value<'p>> = words.into_iter().skip(1).map(|word| word.value).collect();
            if command.environment.is_empty() {
                return self.shell_function(&closure, &arguments, span);
            }
            return self
                .with_environment(command, false, |run| run.shell_function(&closure, &arguments, span));
        }
        let texts: Vec<Option<&str>> = words.iter().map(|word| word.text.as_deref()).collect();
        if self.changes_folder(&texts) || self.shifts(&texts) {
            return;
        }
        // `eval "$COMMAND"`
        let words = if texts.first() == Some(&Some("eval")) { &words[1..] } else { &words[..] };
        let texts = &texts[texts.len() - words.len()..];
        self.shell.commands += 1;
        let invocation = invocation(texts);
        if let Some(word) = invocation.misplaced.and_then(|at| words.get(at)) {
            let text = word.text.as_deref().unwrap_or_default();
            if is_gpu_variable(text.split('=').next().unwrap_or_default()) {
                self.note_observed(Observation::AssignmentForProgram, text.to_owned(), word.span);
            }
        }
        // `CUDA_VISIBLE_DEVICES = 1`: with blanks around the sign the name is the command.
        if let [Some(name), Some(sign), ..] = texts[..]
            && sign.starts_with('=')
            && is_gpu_variable(name)
        {
            self.note_observed(Observation::AssignmentForProgram, format!("{name} {sign}"), span);
        }
        let dynamic = !invocation.assignments.is_empty();
        let plain = invocation.removed.is_empty()
            && !invocation.clean
            && invocation.settings.is_empty()
            && invocation.mask.is_none()
            && cards_of_accelerate(texts).is_none()
            && invocation.settings_files.is_empty();
        if command.environment.is_empty() && plain && !dynamic && invocation.elsewhere.is_none() {
            self.observe_command(command, words, span);
            return self.start(command, &invocation, words, span);
        }
        self.with_environment(command, invocation.clean, |run| {
            for name in &invocation.removed {
                let key = Value::text(name.clone(), run.place(span));
                run.remove_variable(&key, span);
            }
            for path in &invocation.settings_files {
                run.load_settings_at(path, span);
            }
            for &at in &invocation.assignments {
                if let Some(word) = words.get(at) {
                    run.set_by_option(word, None);
                }
            }
            run.observe_command(command, words, span);
            let host = run.shell.host;
            run.leave_environment(&invocation);
            for setting in &invocation.settings {
                if let Some(word) = words.get(setting.word) {
                    run.set_by_option(word, Some(setting.range));
                }
            }
            let is_written = |setting: &Setting| {
                command.words.get(setting.word).is_some_and(|word| matches!(word.kind, ExprKind::Text(_)))
            };
            run.observe_double_choice(&invocation, invocation.settings.iter().all(is_written), span);
            run.mask_by_launcher(invocation.mask, words);
            for path in &invocation.settings_files {
                let folder = run.shell.folder.clone();
                let file = run.program.launched_file(run.here.file, folder.as_deref(), path);
                run.load_for_command(file, span);
            }
            run.start(command, &invocation, words, span);
            run.shell.host = host;
        });
    }

    /// A word, or a part of it, sets a variable.
    fn set_by_option(&mut self, word: &Argument<'p>, range: Option<(usize, usize)>) {
        let Some(text) = &word.text else { return };
        let (start, end) = range.unwrap_or((0, text.len()));
        let Some((name, value)) = text.get(start..end).and_then(|part| part.split_once('=')) else { return };
        // Where the word is written as the program gets it, behind a quote or not, the part has a place of its own.
        let part = text.get(start..end).unwrap_or_default();
        let at = |quotes: u32| Span {
            start: word.span.start + quotes + start as u32,
            end: word.span.start + quotes + end as u32,
        };
        let written =
            |span: &Span| self.program.sources.file(self.here.file).text.get(span.range()) == Some(part);
        let span = [at(0), at(1)].into_iter().find(written).unwrap_or(word.span);
        let known = word.value.as_text().is_some();
        let key = Value::text(name.to_owned(), self.place(span));
        let value = if known { Value::text(value.to_owned(), self.place(span)) } else { Value::Unknown };
        self.write_variable(&key, &value, span, false);
    }

    /// What is left of the environment of the caller where the program runs.
    fn leave_environment(&mut self, invocation: &Invocation) {
        match &invocation.elsewhere {
            None => {}
            Some(SeparateEnvironment::Running) => self.whole_environment().havoc(),
            Some(SeparateEnvironment::ImageWithoutGpu) => {
                let text = &self.program.sources.file(self.here.file).text;
                let by_variable = ["SINGULARITY_NV", "APPTAINER_NV"].iter().any(|name| text.contains(name));
                let is_given = by_variable || self.program.gives_gpus_to_containers();
                if !is_given && self.shell.host.may_have_gpu() {
                    self.shell.host = Host::BareContainer;
                }
            }
            Some(SeparateEnvironment::Job) => self.enter_host(Host::Scheduler),
            Some(SeparateEnvironment::Machine) => {
                self.whole_environment().leave_environment(&[]);
                self.shell.host = Host::Machine;
            }
            Some(SeparateEnvironment::Container { handed, env_files, gpus }) => {
                self.whole_environment().leave_environment(handed);
                self.shell.host = match gpus {
                    Gpus::None => Host::BareContainer,
                    Gpus::Unknown => Host::NoGpu,
                    Gpus::All | Gpus::Some => Host::Container,
                };
                if *gpus == Gpus::Some && self.reaching(MASK).iter().any(Definition::is_absent) {
                    // The engine has chosen.
                    self.set_reaching(MASK, smallvec![Definition::Elsewhere]);
                }
                for path in env_files {
                    self.load_settings_at(path, self.here.statement);
                }
            }
        }
    }

    /// A file of settings that a command is started with.
    fn load_settings_at(&mut self, path: &str, span: Span) {
        let folder = self.shell.folder.clone();
        let file = self.program.launched_file(self.here.file, folder.as_deref(), path);
        self.load_for_command(file, span);
    }

    /// Runs a command with the variables that are set for it alone. `clean`: and with no others.
    fn with_environment(&mut self, command: &'p Command<'p>, clean: bool, run: impl FnOnce(&mut Self)) {
        // Only the environment is taken back: what a function binds stays.
        let before = self.state.clone();
        if clean {
            self.whole_environment().leave_environment(&[]);
        }
        for set in &command.environment {
            let value = set.value.as_ref().map_or(Value::Unknown, |value| self.eval(value));
            let key = Value::text(&*set.name, self.place(set.span));
            let text = self.as_environment_text(&value, set.span);
            self.write_variable(&key, &text, set.span, set.only_if_unset);
        }
        run(self);
        self.whole_environment().restore_environment(&before);
    }

    /// The body of a shell function: it shares the variables of its caller.
    fn shell_function(&mut self, closure: &Closure<'p>, arguments: &[Value<'p>], span: Span) {
        let key = (closure.file, closure.function);
        if self.active.iter().any(|known| known.key == key) || !self.spend() {
            return;
        }
        self.trace.ran.insert(key);
        let function = self.function_of(closure);
        let given = self.bound_arguments(function, closure, arguments);
        let scope = self.shell_scope();
        let before: Vec<(&'p str, Option<Value<'p>>, Option<Reaching>)> = given
            .iter()
            .map(|(name, _)| {
                let kept = self.in_scope(scope, name).cloned();
                // `local X` of a variable that is exported.
                let exported = is_gpu_variable(name).then(|| self.reaching(name));
                (*name, kept, exported)
            })
            .collect();
        for (name, value) in given {
            if let Some(value) = value {
                self.bind_in(scope, name, value);
            }
        }
        let frame = self.push_frame(closure.file, Some(closure.function), span);
        let statement = self.here.statement;
        let inside = CodePosition { statement, ..CodePosition::in_module(closure.file, scope, frame) };
        let outer = std::mem::replace(&mut self.here, inside);
        let modules = self.in_order.len();
        let (uncertain, repeats) = (self.uncertain, self.repeats);
        self.active.push(Active { key, scope: closure.scope, object: None, modules, uncertain, repeats });
        self.block(&function.body);
        self.active.pop();
        self.join_exits();
        self.here = outer;
        for (name, value, exported) in before {
            match value {
                Some(value) => self.bind_in(scope, name, value),
                None => self.unbind_in(scope, name),
            }
            if let Some(exported) = exported {
                self.set_reaching(name, exported);
            }
        }
    }

    /// What the names that end with a function hold in it: `$1` and those that are `local` in a shell, and the
    /// parameters of PowerShell.
    fn bound_arguments(
        &self,
        function: &'p Function<'p>,
        closure: &Closure<'p>,
        arguments: &[Value<'p>],
    ) -> Vec<(&'p str, Option<Value<'p>>)> {
        let own = |kind: ParameterKind| function.parameters.iter().filter(move |own| own.kind == kind);
        let local = own(ParameterKind::KeywordOnly).map(|parameter| (parameter.name, None));
        if self.program.language_of(closure.file) != Language::PowerShell {
            let given = numbered(arguments).into_iter().map(|(name, value)| (name, Some(value)));
            return given.chain(local).collect();
        }
        let names: Vec<&'p str> = own(ParameterKind::Plain).map(|parameter| parameter.name).collect();
        let mut values: Vec<Option<Value<'p>>> = vec![None; names.len()];
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let named = match argument {
                Value::Text(text) => text.text.strip_prefix('-').map(str::to_ascii_lowercase),
                _ => None,
            };
            let at = match &named {
                Some(named) => names.iter().position(|name| name[1..] == **named),
                None => values.iter().position(Option::is_none),
            };
            let value = if named.is_some() { arguments.next() } else { Some(argument) };
            if let (Some(at), Some(value)) = (at, value) {
                values[at] = Some(value.clone());
            }
        }
        let given = names.into_iter().zip(values).zip(&closure.defaults);
        let given = given.map(|((name, value), default)| {
            (name, Some(value.or_else(|| default.clone()).unwrap_or(Value::Unknown)))
        });
        given.chain(local).collect()
    }

    /// `shift`: the first arguments of a function are taken off. `false` for any other command.
    fn shifts(&mut self, words: &[Option<&str>]) -> bool {
        let [Some("shift"), count @ ..] = words else { return false };
        let scope = self.shell_scope();
        if let Some(Value::Sequence(arguments)) = self.in_scope(scope, "@").cloned() {
            let count = count.first().map_or(Some(1), |count| count.and_then(|count| count.parse().ok()));
            let rest: Vec<Value<'p>> = match count {
                Some(count) => arguments.iter().skip(count).cloned().collect(),
                None => vec![Value::Unknown],
            };
            numbered(&rest).into_iter().for_each(|(name, value)| self.bind_in(scope, name, value));
        }
        true
    }

    /// A program is started, with the environment as it is now.
    fn start(
        &mut self,
        command: &'p Command<'p>,
        invocation: &Invocation,
        words: &[Argument<'p>],
        span: Span,
    ) {
        let texts: Vec<Option<&str>> = words.iter().map(|word| word.text.as_deref()).collect();
        let around = self.note_command(invocation, &texts, span);
        let behind = invocation.own_words(&texts);
        let own = words[behind.min(words.len())..].iter();
        let told = arguments_in(
            own.map(|word| (word.value.as_text().and(word.text.as_deref()), self.place(word.span))),
        );
        self.start_noted(command, (invocation, &texts, told), span);
        self.shell.around = around;
    }

    fn start_noted(
        &mut self,
        command: &'p Command<'p>,
        (invocation, words, told): (&Invocation, &[Option<&str>], Vec<LauncherArgument>),
        span: Span,
    ) {
        let folder = self.folder_of(invocation);
        let (program, launcher) = (self.program, self.here.file);
        let folder = folder.as_deref();
        if let Some(image) = invocation.image.as_deref().and_then(|image| program.image_called(image)) {
            return self.apart_from(|run| run.run_image_of(image, None, (false, given_by(words)), span));
        }
        let targets: Vec<(FileId, Start)> = match &invocation.started {
            Started::File(path) => {
                let files = program.launched_files(launcher, folder, path);
                let is_script = |file: &FileId| !program.code_in_pieces(*file).units.is_empty();
                let (scripts, files): (Vec<FileId>, Vec<FileId>) = files.into_iter().partition(is_script);
                if !scripts.is_empty() {
                    let run_all = |run: &mut Self| {
                        scripts.iter().for_each(|script| run.run_script(*script, span, false))
                    };
                    return self.apart_from(run_all);
                }
                // `./build/bin/llama-server` is no file that can be read here, and known all the same.
                if files.is_empty() && self.uses_gpu_by_name(program_name(path), words) {
                    return self.start_gpu_program(program_name(path), words, span);
                }
                files.into_iter().map(|file| (file, Start::Script)).collect()
            }
            Started::Make { folder: below, file, targets, variables } => {
                let given = variables.iter().filter_map(|&at| words[at]?.split_once('='));
                let set: Vec<(String, String)> =
                    given.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
                let make = MakeInvocation { folder: below.as_deref(), file: file.as_deref(), targets };
                return self.run_make(&make, &set, folder, span);
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
                if self.uses_gpu_by_name(name, words) {
                    return self.start_gpu_program(name, words, span);
                }
                // Whoever sets a mask for one command means a program that uses it.
                if !command.environment.iter().any(|set| is_gpu_variable(&set.name)) {
                    return;
                }
                Vec::new()
            }
            Started::ShellCode(..) | Started::ShellInput(_) if !command.script.is_empty() => {
                return self.apart(&command.script);
            }
            Started::ShellCode(..) | Started::ShellInput(_) | Started::Unknown => Vec::new(),
        };
        let mut environment = inherited(&self.state, &self.trace);
        add_ranks(&mut environment, words);
        let site = self.place(span);
        let counting: Vec<(FileId, Start)> =
            targets.iter().copied().filter(|(file, start)| self.counts_as_start(*file, *start)).collect();
        for (file, start) in counting {
            let (environment, arguments) = (environment.clone(), told.clone());
            let launch = Launch { file, start, environment, arguments, site, host: self.shell.host };
            self.trace.launches.push(launch);
        }
        let callee = started_name(invocation, words);
        self.note(
            EventKind::Launch {
                callee,
                targets: targets.into_iter().map(|(file, _)| file).collect(),
                host: self.shell.host,
            },
            span,
        );
    }

    /// Whether a start says how a program is run. Python that starts another without a choice of its own says
    /// nothing of those who start it by hand, unless it starts a container that gets no GPU.
    fn counts_as_start(&mut self, file: FileId, start: Start) -> bool {
        let mask = self.reaching(MASK);
        let chosen =
            mask.iter().all(|definition| matches!(definition, Definition::Set(..) | Definition::Elsewhere));
        let is_python = self.program.language_of(self.here.file) == Language::Python;
        let is_choice = chosen || self.shell.host == Host::BareContainer;
        !is_python || matches!(start, Start::Snippet(_)) || (is_choice && file != self.entry)
    }

    /// Whether a program of this name uses a GPU where it is started.
    fn uses_gpu_by_name(&mut self, name: &str, words: &[Option<&str>]) -> bool {
        let has_gpu = self.shell.host.may_have_gpu() || self.is_exported(MASK);
        has_gpu && self.program.knowledge.command_uses_gpu(name, words)
    }

    /// A program that is no file of the project and is known to use a GPU.
    fn start_gpu_program(&mut self, name: &str, words: &[Option<&str>], span: Span) {
        let mut behind = words.iter().skip_while(|word| word.is_none_or(|word| program_name(word) != name));
        // What it is told to do, as people know it: `vllm serve`.
        let callee = format!("{name} {}", behind.nth(1).copied().flatten().unwrap_or("…"));
        self.in_child += 1;
        let host = self.shell.host;
        self.note(EventKind::Launch { callee: callee.clone(), targets: Vec::new(), host }, span);
        self.note(
            EventKind::Call { callee, does: vec![Does::CudaInit], takes: Takes::First, note: None },
            span,
        );
        self.in_child -= 1;
    }
}

/// What `$1` and its like hold in a function, and `$@`.
fn numbered<'p>(arguments: &[Value<'p>]) -> Vec<(&'static str, Value<'p>)> {
    /// Names of the arguments that are followed.
    const NAMES: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let given = |index: usize| arguments.get(index).cloned().unwrap_or(Value::Unknown);
    let all = ("@", Value::sequence(arguments.to_vec()));
    NAMES.iter().enumerate().map(|(index, name)| (*name, given(index))).chain([all]).collect()
}

/// What is started, for people.
fn started_name(invocation: &Invocation, words: &[Option<&str>]) -> String {
    match &invocation.started {
        Started::File(path) => path.clone(),
        Started::Module(module) => format!("python -m {module}"),
        Started::Tests(_) => "pytest".to_owned(),
        Started::PythonCode(_) | Started::PythonInput => "python".to_owned(),
        Started::ShellCode(..) | Started::ShellInput(_) => "sh".to_owned(),
        Started::Make { .. } => "make".to_owned(),
        Started::Program(name) => name.clone(),
        // `python $script`
        Started::Unknown => (*words.first().unwrap_or(&None)).unwrap_or("a program").to_owned(),
    }
}
