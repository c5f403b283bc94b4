//! Methods behind a cache of `functools`, which keeps the objects that they were called on.

use super::cuda_calls::names_gpu;
use super::memory::path_of_decorator;
use super::unmoved_tensors::{is_module, is_moved_somewhere};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Class, Expr, ExprKind, Function, StatementKind, Target};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `@lru_cache` above a method of a class whose objects have something on the GPU.
pub(super) fn that_keep_objects(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for class in &scope.code.classes {
        let mut cached = Vec::new();
        for step in &class.body {
            let StatementKind::Define { function, decorators } = &step.kind else { continue };
            let function = &scope.code.functions[*function];
            let is_method = function.parameters.first().is_some_and(|first| first.name == "self");
            let Some(cache) = decorators.iter().find(|one| keeps(scope, one)).filter(|_| is_method) else {
                continue;
            };
            cached.push((function, cache));
        }
        if cached.is_empty() || !has_gpu_memory(scope, class) {
            continue;
        }
        let raw_finding = |(function, cache): (&Function<'_>, &Expr<'_>)| {
            RawFinding::at(scope.place(cache.span)).word("name", function.name).word("class", class.name)
        };
        found.extend(cached.into_iter().map(raw_finding));
    }
    found
}

/// Whether a decorator is a cache that keeps what it is called with.
fn keeps(scope: &FileScope<'_>, decorator: &Expr<'_>) -> bool {
    let is_cache = path_of_decorator(scope, decorator)
        .is_some_and(|path| matches!(path, "functools.cache" | "functools.lru_cache"));
    let size = match &decorator.kind {
        ExprKind::Call(call) => argument(&call.arguments, Some(0), Some("maxsize")),
        _ => None,
    };
    is_cache && !size.is_some_and(|size| matches!(size.kind, ExprKind::Int(0)))
}

/// Whether the objects of a class are modules that the project moves, or keep something that they put on the GPU.
fn has_gpu_memory(scope: &FileScope<'_>, class: &Class<'_>) -> bool {
    if is_module(scope, class) {
        return is_moved_somewhere(scope);
    }
    let methods = class.body.iter().filter_map(|step| match &step.kind {
        StatementKind::Define { function, .. } => Some(&scope.code.functions[*function]),
        _ => None,
    });
    methods.into_iter().any(|method| keeps_on_gpu(scope, method))
}

/// `self.net = Net().cuda()`, `self.net = Net().to(device)`
fn keeps_on_gpu(scope: &FileScope<'_>, method: &Function<'_>) -> bool {
    let mut found = false;
    walk_block(scope.code, &method.body, &mut |part, _| {
        let CodeNode::Statement(step) = part else { return };
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let is_own = |target: &Target<'_>| matches!(target, Target::Attribute(object, _) if matches!(object.kind, ExprKind::Name("self")));
        let ExprKind::Call(call) = &value.kind else { return };
        let is_moved = match &call.callee.kind {
            ExprKind::Attribute(_, "cuda") => true,
            ExprKind::Attribute(_, "to") => argument(&call.arguments, Some(0), Some("device"))
                .is_some_and(|device| may_be_gpu(scope, method, device)),
            _ => false,
        };
        found |= is_moved && targets.iter().any(is_own);
    });
    found
}

/// Whether a device is a GPU, or is not known and may be one.
fn may_be_gpu(scope: &FileScope<'_>, method: &Function<'_>, device: &Expr<'_>) -> bool {
    if names_gpu(device, scope, 0) {
        return true;
    }
    let parameter =
        method.parameters.iter().find(|one| matches!(device.kind, ExprKind::Name(name) if one.name == name));
    let meant = match parameter.and_then(|one| one.default.as_ref()) {
        Some(default) => default,
        None => scope.names.meant(device),
    };
    let text = scope.text(meant.span).to_ascii_lowercase();
    text.contains("cuda") || !text.contains("cpu") && scope.text(device.span).contains("device")
}
