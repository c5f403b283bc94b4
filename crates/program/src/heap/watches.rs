//! What a pass of a loop leaves otherwise than it found it.

use super::values::{ScopeId, Value};
use super::{CONTENTS, Heap, Slot, Version};

/// A moment in a program, to see which names come to hold something else behind it.
pub(super) struct Watch<'p> {
    since: Version,
    bound: Vec<WatchedName<'p>>,
}

/// A name that was bound behind the beginning of a watch.
struct WatchedName<'p> {
    scope: ScopeId,
    name: &'p str,
    /// What it held then, if anything.
    held: Option<Value<'p>>,
    /// It was read before it was bound.
    was_read: bool,
}

/// A name that holds something else than it did at the beginning of a pass of a loop.
pub struct ChangedName<'p> {
    pub scope: ScopeId,
    pub name: &'p str,
    /// The pass had read what it held: the next pass finds something else.
    pub was_read: bool,
    /// And conditions may ask for it. A counter says nothing.
    pub is_asked: bool,
    /// What it holds is known, and may be something else behind the next pass.
    pub is_known: bool,
}

impl<'p> Heap<'p> {
    /// Notes in the watches what a name held when they began, before it is bound for the first time since.
    pub(super) fn watch(&mut self, scope: ScopeId, name: &'p str) {
        /// Of more names nothing is said.
        const MOST: usize = 64;
        let found = &self.scopes[scope as usize];
        let (held, read, version) = match found.slots.get(name) {
            Some(Slot { value, read, version, .. }) => (value.clone(), read.get(), *version),
            None => (None, 0, 0),
        };
        let missed = self.missed.get_mut().get(&(scope, name)).copied().unwrap_or_default();
        let (last, read) = (found.born.max(version), read.max(missed));
        for watch in self.watches.iter_mut().filter(|watch| last <= watch.since) {
            let was_read = read >= watch.since;
            let known = watch.bound.iter().position(|one| one.scope == scope && one.name == name);
            match known {
                Some(at) => watch.bound[at].was_read |= was_read,
                None if watch.bound.len() < MOST => {
                    let held = held.clone();
                    watch.bound.push(WatchedName { scope, name, held, was_read });
                }
                None => {}
            }
        }
    }

    /// A condition asks what a collection holds.
    pub fn ask_contents(&self, collection: ScopeId) {
        if !self.watches.is_empty() {
            self.asked.borrow_mut().insert(collection);
        }
    }

    /// Begins to watch the names of all scopes that there are.
    pub fn begin_watch(&mut self) {
        self.clock += 1;
        if self.watches.is_empty() {
            self.missed.get_mut().clear();
            self.asked.get_mut().clear();
        }
        self.watches.push(Watch { since: self.clock, bound: Vec::new() });
    }

    /// Ends the innermost watch: the names that hold something else than at its beginning.
    pub fn end_watch(&mut self) -> Vec<ChangedName<'p>> {
        let Some(Watch { since, bound }) = self.watches.pop() else { return Vec::new() };
        let changed = bound.into_iter().filter_map(|WatchedName { scope, name, held, was_read }| {
            let now = self.peek(scope, name)?;
            // What is not known may be anything, and was found as such.
            let covers = |held: &Value<'p>, now: &Value<'p>| matches!(held, Value::Unknown) || held.same(now);
            let was_held = |now: &Value<'p>| {
                held.as_ref().is_some_and(|held| held.alternatives().iter().any(|held| covers(held, now)))
            };
            // A name that nobody asked for before it was bound is one of this pass.
            let is_looked_into = was_read && name == CONTENTS && self.asked.borrow().contains(&scope);
            let may_differ =
                is_looked_into || held.as_ref().map_or(was_read, |held| self.may_be_carried(held, since));
            if !may_differ || now.alternatives().iter().all(was_held) {
                return None;
            }
            let is_asked =
                is_looked_into || was_read && held.as_ref().is_none_or(|held| self.may_be_asked(held, since));
            let is_known = self.may_be_carried(now, since);
            Some(ChangedName { scope, name, was_read, is_asked, is_known })
        });
        changed.collect()
    }

    /// Ends the innermost watch: whether a name that was read holds something else than at its beginning, and that is known.
    pub fn end_watch_changed(&mut self) -> bool {
        let Some(Watch { bound, .. }) = self.watches.pop() else { return false };
        bound.iter().any(|watched| {
            let now = self.peek(watched.scope, watched.name).filter(|now| !matches!(now, Value::Unknown));
            let is_same = |now: &Value<'p>| watched.held.as_ref().is_some_and(|held| held.same(now));
            watched.was_read && now.is_some_and(|now| !is_same(now))
        })
    }

    /// Whether something may differ in each pass of a loop and be known in each: a constant, a list, or an object that was there
    /// before the loop. Another object that each pass makes anew stands for what the others make.
    fn may_be_carried(&self, value: &Value<'p>, since: Version) -> bool {
        let differs = |value: &Value<'p>| matches!(value, Value::Int(..) | Value::Collection(_));
        value.alternatives().iter().any(differs) || self.may_be_asked(value, since)
    }

    /// Whether a value is one that conditions ask: a text, a truth value, None or an object that was there.
    fn may_be_asked(&self, value: &Value<'p>, since: Version) -> bool {
        value.alternatives().iter().any(|value| match value {
            Value::Int(..) | Value::Float(_) | Value::Text(_) | Value::Bool(_) | Value::None => true,
            Value::Instance(instance) => self.scopes[instance.scope as usize].born <= since,
            _ => false,
        })
    }
}
