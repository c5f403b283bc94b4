//! Models of `DistributedDataParallel` that one process alone calls, while the others wait for it.

use super::first_ranks::who_passes;
use super::handed_arguments::Handed;
use super::lone_collectives::does_something;
use super::memory::{function_called, path};
use crate::code::walk::{CodeNode, functions_around, walk_block};
use crate::code::{Block, Expr, ExprKind, Function, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// What has buffers, which each call of the wrapped model sends from the first process to the others.
const WITH_BUFFERS: &[&str] = &["BatchNorm", "resnet"];

/// A model is handed on so often.
const MOST_HANDED: usize = 3;

/// A call of one process, the name of the model, and the test that lets it through.
pub(super) struct LoneForward<'s> {
    pub span: Span,
    pub name: &'s str,
    pub by: Span,
}

/// `if rank == 0: validate(net)` above a barrier, where `net` is wrapped.
pub(super) fn of_one_process<'a>(scope: &FileScope<'a>) -> Vec<LoneForward<'a>> {
    let text = scope.whole_text();
    if !text.contains("DistributedDataParallel")
        || !text.contains("barrier()")
        || !WITH_BUFFERS.iter().any(|word| text.contains(word))
    {
        return Vec::new();
    }
    let (wrapped, fields) = wrapped_in(scope);
    let mut found = Vec::new();
    scope.each_statement(&mut |step, around| {
        let home = functions_around(around).next_back();
        match &step.kind {
            StatementKind::Branch { test, then, otherwise }
                if who_passes(scope, test) == Some(true) && !does_something(scope, otherwise) =>
            {
                let waits = match home {
                    Some(number) => waits_in(scope, &scope.code.functions[number].body),
                    None => waits_in(scope, &scope.code.body),
                };
                let Some(end) = then.last().map(|last| last.span.end) else { return };
                // The others wait below.
                if !waits.iter().any(|wait| wait.start >= end) {
                    return;
                }
                let names: Vec<&str> =
                    wrapped.iter().filter(|(place, _)| *place == home).map(|(_, name)| *name).collect();
                found.extend(forward_in(scope, then, &names, &fields).map(|(span, name)| LoneForward {
                    span,
                    name,
                    by: test.span,
                }));
            }
            _ => {}
        }
    });
    found
}

/// A name that holds a wrapped model, with the function in which it does.
type Wrapped<'s> = (Option<usize>, &'s str);

/// The names of wrapped models, also of parameters that are given one, and the fields of objects that hold one.
fn wrapped_in<'a>(scope: &FileScope<'a>) -> (Vec<Wrapped<'a>>, Vec<&'a str>) {
    let (mut wrapped, mut fields): (Vec<Wrapped<'a>>, Vec<&str>) = (Vec::new(), Vec::new());
    scope.each_statement(&mut |step, around| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let ExprKind::Call(call) = &value.kind else { return };
        let is_wrapped = path(scope, &call.callee) == "torch.nn.parallel.DistributedDataParallel"
            && argument(&call.arguments, None, Some("broadcast_buffers")).is_none();
        match &targets[..] {
            [Target::Name(name, _)] if is_wrapped => {
                wrapped.push((functions_around(around).next_back(), name));
            }
            [Target::Attribute(object, name)]
                if is_wrapped && matches!(object.kind, ExprKind::Name("self")) =>
            {
                fields.push(name);
            }
            _ => {}
        }
    });
    for _ in 0..MOST_HANDED {
        let before = wrapped.len();
        scope.each_call(&mut |_, call, around| {
            let Some(given) = Handed::by(call).filter(|given| given.module.is_none()) else { return };
            let home = functions_around(around).next_back();
            let is_wrapped = |value: &Expr<'_>| matches!(value.kind, ExprKind::Name(name) if wrapped.contains(&(home, name)));
            let Some(at) = scope.code.functions.iter().position(|one| one.name == given.name) else { return };
            let function = &scope.code.functions[at];
            let taken = given.to(function).into_iter().filter(|(_, value)| is_wrapped(value));
            let taken: Vec<Wrapped<'a>> = taken.map(|(name, _)| (Some(at), name)).collect();
            let fresh: Vec<_> = taken.into_iter().filter(|one| !wrapped.contains(one)).collect();
            wrapped.extend(fresh);
        });
        if wrapped.len() == before {
            break;
        }
    }
    (wrapped, fields)
}

/// The barriers of a block.
fn waits_in(scope: &FileScope<'_>, block: &Block<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    walk_block(scope.code, block, &mut |part, _| {
        if let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part
            && path(scope, &call.callee) == "torch.distributed.barrier"
        {
            found.push(expr.span);
        }
    });
    found
}

/// The first call of one of these models in a block, itself or by a function of the file that is given it.
fn forward_in<'a>(
    scope: &FileScope<'a>,
    block: &Block<'a>,
    names: &[&'a str],
    fields: &[&'a str],
) -> Option<(Span, &'a str)> {
    let mut found = None;
    walk_block(scope.code, block, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if found.is_some() || functions_around(around).next().is_some() {
            return;
        }
        let named = |expr: &Expr<'a>| match expr.kind {
            ExprKind::Name(name) => names.iter().copied().find(|known| *known == name),
            _ => None,
        };
        if let Some(name) = named(&call.callee) {
            found = Some((expr.span, name));
            return;
        }
        if let Some(name) = field_called(&call.callee, fields) {
            found = Some((expr.span, name));
            return;
        }
        let Some(function) = function_called(scope, expr) else { return };
        // `self.validate()`, which calls `self.net(…)`
        if matches!(call.callee.kind, ExprKind::Attribute(..)) {
            found = fields_called_in(scope, function, fields).map(|name| (expr.span, name));
            return;
        }
        for (at, given) in call.arguments.iter().enumerate().filter(|(_, given)| given.name.is_none()) {
            if let Some(name) = named(&given.value)
                && function.parameters.get(at).is_some_and(|one| calls(scope, function, one.name))
            {
                found = Some((expr.span, name));
            }
        }
    });
    found
}

/// `net` of `self.net`, where that is wrapped.
fn field_called<'a>(callee: &Expr<'_>, fields: &[&'a str]) -> Option<&'a str> {
    let ExprKind::Attribute(object, name) = &callee.kind else { return None };
    let of_self = matches!(object.kind, ExprKind::Name("self"));
    fields.iter().copied().find(|field| of_self && field == name)
}

/// The first wrapped model of the object that a method calls itself.
fn fields_called_in<'a>(
    scope: &FileScope<'a>,
    function: &Function<'a>,
    fields: &[&'a str],
) -> Option<&'a str> {
    let mut found = None;
    walk_block(scope.code, &function.body, &mut |part, _| {
        if let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part {
            found = found.or_else(|| field_called(&call.callee, fields));
        }
    });
    found
}

/// Whether a function calls what one of its parameters is given, and asks for no process itself.
fn calls(scope: &FileScope<'_>, function: &Function<'_>, parameter: &str) -> bool {
    let (mut is_called, mut is_replaced) = (false, false);
    walk_block(scope.code, &function.body, &mut |part, _| match part {
        CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) => {
            is_called |= matches!(call.callee.kind, ExprKind::Name(name) if name == parameter);
        }
        // `net = net.module`
        CodeNode::Statement(Statement { kind: StatementKind::Assign { targets, .. }, .. }) => {
            is_replaced |= targets.iter().any(|target| target.names().contains(&parameter));
        }
        _ => {}
    });
    is_called && !is_replaced
}
