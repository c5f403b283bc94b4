//! Models of llama.cpp that stay on the CPU, in a project that builds the library for a GPU.

use crate::code::walk::Ancestor;
use crate::facts::{Place, Span};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::sources::Language;

/// What asks for a build with CUDA or ROCm.
const BUILDS: &[&str] = &[
    "DGGML_CUDA=on",
    "DGGML_CUDA=ON",
    "DGGML_CUDA=1",
    "DLLAMA_CUBLAS=on",
    "DLLAMA_CUBLAS=ON",
    "DLLAMA_CUDA=on",
    "DLLAMA_CUDA=ON",
    "DGGML_HIPBLAS=on",
    "DGGML_HIP=on",
    "llama-cpp-python/whl/cu",
];

/// `Llama(model_path=…)` without `n_gpu_layers`, which is 0 unless it is given.
pub(super) fn on_the_cpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.whole_text().contains("n_gpu_layers") || scope.program.is_of_tests(scope.file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let is_model = matches!(
            scope.names.path(&call.callee),
            Some("llama_cpp.Llama" | "llama_cpp.Llama.from_pretrained")
        );
        let is_open = call.arguments.iter().any(|one| one.unpacked);
        // A model for the words alone computes nothing.
        let is_empty = argument(&call.arguments, None, Some("vocab_only")).is_some();
        if is_model && !is_open && !is_empty && !is_for_cpu(scope, around) {
            found.push(expr.span);
        }
    });
    let Some(build) = built_for_gpu(scope).filter(|_| !found.is_empty()) else { return Vec::new() };
    let raw_finding =
        |span| RawFinding::at(scope.place(span)).beside(build, "the library is built for a GPU here");
    found.into_iter().map(raw_finding).collect()
}

/// Whether tests around a call make it one for the CPU.
fn is_for_cpu(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    let says = |span: Span, words: &[&str]| {
        let lower = scope.text(span).to_ascii_lowercase();
        words.iter().any(|word| lower.contains(word))
    };
    around.iter().any(|one| match one {
        Ancestor::Then(test) => says(test.span, &["cpu"]),
        Ancestor::Otherwise(test) => says(test.span, &["cpu", "cuda", "device", "gpu"]),
        Ancestor::Function(number) => scope.code.functions[*number].name.to_ascii_lowercase().contains("cpu"),
        _ => false,
    })
}

/// Where a file that installs things asks for such a build; what a document says is for others.
fn built_for_gpu(scope: &FileScope<'_>) -> Option<Place> {
    const INSTALL: &[Language] = &[
        Language::Batch,
        Language::Dockerfile,
        Language::Makefile,
        Language::PowerShell,
        Language::Requirements,
        Language::Shell,
    ];
    let mut files = scope.program.every_file().filter(|(_, file)| INSTALL.contains(&file.language));
    files.find_map(|(file, source)| {
        let (at, length) = build_in(&source.text, source.language)?;
        Some(Place { file, span: Span::new(at, at + length) })
    })
}

/// Where a text asks for such a build of the library, and how long that is: in a command that installs it, or in a variable
/// above one.
fn build_in(text: &str, language: Language) -> Option<(usize, usize)> {
    if !BUILDS.iter().any(|build| text.contains(build)) {
        return None;
    }
    let commands = commands_in(text, language);
    let is_stage = |one: &&Command<'_>| {
        language == Language::Dockerfile && one.text.trim_start().to_ascii_uppercase().starts_with("FROM ")
    };
    let stages: Vec<&[Command<'_>]> = match commands.iter().any(|one| is_stage(&one)) {
        true => commands.split(|one| is_stage(&one)).collect(),
        false => vec![&commands],
    };
    let found: Vec<Option<(usize, usize)>> = stages.iter().map(|stage| build_of_stage(stage)).collect();
    // Another stage may be the one that starts the program.
    let is_plain = |stage: &[Command<'_>]| stage.iter().any(is_plain_build);
    let is_open = stages.iter().zip(&found).any(|(stage, found)| found.is_none() && is_plain(stage));
    found.into_iter().flatten().next().filter(|_| !is_open)
}

fn build_of_stage(commands: &[Command<'_>]) -> Option<(usize, usize)> {
    const SETTINGS: &[&str] = &["CMAKE_ARGS", "cmake.args"];
    commands.iter().enumerate().find_map(|(number, command)| {
        let found = |build: &&str| Some((command.start + command.text.find(build)?, build.len()));
        let found = BUILDS.iter().find_map(found)?;
        let is_index = command.text.contains("llama-cpp-python/whl/cu");
        let is_setting = SETTINGS.iter().any(|name| command.text.contains(name));
        let installs = |text: &str| is_library(text) || text.contains("install") && text.contains("-r ");
        // `else pip install llama-cpp-python`: a choice of the one who installs it.
        if installs(command.text) {
            return ((is_index || is_setting) && !commands.iter().any(is_plain_build)).then_some(found);
        }
        let is_built = || commands[number..].iter().any(|below| installs(below.text));
        (is_index || is_setting && is_built()).then_some(found)
    })
}

/// Whether a command names the library as a package, and not only as the folder of an index.
fn is_library(text: &str) -> bool {
    let text = text.to_ascii_lowercase().replace('_', "-");
    text.replace("llama-cpp-python/", "").contains("llama-cpp-python")
}

/// Whether a command installs the library and says nothing of a GPU.
fn is_plain_build(command: &Command<'_>) -> bool {
    is_library(command.text)
        && command.text.contains("install")
        && !command.text.contains("uninstall")
        && !BUILDS.iter().any(|build| command.text.contains(build))
}

/// One command with the lines that it goes on in, and where it begins.
struct Command<'a> {
    start: usize,
    text: &'a str,
}

/// The commands of a text, without comments and what is only shown.
fn commands_in(text: &str, language: Language) -> Vec<Command<'_>> {
    const SHOWS: &[&str] = &["@echo ", "echo ", "printf ", "write-host ", "write-output "];
    let goes_on = match language {
        Language::Batch => '^',
        Language::PowerShell => '`',
        _ => '\\',
    };
    let mut commands = Vec::new();
    let (mut start, mut at, mut is_hidden) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let code = line.trim();
        let lower = code.to_ascii_lowercase();
        let is_rem = language == Language::Batch && (lower.starts_with("rem ") || code.starts_with("::"));
        if language == Language::PowerShell && code.starts_with("<#") {
            is_hidden = true;
        }
        let was_hidden = is_hidden;
        if is_hidden && code.contains("#>") {
            is_hidden = false;
        }
        if was_hidden || code.starts_with('#') || is_rem {
            // A comment between the lines of a command does not end it.
            if text[start..begin].trim().is_empty() {
                start = at;
            }
            continue;
        }
        if code.ends_with(goes_on) {
            continue;
        }
        let (from, end) = (start, begin + line.find(" #").unwrap_or(line.len()));
        start = at;
        let shown = text[from..end].trim_start().to_ascii_lowercase();
        if !SHOWS.iter().any(|word| shown.starts_with(word)) {
            commands.push(Command { start: from, text: &text[from..end] });
        }
    }
    commands
}
