//! Programs of the project that Python starts: `subprocess.run(["python", "train.py"], env=…)`. They find the
//! mask that this process has, or that it hands to them.

use super::Run;
use super::calls::Args;
use crate::code::Host;
use crate::commands::{Started, invocation};
use crate::facts::{FileId, Span};
use crate::program::Start;
use crate::program::launches::{Launch, inherited};
use crate::program::state::{Definition, MASK, Reaching};
use crate::program::trace::NOT_NOTED;
use crate::program::value::Value;
use smallvec::smallvec;

impl<'p> Run<'p> {
    /// A variable for programs that are started: kept for those that get the copy.
    pub(super) fn keep_for_started(&mut self, key: &Value<'p>, value: &Value<'p>, span: Span) {
        let event = self.hand_over(key, value, span);
        let Some(variable) = self.variable_name(key).filter(|_| event != NOT_NOTED) else { return };
        let text = value.as_text().map(|text| text.as_ref().into());
        self.copied.retain(|(known, _)| *known != variable);
        self.copied.push((variable, smallvec![Definition::Set(event, text)]));
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
        if !callee.strip_prefix("subprocess.").is_some_and(|name| STARTS.contains(&name)) {
            return;
        }
        let Some((file, start)) = self.started_program(args) else { return };
        let mut state = self.state.clone();
        match args.keyword("env").map(|argument| &argument.value) {
            None => {}
            Some(Value::Mapping(items)) if items.iter().any(|(key, _)| matches!(key, Value::None)) => {}
            Some(copy) if self.is_environ_copy(copy) => {}
            Some(_) => return,
        }
        handed.into_iter().for_each(|(variable, reaching)| state.set(&variable, reaching));
        let chosen = |definition: &Definition| matches!(definition, Definition::Set(..));
        if state.reaching(MASK).iter().all(chosen) {
            let environment = inherited(&state, &self.trace);
            let (site, host) = (self.place(span), Host::default());
            self.trace.launches.push(Launch { file, start, environment, site, host });
        }
    }

    /// Which program of the project the words of a command start, other than this one.
    fn started_program(&self, args: &Args<'p>) -> Option<(FileId, Start)> {
        let Value::Sequence(words) = &args.get(Some(0), Some("args"))?.value else { return None };
        let texts: Vec<Option<String>> = words.iter().map(|word| self.word(word)).collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let here = self.here.file;
        let (file, start) = match invocation(&texts).started {
            Started::File(path) => (self.program.launched_file(here, None, &path)?, Start::Script),
            Started::Module(dotted) => (self.program.launched_module(here, None, &dotted)?, Start::Module),
            _ => return None,
        };
        (file != here && file != self.entry).then_some((file, start))
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
