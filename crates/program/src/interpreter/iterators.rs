//! Iterators: each has a position in the heap, so that what asked it before, under whatever name, is known where it is asked
//! again.

use super::calls::{Arg, Args};
use super::generators::AskedFor;
use super::{CodePosition, Flow, Interpreter};
use crate::code::Comprehension;
use crate::facts::{FileId, Place, Span};
use crate::program::heap::values::{ScopeId, Source, Stream, StreamOutput, Value};
use std::rc::Rc;

/// The name under which an iterator keeps how many elements it gave: a number, true when there are no more, or unknown.
const GIVEN: &str = "elements given so far";

/// What asking an iterator for its next element gives.
pub(super) enum Next<E> {
    Element(E),
    End,
    Unknown,
}

impl<E> Next<E> {
    fn map_element<T>(self, make: impl FnOnce(E) -> T) -> Next<T> {
        match self {
            Next::Element(element) => Next::Element(make(element)),
            Next::End => Next::End,
            Next::Unknown => Next::Unknown,
        }
    }
}

/// How far an iterator has come.
pub(super) enum IteratorPosition {
    /// So many elements were given.
    At(usize),
    UsedUp,
    Unknown,
}

impl<'p> Interpreter<'p> {
    pub(super) fn stream(&mut self, source: Source<'p>) -> Value<'p> {
        let state = self.new_scope(None, false);
        self.set_position(state, IteratorPosition::At(0));
        Value::Stream(Rc::new(Stream { source, state }))
    }

    pub(super) fn position(&self, state: ScopeId) -> IteratorPosition {
        match self.heap.get(state, GIVEN) {
            Some(Value::Bool(true)) => IteratorPosition::UsedUp,
            Some(Value::Int(given, _)) => IteratorPosition::At(*given as usize),
            _ => IteratorPosition::Unknown,
        }
    }

    /// In a loop whose passes are not all followed nobody knows how often an iterator from outside of it is asked.
    pub(super) fn set_position(&mut self, state: ScopeId, position: IteratorPosition) {
        let given = match position {
            _ if self.is_repeated_since(state) => Value::Unknown,
            IteratorPosition::At(given) => at(given),
            IteratorPosition::UsedUp => Value::Bool(true),
            IteratorPosition::Unknown => Value::Unknown,
        };
        self.bind_in(state, GIVEN, given);
    }

    /// Puts a generator back to its beginning, for who runs it from there whatever was asked of it.
    pub(super) fn begin_anew(&mut self, state: ScopeId) {
        self.bind_in(state, GIVEN, at(0));
    }

    /// `iter(value)`, where that is known to give the elements of a collection.
    pub(super) fn iterator_of(&mut self, value: &Value<'p>) -> Value<'p> {
        match self.force(value.clone()) {
            set if self.is_out_of_order(&set) => {
                let elements = self.in_order(&set);
                self.stream(Source::Elements(elements))
            }
            known @ (Value::Collection(_) | Value::View(..) | Value::Sequence(_) | Value::Mapping(_)) => {
                self.stream(Source::Elements(known))
            }
            Value::Class(class) if let Some(members) = self.members_in_order(&class) => {
                self.stream(Source::Elements(members))
            }
            Value::Instance(object) if let Some(parts) = self.parts_of_tuple(&object) => {
                self.stream(Source::Elements(Value::sequence(parts)))
            }
            Value::Text(text) if self.is_python_here() => {
                let letters = self.iterate(Value::Text(text), self.here.statement);
                match letters {
                    Value::Sequence(_) => self.stream(Source::Elements(letters)),
                    other => other,
                }
            }
            other => other,
        }
    }

    /// How many elements an iterator has left at most, where it can be asked for one after the other.
    pub(super) fn expected(&mut self, iterator: &Value<'p>) -> Option<usize> {
        let Value::Stream(stream) = iterator else { return None };
        let stream = stream.clone();
        if self.is_repeated_since(stream.state) {
            return None;
        }
        let given = match self.position(stream.state) {
            IteratorPosition::At(given) => given,
            IteratorPosition::UsedUp => return Some(0),
            IteratorPosition::Unknown => return None,
        };
        let fewest = |run: &mut Self, columns: &[Value<'p>]| {
            let each = columns.iter().map(|column| run.expected(column));
            each.collect::<Option<Vec<_>>>()?.into_iter().min()
        };
        match &stream.source {
            Source::Factory(_) => None,
            Source::Elements(held) => {
                let count = self.length(held)?;
                // What nobody filled so far stands for what somebody fills who is not followed.
                (count > 0 || given > 0).then(|| count.saturating_sub(given))
            }
            Source::Zip(columns) => fewest(self, columns),
            Source::Calls { columns, keeps, .. }
                if !matches!(keeps, StreamOutput::Some | StreamOutput::Until) =>
            {
                fewest(self, columns)
            }
            Source::Calls { .. } => None,
            Source::Numbered(inner, _) => self.expected(inner),
            Source::First(inner, count) => {
                self.expected(inner).map(|expected| expected.min(count.saturating_sub(given)))
            }
            Source::Chain(parts) => {
                let each = parts.iter().map(|part| self.expected(part));
                each.sum()
            }
            Source::Expression { comprehension, first, .. } => {
                is_plain(comprehension).then(|| self.expected(first)).flatten()
            }
        }
    }

    /// How many elements a collection has.
    fn length(&self, value: &Value<'p>) -> Option<usize> {
        match self.contents(value) {
            Value::Sequence(values) => Some(values.len()),
            Value::Mapping(items) => Some(items.len()),
            _ => None,
        }
    }

    /// `next(iterator)`, where what it gives is known.
    pub(super) fn next_of(&mut self, iterator: &Value<'p>, span: Span) -> Next<Value<'p>> {
        let Value::Stream(stream) = iterator else { return Next::Unknown };
        let stream = stream.clone();
        if self.is_repeated_since(stream.state) {
            self.set_position(stream.state, IteratorPosition::Unknown);
            return Next::Unknown;
        }
        let given = match self.position(stream.state) {
            IteratorPosition::At(given) => given,
            IteratorPosition::UsedUp => return Next::End,
            IteratorPosition::Unknown => return Next::Unknown,
        };
        let next = self.next_from(&stream.source, given, span);
        let next = if self.flow == Flow::Next { next } else { Next::Unknown };
        self.set_position(
            stream.state,
            match &next {
                Next::Element(_) => IteratorPosition::At(given + 1),
                Next::End => IteratorPosition::UsedUp,
                Next::Unknown => IteratorPosition::Unknown,
            },
        );
        next
    }

    /// `next(iterator)` and `next(iterator, default)`
    pub(super) fn next_or(&mut self, value: Value<'p>, default: Option<&Arg<'p>>, span: Span) -> Value<'p> {
        if self.has_turns(&value) {
            let mut next = Value::Unknown;
            let mut ask = |run: &mut Self| {
                next = run.special(&value, "__next__", Vec::new(), span).unwrap_or(Value::Unknown);
            };
            return match default.map(|default| default.value.clone()) {
                None => {
                    ask(self);
                    next
                }
                Some(default) => match self.catch_all(false, ask) {
                    true => Value::one_of([next, default]),
                    false => next,
                },
            };
        }
        match (self.next_of(&value, span), default) {
            (Next::Element(element), _) => element,
            (Next::End, Some(default)) => default.value.clone(),
            (Next::End, None) => self.raises(),
            (Next::Unknown, _) if let Some(first) = self.first_of(&value, span) => first,
            (Next::Unknown, default) => {
                // What stands behind the first `yield` does not run yet.
                self.on_some_ways(|run| {
                    if let Value::Paused(_) | Value::Stream(_) = value {
                        run.asks = AskedFor::Next;
                    }
                    run.iterate(value.clone(), span);
                    run.asks = AskedFor::Some;
                });
                if let Value::Paused(paused) = &value {
                    self.set_position(paused.scope, IteratorPosition::Unknown);
                }
                if default.is_none() {
                    self.may_raise();
                }
                Value::Unknown
            }
        }
    }

    /// What a generator gives first that has not begun, where it surely gives something.
    fn first_of(&mut self, generator: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let Value::Paused(paused) = generator else { return None };
        if !self.gives_first(paused) {
            return None;
        }
        self.asks = AskedFor::First;
        let given = self.run_paused(generator, span);
        self.asks = AskedFor::Some;
        let is_held = |(_, held): &(&str, Value<'p>)| held.same(generator);
        if !self.heap.names(self.here.scope).iter().any(is_held) {
            self.close_if_left_open(generator, span);
        }
        let Value::Sequence(given) = given else { return Some(Value::Unknown) };
        Some(given.first().cloned().unwrap_or(Value::Unknown))
    }

    fn next_from(&mut self, source: &Source<'p>, given: usize, span: Span) -> Next<Value<'p>> {
        match source {
            Source::Factory(_) => Next::Unknown,
            Source::Elements(held) => {
                let element = match self.contents(held) {
                    Value::Sequence(values) => values.get(given).cloned(),
                    Value::Mapping(items) => items.get(given).map(|(key, _)| key.clone()),
                    _ => return Next::Unknown,
                };
                element.map_or(Next::End, Next::Element)
            }
            Source::Zip(columns) => self.row_of(columns, span).map_element(Value::sequence),
            Source::Numbered(inner, first) => {
                let number = Value::Int(first + given as i64, self.place(span));
                self.next_of(inner, span).map_element(|element| Value::sequence(vec![number, element]))
            }
            Source::First(_, count) if given >= *count => Next::End,
            Source::First(inner, _) => self.next_of(inner, span),
            Source::Chain(parts) => {
                for part in parts {
                    match self.next_of(part, span) {
                        Next::End => {}
                        known => return known,
                    }
                }
                Next::End
            }
            Source::Calls { function, columns, keeps } => loop {
                let row = match self.row_of(columns, span) {
                    Next::Element(row) => row,
                    Next::End => return Next::End,
                    Next::Unknown => return Next::Unknown,
                };
                let first = row.first().cloned();
                let result = self.call(function.clone(), Args::positional(row, span), span);
                let result = self.force(result);
                match (keeps, self.truth(&result), first) {
                    _ if self.flow != Flow::Next => return Next::Unknown,
                    (StreamOutput::Results, ..) => return Next::Element(result),
                    (StreamOutput::Elements, Some(true), Some(first)) => return Next::Element(first),
                    (StreamOutput::Elements, Some(false), _) => {}
                    _ => return Next::Unknown,
                }
            },
            Source::Expression { comprehension, file, scope, first, span } if is_plain(comprehension) => {
                self.next_of_expression(comprehension, (*file, *scope), first, *span)
            }
            Source::Expression { .. } => Next::Unknown,
        }
    }

    /// One element of each of several iterators; the first that has none ends it.
    fn row_of(&mut self, columns: &[Value<'p>], span: Span) -> Next<Vec<Value<'p>>> {
        let mut row = Vec::with_capacity(columns.len());
        for column in columns {
            match self.next_of(column, span) {
                Next::Element(element) => row.push(element),
                Next::End => return Next::End,
                Next::Unknown => return Next::Unknown,
            }
        }
        if row.is_empty() { Next::Unknown } else { Next::Element(row) }
    }

    fn next_of_expression(
        &mut self,
        comprehension: &'p Comprehension<'p>,
        (file, scope): (FileId, ScopeId),
        first: &Value<'p>,
        span: Span,
    ) -> Next<Value<'p>> {
        let ([generator], [element]) = (&comprehension.generators[..], &comprehension.elements[..]) else {
            return Next::Unknown;
        };
        loop {
            let value = match self.next_of(first, span) {
                Next::Element(value) => value,
                end => return end,
            };
            let inside =
                CodePosition { statement: span, ..CodePosition::in_module(file, scope, self.here.frame) };
            let outer = std::mem::replace(&mut self.here, inside);
            self.assign(&generator.target, value);
            let mut passes = Some(true);
            for condition in &generator.conditions {
                let verdict = self.eval(condition);
                let verdict = self.force(verdict);
                match self.truth(&verdict) {
                    Some(true) => {}
                    other => {
                        passes = other;
                        break;
                    }
                }
            }
            let result = (passes == Some(true)).then(|| self.eval(element));
            self.here = outer;
            match (passes, result) {
                (Some(true), Some(result)) => return Next::Element(result),
                (Some(false), _) if self.flow == Flow::Next => {}
                _ => return Next::Unknown,
            }
        }
    }

    /// All that an iterator has left. What was asked before, nobody knows how often, gives it on some ways only.
    pub(super) fn rest_of(&mut self, stream: &Rc<Stream<'p>>, site: Span) -> Value<'p> {
        if let Source::Factory(_) = stream.source {
            return self.run_stream(stream, site);
        }
        let position = self.position(stream.state);
        match position {
            IteratorPosition::At(0) => {
                self.set_position(stream.state, IteratorPosition::UsedUp);
                self.run_stream(stream, site)
            }
            IteratorPosition::UsedUp => Value::sequence(Vec::new()),
            IteratorPosition::Unknown => {
                self.on_some_ways(|run| drop(run.run_stream(stream, site)));
                Value::Unknown
            }
            IteratorPosition::At(_) => self.collected(&Value::Stream(stream.clone()), site),
        }
    }

    /// The elements that an iterator gives one after the other.
    pub(super) fn collected(&mut self, iterator: &Value<'p>, site: Span) -> Value<'p> {
        let mut all = Vec::new();
        loop {
            match self.next_of(iterator, site) {
                Next::Element(element) if self.spend() => all.push(element),
                Next::End => return Value::sequence(all),
                _ => return Value::Unknown,
            }
        }
    }
}

/// So many elements, as the heap keeps it.
fn at<'p>(given: usize) -> Value<'p> {
    Value::Int(given as i64, Place { file: FileId(0), span: Span::default() })
}

/// Whether a generator expression goes over one collection and gives one value for each of its elements.
fn is_plain(comprehension: &Comprehension<'_>) -> bool {
    comprehension.generators.len() == 1 && comprehension.elements.len() == 1
}
