//! Loaders whose generator of random numbers is for another device than what they draw.

use super::gpu_values::{SET_DEFAULT, names_gpu};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind};
use crate::facts::{FileId, Place, Span};
use crate::program::Names;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;
use rustc_hash::FxHashSet;

pub(super) const LOADERS: &[&str] =
    &["torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"];

/// `DataLoader(rows, shuffle=True)` where tensors are made on a GPU by default, and `DataLoader(rows, generator=…)` of a GPU where
/// they are not.
pub(super) fn for_another_device(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut shuffled, mut given): (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
    scope.each_call(&mut |expr, call, _| {
        if scope.names.path(&call.callee).is_none_or(|path| !LOADERS.contains(&path)) {
            return;
        }
        match argument(&call.arguments, None, Some("generator")) {
            Some(generator) if is_of_gpu(scope, generator) => given.push(generator.span),
            None if shuffles(call) && !call.arguments.iter().any(|one| one.unpacked) => {
                shuffled.push(expr.span)
            }
            _ => {}
        }
    });
    if shuffled.is_empty() && given.is_empty() {
        return Vec::new();
    }
    match default_of(scope) {
        Some(place) => {
            let raw_finding = |span| {
                let raw_finding = RawFinding::at(scope.place(span)).word("what", BY_CPU);
                raw_finding.beside(place, "tensors are made on the GPU from here on")
            };
            shuffled.into_iter().map(raw_finding).collect()
        }
        None => {
            given.into_iter().map(|span| RawFinding::at(scope.place(span)).word("what", BY_GPU)).collect()
        }
    }
}

const BY_CPU: &str =
    "the generator of this loader is one of the CPU, and it draws its order on the GPU, which is the default";
const BY_GPU: &str = "a loader draws on the CPU, and this generator is one of the GPU";

fn shuffles(call: &Call<'_>) -> bool {
    let shuffle = argument(&call.arguments, Some(2), Some("shuffle"));
    shuffle.is_some_and(|value| matches!(value.kind, ExprKind::Bool(true)))
}

/// `torch.Generator(device="cuda")`, or a name for it.
fn is_of_gpu(scope: &FileScope<'_>, generator: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &scope.names.meant(generator).kind else { return false };
    let device = argument(&call.arguments, Some(0), Some("device"));
    scope.names.path(&call.callee) == Some("torch.Generator")
        && device.is_some_and(|device| names_gpu(scope, device, 0))
}

/// Where this file, or one that runs in the same program, makes a GPU the default: one that leads to it by imports, or that
/// it imports.
fn default_of(scope: &FileScope<'_>) -> Option<Place> {
    let at = |file| default_in(scope, file).map(|span| Place { file, span });
    let elsewhere = || {
        let setting = SET_DEFAULT.iter().flat_map(|word| scope.program.files_with(word).to_vec());
        let mut setting: Vec<FileId> = setting.filter(|&file| file != scope.file).collect();
        if !setting.is_empty() {
            let around = files_around(scope);
            setting.retain(|file| around.contains(file));
        }
        setting.into_iter().find_map(at)
    };
    at(scope.file).or_else(elsewhere)
}

/// What this file imports, and all that lead to it by imports.
fn files_around(scope: &FileScope<'_>) -> FxHashSet<FileId> {
    let mut around: FxHashSet<FileId> = scope.program.files_imported(scope.file).into_iter().collect();
    let mut pending = vec![scope.file];
    while let Some(file) = pending.pop() {
        let importers = scope.program.importers(file).into_iter().map(|importer| importer.file);
        pending.extend(importers.filter(|&file| around.insert(file)));
    }
    around
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
