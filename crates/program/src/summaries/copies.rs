//! Parts of a trace that outlive it: copied once, and shared by a call and those inside it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// A part of a copied trace, under the numbers that it had there.
pub struct Shared<T> {
    copy: Rc<[T]>,
    /// The number of the first in `copy`.
    first: u32,
    part: Range<u32>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Shared { copy: Rc::default(), first: 0, part: 0..0 }
    }
}

impl<T> Shared<T> {
    /// The one with this number in its trace.
    pub fn get(&self, number: u32) -> &T {
        &self.copy[(number - self.first) as usize]
    }

    pub fn all(&self) -> &[T] {
        &self.copy[(self.part.start - self.first) as usize..(self.part.end - self.first) as usize]
    }
}

/// What was copied of one trace, by the number of the first in each copy.
pub struct Copies<T> {
    known: BTreeMap<u32, Rc<[T]>>,
}

impl<T> Default for Copies<T> {
    fn default() -> Self {
        Copies { known: BTreeMap::new() }
    }
}

impl<T: Clone> Copies<T> {
    /// The part of `all` with these numbers, which lies in it.
    pub fn share(&mut self, all: &[T], part: Range<u32>) -> Shared<T> {
        if part.is_empty() {
            return Shared::default();
        }
        let holds = |first: u32, copy: &Rc<[T]>| part.end as usize <= first as usize + copy.len();
        let before = self.known.range(..=part.start).next_back();
        if let Some((&first, copy)) = before.filter(|(first, copy)| holds(**first, copy)) {
            return Shared { copy: copy.clone(), first, part };
        }
        let copy: Rc<[T]> = all[part.start as usize..part.end as usize].into();
        self.known.insert(part.start, copy.clone());
        Shared { copy, first: part.start, part }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_inside_another_is_not_copied_again() {
        let all: Vec<u32> = (0..20).collect();
        let mut copies = Copies::default();
        let outer = copies.share(&all, 5..15);
        let inner = copies.share(&all, 7..9);
        assert!(Rc::ptr_eq(&outer.copy, &inner.copy));
        assert_eq!((inner.all(), *inner.get(8), *outer.get(14)), (&[7, 8][..], 8, 14));
    }

    #[test]
    fn a_part_that_reaches_further_is_copied() {
        let all: Vec<u32> = (0..20).collect();
        let mut copies = Copies::default();
        let first = copies.share(&all, 5..8);
        let further = copies.share(&all, 5..9);
        let again = copies.share(&all, 6..9);
        assert_eq!(
            (first.all(), further.all(), again.all()),
            (&[5, 6, 7][..], &[5, 6, 7, 8][..], &[6, 7, 8][..])
        );
        assert!(Rc::ptr_eq(&further.copy, &again.copy) && copies.share(&all, 3..3).all().is_empty());
    }
}
