//! Calls that leave the project: builtins that values are followed through, and what is known about
//! libraries.

use super::call_model::CallModel;
use super::calls::{Arg, Args};
use super::dictionaries::merged;
use super::forks::maps_in_workers;
use super::imports::Imported;
use super::tasks::makes_task;
use super::{Flow, Interpreter};
use crate::facts::Span;
use crate::program::heap::refers_to_scopes;
use crate::program::heap::values::{PathId, Value};
use crate::program::state::MASK;
use crate::program::summaries::Dependency;
use crate::program::trace::{Choice, EventKind};

impl<'p> Interpreter<'p> {
    pub(super) fn call_outside(&mut self, path: PathId, args: Args<'p>, span: Span) -> Value<'p> {
        let args = match self.partials.get(&path) {
            Some(held) => held.clone().followed_by(args),
            None => args,
        };
        let text = self.paths.text(path).clone();
        let call_model = self.call_model(path);
        self.note_outside_use_in_child(path, span);
        if call_model.validates {
            self.note_validator(text.rsplit('.').next().unwrap_or(&text), span);
        }
        if let Some(name) = text.strip_prefix("builtins.")
            && let Some(value) = self.call_builtin(name, &args, span)
        {
            return value;
        }
        if let Some(value) = self.call_environment(&text, &args, span) {
            return value;
        }
        if let Some(value) = self.call_path(&text, &args, span).or_else(|| self.read_data(&text, &args)) {
            return value;
        }
        if call_model.parses
            && let Some(value) = self.parsed_classes(path, span)
        {
            return value;
        }
        if let Some(name) = text.strip_prefix("itertools.")
            && let Some(value) = self.call_itertools(name, &args)
        {
            return value;
        }
        if let Some(value) = self.call_standard(&text, path, &args, span) {
            return value;
        }
        if let Some(value) = self.call_by_meaning(&text, &args, span) {
            return value;
        }
        if self.given_to_server(&text, &args, span) {
            return Value::Outside(call_model.result);
        }
        if let Some(value) = self.call_by_name(&text, &args, span) {
            return value;
        }
        if call_model.leaves_for_the_end && self.leave_for_the_end(&args, span) {
            return Value::None;
        }
        if call_model.enters_for_later
            && let Some(value) = self.enter_for_later(&args, false, span)
        {
            return value;
        }
        self.leave_lifespan(&args, span);
        if &*text == "atexit.register" && self.leave_for_exit(&args, span) {
            return args.at(0).map_or(Value::Unknown, |argument| argument.value.clone());
        }
        if makes_task(&text) && self.leave_task(&args) {
            return Value::Outside(call_model.result);
        }
        self.fix_start_method(&text, &args);
        let handed = self.check_environment_of(&text, &args);
        self.start_program(&text, &args, handed, span);
        if call_model.starts_child || maps_in_workers(&text, &args) {
            let forks = self.forks(&text, &args, self.made_with(path));
            self.note(EventKind::Spawn { callee: text.to_string(), forks }, span);
        }
        if let Some(patch) = text.strip_suffix(".start") {
            let target = self.made_with(path).and_then(|args| self.patch_target(patch, args));
            self.state.set_up_mut().mocked.extend(target);
        }
        self.run_given(path, call_model.given, &args, span);
        if matches!(&*text, "asyncio.run" | "anyio.run") || text.ends_with(".run_until_complete") {
            self.run_tasks_left(span);
        }
        if call_model.may_change {
            self.hand_out_all(&args);
        }
        let made_with = self.made_with(path).filter(|_| call_model.as_made).cloned();
        let is_hidden = &*text == "torch.cuda.is_available" && self.hides_all_gpus();
        let with = made_with.as_ref().unwrap_or(&args);
        if self.works_in_copies(&text, made_with.as_ref()) {
            self.note(EventKind::Spawn { callee: text.to_string(), forks: true }, span);
            self.in_another_process(|run| run.apply_effects(call_model.effects, &text, with, span));
        } else {
            self.apply_effects(call_model.effects, &text, with, span);
        }
        if is_hidden {
            return Value::Bool(false);
        }
        self.result_of(call_model, args)
    }

    /// Whether the mask in force says that this program uses no GPU. One that comes too late is told where it is written.
    fn hides_all_gpus(&mut self) -> bool {
        let hides = self.state.hides_all_gpus();
        self.summaries.note(Dependency::HidesAllGpus(hides));
        let reaching = self.state.reaching(MASK);
        self.watch_variable(MASK, &reaching);
        hides
    }

    /// Calls whose meaning is no effect that the data can name; `None` when the call is none of them, or
    /// when it is an ordinary call besides.
    fn call_by_meaning(&mut self, path: &str, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        match path {
            "sys.exit" | "os._exit" | "os.abort" | "std.process.exit" | "std.process.abort"
            | "pytest.skip" | "pytest.exit" | "pytest.fail" | "builtins.exit" | "builtins.quit" => {
                self.flow = Flow::Raise;
                self.exits = true;
                Some(Value::Unknown)
            }
            "unittest.main" | "unittest.TextTestRunner().run" => {
                let in_test = self.test.is_some();
                self.summaries.note(Dependency::InTest(in_test));
                if !in_test {
                    self.run_unittest();
                }
                None
            }
            "importlib.import_module" | "pytest.importorskip" => Some(self.import_literal(args, false, span)),
            "lazy_loader.attach" => {
                self.attach(args, span);
                None
            }
            "builtins.__import__" => {
                let names = args.get(Some(3), Some("fromlist")).map(|argument| argument.value.clone());
                let binds_top = names.is_none_or(|names| self.truth(&names) == Some(false));
                Some(self.import_literal(args, binds_top, span))
            }
            "dotenv.load_dotenv" | "dotenv.main.load_dotenv" | "dotenv.dotenv" | "dotenvy.dotenv" => {
                Some(self.load_dotenv(args, span))
            }
            // What the file sets is not followed; it may set anything that is not set yet.
            "environ.Env.read_env" => {
                self.whole_environment().fill_gaps(false);
                None
            }
            "torch.device" => {
                let device = self.torch_device(args, span);
                self.choose_literal("torch.device()", &device, Choice::Named);
                Some(device)
            }
            "tch.Device.Cuda" => {
                let device = self.tch_device(args, span);
                self.choose_literal("tch::Device::Cuda()", &device, Choice::Taken);
                Some(device)
            }
            "multiprocessing.set_start_method"
            | "multiprocess.set_start_method"
            | "torch.multiprocessing.set_start_method" => {
                self.set_start_method(args);
                None
            }
            "runpy.run_path" | "runpy.run_module" => {
                self.run_by_runpy(path, args, span);
                Some(Value::Unknown)
            }
            "importlib.util.spec_from_file_location" => {
                let spec = self.paths.id("importlib.util.spec_from_file_location()");
                Some(Value::Outside(self.made_from(spec, args.clone())))
            }
            "importlib.util.module_from_spec" => {
                self.file_of_spec(&args.get(Some(0), Some("spec"))?.value).map(Value::Module)
            }
            "importlib.util.spec_from_file_location().loader.exec_module" => {
                if let Value::Module(file) = args.get(Some(0), Some("module"))?.value {
                    self.run_as_module(file, span);
                }
                Some(Value::None)
            }
            "ray.init" | "vllm.LLM" | "vllm.EngineArgs" | "vllm.AsyncEngineArgs" => {
                self.observe_wanted_cards(path, args, span);
                None
            }
            "multiprocessing.get_context" | "torch.multiprocessing.get_context" => self.start_context(args),
            "functools.partial" => self.partial(args),
            "functools.reduce" => self.reduced(args, span),
            "dataclasses.replace" => self.remade(args, span),
            "dataclasses.asdict" if args.items.len() == 1 => {
                let object = self.force(args.at(0)?.value.clone());
                self.record_as_dict(&object, span)
            }
            "dataclasses.astuple" if args.items.len() == 1 => {
                let object = self.force(args.at(0)?.value.clone());
                self.record_as_tuple(&object)
            }
            "collections.namedtuple" => self.named_tuple_class(args, span),
            "copy.copy" | "copy.deepcopy" => {
                let value = self.force(args.at(0)?.value.clone());
                Some(match path {
                    "copy.copy" => self.copied(&value, span),
                    _ => self.deeply_copied(&value, span),
                })
            }
            "importlib.reload" => {
                let module = self.force(args.at(0)?.value.clone());
                if let Value::Module(file) = module {
                    self.reload(file, span);
                }
                Some(module)
            }
            "contextlib.ExitStack" | "contextlib.AsyncExitStack" => {
                Some(self.collection_but_no_list(Value::sequence(Vec::new())))
            }
            "asyncio.gather" => self.gather(args, span),
            "operator.setitem" | "operator.delitem" => {
                let (container, key) = (args.at(0)?.value.clone(), args.at(1)?.value.clone());
                match (self.is_environ(&container), args.at(2).map(|argument| argument.value.clone())) {
                    (true, Some(value)) => self.write_variable(&key, &value, span, false),
                    (true, None) => self.remove_present_variable(&key, span),
                    (false, Some(value)) => self.set_item(&container, &key, &value),
                    (false, None) => self.delete_item(&container, &key),
                }
                Some(Value::None)
            }
            "builtins.dict.fromkeys" => {
                let keys = self.iterate(args.at(0)?.value.clone(), span);
                let value = args.at(1).map_or(Value::None, |argument| argument.value.clone());
                let items =
                    self.elements(&keys)?.into_iter().map(|key| (key, value.clone())).collect::<Vec<_>>();
                Some(self.collection(Value::mapping(merged(Vec::new(), &items))))
            }
            "builtins.object.__setattr__"
            | "builtins.object.__getattribute__"
            | "builtins.object.__delattr__"
            | "builtins.type.__call__" => {
                let (object, method) = (args.at(0)?.value.clone(), path.rsplit('.').next()?);
                let rest = Args { items: args.items[1..].to_vec(), open: args.open };
                self.by_object(method, &object, &rest, span)
            }
            "builtins.object.__new__" => self.bare_object(&Value::Unknown, args),
            "builtins.type.__new__" => {
                let method = Value::Outside(self.paths.id(path));
                self.bare_object(&method, args)
            }
            "torch.distributed.is_initialized" => {
                // Nobody has made a process group yet while modules are imported.
                let by_import = self.is_reached_by_import();
                self.summaries.note(Dependency::ByImport(by_import));
                by_import.then_some(Value::Bool(false))
            }
            "torch.cuda.is_initialized" => self.is_before_torch().then_some(Value::Bool(false)),
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
            path if Self::is_parser_call(path, args) => {
                self.parse_words();
                let parsed = path.strip_suffix(".parse_known_args")?;
                let parsed = Value::Outside(self.paths.id(&format!("{parsed}.parse_args()")));
                Some(Value::sequence(vec![parsed, Value::Unknown]))
            }
            path if path.ends_with("ArgumentParser().parse_args") && !args.items.is_empty() => {
                self.parse_list(args);
                None
            }
            "click.option" => {
                self.chosen_by_option(args);
                self.remember_option(args);
                self.remember_settings_path(args);
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
    fn parsed_classes(&mut self, path: PathId, span: Span) -> Option<Value<'p>> {
        let classes = self.made_with(path)?.get(Some(0), Some("dataclass_types"))?.value.clone();
        let classes = self.elements(&classes).unwrap_or_else(|| vec![classes]);
        let make = |class| self.call(class, Args { items: Vec::new(), open: true }, span);
        Some(Value::sequence(classes.into_iter().map(make).collect()))
    }

    /// What a library call returns: something known by the name of the call, with its arguments where using
    /// it depends on them.
    fn result_of(&mut self, call_model: CallModel<'p>, args: Args<'p>) -> Value<'p> {
        // A mark that asks for the number of devices is remembered as asking, under its name too.
        let asks = |argument: &Arg<'p>| matches!(&argument.value, Value::Text(text) if text.text.contains("device_count"));
        if call_model.skips && (self.asked_count || args.items.iter().any(asks)) {
            self.asked_count = true;
            return Value::Outside(self.paths.id(super::decorators::SKIPS_BY_COUNT));
        }
        if call_model.keeps_arguments {
            let made = self.made_from(call_model.result, args);
            self.wait_for_start(made);
            return Value::Outside(made);
        }
        Value::Outside(call_model.result)
    }

    /// Notes the call of a function that the policy names as a validator.
    pub(super) fn note_validator(&mut self, name: &str, span: Span) {
        if self.asked.scripts.is_validator(name) {
            self.note(EventKind::Validate { by: name.to_owned() }, span);
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
            Some(name) => self.import_one_that_fits(&name, span).unwrap_or(Value::Unknown),
            None => Value::Unknown,
        }
    }

    /// An object outside the project that a call with these arguments makes. The same call gives the same one in each program,
    /// so that what is known of functions that are given it holds there too.
    fn made_from(&mut self, result: PathId, args: Args<'p>) -> PathId {
        /// So many objects of one call are told apart before they are only made.
        const MOST: usize = 16;
        let is_of_heap = |argument: &Arg<'p>| refers_to_scopes(&argument.value);
        if args.items.iter().any(is_of_heap) {
            let object = self.paths.object(result);
            self.keep_arguments(object, args);
            return object;
        }
        let place = args.items.first().map(|argument| argument.span).unwrap_or_default();
        let known = self.made_by.entry((self.here.file, place, result)).or_default();
        let is_same = |object: &&PathId| self.made_with.get(*object).is_some_and(|made| made.same(&args));
        if let Some(object) = known.iter().rev().take(MOST).find(is_same) {
            return *object;
        }
        let object = self.paths.object(result);
        known.push(object);
        self.made_with.insert(object, args);
        object
    }

    /// Keeps the arguments that an object outside the project was made with.
    pub(super) fn keep_arguments(&mut self, object: PathId, args: Args<'p>) {
        self.tie(&args);
        self.made_with.insert(object, args);
    }

    /// What refers to the heap means something in this program only.
    pub(super) fn tie(&mut self, args: &Args<'p>) {
        self.tied += usize::from(args.items.iter().any(|argument| refers_to_scopes(&argument.value)));
    }

    /// The arguments that an object outside the project was made with, where they are kept.
    pub(super) fn made_with(&self, path: PathId) -> Option<&Args<'p>> {
        self.made_with.get(&self.paths.owner(path))
    }
}

/// Parsers that make objects of the classes that they are given.
pub(super) fn is_argument_parser(path: &str) -> bool {
    matches!(path, "transformers.HfArgumentParser()" | "trl.TrlParser()")
}
