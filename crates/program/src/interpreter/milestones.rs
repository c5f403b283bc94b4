//! Milestones on the way: which of them what runs is, and which writes come after the one at which their variable is
//! read.

use super::Interpreter;
use crate::facts::{Place, Span};
use crate::program::knowledge::{Does, Milestone};
use crate::program::milestones::{LateWrite, MilestoneId, PassedMilestone};
use crate::program::state::Definition;
use crate::program::summaries::Dependency;
use crate::program::trace::EventId;
use std::sync::Arc;

impl<'p> Interpreter<'p> {
    /// A module outside the project is imported, by an import of `by`.
    pub(super) fn pass_import(&mut self, module: &str, by: &str, span: Span) {
        if let Some(milestone) = self.program.knowledge.variables.milestone_of_import(module) {
            self.reach(milestone, &format!("import {by}"), span);
        }
    }

    /// A call of a library does something that is a milestone.
    pub(super) fn pass_call(&mut self, library: &str, does: &[Does], callee: &str, span: Span) {
        let passed = does.iter().filter_map(|does| match does {
            Does::TorchInit => Some(Milestone::TorchInit),
            Does::CudaInit => Some(Milestone::FirstUse(library.to_owned())),
            Does::Threads => Some(Milestone::FirstThreads(library.to_owned())),
            _ => None,
        });
        for milestone in passed {
            if let Some(milestone) = self.program.knowledge.variables.milestone(&milestone) {
                self.reach(milestone, &format!("{callee}()"), span);
            }
        }
    }

    /// A process that runs a function of the program: it has touched no GPU yet, and imports what the program did.
    /// Libraries that the top of a file imports are there: a copy has them, and a fresh process runs the top again.
    pub(super) fn enter_process(&mut self) {
        let library = self.state.library.take().filter(|library| self.is_at_top(library.event));
        let cuda = self.state.cuda.take().filter(|cuda| self.is_at_top(cuda.event));
        (self.state.cuda, self.state.library) = (cuda, library);
        let variables = &self.program.knowledge.variables;
        self.state.milestones.retain(|milestone| variables.is_import(milestone));
    }

    /// Whether an event lies in what every process runs that imports the program: unindented statements, and the
    /// modules that they import.
    fn is_at_top(&self, event: EventId) -> bool {
        let Some(event) = self.trace.events.get(event as usize) else { return false };
        let is_unindented = |place: Place| {
            let text = &self.program.sources.file(place.file).text;
            let start = place.span.start as usize;
            start == 0 || text.as_bytes().get(start - 1) == Some(&b'\n')
        };
        let mut statement = event.statement;
        let mut frame = Some(event.frame);
        while let Some(number) = frame {
            let Some(known) = self.trace.frames.get(number as usize) else { return false };
            if known.function.is_some() || !is_unindented(statement) {
                return false;
            }
            statement = known.statement.unwrap_or(statement);
            frame = known.parent;
        }
        true
    }

    /// Whether torch has surely not initialised its CUDA state so far.
    pub(super) fn is_before_torch(&mut self) -> bool {
        let is_before = self.torch_has_waited();
        self.summaries.note(Dependency::BeforeTorch(is_before));
        is_before
    }

    /// The same, where a summary asks.
    pub(super) fn torch_has_waited(&self) -> bool {
        let torch = self.program.knowledge.variables.milestone(&Milestone::TorchInit);
        !self.state.open && torch.is_some_and(|(torch, _)| self.state.milestones.get(torch).is_none())
    }

    fn reach(&mut self, (milestone, variables): (MilestoneId, &'p [String]), by: &str, span: Span) {
        self.passed += 1;
        let known = self.state.milestones.get(milestone);
        if self.quiet > 0 || known.is_some_and(|known| known.certain) {
            return;
        }
        let then = variables.iter().map(|variable| self.reaching(variable)).collect();
        let (place, certain) = (self.place(span), self.uncertain == 0);
        self.state.milestones.pass(PassedMilestone { milestone, place, by: by.into(), certain, then });
    }

    /// What read a variable before this write, which gives it another value.
    pub(super) fn lateness(
        &mut self,
        variable: &str,
        values: &[Option<Arc<str>>],
        only_if_unset: bool,
    ) -> Vec<LateWrite> {
        let variables = &self.program.knowledge.variables;
        let is_set = only_if_unset && !self.reaching(variable).iter().any(Definition::is_absent);
        let mut late = Vec::new();
        for (milestone, part) in variables.read_until(variable) {
            let Some(passed) = self.state.milestones.get(milestone) else { continue };
            let Some(at) = variables.position_at(milestone, variable) else { continue };
            let same = |definition: &Definition| match definition {
                Definition::Set(_, Some(known)) => values.iter().flatten().any(|value| match part {
                    Some(part) => setting(value, part) == setting(known, part),
                    None => value == known,
                }),
                // What the caller or an unknown update gave may be this very value.
                Definition::Elsewhere => true,
                // What is not set is what the library does by itself.
                _ => part
                    .is_some_and(|part| values.iter().flatten().all(|value| setting(value, part).is_none())),
            };
            let says_part = |part: &str| values.iter().flatten().any(|value| setting(value, part).is_some());
            if passed.then[at].iter().any(same) || part.is_some_and(|part| !says_part(part)) || is_set {
                continue;
            }
            late.push(LateWrite {
                part: part.map(str::to_owned),
                place: passed.place,
                by: passed.by.clone(),
                certain: passed.certain,
            });
        }
        late
    }
}

/// The value of one setting in `key:value,key:value`, unless it is what the library does by itself.
fn setting<'v>(value: &'v str, key: &str) -> Option<&'v str> {
    let of_key = |item: &'v str| item.split_once(':').filter(|(known, _)| known.trim() == key);
    let last = value.split(',').filter_map(of_key).next_back();
    last.map(|(_, value)| value.trim()).filter(|value| *value != "native")
}
