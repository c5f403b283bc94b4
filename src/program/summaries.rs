//! Summaries of calls: what a call read, what it was given, what it wrote, what it returned and what it noted. Where all that
//! it read is the same again, it need not be followed again: its writes are made once more, and objects that it returned are
//! made anew.

mod facts;

use super::heap::values::{Closure, Value};
use super::heap::{Change, Heap, Made, Read, Recording, Relation};
use super::state::{SetUp, State};
use super::trace::{Arms, EventId, FrameId, Recipient};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

pub(crate) use facts::{Fact, Facts, FunctionId};

/// What one call did.
pub(crate) struct Summary<'p> {
    /// Who was called, with `self` and what a partial holds.
    closure: Rc<Closure<'p>>,
    /// What each parameter held; `None` for one that nobody asked for.
    arguments: Vec<Option<Value<'p>>>,
    context: Context,
    reads: Vec<Read<'p>>,
    facts: Vec<Fact<'p>>,
    writes: Vec<Change<'p>>,
    made: Made<'p>,
    pub result: Value<'p>,
    /// It asked how many devices there are.
    pub asks: bool,
    /// An exception may leave it.
    pub may_raise: bool,
    /// What in it gave memory of the GPU back: that counts each time anew, since more may be held.
    pub releases: Option<Rc<str>>,
    /// What it did beside; `None` when it noted no event and left the state as it was.
    pub effects: Option<Effects>,
}

/// What surrounds a call and decides what it does, beside what it reads.
#[derive(Clone, PartialEq)]
pub(crate) struct Context {
    /// No events are noted.
    pub is_quiet: bool,
    /// It is part of a loop with passes that are not followed.
    pub is_repeated: bool,
    /// The number of devices was checked on the way here.
    pub counted: bool,
    /// What runs is expected to raise.
    pub expects_failure: bool,
    /// What the program arranged for what it does later.
    pub arranged: Rc<SetUp>,
}

/// What the events of a call depend on, and what becomes of them.
pub(crate) struct Effects {
    pub entry: State,
    pub exit: State,
    /// How many modules outside the project were imported.
    pub imported: usize,
    /// What was done in one arm of a branch is not done in the other.
    pub path: Arms,
    pub uncertain: usize,
    pub in_child: usize,
    pub only_if_called: bool,
    /// It was part of what cleans up.
    pub assured: bool,
    pub recipient: Recipient,
    /// What it noted in the trace.
    pub noted: Noted,
    /// It only asked about GPUs that the program had used before.
    pub only_asks: bool,
}

/// The part of a trace that a call noted.
#[derive(Clone)]
pub(crate) struct Noted {
    pub events: Range<EventId>,
    pub frames: Range<FrameId>,
    /// The frame that called.
    pub caller: FrameId,
    /// The numbers of the branches in it.
    pub branches: Range<u32>,
    /// Of the arms of branches that end the program: those in it.
    pub ended: Range<usize>,
}

/// What is known of calls that were followed, and of those that are being followed.
pub(crate) struct Summaries<'p> {
    known: FxHashMap<FunctionId, Known<'p>>,
    facts: Facts<'p>,
    /// How often something was left out because it lies too deep: a call that did so is not remembered.
    pub left_out: usize,
    /// How often an exception was seen to leave an arm of a branch.
    pub raised: usize,
    /// How many calls were answered by a summary.
    pub replayed: usize,
    off: bool,
}

/// What is kept of the calls of one function.
#[derive(Default)]
struct Known<'p> {
    /// The first call is not kept: most functions are called once.
    calls: usize,
    /// The last one that held first.
    summaries: VecDeque<Rc<Summary<'p>>>,
}

/// A call that is being recorded.
pub(crate) struct Open {
    facts: usize,
    left_out: usize,
    pub raised: usize,
}

/// So many summaries are kept of one function.
const MOST: usize = 8;
/// A call that read more is followed again.
const MOST_READS: usize = 4000;

impl<'p> Summaries<'p> {
    pub fn new(off: bool) -> Self {
        Summaries {
            known: FxHashMap::default(),
            facts: Facts::default(),
            left_out: 0,
            raised: 0,
            replayed: 0,
            off,
        }
    }

    /// Notes something that calls depend on and that is no name of the heap.
    pub fn note(&mut self, fact: Fact<'p>) {
        self.facts.note(fact);
    }

    /// The summaries of a function, the last one that held first.
    pub fn of(&self, function: FunctionId) -> SmallVec<[Rc<Summary<'p>>; MOST]> {
        self.known
            .get(&function)
            .map_or_else(SmallVec::new, |known| known.summaries.iter().cloned().collect())
    }

    /// A summary held: it is looked at first the next time.
    pub fn prefer(&mut self, function: FunctionId, summary: &Rc<Summary<'p>>) {
        self.replayed += 1;
        let Some(known) = self.known.get_mut(&function).map(|known| &mut known.summaries) else { return };
        if known.front().is_some_and(|first| !Rc::ptr_eq(first, summary)) {
            known.retain(|other| !Rc::ptr_eq(other, summary));
            known.push_front(summary.clone());
        }
    }

    /// Begins to record a call.
    pub fn begin(&mut self, heap: &mut Heap<'p>) -> Open {
        heap.record();
        Open { facts: self.facts.begin(), left_out: self.left_out, raised: self.raised }
    }

    /// Ends the record of a call of `function` and keeps a summary of it, where `call` says what it came to.
    pub fn end(&mut self, heap: &mut Heap<'p>, function: FunctionId, open: Open, call: Option<Call<'p>>) {
        let Some(recording) = heap.end_record() else { return };
        self.facts.end(open.facts, function);
        let too_much = heap.amount_read(&recording) > MOST_READS;
        if self.off || self.left_out != open.left_out || too_much {
            return;
        }
        let Some(call) = call else { return };
        let calls = &mut self.known.entry(function).or_default().calls;
        *calls += 1;
        if *calls == 1 {
            return;
        }
        let Some(summary) = summary_of(heap, &recording, call, self.facts.since(open.facts)) else { return };
        let known = &mut self.known.entry(function).or_default().summaries;
        if known.len() == MOST {
            known.pop_back();
        }
        known.push_front(Rc::new(summary));
    }

    /// Notes again what a call read that is not followed again.
    pub fn read_again(&mut self, heap: &mut Heap<'p>, summary: &Summary<'p>, relation: &Relation) {
        for read in &summary.reads {
            match read {
                Read::Slot { scope, name, .. } => heap.read_again(relation.scope(*scope), name),
                Read::All { scope, .. } => heap.read_all_again(*scope),
            }
        }
        summary.facts.iter().for_each(|fact| self.facts.note(fact.clone()));
    }
}

/// What a call came to.
pub(crate) struct Call<'p> {
    pub closure: Rc<Closure<'p>>,
    pub arguments: Vec<Option<Value<'p>>>,
    pub context: Context,
    pub result: Value<'p>,
    pub asks: bool,
    pub may_raise: bool,
    pub releases: Option<Rc<str>>,
    pub effects: Option<Effects>,
}

fn summary_of<'p>(
    heap: &Heap<'p>,
    recording: &Recording,
    call: Call<'p>,
    facts: Vec<Fact<'p>>,
) -> Option<Summary<'p>> {
    let writes = heap.writes_of(recording);
    let left = writes.iter().filter_map(|(_, _, value)| value.as_ref()).chain([&call.result]);
    let made = heap.made_since(recording.base, left)?;
    let Call { closure, arguments, context, result, asks, may_raise, releases, effects } = call;
    let reads = heap.reads_of(recording);
    Some(Summary {
        closure,
        arguments,
        context,
        reads,
        facts,
        writes,
        made,
        result,
        asks,
        may_raise,
        releases,
        effects,
    })
}

impl<'p> Summary<'p> {
    /// Whether a call with these arguments would do the same, as far as the heap decides that: which object of the one call
    /// then stands for which of the other.
    pub fn relation(
        &self,
        heap: &Heap<'p>,
        closure: &Rc<Closure<'p>>,
        arguments: &[Value<'p>],
        context: &Context,
    ) -> Option<Relation> {
        let is_louder = self.context.is_quiet && !context.is_quiet;
        let same = Context { is_quiet: self.context.is_quiet, ..context.clone() } == self.context;
        if is_louder || !same {
            return None;
        }
        let mut relation = Relation::default();
        let given = self.arguments.iter().zip(arguments);
        let fits = relation.unify_closures(&self.closure, closure)
            && given
                .into_iter()
                .all(|(known, now)| known.as_ref().is_none_or(|known| relation.unify(known, now)));
        let holds = fits && self.reads.iter().all(|read| relation.holds(heap, read));
        holds.then_some(relation)
    }

    /// Whether everything else that it depended on is still so.
    pub fn facts(&self) -> &[Fact<'p>] {
        &self.facts
    }

    /// Makes what the call made once more; returns what it wrote, and what it returned.
    pub fn replay(&self, heap: &mut Heap<'p>, mut relation: Relation) -> (Vec<Change<'p>>, Value<'p>) {
        if !self.made.is_empty() {
            heap.make_again(&self.made, &mut relation);
        }
        let writes = self.writes.iter().map(|(scope, name, value)| {
            let value = value.as_ref().map(|value| relation.apply(value));
            (relation.scope(*scope), *name, value)
        });
        (writes.collect(), relation.apply(&self.result))
    }
}

impl Relation {
    /// Whether what was read in the first call is there for the second.
    fn holds<'p>(&mut self, heap: &Heap<'p>, read: &Read<'p>) -> bool {
        match read {
            Read::Slot { scope, name, version, value } => {
                let there = self.scope(*scope);
                if there == *scope && heap.version_of(there, name) == *version {
                    return true;
                }
                match (value, heap.peek(there, name)) {
                    (Some(first), Some(second)) => self.unify(first, second),
                    (None, None) => true,
                    _ => false,
                }
            }
            Read::All { scope, version } => self.scope(*scope) == *scope && heap.version(*scope) == *version,
        }
    }
}
