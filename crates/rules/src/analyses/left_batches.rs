//! Batches that one loop of a class brings to the GPU, and another loop hands to the same model as they come.

use super::memory::method_of;
use crate::code::walk::{Ancestor, CodeNode, functions_around, innermost_class, walk, walk_block};
use crate::code::{Argument, Block, Call, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};

/// A loop over the batches of a loader, in a method of a class.
struct Loop<'a> {
    class: usize,
    function: usize,
    body: &'a Block<'a>,
    /// What each turn gives.
    names: Vec<&'a str>,
}

/// Words of a method that may bring its batches itself, or its model back.
const BRINGS: &[&str] = &[".cpu(", ".cuda(", ".to(", "cpu", "device", "gpu", "prefetch"];

/// `self.net(x)` in a loop over a loader that moves nothing, beside `self.net(x.to(self.device))` in another one.
pub(super) fn of_loaders(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let loops = loops_in(scope);
    let mut found = Vec::new();
    for one in &loops {
        let function = &scope.code.functions[one.function];
        let text = scope.text(function.span).to_ascii_lowercase();
        if BRINGS.iter().any(|word| text.contains(word)) {
            continue;
        }
        for (model, input, span) in calls_in(scope, one.body) {
            if !one.names.contains(&input) || !is_only_measured(scope, one.body, input) {
                continue;
            }
            let brought =
                loops.iter().filter(|other| other.class == one.class && other.function != one.function);
            let Some(moved) = brought.filter_map(|other| brought_to(scope, other, model)).next() else {
                continue;
            };
            let seen = RawFinding::at(scope.place(span)).word("text", input).word("model", model);
            let seen = seen.beside(scope.place(moved), "another loop brings its batches to the model here");
            found.push(seen.at_most(Severity::Note));
        }
    }
    found
}

fn loops_in<'a>(scope: &FileScope<'a>) -> Vec<Loop<'a>> {
    let mut loops = Vec::new();
    let functions = scope.code.functions.iter().enumerate();
    let mut classes: Vec<Option<usize>> = vec![None; scope.code.functions.len()];
    walk(scope.code, &mut |part, around| {
        if let CodeNode::Statement(Statement { kind: StatementKind::Define { function, .. }, .. }) = part
            && functions_around(around).next().is_none()
        {
            classes[*function] = innermost_class(around);
        }
    });
    for (number, function) in functions {
        let Some(class) = classes[number] else { continue };
        each_loop(&function.body, &mut |target, iterable, body| {
            if is_loader(scope, iterable) {
                loops.push(Loop { class, function: number, body, names: target.names() });
            }
        });
    }
    loops
}

/// The loops of a block, and of the blocks in it.
fn each_loop<'a>(block: &'a Block<'a>, found: &mut dyn FnMut(&'a Target<'a>, &'a Expr<'a>, &'a Block<'a>)) {
    for step in block {
        if let StatementKind::For { target, iterable, body, .. } = &step.kind {
            found(target, iterable, body);
        }
        for inner in step.kind.blocks() {
            each_loop(inner, found);
        }
    }
}

/// `loader`, `self.val_loader`, `enumerate(test_loader)`
fn is_loader(scope: &FileScope<'_>, iterable: &Expr<'_>) -> bool {
    match &iterable.kind {
        ExprKind::Call(call) => {
            let wraps = matches!(
                scope.text(call.callee.span),
                "enumerate" | "tqdm" | "tqdm.tqdm" | "tqdm.auto.tqdm" | "progress_bar"
            );
            wraps && call.arguments.first().is_some_and(|first| is_loader(scope, &first.value))
        }
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => {
            let name = name.to_ascii_lowercase();
            name.ends_with("loader") || name.ends_with("_dl")
        }
        _ => false,
    }
}

/// The calls of models of the object with a plain name: the model, the name and where.
fn calls_in<'a>(scope: &FileScope<'a>, body: &'a Block<'a>) -> Vec<(&'a str, &'a str, Span)> {
    let mut found = Vec::new();
    walk_block(scope.code, body, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if !around.iter().any(|one| matches!(one, Ancestor::Function(_)))
            && let Some((model, Expr { kind: ExprKind::Name(input), .. })) = handed(scope, call)
        {
            found.push((model, *input, expr.span));
        }
    });
    found
}

/// `self.model` and `x` of `self.model(x)`, as far as its name says that it is a model.
fn handed<'a, 'c>(scope: &FileScope<'a>, call: &'c Call<'a>) -> Option<(&'a str, &'c Expr<'a>)> {
    const MODELS: &[&str] = &["classifier", "decoder", "encoder", "model", "net", "network"];
    let ExprKind::Attribute(object, name) = &call.callee.kind else { return None };
    let is_model = MODELS.iter().any(|word| name == word || name.ends_with(&format!("_{word}")));
    let Some(Argument { name: None, unpacked: false, value }) = call.arguments.first() else { return None };
    (is_model && matches!(object.kind, ExprKind::Name("self"))).then(|| (scope.text(call.callee.span), value))
}

/// Whether a loop hands a name to models alone, or asks how large it is.
fn is_only_measured(scope: &FileScope<'_>, body: &Block<'_>, name: &str) -> bool {
    let (mut uses, mut known) = (0, 0);
    walk_block(scope.code, body, &mut |part, _| match part {
        CodeNode::Expr(expr) => match &expr.kind {
            ExprKind::Name(used) => uses += usize::from(*used == name),
            ExprKind::Attribute(object, "shape" | "size" | "dim" | "ndim") => {
                known += usize::from(matches!(object.kind, ExprKind::Name(used) if used == name));
            }
            ExprKind::Call(call) => {
                let of_it =
                    |one: &&Argument<'_>| matches!(one.value.kind, ExprKind::Name(used) if used == name);
                let takes = handed(scope, call).is_some() || scope.text(call.callee.span) == "len";
                known += usize::from(takes) * call.arguments.iter().filter(of_it).count();
            }
            _ => {}
        },
        CodeNode::Target(Target::Name(given, _)) => uses += usize::from(*given == name),
        _ => {}
    });
    uses == known
}

/// Where another loop moves one of its batches, and hands it to the same model.
fn brought_to(scope: &FileScope<'_>, other: &Loop<'_>, model: &str) -> Option<Span> {
    let mut moved: Vec<(&str, Span)> = Vec::new();
    walk_block(scope.code, other.body, &mut |part, _| {
        if let CodeNode::Expr(expr) = part
            && let Some(name) = moved_in(scope, expr).filter(|name| other.names.contains(name))
        {
            moved.push((name, expr.span));
        }
    });
    let mut at = None;
    walk_block(scope.code, other.body, &mut |part, _| {
        let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let Some((_, input)) = handed(scope, call).filter(|(called, _)| *called == model) else { return };
        let name = name_of(input).or_else(|| moved_in(scope, input));
        at = at.or(moved.iter().find(|(known, _)| Some(*known) == name).map(|(_, span)| *span));
    });
    at
}

/// `x` of `x.cuda()` and `x.to(self.device)`
fn moved_in<'a>(scope: &FileScope<'_>, expr: &Expr<'a>) -> Option<&'a str> {
    match method_of(expr) {
        Some((object, "cuda", _)) => name_of(object),
        Some((object, "to", call)) => {
            let to_device = call.arguments.iter().any(|one| scope.text(one.value.span).contains("device"));
            name_of(object).filter(|_| to_device)
        }
        _ => None,
    }
}

fn name_of<'a>(expr: &Expr<'a>) -> Option<&'a str> {
    match expr.kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    }
}
