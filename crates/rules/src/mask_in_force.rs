//! How many GPUs the mask leaves where something happens: that which the process has read, and not what is written later.

use super::conditions::NO_DEVICE;
use super::evaluate::Scope;
use crate::masks;
use crate::program::Definition;
use crate::program::trace::{Choice, Event, EventKind};

impl Scope<'_> {
    /// Whether some value that the mask may have leaves several GPUs, and the index is one of them.
    pub(super) fn may_be_inside_mask(&self, event: &Event) -> bool {
        let EventKind::Select { index: Some(index), .. } = event.what else { return false };
        self.mask_in_force(event).iter().any(|definition| match definition {
            Definition::Set(_, Some(value)) => {
                let left = masks::read(value).left as i64;
                left > 1 && index < left
            }
            _ => false,
        })
    }

    /// What the mask may be that counts where something happens: the process has read it with its first call of CUDA, and what is
    /// written later changes nothing. Empty where it is not known whether it has.
    pub(super) fn mask_in_force<'e>(&'e self, event: &'e Event) -> &'e [Definition] {
        let now = &event.before.mask;
        let Some(cuda) = event.before.cuda.filter(|_| !event.in_child) else { return now };
        match self.trace.events.get(cuda.event as usize) {
            Some(first) if first.before.mask == *now || first.in_child => now,
            Some(first) if cuda.certain => &first.before.mask,
            Some(_) => &[],
            None => now,
        }
    }

    /// The mask in force where something happens, when it has one value on every way there.
    pub(super) fn mask_at(&self, event: &Event) -> Option<String> {
        let mut values = self.mask_in_force(event).iter().map(|definition| match definition {
            Definition::Set(_, Some(value)) => Some(value),
            _ => None,
        });
        let first = values.next()??;
        values.all(|value| value == Some(first)).then(|| first.to_string())
    }

    /// Whether every mask that may be in force is `0,1,2,3,4,5,6,7` or longer: the order of all cards chooses none.
    pub(super) fn takes_whole_machine(&self, event: &Event) -> bool {
        const MANY: usize = 8;
        let is_all = |definition: &Definition| match definition {
            Definition::Set(_, Some(value)) => {
                let entries: Vec<&str> = value.split(',').map(str::trim).collect();
                let in_order = |(at, entry): (usize, &&str)| entry.parse() == Ok(at);
                entries.len() >= MANY && entries.iter().enumerate().all(in_order)
            }
            _ => false,
        };
        !event.before.mask.is_empty() && event.before.mask.iter().all(is_all)
    }

    /// How many GPUs the mask leaves, when every value that it may have leaves as many; and the index.
    pub(super) fn left_by_mask(&self, event: &Event) -> Option<(i64, i64)> {
        // What overwrites the mask does not count behind it.
        let EventKind::Select { index: Some(index), choice: Choice::Taken | Choice::Named, .. } = event.what
        else {
            return None;
        };
        // Where more processes are started than there are GPUs, that is told where they are.
        if self.trace.takes_own_number(event) {
            return None;
        }
        let mut counts = self.mask_in_force(event).iter().map(|definition| match definition {
            Definition::Set(_, Some(value)) => Some(masks::read(value).left as i64),
            _ => None,
        });
        let first = counts.next()??;
        (index < NO_DEVICE && counts.all(|count| count == Some(first))).then_some((first, index))
    }
}
