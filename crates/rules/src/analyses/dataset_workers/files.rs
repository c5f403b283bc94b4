//! Files of tensors: `torch.load` brings them back to the card on which they were saved.

use crate::code::{Call, Expr, ExprKind};
use crate::rules::analyses::cuda_calls::reaches_cuda;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// The name of a call that loads tensors of a GPU: this file has saved some under the same path, and nothing brings them
/// to another device.
pub(super) fn brought_back(expr: &Expr<'_>, scope: &FileScope<'_>) -> Option<String> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    if scope.names.path(&call.callee) != Some("torch.load")
        || argument(&call.arguments, Some(1), Some("map_location")).is_some()
        || call.arguments.iter().any(|one| one.unpacked)
    {
        return None;
    }
    let path = path_of(scope, call, 0)?;
    let (mut from_gpu, mut from_elsewhere) = (false, false);
    scope.each_call(&mut |_, saving, _| {
        if scope.names.path(&saving.callee) != Some("torch.save") || path_of(scope, saving, 1) != Some(path) {
            return;
        }
        match argument(&saving.arguments, Some(0), Some("obj")) {
            Some(saved) if reaches_cuda(scope.names.meant(saved), scope).is_some() => from_gpu = true,
            _ => from_elsewhere = true,
        }
    });
    (from_gpu && !from_elsewhere).then(|| "torch.load".to_owned())
}

/// The path that a call takes, where it is a text of the file.
fn path_of<'c>(scope: &'c FileScope<'_>, call: &'c Call<'c>, position: usize) -> Option<&'c str> {
    match &scope.names.meant(argument(&call.arguments, Some(position), Some("f"))?).kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}
