//! Functions that numba runs on all cores, and the pools that run them on all cores once more.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Argument, Call, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::FxHashMap;

/// Functions that call functions: further ones are not followed.
const MAX_HOPS: usize = 3;

/// Parallel kernels in the workers of a pool whose threads nobody limits.
pub(super) fn in_pools(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let kernels = kernels_of(scope);
    let limited =
        || text.contains("set_num_threads") || !scope.program.files_with("NUMBA_NUM_THREADS").is_empty();
    if kernels.is_empty() || limited() {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let Some(given) = work_of(call, around, scope) else { return };
        let Some((kernel, span)) = kernel_run_by(given, &kernels, scope, 0) else { return };
        found.push(
            RawFinding::at(scope.place(expr.span))
                .word("kernel", kernel)
                .beside(scope.place(span), "this uses all cores by itself"),
        );
    });
    found
}

/// The functions that numba runs on several threads, with the place of their names.
fn kernels_of<'a>(scope: &FileScope<'a>) -> FxHashMap<&'a str, Span> {
    let mut kernels = FxHashMap::default();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Statement(Statement { kind: StatementKind::Define { function, decorators }, .. }) =
            part
        else {
            return;
        };
        if decorators.iter().any(|one| is_parallel(one, scope)) {
            let function = &scope.code.functions[*function];
            kernels.insert(function.name, function.name_span);
        }
    });
    kernels
}

fn is_parallel(decorator: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    let ExprKind::Call(call) = &decorator.kind else { return false };
    let is_numba = matches!(
        scope.names.path(&call.callee),
        Some("numba.jit" | "numba.njit" | "numba.vectorize" | "numba.guvectorize")
    );
    let says = |one: &Argument<'_>| match (one.name, &scope.names.meant(&one.value).kind) {
        (Some("parallel"), ExprKind::Bool(true)) => true,
        (Some("target"), ExprKind::Text(text)) => text == "parallel",
        _ => false,
    };
    is_numba && call.arguments.iter().any(says)
}

/// Whether a `with` around binds a name to a pool of several workers; the innermost that binds it decides.
fn is_bound_to_pool(name: &str, around: &[Ancestor<'_, '_>], scope: &FileScope<'_>) -> bool {
    let items = around.iter().rev().filter_map(|one| match one {
        Ancestor::With(Statement { kind: StatementKind::With { items, .. }, .. }) => Some(items),
        _ => None,
    });
    let mut bound = items.flatten().filter_map(|(item, target)| match target {
        Some(Target::Name(known, _)) if *known == name => Some(item),
        _ => None,
    });
    bound.next().is_some_and(|item| is_pool(item, scope))
}

/// Whether an expression makes a pool of more than one worker.
fn is_pool(expr: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    let ExprKind::Call(call) = &scope.names.meant(expr).kind else { return false };
    let makes = scope.names.path(&call.callee).is_some_and(|path| {
        matches!(
            path,
            "concurrent.futures.ProcessPoolExecutor"
                | "concurrent.futures.ThreadPoolExecutor"
                | "concurrent.futures.process.ProcessPoolExecutor"
                | "concurrent.futures.thread.ThreadPoolExecutor"
                | "multiprocessing.Pool"
                | "multiprocessing.pool.Pool"
                | "multiprocessing.pool.ThreadPool"
                | "multiprocessing.dummy.Pool"
                | "multiprocessing.get_context().Pool"
        )
    });
    let workers =
        ["max_workers", "processes"].iter().find_map(|name| argument(&call.arguments, None, Some(name)));
    let workers = workers.or_else(|| argument(&call.arguments, Some(0), None));
    let alone = workers.is_some_and(|one| matches!(scope.names.meant(one).kind, ExprKind::Int(1)));
    makes && !alone
}

/// The function that a call hands to the workers of a pool, or to one of several processes or threads.
fn work_of<'a>(
    call: &'a Call<'a>,
    around: &[Ancestor<'_, '_>],
    scope: &FileScope<'a>,
) -> Option<&'a Expr<'a>> {
    const TASKS: [&str; 9] = [
        "apply",
        "apply_async",
        "imap",
        "imap_unordered",
        "map",
        "map_async",
        "starmap",
        "starmap_async",
        "submit",
    ];
    if let ExprKind::Attribute(object, method) = &call.callee.kind
        && TASKS.contains(method)
    {
        let is = matches!(&object.kind, ExprKind::Name(name) if is_bound_to_pool(name, around, scope))
            || is_pool(object, scope);
        return argument(&call.arguments, Some(0), None).filter(|_| is);
    }
    let starts = matches!(
        scope.names.path(&call.callee),
        Some("multiprocessing.Process" | "multiprocessing.context.Process" | "threading.Thread")
    );
    let several = around.iter().any(|one| matches!(one, Ancestor::Loop(_) | Ancestor::Comprehension(_)));
    argument(&call.arguments, Some(1), Some("target")).filter(|_| starts && several)
}

/// The kernel that a function is or calls, with its place.
fn kernel_run_by<'a>(
    work: &Expr<'a>,
    kernels: &FxHashMap<&'a str, Span>,
    scope: &FileScope<'a>,
    hops: usize,
) -> Option<(&'a str, Span)> {
    let function = match &work.kind {
        ExprKind::Name(name) => {
            if let Some((name, span)) = kernels.get_key_value(name) {
                return Some((*name, *span));
            }
            scope.code.functions.iter().position(|function| function.name == *name)?
        }
        ExprKind::Lambda(number) => *number,
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("functools.partial") => {
            return kernel_run_by(&call.arguments.first()?.value, kernels, scope, hops);
        }
        _ => return None,
    };
    let mut found = None;
    let mut called = Vec::new();
    walk(scope.code, &mut |part, around| {
        let inside = around.iter().any(|one| matches!(one, Ancestor::Function(one) if *one == function));
        if let (true, CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. })) = (inside, part)
            && let ExprKind::Name(name) = &call.callee.kind
        {
            let kernel = kernels.get_key_value(name).map(|(name, span)| (*name, *span));
            found = found.or(kernel);
            called.push(&call.callee);
        }
    });
    found.or_else(|| {
        let mut called = called.into_iter().filter(|_| hops < MAX_HOPS);
        called.find_map(|callee| kernel_run_by(callee, kernels, scope, hops + 1))
    })
}
