//! Packages that need torch to be built, and that are built where it is not: in an environment of their own.

use super::bare_images::{lists_of, named};
use crate::program::RunCommand;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

/// Packages of which the `setup.py` imports torch, and which are published as sources alone.
const NEEDING: &[&str] = &["flash-attn", "flash_attn"];

/// Options that say where torch is, or where the package is built already.
const TOLD: &[&str] = &[
    "--no-build-isolation",
    "--no-use-pep517",
    "--find-links",
    "-f",
    "--index-url",
    "--extra-index-url",
    "-i",
];

/// How a project says it once for all installations.
const SAID: &[&str] = &[
    "NO_BUILD_ISOLATION",
    "no-build-isolation-package",
    "no-build-isolation = true",
    "extra-build-dependencies",
];

/// `uv pip install flash-attn`
pub(super) fn without_torch(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<RawFinding> = Vec::new();
    for command in scope.own_commands() {
        let Some(told) = command.told_pip_install() else { continue };
        let option = |word: &&str| TOLD.contains(&word.split('=').next().unwrap_or_default());
        if told.iter().any(option) || !is_isolated(scope, command) {
            continue;
        }
        let lists = lists_of(scope, command, &told);
        let package = NEEDING.iter().find_map(|package| {
            named(scope, &told, &lists, package).map(|place| (package.replace('_', "-"), place))
        });
        let Some((package, place)) = package else { continue };
        if found.iter().any(|known| known.place == command.site) {
            continue;
        }
        let raw_finding = RawFinding::at(command.site).word("package", package);
        found.push(match place {
            Some(place) => raw_finding.beside(place, "it is listed here"),
            None => raw_finding,
        });
    }
    // All of the project is searched for it, so it is asked last.
    if !found.is_empty() && scope.program.has_any(SAID) {
        found.clear();
    }
    found
}

/// Whether what is installed is surely built in an environment of its own. uv does so, and pip since 25.3; an older pip does where `wheel` is
/// not installed, as with Python 3.12.
fn is_isolated(scope: &FileScope<'_>, command: &RunCommand) -> bool {
    if command.words().iter().flatten().any(|word| *word == "uv") {
        return true;
    }
    if scope.language() != Language::Dockerfile {
        return false;
    }
    let before = &scope.whole_text()[..command.site.span.range().start];
    let stage = before.rfind("\nFROM ").map_or(before, |at| &before[at..]);
    // `pip install --upgrade pip`
    let is_new = |line: &str| {
        line.split("install ").skip(1).any(|rest| {
            let told = rest.split(['&', ';']).next().unwrap_or_default();
            let has = |wanted: &[&str]| told.split_whitespace().any(|word| wanted.contains(&word));
            has(&["-U", "--upgrade"]) && has(&["pip"])
        })
    };
    let is_late_python = stage.lines().any(|line| {
        let image = line.trim().strip_prefix("FROM ").unwrap_or_default().trim_start();
        let version = image
            .strip_prefix("python:3.")
            .and_then(|rest| rest.split(|sign: char| !sign.is_ascii_digit()).next()?.parse::<u32>().ok());
        version.is_some_and(|minor| minor >= 12)
    });
    is_late_python && !stage.contains("wheel") || stage.lines().any(is_new)
}
