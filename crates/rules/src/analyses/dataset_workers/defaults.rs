//! A default device that workers take over: they put the items together there.

use super::super::cuda_calls::names_gpu;
use super::Loader;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::Span;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// A loader of a file that makes a GPU the default device of torch: where, and by which call.
pub(super) fn on_gpu<'l>(
    loaders: &'l [Loader],
    scope: &FileScope<'_>,
) -> Option<(&'l Loader, (Span, String))> {
    let loader = loaders.iter().find(|loader| loader.place.file == scope.file)?;
    // A fresh process has the default of torch again, unless its imports change it.
    if !scope.whole_text().contains("set_default_") || scope.whole_text().contains("spawn") {
        return None;
    }
    let (mut first, mut is_changed_back) = (None, false);
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let Some(given) = argument(&call.arguments, Some(0), None) else { return };
        let on_gpu = match scope.names.path(&call.callee) {
            Some("torch.set_default_device") => names_gpu(given, scope, 0),
            Some("torch.set_default_tensor_type") => match &scope.names.meant(given).kind {
                ExprKind::Text(text) => text.starts_with("torch.cuda."),
                _ => scope.names.path(given).is_some_and(|path| path.starts_with("torch.cuda.")),
            },
            _ => return,
        };
        is_changed_back |= !on_gpu;
        if on_gpu && first.is_none() {
            first = scope.names.path(&call.callee).map(|name| (expr.span, name.to_owned()));
        }
    });
    first.filter(|_| !is_changed_back).map(|made| (loader, made))
}
