//! What is read and written while a call is followed: every name of a scope that is older than the call, under the version
//! that it had, and every such name that the call bound.
//!
//! One log serves all calls that are being followed: what a call reads, its callers read too. When a call ends, its part of
//! the log keeps what counts for its callers.

use super::{Heap, HeapWrite, Scope, Slot, Version};
use crate::program::heap::values::{ScopeId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Something that was read.
#[derive(Clone, Debug)]
pub(crate) enum HeapRead<'p> {
    /// A name, with what it held.
    Slot { scope: ScopeId, name: &'p str, version: Version, value: Option<Value<'p>> },
    /// All names of a scope, with what they held.
    All { scope: ScopeId, version: Version, held: Rc<[(&'p str, Value<'p>)]> },
}

impl<'p> HeapRead<'p> {
    pub fn scope(&self) -> ScopeId {
        match self {
            HeapRead::Slot { scope, .. } | HeapRead::All { scope, .. } => *scope,
        }
    }

    /// What was held there.
    pub fn values(&self) -> impl Iterator<Item = &Value<'p>> {
        let (one, all): (Option<&Value<'p>>, &[(&str, Value<'p>)]) = match self {
            HeapRead::Slot { value, .. } => (value.as_ref(), &[]),
            HeapRead::All { held, .. } => (None, held),
        };
        one.into_iter().chain(all.iter().map(|(_, value)| value))
    }
}

/// A call whose reads and writes are being recorded.
#[derive(Clone, Copy)]
pub(crate) struct Recording {
    /// What was made or bound later was made or bound by the call.
    pub clock: Version,
    /// The number of the first record that belongs to it.
    first: u64,
    reads: usize,
    writes: usize,
    /// How many parts of modules had been summed up, and how many scopes of them changed since.
    pub(super) parts: usize,
    pub(super) changed: usize,
}

#[derive(Default)]
pub(super) struct Recorder<'p> {
    recordings: Vec<Recording>,
    reads: RefCell<Vec<HeapRead<'p>>>,
    /// The last record that says that a name was not there, or that all of a scope was looked at.
    noted: RefCell<FxHashMap<(ScopeId, &'p str), u64>>,
    writes: Vec<(ScopeId, &'p str, Version)>,
    last: Cell<u64>,
}

/// Of a call that read more than so often, what it read twice is noted once.
const MANY_READS: usize = 500;
/// The name under which it is noted that all names of a scope were looked at.
const ALL: &str = "*";

impl<'p> Recorder<'p> {
    fn next(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    /// Whether the innermost call that is being recorded made what was made at this time.
    pub fn is_made(&self, born: Version) -> bool {
        self.recordings.last().is_some_and(|inner| born > inner.clock)
    }

    pub fn note_slot(&self, scope: ScopeId, born: Version, name: &'p str, slot: &Slot<'p>) {
        let Some(inner) = self.recordings.last() else { return };
        // What the innermost call made or bound itself, its callers made or bound by calling it.
        if slot.seen.get() >= inner.first {
            return;
        }
        slot.seen.set(self.next());
        if born <= inner.clock && slot.version <= inner.clock {
            let read = HeapRead::Slot { scope, name, version: slot.version, value: slot.held() };
            self.reads.borrow_mut().push(read);
        }
    }

    pub fn note_absent(&self, scope: ScopeId, born: Version, name: &'p str) {
        let Some(inner) = self.recordings.last() else { return };
        if born <= inner.clock && self.is_first(scope, name, inner) {
            self.reads.borrow_mut().push(HeapRead::Slot { scope, name, version: 0, value: None });
        }
    }

    pub fn note_all(&self, id: ScopeId, scope: &Scope<'p>) {
        let Some(inner) = self.recordings.last() else { return };
        let version = scope.version;
        if scope.born <= inner.clock && version <= inner.clock && self.is_first(id, ALL, inner) {
            let held = scope.slots.iter().filter_map(|(name, slot)| Some((name, slot.held()?)));
            self.reads.borrow_mut().push(HeapRead::All { scope: id, version, held: held.collect() });
        }
    }

    fn is_first(&self, scope: ScopeId, name: &'p str, inner: &Recording) -> bool {
        let number = self.next();
        self.noted.borrow_mut().insert((scope, name), number).is_none_or(|known| known < inner.first)
    }

    /// Notes that a name gets another value; `old` is the version of what it held.
    pub fn note_write(&mut self, scope: ScopeId, born: Version, name: &'p str, old: Version) {
        if self.recordings.last().is_some_and(|inner| born <= inner.clock && old <= inner.clock) {
            self.writes.push((scope, name, old));
        }
    }
}

impl Recorder<'_> {
    /// Forgets what was noted in the program that is over.
    pub fn end_program(&mut self) {
        self.recordings.clear();
        self.reads.get_mut().clear();
        self.noted.get_mut().clear();
        self.writes.clear();
    }
}

impl<'p> Heap<'p> {
    /// Begins to record what a call reads and writes.
    pub fn record(&mut self) {
        let recorder = &mut self.recorder;
        recorder.recordings.push(Recording {
            clock: self.clock,
            first: recorder.last.get() + 1,
            reads: recorder.reads.get_mut().len(),
            writes: recorder.writes.len(),
            parts: self.parts.len(),
            changed: self.changed.len(),
        });
    }

    /// Ends the innermost record. What it read and wrote stays in the log for the calls around it.
    pub fn end_record(&mut self) -> Option<Recording> {
        let recording = self.recorder.recordings.pop()?;
        let (reads, scopes) = (self.recorder.reads.get_mut(), &self.scopes);
        let is_made = |scope: ScopeId| scopes[scope as usize].born > recording.clock;
        // What an inner call read in scopes of this one, or after this one bound it, is this one's own.
        let mut kept = recording.reads;
        // Many inner calls read the same.
        let mut read_before: Option<FxHashSet<(ScopeId, &'p str)>> =
            (reads.len() - recording.reads > MANY_READS).then(FxHashSet::default);
        for index in recording.reads..reads.len() {
            let (scope, name, version) = match &reads[index] {
                HeapRead::Slot { scope, name, version, .. } => (*scope, *name, *version),
                HeapRead::All { scope, version, .. } => (*scope, ALL, *version),
            };
            let is_own = is_made(scope) || version > recording.clock;
            if !is_own && read_before.as_mut().is_none_or(|known| known.insert((scope, name))) {
                reads.swap(kept, index);
                kept += 1;
            }
        }
        reads.truncate(kept);
        let writes = &mut self.recorder.writes;
        let mut seen: FxHashSet<(ScopeId, &'p str)> = FxHashSet::default();
        let mut kept = recording.writes;
        for index in recording.writes..writes.len() {
            let (scope, name, old) = writes[index];
            if is_made(scope) || old > recording.clock || !seen.insert((scope, name)) {
                continue;
            }
            // An arm that was taken back left it as it was.
            if self.scopes[scope as usize].version_of(name) != old {
                writes.swap(kept, index);
                kept += 1;
            }
        }
        writes.truncate(kept);
        Some(recording)
    }

    /// What was read in a record that has just ended.
    pub fn reads_of(&self, recording: &Recording) -> Vec<HeapRead<'p>> {
        self.recorder.reads.borrow()[recording.reads..].to_vec()
    }

    /// How much was read in a record that has just ended.
    pub fn amount_read(&self, recording: &Recording) -> usize {
        self.recorder.reads.borrow().len() - recording.reads
    }

    /// What was written in a record that has just ended, and what is there now.
    pub fn writes_of(&self, recording: &Recording) -> Vec<HeapWrite<'p>> {
        let written = self.recorder.writes[recording.writes..].iter().map(|(scope, name, _)| HeapWrite {
            scope: *scope,
            name,
            value: self.held(*scope, name),
            version: Some(self.version_of(*scope, name)),
        });
        written.collect()
    }

    /// The names older than it that the call wrote which is being recorded.
    pub fn names_written(&self) -> Vec<(ScopeId, &'p str)> {
        let Some(inner) = self.recorder.recordings.last() else { return Vec::new() };
        let is_older = |scope: ScopeId| self.scopes[scope as usize].born <= inner.clock;
        let written = self.recorder.writes[inner.writes..].iter();
        written.filter(|(scope, ..)| is_older(*scope)).map(|(scope, name, _)| (*scope, *name)).collect()
    }

    /// Whether a name of the function's own was read since it was bound, or bound anew.
    pub fn is_used(&self, scope: ScopeId, name: &str, bound: Version) -> bool {
        let found = &self.scopes[scope as usize];
        found.is_captured
            || found.slots.get(name).is_none_or(|slot| slot.version != bound || slot.seen.get() != 0)
    }

    /// The version that a name has in a scope; 0 when it was never bound.
    pub fn version_of(&self, scope: ScopeId, name: &str) -> Version {
        self.scopes[scope as usize].version_of(name)
    }

    /// The version of the last binding in a scope.
    pub fn version(&self, scope: ScopeId) -> Version {
        self.scopes[scope as usize].version
    }

    /// Notes again what a call read that is not followed again.
    pub fn read_again(&self, scope: ScopeId, name: &'p str) {
        self.get(scope, name);
    }

    /// The same for a call that looked at all names of a scope.
    pub fn read_all_again(&self, scope: ScopeId) {
        self.recorder.note_all(scope, &self.scopes[scope as usize]);
    }
}

impl Scope<'_> {
    fn version_of(&self, name: &str) -> Version {
        self.slots.get(name).map_or(0, |slot| slot.version)
    }
}
