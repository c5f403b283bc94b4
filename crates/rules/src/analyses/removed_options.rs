//! Options of builds that ask for CUDA under a name which the build no longer knows.

use crate::facts::{Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;
use crate::versions::Range;

const OPTION: &str = "-DLLAMA_CUBLAS=";

/// Words that fetch one state of the sources, which may be an old one.
const STATES: &[&str] = &["checkout", "--branch", " -b ", "submodule", "tags/", "archive/"];

/// `CMAKE_ARGS="-DLLAMA_CUBLAS=on" pip install llama-cpp-python`
pub(super) fn of_llama(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if STATES.iter().any(|word| text.contains(word)) || asks_for_old(scope) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (span, line) in lines_in(text) {
        let begin = line.trim_start();
        let is_remark = match scope.language() {
            Language::Batch => begin.starts_with("::") || begin.to_ascii_lowercase().starts_with("rem "),
            _ => begin.starts_with('#'),
        };
        let is_python = matches!(scope.language(), Language::Python | Language::Notebook);
        if is_python && !sets_it(line) {
            continue;
        }
        let Some(at) = line.find(OPTION).filter(|_| !is_remark) else { continue };
        let value = &line[at + OPTION.len()..];
        let end = value.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(value.len());
        if !["on", "1", "true", "yes"].contains(&value[..end].to_ascii_lowercase().as_str()) {
            continue;
        }
        let start = span.start as usize + at;
        let span = Span::new(start, start + OPTION.len() + end);
        found.push(RawFinding::at(scope.place(span)).word("text", scope.text(span)));
    }
    found
}

/// Whether a line of Python sets the variable of the build, or hands it to a shell: a text for people does not.
fn sets_it(line: &str) -> bool {
    const WAYS: &[&str] = &[
        "environ[",
        "\"CMAKE_ARGS\":",
        "'CMAKE_ARGS':",
        "Popen(",
        "check_call(",
        "putenv(",
        "run(",
        "setdefault(",
        "system(",
    ];
    let is_magic = line.trim_start().starts_with(['!', '%']);
    line.contains("CMAKE_ARGS") && (is_magic || WAYS.iter().any(|way| line.contains(way)))
}

/// Whether the project, or this file, asks for a version that knows the old name.
fn asks_for_old(scope: &FileScope<'_>) -> bool {
    let file = scope.program.name_of(scope.file);
    let old = Range::read("<0.2.80")
        .and_then(|old| scope.program.versions().satisfies(file, "llama-cpp-python", &old));
    old == Some(true) || pinned_in(scope.whole_text()).any(|version| version < [0, 2, 80])
}

/// The versions that a text asks for: `llama-cpp-python[server]==0.2.38`.
fn pinned_in(text: &str) -> impl Iterator<Item = [u32; 3]> {
    let behind = text.match_indices("==").filter_map(|(at, sign)| {
        let name = text[..at].trim_end_matches(['[', ']', 's', 'e', 'r', 'v']);
        let is_it = ["llama-cpp-python", "llama_cpp_python"].iter().any(|one| name.ends_with(one));
        is_it.then(|| &text[at + sign.len()..])
    });
    behind.filter_map(|version| {
        let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().ok());
        Some([parts.next()??, parts.next()??, parts.next()??])
    })
}
