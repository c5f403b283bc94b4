//! What collections give: an item by its key, and all elements one by one.

use super::Interpreter;
use super::calls::Args;
use super::collections::position;
use super::compound::ExpectedError;
use super::data_files::is_section_parser;
use super::generators::AskedFor;
use crate::facts::Span;
use crate::program::heap::values::{Closure, Value};
use crate::sources::Language;
use std::rc::Rc;

/// The letters of a text up to this length are followed one by one.
const LONGEST_SPELLED: usize = 32;

impl<'p> Interpreter<'p> {
    /// The value under a key; `None` when no known key equals it.
    pub(super) fn mapping_item(
        &mut self,
        items: &[(Value<'p>, Value<'p>)],
        key: &Value<'p>,
    ) -> Option<Value<'p>> {
        let mut unsure = false;
        for (known, value) in items.iter().rev() {
            let is_it = match (known, key) {
                (Value::Instance(_), Value::Instance(_)) => self.is_one_key(known, key),
                _ => super::statements::equal(known, key),
            };
            match is_it {
                Some(true) => return Some(value.clone()),
                Some(false) => {}
                None => unsure = true,
            }
        }
        unsure.then_some(Value::Unknown)
    }

    /// `container[key]`
    pub(super) fn item(&mut self, container: &Value<'p>, key: &Value<'p>, span: Span) -> Value<'p> {
        self.ask_hash(container, key, span);
        match container {
            Value::Collection(scope) => match self.contents(container) {
                Value::Mapping(items) => match self.mapping_item(&items, key) {
                    Some(found) => self.item_found(&items, found),
                    None => match self.missing_item(*scope, key, span) {
                        Some(made) => made,
                        None => self.lacks_item(),
                    },
                },
                contents => self.item(&contents, key, span),
            },
            Value::OneOf(values) => {
                let each = values.iter().filter(|value| !matches!(value, Value::None));
                let items: Vec<_> = each.map(|value| self.item(value, key, span)).collect();
                Value::one_of(items)
            }
            Value::Mapping(items) => match self.mapping_item(items, key) {
                Some(found) => self.item_found(items, found),
                None => self.lacks_item(),
            },
            Value::Sequence(values) => match key {
                Value::Int(index, _) => match position(*index, values.len()).and_then(|at| values.get(at)) {
                    Some(value) => value.clone(),
                    None => self.lacks_item(),
                },
                Value::Bool(second) if values.len() == 2 => values[usize::from(*second)].clone(),
                Value::Float(_) | Value::None | Value::Text(_)
                    if self.knows_all() && self.is_python_here() =>
                {
                    self.raises()
                }
                // Whoever changes what it gives changes one of them.
                _ if are_few_objects(values) => Value::one_of(values.iter().cloned()),
                _ => one_of_functions(values.iter()),
            },
            Value::Text(text)
                if let Value::Int(index, _) = key
                    && self.is_python_here() =>
            {
                let letters: Vec<char> = text.text.chars().collect();
                match position(*index, letters.len()).and_then(|at| letters.get(at)) {
                    Some(letter) => Value::text(letter.to_string(), text.place),
                    None => self.lacks_item(),
                }
            }
            Value::Instance(instance) if let Some(parts) = self.parts_of_tuple(instance) => {
                self.item(&Value::sequence(parts), key, span)
            }
            Value::Instance(instance) => {
                let given = self.special(container, "__getitem__", vec![key.clone()], span);
                let given = given.or_else(|| self.item_of_object(instance, key));
                if given.is_none() && self.surely_lacks(container, "__getitem__") {
                    return self.raises();
                }
                given.unwrap_or_else(|| self.missing_of(container, key, span))
            }
            Value::Class(class) => match self.special(container, "__getitem__", vec![key.clone()], span) {
                Some(item) => item,
                None => self.item_of_class(class, key, span),
            },
            Value::Outside(_) if self.is_environ(container) => self.read_present_variable(key, span),
            Value::Outside(path) if &**self.paths.text(*path) == "sys.argv" => match key {
                Value::Int(number, _) => self.word_told(*number).unwrap_or(Value::Unknown),
                _ => Value::Unknown,
            },
            Value::Outside(path) if &**self.paths.text(*path) == "sys.modules" => self.module_entered(key),
            Value::Outside(path) if &**self.paths.text(*path) == "builtins.globals()" => match key {
                Value::Text(name) => self.attribute_by_text(&Value::Module(self.here.file), name, None, span),
                _ => self.function_told(),
            },
            Value::Outside(path)
                if is_section_parser(self.paths.text(*path))
                    && let Some(section) = self.section_named(key) =>
            {
                section
            }
            Value::Outside(path) => {
                self.apply_subscript_effects(*path, key, span);
                let item = self.paths.item(*path);
                let known = !self.program.knowledge.of_call(self.paths.text(item)).is_empty();
                // `load_dataset("texts")["train"]`: a part of a dataset is one as well.
                let is_part = || matches!(key, Value::Text(_)) && is_dataset(self.paths.text(*path));
                match known {
                    true => Value::Outside(item),
                    false if is_part() => Value::Outside(*path),
                    false => {
                        self.may_lack();
                        Value::Unknown
                    }
                }
            }
            Value::Deferred(..) => {
                let settled = self.force(container.clone());
                if matches!(settled, Value::Deferred(..)) {
                    Value::Unknown
                } else {
                    self.item(&settled, key, span)
                }
            }
            _ => {
                self.may_lack();
                Value::Unknown
            }
        }
    }

    /// What was found under a key: where nobody knows which item that is, it may be missing.
    fn item_found(&mut self, items: &[(Value<'p>, Value<'p>)], found: Value<'p>) -> Value<'p> {
        if !matches!(found, Value::Unknown) {
            return found;
        }
        self.may_raise();
        one_of_functions(items.iter().map(|(_, value)| value))
    }

    /// What `__missing__` gives, where the object may not have an item.
    fn missing_of(&mut self, container: &Value<'p>, key: &Value<'p>, span: Span) -> Value<'p> {
        self.on_some_ways(|run| drop(run.special(container, "__missing__", vec![key.clone()], span)));
        Value::Unknown
    }

    /// An item of an unknown container is asked for. Where a `try` around this says that it may not be there, it may not.
    fn may_lack(&mut self) {
        if self.expects(ExpectedError::Item) {
            self.lacks_item();
        }
    }

    /// The same of a method that takes an item out.
    pub(super) fn may_lack_item(&mut self, container: &Value<'p>, method: &str, args: &Args<'p>) {
        let takes = match method {
            "pop" => args.items.len() < 2,
            "popitem" | "popleft" => true,
            _ => false,
        };
        let is_unknown = match container {
            Value::Unknown => true,
            Value::Outside(_) => !self.is_environ(container),
            _ => false,
        };
        if takes && is_unknown {
            self.may_lack();
        }
    }

    /// The same for who asks for all elements, however many there are: a generator runs to its end.
    pub(super) fn iterate_all(&mut self, value: Value<'p>, span: Span) -> Value<'p> {
        let value = self.force(value);
        if let Value::Paused(_) | Value::Stream(_) = value {
            self.asks = AskedFor::All;
        }
        let iterator = match &value {
            Value::Instance(object) => self.class_attribute(&object.class, "__iter__"),
            _ => Value::Unknown,
        };
        if let Value::Function(method) = iterator
            && self.function_of(&method).is_generator
            && let Some(waiting) = self.special(&value, "__iter__", Vec::new(), span)
        {
            self.asks = AskedFor::All;
            return self.run_paused(&waiting, span);
        }
        self.iterate(value, span)
    }

    /// What a loop over the value sees: a generator runs, anything else is itself.
    pub(super) fn iterate(&mut self, value: Value<'p>, span: Span) -> Value<'p> {
        let value = self.force(value);
        match &value {
            Value::Collection(_) | Value::View(..) => self.contents(&value),
            Value::Paused(_) | Value::Stream(_) => self.run_paused(&value, span),
            Value::Outside(path) => {
                self.apply_iteration_effects(*path, span);
                value
            }
            Value::Instance(object) if let Some(parts) = self.parts_of_tuple(object) => {
                Value::sequence(parts)
            }
            Value::Instance(object) => match self.special(&value, "__iter__", Vec::new(), span) {
                Some(iterator) => self.given_by_iterator(iterator, span),
                None => {
                    match self.special(&value, "__aiter__", Vec::new(), span) {
                        Some(iterator) => self.special_often(&iterator, "__anext__", Vec::new(), span),
                        None if self.is_container(object) => {}
                        None if self.surely_lacks(&value, "__getitem__") => return self.raises(),
                        None => self.special_often(&value, "__getitem__", vec![Value::Unknown], span),
                    }
                    Value::Unknown
                }
            },
            Value::Class(class) => match self.members_in_order(class) {
                Some(members) => members,
                None => match self.special(&value, "__iter__", Vec::new(), span) {
                    Some(iterator) => self.given_by_iterator(iterator, span),
                    None => value,
                },
            },
            Value::None | Value::Int(..) | Value::Float(_) | Value::Bool(_) | Value::Function(_)
                if self.knows_all() && self.is_python_here() =>
            {
                self.raises()
            }
            // The words of a shell are told elsewhere.
            Value::Text(text) if text.text.len() <= LONGEST_SPELLED && self.is_python_here() => {
                let place = text.place;
                let letter = |letter: char| Value::text(letter.to_string(), place);
                Value::sequence(text.text.chars().map(letter).collect())
            }
            _ => value,
        }
    }

    /// What an iterator gives that `__iter__` made.
    fn given_by_iterator(&mut self, iterator: Value<'p>, span: Span) -> Value<'p> {
        match iterator {
            waiting @ (Value::Paused(_) | Value::Stream(_)) => self.run_paused(&waiting, span),
            elements @ (Value::Sequence(_) | Value::Mapping(_)) => elements,
            collection @ Value::Collection(_) => self.contents(&collection),
            iterator => {
                let given = if self.has_turns(&iterator) { self.all_turns(&iterator, span) } else { None };
                given.unwrap_or_else(|| {
                    self.special_often(&iterator, "__next__", Vec::new(), span);
                    Value::Unknown
                })
            }
        }
    }

    /// A method of an object that is called nobody knows how often, once at least.
    fn special_often(&mut self, object: &Value<'p>, name: &'static str, args: Vec<Value<'p>>, span: Span) {
        let Some(method) = self.method_of(object, name).map(Value::Function) else { return };
        let first = self.call(method.clone(), Args::positional(args, span), span);
        self.run_paused(&first, span);
        self.call_often(&method, span);
    }

    /// A method that the class of an object has.
    pub(super) fn method_of(&mut self, object: &Value<'p>, name: &'p str) -> Option<Rc<Closure<'p>>> {
        let class = match object {
            Value::Instance(instance) => instance.class.clone(),
            Value::Class(class) => class.metaclass.clone()?,
            _ => return None,
        };
        match self.class_attribute(&class, name) {
            Value::Function(method) => Some(method.bound_to(object.clone())),
            _ => None,
        }
    }

    /// Whether the code that runs is Python.
    pub(super) fn is_python_here(&self) -> bool {
        matches!(self.program.language_of(self.here.file), Language::Python | Language::Notebook)
    }

    /// The same of one that may hold nothing.
    pub(super) fn elements_told(&self, value: &Value<'p>) -> Option<Vec<Value<'p>>> {
        match value {
            Value::Sequence(values) => Some(values.to_vec()),
            value => self.elements(value),
        }
    }

    /// The elements of a collection, when all are known.
    pub(super) fn elements(&self, value: &Value<'p>) -> Option<Vec<Value<'p>>> {
        match self.contents(value) {
            // An empty one stands for what somebody fills who is not followed.
            Value::Sequence(values) if !values.is_empty() => Some(values.to_vec()),
            Value::Mapping(items) if !items.is_empty() => {
                Some(items.iter().map(|(key, _)| key.clone()).collect())
            }
            _ => None,
        }
    }
}

/// Whether these are a few lists or dictionaries, or fewer objects of one class.
fn are_few_objects(values: &[Value<'_>]) -> bool {
    const MOST_COLLECTIONS: usize = 8;
    const MOST_OBJECTS: usize = 4;
    let class = |value: &Value<'_>| match value {
        Value::Instance(object) => Some(object.class.scope),
        _ => None,
    };
    let are_collections = values.iter().all(|value| matches!(value, Value::Collection(_)));
    let first = values.first().and_then(class);
    are_collections && values.len() <= MOST_COLLECTIONS
        || first.is_some() && values.len() <= MOST_OBJECTS && values.iter().all(|value| class(value) == first)
}

/// What a table of functions or classes gives for a key that is not known: one of them. Of other tables nothing is known.
pub(super) fn one_of_functions<'a, 'p: 'a>(values: impl Iterator<Item = &'a Value<'p>>) -> Value<'p> {
    /// A larger table is a registry, of which a program uses a part.
    const MOST: usize = 16;
    let values: Vec<Value<'p>> = values.cloned().collect();
    let is_of_project = |value: &Value<'p>| matches!(value, Value::Function(_) | Value::Class(_));
    let is_called =
        |value: &Value<'p>| is_of_project(value) || matches!(value, Value::Outside(_) | Value::None);
    let is_few = values.len() <= MOST && values.iter().any(is_of_project);
    match is_few && values.iter().all(is_called) {
        true => Value::one_of(values),
        false => Value::Unknown,
    }
}

/// Whether something is a dataset of Hugging Face, or several by name.
fn is_dataset(path: &str) -> bool {
    path.starts_with("datasets.") && path.ends_with(')')
}
