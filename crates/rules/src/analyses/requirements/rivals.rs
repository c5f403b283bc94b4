//! Distributions of one package for the CPU and for a GPU, asked for in one environment.

use super::builds::{commands_meet, has_one_environment};
use super::meet;
use super::replaced::{listed_in, lists_of};
use crate::code::{Grammar, Part, Requirement};
use crate::facts::Place;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::{Language, folder_of, normalised};

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

/// Builds for the CPU with their rivals, and the packages that ask for the one for the CPU themselves.
const BRINGING: &[(&str, &[&str], &[&str])] = &[
    (
        "onnxruntime",
        &["onnxruntime-gpu"],
        &[
            "chromadb",
            "fastembed",
            "faster-whisper",
            "kokoro-onnx",
            "openwakeword",
            "piper-tts",
            "rapidocr-onnxruntime",
        ],
    ),
    ("faiss-cpu", &["faiss-gpu", "faiss-gpu-cu11", "faiss-gpu-cu12"], &["ragatouille"]),
];

/// So many of a file are compared with each other.
const MOST: usize = 50;

fn family(asked: &Requirement) -> Option<usize> {
    RIVALS.iter().position(|names| names.contains(&asked.name.as_str()))
}

/// Requirements that overwrite the files of another one.
pub fn rival_builds(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let known: Vec<&Requirement> =
        scope.code.requirements.iter().filter(|it| family(it).is_some()).take(MOST).collect();
    let mut seen: Vec<RawFinding> = Vec::new();
    for (at, &later) in known.iter().enumerate() {
        let rival = known[..at].iter().find(|earlier| {
            let together =
                meet(earlier, later) || meet_in_conda(earlier, later) || ends_on_cpu(earlier, later, scope);
            earlier.name != later.name && family(earlier) == family(later) && together
        });
        let place = scope.place(later.span);
        let Some(rival) = rival.filter(|_| !seen.iter().any(|known| known.place == place)) else { continue };
        let raw_finding = RawFinding::at(place).word("package", &later.name).word("other", &rival.name);
        seen.push(raw_finding.beside(scope.place(rival.span), "the other build is asked for here"));
    }
    seen.extend(rivals_in_lists(scope));
    seen.extend(rivals_in_included(scope));
    if seen.is_empty() {
        seen.extend(brought_by_others(scope));
    }
    seen
}

/// `onnxruntime-gpu` beside `fastembed`, which asks for `onnxruntime`.
fn brought_by_others(scope: &FileScope<'_>) -> Option<RawFinding> {
    /// Words of who leaves the build out that another package asks for.
    const LEFT_OUT: &[&str] =
        &["--no-deps", "no-dependencies", "override-dependencies", "uninstall", "--overrides", "--override"];
    let asked = &scope.code.requirements;
    let pairs = BRINGING
        .iter()
        .flat_map(|(brought, rivals, names)| rivals.iter().map(move |rival| (brought, rival, names)));
    let found = { pairs }.find_map(|(brought, rival, names)| {
        let build = asked.iter().find(|asked| asked.name == *rival)?;
        let is_bringing = |other: &&Requirement| {
            names.contains(&other.name.as_str()) && (meet(other, build) || are_in_one_command(other, build))
        };
        Some((brought, build, asked.iter().find(is_bringing)?))
    });
    let (brought, build, other) = found?;
    if scope.program.has_any(LEFT_OUT) {
        return None;
    }
    let seen = RawFinding::at(scope.place(build.span)).word("package", &build.name);
    let seen = seen.word("other", format!("{brought}` of `{}", other.name));
    Some(seen.beside(scope.place(other.span), "it asks for the other build"))
}

/// Whether two packages are installed by commands of one file, which share an environment.
fn are_in_one_command(one: &Requirement, other: &Requirement) -> bool {
    matches!((&one.part, &other.part), (Part::Command(one), Part::Command(other)) if one == other)
}

/// `onnxruntime-gpu` below `-r base.txt`, whose list asks for `onnxruntime`.
fn rivals_in_included(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let folder = folder_of(scope.program.name_of(scope.file));
    let lists = scope.code.included.iter().filter(|list| list.part == Part::Main);
    let files = lists.filter_map(|list| scope.program.file_named(&normalised(folder, &list.path)?));
    let mut found = Vec::new();
    for file in files {
        let listed = &scope.program.code(file).requirements;
        for asked in scope.code.requirements.iter().filter(|it| family(it).is_some()) {
            let is_rival = |other: &&Requirement| {
                other.name != asked.name && family(other) == family(asked) && meet(other, asked)
            };
            let Some(rival) = listed.iter().find(is_rival) else { continue };
            let raw_finding = RawFinding::at(scope.place(asked.span))
                .word("package", &asked.name)
                .word("other", &rival.name);
            found.push(
                raw_finding.beside(Place { file, span: rival.span }, "the other build is asked for here"),
            );
        }
    }
    found
}

/// `pip install onnxruntime-gpu` in an image, beside `pip install -r requirements.txt` whose list asks for `onnxruntime`.
fn rivals_in_lists(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.language() != Language::Dockerfile || !has_one_environment(scope) {
        return Vec::new();
    }
    let is_plain = |asked: &&Requirement| family(asked).is_some() && asked.marker.is_empty();
    let by_commands = scope.code.requirements.iter().filter(is_plain);
    let by_commands: Vec<_> = by_commands.filter(|asked| matches!(asked.part, Part::Command(_))).collect();
    let mut found = Vec::new();
    for (command, file) in lists_of(scope, |_| true) {
        if is_edited(scope, scope.program.name_of(file)) {
            continue;
        }
        for listed in listed_in(scope, file).filter(is_plain) {
            let is_rival =
                |asked: &&&Requirement| asked.name != listed.name && family(asked) == family(listed);
            let Some(rival) = by_commands.iter().find(is_rival) else { continue };
            // A build that is taken out again leaves the other one alone.
            if scope.whole_text().contains("pip uninstall") {
                continue;
            }
            let raw_finding =
                RawFinding::at(command).word("package", &listed.name).word("other", &rival.name);
            let raw_finding =
                raw_finding.beside(Place { file, span: listed.span }, "the list asks for it here");
            found.push(raw_finding.beside(scope.place(rival.span), "the other build is asked for here"));
        }
    }
    found
}

/// `sed -i '/onnxruntime/d' requirements.txt`: whether a command of an image changes a list before another one reads it.
fn is_edited(scope: &FileScope<'_>, list: &str) -> bool {
    const EDITORS: &[&str] = &["awk ", "grep -v", "perl -", "sed "];
    let name = list.rsplit('/').next().unwrap_or(list);
    let text = scope.whole_text().replace("\\\n", " ");
    text.lines()
        .filter(|line| line.contains(name))
        .any(|line| EDITORS.iter().any(|editor| line.contains(editor)) || line.contains(&format!("> {name}")))
}

/// `pip install onnxruntime-gpu` and below it `pip install onnxruntime`: the build for the CPU has the last word. The other way round the
/// one for the GPU has it.
fn ends_on_cpu(earlier: &Requirement, later: &Requirement, scope: &FileScope<'_>) -> bool {
    let is_pip = |asked: &Requirement| asked.grammar != Grammar::Conda;
    let is_for_gpu = |asked: &Requirement| asked.name.contains("-gpu");
    [earlier, later].into_iter().all(is_pip)
        && is_for_gpu(earlier)
        && !is_for_gpu(later)
        && later.name != "tensorflow"
        && commands_meet(earlier, later, scope)
}

/// Whether one is a package of conda, and the other one of the list for pip in the same file. What conda installs alone, it chooses itself.
fn meet_in_conda(one: &Requirement, other: &Requirement) -> bool {
    let is_conda = |asked: &Requirement| asked.grammar == Grammar::Conda;
    is_conda(one) != is_conda(other)
        && one.part == other.part
        && [one, other].iter().all(|asked| asked.marker.is_empty() && OF_BOTH.contains(&asked.name.as_str()))
}
