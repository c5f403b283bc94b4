//! The heap of a program that is followed: its namespaces and objects, what their names are bound to, and since when.
//!
//! A module, a call, a class, an instance and a collection are all scopes: names with values. A value that stands for one of
//! them is a reference, so what is changed under one name is changed under all. Each binding has a version; a name that was
//! read under one version and still has it holds the same. The arms of a branch undo what they bound and hand it over, to be
//! joined.

mod arms;
mod copies;
pub(crate) mod floats;
mod reads;
mod relation;
mod slots;
mod streams;
mod texts;
pub mod values;
mod watches;

use rustc_hash::{FxHashMap, FxHashSet};
use slots::Slots;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use values::{ScopeId, Value};

pub(crate) use arms::{ArmStart, HeapMoment};
pub(crate) use copies::{MadeObjects, refers_to_scopes};
pub(crate) use reads::{HeapRead, Recording};
pub(crate) use relation::{Parents, Relation};
pub(crate) use watches::ChangedName;
use watches::Watch;

/// The name under which a list, set or dictionary keeps what it holds.
pub(crate) const CONTENTS: &str = "contents of the collection";

/// When something was bound: a later binding has a higher one.
pub type Version = u64;

/// The version of what was there before everything that is followed.
const BACKDATED: Version = 1;

/// A binding that a call changed: what the name holds afterwards, and since when, if that is to be the same again.
#[derive(Clone)]
pub(crate) struct HeapWrite<'p> {
    pub scope: ScopeId,
    pub name: &'p str,
    pub value: Option<Value<'p>>,
    pub version: Option<Version>,
}

/// A binding that was changed in one arm of a branch: what the name holds at the end of the arm, if anything.
pub(crate) type ArmChange<'p> = (ScopeId, &'p str, Option<Value<'p>>);

#[derive(Default)]
pub struct Heap<'p> {
    scopes: Vec<Scope<'p>>,
    /// What names were bound to before, so that the next arm of a branch starts as this one did.
    undo: Vec<(ScopeId, &'p str, Option<Slot<'p>>)>,
    /// For each arm of a branch that is being followed: when it began.
    arms: Vec<Version>,
    /// When a jump left last whose target is not reached yet; 0 when there is none.
    left: Version,
    clock: Version,
    /// Scopes of programs that are over, to be used again.
    free: Vec<ScopeId>,
    /// Scopes that the running program made or was given.
    own: Vec<ScopeId>,
    /// What is bound now was there before everything that is followed.
    is_backdated: bool,
    /// The passes of loops that are being followed, the innermost last.
    watches: Vec<Watch<'p>>,
    /// Names that these asked for and that were not bound, each with when.
    missed: RefCell<FxHashMap<(ScopeId, &'p str), Version>>,
    /// Collections that conditions looked into in these passes.
    asked: RefCell<FxHashSet<ScopeId>>,
    recorder: reads::Recorder<'p>,
    /// What parts of modules and modules made that were summed up, each once: those inside others are theirs.
    parts: Vec<Rc<MadeObjects<'p>>>,
    /// Scopes of them that were changed since.
    changed: Vec<ScopeId>,
}

/// A namespace or an object.
#[derive(Clone, Default)]
struct Scope<'p> {
    slots: Slots<'p>,
    parent: Option<ScopeId>,
    /// Names of a class body are not seen from its methods.
    is_class: bool,
    /// Something that was made in it may still look names up in it.
    is_captured: bool,
    /// The body of its class is left for later.
    waits: bool,
    /// When it was made.
    born: Version,
    /// It keeps its number when the program is over.
    is_kept: bool,
    /// When something in it was bound last.
    version: Version,
    /// When it was summed up last with what a module made; 0 when it was not.
    summed: Version,
    /// How many loops with passes that are not followed were around when it was made.
    loops: usize,
}

/// What a name is bound to; a name that was unbound keeps an empty slot.
#[derive(Clone)]
struct Slot<'p> {
    value: Option<Value<'p>>,
    /// It is bound on some ways only.
    is_partial: bool,
    version: Version,
    /// The number of the last record that says it was read.
    seen: Cell<u64>,
    /// When it was read last.
    read: Cell<Version>,
}

impl<'p> Slot<'p> {
    /// What the name holds, with the ways on which it is not bound.
    fn held(&self) -> Option<Value<'p>> {
        let value = self.value.clone()?;
        Some(if self.is_partial { value.or_absent() } else { value })
    }
}

impl<'p> Heap<'p> {
    /// Makes a scope inside `parent`.
    pub fn make(&mut self, parent: Option<ScopeId>, is_class: bool, loops: usize) -> ScopeId {
        if let Some(parent) = parent {
            self.scopes[parent as usize].is_captured = true;
        }
        self.clock += 1;
        let made = Scope { parent, is_class, loops, born: self.clock, ..Scope::default() };
        let scope = match self.free.pop() {
            Some(free) => {
                self.scopes[free as usize] = made;
                free
            }
            None => {
                self.scopes.push(made);
                (self.scopes.len() - 1) as ScopeId
            }
        };
        self.own.push(scope);
        scope
    }

    /// Makes a scope anew that has its number for as long as the heap is there, as [`Self::keep`] said.
    pub fn renew(&mut self, scope: ScopeId, loops: usize) {
        self.clock += 1;
        self.scopes[scope as usize] = Scope { loops, born: self.clock, is_kept: true, ..Scope::default() };
        self.own.push(scope);
    }

    /// Lets a scope keep its number when the program is over.
    pub fn keep(&mut self, scope: ScopeId) {
        self.scopes[scope as usize].is_kept = true;
    }

    /// Forgets what the program made that is over. Versions and the numbers of kept scopes go on to mean the same.
    pub fn end_program(&mut self) {
        for scope in std::mem::take(&mut self.own) {
            let is_kept = self.scopes[scope as usize].is_kept;
            self.scopes[scope as usize] = Scope { is_kept, ..Scope::default() };
            if !is_kept {
                self.free.push(scope);
            }
        }
        self.undo.clear();
        self.arms.clear();
        self.left = 0;
        self.watches.clear();
        self.recorder.end_program();
        self.parts.clear();
        self.changed.clear();
    }

    /// Notes that a scope changes now.
    fn touch(&mut self, scope: ScopeId) -> &mut Scope<'p> {
        let found = &mut self.scopes[scope as usize];
        if found.summed > 0 && found.version <= found.summed {
            self.changed.push(scope);
        }
        found.version = self.clock;
        found
    }

    /// Whether a scope was there before a moment.
    fn is_older(&self, scope: ScopeId, moment: Version) -> bool {
        self.scopes[scope as usize].born <= moment
    }

    /// What a name in a scope holds. That it was asked is recorded.
    pub fn get(&self, scope: ScopeId, name: &'p str) -> Option<&Value<'p>> {
        match self.scopes[scope as usize].slots.get(name) {
            Some(slot) => {
                slot.read.set(self.clock);
                self.recorder.note_slot(scope, self.scopes[scope as usize].born, name, slot);
                slot.value.as_ref()
            }
            None => {
                self.recorder.note_absent(scope, self.scopes[scope as usize].born, name);
                // Names of functions are asked for whenever they are bound.
                if !self.watches.is_empty() && self.parent(scope).is_none() {
                    self.missed.borrow_mut().insert((scope, name), self.clock);
                }
                None
            }
        }
    }

    /// Whether a name that a scope has is bound on some ways only.
    pub fn is_partial(&self, scope: ScopeId, name: &str) -> bool {
        self.scopes[scope as usize].slots.get(name).is_some_and(|slot| slot.is_partial)
    }

    /// What a name in a scope holds, with the ways on which it is not bound.
    pub fn held(&self, scope: ScopeId, name: &str) -> Option<Value<'p>> {
        self.scopes[scope as usize].slots.get(name)?.held()
    }

    /// The same, for who sets the stage and is no part of a call.
    pub fn peek(&self, scope: ScopeId, name: &str) -> Option<&Value<'p>> {
        self.scopes[scope as usize].slots.get(name)?.value.as_ref()
    }

    /// The same, with the name as the scope has it.
    pub fn peek_named(&self, scope: ScopeId, name: &str) -> Option<(&'p str, &Value<'p>)> {
        let (name, slot) = self.scopes[scope as usize].slots.get_key_value(name)?;
        Some((name, slot.value.as_ref()?))
    }

    /// Looks a name up in a scope and those around it.
    pub fn look_up(&self, from: ScopeId, name: &'p str) -> Option<(ScopeId, &Value<'p>)> {
        let mut scope = Some(from);
        while let Some(id) = scope {
            let found = &self.scopes[id as usize];
            if (id == from || !found.is_class)
                && let Some(value) = self.get(id, name)
            {
                return Some((id, value));
            }
            scope = found.parent;
        }
        None
    }

    /// All names of a scope with what they hold, in no order.
    pub fn names(&self, scope: ScopeId) -> Vec<(&'p str, Value<'p>)> {
        let found = &self.scopes[scope as usize];
        self.recorder.note_all(scope, found);
        let bound = found.slots.iter().filter_map(|(name, slot)| Some((name, slot.value.clone()?)));
        bound.collect()
    }

    /// The same, in the order in which they were bound last.
    pub fn names_as_bound(&self, scope: ScopeId) -> Vec<(&'p str, Value<'p>)> {
        let found = &self.scopes[scope as usize];
        self.recorder.note_all(scope, found);
        let bound =
            found.slots.iter().filter_map(|(name, slot)| Some((slot.version, name, slot.value.clone()?)));
        let mut bound: Vec<_> = bound.collect();
        bound.sort_by_key(|(version, name, _)| (*version, *name));
        bound.into_iter().map(|(_, name, value)| (name, value)).collect()
    }

    /// Every value that some name holds.
    pub fn all_values(&self) -> impl Iterator<Item = &Value<'p>> {
        self.own.iter().flat_map(|&scope| self.scopes[scope as usize].slots.values())
    }

    /// Binds a name, and keeps what it was bound to for the next arm of the branch.
    pub fn bind(&mut self, scope: ScopeId, name: &'p str, value: Value<'p>) {
        self.put(scope, name, Some(value));
    }

    pub fn unbind(&mut self, scope: ScopeId, name: &'p str) {
        self.put(scope, name, None);
    }

    /// Binds a name to what it held in another program, under the version that it had there.
    pub fn bind_as_before(&mut self, scope: ScopeId, name: &'p str, value: Value<'p>, version: Version) {
        self.put(scope, name, Some(value));
        if let Some(slot) = self.scopes[scope as usize].slots.get_mut(name) {
            slot.version = version;
        }
    }

    /// How many names are bound in a scope.
    pub fn size(&self, scope: ScopeId) -> usize {
        self.scopes[scope as usize].slots.values().count()
    }

    fn put(&mut self, scope: ScopeId, name: &'p str, value: Option<Value<'p>>) {
        self.clock += 1;
        if !self.watches.is_empty() {
            self.watch(scope, name);
        }
        let version = if self.is_backdated { BACKDATED } else { self.clock };
        let (value, is_partial) = value.map(Value::where_bound).unzip();
        let is_partial = is_partial.unwrap_or_default();
        let slot = Slot { value, is_partial, version, seen: Cell::new(0), read: Cell::new(0) };
        let found = self.touch(scope);
        let (old, born) = (found.slots.insert(name, slot), found.born);
        if !self.is_backdated {
            self.recorder.note_write(scope, born, name, old.as_ref().map_or(0, |old| old.version));
        }
        // Nobody outside the arm, and nobody who left before, has what came into being since.
        let since = self.arms.last().copied().unwrap_or_default().max(self.left);
        if since > 0 && self.is_older(scope, since) {
            self.undo.push((scope, name, old));
        }
    }

    pub fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scopes[scope as usize].parent
    }

    pub fn is_class(&self, scope: ScopeId) -> bool {
        self.scopes[scope as usize].is_class
    }

    /// Notes that something was made in a scope that may look names up in it later.
    pub fn capture(&mut self, scope: ScopeId) {
        self.scopes[scope as usize].is_captured = true;
    }

    /// How many loops with passes that are not followed were around when a scope was made.
    pub fn loops_around(&self, scope: ScopeId) -> usize {
        self.scopes[scope as usize].loops
    }

    /// Whether the innermost call that is being recorded made a scope.
    pub fn is_made_by_recorded(&self, scope: ScopeId) -> bool {
        self.recorder.is_made(self.scopes[scope as usize].born)
    }

    /// Whether a call made a scope.
    pub fn is_made_in(&self, recording: &Recording, scope: ScopeId) -> bool {
        self.scopes[scope as usize].born > recording.clock
    }

    /// Whether the body of a class was left for later.
    pub fn waits(&self, scope: ScopeId) -> bool {
        self.scopes[scope as usize].waits
    }

    pub fn set_waiting(&mut self, scope: ScopeId, waits: bool) {
        let found = &mut self.scopes[scope as usize];
        found.waits = waits;
        if std::mem::take(&mut found.summed) > 0 {
            self.changed.push(scope);
        }
    }

    pub fn reserve(&mut self, scope: ScopeId, names: usize) {
        self.scopes[scope as usize].slots.reserve(names);
    }

    /// Lets go of what a call held that is over, unless something may still look names up there.
    pub fn release(&mut self, scope: ScopeId) {
        let left = &mut self.scopes[scope as usize];
        if !left.is_captured {
            left.slots = Slots::default();
        }
    }
}
