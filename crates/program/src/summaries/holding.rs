//! Whether a summary holds for a call, and what it then leaves in the heap.

use super::{ASKED_FIRST, Call, Context, Dependency, FunctionId, NestedCall, Record, Summary};
use crate::program::heap::values::{Closure, Value};
use crate::program::heap::{Heap, HeapRead, HeapWrite, Parents, Relation};
use crate::program::state::TouchedVariables;
use smallvec::SmallVec;
use std::rc::Rc;

impl<'p> Summary<'p> {
    /// Whether one look at these arguments and what surrounds the call leaves it open that it would do the same.
    pub(super) fn may_hold(&self, arguments: &[Value<'p>], context: &Context) -> bool {
        if !self.call.context.serves(context) {
            return false;
        }
        let mut given = self.call.arguments.iter().zip(arguments);
        !given.any(|(known, now)| known.as_ref().is_some_and(|known| known.is_plainly_other(now)))
    }

    /// Whether one look at what it read first of its arguments leaves that open too.
    pub(super) fn was_asked_alike(&self, heap: &Heap<'p>, arguments: &[Value<'p>]) -> bool {
        self.asked_first.iter().all(|&(argument, read)| {
            let Some(HeapRead::Slot { name, value, .. }) = self.reads.get(read) else { return true };
            let Some(scope) = arguments.get(argument).and_then(Value::own_scope) else { return true };
            match (value, heap.held(scope, name)) {
                (Some(known), Some(now)) => !known.is_plainly_other(&now),
                (None, None) => true,
                _ => false,
            }
        })
    }

    /// Whether a call with these arguments would do the same where these `tasks` wait, as far as the heap decides that: which
    /// object of the one call then stands for which of the other.
    pub fn relation(
        &self,
        heap: &Heap<'p>,
        closure: Option<&Rc<Closure<'p>>>,
        arguments: &[Value<'p>],
        tasks: &[Value<'p>],
    ) -> Option<Relation> {
        let call = &self.call;
        let given = call.arguments.iter().zip(arguments);
        let parents = self.parents.get();
        let mut relation = Relation::default();
        let closures = call.closure.as_ref().zip(closure);
        let fits = closures.is_none_or(|(known, now)| relation.unify_closures(known, now))
            && given
                .into_iter()
                .all(|(known, now)| known.as_ref().is_none_or(|known| relation.unify(known, now)))
            && call.tasks.before.as_ref().is_none_or(|before| relation.unify_each(before, tasks));
        let holds = fits
            && self
                .reads
                .iter()
                .all(|read| relation.relate_parents(heap, parents) && relation.holds(heap, read))
            && relation.other_classes().iter().all(|(first, second)| {
                !heap.waits(*second) && !self.writes.iter().any(|written| written.scope == *first)
            })
            // The body of a class would run before its names are bound anew.
            && self.writes.iter().all(|written| !heap.waits(relation.scope(written.scope)))
            && (call.closure.is_some() || !heap.has_made(&self.made));
        holds.then_some(relation)
    }

    /// What the scopes lie in that it was given or read.
    pub(super) fn parents(&self, heap: &Heap<'p>) -> Parents {
        let callee = self.call.closure.iter().cloned().map(Value::Function);
        let callee: SmallVec<[Value<'p>; 1]> = callee.collect();
        let waiting = self.call.tasks.before.iter().flatten();
        let given = self.call.arguments.iter().flatten().chain(&callee).chain(waiting);
        let scopes: Vec<_> = self.reads.iter().map(HeapRead::scope).collect();
        heap.parents_of(&scopes, given.chain(self.reads.iter().flat_map(HeapRead::values)))
    }

    /// The variables of the environment that its effects depend on or change.
    pub fn touched(&self) -> &TouchedVariables {
        &self.touched
    }

    /// What else it depended on.
    pub fn facts(&self) -> &[Dependency<'p>] {
        &self.facts
    }

    /// The functions that ran.
    pub fn ran(&self) -> impl Iterator<Item = FunctionId> {
        self.followed.iter().map(|call| call.function)
    }

    /// The deepest call of a function that was followed in it.
    pub fn followed(&self, function: FunctionId) -> Option<&NestedCall> {
        let found = self.followed.binary_search_by_key(&function, |call| call.function);
        Some(&self.followed[found.ok()?])
    }

    /// The calls that were not followed, since their functions were running already.
    pub fn refused(&self) -> &[NestedCall] {
        &self.refused
    }

    /// Its events, where it was recorded in a program that is over.
    pub fn record(&self) -> Option<&Record> {
        self.record.get()
    }

    /// Makes what the call made once more; returns what it wrote, and what it returned.
    pub fn replay(
        &self,
        heap: &mut Heap<'p>,
        relation: &mut Relation,
        repeats: usize,
    ) -> (Vec<HeapWrite<'p>>, Value<'p>) {
        if !self.made.is_empty() {
            match self.call.closure {
                Some(_) => {
                    let loops = repeats.cast_signed() - self.call.repeats.cast_signed();
                    heap.make_again(&self.made, relation, loops);
                }
                // A module runs once in each program, in no loop: what it makes can be the same.
                None => heap.make_as_before(&self.made, relation),
            }
        }
        let is_same = self.call.closure.is_none() && relation.is_identity();
        let writes = self.writes.iter().map(|written| HeapWrite {
            scope: relation.scope(written.scope),
            name: written.name,
            value: written.value.as_ref().map(|value| relation.apply(value)),
            version: written.version.filter(|_| is_same),
        });
        (writes.collect(), relation.apply(&self.call.result))
    }
}

impl Relation {
    /// Whether what was read in the first call is there for the second.
    fn holds<'p>(&mut self, heap: &Heap<'p>, read: &HeapRead<'p>) -> bool {
        match read {
            HeapRead::Slot { scope, name, version, value } => {
                let there = self.scope(*scope);
                if there == *scope && heap.version_of(there, name) == *version {
                    return value.as_ref().is_none_or(|value| self.keeps(value));
                }
                match (value, heap.held(there, name)) {
                    (Some(first), Some(second)) => self.unify(first, &second),
                    (None, None) => true,
                    _ => false,
                }
            }
            HeapRead::All { scope, version, held } => {
                let there = self.scope(*scope);
                if there == *scope && heap.version(there) == *version {
                    return held.iter().all(|(_, value)| self.keeps(value));
                }
                heap.size(there) == held.len()
                    && held.iter().all(|(name, first)| {
                        heap.held(there, name).is_some_and(|second| self.unify(first, &second))
                    })
            }
        }
    }

    /// What is still the same stands for itself: no other object can.
    fn keeps(&mut self, value: &Value<'_>) -> bool {
        match value {
            Value::Instance(object) => self.relate(object.scope, object.scope),
            Value::Collection(scope) => self.relate(*scope, *scope),
            Value::Sequence(values) | Value::OneOf(values) => values.iter().all(|value| self.keeps(value)),
            Value::Mapping(items) => items.iter().all(|(key, value)| self.keeps(key) && self.keeps(value)),
            _ => true,
        }
    }
}

/// The first names that a call read of its arguments: the argument, and the place in `reads`.
pub(super) fn asked_first<'p>(
    call: &Call<'p>,
    reads: &[HeapRead<'p>],
) -> SmallVec<[(usize, usize); ASKED_FIRST]> {
    let owner = |scope| {
        call.arguments.iter().position(|value| value.as_ref().and_then(Value::own_scope) == Some(scope))
    };
    let of_arguments = reads.iter().enumerate().filter_map(|(at, read)| match read {
        HeapRead::Slot { scope, .. } => Some((owner(*scope)?, at)),
        HeapRead::All { .. } => None,
    });
    of_arguments.take(ASKED_FIRST).collect()
}
