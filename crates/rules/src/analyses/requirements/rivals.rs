//! Distributions of one package for the CPU and for a GPU, asked for in one environment.

use super::meet;
use crate::code::{Grammar, Requirement};
use crate::rules::files::{FileScope, RawFinding};

/// Distributions that hold files of the same names.
const RIVALS: &[&[&str]] = &[
    &["faiss-cpu", "faiss-gpu", "faiss-gpu-cu11", "faiss-gpu-cu12"],
    &["onnxruntime", "onnxruntime-gpu", "onnxruntime-directml"],
    &["paddlepaddle", "paddlepaddle-gpu"],
    &["tensorflow", "tensorflow-cpu", "tensorflow-gpu"],
];

/// Packages that conda and pip install into the same folder, under the same names.
const OF_BOTH: &[&str] =
    &["faiss-cpu", "faiss-gpu", "onnxruntime", "onnxruntime-gpu", "paddlepaddle", "paddlepaddle-gpu"];

/// So many of a file are compared with each other.
const MOST: usize = 50;

/// Requirements that overwrite the files of another one.
pub fn rival_builds(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let family = |it: &Requirement| RIVALS.iter().position(|names| names.contains(&it.name.as_str()));
    let known: Vec<&Requirement> =
        scope.code.requirements.iter().filter(|it| family(it).is_some()).take(MOST).collect();
    let mut seen: Vec<RawFinding> = Vec::new();
    for (at, &later) in known.iter().enumerate() {
        let rival = known[..at].iter().find(|earlier| {
            let together = meet(earlier, later) || meet_in_conda(earlier, later);
            earlier.name != later.name && family(earlier) == family(later) && together
        });
        let place = scope.place(later.span);
        let Some(rival) = rival.filter(|_| !seen.iter().any(|known| known.place == place)) else { continue };
        let raw_finding = RawFinding::at(place).word("package", &later.name).word("other", &rival.name);
        seen.push(raw_finding.beside(scope.place(rival.span), "the other build is asked for here"));
    }
    seen
}

/// Whether one is a package of conda, and the other one of the list for pip in the same file. What conda installs alone, it chooses itself.
fn meet_in_conda(one: &Requirement, other: &Requirement) -> bool {
    let is_conda = |asked: &Requirement| asked.grammar == Grammar::Conda;
    is_conda(one) != is_conda(other)
        && one.part == other.part
        && [one, other].iter().all(|asked| asked.marker.is_empty() && OF_BOTH.contains(&asked.name.as_str()))
}
