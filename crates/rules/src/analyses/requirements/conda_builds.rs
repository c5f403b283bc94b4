//! A version of CUDA that conda is asked for, and that newer versions of torch have no build for.

use crate::code::{Grammar, Requirement};
use crate::program::knowledge::tables::Pair;
use crate::rules::files::{FileScope, RawFinding};
use crate::versions::Range;

/// The last version of torch in the channel of PyTorch.
const LAST_OF_CHANNEL: &str = "2.5.1";

/// `pytorch-cuda=11.7` beside a `pytorch` that may be any version.
pub fn without_cuda(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let of_conda = |names: &'static [&'static str]| {
        let all = scope.code.requirements.iter();
        all.filter(move |asked| asked.grammar == Grammar::Conda && names.contains(&asked.name.as_str()))
    };
    let published = &scope.program.knowledge.tables.wheels.published;
    let Some(last) = Range::exactly(LAST_OF_CHANNEL) else { return Vec::new() };
    let newest = published.iter().find(|row| last.lies_in(&row.torch) == Some(true));
    let mut found = Vec::new();
    for asked in of_conda(&["pytorch-cuda"]) {
        let Some(cuda) = cuda_of(asked) else { continue };
        let is_known = published.iter().any(|row| row.cuda.contains(&cuda));
        let is_left = newest.is_some_and(|row| !row.cuda.contains(&cuda));
        let open = of_conda(&["torch", "pytorch"]).find(|torch| is_open(scope, torch));
        let is_bounded = of_conda(&["torch", "pytorch"]).any(|torch| !is_open(scope, torch));
        if let Some(torch) = open.filter(|_| is_known && is_left && !is_bounded) {
            let raw_finding = RawFinding::at(scope.place(torch.span)).word("cuda", cuda.to_string());
            found.push(raw_finding.beside(scope.place(asked.span), "CUDA is asked for here"));
        }
    }
    found
}

/// `11.7` of `pytorch-cuda=11.7`.
fn cuda_of(asked: &Requirement) -> Option<Pair> {
    let [only] = asked.clauses.as_deref()? else { return None };
    let mut parts = only.version.trim_end_matches(".*").split('.');
    let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    only.operator.starts_with('=').then_some(Pair { major, minor })
}

/// Whether the newest version may be taken.
fn is_open(scope: &FileScope<'_>, asked: &Requirement) -> bool {
    let text = scope.text(asked.span);
    let Some(clauses) = &asked.clauses else { return !text.contains(['=', '<']) };
    // `pytorch=*=*cuda*` names the build.
    if text.contains("cuda") {
        return false;
    }
    clauses.iter().all(|clause| matches!(clause.operator.as_str(), ">=" | ">"))
}
