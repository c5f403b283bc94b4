//! The names of a scope, shared between a scope and its snapshots until one of them changes.

use super::{Slot, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[derive(Clone, Default)]
pub(super) struct Slots<'p>(Option<Rc<FxHashMap<&'p str, Slot<'p>>>>);

impl<'p> Slots<'p> {
    pub fn get(&self, name: &str) -> Option<&Slot<'p>> {
        self.0.as_ref()?.get(name)
    }

    pub fn get_key_value(&self, name: &str) -> Option<(&&'p str, &Slot<'p>)> {
        self.0.as_ref()?.get_key_value(name)
    }

    pub fn insert(&mut self, name: &'p str, slot: Slot<'p>) -> Option<Slot<'p>> {
        self.own().insert(name, slot)
    }

    pub fn remove(&mut self, name: &str) -> Option<Slot<'p>> {
        self.0.as_ref()?;
        self.own().remove(name)
    }

    /// The slot of a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Slot<'p>> {
        self.0.as_ref()?;
        self.own().get_mut(name)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Slot<'p>> {
        self.own().values_mut()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'p str, &Slot<'p>)> {
        self.0.iter().flat_map(|slots| slots.iter()).map(|(name, slot)| (*name, slot))
    }

    /// What names hold, in no order.
    pub fn values(&self) -> impl Iterator<Item = &Value<'p>> {
        self.iter().filter_map(|(_, slot)| slot.value.as_ref())
    }

    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |slots| slots.len())
    }

    pub fn reserve(&mut self, names: usize) {
        self.own().reserve(names);
    }

    fn own(&mut self) -> &mut FxHashMap<&'p str, Slot<'p>> {
        Rc::make_mut(self.0.get_or_insert_default())
    }
}
