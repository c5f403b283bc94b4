//! An index that stands behind one requirement of a list, where pip takes no notice of it.

use super::{Build, label_of};
use crate::code::{Part, Requirement};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::{Language, file_name_of};

/// Options that say where wheels come from. pip reads them on lines of their own.
const OPTIONS: &[&str] = &["--index-url", "--extra-index-url", "--find-links", "-i", "-f"];

/// Addresses that have other builds than PyPI, beside those of PyTorch.
const OTHERS: &[&str] = &[
    "data.pyg.org",
    "data.dgl.ai",
    "jax-releases",
    "abetlen.github.io",
    "paddlepaddle.org.cn",
    "pypi.nvidia.com",
    "pypi.ngc.nvidia.com",
    "repo.radeon.com",
];

/// Variables that give an index to every installation.
const VARIABLES: &[&str] = &["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"];

/// `torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118`
pub fn options_behind_requirements(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !matches!(scope.language(), Language::Requirements | Language::Yaml) {
        return Vec::new();
    }
    let listed =
        scope.code.requirements.iter().filter(|asked| matches!(asked.part, Part::Main | Part::Locked));
    let ignored: Vec<_> =
        listed.filter_map(|asked| ignored_option(asked, scope).map(|option| (asked, option))).collect();
    if ignored.is_empty() || is_given_elsewhere(scope) {
        return Vec::new();
    }
    // The same index behind several requirements is one mistake.
    let mut groups: Vec<(&str, &str, Vec<&Requirement>)> = Vec::new();
    for (asked, (option, address)) in ignored {
        match groups.iter_mut().find(|(_, known, _)| *known == address) {
            Some((.., group)) => group.push(asked),
            None => groups.push((option, address, vec![asked])),
        }
    }
    let raw_finding = |(option, address, group): (&str, &str, Vec<&Requirement>)| {
        let (first, others) = group.split_first()?;
        let label = first.clauses.iter().flatten().find_map(label_of);
        let end = match label {
            Some(label) => format!("PyPI has no `+{label}`, so that the installation ends with an error"),
            None => "the build of PyPI is installed".to_owned(),
        };
        let raw_finding = RawFinding::at(scope.place(first.span)).word("name", &first.name);
        let raw_finding = raw_finding.word("option", option).word("index", address).word("end", end);
        let beside = |found: RawFinding, other: &&Requirement| {
            found.beside(scope.place(other.span), "the option here is passed over as well")
        };
        Some(others.iter().fold(raw_finding, beside))
    };
    groups.into_iter().filter_map(raw_finding).collect()
}

/// The option behind a requirement, with its address, where no line of the list says the same for all.
fn ignored_option<'a>(asked: &Requirement, scope: &FileScope<'a>) -> Option<(&'static str, &'a str)> {
    let rest = scope.whole_text().get(asked.span.start as usize..)?;
    let line = rest.lines().next()?;
    let line = line.split(" #").next().unwrap_or(line);
    // For a Mac there is one build.
    if line.contains("darwin") || line.contains("Darwin") {
        return None;
    }
    let mut words = line.split([' ', '\t', '=', '"', '\'', ';']).filter(|word| !word.is_empty()).skip(1);
    let option = words.find_map(|word| OPTIONS.iter().find(|option| **option == word))?;
    let address = words.next().filter(|word| word.contains("://"))?;
    let is_other = Build::of_address(address).is_some()
        || address.contains("download.pytorch.org")
        || OTHERS.iter().any(|other| address.contains(other));
    let index = &asked.index;
    let is_said = index.only.as_deref() == Some(address)
        || index.extra.iter().any(|extra| extra == address)
        || index.links;
    (is_other && !is_said).then_some((*option, address))
}

/// Whether a command that installs the list gives an index itself, or a program reads the list and makes commands of its lines.
fn is_given_elsewhere(scope: &FileScope<'_>) -> bool {
    let name = file_name_of(scope.program.name_of(scope.file));
    scope.program.every_file().any(|(file, source)| {
        file != scope.file
            && (VARIABLES.iter().any(|variable| source.text.contains(variable))
                || source.text.contains(name)
                    && (source.is_python()
                        || source.text.lines().any(|line| {
                            line.contains(name)
                                && (line.contains("index-url")
                                    || line.contains("--find-links")
                                    || line.contains(" -f "))
                        })))
    })
}
