//! Files of settings that a program reads as data: `yaml.safe_load(open("config.yaml"))`. What it gets is a dictionary with the
//! contents of that file, where the path is known and the file lies in the project. Keys that the file does not have may be
//! there all the same: people add them.

use super::Interpreter;
use super::builtin_names::may_have;
use super::calls::{Arg, Args};
use super::expressions::borrow;
use super::options::name_of;
use super::search_paths::{folder_of, joined, normal};
use crate::code::{Expr, ExprKind};
use crate::facts::{FileId, Place, Span};
use crate::program::heap::values::Value;
use crate::program::launcher_arguments::{names_settings_file, packed, unpacked};
use crate::program::state::Definition;
use crate::program::trace::NOT_NOTED;
use crate::sources::Language;
use smallvec::smallvec;
use std::rc::Rc;

/// What a call makes a dictionary of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// An open file, or its text.
    Open,
    /// The path of a file, or an open one.
    Path,
}

/// Calls that read settings, and the languages that they know.
const READERS: &[(&str, Reads, &[Language])] = &[
    ("anyconfig.load", Reads::Path, &[Language::Yaml, Language::Json, Language::Toml]),
    ("json.load", Reads::Open, &[Language::Json]),
    ("json.loads", Reads::Open, &[Language::Json]),
    ("json5.load", Reads::Open, &[Language::Json]),
    ("omegaconf.OmegaConf.load", Reads::Path, &[Language::Yaml]),
    ("orjson.loads", Reads::Open, &[Language::Json]),
    ("ruamel.yaml.YAML().load", Reads::Path, &[Language::Yaml]),
    ("ruamel.yaml.safe_load", Reads::Open, &[Language::Yaml]),
    ("simplejson.load", Reads::Open, &[Language::Json]),
    ("toml.load", Reads::Path, &[Language::Toml]),
    ("toml.loads", Reads::Open, &[Language::Toml]),
    ("tomli.load", Reads::Open, &[Language::Toml]),
    ("tomli.loads", Reads::Open, &[Language::Toml]),
    ("tomllib.load", Reads::Open, &[Language::Toml]),
    ("tomllib.loads", Reads::Open, &[Language::Toml]),
    ("ujson.load", Reads::Open, &[Language::Json]),
    ("yaml.full_load", Reads::Open, &[Language::Yaml, Language::Json]),
    ("yaml.load", Reads::Open, &[Language::Yaml, Language::Json]),
    ("yaml.safe_load", Reads::Open, &[Language::Yaml, Language::Json]),
    ("yaml.unsafe_load", Reads::Open, &[Language::Yaml, Language::Json]),
];

/// Dictionaries whose keys are attributes as well, and functions that make them of others.
const WITH_ATTRIBUTES: &[&str] = &[
    "addict.Dict",
    "argparse.Namespace",
    "attrdict.AttrDict",
    "box.Box",
    "dotmap.DotMap",
    "easydict.EasyDict",
    "ml_collections.ConfigDict",
    "munch.DefaultMunch.fromDict",
    "munch.Munch",
    "munch.Munch.fromDict",
    "munch.munchify",
    "omegaconf.OmegaConf.create",
    "omegaconf.OmegaConf.to_container",
    "types.SimpleNamespace",
];

impl<'p> Interpreter<'p> {
    /// What a call gives that reads a file of the project as data; `None` where it does not, or nothing is known of the file.
    pub(super) fn read_data(&mut self, path: &str, args: &Args<'p>) -> Option<Value<'p>> {
        if let Some(method) = path.strip_prefix("configparser.").and_then(|rest| rest.split_once("Parser()."))
        {
            return self.call_section_parser(method.1, args);
        }
        if WITH_ATTRIBUTES.contains(&path) {
            return self.with_attributes(args);
        }
        let (_, reads, languages) = READERS.iter().find(|(name, ..)| *name == path)?;
        let is_plain =
            |name: Option<&str>| matches!(name, None | Some("Loader" | "f" | "fp" | "stream" | "encoding"));
        if args.open || !args.items.iter().all(|argument| is_plain(argument.name.as_deref())) {
            return None;
        }
        // A loader of the project's own makes what it likes.
        let loader = args.keyword("Loader").or_else(|| args.at(1)).map(|argument| &argument.value);
        if let Some(loader) = loader
            && !matches!(loader, Value::Outside(path) if self.paths.text(*path).ends_with("Loader"))
        {
            return None;
        }
        let read = args.items.first()?.value.clone();
        let name = match &read {
            Value::Text(text) if *reads == Reads::Path => Some(text.text.to_string()),
            Value::Outside(_) => self.opened(&read),
            _ => None,
        }?;
        let file = self.settings_named(&name, languages)?;
        let contents: &'p Expr<'p> = self.program.code_in_pieces(file).contents.as_ref()?;
        Some(self.held_by(contents, file))
    }

    /// `OmegaConf.create(dictionary)`, `SimpleNamespace(**dictionary)`
    fn with_attributes(&mut self, args: &Args<'p>) -> Option<Value<'p>> {
        if args.open {
            return None;
        }
        if let Some(first) = args.at(0) {
            let dictionary = first.value.clone();
            let is_dictionary = matches!(self.contents(&dictionary), Value::Mapping(_));
            return is_dictionary.then_some(dictionary);
        }
        let named = args.items.iter().map(|argument| {
            let name = argument.name.clone()?;
            Some((
                Value::text(name.into_owned(), Place { file: self.here.file, span: argument.span }),
                argument.value.clone(),
            ))
        });
        let named = named.collect::<Option<Vec<_>>>()?;
        Some(self.open_dictionary(named))
    }

    /// `Path("config.yaml").open()`, and what reads it at once.
    pub(super) fn open_path(
        &mut self,
        path: &Value<'p>,
        method: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Value<'p> {
        let mode = args.items.iter().filter(|_| method == "open").cloned();
        let opened = Arg { name: None, value: path.clone(), span };
        let args = Args { items: std::iter::once(opened).chain(mode).collect(), open: args.open };
        let open = self.paths.id("builtins.open");
        self.call_outside(open, args, span)
    }

    /// The path of the file that was opened, for an open file or for what was read from one.
    fn opened(&mut self, file: &Value<'p>) -> Option<String> {
        let Value::Outside(path) = file else { return None };
        let path = *path;
        if !OPENED.contains(&&**self.paths.text(path)) {
            return None;
        }
        let args = self.made_with(path)?.clone();
        let mode = args.get(Some(1), Some("mode")).map(|argument| &argument.value);
        let is_read = match mode {
            None => true,
            Some(Value::Text(mode)) => !mode.text.contains(['w', 'a', 'x', '+']),
            Some(_) => false,
        };
        let name = args.get(Some(0), Some("file")).filter(|_| is_read)?.value.clone();
        self.path_in(&name)
    }

    /// A path, as it is written or as an option has it when nobody says otherwise.
    fn path_in(&mut self, path: &Value<'p>) -> Option<String> {
        match path {
            Value::Text(text) => Some(text.text.to_string()),
            Value::Outside(option) => {
                let text = self.paths.text(*option).clone();
                let name = text.rsplit_once(".parse_args().").map(|(_, name)| name)?;
                match &self.reaching(&key_of(name))[..] {
                    [Definition::Set(_, Some(default))] => match unpacked(default)? {
                        Value::Text(text) => Some(text.text.to_string()),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `add_argument("--config", default="config.yaml")`: what holds for a program that is started without a word. What a launcher
    /// says is looked at where the words are parsed.
    pub(super) fn remember_settings_path(&mut self, args: &Args<'p>) {
        let Some(Value::Text(default)) = args.keyword("default").map(|default| default.value.clone()) else {
            return;
        };
        if !names_settings_file(&default.text)
            || self.launch.is_some_and(|launch| !launch.arguments.is_empty())
        {
            return;
        }
        if let Some(name) = name_of(args) {
            let held = packed(&Value::Text(default)).map(Into::into);
            self.set_reaching(&key_of(&name), smallvec![Definition::Set(NOT_NOTED, held)]);
        }
    }

    /// The file with this path, seen from the root of the project or from the folder of the program.
    fn settings_named(&self, path: &str, languages: &[Language]) -> Option<FileId> {
        let path = normal(path);
        let beside = |file: FileId| normal(&joined(&folder_of(self.program.name_of(file)), &path));
        let named = |name: &str| self.program.file_named(name);
        let file =
            named(&path).or_else(|| named(&beside(self.entry))).or_else(|| named(&beside(self.here.file)))?;
        languages.contains(&self.program.language_of(file)).then_some(file)
    }

    pub(super) fn held_by(&mut self, held: &'p Expr<'p>, file: FileId) -> Value<'p> {
        let place = Place { file, span: held.span };
        match &held.kind {
            ExprKind::Text(text) => Value::text(borrow(text), place),
            ExprKind::Int(number) => Value::Int(*number, place),
            ExprKind::Sequence(items) => {
                let items = items.iter().map(|item| self.held_by(item, file)).collect();
                self.collection(Value::sequence(items))
            }
            ExprKind::Mapping(pairs) => {
                let items = pairs.iter().map(|(key, value)| {
                    let key = key.as_ref().map_or(Value::Unknown, |key| self.held_by(key, file));
                    (key, self.held_by(value, file))
                });
                let items = items.collect();
                self.open_dictionary(items)
            }
            _ => Value::Unknown,
        }
    }

    /// `configparser.ConfigParser().read("settings.ini")`, and what such a parser is asked then. Where a program reads several
    /// files, nothing is known of what it gets.
    fn call_section_parser(&mut self, method: &str, args: &Args<'p>) -> Option<Value<'p>> {
        match method {
            "read" | "read_file" => {
                let given = args.at(0)?.value.clone();
                let path = if method == "read" { self.path_in(&given) } else { self.opened(&given) };
                let file = path.and_then(|path| self.settings_named(&path, &[Language::Ini]));
                let held = file.map(|file| self.program.name_of(file).to_owned());
                let earlier = self.reaching(SECTIONS);
                let is_other = earlier.iter().any(|one| match one {
                    Definition::Set(_, name) => name.as_deref() != held.as_deref(),
                    _ => false,
                });
                let held = held.filter(|_| !is_other).map(Into::into);
                self.set_reaching(SECTIONS, smallvec![Definition::Set(NOT_NOTED, held)]);
                None
            }
            "get" | "getint" => {
                let section = self.section_named(&args.at(0)?.value.clone())?;
                let Value::Text(text) = self.mapping_item(&self.items_of(&section)?, &args.at(1)?.value)?
                else {
                    return None;
                };
                match method {
                    "get" => Some(Value::Text(text)),
                    _ => text.text.trim().parse().ok().map(|number| Value::Int(number, text.place)),
                }
            }
            "set" | "read_dict" | "read_string" | "add_section" | "remove_option" => {
                self.set_reaching(SECTIONS, smallvec![Definition::Set(NOT_NOTED, None)]);
                None
            }
            _ => None,
        }
    }

    fn items_of(&self, dictionary: &Value<'p>) -> Option<Rc<Vec<(Value<'p>, Value<'p>)>>> {
        match self.contents(dictionary) {
            Value::Mapping(items) => Some(items),
            _ => None,
        }
    }

    /// `parser["section"]`
    pub(super) fn section_named(&mut self, name: &Value<'p>) -> Option<Value<'p>> {
        let file = match &self.reaching(SECTIONS)[..] {
            [Definition::Set(_, Some(file))] => self.program.file_named(file)?,
            _ => return None,
        };
        let contents: &'p Expr<'p> = self.program.code_in_pieces(file).contents.as_ref()?;
        let sections = self.held_by(contents, file);
        self.mapping_item(&self.items_of(&sections)?, name)
            .filter(|section| !matches!(section, Value::Unknown))
    }

    /// A dictionary that may have other keys than these.
    pub(super) fn open_dictionary(&mut self, known: Vec<(Value<'p>, Value<'p>)>) -> Value<'p> {
        let items = std::iter::once((Value::Unknown, Value::Unknown)).chain(known).collect();
        self.collection(Value::mapping(items))
    }

    /// An attribute of a dictionary whose keys are attributes: one of its own class has no other than its methods.
    pub(super) fn key_as_attribute(&mut self, dictionary: &Value<'p>, name: &'p str) -> Option<Value<'p>> {
        let Value::Mapping(items) = self.contents(dictionary) else { return None };
        if may_have(name) {
            return None;
        }
        let key = Value::text(name, Place { file: self.here.file, span: self.here.statement });
        is_open(&items).then(|| self.mapping_item(&items, &key)).flatten()
    }

    /// The same, where it is set.
    pub(super) fn set_key_as_attribute(&mut self, dictionary: &Value<'p>, name: &'p str, value: &Value<'p>) {
        if let Value::Mapping(items) = self.contents(dictionary)
            && is_open(&items)
        {
            let key = Value::text(name, Place { file: self.here.file, span: self.here.statement });
            self.set_item(dictionary, &key, value);
        }
    }
}

/// Whether a dictionary may have other keys than those that are known.
fn is_open(items: &[(Value<'_>, Value<'_>)]) -> bool {
    items.first().is_some_and(|(key, _)| matches!(key, Value::Unknown))
}

/// Under which name the file is kept whose sections a parser has.
const SECTIONS: &str = "=sections";

/// What opening a file gives, and reading it.
const OPENED: &[&str] = &[
    "builtins.open()",
    "builtins.open().read()",
    "builtins.open().__enter__()",
    "codecs.open()",
    "codecs.open().read()",
    "io.open()",
    "io.open().read()",
];

/// Whether this is what a program reads INI files with.
pub(super) fn is_section_parser(path: &str) -> bool {
    path.strip_prefix("configparser.").is_some_and(|rest| rest.ends_with("Parser()"))
}

/// Calls that open a file, whose arguments are kept.
pub(super) fn opens(path: &str) -> bool {
    matches!(path, "builtins.open" | "codecs.open" | "io.open")
}

/// Under which name the default of an option is kept that is the path of a file of settings.
pub(super) fn key_of(option: &str) -> String {
    format!("=settings {option}")
}
