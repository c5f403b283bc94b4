//! Environments that a program hands to somebody else: `session.run(…, env={…})` of nox, `runtime_env={"env_vars": {…}}` of
//! Ray, `environment=["X=1"]` of Docker. Whoever takes them starts a program with them; this process keeps what it has.

use super::Interpreter;
use super::calls::{Arg, Args};
use crate::code::{Argument, Call, ExprKind};
use crate::facts::Span;
use crate::program::heap::values::Value;
use crate::program::state::MASK;

/// Names of arguments, and of keys in them, whose items are variables of a program.
const ENVIRONMENTS: &[&str] = &[
    "env",
    "env_vars",
    "environment",
    "environment_variables",
    "environments",
    "envs",
    "extra_env",
    "job_variables",
    "raw_env",
    "runtime_env",
];

/// Names of arguments whose items are lines of a shell.
const LINES: &[&str] = &["job_script_prologue", "setup", "slurm_setup"];

/// Names of arguments that are a text for a shell.
const COMMANDS: &[&str] = &["bash_command"];

/// What runs a text in a shell, here or on another machine: of invoke, fabric and paramiko.
const RUNNERS: &[&str] = &["exec_command", "local", "run", "sudo"];

impl<'p> Interpreter<'p> {
    /// Notes what a call hands over, unless it is one that is followed. `callee`: what is called, or whose method.
    pub(super) fn note_handed(
        &mut self,
        callee: &Value<'p>,
        name: &str,
        call: &'p Call<'p>,
        args: &Args<'p>,
    ) {
        if !call.arguments.iter().any(|argument| may_hand_over(name, argument)) {
            return;
        }
        let path = match callee {
            Value::Outside(path) => self.paths.text(*path).clone(),
            Value::Unknown => "".into(),
            // What the project defines is followed.
            _ => return,
        };
        const FOLLOWED: [&str; 5] = ["asyncio", "builtins", "os", "subprocess", "unittest"];
        if FOLLOWED
            .iter()
            .any(|root| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
            || path.contains("mock")
        {
            return;
        }
        if name == "DockerOperator" || path.ends_with(".containers") {
            let image = args.keyword("image").or_else(|| args.at(0));
            image.into_iter().for_each(|image| self.run_command_at(image.span));
        }
        for argument in &args.items {
            match argument.name.as_deref() {
                Some(key) if ENVIRONMENTS.contains(&key) => {
                    self.hand_over_all(&argument.value, argument.span, 2)
                }
                Some(key) if LINES.contains(&key) => self.hand_over_all(&argument.value, argument.span, 0),
                Some(key) if COMMANDS.contains(&key) => self.run_text_at(argument),
                Some(MASK) => self.hand_over_one(MASK, &argument.value, argument.span),
                _ => {}
            }
        }
        match (name, args.at(0), args.at(1), args.at(2)) {
            ("env", Some(first), None, None) => self.hand_over_all(&first.value, first.span, 0),
            ("with_env", Some(key), Some(value), None) | ("set_key", Some(_), Some(key), Some(value)) => {
                self.hand_over_pair(key, value);
            }
            (name, Some(text), ..) if RUNNERS.contains(&name) => self.run_text_at(text),
            _ => {}
        }
        if name.ends_with("EnvVar")
            && let (Some(key), Some(value)) = (args.keyword("name"), args.keyword("value"))
        {
            self.hand_over_pair(key, value);
        }
    }

    fn hand_over_pair(&mut self, key: &Arg<'p>, value: &Arg<'p>) {
        let span = Span { start: key.span.start, end: value.span.end.max(key.span.end) };
        _ = self.handed_over(&key.value, &value.value, span);
    }

    fn hand_over_one(&mut self, variable: &str, value: &Value<'p>, span: Span) {
        let key = Value::text(variable.to_owned(), self.place(span));
        _ = self.handed_over(&key, value, span);
    }

    /// `{"X": "1"}`, `["X=1"]` and `{"env_vars": {"X": "1"}}`
    pub(super) fn hand_over_all(&mut self, given: &Value<'p>, span: Span, depth: usize) {
        match self.contents(given) {
            Value::Mapping(items) => {
                for (key, value) in items.iter() {
                    let Value::Text(name) = key else { continue };
                    let at = if name.place.file == self.here.file { name.place.span } else { span };
                    if depth > 0 && ENVIRONMENTS.contains(&&*name.text) {
                        self.hand_over_all(value, at, depth - 1);
                    } else {
                        let end = value
                            .place()
                            .filter(|place| place.file == self.here.file && place.span.start > at.start);
                        let at = Span { start: at.start, end: end.map_or(at.end, |place| place.span.end) };
                        _ = self.handed_over(key, value, at);
                    }
                }
            }
            Value::Sequence(items) => {
                for item in items.iter() {
                    let Value::Text(text) = self.force(item.clone()) else { continue };
                    let at = if text.place.file == self.here.file { text.place.span } else { span };
                    let plain = text.text.trim();
                    let plain = plain.strip_prefix("export ").unwrap_or(plain);
                    let Some((name, value)) = plain.split_once('=') else { continue };
                    if crate::commands::is_variable_name(name) && !value.contains(['$', ';', '&']) {
                        let value = Value::text(value.trim_matches(['"', '\'']).to_owned(), self.place(at));
                        self.hand_over_one(name, &value, at);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Cheap test on how a call is written.
fn may_hand_over(name: &str, argument: &Argument<'_>) -> bool {
    match argument.name {
        Some(key) => {
            ENVIRONMENTS.contains(&key)
                || LINES.contains(&key)
                || COMMANDS.contains(&key)
                || key == "image" && name == "DockerOperator"
                || key == MASK && matches!(name, "LocalCUDACluster" | "env")
                || key == "value" && name.ends_with("EnvVar")
        }
        None => match name {
            "env" => !matches!(argument.value.kind, ExprKind::Text(_)),
            "with_env" | "set_key" => true,
            _ => {
                RUNNERS.contains(&name)
                    && matches!(argument.value.kind, ExprKind::Text(_) | ExprKind::Join(_))
            }
        },
    }
}
