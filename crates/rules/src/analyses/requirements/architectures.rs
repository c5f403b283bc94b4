//! Wheels of torch that have no code for the GPU of the policy.

use super::{Build, is_from_pypi, is_set_elsewhere, may_be_linux, named_build};
use crate::architectures::capability_of;
use crate::code::{Grammar, Index, Part, Requirement};
use crate::findings::Severity;
use crate::program::knowledge::tables::{Pair, Wheels};
use crate::rules::files::{FileScope, RawFinding};
use crate::versions::Range;

/// Requirements of torch whose wheels, all that may be taken, lack the policy's GPU.
pub fn wheels_that_lack_it(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let tables = &scope.program.knowledge.tables;
    let Some(name) = scope.policy.gpu.as_ref().and_then(|gpu| gpu.name.as_deref()) else { return Vec::new() };
    let Some(capability) = capability_of(name).map(Pair::from) else { return Vec::new() };
    let wheels = &tables.wheels;
    let mut seen = Vec::new();
    for requirement in scope.code.requirements.iter().filter(|it| it.name == "torch") {
        let asks = !matches!(requirement.part, Part::Build | Part::Constraint);
        if !asks || requirement.grammar == Grammar::Conda || !may_be_linux(&requirement.marker) {
            continue;
        }
        let Some(range) = requirement.clauses.as_deref().and_then(Range::of) else { continue };
        let chosen = chosen(requirement, &range, wheels, scope);
        let lacking: Option<Vec<&[Pair]>> =
            chosen.iter().map(|(cuda, range)| without(wheels, capability, *cuda, range)).collect();
        let Some(lacking) = lacking.filter(|lacking| !lacking.is_empty()) else { continue };
        let mut versions: Vec<String> = chosen.iter().map(|(cuda, _)| cuda.to_string()).collect();
        versions.dedup();
        let raw_finding = RawFinding::at(scope.place(requirement.span))
            .word("gpu", name)
            .word("capability", capability.to_string())
            .word("cuda", listed(&versions))
            .word("architectures", listed(&shown(&lacking)))
            .word("others", listed(&serving(wheels, capability)));
        // A list may find another build installed, which somebody took from another index before.
        let by_itself = matches!(requirement.part, Part::Command(_)) || named_build(requirement).is_some();
        let all = chosen.iter().map(|(_, range)| range);
        let is_sure = by_itself || all.clone().all(|range| !may_serve(wheels, capability, range));
        seen.push(if is_sure { raw_finding } else { raw_finding.unsure().at_most(Severity::Note) });
    }
    seen
}

/// The CUDA of each wheel that may be taken, with the versions of torch; empty when that is not known.
fn chosen(
    requirement: &Requirement,
    range: &Range,
    wheels: &Wheels,
    scope: &FileScope<'_>,
) -> Vec<(Pair, Range)> {
    if let Some(build) = named_build(requirement) {
        return build.cuda().map(|cuda| (cuda, range.clone())).into_iter().collect();
    }
    // Beside PyPI, indexes of PyTorch may be asked; from others anything may come.
    let index = &requirement.index;
    let beside: Option<Vec<Pair>> = index.extra.iter().map(|url| Build::of_address(url)?.cuda()).collect();
    let default = Index { extra: Vec::new(), ..Index::clone(index) };
    let Some(beside) = beside.filter(|_| is_from_pypi(&default)) else { return Vec::new() };
    if is_set_elsewhere(requirement, scope) {
        return Vec::new();
    }
    // A lock file says what is taken of what the requirement allows.
    let locked = match requirement.part {
        Part::Command(_) => Vec::new(),
        _ => scope.program.versions().locked(scope.program.name_of(scope.file), "torch"),
    };
    let labels: Option<Vec<Build>> = locked
        .iter()
        .filter_map(|version| version.split_once('+'))
        .map(|(_, label)| Build::of_label(label))
        .collect();
    match labels.as_deref() {
        Some([]) => {}
        Some(builds) if builds.len() == locked.len() => {
            return builds.iter().filter_map(|build| Some((build.cuda()?, range.clone()))).collect();
        }
        _ => return Vec::new(),
    }
    let locked = locked.iter().filter_map(|version| Range::exactly(version)).reduce(|all, one| all.or(&one));
    let range = locked.as_ref().unwrap_or(range);
    let rows = wheels.pypi.iter().filter(|row| range.lies_in(&row.torch) != Some(false));
    let rows: Vec<_> = rows.collect();
    let all = rows.iter().map(|row| row.torch.clone()).reduce(|all, one| all.or(&one));
    if all.and_then(|all| range.lies_in(&all)) != Some(true) {
        return Vec::new();
    }
    let default = rows.into_iter().map(|row| (row.cuda, range.and(&row.torch)));
    default.chain(beside.into_iter().map(|cuda| (cuda, range.clone()))).collect()
}

/// What a wheel has code for, when it is known and the GPU is not among it.
fn without<'w>(wheels: &'w Wheels, capability: Pair, cuda: Pair, range: &Range) -> Option<&'w [Pair]> {
    let mut rows = wheels.architectures.iter().filter(|row| row.cuda.contains(&cuda));
    let row = rows.find(|row| range.lies_in(&row.torch) != Some(false))?;
    (!row.serve(capability)).then_some(row.has.as_slice())
}

/// Whether these versions of torch also have wheels with code for a GPU.
fn may_serve(wheels: &Wheels, capability: Pair, range: &Range) -> bool {
    let mut rows = wheels.architectures.iter().filter(|row| row.serve(capability));
    rows.any(|row| range.lies_in(&row.torch) != Some(false))
}

/// The versions of CUDA whose wheels have code for a GPU.
fn serving(wheels: &Wheels, capability: Pair) -> Vec<String> {
    let rows = wheels.architectures.iter().filter(|row| row.serve(capability));
    rows.flat_map(|row| &row.cuda).map(Pair::to_string).collect()
}

fn shown(lacking: &[&[Pair]]) -> Vec<String> {
    let mut all: Vec<Pair> = lacking.iter().flat_map(|has| has.iter().copied()).collect();
    all.sort();
    all.dedup();
    all.iter().map(Pair::to_string).collect()
}

/// `12.1`, `12.1 or 12.4`, `12.1, 12.4 or 12.6`
fn listed(items: &[String]) -> String {
    match items {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crate::architectures::capability_of;

    #[test]
    fn names_of_policies_lead_to_capabilities() {
        let of = |name: &str| capability_of(name).map(|capability| capability.to_string());
        let cases = [
            ("RTX 5060 Ti", Some("12.0")),
            ("NVIDIA GeForce RTX 3090", Some("8.6")),
            ("rtx 3090 ti", Some("8.6")),
            ("3090", Some("8.6")),
            ("A10", Some("8.6")),
            ("NVIDIA A100-SXM4-80GB", Some("8.0")),
            ("NVIDIA H100 80GB HBM3", Some("9.0")),
            ("RTX 6000 Ada Generation", Some("8.9")),
            // Turing and Ada.
            ("RTX 6000", None),
            ("RTX", None),
            ("", None),
            ("Radeon", None),
        ];
        for (name, expected) in cases {
            assert_eq!(of(name).as_deref(), expected, "{name}");
        }
    }
}
