//! Code that waits: coroutines, generators and generator expressions run when somebody asks for what they
//! give, and not when they are made.

use super::calls::Args;
use super::functions::MOST_CALLS;
use super::{Flow, Here, Run};
use crate::code::{Block, Comprehension, Expr, Target};
use crate::facts::Span;
use crate::program::value::{Closure, Source, Stream, Value};
use std::rc::Rc;

/// What runs where the project's generator yields.
pub(super) struct Resume<'p> {
    body: Option<Body<'p>>,
    /// Position in the callers of the function that holds the `with`.
    caller: usize,
    /// How the body ended, and what it gave.
    flow: Flow,
    result: Value<'p>,
}

/// What a generator that is running gave so far.
pub(super) struct Given<'p> {
    /// Absent when not every one of its values is known to be given.
    values: Option<Vec<Value<'p>>>,
    /// How many callers it has.
    depth: usize,
    /// How uncertain it was when it began.
    uncertain: usize,
}

/// What a context manager is around.
pub(super) enum Body<'p> {
    /// The rest of a `with`: what the manager is bound to, the managers that follow, and the block.
    With { target: Option<&'p Target<'p>>, items: &'p [(Expr<'p>, Option<Target<'p>>)], block: &'p Block<'p> },
    /// The call of a function that the manager decorates.
    Call(Rc<Closure<'p>>, Args<'p>, Span),
}

impl<'p> Run<'p> {
    /// Runs a coroutine or generator that was called before.
    pub(super) fn run_paused(&mut self, value: &Value<'p>, site: Span) -> Value<'p> {
        match value {
            Value::Paused(paused) => {
                let key = (paused.closure.file, paused.closure.function);
                if self.active.contains(&key) || self.active.len() >= MOST_CALLS {
                    return Value::Unknown;
                }
                if !self.function_of(&paused.closure).is_generator {
                    return self.run_body(&paused.closure, paused.scope, site);
                }
                let depth = self.callers.len() + 1;
                self.given.push(Given { values: Some(Vec::new()), depth, uncertain: self.uncertain });
                self.run_body(&paused.closure, paused.scope, site);
                let given = self.given.pop().and_then(|given| given.values);
                given.map_or(Value::Unknown, Value::sequence)
            }
            Value::Stream(stream) => self.run_stream(stream, site),
            Value::OneOf(values) => {
                let waits = |value: &&Value<'p>| matches!(value, Value::Paused(_) | Value::Stream(_));
                values.iter().filter(waits).for_each(|value| drop(self.run_paused(value, site)));
                Value::Unknown
            }
            _ => Value::Unknown,
        }
    }

    /// `yield` in a project generator that serves as context manager: the body of the `with` runs now.
    pub(super) fn resume_with(&mut self, value: Value<'p>) -> Value<'p> {
        // `yield from`: what the other generator does is done on the way.
        if let Value::Paused(_) | Value::Stream(_) = value {
            return self.run_paused(&value, self.here.statement);
        }
        if let Some(given) = self.given.last_mut() {
            let followed = given.depth == self.callers.len()
                && given.uncertain == self.uncertain
                && self.here.repeats == 0;
            match &mut given.values {
                Some(values) if followed => values.push(value.clone()),
                _ if given.depth == self.callers.len() => given.values = None,
                _ => {}
            }
        }
        self.yielded = Some(value);
        // Only the generator itself yields to the `with`, not a generator that it calls.
        let depth = self.callers.len();
        let Some(resume) = self.resumes.last_mut().filter(|resume| resume.caller + 1 == depth) else {
            return Value::Unknown;
        };
        let Some(body) = resume.body.take() else { return Value::Unknown };
        let caller = resume.caller;
        std::mem::swap(&mut self.here, &mut self.callers[caller]);
        let result = self.run_inside(body);
        std::mem::swap(&mut self.here, &mut self.callers[caller]);
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        if let Some(resume) = self.resumes.last_mut() {
            (resume.flow, resume.result) = (flow, result);
        }
        Value::Unknown
    }

    fn run_inside(&mut self, body: Body<'p>) -> Value<'p> {
        match body {
            Body::With { target, items, block } => {
                if let Some(target) = target {
                    let entered = self.yielded.clone().unwrap_or(Value::Unknown);
                    self.assign(target, entered);
                }
                self.with(items, block);
                Value::Unknown
            }
            Body::Call(function, args, span) => self.run_function(&function, args, span),
        }
    }

    /// Runs a generator of the project up to its `yield`, then `body`, then the rest of the generator.
    pub(super) fn with_generator(&mut self, manager: &Value<'p>, body: Body<'p>, span: Span) -> Value<'p> {
        let caller = self.callers.len();
        self.resumes.push(Resume { body: Some(body), caller, flow: Flow::Next, result: Value::Unknown });
        self.run_paused(manager, span);
        let Some(resume) = self.resumes.pop() else { return Value::Unknown };
        match resume.body {
            None => {
                self.flow = if self.flow == Flow::Next { resume.flow } else { self.flow };
                resume.result
            }
            // Nobody yielded: the body still runs.
            Some(body) => self.run_inside(body),
        }
    }

    /// A generator expression: its first collection is looked up now, the rest waits.
    pub(super) fn generator_expression(
        &mut self,
        comprehension: &'p Comprehension<'p>,
        span: Span,
    ) -> Value<'p> {
        let Some(first) = comprehension.generators.first() else { return Value::Unknown };
        let first = self.eval(&first.iterable);
        let scope = self.new_scope(Some(self.here.scope), false);
        let source = Source::Expression { comprehension, file: self.here.file, scope, first, span };
        Value::Stream(Rc::new(Stream { source }))
    }

    /// `map(function, …)` and `filter(function, …)`: the function is called when the results are asked for.
    pub(super) fn mapped(&mut self, function: Value<'p>, columns: &[Value<'p>], keeps: bool) -> Value<'p> {
        let source = Source::Calls { function, columns: columns.to_vec(), keeps };
        Value::Stream(Rc::new(Stream { source }))
    }

    /// What `field(default_factory=function)` leaves in the class.
    pub(super) fn factory(&mut self, function: Value<'p>) -> Value<'p> {
        Value::Stream(Rc::new(Stream { source: Source::Factory(function) }))
    }

    fn run_stream(&mut self, stream: &Rc<Stream<'p>>, site: Span) -> Value<'p> {
        match &stream.source {
            Source::Expression { comprehension, file, scope, first, span } => {
                let here = Here { statement: *span, ..Here::in_module(*file, *scope, self.here.frame) };
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
                let columns: Vec<_> = columns
                    .iter()
                    .map(|column| {
                        let column = self.iterate(column.clone(), site);
                        self.elements(&column)
                    })
                    .collect();
                let Some(columns) = columns.into_iter().collect::<Option<Vec<_>>>() else {
                    let arguments = Args { items: Vec::new(), open: true };
                    self.alternatives(vec![
                        Box::new(|run| drop(run.call(function.clone(), arguments, site))),
                        Box::new(|_| {}),
                    ]);
                    return Value::Unknown;
                };
                let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
                let results: Vec<_> = (0..rows)
                    .map(|row| {
                        let row = columns.iter().map(|column| column[row].clone()).collect();
                        self.call(function.clone(), Args::positional(row, site), site)
                    })
                    .collect();
                if *keeps { Value::Unknown } else { Value::sequence(results) }
            }
        }
    }
}
