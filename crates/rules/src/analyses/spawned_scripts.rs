//! Processes that are spawned at the top of a script: each of them imports the script again, and starts processes itself.

use super::memory::path;
use crate::code::walk::{Ancestor, CodeNode, walk_block};
use crate::code::{Call, Expr, ExprKind, Statement, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Calls that spawn processes whatever the start method is.
const SPAWNING: &[&str] = &[
    "dask_cuda.LocalCUDACluster",
    "dask_cuda.local_cuda_cluster.LocalCUDACluster",
    "sglang.Engine",
    "sglang.srt.entrypoints.engine.Engine",
    "torch.multiprocessing.spawn",
    "torch.multiprocessing.spawn.spawn",
];

/// And those that do where the start method says so.
const STARTING: &[&str] = &[
    "multiprocessing.Pool",
    "multiprocessing.Process",
    "multiprocessing.pool.Pool",
    "torch.multiprocessing.Pool",
    "torch.multiprocessing.Process",
];

/// What is spawned outside of `if __name__ == "__main__":`.
pub(super) fn without_guard(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.is_library() || scope.whole_text().contains("parent_process()") {
        return Vec::new();
    }
    let spawns = is_set_to_spawn(scope);
    let mut found: Vec<RawFinding> = Vec::new();
    for step in &scope.code.body {
        if is_guard(scope, step) {
            continue;
        }
        let mut here: Vec<(Span, String)> = Vec::new();
        let mut called: Vec<(Span, &str)> = Vec::new();
        walk_block(scope.code, std::slice::from_ref(step), &mut |part, around| {
            let CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) = part else { return };
            let is_inner = around.iter().any(|one| matches!(one, Ancestor::Function(_)));
            if is_inner || !is_at_top(scope, *span) {
                return;
            }
            match spawned_by(scope, call, spawns) {
                Some(name) => here.push((*span, name)),
                None => {
                    if let ExprKind::Name(name) = call.callee.kind {
                        called.push((*span, name));
                    }
                }
            }
        });
        for (span, name) in here {
            found.push(RawFinding::at(scope.place(span)).word("name", name));
        }
        for (span, name) in called {
            if let Some((inner, name)) = inside(scope, name, spawns) {
                let raw_finding = RawFinding::at(scope.place(inner)).word("name", name);
                found.push(raw_finding.beside(scope.place(span), "this runs when the script is imported"));
            }
        }
    }
    found.truncate(1);
    found
}

/// `if __name__ == "__main__":`
fn is_guard(scope: &FileScope<'_>, step: &Statement<'_>) -> bool {
    let text = scope.text(step.span);
    matches!(&step.kind, StatementKind::Define { .. } | StatementKind::DefineClass { .. })
        || text.starts_with("if ") && text.lines().next().is_some_and(|line| line.contains("__name__"))
}

fn is_at_top(scope: &FileScope<'_>, span: Span) -> bool {
    !scope.code.functions.iter().any(|function| function.span.holds(span))
}

/// What a function of this file spawns that is called at the top.
fn inside(scope: &FileScope<'_>, name: &str, spawns: bool) -> Option<(Span, String)> {
    let mut named = scope.code.functions.iter().filter(|function| function.name == name);
    let function = named.next().filter(|_| named.next().is_none())?;
    let mut found = None;
    walk_block(scope.code, &function.body, &mut |part, around| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) = part else { return };
        if found.is_none() && !around.iter().any(|one| matches!(one, Ancestor::Test(_))) {
            found = spawned_by(scope, call, spawns).map(|name| (*span, name));
        }
    });
    found
}

fn spawned_by(scope: &FileScope<'_>, call: &Call<'_>, spawns: bool) -> Option<String> {
    let path = path(scope, &call.callee);
    let is_text = |expr: &Expr<'_>, wanted: &str| matches!(&scope.names.meant(expr).kind, ExprKind::Text(text) if text == wanted);
    let forks =
        argument(&call.arguments, None, Some("start_method")).is_some_and(|method| is_text(method, "fork"));
    if SPAWNING.contains(&path) {
        return (!forks).then(|| path.to_owned());
    }
    let by_method = spawns && STARTING.contains(&path);
    // `get_context("spawn").Pool()`
    let by_context = match &call.callee.kind {
        ExprKind::Attribute(object, "Process" | "Pool") => match &scope.names.meant(object).kind {
            ExprKind::Call(context) => is_spawning_context(scope, context),
            _ => false,
        },
        _ => false,
    };
    let by_executor = path.ends_with("ProcessPoolExecutor")
        && argument(&call.arguments, Some(1), Some("mp_context")).is_some_and(|context| {
            matches!(&scope.names.meant(context).kind, ExprKind::Call(context) if is_spawning_context(scope, context))
        });
    let name = scope.text(call.callee.span);
    (by_method || by_context || by_executor).then(|| name.to_owned())
}

fn is_spawning_context(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    path(scope, &call.callee).ends_with("multiprocessing.get_context")
        && argument(&call.arguments, Some(0), Some("method")).is_some_and(|method| is_spawn(scope, method))
}

fn is_spawn(scope: &FileScope<'_>, method: &Expr<'_>) -> bool {
    matches!(&scope.names.meant(method).kind, ExprKind::Text(text) if matches!(&**text, "spawn" | "forkserver"))
}

/// `set_start_method("spawn")`
fn is_set_to_spawn(scope: &FileScope<'_>) -> bool {
    let mut is_set = false;
    scope.each_call(&mut |_, call, _| {
        is_set |= path(scope, &call.callee).ends_with("multiprocessing.set_start_method")
            && argument(&call.arguments, Some(0), Some("method"))
                .is_some_and(|method| is_spawn(scope, method));
    });
    is_set
}
