//! Loops of which one pass, or a few, stand for all: what one pass leaves to the next, and what is not known behind them.

use super::{Flow, Interpreter};
use crate::code::Block;
use crate::program::heap::ChangedName;
use crate::program::heap::values::{ScopeId, Value};
use crate::program::state::{Definition, MASK, Reaching};
use crate::program::summaries::{Dependency, Summary};
use crate::program::trace::NOT_NOTED;

impl<'p> Interpreter<'p> {
    /// Whether a loop with passes that are not followed is around what runs.
    pub(super) fn is_repeated(&mut self) -> bool {
        let is_repeated = self.repeats > 0;
        self.summaries.note(Dependency::Repeated(is_repeated));
        is_repeated
    }

    /// Whether such a loop is around what runs and not around what made an object: each pass that stands for all then finds the
    /// same object.
    pub(super) fn is_repeated_since(&mut self, object: ScopeId) -> bool {
        let is_repeated = self.repeats > self.heap.loops_around(object);
        if !self.heap.is_made_by_recorded(object) {
            self.summaries.note(Dependency::RepeatedSince(object, is_repeated));
        }
        is_repeated
    }

    pub(super) fn is_repeated_for(&mut self, object: &Value<'p>) -> bool {
        match object {
            Value::Instance(object) => self.is_repeated_since(object.scope),
            _ => self.is_repeated(),
        }
    }

    /// Runs the body of a loop whose number of passes is not known: once, and again where what the first pass
    /// did to CUDA meets what the second does to the environment, or where the second finds other values than the first
    /// asked for, or it may write others to the environment. Where a third would find still others, what they are is not known in
    /// one that stands for all the rest.
    pub(super) fn passes(&mut self, block: &'p Block<'p>, body: impl Fn(&mut Self)) {
        self.pass_for_all(block, body, false);
    }

    /// The same behind passes of which each found something else.
    pub(super) fn more_passes(&mut self, block: &'p Block<'p>, body: impl Fn(&mut Self)) {
        self.pass_for_all(block, body, true);
    }

    fn pass_for_all(&mut self, block: &'p Block<'p>, body: impl Fn(&mut Self), differs: bool) {
        let (writes, cuda) = (self.trace.writes.len(), self.state.cuda);
        self.havoc_counters(block);
        self.repeats += 1;
        self.here.repeats += 1;
        let carried = self.watched_pass(&body);
        self.here.repeats -= 1;
        self.repeats -= 1;
        let has_written = self.trace.writes.len() > writes;
        let is_counted = carried.names.iter().any(|changed| changed.was_read && changed.is_known);
        let writes_others = has_written && is_counted;
        let met = has_written && (self.state.cuda != cuda || self.is_left_at_yields()) || writes_others;
        if self.flow != Flow::Next {
            return;
        }
        // A loop inside a pass that is followed again is followed once: else each level would double the work.
        if !(met || differs || carried.is_asked()) || self.repeats_pass {
            // What else it bound may be the same in each pass.
            return self.widen(carried, |changed| changed.was_read);
        }
        self.repeats_pass = true;
        if differs {
            self.widen(carried, |changed| changed.was_read);
        }
        self.on_some_ways(|run| {
            let carried = run.watched_pass(&body);
            if run.flow == Flow::Next {
                let is_asked = carried.is_asked() || writes_others;
                let is_carried = carried.names.iter().any(|changed| changed.was_read && changed.is_known);
                run.widen(carried, |_| is_carried);
                if is_asked {
                    run.on_some_ways(|run| run.pass(&body, true));
                }
            }
        });
        self.repeats_pass = false;
    }

    /// Runs something that happens nobody knows how often, if at all.
    pub(super) fn any_number_of_times(&mut self, body: impl Fn(&mut Self)) {
        static NOTHING: Block<'static> = Block::new();
        self.on_some_ways(|run| run.looping(1, None, |run| run.passes(&NOTHING, body)));
    }

    /// Runs the body of a loop, and says what the next pass would find otherwise.
    fn watched_pass(&mut self, body: &impl Fn(&mut Self)) -> Carried<'p> {
        self.heap.begin_watch();
        self.watched.push(Vec::new());
        self.pass(body, true);
        let mut variables = self.watched.pop().unwrap_or_default();
        variables.iter().for_each(|(variable, held)| self.watch_variable(variable, held));
        variables.retain(|(variable, held)| !holds_the_same(held, &self.state.reaching(variable)));
        Carried { names: self.heap.end_watch(), variables }
    }

    /// What differs from pass to pass is not known.
    fn widen(&mut self, carried: Carried<'p>, differs: impl Fn(&ChangedName<'p>) -> bool) {
        for changed in carried.names.iter().filter(|changed| changed.is_known && differs(changed)) {
            self.bind_in(changed.scope, changed.name, Value::Unknown);
        }
        for (variable, _) in carried.variables {
            let mut reaching = self.reaching(&variable);
            reaching.push(Definition::Set(NOT_NOTED, None));
            self.set_reaching(&variable, reaching);
        }
    }

    /// Notes what a variable of the environment holds that a pass of a loop asks for.
    pub(super) fn watch_variable(&mut self, variable: &str, held: &Reaching) {
        if let Some(asked) = self.watched.last_mut()
            && !asked.iter().any(|(known, _)| known == variable)
        {
            asked.push((variable.to_owned(), held.clone()));
        }
    }

    /// The same for what a call asked for that is not followed again.
    pub(super) fn watch_again(&mut self, summary: &Summary<'p>) {
        if self.watched.is_empty() {
            return;
        }
        for fact in summary.facts() {
            let variable = match fact {
                Dependency::Variable(variable, _) => variable,
                Dependency::HidesAllGpus(_) => MASK,
                _ => continue,
            };
            let held = self.state.reaching(variable);
            self.watch_variable(variable, &held);
        }
    }
}

/// What one pass of a loop leaves to the next that it did not find itself.
struct Carried<'p> {
    names: Vec<ChangedName<'p>>,
    /// Variables of the environment, with what they held when they were asked for.
    variables: Vec<(String, Reaching)>,
}

impl Carried<'_> {
    /// Whether conditions may ask for what differs.
    fn is_asked(&self) -> bool {
        !self.variables.is_empty() || self.names.iter().any(|changed| changed.is_asked)
    }
}

/// Whether a variable may hold the same values, or none, whoever set them.
fn holds_the_same(one: &Reaching, other: &Reaching) -> bool {
    let holds = |all: &Reaching, wanted: &Definition| {
        all.iter().any(|known| match (known, wanted) {
            (Definition::Set(_, one), Definition::Set(_, other)) => one == other,
            (one, other) => one.is_absent() == other.is_absent() && !matches!(one, Definition::Set(..)),
        })
    };
    one.iter().all(|wanted| holds(other, wanted)) && other.iter().all(|wanted| holds(one, wanted))
}
