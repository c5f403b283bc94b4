//! Threads that call PyCUDA: the context that `pycuda.autoinit` makes is current in the thread alone that imports it.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind, Function, StatementKind};
use crate::facts::{FileId, Span};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::FxHashSet;

/// Words of a project that gives its threads a context, or takes the one that all share.
const GIVING: &[&str] = &["make_context", "retain_primary_context", "autoprimaryctx", ".push()"];

/// Calls that end with "no currently active context" in a thread without one.
const CALLS: &[&str] = &[
    "mem_alloc(",
    "memcpy_dtoh",
    "memcpy_htod",
    "pagelocked_empty(",
    "cuda.Stream(",
    "drv.Stream(",
    "to_device(",
    "gpuarray.",
    "SourceModule(",
];

/// What starts threads, or runs what it is handed in threads.
const POOLS: &[&str] = &["ThreadPoolExecutor", "ThreadPool("];

/// `Thread(target=detect)`, where `detect` or what it calls uses PyCUDA.
pub(super) fn without_context(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let makers = scope.program.files_with("import pycuda.autoinit");
    if makers.is_empty() || scope.program.has_any(GIVING) {
        return Vec::new();
    }
    let made_at_top = |file: &FileId| {
        scope.program.text_of(*file).lines().any(|line| line.starts_with("import pycuda.autoinit"))
    };
    let Some(maker) = makers.iter().copied().find(made_at_top) else { return Vec::new() };
    let callers = callers(scope);
    let mut found = Vec::new();
    for (span, target) in started(scope) {
        let runs = scope.code.functions.iter().filter(|function| function.name == target);
        let calls = |function: &Function<'_>| {
            let text = scope.text(function.span);
            callers.contains(target) || callers.iter().any(|name| text.contains(&format!("{name}(")))
        };
        if runs.into_iter().any(calls) {
            let module = scope.program.name_of(maker);
            let raw_finding = RawFinding::at(scope.place(span)).word("text", scope.text(span));
            found.push(raw_finding.word("name", target).word("module", module));
        }
    }
    found
}

/// The functions of this file, and of the modules that it imports, that call PyCUDA.
fn callers<'p>(scope: &'p FileScope<'_>) -> FxHashSet<&'p str> {
    let mut files = vec![scope.file];
    scope.each_statement(&mut |step, _| {
        if let StatementKind::Import(import) = &step.kind {
            files.extend(scope.program.import_targets(scope.file, import));
        }
    });
    let mut names = FxHashSet::default();
    for file in files {
        let text = scope.program.text_of(file);
        if !text.contains("pycuda") {
            continue;
        }
        for function in &scope.program.code(file).functions {
            let body = text.get(function.span.range()).unwrap_or_default();
            let is_plain = !function.name.is_empty() && !function.name.starts_with("__");
            if is_plain && CALLS.iter().any(|call| body.contains(call)) {
                names.insert(function.name);
            }
        }
    }
    names
}

/// What runs in a thread of its own: the place that starts it, and the name of the function.
fn started<'c>(scope: &FileScope<'c>) -> Vec<(Span, &'c str)> {
    let pools = POOLS.iter().any(|word| scope.whole_text().contains(word));
    let mut found: Vec<(Span, &str)> = Vec::new();
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
            let target = match (&call.callee.kind, scope.names.path(&call.callee)) {
                (_, Some("threading.Thread")) => argument(&call.arguments, Some(1), Some("target")),
                (ExprKind::Attribute(_, "map" | "submit"), _) if pools => {
                    argument(&call.arguments, Some(0), None)
                }
                _ => None,
            };
            let name = target.and_then(|target| match target.kind {
                ExprKind::Name(name) | ExprKind::Attribute(_, name) => Some(name),
                _ => None,
            });
            found.extend(name.map(|name| (expr.span, name)));
        }
        // Flask answers each request in a thread.
        CodeNode::Statement(step) => {
            let StatementKind::Define { function, decorators } = &step.kind else { return };
            let is_route = |one: &Expr<'_>| match &one.kind {
                ExprKind::Call(call) => matches!(call.callee.kind, ExprKind::Attribute(_, "route")),
                _ => false,
            };
            let route = decorators.iter().find(|one| is_route(one));
            let threads = !scope.whole_text().contains("threaded=False");
            if let Some(route) = route.filter(|_| threads && scope.whole_text().contains("flask")) {
                found.push((route.span, scope.code.functions[*function].name));
            }
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    found
}
