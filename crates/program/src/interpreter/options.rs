//! What programs make of their command line: `sys.argv`, and the attributes of what `parse_args()` returns.

mod click_lists;

use super::Interpreter;
use super::calls::Args;
use crate::commands::attribute_of_option;
use crate::facts::Place;
use crate::program::Start;
use crate::program::heap::values::{Closure, PathId, Value};
use crate::program::launcher_arguments::{self, LauncherArgument, names_settings_file};
use crate::program::state::Definition;
use crate::program::trace::NOT_NOTED;
use smallvec::smallvec;
use std::borrow::Cow;

/// An option or argument of a parser.
#[derive(Clone, Debug)]
pub(super) struct OptionForm<'p> {
    /// The attribute under which the parsed arguments hold it.
    pub(super) name: String,
    /// `-g`, `--gpu`; none for an argument that is known by its position.
    flags: Vec<String>,
    takes: OptionArity,
    /// What it holds where the command line does not say.
    default: Option<Value<'p>>,
    kind: Kind,
}

/// How many words belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OptionArity {
    None,
    One,
    /// `nargs="*"`, `nargs="+"`, `nargs=2`
    Several,
}

/// What becomes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Text,
    /// No word: the option says this by being there.
    Flag(bool),
    /// It is the name of a command, each of which has options of its own.
    Command,
    Other,
}

/// What a command line says of an option.
enum OptionValue<'w> {
    Nothing,
    Words(Vec<&'w LauncherArgument>),
    /// Something that is not known.
    Unknown,
}

impl<'p> Interpreter<'p> {
    /// What the launcher of this program told it is there from the start.
    pub(super) fn begin_told(&mut self, words: &[LauncherArgument]) {
        if !words.is_empty() {
            self.trace.told = words.iter().filter_map(LauncherArgument::place).collect();
            let packed = launcher_arguments::packed_words(words);
            self.set_reaching(
                launcher_arguments::WORDS,
                smallvec![Definition::Set(NOT_NOTED, Some(packed.into()))],
            );
        }
    }

    /// The words of the command line, where they are known.
    pub(super) fn words_told(&mut self) -> Option<Vec<LauncherArgument>> {
        match &self.reaching(launcher_arguments::WORDS)[..] {
            [Definition::Set(_, Some(packed))] => Some(launcher_arguments::unpacked_words(packed)),
            _ => None,
        }
    }

    /// `sys.argv[1]`
    pub(super) fn word_told(&mut self, number: i64) -> Option<Value<'p>> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        let words = self.words_told()?;
        if words.iter().take(at).any(|word| matches!(word, LauncherArgument::Unknown)) {
            return None;
        }
        match words.get(at)? {
            LauncherArgument::Word(text, place) => Some(Value::text(text.to_string(), *place)),
            LauncherArgument::Other | LauncherArgument::Unknown => None,
        }
    }

    /// `add_argument("--gpu", type=int, default=0)`
    pub(super) fn remember_form(&mut self, args: &Args<'p>) {
        if self.start != Start::Tests && self.launch.is_none_or(|launch| launch.arguments.is_empty()) {
            return;
        }
        let Some(mut form) = self.form_of(args) else { return };
        // Two commands of one program may each have an option of this name.
        let other = self.option_forms.iter().find(|known| known.name == form.name);
        if other.is_some_and(|other| self.has_commands() && !same_default(other, &form)) {
            form.default = None;
        }
        self.option_forms.retain(|known: &OptionForm<'p>| known.name != form.name);
        self.option_forms.push(form);
    }

    /// `add_subparsers(dest="command")`: the first word is the name of one of them.
    pub(super) fn remember_commands(&mut self, args: &Args<'p>) {
        let dest = args.keyword("dest").and_then(|dest| dest.value.as_text().map(Cow::into_owned));
        if self.start != Start::Tests {
            return;
        }
        self.option_forms.push(OptionForm {
            name: dest.unwrap_or_default(),
            flags: Vec::new(),
            takes: OptionArity::One,
            default: Some(Value::None),
            kind: Kind::Command,
        });
    }

    fn has_commands(&self) -> bool {
        self.option_forms.iter().any(|form| form.kind == Kind::Command)
    }

    /// What `add_argument` or `click.option` says of an option.
    pub(super) fn form_of(&self, args: &Args<'p>) -> Option<OptionForm<'p>> {
        let name = name_of(args)?;
        let given = |name: &str| args.keyword(name).map(|argument| &argument.value);
        let texts = args.items.iter().filter(|argument| argument.name.is_none());
        let texts = texts.filter_map(|argument| argument.value.as_text()).map(|text| text.into_owned());
        let takes = match (given("nargs"), given("action").and_then(Value::as_text).as_deref()) {
            (_, Some("store_true" | "store_false" | "store_const" | "count" | "help" | "version")) => {
                OptionArity::None
            }
            _ if matches!(given("is_flag"), Some(Value::Bool(true))) => OptionArity::None,
            (Some(Value::Text(text)), _) if text.text == "?" => OptionArity::One,
            (Some(_), _) => OptionArity::Several,
            (None, _) => OptionArity::One,
        };
        let kind = match (given("action").and_then(Value::as_text).as_deref(), given("type")) {
            (Some("store_true"), _) => Kind::Flag(true),
            (Some("store_false"), _) => Kind::Flag(false),
            // click
            (None, _) if matches!(given("is_flag"), Some(Value::Bool(true))) => Kind::Flag(true),
            (Some(_), _) => Kind::Other,
            (None, None) => Kind::Text,
            (None, Some(Value::Outside(path))) => match &**self.paths.text(*path) {
                "builtins.int" => Kind::Int,
                "builtins.str" => Kind::Text,
                _ => Kind::Other,
            },
            (None, Some(_)) => Kind::Other,
        };
        let unset = match kind {
            Kind::Flag(is_set) => Value::Bool(!is_set),
            _ => Value::None,
        };
        let default = given("default").map_or(Some(unset), |default| {
            let default = self.contents(default);
            launcher_arguments::packed(&default).map(|_| default)
        });
        let flags = texts.filter(|text| text.starts_with('-')).collect();
        Some(OptionForm { name, flags, takes, default, kind })
    }

    /// `parse_args(["--device", "cpu"])`: what a list says is held by the attributes from now on, and what it does not say
    /// by none.
    pub(super) fn parse_list(&mut self, args: &Args<'p>) {
        let Some(list) = args.at(0).or_else(|| args.keyword("args")).map(|list| list.value.clone()) else {
            return;
        };
        let Some(words) = self.words_listed(&list) else { return };
        let forms = self.option_forms.clone();
        for form in &forms {
            let value = form.told(&forms, &words);
            let held = match value.as_ref().and_then(launcher_arguments::packed) {
                Some(packed) => smallvec![Definition::Set(NOT_NOTED, Some(packed.into()))],
                None => smallvec![Definition::Elsewhere],
            };
            self.set_reaching(&launcher_arguments::key_of(&form.name), held);
        }
    }

    /// The words of a list that a program hands to its parser; what is not known may be a word, and is one behind an option.
    pub(super) fn words_listed(&mut self, list: &Value<'p>) -> Option<Vec<LauncherArgument>> {
        let Value::Sequence(values) = self.contents(list) else { return None };
        let mut words: Vec<LauncherArgument> = Vec::new();
        for value in values.iter() {
            let is_behind_option = words
                .last()
                .and_then(LauncherArgument::text)
                .is_some_and(|word| word.starts_with('-') && !word.contains('='));
            words.push(match value {
                Value::Text(text) => LauncherArgument::Word(text.text.to_string().into(), text.place),
                _ if is_behind_option => LauncherArgument::Other,
                _ => LauncherArgument::Unknown,
            });
        }
        Some(words)
    }

    /// `parse_args()`: what the command line says is held by the attributes from now on.
    pub(super) fn parse_words(&mut self) {
        let Some(words) = self.words_told() else { return };
        let forms = self.option_forms.clone();
        for form in forms.iter().filter(|form| launcher_arguments::may_choose(&form.name)) {
            let value = form.told(&forms, &words);
            if let Some(packed) = value.as_ref().and_then(launcher_arguments::packed) {
                let held = smallvec![Definition::Set(NOT_NOTED, Some(packed.into()))];
                self.set_reaching(&launcher_arguments::key_of(&form.name), held);
            }
        }
        for form in forms.iter().filter(|form| form.takes == OptionArity::One) {
            self.remember_settings_told(form, &forms, &words);
        }
    }

    /// `--config small.yaml`: the file of settings that an option names, or its default.
    fn remember_settings_told(
        &mut self,
        form: &OptionForm<'p>,
        forms: &[OptionForm<'p>],
        words: &[LauncherArgument],
    ) {
        if let Some(Value::Text(path)) = form.told(forms, words)
            && names_settings_file(&path.text)
        {
            let held = launcher_arguments::packed(&Value::Text(path)).map(Into::into);
            self.set_reaching(
                &super::data_files::key_of(&form.name),
                smallvec![Definition::Set(NOT_NOTED, held)],
            );
        }
    }

    /// What an attribute of the parsed arguments holds, where that is known.
    pub(super) fn parsed_option(&mut self, path: PathId) -> Option<Value<'p>> {
        let text = self.paths.text(path).clone();
        // Tests hand lists of words to the parser.
        let is_any = self.start == Start::Tests;
        let name = option_named_by(&text, is_any)?;
        let reaching = self.reaching(&launcher_arguments::key_of(name));
        if !reaching.iter().any(|definition| matches!(definition, Definition::Set(..))) {
            return None;
        }
        Some(Value::one_of(reaching.iter().map(|definition| match definition {
            Definition::Set(_, Some(packed)) => {
                launcher_arguments::unpacked(packed).unwrap_or(Value::Unknown)
            }
            Definition::Set(_, None) => Value::Unknown,
            _ => Value::Outside(path),
        })))
    }

    /// `args.gpu = gpu`
    pub(super) fn set_option(&mut self, object: PathId, name: &'p str, value: &Value<'p>) {
        let is_parsed = self.paths.text(object).ends_with(PARSED);
        if is_parsed && self.names_indices(value) {
            self.index_options.insert(name.to_owned());
        }
        if is_parsed && launcher_arguments::may_choose(name) {
            let mut value = self.force(value.clone());
            // `opt.gpu_ids = []`: of another list somebody else may change what it holds.
            if self.assigns_literal {
                value = self.contents(&value);
            }
            let one = |value: &Value<'p>| {
                Definition::Set(NOT_NOTED, launcher_arguments::packed(value).map(Into::into))
            };
            let held = value.alternatives().iter().map(one).collect();
            self.set_reaching(&launcher_arguments::key_of(name), held);
        }
    }

    /// What is known of parameters that a command line fills: the options that click makes arguments of, and, of whatever
    /// calls it (Fire, Typer), that a parameter whose default is an integer is given one.
    pub(super) fn given_by_command_line(
        &mut self,
        closure: &Closure<'p>,
        is_open: bool,
        arguments: &mut [Value<'p>],
    ) {
        if let (Some(settings), Some(first @ Value::Unknown)) =
            (&closure.marks.settings, arguments.first_mut())
        {
            *first = settings.clone();
        }
        let is_command = closure.marks.is_command;
        if !is_command && !is_open {
            return;
        }
        if is_command && !is_open {
            self.given_by_list(closure, arguments);
        }
        let function = self.function_of(closure);
        for (index, (parameter, value)) in function.parameters.iter().zip(arguments).enumerate() {
            if !matches!(value, Value::Unknown) {
                continue;
            }
            let default = closure.defaults.get(index).and_then(Option::as_ref);
            let path = match default {
                _ if is_command => format!("click.command(){PARSED}.{}", parameter.name),
                Some(Value::Int(..)) => SOME_NUMBER.to_owned(),
                _ => continue,
            };
            *value = Value::Outside(self.paths.id(&path));
        }
    }

    /// Whether something is written where a launcher tells this program what to do.
    pub(super) fn is_parser_call(path: &str, args: &Args<'p>) -> bool {
        let parses = path.ends_with("ArgumentParser().parse_args") || path.ends_with(".parse_known_args");
        parses && args.items.is_empty()
    }
}

/// What a parameter is given whose default is an integer.
pub(super) const SOME_NUMBER: &str = "builtins.int(parameter)";

/// How the path of what a parser returns ends.
pub(super) const PARSED: &str = ".parse_args()";

/// The option that a path names: `argparse.ArgumentParser().parse_args().gpu`.
fn option_named_by(path: &str, is_any: bool) -> Option<&str> {
    let (parsed, name) = path.rsplit_once('.')?;
    (parsed.ends_with(PARSED) && (is_any || launcher_arguments::may_choose(name))).then_some(name)
}

/// Whether two options of one name hold the same where nobody says it.
fn same_default(one: &OptionForm<'_>, other: &OptionForm<'_>) -> bool {
    match (&one.default, &other.default) {
        (Some(one), Some(other)) => launcher_arguments::packed(one) == launcher_arguments::packed(other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// The attribute under which the parsed arguments hold an option.
pub(super) fn name_of(args: &Args<'_>) -> Option<String> {
    let named = args.keyword("dest").map(|argument| &argument.value);
    let flags = || args.items.iter().filter(|argument| argument.name.is_none()).map(|one| &one.value);
    let long = || flags().find(|flag| flag.as_text().is_some_and(|flag| flag.starts_with("--")));
    let name = named.or_else(long).or_else(|| flags().next()).and_then(Value::as_text)?;
    Some(attribute_of_option(&name))
}

/// What the words of a command line say of one of the options.
fn said_of<'w>(
    form: &OptionForm<'_>,
    forms: &[OptionForm<'_>],
    words: &'w [LauncherArgument],
) -> OptionValue<'w> {
    let is_option = |word: &LauncherArgument| {
        word.text().is_some_and(|text| text.starts_with('-') && text.parse::<i64>().is_err())
    };
    let mut places = forms.iter().filter(|form| form.flags.is_empty());
    let (mut at, mut sure) = (0, true);
    let mut said = OptionValue::Nothing;
    while let Some(word) = words.get(at) {
        at += 1;
        let (known, takes) = match word {
            LauncherArgument::Unknown => {
                sure = false;
                continue;
            }
            word if is_option(word) => {
                let text = word.text().unwrap_or_default();
                let (flag, value) =
                    text.split_once('=').map_or((text, None), |(flag, value)| (flag, Some(value)));
                let known = forms.iter().find(|form| form.flags.iter().any(|own| own == flag));
                sure &= known.is_some();
                match value {
                    Some(_) => {
                        if known.is_some_and(|known| known.name == form.name) {
                            said = OptionValue::Words(vec![word]);
                        }
                        continue;
                    }
                    None => (known, known.map_or(OptionArity::None, |known| known.takes)),
                }
            }
            _ => {
                at -= 1;
                let known = places.next();
                (known, known.map_or(OptionArity::One, |known| known.takes))
            }
        };
        let is_place = known.is_some_and(|known| known.flags.is_empty());
        let first = at;
        at += match takes {
            OptionArity::None => 0,
            OptionArity::One => 1,
            OptionArity::Several => words[at..].iter().take_while(|word| !is_option(word)).count(),
        };
        if known.is_some_and(|known| known.name == form.name) {
            let own = words.get(first..at).unwrap_or_default();
            // The words behind the name of a command are told by that.
            let is_theirs =
                is_place && form.kind != Kind::Command && forms.iter().any(|form| form.kind == Kind::Command);
            let is_known = (sure || !is_place) && !is_theirs && own.iter().all(|word| word.text().is_some());
            said = if is_known { OptionValue::Words(own.iter().collect()) } else { OptionValue::Unknown };
        }
    }
    said
}

impl<'p> OptionForm<'p> {
    pub(super) fn has_flag(&self) -> bool {
        !self.flags.is_empty()
    }

    /// What it holds after these words, or its default where they say nothing of it.
    pub(super) fn told(&self, forms: &[OptionForm<'p>], words: &[LauncherArgument]) -> Option<Value<'p>> {
        match said_of(self, forms, words) {
            OptionValue::Words(words) => self.value_of(&words),
            OptionValue::Nothing if !words.contains(&LauncherArgument::Unknown) => self.default.clone(),
            OptionValue::Nothing | OptionValue::Unknown => None,
        }
    }

    /// What the parser makes of the words that belong to it.
    fn value_of(&self, words: &[&LauncherArgument]) -> Option<Value<'p>> {
        let values: Option<Vec<Value<'p>>> = words.iter().map(|word| self.value_of_word(word)).collect();
        match self.takes {
            OptionArity::None => match self.kind {
                Kind::Flag(is_set) => Some(Value::Bool(is_set)),
                _ => None,
            },
            OptionArity::One => values?.into_iter().next(),
            OptionArity::Several => values.map(Value::sequence),
        }
    }

    fn value_of_word(&self, word: &LauncherArgument) -> Option<Value<'p>> {
        let LauncherArgument::Word(text, place) = word else { return None };
        let own = text.split_once('=').filter(|(flag, _)| flag.starts_with('-'));
        let (text, place): (&str, Place) = (own.map_or(text, |(_, value)| value), *place);
        match self.kind {
            Kind::Int => Some(Value::Int(text.parse().ok()?, place)),
            Kind::Text | Kind::Command => Some(Value::text(text.to_owned(), place)),
            Kind::Flag(_) | Kind::Other => None,
        }
    }
}
