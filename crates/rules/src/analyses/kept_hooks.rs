//! Outputs that a hook of a module appends to a list with each call, on the GPU.

use super::memory::{function_named, method_of};
use crate::code::walk::{Ancestor, CodeNode, walk, walk_block};
use crate::code::{Expr, ExprKind, Function, Statement, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// `net.register_forward_hook(lambda module, args, output: kept.append(output))`, where a loop calls `net`.
pub(super) fn on_the_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    const METHOD: &str = "register_forward_hook";
    let text = scope.whole_text();
    if !text.contains(METHOD) || ["cpu", ".numpy("].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let called = called_in_loops(scope);
    let mut found: Vec<RawFinding> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let Some((module, METHOD, call)) = method_of(expr) else { return };
        let Some(given) = call.arguments.first() else { return };
        // `for module in net.modules():`
        let mut bases: Vec<&str> = base_of(module).into_iter().collect();
        for one in around {
            if let Ancestor::Loop(Statement { kind: StatementKind::For { iterable, .. }, .. }) = one {
                bases.extend(base_of(iterable));
            }
        }
        let Some(model) = bases.iter().find(|base| called.contains(base)) else { return };
        let Some(hook) = function_of(scope, &given.value) else { return };
        let Some((list, value, span)) = kept_by(scope, hook) else { return };
        if is_emptied(text, &list) || found.iter().any(|known| known.place == scope.place(span)) {
            return;
        }
        let raw_finding = RawFinding::at(scope.place(span)).word("list", list).word("value", value);
        let raw_finding = raw_finding.word("model", *model);
        found.push(raw_finding.beside(scope.place(expr.span), "it runs with each call of the module"));
    });
    found
}

/// The names that are called in a loop.
fn called_in_loops<'a>(scope: &FileScope<'a>) -> Vec<&'a str> {
    let mut called = Vec::new();
    scope.each_call(&mut |_, call, around| {
        let in_loop = around.iter().any(|one| matches!(one, Ancestor::Loop(_)));
        if let Some(name) = base_of(&call.callee).filter(|_| in_loop)
            && matches!(call.callee.kind, ExprKind::Name(_))
        {
            called.push(name);
        }
    });
    called
}

/// `net` of `net.layer[0]` and of `net.modules()`.
fn base_of<'e>(expr: &'e Expr<'_>) -> Option<&'e str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute(object, _) => base_of(object),
        ExprKind::Item(item) => base_of(&item.0),
        ExprKind::Call(call) => base_of(&call.callee),
        _ => None,
    }
}

/// The hook that an argument is: a function, a method of the same object, a lambda, or what a function of the file makes.
fn function_of<'a>(scope: &FileScope<'a>, given: &Expr<'_>) -> Option<&'a Function<'a>> {
    match &given.kind {
        ExprKind::Name(name) => function_named(scope, name),
        ExprKind::Attribute(object, name) if matches!(object.kind, ExprKind::Name("self")) => {
            function_named(scope, name)
        }
        ExprKind::Call(call) => {
            let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &call.callee.kind else {
                return None;
            };
            let outer = function_named(scope, name)?;
            let inside =
                |function: &&Function<'_>| outer.span.holds(function.span) && function.span != outer.span;
            let mut inner = scope.code.functions.iter().filter(inside);
            inner.next().filter(|_| inner.next().is_none())
        }
        _ => scope.code.functions.iter().find(|function| function.span == given.span),
    }
}

/// The list to which a hook appends its output as it is, or without its graph alone.
fn kept_by(scope: &FileScope<'_>, hook: &Function<'_>) -> Option<(String, String, Span)> {
    let [.., output] = hook.parameters.as_slice() else { return None };
    let mut found = None;
    walk_block(scope.code, &hook.body, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let Some((list, "append", call)) = method_of(expr) else { return };
        let Some(given) = call.arguments.first().map(|one| &one.value) else { return };
        let text = scope.text(given.span);
        let plain =
            text.trim_end_matches(".detach()").trim_end_matches(".clone()").trim_end_matches(".detach()");
        let is_output = plain == output.name
            || plain.strip_prefix(output.name).is_some_and(|rest| {
                rest.starts_with('[') && rest.ends_with(']') && !rest.contains([':', ','])
            });
        if is_output && around.is_empty() && found.is_none() {
            found = Some((scope.text(list.span).to_owned(), text.to_owned(), expr.span));
        }
    });
    found
}

/// Whether anything clears the list, takes from it or puts another in its place.
fn is_emptied(text: &str, list: &str) -> bool {
    let base = list.split(['[', '(']).next().unwrap_or(list);
    let name = base.rsplit('.').next().unwrap_or(base);
    let cuts = [".clear(", ".pop(", ".popleft(", ".remove("];
    let mut made = 0;
    for (at, _) in text.match_indices(name) {
        let rest = &text[at + name.len()..];
        let line = rest.lines().next().unwrap_or_default();
        let before = text[..at].lines().next_back().unwrap_or_default();
        if cuts.iter().any(|cut| line.contains(cut)) || before.trim_start().starts_with("del ") {
            return true;
        }
        let behind = line.trim_start();
        made += usize::from(behind.starts_with('=') && !behind.starts_with("=="));
    }
    made > 1 || text.contains("deque(")
}
