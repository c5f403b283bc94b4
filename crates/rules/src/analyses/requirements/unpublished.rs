//! Builds of torch that PyTorch never published: a version for a CUDA that it was not built for, and an index for a CUDA that no
//! version was.

use super::{Build, label_of, named_build};
use crate::code::{Grammar, Requirement};
use crate::program::knowledge::tables::{Pair, Wheels};
use crate::rules::files::{FileScope, RawFinding};
use crate::versions::Range;

/// `torch==2.0.1+cu121`, and an index that ends in `cu122`.
pub fn unpublished_builds(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let wheels = &scope.program.knowledge.tables.wheels;
    let torch = scope.code.requirements.iter().filter(|asked| asked.name == "torch");
    let mut found: Vec<RawFinding> = Vec::new();
    for asked in torch.filter(|asked| asked.grammar == Grammar::Pep508) {
        let place = scope.place(asked.span);
        let Some((cuda, builds)) = missing(asked, wheels) else { continue };
        if found.iter().any(|known| known.place == place) {
            continue;
        }
        let text = scope.text(asked.span).trim_matches(['"', '\'']);
        let raw_finding = RawFinding::at(place).word("requirement", text).word("cuda", cuda.to_string());
        found.push(raw_finding.word("builds", builds));
    }
    found
}

/// The CUDA that a requirement asks for, where there is no such build, and for which there is one.
fn missing(asked: &Requirement, wheels: &Wheels) -> Option<(Pair, String)> {
    let of_index =
        asked.index.only.iter().chain(&asked.index.extra).find_map(|index| Build::of_address(index)?.cuda());
    // Nobody knows what is built for versions of CUDA that are still to come.
    let newest = wheels.published.iter().flat_map(|row| &row.cuda).max()?;
    // Releases before those of the table had builds for older ones.
    let oldest = Pair { major: 11, minor: 0 };
    let ever = |cuda: &Pair| *cuda < oldest || wheels.published.iter().any(|row| row.cuda.contains(cuda));
    // Nightly builds come and go.
    if asked.index.only.iter().chain(&asked.index.extra).any(|index| index.contains("nightly")) {
        return None;
    }
    let named = || named_build(asked)?.cuda();
    if let Some(cuda) = of_index.or_else(named).filter(|cuda| cuda < newest && !ever(cuda)) {
        return Some((cuda, "no version of torch".to_owned()));
    }
    let cuda = named()?;
    let clauses = asked.clauses.as_deref()?;
    let [only] = clauses else { return None };
    let version = only.version.split('+').next().filter(|_| only.operator == "==")?;
    // A label says more than the index does.
    let labelled = label_of(only).is_some();
    let by_index = asked.index.only.is_some();
    let range = Range::exactly(version)?;
    let row = wheels.published.iter().find(|row| range.lies_in(&row.torch) == Some(true))?;
    if row.cuda.contains(&cuda) || !(labelled || by_index) {
        return None;
    }
    let builds: Vec<String> = row.cuda.iter().map(Pair::to_string).collect();
    Some((cuda, format!("torch {version} for CUDA {}", builds.join(", "))))
}
