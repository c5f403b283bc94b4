//! The arms of a branch: what one of them binds is taken back at its end, so that the next begins as it did.

use super::values::ScopeId;
use super::{ArmChange, Heap, Slot, Version};
use rustc_hash::{FxHashMap, FxHashSet};

/// The beginning of an arm of a branch.
#[derive(Clone, Copy)]
pub(crate) struct ArmStart {
    undo: usize,
    began: Version,
}

/// A moment in the arm that is being followed: what names held then can be told until the arm ends.
#[derive(Clone, Copy)]
pub(crate) struct HeapMoment(usize);

impl<'p> Heap<'p> {
    /// Begins an arm of a branch: what is bound from now on in older scopes can be taken back.
    pub fn begin_arm(&mut self) -> ArmStart {
        self.clock += 1;
        self.arms.push(self.clock);
        ArmStart { undo: self.undo.len(), began: self.clock }
    }

    /// Ends the arm that began at `mark`: takes back what it bound in older scopes, and returns what that was.
    pub fn end_arm(&mut self, mark: ArmStart) -> Vec<ArmChange<'p>> {
        self.arms.pop();
        let mut changes = Vec::new();
        let mut seen: FxHashSet<(ScopeId, &'p str)> = FxHashSet::default();
        let undone = self.undo.split_off(mark.undo);
        let few = undone.len() <= 8;
        for (scope, name, old) in undone.into_iter().rev() {
            // An arm around this one may be older than the scope.
            if !self.is_older(scope, mark.began) {
                continue;
            }
            self.clock += 1;
            let found = self.touch(scope);
            let is_new = match few {
                true => !changes.iter().any(|(known, other, _)| *known == scope && *other == name),
                false => seen.insert((scope, name)),
            };
            let last = match old {
                Some(old) => found.slots.insert(name, old),
                None => found.slots.remove(name),
            };
            if is_new {
                changes.push((scope, name, last.and_then(|slot| slot.held())));
            }
        }
        changes
    }

    /// This moment, to be asked for later.
    pub fn moment(&mut self) -> HeapMoment {
        self.clock += 1;
        self.left = self.clock;
        HeapMoment(self.undo.len())
    }

    /// The moment at which an arm began, or was taken back.
    pub fn beginning(&self, mark: ArmStart) -> HeapMoment {
        HeapMoment(mark.undo)
    }

    /// Nobody will ask for a moment that has passed.
    pub fn forget_moments(&mut self) {
        self.left = 0;
        if self.arms.is_empty() {
            self.undo.clear();
        }
    }

    /// What the names held at a moment that were bound since.
    pub fn held_at(&self, moment: HeapMoment) -> Vec<ArmChange<'p>> {
        first_of_each(&self.undo[moment.0.min(self.undo.len())..]).collect()
    }

    /// What the names held at a moment in an arm that were bound in it before that.
    pub fn bound_until(&self, mark: ArmStart, moment: HeapMoment) -> Vec<ArmChange<'p>> {
        let earlier = &self.undo[mark.undo..moment.0.max(mark.undo).min(self.undo.len())];
        if earlier.is_empty() {
            return Vec::new();
        }
        let later: FxHashMap<_, _> =
            self.held_at(moment).into_iter().map(|(scope, name, value)| ((scope, name), value)).collect();
        let is_seen = |scope: ScopeId| self.is_older(scope, mark.began);
        let names = first_of_each(earlier).filter(|(scope, ..)| is_seen(*scope));
        let held = names.map(|(scope, name, _)| {
            let now = || self.held(scope, name);
            (scope, name, later.get(&(scope, name)).cloned().unwrap_or_else(now))
        });
        held.collect()
    }

    /// Runs as if no arm were being followed: what is bound was there before the branch.
    pub fn outside_arms<T>(heap: impl Fn(&mut T) -> &mut Heap<'p>, run: &mut T, steps: impl FnOnce(&mut T)) {
        let arms = std::mem::take(&mut heap(run).arms);
        let left = std::mem::take(&mut heap(run).left);
        let outer = std::mem::replace(&mut heap(run).is_backdated, true);
        steps(run);
        heap(run).is_backdated = outer;
        heap(run).arms = arms;
        heap(run).left = left;
    }
}

/// The first of the entries of each name, with what the name held before it.
fn first_of_each<'a, 'p>(
    entries: &'a [(ScopeId, &'p str, Option<Slot<'p>>)],
) -> impl Iterator<Item = ArmChange<'p>> + use<'a, 'p> {
    let mut seen: FxHashSet<(ScopeId, &'p str)> = FxHashSet::default();
    let is_new = move |entry: &&(ScopeId, &'p str, Option<Slot<'p>>)| seen.insert((entry.0, entry.1));
    let held = |old: &Option<Slot<'p>>| old.as_ref().and_then(Slot::held);
    entries.iter().filter(is_new).map(move |(scope, name, old)| (*scope, *name, held(old)))
}
