//! Builtins, and the few library calls, that values are followed through.

use super::Interpreter;
use super::calls::Args;
use super::compound::ExpectedError;
use super::dictionaries::merged;
use super::iterables::NAMES_IN_ENVIRONMENT;
use super::loops::MOST_ELEMENTS;
use crate::facts::Span;
use crate::program::heap::values::{Source, StreamOutput, Value};
use crate::program::state::Definition;

/// So many numbers of a range are followed one by one.
const MOST_NUMBERS: usize = 64;

impl<'p> Interpreter<'p> {
    pub(super) fn call_builtin(&mut self, name: &str, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        if let ("sorted" | "max" | "min", Some(key)) = (name, args.keyword("key")) {
            let key = key.value.clone();
            return Some(self.ordered_by(name, &key, args, span));
        }
        let first = args.at(0).map(|argument| argument.value.clone());
        let first = first.map(|value| self.force(value));
        Some(match (name, first) {
            ("str" | "format", Some(value)) if value.shows_name() => Value::Unknown,
            ("str", Some(value @ Value::Text(_))) => value,
            ("str", Some(value @ (Value::Int(..) | Value::Float(_) | Value::Bool(_) | Value::None))) => {
                let place = value.place().unwrap_or(self.place(span));
                value.as_text().map_or(Value::Unknown, |text| Value::text(text.into_owned(), place))
            }
            ("str" | "repr", Some(value @ Value::Collection(_))) if args.items.len() == 1 => {
                let written = self.written(&value, 0);
                written.map_or(Value::Unknown, |text| Value::text(text, self.place(span)))
            }
            ("repr", Some(value @ (Value::Text(_) | Value::Int(..) | Value::Float(_) | Value::None))) => {
                let written = self.written(&value, 0);
                written.map_or(Value::Unknown, |text| Value::text(text, self.place(span)))
            }
            ("format", Some(value @ (Value::Text(_) | Value::Int(..)))) => {
                let spec = args.at(1).map_or(Some(Default::default()), |spec| spec.value.as_text());
                let text = spec.and_then(|spec| super::formats::formatted(&value, &spec));
                text.map_or(Value::Unknown, |text| Value::text(text, self.place(span)))
            }
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
            ("str", Some(number @ Value::Outside(_))) => self.text_of_some_int(&number)?,
            ("int", Some(Value::Int(value, place))) => Value::Int(value, place),
            ("int", Some(Value::Text(text))) if args.items.len() == 2 => self.number_in_base(&text, args),
            ("abs" | "round" | "reversed", Some(object @ Value::Instance(_)))
                if let Some(result) = self.special(&object, method_of_builtin(name), Vec::new(), span) =>
            {
                result
            }
            ("abs", Some(Value::Int(number, place))) => {
                number.checked_abs().map_or(Value::Unknown, |number| Value::Int(number, place))
            }
            ("divmod", Some(Value::Int(number, _))) => self.quotient_and_rest(number, args, span),
            ("int", Some(Value::Text(text))) => match text.text.trim().parse() {
                Ok(value) => Value::Int(value, text.place),
                Err(_) => match args.items.len() == 1 && text.text.is_ascii() && !text.text.contains('_') {
                    true => self.misreads(),
                    false => Value::Unknown,
                },
            },
            ("int" | "float" | "abs" | "round", Some(value))
                if let Some(number) = self.number_made(name, &value, args, span) =>
            {
                number
            }
            ("float", Some(Value::Text(text))) if !is_float(&text.text) => self.misreads(),
            ("int" | "float" | "abs" | "round" | "sum" | "chr", Some(Value::None))
            | ("int" | "float", Some(Value::Collection(_) | Value::Sequence(_) | Value::Mapping(_)))
            | (
                "range" | "chr" | "bin" | "hex" | "oct",
                Some(Value::Float(_) | Value::Text(_) | Value::None),
            )
            | (
                "abs" | "round" | "chr",
                Some(Value::Collection(_) | Value::Sequence(_) | Value::Mapping(_) | Value::Text(_)),
            )
            | ("len", Some(Value::None | Value::Int(..) | Value::Float(_) | Value::Bool(_)))
                if args.items.len() == 1 && self.knows_all() =>
            {
                self.raises()
            }
            ("range", Some(_))
                if self.knows_all()
                    && args
                        .items
                        .iter()
                        .any(|one| matches!(one.value, Value::Float(_) | Value::Text(_) | Value::None)) =>
            {
                self.raises()
            }
            ("format", Some(Value::Float(_)))
                if args.at(1).is_some_and(|spec| {
                    spec.value.as_text().is_some_and(|spec| spec.ends_with(['b', 'c', 'd', 'o', 'x', 'X']))
                }) =>
            {
                self.raises()
            }
            ("int" | "float", Some(text @ (Value::Unknown | Value::Outside(_))))
                if !self.is_some_int(&text) && self.expects(ExpectedError::Number) =>
            {
                self.misreads()
            }
            ("int" | "float", Some(object @ Value::Instance(_))) => {
                let method = if name == "int" { "__int__" } else { "__float__" };
                self.special(&object, method, Vec::new(), span).unwrap_or(Value::Unknown)
            }
            ("bool", Some(value)) => self.asked_truth(&value, span).map_or(Value::Unknown, Value::Bool),
            ("list", None) => self.collection(Value::sequence(Vec::new())),
            ("set" | "frozenset", None) => self.new_set(Some(Vec::new())),
            ("list" | "set" | "sorted" | "tuple" | "reversed", Some(value))
                if self.names_environment(&value) =>
            {
                Value::Outside(self.paths.id(NAMES_IN_ENVIRONMENT))
            }
            ("list" | "set" | "frozenset" | "sorted", Some(value)) => {
                let value = match name {
                    "list" => self.iterate_in_order(value, span),
                    _ => self.iterate_all(value, span),
                };
                let mut elements = self.elements(&value);
                match name {
                    "sorted" => {
                        let backwards = args.keyword("reverse").map(|argument| argument.value.truth());
                        let is_plain = args.items.len() == 1 + usize::from(backwards.is_some());
                        elements = elements.filter(|_| is_plain && backwards != Some(None));
                        elements = elements.and_then(|elements| self.sorted_by_methods(elements));
                        if backwards == Some(Some(true)) {
                            elements.iter_mut().for_each(|elements| elements.reverse());
                        }
                    }
                    "set" | "frozenset" => {
                        return Some(self.new_set(elements));
                    }
                    _ => {}
                }
                self.collection(elements.map_or(Value::Unknown, Value::sequence))
            }
            ("reversed", Some(value)) => {
                let value = self.iterate(value, span);
                let Some(elements) = self.elements(&value) else { return Some(Value::Unknown) };
                self.stream(Source::Elements(Value::sequence(elements.into_iter().rev().collect())))
            }
            ("iter", Some(function)) if args.items.len() == 2 => self.called_until(function),
            ("iter", Some(value)) if args.items.len() == 1 => {
                let value = match &value {
                    Value::Instance(_) => self.special(&value, "__iter__", Vec::new(), span).unwrap_or(value),
                    _ => value,
                };
                match self.iterator_of(&value) {
                    waiting @ (Value::Paused(_) | Value::Stream(_) | Value::Instance(_)) => waiting,
                    other => {
                        self.iterate(other, span);
                        Value::Unknown
                    }
                }
            }
            ("tuple", Some(value)) => {
                let value = self.iterate_in_order(value, span);
                self.elements(&value).map_or(Value::Unknown, Value::sequence)
            }
            ("dict", first) => {
                let made = self.make_dict(first, args, span);
                self.collection(made)
            }
            ("len", Some(Value::Instance(object))) if let Some(parts) = self.parts_of_tuple(&object) => {
                Value::Int(parts.len() as i64, self.place(span))
            }
            ("len", Some(value @ Value::Instance(_))) if self.surely_lacks(&value, "__len__") => {
                self.raises()
            }
            ("len", Some(value @ (Value::Instance(_) | Value::Class(_)))) => {
                self.special(&value, "__len__", Vec::new(), span).unwrap_or(Value::Unknown)
            }
            ("len", Some(Value::Text(text))) => {
                Value::Int(text.text.chars().count() as i64, self.place(span))
            }
            ("exec", Some(Value::Text(code))) if args.items.len() == 1 => {
                if self.call_by_name("builtins.exec", args, span).is_none() {
                    self.forget_names_in(&code.text);
                }
                Value::None
            }
            ("len", Some(value)) => {
                // `len(numba.cuda.gpus)` asks the driver; the length of a loader is known without a batch.
                if let Value::Outside(path) = &value
                    && !self.paths.text(*path).ends_with("()")
                {
                    self.iterate(value.clone(), span);
                }
                if let Value::Collection(scope) | Value::View(scope, _) = &value {
                    self.heap.ask_contents(*scope);
                }
                match self.elements(&value) {
                    None if self.is_empty(&value) => Value::Int(0, self.place(span)),
                    Some(elements) if elements.len() <= MOST_ELEMENTS && self.are_apart(&value) => {
                        Value::Int(elements.len() as i64, self.place(span))
                    }
                    _ => Value::Unknown,
                }
            }
            ("range", Some(_)) => self.range(args, span),
            ("enumerate", Some(value)) => {
                let first = match args.get(Some(1), Some("start")).map(|argument| &argument.value) {
                    None => 0,
                    Some(Value::Int(first, _)) => *first,
                    Some(_) => {
                        self.iterate(value, span);
                        return Some(Value::Unknown);
                    }
                };
                let inner = self.iterator_of(&value);
                self.stream(Source::Numbered(inner, first))
            }
            ("zip", Some(_)) if !args.open => {
                let columns = args.items.iter().filter(|argument| argument.name.is_none());
                let columns = columns.map(|argument| argument.value.clone()).collect::<Vec<_>>();
                let columns = columns.iter().map(|column| self.iterator_of(column)).collect();
                self.stream(Source::Zip(columns))
            }
            ("map" | "filter", Some(function)) => {
                let columns: Vec<_> =
                    args.items.iter().skip(1).map(|argument| argument.value.clone()).collect();
                self.mapped(
                    function,
                    &columns,
                    if name == "filter" { StreamOutput::Elements } else { StreamOutput::Results },
                )
            }
            (
                "setattr",
                Some(
                    object @ (Value::Instance(_) | Value::Class(_) | Value::Module(_) | Value::Collection(_)),
                ),
            ) => {
                if let [_, name, value] = &args.items[..] {
                    let name = self.force(name.value.clone());
                    self.set_named(&object, &name, &value.value);
                }
                Value::None
            }
            ("delattr", Some(object @ Value::Instance(_))) => {
                if let Some(name) = args.at(1).map(|argument| argument.value.clone()) {
                    self.delete_named(&object, &name);
                }
                Value::None
            }
            ("getattr", Some(object)) => match args.at(1).map(|argument| argument.value.clone()) {
                Some(Value::Text(name)) => self.attribute_by_text(&object, &name, args.at(2), span),
                Some(name) => self.method_told(&object, &name, span),
                None => Value::Unknown,
            },
            ("next", Some(value)) => self.next_or(value, args.at(1), span),
            ("any" | "all", Some(value)) => self.any_of(value, name == "any", span),
            ("type", Some(Value::Instance(instance))) if args.items.len() == 1 => {
                Value::Class(instance.class.clone())
            }
            ("str" | "repr" | "format", Some(object @ Value::Instance(_))) => {
                let plain = || Value::text("", self.place(span));
                let spec = args.at(1).map_or_else(plain, |spec| spec.value.clone());
                self.formatted(&object, name, spec, span)
            }
            ("hash", Some(object @ Value::Instance(_))) => {
                self.special(&object, "__hash__", Vec::new(), span).unwrap_or(Value::Unknown)
            }
            ("print", _) => {
                if let Some(Value::Instance(file)) = args.keyword("file").map(|file| file.value.clone()) {
                    self.forget_object(&file);
                }
                for argument in &args.items {
                    if let object @ Value::Instance(_) = self.force(argument.value.clone()) {
                        self.text_of(&object, "str", span);
                    }
                }
                Value::None
            }
            ("callable", Some(value)) => Value::Bool(self.is_kind("builtins.callable", &value)?),
            ("dir", Some(object)) if args.items.len() == 1 => self.names_listed(&object, span)?,
            ("vars", Some(names @ Value::Collection(_))) => names,
            ("vars", Some(object)) if args.items.len() == 1 => self.own_names(&object, span)?,
            ("type", Some(_)) if args.items.len() == 3 => self.made_class(args, span)?,
            ("sum" | "max" | "min", Some(value)) => self.aggregate(name, value, args, span),
            ("hasattr", Some(object)) => match args.at(1).map(|argument| argument.value.clone()) {
                Some(name) => self.has_attribute(&object, &name),
                None => Value::Unknown,
            },
            ("isinstance", Some(value)) if args.items.len() == 2 => {
                let class = args.at(1).map_or(Value::Unknown, |argument| argument.value.clone());
                let class = self.force(class);
                self.is_instance(&value, &class).map_or(Value::Unknown, Value::Bool)
            }
            ("issubclass", Some(Value::Class(class))) if args.items.len() == 2 => {
                let base = args.at(1).map_or(Value::Unknown, |argument| argument.value.clone());
                self.builds_on(&class, &base, span).map_or(Value::Unknown, Value::Bool)
            }
            ("issubclass", Some(value)) if args.items.len() == 2 => {
                let base = args.at(1).map_or(Value::Unknown, |argument| argument.value.clone());
                let base = self.force(base);
                self.asked_subclass(&base, &value, span).map_or(Value::Unknown, Value::Bool)
            }
            ("isinstance" | "issubclass" | "repr" | "id" | "type", _) => Value::Unknown,
            _ => return None,
        })
    }

    /// Whether no two keys of a dictionary may be the same one: how many there are is known then.
    fn are_apart(&self, value: &Value<'p>) -> bool {
        let keys: Vec<Value<'p>> = match self.contents(value) {
            Value::Mapping(items) => items.iter().map(|(key, _)| key.clone()).collect(),
            _ => return true,
        };
        let is_constant = |key: &Value<'_>| matches!(key, Value::Text(_) | Value::Int(..) | Value::None);
        keys.len() < 2 || keys.iter().all(is_constant)
    }

    /// What `exec` runs may bind each of the names that stand in it.
    fn forget_names_in(&mut self, code: &str) {
        let words = || code.split(|one: char| !(one.is_alphanumeric() || one == '_'));
        let scope = self.here.scope;
        for (name, _) in self.heap.names(scope) {
            if words().any(|word| word == name) {
                self.bind_in(scope, name, Value::Unknown);
            }
        }
    }

    fn make_dict(&mut self, first: Option<Value<'p>>, args: &Args<'p>, span: Span) -> Value<'p> {
        let mut items = Vec::new();
        let first = first.map(|first| match first {
            Value::Stream(_) | Value::Paused(_) => self.iterate_all(first, span),
            first => self.contents(&first),
        });
        match first {
            Some(Value::Mapping(known)) => items.extend(known.iter().cloned()),
            Some(Value::Sequence(pairs)) => {
                for pair in pairs.iter() {
                    match self.contents(pair) {
                        Value::Sequence(pair) if pair.len() == 2 => {
                            items = merged(items, &[(pair[0].clone(), pair[1].clone())]);
                        }
                        _ => return Value::Unknown,
                    }
                }
            }
            Some(value) if self.is_environ(&value) || self.is_environ_copy(&value) => {
                // What the program had set when the copy was made.
                let names = self.variables_with(|definition| matches!(definition, Definition::Set(..)));
                let place = self.place(span);
                let names = names.into_iter().map(|name| Value::text(name, place)).collect();
                items.push((Value::None, Value::sequence(names)));
            }
            Some(_) => return Value::Unknown,
            None => {}
        }
        for argument in &args.items {
            if let Some(name) = &argument.name {
                let named = (Value::text(name.clone(), self.place(argument.span)), argument.value.clone());
                items = merged(items, &[named]);
            }
        }
        if args.open { Value::Unknown } else { Value::mapping(items) }
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
        let (start, end, step) = match bounds.as_deref() {
            Some([end]) => (0, *end, 1),
            Some([start, end]) => (*start, *end, 1),
            Some([start, end, step]) if *step != 0 => (*start, *end, *step),
            _ => return Value::Unknown,
        };
        let place = self.place(span);
        let is_before = |value: &i64| if step > 0 { *value < end } else { *value > end };
        let all = std::iter::successors(Some(start), |value| value.checked_add(step)).take_while(is_before);
        let first: Vec<Value<'p>> =
            all.take(MOST_NUMBERS + 1).map(|value| Value::Int(value, place)).collect();
        // The elements of a long range are not followed one by one, but the body surely runs.
        if first.len() > MOST_NUMBERS {
            return Value::sequence(vec![Value::Unknown; MOST_ELEMENTS + 1]);
        }
        Value::sequence(first)
    }

    /// `torch.device("cuda:1")` is its name; `torch.device("cuda", 1)` and `torch.device(1)` too.
    pub(super) fn torch_device(&mut self, args: &Args<'p>, span: Span) -> Value<'p> {
        let index = args.get(Some(1), Some("index")).map(|argument| argument.value.clone());
        let Some(device) = args.get(Some(0), Some("type")).or_else(|| args.keyword("device")) else {
            return Value::Unknown;
        };
        let place = self.literal_place(span);
        let device = self.force(device.value.clone());
        let devices = device.alternatives().iter().map(|device| match (device, &index) {
            // Who starts the program chose the number.
            (Value::Text(kind), Some(Value::Int(index, from))) => {
                let place = if self.trace.told.contains(from) { *from } else { place };
                Value::text(format!("{}:{index}", kind.text), place)
            }
            (Value::Text(_), None) => device.clone(),
            (Value::Int(index, place), None) => Value::text(format!("cuda:{index}"), *place),
            _ => Value::Unknown,
        });
        Value::one_of(devices.collect::<Vec<_>>())
    }

    /// `Device::Cuda(1)` is `cuda:1`, as torch writes it.
    pub(super) fn tch_device(&mut self, args: &Args<'p>, span: Span) -> Value<'p> {
        match args.at(0).map(|argument| &argument.value) {
            Some(Value::Int(index, place)) => Value::text(format!("cuda:{index}"), *place),
            _ => Value::text("cuda".to_owned(), self.place(span)),
        }
    }
}

/// The method that a builtin function calls.
fn method_of_builtin(name: &str) -> &'static str {
    match name {
        "abs" => "__abs__",
        "round" => "__round__",
        _ => "__reversed__",
    }
}

/// Whether `float` reads a text.
fn is_float(text: &str) -> bool {
    let text = text.trim();
    let has_other = text.contains('_') || !text.is_ascii();
    has_other || text.parse::<f64>().is_ok()
}
