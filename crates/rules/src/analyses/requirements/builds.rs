//! Requirements of one environment that are built for different versions of CUDA.

use super::{is_from_pypi, is_set_elsewhere, may_be_linux, meet, named_build};
use crate::code::{Part, Requirement};
use crate::program::knowledge::tables::VersionMatch;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;
use crate::versions::Range;

/// So many of a file are compared with each other: nobody lists more packages that have builds.
const MOST: usize = 200;

/// Pairs of requirements that must not be installed together.
pub fn different_builds(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let tables = &scope.program.knowledge.tables;
    let known = |it: &&Requirement| {
        tables.builds.pairs.iter().any(|pair| pair.packages.contains(&it.name))
            || tables.builds.families.iter().any(|family| it.name.starts_with(&family.prefix))
    };
    let requirements: Vec<&Requirement> = scope.code.requirements.iter().filter(known).take(MOST).collect();
    let mut seen: Vec<RawFinding> = Vec::new();
    for (at, &later) in requirements.iter().enumerate() {
        // A shell reads some lines twice.
        let earlier = requirements[..at].iter().copied().filter(|earlier| earlier.span != later.span);
        for earlier in earlier.filter(|earlier| meet(earlier, later) || commands_meet(earlier, later, scope))
        {
            let place = scope.place(later.span);
            if let Some(clash) = clash(earlier, later, scope)
                && !seen.iter().any(|known| known.place == place)
            {
                let raw_finding = RawFinding::at(place)
                    .word("requirement", scope.text(later.span).trim_matches(['"', '\'']))
                    .word("package", &later.name)
                    .word("cuda", clash.later)
                    .word("other", &earlier.name)
                    .word("other-cuda", clash.earlier)
                    .word("otherwise", clash.otherwise);
                seen.push(raw_finding.beside(scope.place(earlier.span), "the other build is asked for here"));
            }
        }
    }
    seen
}

/// Whether two commands of an image or a script install into one environment: nothing in the file makes or chooses others.
pub(super) fn commands_meet(one: &Requirement, other: &Requirement, scope: &FileScope<'_>) -> bool {
    if !matches!((&one.part, &other.part), (Part::Command(_), Part::Command(_))) {
        return false;
    }
    // What is installed twice may have replaced the first.
    let once = |asked: &Requirement| {
        scope.code.requirements.iter().filter(|it| it.name == asked.name && it.span != asked.span).count()
            == 0
    };
    once(one) && once(other) && has_one_environment(scope)
}

/// Whether all commands of an image or a script install into one environment, one after the other.
pub fn has_one_environment(scope: &FileScope<'_>) -> bool {
    const OTHERS: &[&str] =
        &["venv", "conda", "mamba", "activate", "uninstall", "--target", "--prefix", "uv run"];
    const CHOICES: &[&str] = &["if ", "elif ", "else", "case ", "for ", "||"];
    // What a comment says is no command.
    let lines = || scope.whole_text().lines().filter(|line| !line.trim_start().starts_with('#'));
    let is_one = match scope.language() {
        Language::Dockerfile => lines().filter(|line| line.starts_with("FROM ")).count() == 1,
        Language::Shell => true,
        _ => false,
    };
    is_one && !lines().any(|line| OTHERS.iter().chain(CHOICES).any(|word| line.contains(word)))
}

/// Two builds that do not go together.
struct Clash<'t> {
    earlier: String,
    later: String,
    otherwise: &'t str,
}

fn clash<'t>(earlier: &Requirement, later: &Requirement, scope: &FileScope<'t>) -> Option<Clash<'t>> {
    let tables = &scope.program.knowledge.tables;
    for pair in &tables.builds.pairs {
        let [one, other] = &pair.packages;
        let is_pair =
            (earlier.name == *one && later.name == *other) || (earlier.name == *other && later.name == *one);
        if !is_pair {
            continue;
        }
        let (first, second) = (named_build(earlier)?.cuda()?, named_build(later)?.cuda()?);
        let differ = match pair.same {
            VersionMatch::Version => first != second,
            VersionMatch::Major => first.major != second.major,
        };
        return differ.then(|| Clash {
            earlier: first.to_string(),
            later: second.to_string(),
            otherwise: &pair.otherwise,
        });
    }
    tables.builds.families.iter().find_map(|family| {
        let of = |requirement: &Requirement| major_in(requirement.name.strip_prefix(&family.prefix)?);
        let (first, second) = match (of(earlier), of(later)) {
            (Some(first), Some(second)) => (first, second),
            (Some(first), None) if family.torch_brings => (first, brought_by_torch(later, scope)?),
            (None, Some(second)) if family.torch_brings => (brought_by_torch(earlier, scope)?, second),
            _ => return None,
        };
        let same_files = !family.same_major || release_major(earlier)? == release_major(later)?;
        (first != second && same_files).then(|| Clash {
            earlier: first.to_string(),
            later: second.to_string(),
            otherwise: &family.otherwise,
        })
    })
}

/// `12` of `12x`, `12` and `120`; earlier names of cupy had all digits.
fn major_in(rest: &str) -> Option<u32> {
    let digits = rest.strip_suffix('x').unwrap_or(rest);
    let is_number = digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits[..2].parse().ok())?
}

/// The CUDA of the libraries that a wheel of torch from PyPI asks for, when its version is known.
fn brought_by_torch(torch: &Requirement, scope: &FileScope<'_>) -> Option<u32> {
    if torch.name != "torch"
        || !is_from_pypi(&torch.index)
        || !may_be_linux(&torch.marker)
        || is_set_elsewhere(torch, scope)
    {
        return None;
    }
    let clauses = torch.clauses.as_deref()?;
    if clauses.iter().any(|clause| clause.version.contains('+')) {
        return None;
    }
    let range = Range::of(clauses)?;
    let mut rows = scope
        .program
        .knowledge
        .tables
        .wheels
        .pypi
        .iter()
        .filter(|row| range.lies_in(&row.torch) == Some(true));
    rows.next().map(|row| row.cuda.major)
}

/// The first number of the one version that is asked for.
fn release_major(requirement: &Requirement) -> Option<&str> {
    match requirement.clauses.as_deref()? {
        [only] if only.operator == "==" => only.version.split('.').next(),
        _ => None,
    }
}
