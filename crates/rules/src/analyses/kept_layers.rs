//! Models of llama.cpp that stay on the CPU, in a project that builds the library for a GPU.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::Place;
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
    if scope.whole_text().contains("n_gpu_layers") {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let is_model = matches!(
            scope.names.path(&call.callee),
            Some("llama_cpp.Llama" | "llama_cpp.Llama.from_pretrained")
        );
        let is_open = call.arguments.iter().any(|one| one.unpacked);
        // A model for the words alone computes nothing.
        let is_empty = argument(&call.arguments, None, Some("vocab_only")).is_some();
        if is_model && !is_open && !is_empty {
            found.push(expr.span);
        }
    });
    let Some(build) = built_for_gpu(scope).filter(|_| !found.is_empty()) else { return Vec::new() };
    let raw_finding =
        |span| RawFinding::at(scope.place(span)).beside(build, "the library is built for a GPU here");
    found.into_iter().map(raw_finding).collect()
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
    scope.program.every_file().filter(|(_, file)| INSTALL.contains(&file.language)).find_map(
        |(file, source)| {
            let found = BUILDS.iter().find_map(|build| Some((source.text.find(build)?, build.len())));
            let (at, length) = found?;
            let is_comment =
                source.text[..at].rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'));
            (!is_comment).then(|| Place { file, span: crate::facts::Span::new(at, at + length) })
        },
    )
}
