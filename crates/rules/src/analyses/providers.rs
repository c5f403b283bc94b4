//! GPUs that a session of ONNX Runtime, a model of llama.cpp or a program of Paddle asks for, and may not get.

use super::given_arguments::any_given_to;
use super::given_sessions::is_always_given;
use super::images::asked_by_commands;
use super::literal_defaults::{Literal, default_of};
use super::{jax_builds, plain_builds, rust_builds};
use crate::code::walk::Ancestor;
use crate::code::{Expr, ExprKind, Requirement};
use crate::facts::{Place, Span};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use crate::versions::Range;
use std::cell::Cell;

const SESSION: &str = "onnxruntime.InferenceSession";

const OF_GPUS: &[&str] = &["CUDAExecutionProvider", "TensorrtExecutionProvider"];

/// Distributions that have them, or other providers for a GPU: an extra or a text about installing may ask for them.
const BUILDS: &[&str] =
    &["onnxruntime-gpu", "onnxruntime_gpu", "onnxruntime-directml", "onnxruntime-training"];

/// What asks for a GPU in a project that installs a build without one.
pub(super) fn without_build(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = sessions_without_build(scope);
    found.extend(layers_without_build(scope));
    found.extend(paddle_without_build(scope));
    found.extend(plain_builds::without_gpu(scope));
    found.extend(jax_builds::without_gpu(scope));
    found.extend(rust_builds::without_gpu(scope));
    found.extend(plain_builds::tensorflow_without_gpu(scope));
    found.extend(plain_builds::lightgbm_without_cuda(scope));
    found
}

/// Whether the project says that it needs a distribution.
fn installs(scope: &FileScope<'_>, package: &str) -> bool {
    let file = scope.program.name_of(scope.file);
    scope.program.versions().range(file, package).is_some() || scope.program.asks_for(package)
}

fn sessions_without_build(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let names_build = || scope.program.has_any(BUILDS);
    let installs = |package: &str| installs(scope, package) || !asked_by_commands(scope, package).is_empty();
    if !installs("onnxruntime") || installs("onnxruntime-gpu") || names_build() {
        return Vec::new();
    }
    let found = sessions(scope).into_iter().map(|session| (session.span, session.gpu));
    let raw_finding = |(span, name)| {
        let raw_finding = RawFinding::at(scope.place(span)).word("name", name).word("package", "onnxruntime");
        raw_finding.word("wanted", "ask for `onnxruntime-gpu` in its place")
    };
    found.map(raw_finding).collect()
}

/// Signs that llama-cpp-python is built for a GPU, or that somebody says how.
const LLAMA_BUILDS: &[&str] = &[
    "GGML_CUDA",
    "LLAMA_CUBLAS",
    "LLAMA_CUDA",
    "GGML_HIP",
    "LLAMA_HIP",
    "GGML_METAL",
    "LLAMA_METAL",
    "GGML_VULKAN",
    "LLAMA_VULKAN",
    "GGML_SYCL",
    "llama-cpp-python/whl/cu",
    "llama-cpp-python/whl/metal",
    "llama_cpp_python_cuda",
    "llama-cpp-python-cuda",
];

/// What loads a model by llama-cpp-python, also inside of other libraries.
const LLAMA_MODELS: &[&str] = &[
    "langchain.embeddings.LlamaCppEmbeddings",
    "langchain.llms.LlamaCpp",
    "langchain_community.chat_models.ChatLlamaCpp",
    "langchain_community.embeddings.LlamaCppEmbeddings",
    "langchain_community.llms.LlamaCpp",
    "llama_cpp.Llama",
    "llama_cpp.Llama.from_pretrained",
    "llama_index.llms.LlamaCPP",
    "llama_index.llms.llama_cpp.LlamaCPP",
];

/// Layers that are put on a GPU by a build of llama-cpp-python that has none: that of PyPI, or of its index for the CPU.
fn layers_without_build(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !scope.whole_text().contains("n_gpu_layers") {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let path = scope.names.path(&call.callee).unwrap_or_default();
        if !LLAMA_MODELS.contains(&path) {
            return;
        }
        let in_mapping = |name: &str| {
            let ExprKind::Mapping(pairs) =
                &scope.names.meant(argument(&call.arguments, None, Some(name))?).kind
            else {
                return None;
            };
            let is_it = |key: &Expr<'_>| matches!(&key.kind, ExprKind::Text(key) if key == "n_gpu_layers");
            pairs.iter().find(|(key, _)| key.as_ref().is_some_and(is_it)).map(|(_, value)| value)
        };
        let given = argument(&call.arguments, None, Some("n_gpu_layers"));
        let Some(given) = given.or_else(|| in_mapping("model_kwargs")) else { return };
        if default_of(scope, given).and_then(|layers| layers.number()).is_some_and(|layers| layers != 0) {
            found.push(given.span);
        }
    });
    let Some(command) = installs_llama(scope).filter(|_| !found.is_empty()) else { return Vec::new() };
    let raw_finding = |span| {
        let raw_finding = RawFinding::at(scope.place(span)).word("name", scope.text(span));
        let wanted = "build it with `CMAKE_ARGS=\"-DGGML_CUDA=on\"`, or take its index for a version of CUDA";
        let raw_finding = raw_finding.word("package", "llama-cpp-python").word("wanted", wanted);
        match command {
            Some(command) => raw_finding.beside(command, "it is installed here"),
            None => raw_finding,
        }
    };
    found.into_iter().map(raw_finding).collect()
}

/// Whether the project says that llama-cpp-python is installed, and nothing of a build for a GPU; and the command that installs it,
/// where no list does.
fn installs_llama(scope: &FileScope<'_>) -> Option<Option<Place>> {
    const PACKAGE: &str = "llama-cpp-python";
    if scope.program.has_any(LLAMA_BUILDS) {
        return None;
    }
    let mut asked = scope.program.versions().asked(scope.program.name_of(scope.file), PACKAGE);
    let mut command = None;
    if asked.is_empty() {
        let by_commands = asked_by_commands(scope, PACKAGE);
        command = by_commands.first().map(|(place, _)| *place);
        asked = by_commands.into_iter().map(|(_, asked)| asked).collect();
    }
    // A wheel that is named by its address, or an index for a GPU.
    let is_plain = |asked: &Requirement| {
        let of_gpu = |address: &String| !address.ends_with("/cpu") && address.contains(PACKAGE);
        asked.index.only.is_none() && !asked.index.links && !asked.index.extra.iter().any(of_gpu)
    };
    let are_plain = asked.iter().all(|asked| asked.clauses.is_some() && is_plain(asked));
    (!asked.is_empty() && are_plain).then_some(command)
}

/// A GPU that Paddle is told to use, by the build of PyPI that has none.
fn paddle_without_build(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const PACKAGE: &str = "paddlepaddle";
    const BUILDS: &[&str] = &["paddlepaddle-gpu", "paddlepaddle_gpu", "paddlepaddle.org.cn"];
    let text = scope.whole_text();
    if !text.contains("paddle") {
        return Vec::new();
    }
    let is_asked = installs(scope, PACKAGE) || !asked_by_commands(scope, PACKAGE).is_empty();
    if !is_asked
        || scope.program.has_any(BUILDS)
        || ["is_compiled_with_cuda", "cuda.device_count"].iter().any(|word| text.contains(word))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let device = match scope.names.path(&call.callee) {
            Some("paddle.set_device" | "paddle.device.set_device") => {
                argument(&call.arguments, Some(0), Some("device"))
            }
            Some("paddleocr.PaddleOCR" | "paddleocr.PPStructure" | "paddleocr.PPStructureV3") => {
                argument(&call.arguments, None, Some("device"))
                    .or_else(|| argument(&call.arguments, None, Some("use_gpu")))
            }
            _ => return,
        };
        let Some(device) = device else { return };
        let on_gpu = match default_of(scope, device) {
            Some(Literal::Text(name)) => name == "gpu" || name.starts_with("gpu:"),
            Some(Literal::Bool(on)) => on,
            _ => false,
        };
        if on_gpu {
            found.push(device.span);
        }
    });
    let raw_finding = |span| {
        let raw_finding = RawFinding::at(scope.place(span)).word("name", scope.text(span));
        raw_finding.word("package", PACKAGE).word("wanted", "ask for `paddlepaddle-gpu` in its place")
    };
    found.into_iter().map(raw_finding).collect()
}

/// Sessions with nothing but GPU providers, in a file that never asks which it got.
pub(super) fn that_are_dropped(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let asks = ["get_providers", "get_available_providers", "disable_fallback", "preload_dlls", "get_device"];
    if asks.iter().any(|word| scope.whole_text().contains(word)) {
        return Vec::new();
    }
    let alone = sessions(scope).into_iter().filter(|session| session.alone);
    alone.map(|session| RawFinding::at(scope.place(session.span)).word("name", session.gpu)).collect()
}

/// Sessions that name no provider, in a project that installs the build for GPUs.
pub(super) fn that_are_not_named(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let installs = |package: &str| installs(scope, package) || !asked_by_commands(scope, package).is_empty();
    if !installs("onnxruntime-gpu")
        || installs("onnxruntime")
        || scope.whole_text().contains("set_providers")
        || takes_gpu_unasked(scope)
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let is_open = call.arguments.iter().any(|argument| argument.unpacked);
        if scope.names.path(&call.callee) == Some(SESSION)
            && !is_open
            && argument(&call.arguments, Some(2), Some("providers")).is_none()
            && !is_always_given(scope, around)
        {
            found.push(RawFinding::at(scope.place(expr.span)));
        }
    });
    found
}

/// Whether every build that the project may install is older than 1.9: a session of these takes all providers of its build.
pub(super) fn takes_gpu_unasked(scope: &FileScope<'_>) -> bool {
    const PACKAGE: &str = "onnxruntime-gpu";
    let Some(old) = Range::read("<1.9") else { return false };
    if let Some(range) = scope.program.versions().range(scope.program.name_of(scope.file), PACKAGE) {
        return range.lies_in(&old) == Some(true);
    }
    let asked = asked_by_commands(scope, PACKAGE);
    let is_old = |asked: &Requirement| {
        asked.clauses.as_deref().and_then(Range::of).and_then(|range| range.lies_in(&old)) == Some(true)
    };
    !asked.is_empty() && asked.iter().all(|(_, asked)| is_old(asked))
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
    scope.each_call(&mut |_, call, _| {
        if scope.names.path(&call.callee) != Some(SESSION) {
            return;
        }
        let Some(given) = argument(&call.arguments, Some(2), Some("providers")) else { return };
        let mut lists = Vec::new();
        may_be(given, scope, 0, &mut lists);
        let mut with_gpu = lists.iter().find_map(|listed| gpu_of(listed, scope));
        // `sessions(paths, providers=["CUDAExecutionProvider"])`, by who calls the function that makes it.
        let of_callers = Cell::new(None);
        if with_gpu.is_none() {
            any_given_to(scope, given, &|caller, given| {
                let mut lists = Vec::new();
                may_be(given, caller, 0, &mut lists);
                of_callers.set(lists.iter().find_map(|listed| gpu_of(listed, caller)));
                of_callers.get().is_some()
            });
            with_gpu = of_callers.get();
        }
        found.extend(with_gpu.map(|(gpu, alone)| Session { span: given.span, gpu, alone }));
    });
    found
}

/// The provider for a GPU in a list, and whether there is no other one in it.
fn gpu_of(listed: &[Expr<'_>], scope: &FileScope<'_>) -> Option<(&'static str, bool)> {
    let names: Vec<&str> = listed.iter().map(|one| provider(one, scope)).collect::<Option<_>>()?;
    let gpu = OF_GPUS.iter().find(|gpu| names.contains(gpu))?;
    Some((gpu, names.iter().all(|name| OF_GPUS.contains(name))))
}

/// The lists that an expression may be: through a name, either side of a condition, and the values of a table.
pub(super) fn may_be<'e>(
    expr: &'e Expr<'e>,
    scope: &'e FileScope<'_>,
    depth: usize,
    lists: &mut Vec<&'e [Expr<'e>]>,
) {
    const DEEPEST: usize = 4;
    if depth > DEEPEST {
        return;
    }
    let meant = scope.names.meant(expr);
    match &meant.kind {
        ExprKind::Sequence(listed) => lists.push(listed),
        ExprKind::Call(call) => {
            // `list(PROVIDERS)`
            if let Some("builtins.list" | "builtins.tuple") = scope.names.path(&call.callee)
                && let [only] = &call.arguments[..]
            {
                may_be(&only.value, scope, depth + 1, lists);
            }
        }
        ExprKind::Choice(parts) => {
            may_be(&parts.1, scope, depth + 1, lists);
            may_be(&parts.2, scope, depth + 1, lists);
        }
        ExprKind::Item(parts) => {
            if let ExprKind::Mapping(items) = &scope.names.meant(&parts.0).kind {
                items.iter().for_each(|(_, value)| may_be(value, scope, depth + 1, lists));
            }
        }
        // `if options.cuda: providers = […]`; what there is may be asked there.
        ExprKind::Name(_) if !scope.whole_text().contains("get_available_providers") => {
            let values = scope.names.may_mean(meant).into_iter();
            let known = values.filter(|one| !matches!(one.kind, ExprKind::Name(_)));
            known.for_each(|one| may_be(one, scope, depth + 1, lists));
        }
        _ => {}
    }
}

/// `"CUDAExecutionProvider"`, or `("CUDAExecutionProvider", {…})`
pub(super) fn provider<'e>(listed: &'e Expr<'e>, scope: &'e FileScope<'_>) -> Option<&'e str> {
    match &scope.names.meant(listed).kind {
        ExprKind::Text(name) => Some(name),
        ExprKind::Sequence(pair) => pair.first().and_then(|first| provider(first, scope)),
        _ => None,
    }
}

/// Providers in Rust that are registered, and whose failure nobody hears of.
pub(super) fn that_fail_softly(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if text.contains("error_on_failure") || text.contains("is_available()") {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let ExprKind::Attribute(_, "build") = &call.callee.kind else { return };
        let written = scope.text(expr.span);
        let is_provider =
            ["CUDAExecutionProvider::", "TensorRTExecutionProvider::", "ep::CUDA::", "ep::TensorRT::"]
                .iter()
                .any(|name| written.contains(name));
        // Nothing is called on what it builds.
        let is_last = !matches!(around.last(), Some(Ancestor::Callee(_)));
        if is_provider && is_last {
            found.push(RawFinding::at(scope.place(expr.span)).word("text", written));
        }
    });
    found
}
