//! Resets of the whole device in the middle of work: everything that a framework holds on the card is gone, and the
//! framework does not know.

use super::memory::{called, path};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Command, Expr, ExprKind, ImportNames, StatementKind};
use crate::commands::{Started, invocation, program_name};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Calls that reset a device or destroy its context.
const RESETTING: &[&str] = &[
    "cupy.cuda.runtime.deviceReset",
    "cuda.cudart.cudaDeviceReset",
    "cuda.bindings.runtime.cudaDeviceReset",
    "cuda.bindings.driver.cuDevicePrimaryCtxReset",
    "cuda.cuda.cuDevicePrimaryCtxReset",
    "numba.cuda.close",
    "numba.cuda.get_current_device().reset",
    "numba.cuda.current_context().reset",
    "numba.cuda.devices.reset",
    "numba.cuda.select_device().reset",
];

/// Functions of a C library, by whatever name it is loaded.
const OF_THE_LIBRARY: &[&str] =
    &["cudaDeviceReset", "cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset_v2", "hipDeviceReset"];

/// One of these is a part of each of the above, and of each command.
pub(super) const WORDS: &[&str] = &[
    "deviceReset",
    "cudaDeviceReset",
    "cuDevicePrimaryCtxReset",
    "cuDevicePrimaryCtxReset_v2",
    "hipDeviceReset",
    "numba",
    "nvidia-smi",
];

/// Libraries that hold memory on the card for as long as their process lives.
const FRAMEWORKS: &[&str] = &[
    "accelerate",
    "ctranslate2",
    "cudf",
    "cuml",
    "cupy",
    "deepspeed",
    "diffusers",
    "faster_whisper",
    "jax",
    "keras",
    "lightning",
    "onnxruntime",
    "pytorch_lightning",
    "sentence_transformers",
    "spacy",
    "tensorflow",
    "torch",
    "torchaudio",
    "torchvision",
    "transformers",
    "ultralytics",
    "vllm",
    "whisper",
    "whisperx",
];

/// Device resets in a file that also uses a framework, and in scripts that also run programs.
pub(super) fn beside_frameworks(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut resets: Vec<(Span, String)> = Vec::new();
    let mut framework: Option<(Span, String)> = None;
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(step) => match &step.kind {
            StatementKind::Import(import) if framework.is_none() => {
                let root = import.module.split('.').next().unwrap_or_default();
                let outside = scope.program.imports_outside(scope.file, import);
                let is_types = matches!(import.names, ImportNames::Names(ref names) if names.is_empty());
                if outside && import.level == 0 && FRAMEWORKS.contains(&root) && !is_types {
                    framework = Some((step.span, root.to_owned()));
                }
            }
            StatementKind::Command(command) => {
                let words: Vec<Option<&str>> = command.words.iter().map(literal).collect();
                if resets_by_command(&words) {
                    resets.push((step.span, "nvidia-smi --gpu-reset".to_owned()));
                } else if framework.is_none() && runs_program(command, &words) {
                    framework = Some((step.span, "a program".to_owned()));
                }
            }
            _ => {}
        },
        CodeNode::Expr(expr) => {
            if let Some(name) = reset_by_call(scope, expr) {
                resets.push((expr.span, name));
            }
        }
        CodeNode::Target(_) => {}
    });
    let Some((live, name)) = framework else { return Vec::new() };
    let message = format!("{name} keeps what it has on the card");
    let raw_finding = |(span, reset): (Span, String)| {
        RawFinding::at(scope.place(span)).word("reset", reset).beside(scope.place(live), message.clone())
    };
    resets.into_iter().map(raw_finding).collect()
}

fn reset_by_call(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<String> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let path = path(scope, &call.callee);
    if RESETTING.contains(&path) {
        return Some(scope.text(call.callee.span).to_owned());
    }
    if let ExprKind::Attribute(_, name) = &call.callee.kind
        && OF_THE_LIBRARY.contains(name)
    {
        return Some((*name).to_owned());
    }
    runs_reset(scope, expr).then(|| "nvidia-smi --gpu-reset".to_owned())
}

/// `subprocess.run(["nvidia-smi", "--gpu-reset"])`, `os.system("nvidia-smi --gpu-reset")`
fn runs_reset(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let path = called(scope, expr);
    let starts = path.starts_with("subprocess.")
        || path.starts_with("asyncio.create_subprocess_")
        || matches!(path, "os.system" | "os.popen" | "pty.spawn" | "IPython.get_ipython().system");
    let ExprKind::Call(call) = &expr.kind else { return false };
    if !starts {
        return false;
    }
    let positional = call.arguments.iter().filter(|argument| argument.name.is_none_or(|name| name == "args"));
    let mut words: Vec<Option<String>> = Vec::new();
    for argument in positional {
        let value = scope.names.meant(&argument.value);
        match &value.kind {
            ExprKind::Sequence(parts) => {
                words.extend(parts.iter().map(|part| text_of(scope, part)));
            }
            _ => match text_of(scope, value) {
                Some(text) => words.extend(text.split_whitespace().map(|word| Some(word.to_owned()))),
                None => words.push(None),
            },
        }
    }
    let words: Vec<Option<&str>> = words.iter().map(Option::as_deref).collect();
    resets_by_command(&words)
}

fn text_of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<String> {
    match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => Some(text.to_string()),
        ExprKind::Join(parts) => {
            Some(parts.iter().map(|part| text_of(scope, part).unwrap_or_default()).collect())
        }
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Attribute(object, "split") => text_of(scope, object),
            _ => None,
        },
        _ => None,
    }
}

fn literal<'e>(word: &'e Expr<'_>) -> Option<&'e str> {
    match &word.kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}

/// `sudo nvidia-smi --gpu-reset -i 0`, `nvidia-smi -r`
fn resets_by_command(words: &[Option<&str>]) -> bool {
    let at = words
        .iter()
        .position(|word| word.is_some_and(|word| program_name(word).eq_ignore_ascii_case("nvidia-smi")));
    let Some(at) = at else { return false };
    let called = at == 0
        || matches!(invocation(words).started, Started::Program(name) if name.eq_ignore_ascii_case("nvidia-smi"));
    let mut options = words[at + 1..].iter().flatten();
    called && options.any(|word| matches!(*word, "-r" | "--gpu-reset") || word.starts_with("--gpu-reset="))
}

/// Whether a command runs a program that may have the card, and not a tool of the shell.
fn runs_program(command: &Command<'_>, words: &[Option<&str>]) -> bool {
    command.snippet.is_some()
        || matches!(
            invocation(words).started,
            Started::File(_)
                | Started::Module(_)
                | Started::PythonCode(_)
                | Started::PythonInput
                | Started::Tests(_)
        )
}
