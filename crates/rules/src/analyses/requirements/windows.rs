//! Scripts of Windows that install torch from PyPI, which has a build for the CPU there.

use super::is_from_pypi;
use crate::code::{Part, Requirement};
use crate::facts::{Place, Span};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::Language;

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
    let Some((span, list)) = installed(scope) else { return Vec::new() };
    if scope.program.has_any(OF_CUDA) {
        return Vec::new();
    }
    let python = || scope.program.every_file().filter(|(_, file)| file.language == Language::Python);
    if !python().any(|(_, file)| file.text.contains("torch") && file.text.contains("cuda")) {
        return Vec::new();
    }
    let raw_finding = RawFinding::at(scope.place(span)).word("text", scope.text(span).trim());
    let raw_finding = match list {
        Some(place) => raw_finding.beside(place, "torch is listed here"),
        None => raw_finding,
    };
    // Code that asks runs without a GPU as well, only slower.
    let asks = python().any(|(_, file)| file.text.contains("is_available"));
    vec![if asks { raw_finding.at_most(Severity::Note) } else { raw_finding }]
}

/// Where the script installs torch from PyPI, and where the list of packages that it hands to pip names it.
fn installed(scope: &FileScope<'_>) -> Option<(Span, Option<Place>)> {
    let by_command = |asked: &&Requirement| matches!(asked.part, Part::Command(_)) && is_plain_torch(asked);
    if let Some(asked) = scope.code.requirements.iter().find(by_command) {
        return Some((asked.span, None));
    }
    scope.own_commands().find_map(|command| {
        let told = ["pip", "pip3"].iter().find_map(|pip| command.told(pip))?;
        if told.first() != Some(&"install") {
            return None;
        }
        let lists = told.windows(2).filter(|pair| matches!(pair[0], "-r" | "--requirement"));
        lists.filter_map(|pair| scope.program.file_beside(command, None, pair[1])).find_map(|file| {
            let asked = scope.program.code(file).requirements.iter().find(|asked| is_plain_torch(asked))?;
            Some((command.site.span, Some(Place { file, span: asked.span })))
        })
    })
}

/// torch as PyPI has it, on all systems.
fn is_plain_torch(asked: &Requirement) -> bool {
    let has_label = asked.clauses.iter().flatten().any(|clause| clause.version.contains('+'));
    asked.name == "torch" && asked.marker.is_empty() && is_from_pypi(&asked.index) && !has_label
}
