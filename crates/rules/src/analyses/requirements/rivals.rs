//! Distributions of one package for the CPU and for a GPU, asked for in one environment.

use super::meet;
use crate::code::Requirement;
use crate::rules::files::{FileScope, RawFinding};

/// Distributions that hold files of the same names.
const RIVALS: &[&[&str]] = &[
    &["faiss-cpu", "faiss-gpu", "faiss-gpu-cu11", "faiss-gpu-cu12"],
    &["onnxruntime", "onnxruntime-gpu", "onnxruntime-directml"],
    &["paddlepaddle", "paddlepaddle-gpu"],
    &["tensorflow", "tensorflow-cpu", "tensorflow-gpu"],
];

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
            earlier.name != later.name && family(earlier) == family(later) && meet(earlier, later)
        });
        let place = scope.place(later.span);
        let Some(rival) = rival.filter(|_| !seen.iter().any(|known| known.place == place)) else { continue };
        let raw_finding = RawFinding::at(place).word("package", &later.name).word("other", &rival.name);
        seen.push(raw_finding.beside(scope.place(rival.span), "the other build is asked for here"));
    }
    seen
}
