//! Values that no variable takes: anything but text raises a TypeError.

use super::Interpreter;
use super::calls::Args;
use super::options::{SOME_NUMBER, name_of};
use crate::code::{Comprehension, ExprKind};
use crate::facts::Span;
use crate::masks::{self, Kind};
use crate::program::heap::values::{Source, StreamOutput, Value};
use crate::program::state::{Definition, Reaching};
use crate::program::summaries::Dependency;
use crate::program::trace::EventKind;

/// What `str` makes of a number that is not known.
const SOME_INT: &str = "builtins.str(int)";

/// A list of such texts: `[str(gpu) for gpu in args.gpus]`.
const SOME_TEXTS: &str = "builtins.list(str(int))";

impl<'p> Interpreter<'p> {
    /// A value that is not a string raises a TypeError, whatever the variable is.
    pub(super) fn note_refusal(
        &mut self,
        variable: &str,
        value: &Value<'p>,
        span: Span,
        only_if_unset: bool,
    ) {
        let reaching = if only_if_unset { self.reaching(variable) } else { Reaching::new() };
        // `setdefault` looks at the value only where it needs it.
        if only_if_unset && !reaching.iter().any(|definition| !matches!(definition, Definition::Set(..))) {
            return;
        }
        let values = value.alternatives();
        let refused: Vec<Option<&'static str>> = values.iter().map(|value| self.no_text(value)).collect();
        // What is None on some paths only was most likely asked about before.
        let all = refused.iter().all(Option::is_some);
        let counts = |given: &&'static str| all || *given != "None";
        let Some(given) = refused.iter().flatten().copied().find(|given| counts(given)) else { return };
        let needed = !only_if_unset || reaching.iter().all(Definition::is_absent);
        let sure = all && needed;
        self.uncertain += usize::from(!sure);
        self.note(EventKind::Refuse { variable: variable.to_owned(), given }, span);
        self.uncertain -= usize::from(!sure);
    }

    /// What a value surely is, when that is not a string.
    fn no_text(&mut self, value: &Value<'p>) -> Option<&'static str> {
        match &self.contents(value) {
            Value::None => Some("None"),
            Value::Bool(_) => Some("a bool"),
            Value::Int(..) => Some("an int"),
            Value::Float(_) => Some("a float"),
            Value::Sequence(_) | Value::Stream(_) => Some("a collection"),
            Value::Mapping(_) => Some("a dict"),
            Value::Function(_) => Some("a function"),
            Value::Class(_) => Some("a class"),
            Value::Outside(path) => match &**self.paths.text(*path) {
                "builtins.float()" => Some("a float"),
                "builtins.bytes()" => Some("bytes"),
                "builtins.int()"
                | "builtins.len()"
                | "os.cpu_count()"
                | "multiprocessing.cpu_count()"
                | "torch.cuda.device_count()"
                | "os.getpid()" => Some("an int"),
                "builtins.bool()" => Some("a bool"),
                path => {
                    let path = path.to_owned();
                    self.option_type(&path)
                }
            },
            _ => None,
        }
    }

    /// A number of which only that is known.
    pub(super) fn is_some_int(&mut self, value: &Value<'p>) -> bool {
        let Value::Outside(path) = value else { return false };
        &**self.paths.text(*path) == SOME_NUMBER || self.no_text(value) == Some("an int")
    }

    /// The text of such a number: `str(args.gpu)`, where the parser makes an `int` of it.
    pub(super) fn text_of_some_int(&mut self, value: &Value<'p>) -> Option<Value<'p>> {
        self.is_some_int(value).then(|| self.text_of_numbers())
    }

    /// What a text of numbers is that are not known.
    pub(super) fn text_of_numbers(&mut self) -> Value<'p> {
        Value::Outside(self.paths.id(SOME_INT))
    }

    /// What a list is that a comprehension makes, where not all of its elements are known.
    pub(super) fn list_of(&mut self, comprehension: &Comprehension<'p>) -> Value<'p> {
        match makes_texts(comprehension) {
            true => Value::Outside(self.paths.id(SOME_TEXTS)),
            false => Value::Unknown,
        }
    }

    /// Whether something gives the texts of numbers: `map(str, gpus)`, `str(gpu) for gpu in gpus`. Nobody asks for the text of a text.
    pub(super) fn are_texts_of_numbers(&self, value: &Value<'p>) -> bool {
        match value {
            Value::Outside(path) => &**self.paths.text(*path) == SOME_TEXTS,
            Value::Stream(stream) => match &stream.source {
                Source::Expression { comprehension, .. } => makes_texts(comprehension),
                Source::Calls { function: Value::Outside(path), keeps: StreamOutput::Results, .. } => {
                    &**self.paths.text(*path) == "builtins.str"
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a text that is not known names GPUs by index: it is the text of a number, or an option whose default does.
    pub(super) fn names_indices(&mut self, value: &Value<'p>) -> bool {
        let Value::Outside(path) = value else { return false };
        let path = self.paths.text(*path).clone();
        if &*path == SOME_INT {
            return true;
        }
        self.option_asked(&path).is_some_and(|name| self.index_options.contains(name))
    }

    /// The environment of a program that is started takes nothing but text either.
    ///
    /// Returns what it finds there of its own.
    pub(super) fn check_environment_of(&mut self, callee: &str, args: &Args<'p>) -> Vec<(String, Reaching)> {
        let starts =
            ["subprocess.", "asyncio.create_subprocess"].iter().any(|start| callee.starts_with(start));
        // `os.execvpe("python", words, env)`
        let replaces = callee.strip_prefix("os.").is_some_and(|name| ["execve", "execvpe"].contains(&name));
        let by_name = args.keyword("env").filter(|_| starts || replaces);
        let Some(given) = by_name.or_else(|| args.at(2).filter(|_| replaces)) else { return Vec::new() };
        let (Value::Mapping(items), span) = (self.contents(&given.value), given.span) else {
            return self.copied.clone();
        };
        let mut handed = Vec::new();
        for (key, value) in items.iter() {
            let Value::Text(name) = key else { continue };
            let at = name.place;
            let span = if at.file == self.here.file { at.span } else { span };
            match self.no_text(value) {
                Some(given) => {
                    self.note(EventKind::Refuse { variable: name.text.to_string(), given }, span);
                }
                None => {
                    handed.extend(self.handed_over(key, value, span));
                }
            }
        }
        handed
    }

    /// `add_argument("--gpu", type=int)`: what the parsed arguments hold is not a string.
    pub(super) fn remember_option(&mut self, args: &Args<'p>) {
        let Some(name) = name_of(args) else { return };
        let is_kept = |value: &Value<'p>| match value {
            Value::Int(..) => true,
            // A device other than the first is a choice.
            Value::Text(text) => text.text.starts_with("cuda:") && text.text != "cuda:0",
            _ => false,
        };
        if let Some(default) = args.keyword("default").filter(|one| is_kept(&one.value)) {
            self.option_defaults.insert(name.clone(), default.value.clone());
        }
        let by_index = |value: &Value<'p>| matches!(value, Value::Text(text) if masks::read(&text.text).kind == Kind::Index);
        if args.keyword("default").is_some_and(|default| by_index(&default.value)) {
            self.index_options.insert(name.clone());
        }
        let given = match (args.keyword("type"), args.keyword("action")) {
            (Some(made), _) => match &made.value {
                Value::Outside(path) => match &**self.paths.text(*path) {
                    "builtins.int" => "an int",
                    "builtins.float" => "a float",
                    "builtins.bool" => "a bool",
                    _ => return,
                },
                _ => return,
            },
            (None, Some(action)) => match action.value.as_text().as_deref() {
                Some("store_true" | "store_false") => "a bool",
                _ => return,
            },
            (None, None) => return,
        };
        self.options.insert(name, given);
    }

    /// Options are only ever added.
    fn note_options(&mut self) {
        self.summaries.note(Dependency::Options(self.options_told()));
    }

    /// How much is known of options.
    pub(super) fn options_told(&self) -> usize {
        self.options.len() + self.option_defaults.len() + self.index_options.len()
    }

    /// What an option of a parser holds, by the path of its attribute.
    fn option_type(&mut self, path: &str) -> Option<&'static str> {
        let name = self.option_asked(path)?;
        self.options.get(name).copied()
    }

    /// The option that the path of an attribute names. What is known of options is noted, since an answer follows.
    fn option_asked<'a>(&mut self, path: &'a str) -> Option<&'a str> {
        let (_, name) = path.split_once(".parse_args().")?;
        self.note_options();
        Some(name)
    }

    /// The integer or device that an option of a parser holds when nobody says otherwise.
    pub(super) fn option_default(&mut self, value: &Value<'p>) -> Option<Value<'p>> {
        let Value::Outside(path) = value else { return None };
        let path = self.paths.text(*path).clone();
        let name = self.option_asked(&path)?;
        self.option_defaults.get(name).cloned()
    }
}

/// Whether each element is `str(…)`.
fn makes_texts(comprehension: &Comprehension<'_>) -> bool {
    match &comprehension.elements[..] {
        [only] => {
            matches!(&only.kind, ExprKind::Call(call) if matches!(call.callee.kind, ExprKind::Name("str")))
        }
        _ => false,
    }
}
