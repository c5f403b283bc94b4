//! Calls that leave the project: builtins that values are followed through, and what is known about
//! libraries.

use super::callbacks::{starts_child, waits_for_start};
use super::calls::{Arg, Args};
use super::imports::Imported;
use super::{Flow, Run};
use crate::facts::Span;
use crate::program::trace::{Recipient, What};
use crate::program::value::{PathId, Value};

impl<'p> Run<'p> {
    pub(super) fn call_outside(&mut self, path: PathId, args: Args<'p>, span: Span) -> Value<'p> {
        let args = match self.partials.get(&path) {
            Some(held) => held.clone().followed_by(args),
            None => args,
        };
        let text = self.paths.text(path).clone();
        self.note_validator(text.rsplit('.').next().unwrap_or(&text), span);
        if let Some(name) = text.strip_prefix("builtins.")
            && let Some(value) = self.call_builtin(name, &args, span)
        {
            return value;
        }
        if let Some(value) = self.call_environment(&text, &args, span) {
            return value;
        }
        if let Some(value) = self.call_path(&text, &args, span) {
            return value;
        }
        if let Some(value) = self.parsed_classes(path, &text, span) {
            return value;
        }
        if let Some(value) = self.call_by_meaning(&text, &args, span) {
            return value;
        }
        if let Some(value) = self.enter_for_later(&text, &args, span) {
            return value;
        }
        let handed = self.check_environment_of(&text, &args);
        self.start_program(&text, &args, handed, span);
        if starts_child(&text) {
            let forks = self.forks(&text, &args, self.made_with(path));
            self.note(What::Spawn { callee: text.to_string(), forks }, span);
        }
        if let Some(patch) = text.strip_suffix(".start") {
            let target = self.made_with(path).and_then(|args| self.patch_target(patch, args));
            self.state.set_up_mut().mocked.extend(target);
        }
        self.run_given(path, &args, span);
        let made_with = self.made_with(path).filter(|_| self.program.knowledge.is_as_made(&text)).cloned();
        self.apply_call_effects(&text, made_with.as_ref().unwrap_or(&args), span);
        self.result_of(path, args)
    }

    /// Calls whose meaning is no effect that the data can name; `None` when the call is none of them, or
    /// when it is an ordinary call besides.
    fn call_by_meaning(&mut self, path: &str, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        match path {
            "sys.exit" | "os._exit" | "os.abort" | "std.process.exit" | "std.process.abort"
            | "pytest.skip" | "pytest.exit" | "pytest.fail" | "builtins.exit" | "builtins.quit" => {
                self.flow = Flow::Raise;
                Some(Value::Unknown)
            }
            "unittest.main" | "unittest.TextTestRunner().run" if self.test.is_none() => {
                self.run_unittest();
                None
            }
            "importlib.import_module" | "pytest.importorskip" => Some(self.import_literal(args, false, span)),
            "builtins.__import__" => Some(self.import_literal(args, true, span)),
            "dotenv.load_dotenv" | "dotenv.main.load_dotenv" | "dotenv.dotenv" | "dotenvy.dotenv" => {
                Some(self.load_dotenv(args, span))
            }
            // What the file sets is not followed; it may set anything that is not set yet.
            "environ.Env.read_env" => {
                self.state.fill_gaps(false);
                None
            }
            "torch.device" => {
                let device = self.torch_device(args, span);
                self.choose_literal("torch.device()", &device);
                Some(device)
            }
            "tch.Device.Cuda" => {
                let device = self.tch_device(args, span);
                self.choose_literal("tch::Device::Cuda()", &device);
                Some(device)
            }
            "multiprocessing.set_start_method" | "torch.multiprocessing.set_start_method" => {
                self.set_start_method(args);
                None
            }
            "multiprocessing.get_context" | "torch.multiprocessing.get_context" => self.start_context(args),
            "functools.partial" => self.partial(args),
            // Nobody has made a process group yet while modules are imported.
            "torch.distributed.is_initialized" if self.is_reached_by_import() => {
                // A later call of the same function is to ask again.
                self.changes += 1;
                Some(Value::Bool(false))
            }
            _ if self.leave_for_the_end(path, args, span) => Some(Value::None),
            "dataclasses.field" | "attr.ib" | "attrs.field" | "pydantic.Field" | "attr.attrib" => {
                let default =
                    args.keyword("default").or_else(|| args.at(0).filter(|_| path.ends_with("Field")));
                let factory = args.keyword("default_factory").or_else(|| args.keyword("factory"));
                match (default, factory) {
                    (Some(default), _) => Some(default.value.clone()),
                    (None, Some(factory)) => Some(self.factory(factory.value.clone(), span)),
                    (None, None) => None,
                }
            }
            "click.option" => {
                self.chosen_by_option(args);
                None
            }
            // The default of the parameter that it stands at.
            "typer.Option" | "typer.Argument" => {
                args.keyword("default").or_else(|| args.at(0)).map(|default| default.value.clone())
            }
            _ => None,
        }
    }

    /// `HfArgumentParser((Model, Training)).parse_args_into_dataclasses()` makes one object of each class.
    fn parsed_classes(&mut self, path: PathId, text: &str, span: Span) -> Option<Value<'p>> {
        let (parser, method) = text.rsplit_once('.')?;
        if !is_argument_parser(parser) || !method.starts_with("parse_") {
            return None;
        }
        let classes = self.made_with(path)?.get(Some(0), Some("dataclass_types"))?.value.clone();
        let classes = self.elements(&classes).unwrap_or_else(|| vec![classes]);
        let make = |class| self.call(class, Args { items: Vec::new(), open: true }, span);
        Some(Value::sequence(classes.into_iter().map(make).collect()))
    }

    /// What a library call returns: something known by the name of the call, with its arguments where using
    /// it depends on them.
    fn result_of(&mut self, path: PathId, args: Args<'p>) -> Value<'p> {
        let text = self.paths.text(path).clone();
        let result = self.paths.result(path);
        let result_text = self.paths.text(result).clone();
        let used_later = !self.program.knowledge.of_enter(&text).is_empty()
            || !self.program.knowledge.of_subscript(&result_text).is_empty()
            || !self.program.knowledge.of_iteration(&result_text).is_empty()
            || self.program.knowledge.depends_on_making(&result_text)
            || is_argument_parser(&result_text)
            || Self::is_mark(&text)
            || waits_for_start(&text)
            || text.ends_with(".ProcessPoolExecutor");
        // A mark that asks for the number of devices is remembered as asking, under its name too.
        let asks = |argument: &Arg<'p>| matches!(&argument.value, Value::Text(text) if text.text.contains("device_count"));
        let skips = ["skipif", "skipIf", "skipUnless"].iter().any(|end| text.ends_with(end));
        if skips && (self.asked_count || args.items.iter().any(asks)) {
            self.asked_count = true;
            return Value::Outside(self.paths.id("pytest.mark.skipif().device_count()"));
        }
        if used_later {
            let object = self.paths.object(result);
            self.made_with.insert(object, args);
            return Value::Outside(object);
        }
        Value::Outside(result)
    }

    /// Notes the call of a function that the policy names as a validator.
    pub(super) fn note_validator(&mut self, name: &str, span: Span) {
        if self.program.is_validator(name) {
            self.note(What::Validate { by: name.to_owned() }, span);
        }
    }

    fn import_literal(&mut self, args: &Args<'p>, binds_top: bool, span: Span) -> Value<'p> {
        match args.get(Some(0), Some("name")).map(|argument| argument.value.clone()) {
            Some(Value::Text(module)) if !module.text.starts_with('.') && !module.text.is_empty() => {
                self.import_by_name(&module.text, binds_top, span)
            }
            // `importlib.import_module(".gpu", __name__)`: the package is taken to be that of the file.
            Some(Value::Text(module)) if !module.text.is_empty() => {
                let path = module.text.trim_start_matches('.');
                let level = (module.text.len() - path.len()) as u32;
                match self.import_path(level, path, None, span) {
                    Imported::Project(_, last) => self.found_value(last, span),
                    Imported::Outside => Value::Unknown,
                }
            }
            _ => Value::Unknown,
        }
    }

    pub(super) fn apply_call_effects(&mut self, path: &str, args: &Args<'p>, span: Span) {
        if self.is_mocked(path) {
            return;
        }
        // `super().__init__(…)` in a class that is made of a known one.
        let path = path.strip_suffix("().__init__").unwrap_or(path);
        let knowledge = self.program.knowledge;
        let effects = knowledge.of_call(path);
        if !effects.is_empty() {
            return effects.iter().for_each(|effect| self.apply(effect, path, args, span));
        }
        // A method of a class, or of something that a library returned.
        if let Some((receiver, name)) = path.rsplit_once('.') {
            let last = receiver.rsplit('.').next().unwrap_or_default();
            if receiver.contains("()") || last.starts_with(|first: char| first.is_ascii_uppercase()) {
                self.apply_method_of(receiver, name, args, span);
            }
        }
    }

    /// A method of something that a library made: surely one of the known ones when the library is, or
    /// builds on, the one that has it.
    fn apply_method_of(&mut self, receiver: &str, name: &str, args: &Args<'p>, span: Span) {
        let root = receiver.split(['.', '(']).next().unwrap_or_default();
        let knowledge = self.program.knowledge;
        let builds_on = |library: &str| {
            root == library
                || root == "builtins"
                || knowledge
                    .package(root)
                    .is_some_and(|row| row.gpu_library || row.imports.iter().any(|known| known == library))
        };
        if matches!(root, "unittest" | "mock") {
            return;
        }
        let effects = knowledge.of_method(name);
        if effects.iter().any(|effect| builds_on(&effect.library)) {
            return self.apply_method_effects(name, args, span);
        }
        // Many things have a `backward` or a `step`; a `cuda` is nearly always torch's.
        if name != "backward" {
            self.uncertain += 1;
            self.apply_method_effects(name, args, span);
            self.uncertain -= 1;
        }
    }

    /// A method called on something of unknown type.
    pub(super) fn apply_method_effects(&mut self, name: &str, args: &Args<'p>, span: Span) {
        let knowledge = self.program.knowledge;
        match name {
            "addfinalizer" => drop(self.leave_for_the_end(name, args, span)),
            "setenv" | "delenv" => return self.monkeypatch(name, args, span),
            "patch" | "object" => {
                let result = if name == "patch" { "patch()" } else { "patch.object()" };
                if let Some(target) = self.patch_target(result, args) {
                    self.state.set_up_mut().mocked.push(target);
                }
            }
            "setattr" => {
                let target = args.at(0).zip(args.at(1));
                if let Some(target) =
                    target.and_then(|(object, name)| self.attribute_target(&object.value, &name.value))
                {
                    self.state.set_up_mut().mocked.push(target);
                }
            }
            // A dictionary of unknown content, or a configuration object.
            "get" | "setdefault" | "pop" => {
                if let (Some(key), Some(default)) = (args.at(0).cloned(), args.at(1).cloned()) {
                    self.chosen_by_key_default(&key.value, &default.value);
                }
            }
            "add_argument" | "option" | "add_option" => {
                self.chosen_by_option(args);
                self.remember_option(args);
            }
            _ => {}
        }
        for effect in knowledge.of_method(name) {
            if self.imported.contains(&effect.library) {
                self.apply(effect, name, args, span);
            }
        }
    }

    /// pytest's `monkeypatch.setenv` and `delenv`: in force for the rest of the test.
    fn monkeypatch(&mut self, name: &str, args: &Args<'p>, span: Span) {
        let Some(key) = args.at(0).map(|argument| argument.value.clone()) else { return };
        if name == "delenv" {
            return self.remove_variable(&key, span);
        }
        if let Some(value) = args.at(1).map(|argument| argument.value.clone()) {
            // pytest makes a text of anything.
            let text = match self.as_environment_text(&value, span) {
                text @ (Value::Text(_) | Value::OneOf(_)) => text,
                _ => Value::Unknown,
            };
            let outer = std::mem::replace(&mut self.recipient, Recipient::Test);
            self.write_variable(&key, &text, span, false);
            self.recipient = outer;
        }
    }

    /// The arguments that an object outside the project was made with, where they are kept.
    pub(super) fn made_with(&self, path: PathId) -> Option<&Args<'p>> {
        self.made_with.get(&self.paths.owner(path))
    }
}

/// Parsers that make objects of the classes that they are given.
fn is_argument_parser(path: &str) -> bool {
    matches!(path, "transformers.HfArgumentParser()" | "trl.TrlParser()")
}
