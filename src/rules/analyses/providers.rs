//! GPU providers of ONNX Runtime that a session asks for, and may not get.

use crate::code::walk::{Around, Part, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, Sighting};
use crate::rules::uses::argument;

const SESSION: &str = "onnxruntime.InferenceSession";

const OF_GPUS: &[&str] = &["CUDAExecutionProvider", "TensorrtExecutionProvider"];

/// Distributions that have them, or other providers for a GPU: an extra or a text about installing may ask for them.
const BUILDS: &[&str] =
    &["onnxruntime-gpu", "onnxruntime_gpu", "onnxruntime-directml", "onnxruntime-training"];

/// Sessions on a GPU in a project that asks for the build without CUDA.
pub(super) fn without_build(scope: &FileScope<'_>) -> Vec<Sighting> {
    let files = &scope.program.sources.files;
    let names_build = || files.iter().any(|file| BUILDS.iter().any(|build| file.text.contains(build)));
    let file = scope.program.name_of(scope.file);
    let installs = |package: &str| {
        scope.program.versions().range(file, package).is_some() || scope.program.asks_for(package)
    };
    if !installs("onnxruntime") || installs("onnxruntime-gpu") || names_build() {
        return Vec::new();
    }
    let found = sessions(scope).into_iter().map(|session| (session.span, session.gpu));
    found.map(|(span, name)| Sighting::at(scope.place(span)).word("name", name)).collect()
}

/// Sessions with nothing but GPU providers, in a file that never asks which it got.
pub(super) fn that_are_dropped(scope: &FileScope<'_>) -> Vec<Sighting> {
    let asks = ["get_providers", "get_available_providers", "disable_fallback", "preload_dlls", "get_device"];
    if asks.iter().any(|word| scope.whole_text().contains(word)) {
        return Vec::new();
    }
    let alone = sessions(scope).into_iter().filter(|session| session.alone);
    alone.map(|session| Sighting::at(scope.place(session.span)).word("name", session.gpu)).collect()
}

/// A session that asks for a GPU.
struct Session {
    span: Span,
    gpu: &'static str,
    /// It asks for nothing else.
    alone: bool,
}

fn sessions(scope: &FileScope<'_>) -> Vec<Session> {
    let mut found = Vec::new();
    walk(scope.code, &mut |part, _| {
        let Part::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if scope.names.path(&call.callee) != Some(SESSION) {
            return;
        }
        let Some(given) = argument(&call.arguments, Some(2), Some("providers")) else { return };
        let ExprKind::Sequence(listed) = &scope.names.meant(given).kind else { return };
        let names: Option<Vec<&str>> = listed.iter().map(|one| provider(one)).collect();
        let Some(names) = names else { return };
        let gpu = OF_GPUS.iter().find(|gpu| names.contains(gpu));
        let alone = names.iter().all(|name| OF_GPUS.contains(name));
        found.extend(gpu.map(|gpu| Session { span: given.span, gpu, alone }));
    });
    found
}

/// `"CUDAExecutionProvider"`, or `("CUDAExecutionProvider", {…})`
fn provider<'e>(listed: &'e Expr<'_>) -> Option<&'e str> {
    match &listed.kind {
        ExprKind::Text(name) => Some(name),
        ExprKind::Sequence(pair) => pair.first().and_then(provider),
        _ => None,
    }
}

/// Providers in Rust that are registered, and whose failure nobody hears of.
pub(super) fn that_fail_softly(scope: &FileScope<'_>) -> Vec<Sighting> {
    let text = scope.whole_text();
    if text.contains("error_on_failure") || text.contains("is_available()") {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let Part::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let ExprKind::Attribute(_, "build") = &call.callee.kind else { return };
        let written = scope.text(expr.span);
        let is_provider =
            ["CUDAExecutionProvider::", "TensorRTExecutionProvider::", "ep::CUDA::", "ep::TensorRT::"]
                .iter()
                .any(|name| written.contains(name));
        // Nothing is called on what it builds.
        let is_last = !matches!(around.last(), Some(Around::Callee(_)));
        if is_provider && is_last {
            found.push(Sighting::at(scope.place(expr.span)).word("text", written));
        }
    });
    found
}
