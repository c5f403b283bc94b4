//! Which lines of two texts differ.

use similar::{DiffOp, TextDiff};
use std::ops::Range;

/// Lines that stand in the place of others. Both count from 0, and one of them may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

impl Hunk {
    /// Whether one of the lines from `first` to `last` (from 0) is a new one.
    pub fn brings(&self, first: usize, last: usize) -> bool {
        !self.after.is_empty() && self.after.start <= last && first < self.after.end
    }

    /// The same, where lines that were only taken out count as the line before and the line after.
    pub fn touches(&self, first: usize, last: usize) -> bool {
        match self.after.is_empty() {
            true => self.after.start <= last + 1 && first <= self.after.start,
            false => self.brings(first, last),
        }
    }
}

pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let compared = TextDiff::from_lines(before, after);
    let changed = compared.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed.map(|op| Hunk { before: op.old_range(), after: op.new_range() }).collect()
}

/// The later text with some of its hunks taken back.
pub fn without(before: &str, after: &str, undone: &[&Hunk]) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut text = String::with_capacity(after.len());
    let mut at = 0;
    for hunk in undone {
        text.extend(new[at..hunk.after.start].iter().copied());
        text.extend(old[hunk.before.clone()].iter().copied());
        at = hunk.after.end;
    }
    text.extend(new[at..].iter().copied());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_can_be_taken_back_one_by_one() {
        let (before, after) = ("a\nb\nc\nd\n", "a\nc\nx\nd\ny");
        let all = hunks(before, after);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(
            all[0].touches(0, 0) && all[0].touches(1, 1) && !all[0].touches(2, 2) && !all[0].brings(0, 4)
        );
        assert!(all[1].brings(2, 2) && !all[1].brings(3, 3));
        assert_eq!(without(before, after, &all.iter().collect::<Vec<_>>()), before);
        assert_eq!(without(before, after, &[&all[0]]), "a\nb\nc\nx\nd\ny");
        assert_eq!(without(before, after, &[]), after);
        assert_eq!(without("", "a\n", &hunks("", "a\n").iter().collect::<Vec<_>>()), "");
    }
}
