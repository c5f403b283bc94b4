//! Scripts of Windows that install torch or TensorFlow from PyPI, which has builds for the CPU there.

use super::{is_from_pypi, lists_in};
use crate::code::{Grammar, Part, Requirement};
use crate::facts::{Place, Span};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;
use crate::versions::Range;

/// Words of a script that gets torch from elsewhere as well, or that means the CPU.
const ELSEWHERE: &[&str] = &[
    "whl/",
    "torch_stable",
    "torch-backend",
    "TORCH_BACKEND",
    "index-url",
    "directml",
    "rocm",
    "cpu",
    "xpu",
];

/// Words of any file of the project that speak of a build for CUDA.
const OF_CUDA: &[&str] = &["whl/cu", "torch_stable", "+cu1", "pytorch-cuda", "cudatoolkit", "torch-backend"];

/// `pip install torch` of a batch file or of PowerShell, and a list of packages that it reads, in a project that uses CUDA.
pub fn without_cuda_on_windows(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let is_script = matches!(scope.language(), Language::Batch | Language::PowerShell);
    if !is_script || ELSEWHERE.iter().any(|word| text.to_ascii_lowercase().contains(&word.to_lowercase())) {
        return Vec::new();
    }
    let Some((span, list)) = installed(scope, &is_plain_torch) else { return tensorflow(scope) };
    if scope.program.has_any(OF_CUDA) {
        return Vec::new();
    }
    let python = || scope.program.every_file().filter(|(_, file)| file.language == Language::Python);
    if !python().any(|(_, file)| file.text.contains("torch") && file.text.contains("cuda")) {
        return Vec::new();
    }
    let raw_finding = finding(scope, span, list, "torch");
    // Code that asks runs without a GPU as well, only slower.
    let asks = python().any(|(_, file)| file.text.contains("is_available"));
    vec![if asks { raw_finding.at_most(Severity::Note) } else { raw_finding }]
}

/// Words of a project that wants a GPU for TensorFlow.
const FOR_TENSORFLOW: &[&str] =
    &["cudatoolkit", "cudnn", "/GPU:", "/gpu:", "device:GPU", "device:gpu", "set_memory_growth"];

/// `pip install tensorflow`, which since 2.11 has no CUDA for Windows.
fn tensorflow(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text().to_ascii_lowercase();
    let elsewhere = ["wsl", "directml", "cpu"].iter().any(|word| text.contains(word));
    let python = || scope.program.every_file().filter(|(_, file)| file.language == Language::Python);
    let uses = python().any(|(_, file)| {
        file.text.contains("tensorflow") && (file.text.contains("GPU") || file.text.contains("gpu"))
    });
    let Some((span, list)) = installed(scope, &is_new_tensorflow).filter(|_| uses && !elsewhere) else {
        return Vec::new();
    };
    let raw_finding = finding(scope, span, list, "TensorFlow");
    // It takes the CPU without a word, and who only lists GPUs may do with none.
    let wants = FOR_TENSORFLOW.iter().any(|word| text.contains(&word.to_ascii_lowercase()))
        || python().any(|(_, file)| FOR_TENSORFLOW.iter().any(|word| file.text.contains(word)));
    vec![if wants { raw_finding } else { raw_finding.at_most(Severity::Note) }]
}

fn finding(scope: &FileScope<'_>, span: Span, list: Option<Place>, package: &'static str) -> RawFinding {
    let (what, advice) = match package {
        "torch" => (
            "the build of torch for the CPU: on Windows PyPI has no other",
            "name an index for CUDA: `--index-url https://download.pytorch.org/whl/cu128`, with the number that fits the driver and the version",
        ),
        _ => (
            "a TensorFlow without CUDA: since 2.11 there is none for Windows",
            "install it in WSL2, or ask for `tensorflow<2.11`",
        ),
    };
    let raw_finding = RawFinding::at(scope.place(span)).word("text", scope.text(span).trim());
    let raw_finding = raw_finding.word("what", what).word("wanted", advice);
    match list {
        Some(place) => raw_finding.beside(place, format!("{package} is listed here")),
        None => raw_finding,
    }
}

/// TensorFlow as PyPI has it, in a version from 2.11 on.
fn is_new_tensorflow(asked: &Requirement) -> bool {
    let is_new = asked.clauses.as_deref().is_some_and(|clauses| {
        let old = Range::of(clauses).zip(Range::read("<2.11")).and_then(|(range, old)| range.lies_in(&old));
        clauses.is_empty() || old != Some(true)
    });
    asked.name == "tensorflow" && asked.grammar == Grammar::Pep508 && asked.marker.is_empty() && is_new
}

/// Where the script installs torch from PyPI, and where the list of packages that it hands to pip names it.
fn installed(scope: &FileScope<'_>, is_it: &dyn Fn(&Requirement) -> bool) -> Option<(Span, Option<Place>)> {
    let by_command = |asked: &&Requirement| matches!(asked.part, Part::Command(_)) && is_it(asked);
    if let Some(asked) = scope.code.requirements.iter().find(by_command) {
        return Some((asked.span, None));
    }
    scope.own_commands().find_map(|command| {
        let told = command.told_pip_install()?;
        lists_in(&told).filter_map(|list| scope.program.file_beside(command, None, list)).find_map(|file| {
            let asked = scope.program.code(file).requirements.iter().find(|asked| is_it(asked))?;
            Some((command.site.span, Some(Place { file, span: asked.span })))
        })
    })
}

/// torch as PyPI has it, on all systems.
fn is_plain_torch(asked: &Requirement) -> bool {
    let has_label = asked.clauses.iter().flatten().any(|clause| clause.version.contains('+'));
    asked.name == "torch" && asked.marker.is_empty() && is_from_pypi(&asked.index) && !has_label
}
