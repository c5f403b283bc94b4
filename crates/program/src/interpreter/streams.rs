//! Streams: generator expressions, `map` and `filter`, and what `zip` and its like make of iterators. They run when somebody
//! asks for what they give.

use super::calls::Args;
use super::iterators::Next;
use super::{CodePosition, Interpreter};
use crate::code::{Comprehension, Expr, ExprKind, Statement, StatementKind};
use crate::facts::Span;
use crate::program::heap::values::{Source, Stream, StreamOutput, Value};
use std::rc::Rc;

impl<'p> Interpreter<'p> {
    /// A generator expression: its first collection is looked up now, the rest waits.
    pub(super) fn generator_expression(
        &mut self,
        comprehension: &'p Comprehension<'p>,
        span: Span,
    ) -> Value<'p> {
        let Some(first) = comprehension.generators.first() else { return Value::Unknown };
        let first = self.eval(&first.iterable);
        let first = self.iterator_of(&first);
        let scope = self.new_scope(Some(self.here.scope), false);
        self.stream(Source::Expression { comprehension, file: self.here.file, scope, first, span })
    }

    /// `map(function, …)` and `filter(function, …)`: the function is called when the results are asked for.
    pub(super) fn mapped(
        &mut self,
        function: Value<'p>,
        columns: &[Value<'p>],
        keeps: StreamOutput,
    ) -> Value<'p> {
        let columns = columns.iter().map(|column| self.iterator_of(column)).collect();
        self.stream(Source::Calls { function, columns, keeps })
    }

    /// What `field(default_factory=function)` leaves in the class: a text that stands in it, or something that is
    /// made anew for each object.
    pub(super) fn factory(&mut self, function: Value<'p>, span: Span) -> Value<'p> {
        if let Value::Function(closure) = &function
            && let [Statement { kind: StatementKind::Return(Some(value)), .. }] =
                self.function_of(closure).body.as_slice()
            && is_literal(value)
        {
            let made = self.run_function(closure, Args::default(), span);
            if !matches!(made, Value::Collection(_)) {
                return made;
            }
        }
        self.stream(Source::Factory(function))
    }

    /// The arguments of each call of `map(function, *columns)`, when all are known.
    pub(super) fn rows_of(&mut self, columns: &[Value<'p>], site: Span) -> Option<Vec<Vec<Value<'p>>>> {
        let each = columns.iter().map(|column| {
            let column = self.iterate(column.clone(), site);
            self.elements(&column)
        });
        // All are asked for their elements, also behind one that does not tell them.
        let columns: Vec<Option<Vec<_>>> = each.collect();
        let columns: Vec<Vec<_>> = columns.into_iter().collect::<Option<_>>()?;
        let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
        let row = |index: usize| columns.iter().map(|column| column[index].clone()).collect();
        Some((0..rows).map(row).collect())
    }

    /// Calls a function nobody knows how often, with nobody knows what.
    pub(super) fn call_often(&mut self, function: &Value<'p>, site: Span) {
        let arguments = Args { items: Vec::new(), open: true };
        self.any_number_of_times(|run| drop(run.call(function.clone(), arguments.clone(), site)));
    }

    /// Calls a function with each row, up to some of them.
    fn call_until(&mut self, function: &Value<'p>, rows: &[Vec<Value<'p>>], site: Span) {
        let Some((first, others)) = rows.split_first() else { return };
        self.call(function.clone(), Args::positional(first.clone(), site), site);
        if !others.is_empty() {
            self.on_some_ways(|run| run.call_until(function, others, site));
        }
    }

    pub(super) fn run_stream(&mut self, stream: &Rc<Stream<'p>>, site: Span) -> Value<'p> {
        match &stream.source {
            Source::Expression { comprehension, file, scope, first, span } => {
                let here = CodePosition {
                    statement: *span,
                    ..CodePosition::in_module(*file, *scope, self.here.frame)
                };
                let outer = std::mem::replace(&mut self.here, here);
                let first = self.iterate(first.clone(), comprehension.generators[0].iterable.span);
                let mut results = Vec::new();
                let complete = self.comprehend(comprehension, 0, Some(first), &mut results);
                self.here = outer;
                let single = comprehension.elements.len() == 1;
                if complete && single { Value::sequence(results) } else { Value::Unknown }
            }
            Source::Factory(function) => self.call(function.clone(), Args::default(), site),
            Source::Calls { function, columns, keeps } => {
                let Some(rows) = self.rows_of(columns, site) else {
                    self.call_often(function, site);
                    return Value::Unknown;
                };
                if *keeps == StreamOutput::Until {
                    self.call_until(function, &rows, site);
                    return Value::Unknown;
                }
                let call = |row| self.call(function.clone(), Args::positional(row, site), site);
                let results: Vec<_> = rows.into_iter().map(call).collect();
                if *keeps == StreamOutput::Results { Value::sequence(results) } else { Value::Unknown }
            }
            Source::Elements(held) => self.iterate(held.clone(), site),
            Source::Numbered(inner, first) => {
                let inner = self.iterate(inner.clone(), site);
                let (first, place) = (*first, self.place(site));
                self.elements(&inner).map_or(Value::Unknown, |elements| {
                    let pairs = elements
                        .into_iter()
                        .zip(first..)
                        .map(|(element, number)| Value::sequence(vec![Value::Int(number, place), element]));
                    Value::sequence(pairs.collect())
                })
            }
            Source::Zip(columns) if columns.len() > 1 && columns.iter().any(is_generator) => {
                // How far each of them comes depends on which of them ends first.
                for column in columns {
                    let ask = |run: &mut Self| drop(run.iterate(column.clone(), site));
                    self.on_some_ways(ask);
                }
                Value::Unknown
            }
            Source::Zip(columns) => self.rows_of(columns, site).map_or(Value::Unknown, |rows| {
                Value::sequence(rows.into_iter().map(Value::sequence).collect())
            }),
            Source::Chain(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.iterate(part.clone(), site)).collect();
                let all: Option<Vec<_>> = parts.iter().map(|part| self.elements(part)).collect();
                all.map_or(Value::Unknown, |all| Value::sequence(all.concat()))
            }
            Source::First(inner, count) => {
                if is_generator(inner) {
                    let ask = |run: &mut Self| drop(run.iterate(inner.clone(), site));
                    self.on_some_ways(ask);
                    return Value::Unknown;
                }
                let mut all = Vec::new();
                while all.len() < *count {
                    match self.next_of(inner, site) {
                        Next::Element(element) => all.push(element),
                        Next::End => break,
                        Next::Unknown => {
                            self.iterate(inner.clone(), site);
                            return Value::Unknown;
                        }
                    }
                }
                Value::sequence(all)
            }
        }
    }
}

fn is_generator(value: &Value<'_>) -> bool {
    matches!(value, Value::Paused(_))
}

/// A text, or a dictionary of texts and numbers: what stands in it is the same for each object.
fn is_literal(value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::Text(_) => true,
        ExprKind::Mapping(entries) => entries.iter().all(|(key, value)| {
            let is_plain = matches!(value.kind, ExprKind::Text(_) | ExprKind::Int(_));
            is_plain && key.as_ref().is_some_and(|key| matches!(key.kind, ExprKind::Text(_)))
        }),
        _ => false,
    }
}
