//! Summaries of calls: what a call read, what it was given, what it wrote, what it returned and what it noted. Where all that
//! it read is the same again, it need not be followed again: its writes are made once more, and objects that it returned are
//! made anew.
//!
//! Programs that one worker follows share their summaries: what importing a module does, and what its functions do, is
//! followed once for many programs.

mod calls;
mod copies;
mod dependencies;
mod function_summaries;
mod holding;
mod records;
mod silent_calls;

use super::dependency_log::{self, Readings};
use super::heap::values::Value;
use super::heap::{Heap, HeapRead, HeapWrite, MadeObjects, Parents, Recording, Relation};
use super::interpreter::{AtExit, Decision};
use super::state::TouchedVariables;
use super::trace::Trace;
use crate::facts::FileId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

pub(crate) use calls::{Call, Context, Effects, NotedEvents, ReplayedEvents, TaskQueue};
pub(crate) use dependencies::{CallContext, Dependency, Facts, FunctionId, MOST_NESTED, NestedCall};
use function_summaries::{CANDIDATES, FunctionSummaries};
use records::Past;
pub(crate) use records::Record;
pub(crate) use silent_calls::{FollowedCall, SilentCalls};

/// What is followed as one, and summed up as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SummaryBody {
    Function(FunctionId),
    /// Statements at the top level of a module, from this one on.
    Part(FileId, usize),
    /// A module, with all that it imports.
    Module(FileId),
}

/// What one call did, or one module or part of it.
pub struct Summary<'p> {
    pub call: Call<'p>,
    reads: Vec<HeapRead<'p>>,
    /// The first names that it read of its arguments: the argument, and the place in `reads`.
    asked_first: SmallVec<[(usize, usize); ASKED_FIRST]>,
    facts: Vec<Dependency<'p>>,
    /// The calls that were followed, by the numbers of their functions: for each the deepest one.
    followed: Vec<NestedCall>,
    /// The calls that were not followed, since their functions were running already.
    refused: Vec<NestedCall>,
    writes: Vec<HeapWrite<'p>>,
    /// The variables of the environment that its effects depend on or change.
    touched: TouchedVariables,
    made: Rc<MadeObjects<'p>>,
    /// Whose code was looked at.
    looked: Readings,
    /// The program in which it was recorded.
    program: usize,
    /// Its events, for other programs.
    record: OnceCell<Record>,
    /// What the scopes lay in that it was given or read, for other programs.
    parents: OnceCell<Parents>,
    /// Where its events were noted again, the last first.
    again: RefCell<VecDeque<(usize, Rc<ReplayedEvents>)>>,
}

/// What is known of calls that were followed, and of those that are being followed.
pub(crate) struct Summaries<'p> {
    known: FxHashMap<SummaryBody, FunctionSummaries<'p>>,
    /// Bodies of which the running program gave a summary.
    fresh: Vec<SummaryBody>,
    /// How many programs were followed before this one.
    program: usize,
    facts: Facts<'p>,
    /// Functions that were called while they ran.
    called_by_themselves: FxHashSet<FunctionId>,
    /// What functions cost that note nothing.
    pub silent: SilentCalls<'p>,
    /// Those of which one call is being followed that stands for all that lie deeper.
    pub deeper: Vec<FunctionId>,
    /// How many calls of running functions were followed as deep as they go, in the program that is running.
    certain_calls: usize,
    /// How often something was left out because it lies too deep: a call that did so is not remembered.
    pub left_out: usize,
    /// How often an exception was seen to leave an arm of a branch.
    pub raised: usize,
    /// How often the end of the program was seen in an arm of a branch.
    pub exited: usize,
    /// How many calls were answered by a summary.
    pub replayed: usize,
    /// How many were kept, for a while at least.
    recorded: usize,
    /// The first call of each function is kept too: the program is followed again soon.
    pub keeps_first: bool,
    off: bool,
}

/// A call that is being recorded.
pub(crate) struct OpenRecord {
    pub around: CallContext,
    facts: usize,
    looked: dependency_log::Span,
    left_out: usize,
    pub raised: usize,
    pub exited: usize,
}

/// With a new start after so many, large projects take about half the memory, and no more time.
const MOST_RECORDED: usize = 10_000;
/// So many names of the arguments are looked at before a summary is compared in full.
const ASKED_FIRST: usize = 6;
/// So many calls of functions that are running are followed in one program where Python surely makes them.
const MOST_CERTAIN_CALLS: usize = 300;
/// A call that read more is followed again.
const MOST_READS: usize = 20_000;

impl<'p> Summaries<'p> {
    pub fn new(off: bool) -> Self {
        Summaries {
            known: FxHashMap::default(),
            fresh: Vec::new(),
            program: 0,
            facts: Facts::default(),
            called_by_themselves: FxHashSet::default(),
            silent: SilentCalls::default(),
            deeper: Vec::new(),
            certain_calls: 0,
            left_out: 0,
            raised: 0,
            exited: 0,
            replayed: 0,
            recorded: 0,
            keeps_first: false,
            off,
        }
    }

    /// Whether so much was kept that it is better to start anew: most of it serves programs that are near each other alone.
    pub fn are_too_many(&self) -> bool {
        self.recorded > MOST_RECORDED
    }

    /// Notes something that calls depend on and that is no name of the heap.
    pub fn note(&mut self, fact: Dependency<'p>) {
        self.facts.note(fact);
    }

    /// Whether a function was ever called while it ran.
    pub fn is_called_by_itself(&self, function: FunctionId) -> bool {
        self.called_by_themselves.contains(&function)
    }

    /// Whether a function took so much for nothing that its calls are not followed any more, in a program that took so many steps.
    /// Without summaries each call is followed again, which says nothing of it.
    pub fn is_spent(&self, function: FunctionId, steps: usize) -> bool {
        !self.off && steps >= silent_calls::MUCH && self.silent.is_spent(function)
    }

    /// Whether one more call of a function that is running is followed, where Python surely makes it.
    pub fn may_follow_certain(&mut self) -> bool {
        self.certain_calls += 1;
        self.certain_calls <= MOST_CERTAIN_CALLS
    }

    pub fn note_called_by_itself(&mut self, function: FunctionId) {
        self.called_by_themselves.insert(function);
    }

    /// The summaries of a body that may hold for a call, the last one that held first: of each that fits so far,
    /// `runs_alike` says whether the functions that it followed would be followed.
    pub fn of(
        &self,
        body: SummaryBody,
        bound: Option<&Value<'p>>,
        arguments: &[Value<'p>],
        heap: &Heap<'p>,
        context: impl FnOnce() -> Context,
        runs_alike: impl Fn(&Summary<'p>) -> bool,
    ) -> SmallVec<[Rc<Summary<'p>>; CANDIDATES]> {
        let Some(known) = self.known.get(&body).filter(|known| !known.is_empty()) else {
            return SmallVec::new();
        };
        let context = context();
        known.candidates(bound, arguments, |summary| {
            summary.may_hold(arguments, &context)
                && runs_alike(summary)
                && summary.was_asked_alike(heap, arguments)
        })
    }

    /// A summary held: it is looked at first the next time.
    pub fn prefer(&mut self, body: SummaryBody, summary: &Rc<Summary<'p>>) {
        self.replayed += 1;
        if let Some(known) = self.known.get_mut(&body) {
            known.prefer(summary);
        }
    }

    /// Whether a summary was recorded in the program that is running.
    pub fn is_of_this_program(&self, summary: &Summary<'p>) -> bool {
        summary.program == self.program
    }

    /// Where the events of a call were noted again in the program that is running and `holds`.
    pub fn noted_again(
        &self,
        summary: &Summary<'p>,
        holds: impl Fn(&ReplayedEvents) -> bool,
    ) -> Option<Rc<ReplayedEvents>> {
        let again = summary.again.borrow();
        let mut here = again.iter().take_while(|(program, _)| *program == self.program);
        here.find(|(_, again)| holds(again)).map(|(_, again)| again.clone())
    }

    /// Keeps where the events of a call were noted again.
    pub fn note_again(&mut self, summary: &Summary<'p>, noted: ReplayedEvents) {
        let mut again = summary.again.borrow_mut();
        again.truncate(CANDIDATES - 1);
        again.push_front((self.program, Rc::new(noted)));
    }

    /// From here on it is noted which variables of the environment the program asks about or writes.
    pub fn begin_program(&mut self) {
        self.facts.begin_program();
    }

    /// The variables of the environment that the program asked about or wrote.
    pub fn touched_by_program(&mut self) -> TouchedVariables {
        self.facts.touched_by_program()
    }

    /// Begins to record a call.
    pub fn begin(&mut self, heap: &mut Heap<'p>, around: CallContext) -> OpenRecord {
        heap.record();
        OpenRecord {
            around,
            facts: self.facts.begin(),
            looked: dependency_log::begin(),
            left_out: self.left_out,
            raised: self.raised,
            exited: self.exited,
        }
    }

    /// Ends the record of a call and keeps a summary of it, where `call` says what it came to. `around`: how many calls of a
    /// function lie around it.
    pub fn end(
        &mut self,
        heap: &mut Heap<'p>,
        body: SummaryBody,
        open: OpenRecord,
        call: Option<Call<'p>>,
        around: impl Fn(FunctionId) -> usize,
    ) {
        let looked = dependency_log::end(open.looked);
        let Some(recording) = heap.end_record() else { return };
        self.facts.end(open.facts, body, open.around, |scope| heap.is_made_in(&recording, scope));
        if let (SummaryBody::Module(_), Some(call)) = (body, &call) {
            self.facts.keep_since(open.facts, |fact| call.depends_on(fact));
        }
        let too_much = heap.amount_read(&recording) > MOST_READS;
        if self.off || self.left_out != open.left_out || too_much {
            return;
        }
        let Some(call) = call else { return };
        let is_function = matches!(body, SummaryBody::Function(_));
        let known = self.known.entry(body).or_default();
        known.calls += 1;
        // What a module makes keeps its numbers, so that none is ever dropped for another.
        let is_full = !is_function && known.is_full_of_modules();
        let is_first = known.calls == 1 && is_function && !self.keeps_first;
        if is_first || is_full || known.is_passed_over() {
            return;
        }
        let mut facts = self.facts.since(open.facts);
        for fact in &mut facts {
            if let Dependency::Followed(call) | Dependency::Refused(call) = fact {
                call.around = call.around.saturating_sub(around(call.function));
            }
        }
        let of = (facts, looked);
        let Some(summary) = summary_of(heap, &recording, call, of, self.program) else { return };
        if !is_function {
            heap.keep_made(&summary.made);
        }
        known.add(summary);
        self.recorded += 1;
        self.fresh.push(body);
    }

    /// Keeps what holds in other programs of the one that is over.
    pub fn end_program(&mut self, heap: &Heap<'p>, trace: &Trace, ended: &[(u32, u32)]) {
        let program = self.program;
        // Classes that were left waiting and woke up since then need not wait again.
        heap.refresh_parts();
        let mut past = Past::new(trace, ended);
        // The outer calls first, which ended last: what they noted is copied once for those inside them.
        for body in std::mem::take(&mut self.fresh).into_iter().rev() {
            let Some(known) = self.known.get_mut(&body) else { continue };
            known.retain(|summary| {
                summary.program != program
                    || summary.record.get().is_some()
                    || is_kept(summary, heap, &mut past)
            });
        }
        self.program += 1;
        self.certain_calls = 0;
        self.silent.end_program();
        self.facts.end_program();
    }

    /// Notes again what a call read that is not followed again. `around`: how many calls of a function lie around it.
    pub fn read_again(
        &mut self,
        heap: &mut Heap<'p>,
        summary: &Summary<'p>,
        relation: &Relation,
        around: impl Fn(FunctionId) -> usize,
    ) {
        for read in &summary.reads {
            match read {
                HeapRead::Slot { scope, name, .. } => heap.read_again(relation.scope(*scope), name),
                HeapRead::All { scope, .. } => heap.read_all_again(relation.scope(*scope)),
            }
        }
        let moved = |call: &NestedCall| NestedCall { around: call.around + around(call.function), ..*call };
        for fact in &summary.facts {
            match fact {
                Dependency::RepeatedSince(object, was) => {
                    let object = relation.scope(*object);
                    if !heap.is_made_by_recorded(object) {
                        self.facts.note(Dependency::RepeatedSince(object, *was));
                    }
                }
                fact => self.facts.note(fact.clone()),
            }
        }
        summary.refused.iter().for_each(|call| self.facts.note(Dependency::Refused(moved(call))));
        summary.followed.iter().for_each(|call| self.facts.note(Dependency::Followed(moved(call))));
        dependency_log::note_again(&summary.looked);
    }
}

fn summary_of<'p>(
    heap: &mut Heap<'p>,
    recording: &Recording,
    call: Call<'p>,
    (mut facts, looked): (Vec<Dependency<'p>>, Readings),
    program: usize,
) -> Option<Summary<'p>> {
    let mut writes = heap.writes_of(recording);
    // It is handed to Python anew, also in a program with another module of that name.
    writes.retain(|written| !call.kept.iter().any(|(kind, _)| *kind == written.name));
    let written = writes.iter().filter_map(|written| written.value.as_ref());
    let left = written.chain([&call.result]).chain(call.at_exit.iter().flat_map(AtExit::values));
    let left = left.chain(&call.tasks.left).chain(call.kept.iter().map(|(_, value)| value));
    let scopes = call.modules.iter().map(|(_, scope)| *scope);
    let made = match call.closure {
        Some(_) => heap.made_by_call(recording, left, scopes).map(Rc::new)?,
        None => heap.made_by_module(recording, left, scopes)?,
    };
    let reads = heap.reads_of(recording);
    let asked_first = holding::asked_first(&call, &reads);
    let touched = match &call.effects {
        None => TouchedVariables::default(),
        Some(effects) => dependencies::touched(&facts, effects),
    };
    let (mut followed, mut refused) = (Vec::new(), Vec::new());
    facts.retain(|fact| match fact {
        Dependency::Followed(call) => {
            followed.push(*call);
            false
        }
        Dependency::Refused(call) => {
            refused.push(*call);
            false
        }
        _ => true,
    });
    followed.sort_unstable();
    followed.dedup_by(|next, call| {
        let is_same = next.function == call.function;
        if is_same {
            (call.around, call.is_indirect) = (call.weight().max(next.weight()), false);
            call.by_arguments &= next.by_arguments;
            call.is_certain &= next.is_certain;
        }
        is_same
    });
    Some(Summary {
        call,
        reads,
        asked_first,
        facts,
        followed,
        refused,
        writes,
        touched,
        made,
        looked,
        program,
        record: OnceCell::new(),
        parents: OnceCell::new(),
        again: RefCell::default(),
    })
}

/// Whether a summary holds in other programs too; makes it ready for them.
fn is_kept<'p>(summary: &Summary<'p>, heap: &Heap<'p>, past: &mut Past<'_>) -> bool {
    if !summary.call.is_portable {
        return false;
    }
    let record = match &summary.call.effects {
        None => Some(Record::default()),
        Some(effects) if effects.relied_on.is_some() => None,
        Some(effects) => {
            let states = summary.call.decisions.iter().flat_map(Decision::states);
            Record::of(effects, past, states.chain(effects.left_with.iter().flatten()))
        }
    };
    let Some(record) = record else { return false };
    _ = summary.record.set(record);
    _ = summary.parents.set(summary.parents(heap));
    heap.refresh(&summary.made);
    true
}
