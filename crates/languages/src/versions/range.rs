//! Sets of versions, as PEP 440 writes them.

use crate::code::Clause;
use pep440_rs::{Version, VersionSpecifiers, release_specifiers_to_ranges};
use serde::{Deserialize, Deserializer, de::Error};
use std::fmt;
use std::ops::Bound;
use std::str::FromStr;
use version_ranges::Ranges;

/// Longer numbers are no versions, and the reader of versions adds one to them.
const MOST_DIGITS: usize = 15;

/// A set of versions. Pre-releases count as the release that they lead to, and builds with a label (`+cu121`) as the
/// release that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range(Ranges<Version>);

impl Range {
    /// `>=2.4,<3`; `None` for what PEP 440 does not know.
    pub fn read(text: &str) -> Option<Range> {
        let specifiers = VersionSpecifiers::from_str(plain(text)?).ok()?;
        Some(Range(release_specifiers_to_ranges(specifiers)))
    }

    /// What all clauses allow; any version for none.
    pub fn of(clauses: &[Clause]) -> Option<Range> {
        let each = clauses.iter().map(|Clause { operator, version }| {
            // A label says how a release was built, and not which one it is.
            let version = version.split('+').next().unwrap_or_default();
            // `===` compares texts.
            let operator = if operator == "===" { "==" } else { operator };
            format!("{operator}{version}")
        });
        Range::read(&each.collect::<Vec<_>>().join(","))
    }

    /// One version, as a lock file names it.
    pub fn exactly(version: &str) -> Option<Range> {
        let version = Version::from_str(plain(version)?).ok()?.only_release();
        Some(Range(Ranges::singleton(version)))
    }

    /// Whether no version is left out.
    pub fn is_any(&self) -> bool {
        self.0 == Ranges::full()
    }

    /// Whether all of these are among the others, or none is.
    pub fn lies_in(&self, wanted: &Range) -> Option<bool> {
        if self.0.is_empty() {
            return None;
        }
        match (self.0.subset_of(&wanted.0), self.0.is_disjoint(&wanted.0)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// Whether there is a lowest of these, and it is among the others.
    pub fn begins_in(&self, wanted: &Range) -> bool {
        match self.0.bounding_range() {
            Some((Bound::Included(lowest) | Bound::Excluded(lowest), _)) => wanted.0.contains(lowest),
            _ => false,
        }
    }

    pub fn or(&self, other: &Range) -> Range {
        Range(self.0.union(&other.0))
    }

    pub fn and(&self, other: &Range) -> Range {
        Range(self.0.intersection(&other.0))
    }
}

/// A version as it is compared with others: without what says how it was built.
pub fn release(text: &str) -> Option<Version> {
    Version::from_str(plain(text)?).ok()
}

/// A text without numbers that are too long to count with.
fn plain(text: &str) -> Option<&str> {
    let longest = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    (longest <= MOST_DIGITS && text.len() < 4_096).then_some(text)
}

impl fmt::Display for Range {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Range::read(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no range such as `>=2.4,<3`")))
    }
}
