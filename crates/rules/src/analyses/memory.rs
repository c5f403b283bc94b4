//! What calls do to the memory of the GPU, by their names: for checks that look at how code is written.

use crate::code::{Call, Expr, ExprKind, Function};
use crate::rules::files::FileScope;

/// What gives the blocks that nothing uses back to the driver.
const EMPTYING: &[&str] = &[
    "torch.accelerator.empty_cache",
    "torch.accelerator.memory.empty_cache",
    "torch.cuda.empty_cache",
    "torch.cuda.memory.empty_cache",
    "torch.mps.empty_cache",
    "torch.npu.empty_cache",
    "torch.xpu.empty_cache",
    "torch.xpu.memory.empty_cache",
    "accelerate.utils.memory.clear_device_cache",
];

/// Other calls that give memory of the GPU back.
const CLEARING: &[&str] = &[
    "keras.backend.clear_session",
    "keras.utils.clear_session",
    "numba.cuda.close",
    "tensorflow.keras.backend.clear_session",
    "torch.cuda.ipc_collect",
];

/// The dotted name outside the project that an expression stands for. A fragment in a document imports nothing: its
/// names are taken at their word.
pub(super) fn path<'a>(scope: &'a FileScope<'_>, expr: &Expr<'_>) -> &'a str {
    let path = scope.names.path(expr).unwrap_or_default();
    match path.strip_prefix("builtins.") {
        Some(rest) if rest.contains('.') => rest,
        _ => path,
    }
}

/// The path of what is called; empty for what is no call, or a call of something of the project.
pub(super) fn called<'a>(scope: &'a FileScope<'_>, expr: &Expr<'_>) -> &'a str {
    match &unawaited(expr).kind {
        ExprKind::Call(call) => path(scope, &call.callee),
        _ => "",
    }
}

/// What a decorator is by its dotted name, also of one that is called: `@lru_cache(maxsize=None)`.
pub(super) fn path_of_decorator<'n>(scope: &'n FileScope<'_>, decorator: &Expr<'_>) -> Option<&'n str> {
    match &decorator.kind {
        ExprKind::Call(call) => scope.names.path(&call.callee),
        _ => scope.names.path(decorator),
    }
}

/// The call that an expression is, also behind `await`.
pub(super) fn call_of<'e, 's>(expr: &'e Expr<'s>) -> Option<&'e Call<'s>> {
    match &unawaited(expr).kind {
        ExprKind::Call(call) => Some(call),
        _ => None,
    }
}

fn unawaited<'e, 's>(expr: &'e Expr<'s>) -> &'e Expr<'s> {
    match &expr.kind {
        ExprKind::Await(inner) => inner,
        _ => expr,
    }
}

/// The parts of a tuple, list or mapping, or what it is where it is none.
pub(super) fn parts_of<'e, 's>(given: &'e Expr<'s>) -> Vec<&'e Expr<'s>> {
    match &given.kind {
        ExprKind::Sequence(parts) => parts.iter().collect(),
        ExprKind::Mapping(entries) => entries.iter().map(|(_, value)| value).collect(),
        _ => vec![given],
    }
}

/// The method that is called, with the object that it is called on.
pub(super) fn method_of<'e, 's>(expr: &'e Expr<'s>) -> Option<(&'e Expr<'s>, &'s str, &'e Call<'s>)> {
    let call = call_of(expr)?;
    match &call.callee.kind {
        ExprKind::Attribute(object, name) => Some((object, name, call)),
        _ => None,
    }
}

/// `torch.cuda.empty_cache()` and what other libraries call it.
pub(super) fn empties_cache(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let path = called(scope, expr);
    EMPTYING.contains(&path)
        || path.ends_with(".free_all_blocks")
        || path.is_empty() && method_of(expr).is_some_and(|(_, name, _)| name == "free_all_blocks")
}

/// `gc.collect()`
pub(super) fn collects(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    called(scope, expr) == "gc.collect"
}

/// Whether a call gives memory of the GPU back, by itself or because the function of this file that it calls does.
pub(super) fn releases(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    empties_cache(scope, expr)
        || CLEARING.contains(&called(scope, expr))
        || function_called(scope, expr).is_some_and(|function| {
            let text = scope.text(function.span);
            text.contains("empty_cache(") || text.contains("free_all_blocks(")
        })
}

/// The function or method of this file that a call by name reaches, when only one has the name.
pub(super) fn function_called<'a>(scope: &FileScope<'a>, expr: &Expr<'_>) -> Option<&'a Function<'a>> {
    let call = call_of(expr)?;
    let name = match &call.callee.kind {
        ExprKind::Name(name) => *name,
        ExprKind::Attribute(object, name) if matches!(object.kind, ExprKind::Name("self" | "cls")) => *name,
        _ => return None,
    };
    function_named(scope, name)
}

/// The only function of this file with a name.
pub(super) fn function_named<'a>(scope: &FileScope<'a>, name: &str) -> Option<&'a Function<'a>> {
    let mut named = scope.code.functions.iter().filter(|function| function.name == name);
    named.next().filter(|_| named.next().is_none())
}
