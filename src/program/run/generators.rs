//! Generators and coroutines of the project: they run when somebody waits for them, and where a generator
//! yields, what waits for it runs.

use super::{Flow, MOST_CALLS, Run};
use crate::code::{Block, Target};
use crate::facts::Span;
use crate::program::trace::FrameId;
use crate::program::value::Value;

/// What runs when a generator of the project yields.
pub(super) enum Body<'p> {
    /// The body of the `with` whose context manager it is; the target is bound to what is yielded.
    With(Option<&'p Target<'p>>, &'p Block<'p>),
    /// The function that it decorates, or the test that it is a fixture of; takes what is yielded.
    Rest(Rest<'p>),
}

pub(super) type Rest<'p> = Box<dyn FnOnce(&mut Run<'p>, Value<'p>) + 'p>;

/// A generator that somebody waits for.
pub(super) struct Resume<'p> {
    /// `None` as soon as it ran.
    body: Option<Body<'p>>,
    /// The generator, once it runs.
    frame: FrameId,
    /// Position in the callers of the function that waits.
    caller: usize,
    /// How the body ended.
    flow: Flow,
}

impl<'p> Run<'p> {
    /// Runs a generator of the project, and what waits for its `yield` there, or else behind it.
    pub(super) fn wait_for(&mut self, generator: &Value<'p>, body: Body<'p>, span: Span) {
        self.resumes.push(Resume {
            body: Some(body),
            // What runs next is the generator.
            frame: self.trace.frames.len() as FrameId,
            caller: self.callers.len(),
            flow: Flow::Next,
        });
        self.run_paused(generator, span);
        let Some(resume) = self.resumes.pop() else { return };
        let Some(left) = resume.body else {
            self.flow = if self.flow == Flow::Next { resume.flow } else { self.flow };
            return;
        };
        self.run_waiting(left, Value::Unknown);
    }

    fn run_waiting(&mut self, body: Body<'p>, yielded: Value<'p>) {
        match body {
            Body::With(target, body) => {
                if let Some(target) = target {
                    self.assign(target, yielded);
                }
                self.block(body);
            }
            Body::Rest(rest) => rest(self, yielded),
        }
    }

    /// Runs a coroutine or generator that was called before.
    pub(super) fn run_paused(&mut self, value: &Value<'p>, site: Span) -> Value<'p> {
        match value {
            Value::Paused(paused) => {
                let key = (paused.closure.file, paused.closure.function);
                if self.active.contains(&key) || self.active.len() >= MOST_CALLS {
                    return Value::Unknown;
                }
                self.run_around(&paused.closure, paused.scope, site)
            }
            Value::OneOf(values) => {
                let paused: Vec<_> =
                    values.iter().filter(|value| matches!(value, Value::Paused(_))).collect();
                paused.into_iter().for_each(|value| drop(self.run_paused(value, site)));
                Value::Unknown
            }
            _ => Value::Unknown,
        }
    }

    /// `yield` in a project generator that somebody waits for: what waits runs now.
    pub(super) fn resume_with(&mut self, value: Value<'p>) -> Value<'p> {
        self.yielded = Some(value.clone());
        // Only the generator itself yields to it, not a generator that it calls.
        let frame = self.here.frame;
        let Some(number) = self.resumes.iter().rposition(|resume| resume.frame == frame) else {
            return Value::Unknown;
        };
        let Some(body) = self.resumes[number].body.take() else { return Value::Unknown };
        let caller = self.resumes[number].caller;
        std::mem::swap(&mut self.here, &mut self.callers[caller]);
        self.run_waiting(body, value);
        std::mem::swap(&mut self.here, &mut self.callers[caller]);
        self.resumes[number].flow = std::mem::replace(&mut self.flow, Flow::Next);
        Value::Unknown
    }
}
