//! Devices that a loader hands to the function that puts its batches together: `collate_fn=partial(collate, device="cuda")`.

use super::{Loader, options};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::rules::analyses::cuda_calls::names_gpu;
use crate::rules::analyses::memory::function_named;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// Where such a function of the file moves something to the device that it is handed, and by what.
pub fn on_gpu<'l>(loaders: &'l [Loader], scope: &FileScope<'_>) -> Vec<(&'l Loader, (Span, String))> {
    let mut found = Vec::new();
    if !scope.whole_text().contains("partial(") {
        return found;
    }
    scope.each_call(&mut |expr, call, _| {
        let here = |loader: &&Loader| loader.place == scope.place(expr.span);
        let Some(loader) = loaders.iter().find(here) else { return };
        let Some(given) = options::given(scope, call, Some(6), "collate_fn") else { return };
        let ExprKind::Call(partial) = &scope.names.meant(given).kind else { return };
        if scope.names.path(&partial.callee) != Some("functools.partial") {
            return;
        }
        let Some(Expr { kind: ExprKind::Name(name), .. }) = argument(&partial.arguments, Some(0), None)
        else {
            return;
        };
        let Some(function) = function_named(scope, name) else { return };
        let is_gpu =
            |value: &Expr<'_>| scope.names.may_mean(value).into_iter().any(|one| names_gpu(one, scope, 0));
        let devices: Vec<&str> =
            partial.arguments.iter().filter(|one| is_gpu(&one.value)).filter_map(|one| one.name).collect();
        let names_device =
            |value: &Expr<'_>| matches!(value.kind, ExprKind::Name(name) if devices.contains(&name));
        walk_block(scope.code, &function.body, &mut |part, _| {
            let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
            let moves = matches!(call.callee.kind, ExprKind::Attribute(_, "to"))
                && call.arguments.iter().any(|one| names_device(&one.value));
            let makes = argument(&call.arguments, None, Some("device")).is_some_and(names_device);
            if moves || makes {
                found.push((loader, (expr.span, scope.text(call.callee.span).to_owned())));
            }
        });
    });
    found
}
