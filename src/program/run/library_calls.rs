//! Calls that leave the project: builtins that values are followed through, and what is known about
//! libraries.

use super::calls::{Arg, Args};
use super::devices::Device;
use super::{Flow, Run};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::program::knowledge::{Does, Effect, EffectRow, Literal};
use crate::program::state::State;
use crate::program::trace::What;
use crate::program::value::{PathId, Value};
use std::rc::Rc;

/// What entering a `with` left to be done at its end.
pub(super) struct Leave<'p> {
    pub entered: Value<'p>,
    manager: Value<'p>,
    /// The environment to restore.
    restore: Option<State>,
    /// How many names were replaced before.
    mocked: usize,
}

impl<'p> Run<'p> {
    pub(super) fn call_outside(&mut self, path: PathId, args: Args<'p>, span: Span) -> Value<'p> {
        let text = self.paths.text(path).clone();
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
        match &*text {
            "sys.exit"
            | "os._exit"
            | "os.abort"
            | "pytest.skip"
            | "pytest.exit"
            | "pytest.fail"
            | "pytest.importorskip"
            | "builtins.exit"
            | "builtins.quit" => {
                if &*text == "pytest.importorskip" {
                    return self.import_literal(&args, false, span);
                }
                self.flow = Flow::Raise;
                return Value::Unknown;
            }
            "importlib.import_module" => return self.import_literal(&args, false, span),
            "builtins.__import__" => return self.import_literal(&args, true, span),
            // What the file sets is not followed yet; it may set anything.
            "dotenv.load_dotenv" | "environ.Env.read_env" => self.state.blur(),
            "torch.device" => {
                let device = self.torch_device(&args, span);
                self.choose_literal("torch.device()", &device);
                return device;
            }
            "functools.partial" => {
                if let Some(function) = args.at(0) {
                    return function.value.clone();
                }
            }
            "dataclasses.field" | "attr.ib" | "attrs.field" | "pydantic.Field" | "attr.attrib" => {
                let default =
                    args.keyword("default").or_else(|| args.at(0).filter(|_| text.ends_with("Field")));
                if let Some(default) = default {
                    return default.value.clone();
                }
            }
            "click.option" | "typer.Option" | "typer.Argument" => self.chosen_by_option(&args),
            _ => {}
        }
        if starts_process(&text) {
            self.run_in_child(&args, span);
        } else {
            self.run_callbacks(&args, span);
        }
        self.apply_call_effects(&text, &args, span);
        let result = self.paths.result(path);
        let result_text = self.paths.text(result).clone();
        let used_later = !self.program.knowledge.of_enter(&text).is_empty()
            || !self.program.knowledge.of_subscript(&result_text).is_empty()
            || !self.program.knowledge.of_iteration(&result_text).is_empty()
            || Self::is_mark(&text);
        // A mark that asks for the number of devices is remembered as asking, under its name too.
        let asks = |argument: &Arg<'p>| matches!(&argument.value, Value::Text(text) if text.text.contains("device_count"));
        let skips = ["skipif", "skipIf", "skipUnless"].iter().any(|end| text.ends_with(end));
        if skips && (self.asked_count || args.items.iter().any(asks)) {
            self.asked_count = true;
            return Value::Outside(self.paths.id("pytest.mark.skipif().device_count()"));
        }
        if used_later {
            self.made_with.insert(result, args);
        }
        Value::Outside(result)
    }

    fn import_literal(&mut self, args: &Args<'p>, binds_top: bool, span: Span) -> Value<'p> {
        match args.get(Some(0), Some("name")).map(|argument| argument.value.clone()) {
            Some(Value::Text(module)) if !module.text.starts_with('.') && !module.text.is_empty() => {
                self.import_by_name(&module.text, binds_top, span)
            }
            _ => Value::Unknown,
        }
    }

    /// Functions handed to another process run there: what they initialise stays there.
    fn run_in_child(&mut self, args: &Args<'p>, span: Span) {
        let before = self.state.clone();
        self.state.cuda = None;
        self.state.library = None;
        self.in_child += 1;
        self.run_callbacks(args, span);
        self.in_child -= 1;
        self.state = before;
    }

    fn call_builtin(&mut self, name: &str, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let first = args.at(0).map(|argument| argument.value.clone());
        let first = first.map(|value| self.settle(value));
        Some(match (name, first) {
            ("str", Some(value @ Value::Text(_))) => value,
            ("str", Some(Value::Int(value, place))) => Value::text(value.to_string(), place),
            ("str", Some(Value::OneOf(values))) => {
                let texts: Option<Vec<_>> = values
                    .iter()
                    .map(|value| {
                        let place = value.place().unwrap_or(self.place(span));
                        value.as_text().map(|text| Value::text(text.into_owned(), place))
                    })
                    .collect();
                texts.map_or(Value::Unknown, Value::one_of)
            }
            ("str", Some(read @ Value::Outside(_))) if self.variable_read(&read).is_some() => read,
            ("int", Some(Value::Int(value, place))) => Value::Int(value, place),
            ("int", Some(Value::Text(text))) => {
                text.text.trim().parse().map_or(Value::Unknown, |value| Value::Int(value, text.place))
            }
            ("bool", Some(value)) => value.truth().map_or(Value::Unknown, Value::Bool),
            ("list" | "tuple" | "set" | "sorted" | "iter" | "frozenset", Some(value)) => {
                let value = self.iterate(value, span);
                self.elements(&value).map_or(Value::Unknown, |elements| Value::Sequence(Rc::new(elements)))
            }
            ("dict", first) => return Some(self.make_dict(first, args)),
            ("len", Some(value)) => {
                let value = self.iterate(value, span);
                let elements = self.elements(&value);
                elements
                    .map_or(Value::Unknown, |elements| Value::Int(elements.len() as i64, self.place(span)))
            }
            ("range", Some(_)) => self.range(args, span),
            ("enumerate", Some(value)) => {
                let value = self.iterate(value, span);
                let elements = self.elements(&value)?;
                let place = self.place(span);
                let pairs = elements.into_iter().enumerate().map(|(index, element)| {
                    Value::Sequence(Rc::new(vec![Value::Int(index as i64, place), element]))
                });
                Value::Sequence(Rc::new(pairs.collect()))
            }
            ("zip", Some(first)) => {
                let rest: Vec<_> = args.items.iter().skip(1).map(|argument| argument.value.clone()).collect();
                let columns: Vec<_> = std::iter::once(first)
                    .chain(rest)
                    .map(|column| {
                        let column = self.iterate(column, span);
                        self.elements(&column)
                    })
                    .collect::<Option<_>>()?;
                let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
                let row = |index: usize| {
                    Value::Sequence(Rc::new(columns.iter().map(|column| column[index].clone()).collect()))
                };
                Value::Sequence(Rc::new((0..rows).map(row).collect()))
            }
            ("map", Some(function @ Value::Function(_))) => {
                let column = args.at(1)?.value.clone();
                let column = self.iterate(column, span);
                let elements = self.elements(&column).filter(|_| args.items.len() == 2)?;
                let results = elements
                    .into_iter()
                    .map(|element| self.call(function.clone(), Args::positional(vec![element], span), span));
                Value::Sequence(Rc::new(results.collect()))
            }
            ("map", Some(Value::Outside(path))) if &**self.paths.text(path) == "builtins.str" => {
                let column = args.at(1)?.value.clone();
                let column = self.iterate(column, span);
                let elements = self.elements(&column)?;
                let results = elements.into_iter().map(|element| {
                    self.call(Value::Outside(path), Args::positional(vec![element], span), span)
                });
                Value::Sequence(Rc::new(results.collect()))
            }
            ("getattr", Some(object)) => match args.at(1).map(|argument| argument.value.clone()) {
                Some(Value::Text(name)) => match &name.text {
                    std::borrow::Cow::Borrowed(name) => self.attribute(&object, name, span),
                    std::borrow::Cow::Owned(_) => Value::Unknown,
                },
                _ => Value::Unknown,
            },
            ("next" | "sum" | "any" | "all" | "max" | "min", Some(value)) => {
                self.iterate(value, span);
                Value::Unknown
            }
            ("print" | "isinstance" | "hasattr" | "issubclass" | "repr" | "id" | "type", _) => Value::Unknown,
            _ => return None,
        })
    }

    fn make_dict(&mut self, first: Option<Value<'p>>, args: &Args<'p>) -> Value<'p> {
        let mut items = Vec::new();
        match first {
            Some(Value::Mapping(known)) => items.extend(known.iter().cloned()),
            Some(value) if self.is_environ(&value) || self.is_environ_copy(&value) => {
                let copy = self.paths.id("os.environ.copy()");
                items.push((Value::None, Value::Outside(copy)));
            }
            Some(_) => return Value::Unknown,
            None => {}
        }
        for argument in &args.items {
            if let Some(name) = &argument.name {
                items.push((Value::text(name.clone(), self.place(argument.span)), argument.value.clone()));
            }
        }
        if args.open { Value::Unknown } else { Value::Mapping(Rc::new(items)) }
    }

    fn range(&mut self, args: &Args<'p>, span: Span) -> Value<'p> {
        let bounds: Option<Vec<i64>> = args
            .items
            .iter()
            .map(|argument| match argument.value {
                Value::Int(value, _) => Some(value),
                _ => None,
            })
            .collect();
        let (start, end) = match bounds.as_deref() {
            Some([end]) => (0, *end),
            Some([start, end]) => (*start, *end),
            _ => return Value::Unknown,
        };
        let place = self.place(span);
        // A long range is as good as one element that is not known: the body surely runs.
        if end.saturating_sub(start) > 8 {
            return Value::Sequence(Rc::new(vec![Value::Unknown]));
        }
        Value::Sequence(Rc::new((start..end).map(|value| Value::Int(value, place)).collect()))
    }

    /// `torch.device("cuda:1")` is its name; `torch.device("cuda", 1)` and `torch.device(1)` too.
    fn torch_device(&mut self, args: &Args<'p>, span: Span) -> Value<'p> {
        let index = args.get(Some(1), Some("index")).map(|argument| argument.value.clone());
        let Some(device) = args.get(Some(0), Some("type")).or_else(|| args.keyword("device")) else {
            return Value::Unknown;
        };
        let place = self.place(span);
        let device = self.settle(device.value.clone());
        let devices = device.alternatives().iter().map(|device| match (device, &index) {
            (Value::Text(kind), Some(Value::Int(index, _))) => {
                Value::text(format!("{}:{index}", kind.text), place)
            }
            (Value::Text(_), None) => device.clone(),
            (Value::Int(index, place), None) => Value::text(format!("cuda:{index}"), *place),
            _ => Value::Unknown,
        });
        Value::one_of(devices.collect::<Vec<_>>())
    }

    pub(super) fn apply_call_effects(&mut self, path: &str, args: &Args<'p>, span: Span) {
        if self.is_mocked(path) {
            return;
        }
        let knowledge = self.program.knowledge;
        let effects = knowledge.of_call(path);
        if !effects.is_empty() {
            return effects.iter().for_each(|effect| self.apply(effect, path, args, span));
        }
        // A method of a class, or of something that a library returned.
        if let Some((receiver, name)) = path.rsplit_once('.') {
            let last = receiver.rsplit('.').next().unwrap_or_default();
            if receiver.contains("()") || last.starts_with(|first: char| first.is_ascii_uppercase()) {
                self.apply_method_effects(name, args, span);
            }
        }
    }

    /// A method called on something of unknown type.
    pub(super) fn apply_method_effects(&mut self, name: &str, args: &Args<'p>, span: Span) {
        let knowledge = self.program.knowledge;
        match name {
            "setenv" | "delenv" => return self.monkeypatch(name, args, span),
            "setattr" => {
                let target = args.at(0).zip(args.at(1));
                if let Some(target) =
                    target.and_then(|(object, name)| self.attribute_target(&object.value, &name.value))
                {
                    self.mocked.push(target);
                }
            }
            // A dictionary of unknown content, or a configuration object.
            "get" | "setdefault" | "pop" => {
                if let (Some(key), Some(default)) = (args.at(0).cloned(), args.at(1).cloned()) {
                    self.chosen_by_key(&key.value, &default.value);
                }
            }
            "add_argument" | "option" | "add_option" => self.chosen_by_option(args),
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
            self.write_variable(&key, &value, span, false);
        }
    }

    pub(super) fn apply_subscript_effects(&mut self, path: &str, key: &Value<'p>, span: Span) {
        let args = Args { items: vec![Arg { name: None, value: key.clone(), span }], open: false };
        let knowledge = self.program.knowledge;
        // `jax.devices("cpu")[1]` is not a GPU.
        let id = self.paths.id(path);
        let made_with = self.made_with.get(&id).and_then(|made| made.at(0));
        if made_with.is_some_and(
            |kind| !matches!(&kind.value, Value::Text(text) if matches!(&*text.text, "gpu" | "cuda")),
        ) {
            return;
        }
        knowledge.of_subscript(path).iter().for_each(|effect| self.apply(effect, path, &args, span));
    }

    pub(super) fn apply_iteration_effects(&mut self, path: &str, span: Span) {
        let id = self.paths.id(path);
        let args = self.made_with.remove(&id).unwrap_or_default();
        let knowledge = self.program.knowledge;
        knowledge.of_iteration(path).iter().for_each(|effect| self.apply(effect, path, &args, span));
        self.made_with.insert(id, args);
    }

    /// Notes what a known call does, given its arguments.
    fn apply(&mut self, effect: &'p Effect, callee: &str, args: &Args<'p>, span: Span) {
        let row = &*effect.row;
        if row.harmless || !self.conditions_hold(row, args) {
            return;
        }
        let devices = self.device_arguments(&row.devices, args);
        let by_default =
            row.absent_is_gpu || !row.only_on_gpu || (self.default_is_gpu && callee.starts_with("torch."));
        let mut on_gpu = devices.is_empty() && by_default;
        let (mut sure, mut negative, mut names_gpu) = (true, false, false);
        for (device, at) in devices {
            match device {
                Device::Gpu { index, text, place } => {
                    (on_gpu, names_gpu) = (true, true);
                    if index.is_some() {
                        let place = place.unwrap_or(self.place(at));
                        let by =
                            if callee.contains('.') { format!("{callee}()") } else { format!(".{callee}()") };
                        self.note_choice(index, text, &by, place);
                    }
                }
                Device::Negative => negative = true,
                Device::Other if row.only_on_gpu => sure = false,
                Device::Unknown if row.only_on_gpu => sure = false,
                Device::Other | Device::Unknown => on_gpu = true,
            }
        }
        if row.does.contains(&Does::Nvml) && callee.ends_with("device_count") {
            self.asked_count = true;
        }
        let does: Vec<Does> = row.does.iter().copied().filter(|does| *does != Does::SelectDevice).collect();
        if callee == "torch.set_default_device" {
            self.default_is_gpu = names_gpu && sure;
        }
        if !on_gpu || does.is_empty() || (negative && row.ignore_negative) {
            return;
        }
        self.uncertain += usize::from(!sure);
        self.note(What::Call { callee: callee.to_owned(), does, note: row.note.clone() }, span);
        self.uncertain -= usize::from(!sure);
    }

    fn conditions_hold(&mut self, row: &EffectRow, args: &Args<'p>) -> bool {
        let is = |name: &str, wanted: &Literal| {
            args.keyword(name).is_some_and(|argument| literal_is(&argument.value, wanted))
        };
        row.unless_env.iter().all(|(variable, value)| !self.variable_is(variable, value))
            && !row.unless.iter().any(|(name, wanted)| is(name, wanted))
            && row.only_if.iter().all(|(name, wanted)| is(name, wanted))
            && row.if_position.iter().all(|(position, kind)| {
                let value = args.at(*position).map(|argument| &argument.value);
                match (&**kind, value) {
                    ("string-or-signature", Some(Value::Text(_))) => true,
                    ("string-or-signature", _) => false,
                    (literal, Some(Value::Text(text))) => text.text == literal,
                    _ => false,
                }
            })
    }

    /// Enters a `with`.
    pub(super) fn enter_context(&mut self, manager: &Value<'p>, context: &'p Expr<'p>) -> Leave<'p> {
        let mut leave = Leave {
            entered: Value::Unknown,
            manager: manager.clone(),
            restore: None,
            mocked: self.mocked.len(),
        };
        match manager {
            Value::Instance(instance) => {
                if let Value::Function(_) = self.class_attribute(&instance.class, "__enter__", 0) {
                    let method = self.attribute(manager, "__enter__", context.span);
                    leave.entered = self.call(method, Args::default(), context.span);
                } else if let Value::Function(_) = self.class_attribute(&instance.class, "__aenter__", 0) {
                    let method = self.attribute(manager, "__aenter__", context.span);
                    let paused = self.call(method, Args::default(), context.span);
                    leave.entered = self.run_paused(&paused, context.span);
                }
            }
            Value::Outside(path) => {
                let path = *path;
                let text = self.paths.text(path).clone();
                let args =
                    self.made_with.get(&path).map(|args| Args { items: args.items.clone(), open: args.open });
                let args = args.unwrap_or_default();
                if text.ends_with("patch.dict()") {
                    if args.at(0).is_some_and(|first| self.patches_environ(&first.value)) {
                        leave.restore = Some(self.state.clone());
                        if let Some(changes) = args.at(1).map(|argument| argument.value.clone()) {
                            self.write_mapping(&changes, context.span, false);
                        }
                    }
                } else if let Some(target) = self.patch_target(&text, &args) {
                    self.mocked.push(target);
                } else {
                    let name = text.strip_suffix("()").unwrap_or(&text).to_owned();
                    let knowledge = self.program.knowledge;
                    knowledge
                        .of_enter(&name)
                        .iter()
                        .for_each(|effect| self.apply(effect, &name, &args, context.span));
                }
                leave.entered = manager.clone();
            }
            _ => {
                if let ExprKind::Name(_) | ExprKind::Attribute(..) = context.kind {
                    leave.entered = manager.clone();
                }
            }
        }
        leave
    }

    fn patches_environ(&self, value: &Value<'p>) -> bool {
        self.is_environ(value) || matches!(value, Value::Text(text) if text.text == "os.environ")
    }

    pub(super) fn leave_context(&mut self, leave: Leave<'p>, span: Span) {
        if let Some(before) = leave.restore {
            self.state.restore_environment(&before);
        }
        self.mocked.truncate(leave.mocked);
        let Value::Instance(instance) = &leave.manager else { return };
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        if let Value::Function(_) = self.class_attribute(&instance.class, "__exit__", 0) {
            let method = self.attribute(&leave.manager, "__exit__", span);
            self.call(method, Args::positional(vec![Value::None; 3], span), span);
        }
        if self.flow == Flow::Next {
            self.flow = flow;
        }
    }
}

fn literal_is(value: &Value<'_>, wanted: &Literal) -> bool {
    match (value, wanted) {
        (Value::Bool(value), Literal::Bool(wanted)) => value == wanted,
        (Value::Int(value, _), Literal::Int(wanted)) => value == wanted,
        (Value::Int(value, _), Literal::Text(word)) if word == "nonzero" => *value != 0,
        (Value::Text(text), Literal::Text(wanted)) => text.text == *wanted,
        _ => false,
    }
}

/// Whether a library call runs the functions that it is given in another process.
fn starts_process(path: &str) -> bool {
    let starts = [
        "multiprocessing.",
        "torch.multiprocessing.",
        "concurrent.futures.ProcessPoolExecutor",
        "joblib.Parallel",
    ];
    starts.iter().any(|start| path.starts_with(start))
        && !path.contains(".dummy.")
        && !path.contains(".pool.ThreadPool")
}
