//! Compute capabilities as people speak of them: one, those from one on, a whole major version.

use crate::architectures::{self, Capability};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    Exactly(Capability),
    /// `8.x`
    Major(u8),
    /// `8.0+`
    From(Capability),
    /// `> 8.0`
    Above(Capability),
    /// `<= 7.5`
    UpTo(Capability),
    /// `< 8.0`
    Below(Capability),
    /// `8.0-8.7`
    Between(Capability, Capability),
}

impl Range {
    pub fn contains(self, one: Capability) -> bool {
        match self {
            Range::Exactly(only) => one == only,
            Range::Major(major) => one.major == major,
            Range::From(first) => one >= first,
            Range::Above(below) => one > below,
            Range::UpTo(last) => one <= last,
            Range::Below(above) => one < above,
            Range::Between(first, last) => (first..=last).contains(&one),
        }
    }

    /// Every capability in it that belongs to an architecture.
    pub fn known(self) -> Vec<Capability> {
        architectures::capabilities().into_iter().filter(|one| self.contains(*one)).collect()
    }

    /// Whether these are the cards of an architecture, on some reading; `and_newer` adds those that came later.
    pub fn may_be(self, architecture: usize, and_newer: bool) -> bool {
        let is = |one: Capability| match architectures::architecture_of(one) {
            None => true,
            Some(found) => found == architecture || (and_newer && found > architecture),
        };
        match self {
            Range::Exactly(one) | Range::From(one) => is(one),
            Range::Between(first, last) => is(first) && is(last),
            _ => {
                let known = self.known();
                known.is_empty() || known.into_iter().any(is)
            }
        }
    }

    /// The architectures that it really stands for: `Ampere or Ada Lovelace`.
    pub fn truth(self) -> String {
        let ends = match self {
            Range::Exactly(one) | Range::From(one) => vec![one],
            Range::Between(first, last) => vec![first, last],
            _ => self.known(),
        };
        let mut names: Vec<&str> = Vec::new();
        for one in ends.into_iter().filter_map(architectures::architecture_of) {
            let name = architectures::architectures()[one].name.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(" or ")
    }
}

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Exactly(one) | Range::From(one) => write!(formatter, "{one}"),
            Range::Major(major) => write!(formatter, "{major}.x"),
            Range::Above(one) => write!(formatter, "above {one}"),
            Range::UpTo(one) => write!(formatter, "up to {one}"),
            Range::Below(one) => write!(formatter, "below {one}"),
            Range::Between(first, last) => write!(formatter, "{first} to {last}"),
        }
    }
}
