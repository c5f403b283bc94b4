//! Programs of the project that Python starts: `subprocess.run(["python", "train.py"], env=…)`. They find the
//! mask that this process has, or that it hands to them.

use super::Interpreter;
use super::calls::{Arg, Args};
use crate::code::{Block, Host, ShellText};
use crate::commands::{Started, invocation};
use crate::facts::{FileId, Place, Span};
use crate::program::Start;
use crate::program::heap::values::Value;
use crate::program::launcher_arguments::{LauncherArgument, arguments_in};
use crate::program::launches::{Launch, inherited};
use crate::program::state::{Definition, MASK, Reaching};
use smallvec::smallvec;

/// Functions that hand a text to a shell.
const TO_A_SHELL: [&str; 5] = [
    "os.system",
    "os.popen",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
    "asyncio.create_subprocess_shell",
];

impl<'p> Interpreter<'p> {
    /// A variable for programs that are started: kept for those that get the copy.
    pub(super) fn keep_for_started(&mut self, key: &Value<'p>, value: &Value<'p>, span: Span) {
        // `env["ZE_AFFINITY_MASK" if xpu else "CUDA_VISIBLE_DEVICES"] = "1,2"`: nobody knows whether it is the mask.
        let may_be_mask = |key: &Value<'p>| matches!(key, Value::Text(text) if text.text == MASK);
        let of_several = matches!(key, Value::OneOf(keys) if keys.iter().any(may_be_mask));
        let handed = match of_several {
            true => Some((MASK.to_owned(), smallvec![Definition::Elsewhere])),
            false => self.handed_over(key, value, span),
        };
        let Some((variable, reaching)) = handed else { return };
        self.copied.retain(|(known, _)| *known != variable);
        self.copied.push((variable, reaching));
    }

    /// Notes that a program of the project is started, when a mask is chosen for it. Without one it is judged as if
    /// somebody started it by hand.
    pub(super) fn start_program(
        &mut self,
        callee: &str,
        args: &Args<'p>,
        handed: Vec<(String, Reaching)>,
        span: Span,
    ) {
        const STARTS: [&str; 5] = ["run", "call", "check_call", "check_output", "Popen"];
        let shell = TO_A_SHELL.contains(&callee);
        if !shell && !callee.strip_prefix("subprocess.").is_some_and(|name| STARTS.contains(&name)) {
            return;
        }
        if self.is_mocked(callee) {
            return;
        }
        let mut state = self.state.clone();
        let environment = args.keyword("env").map(|argument| self.contents(&argument.value));
        match &environment {
            None => {}
            Some(Value::Mapping(items)) if items.iter().any(|(key, _)| matches!(key, Value::None)) => {}
            Some(copy) if self.is_environ_copy(copy) => {}
            // `env={"CUDA_VISIBLE_DEVICES": "1"}`: the program gets nothing else.
            Some(Value::Mapping(_)) if handed.iter().any(|(variable, _)| variable == MASK) => {
                let known: Vec<String> = state.variables().map(|(name, _)| name.to_owned()).collect();
                known.iter().for_each(|name| state.set(name, smallvec![Definition::Unset]));
            }
            Some(_) => return,
        }
        let is_handed = handed.iter().any(|(variable, _)| variable == MASK);
        handed.into_iter().for_each(|(variable, reaching)| state.set(&variable, reaching));
        if let Some(text) = self.shell_text(args, shell) {
            let before = std::mem::replace(&mut self.state, state);
            self.run_shell_text(text);
            return self.whole_environment().restore_environment(&before);
        }
        let Some((file, start, arguments)) = self.started_program(args) else { return };
        let chosen = |definition: &Definition| match definition {
            Definition::Set(..) => true,
            Definition::Elsewhere => is_handed,
            _ => false,
        };
        // What is not handed over is this program's own.
        _ = self.reaching(MASK);
        if state.reaching(MASK).iter().all(chosen) {
            let environment = inherited(&state, &self.trace);
            let (site, host) = (self.place(span), Host::default());
            self.trace.launches.push(Launch { file, start, environment, arguments, site, host });
        }
    }

    /// The command line that a call starts, where it could be read.
    fn shell_text(&self, args: &Args<'p>, to_shell: bool) -> Option<&'p ShellText<'p>> {
        let given = args.get(Some(0), Some("args")).or_else(|| args.keyword("command"))?;
        let text_for_shell = to_shell
            || args.keyword("shell").is_some_and(|argument| matches!(argument.value, Value::Bool(true)));
        let is_text = !matches!(self.contents(&given.value), Value::Sequence(_));
        if is_text != text_for_shell {
            return None;
        }
        let here = self.place(given.span);
        let made = given.value.place().unwrap_or(here);
        let place = if self.text_at(here).is_some() { here } else { made };
        self.text_at(place)
    }

    /// Runs a text for a shell that stands here and sets something.
    pub(super) fn run_text_at(&mut self, given: &Arg<'p>) {
        let sets = matches!(self.contents(&given.value), Value::Text(text) if text.text.contains('='));
        if sets {
            self.run_command_at(given.span);
        }
    }

    /// Runs what a text for a shell, or the image of a container that a library is told to start, stands for.
    pub(super) fn run_command_at(&mut self, span: Span) {
        if let Some(text) = self.text_at(self.place(span)) {
            self.run_shell_text(text);
        }
    }

    fn text_at(&self, place: Place) -> Option<&'p ShellText<'p>> {
        self.code_of(place.file).shell_texts.iter().find(|text| text.spans.contains(&place.span))
    }

    /// Runs a command line in a shell of its own, with the values that are put into it.
    fn run_shell_text(&mut self, text: &'p ShellText<'p>) {
        let values: Vec<(&'p str, Option<Value<'p>>)> =
            text.names.iter().map(|name| (*name, self.look_up(self.here.scope, name).cloned())).collect();
        self.run_steps_of_shell(&text.steps, values);
    }

    /// Runs the steps of a shell that knows these values.
    pub(super) fn run_steps_of_shell(
        &mut self,
        steps: &'p Block<'p>,
        values: Vec<(&'p str, Option<Value<'p>>)>,
    ) {
        self.apart_from(|run| {
            let scope = run.new_scope(None, false);
            for (name, value) in values {
                run.bind_in(scope, name, value.unwrap_or(Value::Unknown));
            }
            let outer = std::mem::replace(&mut run.here.scope, scope);
            run.block(steps);
            run.here.scope = outer;
        });
    }

    /// Which program of the project the words of a command start, other than this one.
    fn started_program(&self, args: &Args<'p>) -> Option<(FileId, Start, Vec<LauncherArgument>)> {
        let given = args.get(Some(0), Some("args"))?;
        let Value::Sequence(words) = self.contents(&given.value) else {
            return None;
        };
        let texts: Vec<Option<String>> = words.iter().map(|word| self.word(word)).collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let here = self.here.file;
        let invocation = invocation(&texts);
        let (file, start) = match &invocation.started {
            Started::File(path) => (self.program.launched_file(here, None, path)?, Start::Script),
            Started::Module(dotted) => (self.program.launched_module(here, None, dotted)?, Start::Module),
            _ => return None,
        };
        let own = words.iter().zip(&texts).skip(invocation.own_words(&texts));
        let place = |word: &Value<'p>| word.place().unwrap_or(self.place(given.span));
        let told = arguments_in(own.map(|(word, text)| (*text, place(word))));
        (file != here && file != self.entry).then_some((file, start, told))
    }

    fn word(&self, word: &Value<'p>) -> Option<String> {
        match word {
            Value::Outside(path) if &**self.paths.text(*path) == "sys.executable" => {
                Some("python".to_owned())
            }
            word => word.as_text().map(|text| text.into_owned()),
        }
    }
}
