//! Loaders that shuffle, in a project that makes its tensors on the GPU by default.

use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::facts::{FileId, Span};
use crate::program::Names;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

const LOADERS: &[&str] = &["torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"];

/// `DataLoader(rows, shuffle=True)` without a generator, where some file sets the default to a GPU.
pub(super) fn under_gpu_default(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        if scope.names.path(&call.callee).is_none_or(|path| !LOADERS.contains(&path)) {
            return;
        }
        let shuffles = argument(&call.arguments, Some(2), Some("shuffle"))
            .is_some_and(|value| matches!(value.kind, ExprKind::Bool(true)));
        let has_generator = argument(&call.arguments, None, Some("generator")).is_some();
        if shuffles && !has_generator && !call.arguments.iter().any(|one| one.unpacked) {
            found.push(expr.span);
        }
    });
    if found.is_empty() {
        return Vec::new();
    }
    let own = default_in(scope, scope.file);
    let elsewhere = || {
        ["set_default_tensor_type", "set_default_device"]
            .into_iter()
            .flat_map(|word| scope.program.files_with(word).to_vec())
            .filter(|file| *file != scope.file)
            .find_map(|file| default_in(scope, file).map(|span| (file, span)))
    };
    let Some((file, span)) = own.map(|span| (scope.file, span)).or_else(elsewhere) else { return Vec::new() };
    let place = crate::facts::Place { file, span };
    let raw_finding =
        |span| RawFinding::at(scope.place(span)).beside(place, "tensors are made on the GPU from here on");
    found.into_iter().map(raw_finding).collect()
}

/// Where a file makes a GPU the default.
fn default_in(scope: &FileScope<'_>, file: FileId) -> Option<Span> {
    let source = scope.program.sources.file(file);
    if !source.is_python() {
        return None;
    }
    let names = Names::of(scope.program, file);
    let mut found = None;
    walk(scope.program.code(file), &mut |part, _| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let sets = matches!(
            names.path(&call.callee),
            Some("torch.set_default_tensor_type" | "torch.set_default_device")
        );
        let Some(first) = call.arguments.first().filter(|_| sets && found.is_none()) else { return };
        let meant = names.meant(&first.value);
        let is_gpu = match &meant.kind {
            ExprKind::Text(text) => text.contains("cuda"),
            _ => names.path(meant).is_some_and(|path| path.contains("cuda")),
        };
        if is_gpu {
            found = Some(expr.span);
        }
    });
    found
}
