//! What is asked for its elements in ways of its own: `any` and `all`, which stop early, parts of `itertools`, and the names
//! in the environment.

use super::Interpreter;
use super::calls::{Arg, Args};
use super::iterators::Next;
use super::loops::MOST_ELEMENTS;
use crate::code::{StatementKind, Target};
use crate::facts::Span;
use crate::program::heap::values::{Source, StreamOutput, Text, Value};
use std::borrow::Cow;

/// What `os.environ.keys()` and `list(os.environ)` give.
pub(super) const NAMES_IN_ENVIRONMENT: &str = "os.environ.keys()";
/// What `os.environ.items()` gives.
pub(super) const ITEMS_OF_ENVIRONMENT: &str = "os.environ.items()";

impl<'p> Interpreter<'p> {
    /// `any(values)`, and `all(values)` where a false one `decides`: what comes behind the one that decides is not asked for.
    pub(super) fn any_of(&mut self, values: Value<'p>, decides: bool, span: Span) -> Value<'p> {
        if let Value::Stream(stream) = &values {
            let stream = stream.clone();
            if self.expected(&values).is_some_and(|expected| expected <= MOST_ELEMENTS) {
                return self.next_that_decides(&values, decides, span);
            }
            if let Source::Calls { function, columns, keeps } = &stream.source {
                let Some(rows) = self.rows_of(columns, span) else {
                    self.call_often(function, span);
                    return Value::Unknown;
                };
                let mut ask = |run: &mut Self, row: &Vec<Value<'p>>| {
                    let result = run.call(function.clone(), Args::positional(row.clone(), span), span);
                    let result = run.force(result);
                    match (*keeps != StreamOutput::Results, run.truth(&result), &row[..]) {
                        (false, ..) => result,
                        // What `filter` leaves out decides nothing.
                        (true, Some(false), _) => Value::Bool(!decides),
                        (true, Some(true), [element]) => element.clone(),
                        _ => Value::Unknown,
                    }
                };
                if rows.len() > MOST_ELEMENTS {
                    let results: Vec<_> = rows.iter().map(|row| ask(self, row)).collect();
                    return self.verdict(&results, decides);
                }
                return self.first_that_decides(&rows, decides, &mut ask);
            }
        }
        let values = self.iterate(values, span);
        self.elements(&values).map_or(Value::Unknown, |elements| self.verdict(&elements, decides))
    }

    /// Asks an iterator until one of its elements decides: the others are left to it.
    fn next_that_decides(&mut self, iterator: &Value<'p>, decides: bool, span: Span) -> Value<'p> {
        match self.next_of(iterator, span) {
            Next::End => Value::Bool(!decides),
            Next::Element(element) => {
                let element = self.force(element);
                match self.truth(&element) {
                    Some(truth) if truth == decides => Value::Bool(decides),
                    Some(_) if self.spend() => self.next_that_decides(iterator, decides, span),
                    _ => {
                        self.on_some_ways(|run| drop(run.next_that_decides(iterator, decides, span)));
                        Value::Unknown
                    }
                }
            }
            Next::Unknown => Value::Unknown,
        }
    }

    /// What `any` and `all` say of values that are all there.
    fn verdict(&self, values: &[Value<'p>], decides: bool) -> Value<'p> {
        let verdicts: Vec<_> = values.iter().map(|value| self.truth(value)).collect();
        match verdicts.contains(&Some(decides)) {
            true => Value::Bool(decides),
            false if verdicts.contains(&None) => Value::Unknown,
            false => Value::Bool(!decides),
        }
    }

    /// Asks for one after the other until one decides. Behind one that may decide the others are asked for on some ways only.
    fn first_that_decides<T>(
        &mut self,
        elements: &[T],
        decides: bool,
        ask: &mut dyn FnMut(&mut Self, &T) -> Value<'p>,
    ) -> Value<'p> {
        let Some((first, rest)) = elements.split_first() else { return Value::Bool(!decides) };
        let value = ask(self, first);
        let value = self.force(value);
        match self.truth(&value) {
            Some(truth) if truth == decides => Value::Bool(decides),
            Some(_) => self.first_that_decides(rest, decides, ask),
            None => {
                self.on_some_ways(|run| drop(run.first_that_decides(rest, decides, ask)));
                Value::Unknown
            }
        }
    }

    /// `functools.reduce(function, values)` and `functools.reduce(function, values, first)`
    pub(super) fn reduced(&mut self, args: &Args<'p>, span: Span) -> Option<Value<'p>> {
        let function = args.at(0)?.value.clone();
        let values = self.iterate_all(args.at(1)?.value.clone(), span);
        let elements = self.elements(&values).filter(|elements| elements.len() <= MOST_ELEMENTS)?;
        let first = args.at(2).map(|first| first.value.clone());
        let mut values = first.into_iter().chain(elements);
        let mut result = values.next()?;
        for value in values {
            result = self.call(function.clone(), Args::positional(vec![result, value], span), span);
        }
        Some(result)
    }

    /// What an object is as a text: the method of its class runs.
    pub(super) fn text_of(&mut self, object: &Value<'p>, by: &str, span: Span) -> Value<'p> {
        let plain = Value::text("", self.place(span));
        self.formatted(object, by, plain, span)
    }

    /// The same, where `format(object, spec)` says how.
    pub(super) fn formatted(
        &mut self,
        object: &Value<'p>,
        by: &str,
        spec: Value<'p>,
        span: Span,
    ) -> Value<'p> {
        let methods: &[&'static str] = match by {
            "repr" => &["__repr__"],
            "format" => &["__format__", "__str__", "__repr__"],
            _ => &["__str__", "__repr__"],
        };
        for method in methods {
            let arguments = if *method == "__format__" { vec![spec.clone()] } else { Vec::new() };
            if let Some(text) = self.special(object, method, arguments, span) {
                return text;
            }
        }
        self.text_of_member(object, by, span).unwrap_or(Value::Unknown)
    }

    /// `getattr(object, name)`, and `getattr(object, name, default)`, which catches what looking it up raises.
    pub(super) fn attribute_by_text(
        &mut self,
        object: &Value<'p>,
        name: &Text<'p>,
        default: Option<&Arg<'p>>,
        span: Span,
    ) -> Value<'p> {
        let Some(name) = self.name_in(object, name) else {
            // An attribute of the object comes first.
            self.on_some_ways(|run| {
                drop(run.special(
                    object,
                    "__getattr__",
                    vec![Value::text(name.text.to_string(), name.place)],
                    span,
                ));
            });
            return Value::Unknown;
        };
        match default {
            Some(default) => self.attribute_or(object, name, default, span),
            None => self.attribute(object, name, span),
        }
    }

    /// The name that a text is, of an attribute of an object.
    pub(super) fn name_in(&mut self, object: &Value<'p>, name: &Text<'p>) -> Option<&'p str> {
        match &name.text {
            Cow::Borrowed(name) => Some(name),
            Cow::Owned(name) => self.known_name(object, name).or_else(|| match object {
                Value::Instance(_) => self.program.words.computed(name),
                _ => None,
            }),
        }
    }

    /// A name as it is written in the code of a module, or that of a method of an object. The namespaces are not asked: what a
    /// call rests on would be all that they hold.
    fn known_name(&mut self, object: &Value<'p>, name: &str) -> Option<&'p str> {
        let class = match object {
            Value::Instance(instance) => instance.class.clone(),
            Value::Class(class) => class.clone(),
            Value::Module(file) => {
                return self.program.names_defined(*file).into_iter().find(|known| *known == name);
            }
            _ => return None,
        };
        self.resolution_order(&class).into_iter().find_map(|class| {
            let Value::Class(class) = class else { return None };
            let code = self.code_of(class.file);
            self.class_code(&class).body.iter().find_map(|step| match &step.kind {
                StatementKind::Define { function, .. } => {
                    Some(code.functions[*function].name).filter(|known| *known == name)
                }
                StatementKind::Assign { targets, .. } => targets.iter().find_map(|target| match target {
                    Target::Name(known, _) => Some(*known).filter(|known| *known == name),
                    _ => None,
                }),
                _ => None,
            })
        })
    }

    /// Functions of `itertools` that are followed; `None` when this is none of them.
    pub(super) fn call_itertools(&mut self, name: &str, args: &Args<'p>) -> Option<Value<'p>> {
        let values = |position: usize| args.at(position).map(|argument| argument.value.clone());
        match name {
            "takewhile" | "dropwhile" | "filterfalse" => {
                let function = values(0)?;
                let keeps = if name == "filterfalse" { StreamOutput::Some } else { StreamOutput::Until };
                Some(self.mapped(function, &[values(1)?], keeps))
            }
            "accumulate" | "groupby" => {
                let function = args.get(Some(1), Some(if name == "groupby" { "key" } else { "func" }))?;
                let function = function.value.clone();
                self.call_often(&function, self.here.statement);
                None
            }
            "chain" if !args.open => {
                let parts: Vec<_> = args.items.iter().map(|argument| argument.value.clone()).collect();
                let parts = parts.iter().map(|part| self.iterator_of(part)).collect();
                Some(self.stream(Source::Chain(parts)))
            }
            "islice" => {
                let (Value::Int(count, _), None) = (values(1)?, values(2)) else { return None };
                let (count, inner) = (usize::try_from(count).ok()?, self.iterator_of(&values(0)?));
                Some(self.stream(Source::First(inner, count)))
            }
            _ => None,
        }
    }

    /// Whether asking this for its elements gives the names of all variables of the environment.
    pub(super) fn names_environment(&self, value: &Value<'p>) -> bool {
        let Value::Outside(path) = value else { return false };
        self.is_environ(value)
            || self.is_environ_copy(value)
            || &**self.paths.text(*path) == NAMES_IN_ENVIRONMENT
    }

    /// What a loop over the environment goes over: the variables of which something is known, each of which may be there.
    pub(super) fn in_environment(&mut self, value: &Value<'p>, span: Span) -> Option<Vec<Value<'p>>> {
        let Value::Outside(path) = value else { return None };
        let with_values = &**self.paths.text(*path) == ITEMS_OF_ENVIRONMENT;
        if !with_values && !self.names_environment(value) {
            return None;
        }
        let names = self.variables_with(|definition| !definition.is_absent());
        let place = self.place(span);
        let element = |name: String| {
            let name = Value::text(name, place);
            match with_values {
                true => Value::sequence(vec![name, Value::Unknown]),
                false => name,
            }
        };
        Some(names.into_iter().map(element).collect())
    }
}
