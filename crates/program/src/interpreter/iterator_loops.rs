//! Loops over iterators: each pass asks for the next element.

use super::branches::ArmEnd;
use super::iterators::{IteratorPosition, Next};
use super::loops::MOST_ELEMENTS;
use super::{Flow, Interpreter};
use crate::code::{Block, Target};
use crate::facts::Span;
use crate::program::heap::values::{Source, Value};

/// So many times `__next__` of an object is asked, each followed for itself.
pub(super) const MOST_TURNS: usize = 8;

impl<'p> Interpreter<'p> {
    /// Whether a value is an object with a `__next__` of its own.
    pub(super) fn has_turns(&mut self, value: &Value<'p>) -> bool {
        match value {
            Value::Instance(instance) => {
                matches!(self.class_attribute(&instance.class, "__next__"), Value::Function(_))
            }
            _ => false,
        }
    }

    /// All that such an object gives; `None` where its end is not known to come.
    pub(super) fn all_turns(&mut self, iterator: &Value<'p>, span: Span) -> Option<Value<'p>> {
        let mut given = Vec::new();
        while given.len() < MOST_TURNS && self.flow == Flow::Next {
            match self.turn(iterator, span) {
                Next::Element(element) => given.push(element),
                Next::End => return Some(Value::sequence(given)),
                Next::Unknown => return None,
            }
        }
        None
    }

    /// The generators that an iterator asks run again, on some ways: what the body of the loop did came between their parts.
    pub(super) fn run_generators_in(&mut self, iterator: &Value<'p>, site: Span) {
        let Value::Stream(stream) = iterator else { return };
        let parts: Vec<Value<'p>> = match &stream.source {
            Source::Zip(parts) | Source::Chain(parts) | Source::Calls { columns: parts, .. } => parts.clone(),
            Source::Numbered(inner, _) | Source::First(inner, _) => vec![inner.clone()],
            Source::Expression { first, .. } => vec![first.clone()],
            Source::Elements(_) | Source::Factory(_) => return,
        };
        for part in parts {
            match &part {
                Value::Paused(paused) => {
                    self.on_some_ways(|run| {
                        run.begin_anew(paused.scope);
                        run.run_paused(&part, site);
                    });
                    self.set_position(paused.scope, IteratorPosition::Unknown);
                }
                part => self.run_generators_in(part, site),
            }
        }
    }

    /// A `for` over what can be asked for one element after the other. `false` when it cannot.
    pub(super) fn for_each_next(
        &mut self,
        iterator: &Value<'p>,
        span: Span,
        otherwise: &'p Block<'p>,
        body: &'p Block<'p>,
        pass: &dyn Fn(&mut Self, Value<'p>),
    ) -> bool {
        let Some(expected) = self.expected(iterator).filter(|expected| self.may_follow_each(*expected))
        else {
            return false;
        };
        self.looping(expected, Some(otherwise), |run| {
            for _ in 0..=MOST_ELEMENTS {
                match run.next_of(iterator, span) {
                    Next::Element(element) => run.pass(|run| pass(run, element), true),
                    Next::End => return,
                    Next::Unknown => break,
                }
                if run.flow != Flow::Next {
                    return;
                }
            }
            if run.flow == Flow::Next {
                run.on_some_ways(|run| run.passes(body, |run| pass(run, Value::Unknown)));
            }
        });
        true
    }

    /// The passes of a `for` over a collection with these elements. At each pass a list is asked anew what it holds: the
    /// passes before may have changed it.
    pub(super) fn for_each_element(
        &mut self,
        mut elements: Vec<Value<'p>>,
        collection: &Value<'p>,
        body: &'p Block<'p>,
        pass: &dyn Fn(&mut Self, Value<'p>),
    ) {
        let size = self.size_of_dictionary(collection);
        let mut next = 0;
        while let Some(element) = elements.get(next) {
            if next > MOST_ELEMENTS {
                return self.on_some_ways(|run| run.more_passes(body, |run| pass(run, Value::Unknown)));
            }
            let element = element.clone();
            self.pass(|run| pass(run, element), true);
            if self.flow != Flow::Next {
                return;
            }
            next += 1;
            if size.is_some_and(|size| self.size_of_dictionary(collection).is_some_and(|now| now != size)) {
                self.seems_to_raise();
                return;
            }
            if let Value::Collection(_) = collection
                && let Some(now) = elements_now(&self.contents(collection))
            {
                elements = now;
            }
        }
    }

    /// How many items a dictionary has that a loop goes over: where they become more or fewer, its next pass raises.
    fn size_of_dictionary(&self, collection: &Value<'p>) -> Option<usize> {
        let (Value::Collection(scope) | Value::View(scope, _)) = collection else { return None };
        match self.contents(&Value::Collection(*scope)) {
            Value::Mapping(items) => Some(items.len()),
            _ => None,
        }
    }

    /// A `for` over an object whose `__next__` is asked until it raises.
    pub(super) fn for_each_turn(
        &mut self,
        (target, body, otherwise): (&'p Target<'p>, &'p Block<'p>, &'p Block<'p>),
        iterator: &Value<'p>,
        span: Span,
    ) {
        self.looping(MOST_TURNS, Some(otherwise), |run| {
            for _ in 0..MOST_TURNS {
                match run.turn(iterator, span) {
                    Next::Element(element) => run.pass(
                        |run| {
                            run.assign(target, element);
                            run.block(body);
                        },
                        true,
                    ),
                    Next::End => return,
                    Next::Unknown => break,
                }
                if run.flow != Flow::Next {
                    return;
                }
            }
            let any = |run: &mut Self| {
                run.more_passes(body, |run| {
                    run.turn(iterator, span);
                    run.assign(target, Value::Unknown);
                    run.block(body);
                });
            };
            if run.flow == Flow::Next {
                run.on_some_ways(any);
            }
        });
    }

    /// Asks `__next__` of an object; what it raises ends the loop.
    pub(super) fn turn(&mut self, iterator: &Value<'p>, span: Span) -> Next<Value<'p>> {
        let caught = self.new_landing();
        self.catches.push(caught);
        let element = self.special(iterator, "__next__", Vec::new(), span);
        self.catches.pop();
        if self.exits {
            return Next::Unknown;
        }
        let raised = self.landing(caught);
        let here = ArmEnd { state: self.state.clone(), changes: Vec::new() };
        match std::mem::replace(&mut self.flow, Flow::Next) {
            Flow::Next if raised.is_empty() => Next::Element(element.unwrap_or(Value::Unknown)),
            Flow::Raise if raised.is_empty() => Next::End,
            Flow::Next => {
                self.join(raised.into_iter().chain([here]).collect());
                Next::Unknown
            }
            Flow::Raise => {
                self.join(raised.into_iter().chain([here]).collect());
                Next::End
            }
            Flow::Unreachable if !raised.is_empty() => {
                self.join(raised);
                Next::End
            }
            flow => {
                self.flow = flow;
                Next::Unknown
            }
        }
    }
}

/// The elements of a list, each with what it may be; `None` where it is not known how many there are.
fn elements_now<'p>(contents: &Value<'p>) -> Option<Vec<Value<'p>>> {
    match contents {
        Value::Sequence(elements) => Some(elements.to_vec()),
        Value::OneOf(each) => {
            let lists = each.iter().map(|one| match one {
                Value::Sequence(elements) => Some(elements),
                _ => None,
            });
            let lists = lists.collect::<Option<Vec<_>>>()?;
            let length = lists.first()?.len();
            let is_known = lists.iter().all(|list| list.len() == length);
            let element = |at: usize| Value::one_of(lists.iter().map(|list| list[at].clone()));
            is_known.then(|| (0..length).map(element).collect())
        }
        _ => None,
    }
}
