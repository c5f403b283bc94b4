//! `torch>=2.0.0+cu118`: a label of a build with an operator that takes none.

use super::{Build, label_of};
use crate::code::{Clause, Grammar};
use crate::rules::files::{FileScope, RawFinding};

/// Requirements that name the label of a build and leave the version open. Poetry's own tables allow that.
pub fn ranges_with_labels(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut seen = Vec::new();
    for requirement in scope.code.requirements.iter().filter(|it| it.grammar == Grammar::Pep508) {
        let clauses = requirement.clauses.as_deref().unwrap_or_default();
        if let Some(clause) = clauses.iter().find(|clause| is_refused(clause)) {
            let Clause { operator, version } = clause;
            let (release, label) = version.split_once('+').unwrap_or((version, ""));
            seen.push(
                RawFinding::at(scope.place(requirement.span))
                    .word("package", &requirement.name)
                    .word("operator", operator)
                    .word("version", version)
                    .word("release", release)
                    .word("label", label),
            );
        }
    }
    seen
}

/// `==` and `!=` may name a build, and `===` any text.
fn is_refused(clause: &Clause) -> bool {
    let takes_labels = matches!(clause.operator.as_str(), "==" | "!=" | "===");
    // `cu118`, `rocm`, `pt20cu118`
    let is_build = |label: &str| {
        let label = label.to_ascii_lowercase();
        Build::of_label(&label).is_some() || label.contains("cu1") || label == "cuda"
    };
    !takes_labels && label_of(clause).is_some_and(is_build)
}
