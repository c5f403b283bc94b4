//! Branches: each arm is followed from the same state, and the states join afterwards.

use super::module_entry::EnteredInArm;
use super::presence::{TestedParts, VariablePresence};
use super::{Flow, Interpreter};
use crate::code::Expr;
use crate::program::heap::ArmChange;
use crate::program::heap::values::{ScopeId, Value};
use crate::program::state::State;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How one arm ended: the state, and the variables that it changed.
#[derive(Clone)]
pub(super) struct ArmEnd<'p> {
    pub state: State,
    pub changes: Vec<ArmChange<'p>>,
}

/// What is known of a test when it was evaluated.
pub(super) struct EvaluatedTest<'p> {
    pub truth: Option<bool>,
    presence: Option<VariablePresence>,
    /// It asked for the number of devices.
    counts: bool,
    pub tested: TestedParts<'p>,
}

/// A variable that some arms changed, with what each of these made of it, by the numbers of the arms.
type InArms<'p> = (ScopeId, &'p str, SmallVec<[(usize, Option<Value<'p>>); 2]>);

/// What each arm made of each variable that any of them changed.
fn by_name<'p>(arms: Vec<Vec<ArmChange<'p>>>) -> Vec<InArms<'p>> {
    /// So few are found as fast without an index.
    const FEW: usize = 8;
    let has_index = arms.iter().map(Vec::len).sum::<usize>() > FEW;
    let mut index: FxHashMap<(ScopeId, &'p str), usize> = FxHashMap::default();
    let mut rows: Vec<InArms<'p>> = Vec::new();
    for (arm, changes) in arms.into_iter().enumerate() {
        for (scope, name, value) in changes {
            let known = match has_index {
                true => index.get(&(scope, name)).copied(),
                false => rows.iter().position(|row| row.0 == scope && row.1 == name),
            };
            let row = known.unwrap_or_else(|| {
                rows.push((scope, name, SmallVec::new()));
                rows.len() - 1
            });
            if known.is_none() && has_index {
                index.insert((scope, name), row);
            }
            match rows[row].2.last_mut() {
                Some((last, known)) if *last == arm => *known = value,
                _ => rows[row].2.push((arm, value)),
            }
        }
    }
    rows
}

/// What a variable holds at the ends of arms that changed it.
fn in_arms<'a, 'p>(arms: &'a [(usize, Option<Value<'p>>)]) -> impl Iterator<Item = &'a Value<'p>> {
    arms.iter().map(|(_, value)| value.as_ref().unwrap_or(&Value::Absent))
}

/// Whether two values are one of the same, in whatever order.
fn are_one_of_the_same(one: &Value<'_>, other: &Value<'_>) -> bool {
    let (Value::OneOf(one), Value::OneOf(other)) = (one, other) else { return false };
    one.len() == other.len() && one.iter().all(|one| other.iter().any(|other| one.same(other)))
}

/// One arm of a branch.
pub(super) type ArmRun<'a, 'p> = Box<dyn FnOnce(&mut Interpreter<'p>) + 'a>;

impl<'p> Interpreter<'p> {
    /// Follows each arm from the state as it is now, none of them certainly, and joins what comes out.
    pub(super) fn exec_branches(&mut self, arms: Vec<ArmRun<'_, 'p>>) {
        let before = self.state.clone();
        let (mut outcomes, outer) = (Vec::new(), self.ways_out);
        let mut inner_branches: SmallVec<[_; 2]> = SmallVec::new();
        let mut ways_out = outer;
        self.branches += 1;
        self.here.undecided += 1;
        let branch = self.branches;
        for (number, arm) in arms.into_iter().enumerate() {
            let mark = self.begin_arm();
            let modules = self.in_order.len();
            let first_inside = self.branches + 1;
            self.uncertain += 1;
            let way = self.path.len();
            self.path.push((branch, number as u32));
            arm(self);
            self.path.truncate(way);
            self.uncertain -= 1;
            let changes = self.end_arm(mark);
            for &(file, _) in &self.in_order[modules..] {
                self.entered_in_arm.insert(file, EnteredInArm::first((branch, number as u32)));
            }
            // The next arm begins as this one did.
            let outcome = ArmEnd { state: std::mem::replace(&mut self.state, before.clone()), changes };
            if self.ends_program() {
                self.trace.ended.insert((branch, number as u32));
                self.ended.push((branch, number as u32));
            }
            let inner = std::mem::replace(&mut self.ways_out, outer);
            ways_out.of_function |= inner.of_function || self.flow == Flow::Return;
            ways_out.of_loop |= inner.of_loop || matches!(self.flow, Flow::Break | Flow::Continue);
            let exits = std::mem::take(&mut self.exits) && self.flow == Flow::Raise;
            self.summaries.exited += usize::from(exits);
            ways_out.of_program |= inner.of_program || exits;
            let flow = std::mem::replace(&mut self.flow, Flow::Next);
            let end = (flow == Flow::Next).then_some(outcomes.len());
            inner_branches.push((first_inside..self.branches + 1, end));
            match flow {
                Flow::Next => outcomes.push(outcome),
                flow => self.leave_with(flow, outcome),
            }
        }
        self.ways_out = ways_out;
        if outcomes.is_empty() {
            self.flow = Flow::Unreachable;
        } else {
            self.decisions.join_arms(&inner_branches, &outcomes);
            self.join(outcomes);
        }
    }

    /// Follows steps that run on some ways, and joins what comes of them with what there is without them.
    pub(super) fn on_some_ways(&mut self, steps: impl FnOnce(&mut Self)) {
        self.exec_branches(vec![Box::new(steps), Box::new(|_| {})]);
    }

    /// Runs what happens on some paths only.
    pub(super) fn in_an_arm(&mut self, steps: impl FnOnce(&mut Self)) {
        self.branches += 1;
        self.uncertain += 1;
        self.path.push((self.branches, 0));
        steps(self);
        self.path.pop();
        self.uncertain -= 1;
    }

    /// Whether nothing more runs: an exception that nobody catches, or `return` outside of functions.
    fn ends_program(&self) -> bool {
        let is_script = self.active.is_empty() && self.callers.is_empty() && self.runs_one_script();
        self.flow == Flow::Raise && self.catches.is_empty() || self.flow == Flow::Return && is_script
    }

    /// Continues from several ways at once.
    pub(super) fn join(&mut self, outcomes: Vec<ArmEnd<'p>>) {
        self.parted.clear();
        let ArmEnd { state, changes } = self.joined(outcomes);
        self.bind_all(changes);
        self.state = state;
    }

    /// Several ways in one: names that one of them did not change hold there what they hold now.
    pub(super) fn joined(&mut self, outcomes: Vec<ArmEnd<'p>>) -> ArmEnd<'p> {
        let mut joined_values = Vec::new();
        let (states, changes): (Vec<State>, Vec<Vec<ArmChange<'p>>>) =
            outcomes.into_iter().map(|outcome| (outcome.state, outcome.changes)).unzip();
        let count = changes.len();
        for (scope, name, arms) in by_name(changes) {
            let first_without = (0..count).find(|arm| arms.get(*arm).is_none_or(|(number, _)| number != arm));
            // That it is asked is recorded for the calls around.
            let before = self.in_scope(scope, name).and_then(|_| self.heap.held(scope, name));
            let (earlier, later) = arms.split_at(first_without.unwrap_or(count));
            let untouched = first_without.map(|_| before.as_ref().unwrap_or(&Value::Absent));
            let values = in_arms(earlier).chain(untouched).chain(in_arms(later));
            let mut joined = Value::one_of_refs(values);
            // One of the same values as before is what it was.
            let is_as_before = matches!((&joined, &before), (Some(joined), Some(before)) if are_one_of_the_same(joined, before));
            if is_as_before {
                joined.clone_from(&before);
            }
            if let (2, Some(joined @ Value::OneOf(_))) = (count, &joined) {
                let in_arm = |number: usize| match arms.iter().find(|(arm, _)| *arm == number) {
                    Some((_, value)) => value.clone(),
                    None => before.clone(),
                };
                if let (Some(one), Some(other)) = (in_arm(0), in_arm(1)) {
                    self.parted.push([joined.clone(), one, other]);
                }
            }
            if !is_as_before {
                joined_values.push((scope, name, joined));
            }
        }
        let state = states.into_iter().reduce(State::join).unwrap_or_default();
        ArmEnd { state, changes: joined_values }
    }

    /// Binds names to what they have come to elsewhere, and unbinds those that have come to nothing.
    pub(super) fn bind_all(&mut self, changes: Vec<ArmChange<'p>>) {
        for (scope, name, value) in changes {
            match value {
                Some(value) => self.bind_in(scope, name, value),
                None => self.unbind_in(scope, name),
            }
        }
    }

    /// Follows `then` or `otherwise`, or both when the test is not understood.
    pub(super) fn branch(
        &mut self,
        test: &'p Expr<'p>,
        then: impl FnOnce(&mut Interpreter<'p>),
        otherwise: impl FnOnce(&mut Interpreter<'p>),
    ) {
        let Some(asked) = self.ask(test) else { return };
        match asked.truth {
            Some(true) => then(self),
            Some(false) => otherwise(self),
            None => self.branch_on(test, asked, then, otherwise),
        }
    }

    /// Evaluates a test; `None` when it does not come to an end.
    pub(super) fn ask(&mut self, test: &'p Expr<'p>) -> Option<EvaluatedTest<'p>> {
        let asked_before = std::mem::replace(&mut self.asked_count, false);
        let (value, tested) = self.eval_test(test);
        let mut counts = std::mem::replace(&mut self.asked_count, asked_before);
        if self.flow != Flow::Next {
            return None;
        }
        let value = self.force(value);
        let mut truth = self.asked_truth(&value, test.span);
        if self.flow != Flow::Next {
            return None;
        }
        let presence = if truth.is_none() { self.presence(test, &tested) } else { None };
        truth = truth.or_else(|| self.known_presence(presence.as_ref()?));
        // Where there are processes with numbers, there are as many GPUs as somebody gave them. It is the text of what runs.
        counts |= truth.is_none() && speaks_of_rank(self.program.sources.text(self.place(test.span)));
        Some(EvaluatedTest { truth, presence, counts, tested })
    }

    /// Follows both arms of a test that is not understood.
    pub(super) fn branch_on(
        &mut self,
        test: &'p Expr<'p>,
        EvaluatedTest { presence, counts, .. }: EvaluatedTest<'p>,
        then: impl FnOnce(&mut Interpreter<'p>),
        otherwise: impl FnOnce(&mut Interpreter<'p>),
    ) {
        let read = presence.as_ref().map(|presence| self.reaching(&presence.variable)).unwrap_or_default();
        let counted_before = self.count_devices(counts);
        let condition = self.condition(test);
        let attribute = self.asked_attribute(test);
        let depth = self.path.len();
        let recall = |run: &mut Interpreter<'p>, holds: bool| {
            if let Some((condition, when_true)) = &condition {
                run.recall(condition, holds == *when_true);
            }
        };
        let events = self.trace.events.len();
        let before = self.state.clone();
        let mut branch = 0;
        let mut ends = [None, None];
        let [first, second] = &mut ends;
        let refine = |run: &mut Interpreter<'p>, holds: bool| {
            if let Some(presence) = &presence {
                run.assume(presence, holds);
            }
            if let Some(attribute) = &attribute {
                run.assume_attribute(attribute, holds);
            }
            run.narrow(test, holds);
        };
        self.exec_branches(vec![
            Box::new(|run| {
                let ahead = run.jumps_ahead();
                recall(run, true);
                refine(run, true);
                then(run);
                branch = run.path.get(depth).map_or(0, |(branch, _)| *branch);
                *first = (run.flow == Flow::Next).then(|| run.state_on_ways_since(ahead));
            }),
            Box::new(|run| {
                let ahead = run.jumps_ahead();
                recall(run, false);
                refine(run, false);
                otherwise(run);
                *second = (run.flow == Flow::Next).then(|| run.state_on_ways_since(ahead));
            }),
        ]);
        if let [Some(held), Some(failed)] = ends {
            self.state.counted = counted_before;
            if let Some(presence) = &presence {
                self.forget_assumption(presence, read);
            }
            self.decide(test, branch, &before, [held, failed], self.trace.events.len() > events);
        }
    }
}

/// Whether a test asks for the number of a process: `rank == 0`, `dist.get_rank() == 0`. That of a matrix is none.
fn speaks_of_rank(test: &str) -> bool {
    let words = test.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let mut words = words.map(str::to_ascii_lowercase);
    words.any(|word| {
        matches!(&*word, "rank" | "get_rank") || word.ends_with("local_rank") || word.ends_with("global_rank")
    })
}
