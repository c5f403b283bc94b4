//! Edits of one text, and where its bytes stand once they are made.

use crate::facts::Span;

/// Edits of one text, ascending, of which none overlaps another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    edits: Vec<(Span, String)>,
}

impl Edits {
    /// `None` when one edit overlaps another, or two put something in at one place and it is not the same.
    pub fn new(mut edits: Vec<(Span, String)>) -> Option<Edits> {
        edits.sort();
        edits.dedup();
        let is_apart = |pair: &[(Span, String)]| {
            let (one, other) = (pair[0].0, pair[1].0);
            one.end <= other.start && one.start != other.start
        };
        edits.windows(2).all(is_apart).then_some(Edits { edits })
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Span, &str)> {
        self.edits.iter().map(|(span, text)| (*span, text.as_str()))
    }

    /// The text with the edits made.
    pub fn applied_to(&self, text: &str) -> String {
        let mut applied = String::with_capacity(text.len() + self.edits.len() * 16);
        let mut at = 0;
        for (span, new) in self.iter() {
            applied.push_str(&text[at..span.start as usize]);
            applied.push_str(new);
            at = span.end as usize;
        }
        applied.push_str(&text[at..]);
        applied
    }

    /// Where the new texts stand in the result, in the order of the edits.
    pub fn written(&self) -> Vec<Span> {
        let mut shift = 0i64;
        let place = |(span, new): (Span, &str)| {
            let start = (i64::from(span.start) + shift) as u32;
            shift += new.len() as i64 - i64::from(span.end - span.start);
            Span { start, end: start + new.len() as u32 }
        };
        self.iter().map(place).collect()
    }

    /// Whether a byte of the result belongs to a new text.
    pub fn wrote(&self, at: u32) -> bool {
        self.written().iter().any(|written| written.start <= at && at < written.end)
    }

    /// Where a byte of the result stood before; of a new text where the old one began.
    pub fn origin(&self, at: u32) -> u32 {
        let mut shift = 0i64;
        for ((span, _), written) in self.iter().zip(self.written()) {
            if at < written.start {
                break;
            }
            if at < written.end {
                return span.start;
            }
            shift = i64::from(span.end) - i64::from(written.end);
        }
        (i64::from(at) + shift) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(edits: &[(u32, u32, &str)]) -> Option<Edits> {
        let edits = edits.iter().map(|&(start, end, text)| (Span { start, end }, text.to_owned()));
        Edits::new(edits.collect())
    }

    #[test]
    fn places_are_found_again() {
        let edits = edits(&[(2, 2, "++"), (4, 6, "x"), (8, 10, "")]).unwrap();
        assert_eq!(edits.applied_to("0123456789ab"), "01++23x67ab");
        assert_eq!(edits.written(), [(2, 4), (6, 7), (9, 9)].map(|(start, end)| Span { start, end }));
        let origins: Vec<u32> = (0..11).map(|at| edits.origin(at)).collect();
        assert_eq!(origins, [0, 1, 2, 2, 2, 3, 4, 6, 7, 10, 11]);
    }

    #[test]
    fn edits_do_not_overlap() {
        assert!(edits(&[(0, 3, "a"), (2, 4, "b")]).is_none());
        assert!(edits(&[(2, 2, "a"), (2, 2, "b")]).is_none());
        assert!(edits(&[(2, 2, "a"), (2, 4, "b")]).is_none());
        assert!(edits(&[(2, 2, "a"), (2, 2, "a"), (0, 2, "b")]).is_some());
    }
}
