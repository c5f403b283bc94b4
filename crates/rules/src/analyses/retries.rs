//! Second tries inside an `except` that caught an out-of-memory error: as long as it runs, the error holds the frames
//! of the first try, with all that they had on the GPU.

use super::memory::path;
use crate::code::walk::{Ancestor, CodeNode, walk_block, within_function};
use crate::code::{Block, Call, Expr, ExprKind, Handler, Statement, StatementKind};
use crate::rules::files::{FileScope, RawFinding};

/// The first call in each such handler that runs again what the `try` ran.
pub(super) fn in_handlers(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_statement(&mut |step, around| {
        let StatementKind::Try { body, handlers, .. } = &step.kind else { return };
        let (function, _) = within_function(around);
        let mut tried = main_calls(scope, body);
        if let Some(function) = function.and_then(|number| scope.code.functions.get(number)) {
            // To call itself is to try again.
            tried.push(function.name.to_owned());
            tried.extend(["self", "cls"].map(|object| format!("{object}.{}", function.name)));
        }
        for handler in handlers.iter().filter(|handler| catches_shortage(scope, handler)) {
            found.extend(again(scope, handler, &tried));
        }
    });
    found
}

fn again(scope: &FileScope<'_>, handler: &Handler<'_>, tried: &[String]) -> Option<RawFinding> {
    let written = written_in(scope, handler);
    if lets_go(written) {
        return None;
    }
    let mut first = None;
    walk_block(scope.code, &handler.body, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let ExprKind::Call(call) = &expr.kind else { return };
        let later = around.iter().any(|one| matches!(one, Ancestor::Function(_)));
        let name = scope.text(call.callee.span);
        let is_again =
            || tried.iter().any(|one| one == name) && !is_on_cpu(written, name, scope.text(expr.span));
        if first.is_none() && !later && is_again() && !tells_of(handler, call) {
            first = Some((expr.span, name.to_owned()));
        }
    });
    let (span, name) = first?;
    let raw_finding = RawFinding::at(scope.place(span)).word("call", name);
    Some(raw_finding.beside(scope.place(handler.head), "caught here, and held until the block ends"))
}

/// Whether a call is given the exception itself: it tells somebody of it.
fn tells_of(handler: &Handler<'_>, call: &Call<'_>) -> bool {
    let caught = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Name(name) if Some(name) == handler.name);
    call.arguments.iter().any(|argument| caught(&argument.value))
}

/// The calls that are tried: those of the first statement that may need memory, and those that run a model by their
/// name. What else a `try` holds is small beside them.
fn main_calls(scope: &FileScope<'_>, block: &Block<'_>) -> Vec<String> {
    const RUNNING: &[&str] = &[
        "attention",
        "call",
        "comput",
        "decod",
        "encod",
        "eval",
        "forward",
        "generat",
        "infer",
        "matmul",
        "model",
        "net",
        "pipe",
        "predict",
        "process",
        "run",
        "sampl",
        "step",
        "train",
        "transcrib",
    ];
    let mut calls = calls_in(scope, block);
    let first =
        block.iter().map(|step| calls_in(scope, std::slice::from_ref(step))).find(|calls| !calls.is_empty());
    calls.retain(|name| {
        let last = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
        RUNNING.iter().any(|word| last.contains(word))
    });
    calls.extend(first.unwrap_or_default());
    calls
}

/// What a block runs that may need memory of the GPU, by how it is written.
fn calls_in(scope: &FileScope<'_>, block: &[Statement<'_>]) -> Vec<String> {
    let mut calls = Vec::new();
    walk_block(scope.code, block, &mut |part, around| {
        if let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part
            && !around.iter().any(|one| matches!(one, Ancestor::Function(_) | Ancestor::Handler(..)))
            && may_take_memory(scope, call)
        {
            calls.push(scope.text(call.callee.span).to_owned());
        }
    });
    calls
}

fn may_take_memory(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    const SMALL: &[&str] = &[
        "add",
        "append",
        "clear",
        "close",
        "cpu",
        "critical",
        "debug",
        "detach",
        "dim",
        "empty_cache",
        "error",
        "eval",
        "exception",
        "exists",
        "extend",
        "format",
        "get",
        "info",
        "insert",
        "item",
        "items",
        "join",
        "keys",
        "log",
        "lower",
        "numel",
        "parameters",
        "pop",
        "print",
        "put",
        "replace",
        "set_description",
        "size",
        "split",
        "start",
        "stop",
        "strip",
        "train",
        "update",
        "values",
        "warn",
        "warning",
        "write",
        "zero_grad",
    ];
    const OTHERS: &[&str] = &[
        "builtins.",
        "collections.",
        "copy.",
        "gc.",
        "json.",
        "logging.",
        "math.",
        "numpy.",
        "os.",
        "pathlib.",
        "random.",
        "re.",
        "sys.",
        "time.",
        "torch.cuda.",
        "torch.device",
        "torch.inference_mode",
        "torch.no_grad",
        "tqdm.",
        "traceback.",
        "typing.",
        "warnings.",
    ];
    let path = path(scope, &call.callee);
    let method = match &call.callee.kind {
        ExprKind::Attribute(_, name) => SMALL.contains(name),
        // A function of the project that empties the cache is no second try.
        ExprKind::Name(name) => name.contains("empty_cache"),
        _ => true,
    };
    // A name that nothing in a fragment binds is a function that is not shown.
    let shown = !path.starts_with("builtins.") || is_builtin(path);
    let other = shown && OTHERS.iter().any(|other| path.starts_with(other));
    // `profiler.step(exit_ctx=True)` writes down what happened.
    let profiles = scope.text(call.callee.span).to_ascii_lowercase().contains("profil");
    !(method || other || profiles || call.arguments.is_empty())
}

fn is_builtin(path: &str) -> bool {
    const BUILTINS: &[&str] = &[
        "RuntimeError",
        "abs",
        "bool",
        "dict",
        "enumerate",
        "float",
        "getattr",
        "hasattr",
        "int",
        "isinstance",
        "iter",
        "len",
        "list",
        "max",
        "min",
        "next",
        "open",
        "print",
        "range",
        "round",
        "set",
        "setattr",
        "sorted",
        "str",
        "sum",
        "super",
        "tuple",
        "type",
        "zip",
    ];
    path.strip_prefix("builtins.").is_some_and(|name| BUILTINS.contains(&name))
}

/// Whether a handler is for memory that is short.
fn catches_shortage(scope: &FileScope<'_>, handler: &Handler<'_>) -> bool {
    let names: Vec<&str> = handler.types.iter().flat_map(|caught| types_named(scope, caught)).collect();
    if names.iter().any(|name| name.ends_with("OutOfMemoryError") || name.ends_with("ResourceExhaustedError"))
    {
        return true;
    }
    const WIDE: &[&str] = &["RuntimeError", "Exception", "BaseException", "torch.AcceleratorError"];
    let wide = names.is_empty() || names.iter().any(|name| WIDE.contains(name));
    let written = written_in(scope, handler).to_ascii_lowercase();
    // `room` and `zoom` are about something else, `is_oom` and `oom_count` are not.
    let says_oom = || written.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "oom");
    wide && (["out of memory", "outofmemory", "empty_cache"].iter().any(|word| written.contains(word))
        || says_oom())
}

fn types_named<'a>(scope: &'a FileScope<'_>, caught: &'a Expr<'_>) -> Vec<&'a str> {
    match &scope.names.meant(caught).kind {
        ExprKind::Sequence(parts) => parts.iter().flat_map(|part| types_named(scope, part)).collect(),
        _ => vec![
            scope
                .names
                .path(caught)
                .map_or(scope.text(caught.span), |path| path.strip_prefix("builtins.").unwrap_or(path)),
        ],
    }
}

/// The text of a handler.
fn written_in<'a>(scope: &FileScope<'a>, handler: &Handler<'_>) -> &'a str {
    let end = handler.body.last().map_or(handler.head.end, |step| step.span.end);
    scope.text(crate::facts::Span { start: handler.head.start, end: end.max(handler.head.end) })
}

/// Whether what runs again runs on the CPU.
fn is_on_cpu(written: &str, name: &str, call: &str) -> bool {
    let moved = format!("{name}.cpu()");
    written.contains("\"cpu\"")
        || written.contains("'cpu'")
        || written.contains(&moved)
        || call.contains(".cpu()")
        || written.lines().any(turns_to_cpu)
}

/// Whether a line sets a switch that says where the work is done: `self.on_cpu = True`, `use_cuda = False`.
fn turns_to_cpu(line: &str) -> bool {
    let Some((name, value)) = line.split_once('=') else { return false };
    let name = name.trim().rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let named = |words: &[&str]| name.split('_').any(|word| words.contains(&word));
    match value.split('#').next().unwrap_or_default().trim() {
        "True" => named(&["cpu"]),
        "False" => named(&["gpu", "cuda"]),
        _ => false,
    }
}

/// Whether the frames of the first try are let go before.
fn lets_go(written: &str) -> bool {
    ["__traceback__ = None", "with_traceback(None)", "clear_frames("]
        .iter()
        .any(|word| written.contains(word))
}
