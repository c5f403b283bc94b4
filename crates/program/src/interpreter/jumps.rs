//! Jumps: `break`, `continue`, `return` and exceptions in one arm of a branch lead past what follows, to the end of a loop, a
//! function or a `try`. Each waits for that end with the state and the names as they were when it left.

use super::branches::ArmEnd;
use super::compound::ExpectedError;
use super::{Flow, Interpreter};
use crate::program::heap::values::Value;
use crate::program::heap::{ArmChange, ArmStart, HeapMoment};
use crate::program::state::State;
use smallvec::SmallVec;

/// Where a jump leads: the end of one loop, pass, function or `try` that is being followed.
pub(crate) type Landing = u32;
/// A few of them, each once.
pub(crate) type Landings = SmallVec<[Landing; 4]>;

/// A jump whose target is not reached yet.
pub(super) struct Jump<'p> {
    to: Landing,
    /// Holds what arms changed that have ended; what the running one changed is in the heap since `at`.
    outcome: ArmEnd<'p>,
    /// When it left, in the arm that is being followed.
    at: HeapMoment,
    /// The number of the last branch before it.
    branch: u32,
}

/// The beginning of an arm, and how many jumps were on their way.
#[derive(Clone, Copy)]
pub(super) struct ArmMark {
    heap: ArmStart,
    jumps: usize,
}

impl<'p> Interpreter<'p> {
    /// A target of its own.
    pub(super) fn new_landing(&mut self) -> Landing {
        self.landings += 1;
        self.landings
    }

    /// Where `return` leads.
    pub(super) fn end_of_function(&mut self) -> Landing {
        match self.here.end {
            Some(end) => end,
            None => {
                let end = self.new_landing();
                *self.here.end.insert(end)
            }
        }
    }

    /// Jumps from where the program stands.
    pub(super) fn jump(&mut self, to: Landing) {
        self.jump_with(to, ArmEnd { state: self.state.clone(), changes: Vec::new() });
    }

    /// Jumps from the end of an arm that was taken back.
    pub(super) fn jump_with(&mut self, to: Landing, outcome: ArmEnd<'p>) {
        let at = self.heap.moment();
        self.jumps.push(Jump { to, outcome, at, branch: self.branches });
    }

    /// The innermost `try` that is being followed, or what surely runs behind it, if there is one.
    pub(super) fn handlers(&self) -> Option<Landing> {
        self.catches.last().or(self.passed_through.last()).copied()
    }

    /// How many jumps are on their way.
    pub(super) fn jumps_ahead(&self) -> usize {
        self.jumps.len()
    }

    /// The states of the jumps on their way to a target, of those behind the first `earlier`.
    pub(super) fn states_leading_to(&self, to: Landing, earlier: usize) -> SmallVec<[State; 1]> {
        let later = self.jumps.iter().skip(earlier);
        later.filter(|jump| jump.to == to).map(|jump| jump.outcome.state.clone()).collect()
    }

    /// The state here, or on a way that left for the end of a loop or function since `earlier` jumps were on their way.
    pub(super) fn state_on_ways_since(&self, earlier: usize) -> State {
        let later = self.jumps.iter().skip(earlier).filter(|jump| !self.catches.contains(&jump.to));
        later.map(|jump| jump.outcome.state.clone()).fold(self.state.clone(), State::join)
    }

    /// Exceptions were raised with these states, at a moment that is over.
    pub(super) fn raised_with(&mut self, states: impl IntoIterator<Item = State>, at: HeapMoment) {
        self.summaries.raised += 1;
        let Some(to) = self.handlers() else { return };
        for state in states {
            let outcome = ArmEnd { state, changes: Vec::new() };
            self.jumps.push(Jump { to, outcome, at, branch: self.branches });
        }
    }

    /// Whether a jump is on its way to one of these.
    pub(super) fn leads_to(&self, targets: &[Landing]) -> bool {
        self.jumps.iter().any(|jump| targets.contains(&jump.to))
    }

    /// Where the jumps that are on their way lead.
    pub(super) fn landings_ahead(&self) -> Landings {
        let mut ahead = Landings::new();
        for jump in &self.jumps {
            if !ahead.contains(&jump.to) {
                ahead.push(jump.to);
            }
        }
        ahead
    }

    /// The jumps that lead here, with what names held there that differs from what they hold now.
    pub(super) fn landing(&mut self, here: Landing) -> Vec<ArmEnd<'p>> {
        if !self.jumps.iter().any(|jump| jump.to == here) {
            return Vec::new();
        }
        let landed: Vec<Jump<'p>> = self.jumps.extract_if(.., |jump| jump.to == here).collect();
        let outcomes = landed.into_iter().map(|Jump { outcome, at, branch, .. }| {
            self.decisions.join_jump(branch, &outcome.state);
            let changes = with_more(outcome.changes, self.heap.held_at(at));
            ArmEnd { state: outcome.state, changes }
        });
        let outcomes = outcomes.collect();
        if self.jumps.is_empty() {
            self.heap.forget_moments();
        }
        outcomes
    }

    /// Goes on from where the program stands, and from other ends.
    pub(super) fn join_with_here(&mut self, mut outcomes: Vec<ArmEnd<'p>>) {
        outcomes.push(ArmEnd { state: std::mem::take(&mut self.state), changes: Vec::new() });
        self.join(outcomes);
    }

    /// Goes on from where the program stands, if it goes on, and from the jumps that lead here. What leaves from here goes
    /// its way.
    pub(super) fn land(&mut self, here: Landing) {
        let landed = self.landing(here);
        if landed.is_empty() {
            return;
        }
        match std::mem::replace(&mut self.flow, Flow::Next) {
            Flow::Next => return self.join_with_here(landed),
            flow => self.leave_by(flow),
        }
        self.join(landed);
    }

    /// Jumps to where a `return`, an exception, a `break` or a `continue` leads.
    pub(super) fn leave_by(&mut self, flow: Flow) {
        if flow == Flow::Raise {
            let exits = std::mem::take(&mut self.exits);
            self.summaries.exited += usize::from(exits);
            self.ways_out.of_program |= exits;
            self.summaries.raised += 1;
        }
        if let Some(to) = self.target_of(flow) {
            self.jump(to);
            self.ways_out.of_function |= flow == Flow::Return;
            self.ways_out.of_loop |= matches!(flow, Flow::Break | Flow::Continue);
        }
    }

    /// Jumps from the end of an arm that was taken back to where a `return`, an exception, a `break` or a `continue` leads.
    pub(super) fn leave_with(&mut self, flow: Flow, outcome: ArmEnd<'p>) {
        self.summaries.raised += usize::from(flow == Flow::Raise);
        if let Some(to) = self.target_of(flow) {
            self.jump_with(to, outcome);
        }
    }

    /// Where a `return`, an exception, a `break` or a `continue` leads from here.
    fn target_of(&mut self, flow: Flow) -> Option<Landing> {
        let innermost = self.here.loops.last().copied();
        match flow {
            Flow::Return => Some(self.end_of_function()),
            Flow::Raise => self.handlers(),
            Flow::Break => innermost.map(|innermost| innermost.behind),
            Flow::Continue => innermost.map(|innermost| innermost.next),
            Flow::Next | Flow::Unreachable => None,
        }
    }

    /// Where the jumps lead that left behind the first `earlier`, other than to the end of a `try`.
    pub(super) fn landings_since(&self, earlier: usize) -> Landings {
        let later = self.jumps.iter().skip(earlier).map(|jump| jump.to);
        later.filter(|to| !self.catches.contains(to) && !self.passed_through.contains(to)).collect()
    }

    /// What changed since `entry` changed for the jumps too that lead to one of these and left behind the first `earlier`.
    pub(super) fn carry_jumps(&mut self, earlier: usize, to: &[Landing], entry: &State) {
        let later = self.jumps.iter_mut().skip(earlier).filter(|jump| to.contains(&jump.to));
        for Jump { outcome, .. } in later {
            outcome.state = self.state.carried(entry, &outcome.state, &|event| event);
        }
    }

    /// What happens at the end of a statement however it is left: by going on behind it, and by each jump out of it. `end` is
    /// told whether an exception leaves it.
    pub(super) fn on_each_way(&mut self, since: usize, end: impl Fn(&mut Self, bool)) {
        let mut ways: SmallVec<[(Landing, Landing); 2]> = SmallVec::new();
        let mut waits = false;
        for number in since..self.jumps.len() {
            let to = self.jumps[number].to;
            if self.given.iter().any(|given| given.suspended == Some(to)) {
                waits = true;
                continue;
            }
            let known = ways.iter().find(|(other, _)| *other == to).map(|(_, held)| *held);
            let held = known.unwrap_or_else(|| {
                let held = self.new_landing();
                ways.push((to, held));
                held
            });
            self.jumps[number].to = held;
        }
        // A generator that waits comes to its end later.
        if waits && ways.is_empty() && self.flow == Flow::Unreachable {
            return;
        }
        let flow = std::mem::replace(&mut self.flow, Flow::Next);
        let exits = std::mem::take(&mut self.exits);
        let is_raised = |run: &Self, to: &Landing| run.catches.contains(to);
        if flow == Flow::Unreachable && !ways.is_empty() {
            // Every way leads out: what happens at the end is the same for all.
            let outcomes = ways.iter().flat_map(|(_, held)| self.landing(*held)).collect();
            self.join(outcomes);
            let raised = ways.iter().any(|(to, _)| is_raised(self, to));
            end(self, raised);
            if self.flow == Flow::Next {
                ways.iter().for_each(|(to, _)| self.jump(*to));
                self.flow = Flow::Unreachable;
            }
            return;
        }
        // What happens at the end of one way is not what happens at the end of the others.
        let of_try = self.ways_out.of_try;
        self.ways_out.of_try |= !ways.is_empty();
        end(self, flow == Flow::Raise);
        self.ways_out.of_try = of_try;
        let after = (std::mem::replace(&mut self.flow, Flow::Next), std::mem::take(&mut self.exits));
        for (to, held) in ways {
            let state = self.state.clone();
            // What lands left before the arm begins.
            let outcomes = self.landing(held);
            let mark = self.begin_arm();
            self.join(outcomes);
            let raised = is_raised(self, &to);
            self.in_an_arm(|run| end(run, raised));
            let changes = self.end_arm(mark);
            let outcome = ArmEnd { state: std::mem::replace(&mut self.state, state), changes };
            match std::mem::replace(&mut self.flow, Flow::Next) {
                Flow::Next => self.jump_with(to, outcome),
                flow => self.leave_with(flow, outcome),
            }
        }
        (self.flow, self.exits) = if after.0 == Flow::Next { (flow, exits) } else { after };
    }

    /// An exception may be raised here: a `try` around this goes on from this state.
    pub(super) fn may_raise(&mut self) {
        if self.quiet > 0 {
            return;
        }
        self.summaries.raised += 1;
        if let Some(to) = self.handlers() {
            self.jump(to);
        }
    }

    /// An exception is raised here by all that is known: a `try` around this may go on from this state, and what follows in it
    /// is not certain.
    pub(super) fn seems_to_raise(&mut self) {
        self.may_raise();
        self.seen_raises += 1;
        self.ways_out.of_try |= !self.catches.is_empty();
    }

    /// The same of an item that is not there.
    pub(super) fn lacks_item(&mut self) -> Value<'p> {
        self.expected_errors[ExpectedError::Item as usize].seen += 1;
        self.raises()
    }

    /// The same of a text that may be no number.
    pub(super) fn misreads(&mut self) -> Value<'p> {
        self.expected_errors[ExpectedError::Number as usize].seen += 1;
        self.raises()
    }

    /// The same of an expression, which gives nothing that is known.
    pub(super) fn raises(&mut self) -> Value<'p> {
        self.seems_to_raise();
        Value::Unknown
    }

    /// Begins an arm of a branch.
    pub(super) fn begin_arm(&mut self) -> ArmMark {
        ArmMark { heap: self.heap.begin_arm(), jumps: self.jumps.len() }
    }

    /// Ends an arm: takes back what it bound, and returns what that was. Jumps that leave it take with them what it had bound
    /// until then.
    pub(super) fn end_arm(&mut self, mark: ArmMark) -> Vec<ArmChange<'p>> {
        debug_assert!(self.jumps.len() >= mark.jumps);
        for jump in self.jumps.iter_mut().skip(mark.jumps) {
            let changes = std::mem::take(&mut jump.outcome.changes);
            jump.outcome.changes = with_more(changes, self.heap.bound_until(mark.heap, jump.at));
            jump.at = self.heap.beginning(mark.heap);
        }
        let bound = self.heap.end_arm(mark.heap);
        self.merge_jumps(mark.jumps);
        bound
    }

    /// Makes one jump of those that lead to the same place: they left in an arm that was taken back, so that names they did
    /// not change hold the same for all of them.
    fn merge_jumps(&mut self, since: usize) {
        let mut merged: SmallVec<[(Landing, usize); 4]> = SmallVec::new();
        for to in self.jumps.iter().skip(since).map(|jump| jump.to) {
            match merged.iter_mut().find(|(known, _)| *known == to) {
                Some((_, count)) => *count += 1,
                None => merged.push((to, 1)),
            }
        }
        let parted = std::mem::take(&mut self.parted);
        for (to, _) in merged.into_iter().filter(|(_, count)| *count > 1) {
            let same: Vec<Jump<'p>> = self.jumps.extract_if(since.., |jump| jump.to == to).collect();
            let at = same[0].at;
            let outcomes = same.into_iter().map(|jump| jump.outcome).collect();
            let outcome = self.joined(outcomes);
            self.jumps.push(Jump { to, outcome, at, branch: self.branches });
        }
        self.parted = parted;
    }
}

/// Changes, and those of other names.
fn with_more<'p>(mut changes: Vec<ArmChange<'p>>, more: Vec<ArmChange<'p>>) -> Vec<ArmChange<'p>> {
    let known = changes.len();
    for change in more {
        if !changes[..known].iter().any(|(scope, name, _)| *scope == change.0 && *name == change.1) {
            changes.push(change);
        }
    }
    changes
}
