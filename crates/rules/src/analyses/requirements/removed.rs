//! Packages whose newest version on PyPI is empty, and is there to say that they are gone.

use super::is_from_pypi;
use crate::code::{Grammar, Requirement};
use crate::rules::files::{FileScope, RawFinding};
use crate::versions::Range;

/// A package, the version that ends with an error, and what has taken its place.
const REMOVED: &[(&str, &str, &str)] =
    &[("tensorflow-gpu", "2.12.0", "tensorflow"), ("tf-nightly-gpu", "2.12.0", "tf-nightly")];

/// `tensorflow-gpu` and `tensorflow-gpu>=2.4`: pip takes the newest, which holds nothing.
pub fn removed_packages(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = Vec::new();
    for asked in &scope.code.requirements {
        let Some((name, _, successor)) =
            REMOVED.iter().find(|(name, version, _)| asked.name == *name && takes(asked, version))
        else {
            continue;
        };
        let place = scope.place(asked.span);
        if !found.iter().any(|known| known.place == place) {
            let raw_finding = RawFinding::at(place).word("name", *name);
            found.push(raw_finding.word("successor", *successor));
        }
    }
    found
}

/// Whether pip takes a version for a requirement, where it is the newest.
fn takes(asked: &Requirement, version: &str) -> bool {
    if asked.grammar != Grammar::Pep508 || !asked.marker.is_empty() || !is_from_pypi(&asked.index) {
        return false;
    }
    match asked.clauses.as_deref() {
        None => false,
        Some([]) => true,
        Some(clauses) => {
            let range = Range::of(clauses);
            let newest = Range::exactly(version);
            range.zip(newest).is_some_and(|(range, newest)| newest.lies_in(&range) == Some(true))
        }
    }
}
