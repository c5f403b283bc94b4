//! The memory that TensorFlow takes at its beginning, beside torch on the same GPU.

use super::cuda_calls::fails_without_driver;
use super::own_calls::{imported, is_data};
use super::tensorflow::is_operation;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::facts::{FileId, Place};
use crate::rules::files::{FileScope, RawFinding};

/// Words that say how much memory TensorFlow may take, or that it gets no GPU.
const SETTINGS: &[&str] = &[
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "allow_growth",
    "memory_limit",
    "per_process_gpu_memory_fraction",
    "set_logical_device_configuration",
    "set_memory_growth",
    "set_visible_devices",
    "tensorflow-cpu",
    "tensorflow_cpu",
];

/// The first computation of TensorFlow in a program that puts something on the GPU with torch, by itself or in a module that
/// it imports.
pub(super) fn beside_torch(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let has_both = || scope.program.has_any(&["tensorflow"]) && scope.program.has_any(&["torch"]);
    if scope.is_library() || !has_both() || scope.program.has_any(SETTINGS) {
        return Vec::new();
    }
    let (mut computes, mut torch, mut imported) = (None, None, Vec::new());
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::Import(import) = &step.kind {
                imported.extend(scope.program.import_targets(scope.file, import));
            }
        }
        // In a branch it may be the other framework that is wanted.
        CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) if !is_optional(scope, around) => {
            let path = scope.names.path(&call.callee).unwrap_or_default();
            if computes.is_none() && begins(scope, path) {
                computes = Some(scope.place(expr.span));
            }
            if torch.is_none() && takes_with_torch(scope, expr) {
                torch = Some(scope.place(expr.span));
            }
        }
        _ => {}
    });
    // A module that the program imports may compute, where the program itself uses torch.
    let names = |file: FileId| {
        ["tensorflow", "tensorflow_datasets"].iter().any(|word| scope.program.has_word(file, word))
    };
    let speaks = |file: &&FileId| torch.is_some() && names(**file);
    let computed = || imported.iter().filter(speaks).find_map(|file| begun_in(scope, *file));
    let Some(computes) = computes.or_else(computed) else { return Vec::new() };
    let torch = torch.or_else(|| imported.iter().find_map(|file| taken_in(scope, *file)));
    let raw_finding = |torch| RawFinding::at(computes).beside(torch, "torch uses the GPU here");
    torch.map(raw_finding).into_iter().collect()
}

/// Whether what stands there may be left out; what a program does where it is started is not.
fn is_optional(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    around.iter().any(|one| match one {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => !scope.text(test.span).contains("__name__"),
        Ancestor::Try(_) | Ancestor::Handler(..) => true,
        _ => false,
    })
}

/// Whether a call makes TensorFlow take its memory. A session of TensorFlow 1 begins it as well, and so does what only reads
/// data.
fn begins(scope: &FileScope<'_>, path: &str) -> bool {
    let of_keras = [
        "tensorflow.keras.Sequential",
        "tensorflow.keras.Model",
        "tensorflow.keras.models.",
        "tensorflow.Session",
        "tensorflow.InteractiveSession",
        "tensorflow.compat.v1.Session",
        "tensorflow.compat.v1.InteractiveSession",
    ];
    of_keras.iter().any(|root| path.starts_with(root))
        || is_operation(scope.program, path)
        || is_data(path) && !path.ends_with("AUTOTUNE")
}

/// Where a module of the project makes TensorFlow take its memory.
fn begun_in(scope: &FileScope<'_>, file: FileId) -> Option<Place> {
    first_in(scope, file, |other, expr| match &expr.kind {
        ExprKind::Call(call) => begins(other, other.names.path(&call.callee).unwrap_or_default()),
        _ => false,
    })
}

/// Where a module of the project puts something on the GPU with torch.
fn taken_in(scope: &FileScope<'_>, file: FileId) -> Option<Place> {
    first_in(scope, file, takes_with_torch)
}

/// The first expression of a module of which this is true, where nothing says that it may fail.
fn first_in(
    scope: &FileScope<'_>,
    file: FileId,
    holds: impl Fn(&FileScope<'_>, &Expr<'_>) -> bool,
) -> Option<Place> {
    scope.in_other(file, |other| {
        let mut first: Option<Place> = None;
        walk(other.code, &mut |part, around| {
            if let CodeNode::Expr(expr) = part
                && first.is_none()
                && !is_optional(other, around)
                && holds(other, expr)
            {
                first = Some(other.place(expr.span));
            }
        });
        first
    })
}

fn takes_with_torch(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let surely = fails_without_driver(expr, scope);
    surely.is_some_and(|name| name.starts_with("torch.") || name.starts_with('.'))
        || moves_to_chosen(scope, expr)
}

/// `.to(DEVICE)` of a device that another module has chosen, in a project that speaks of CUDA.
fn moves_to_chosen(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    let ExprKind::Attribute(_, "to") = call.callee.kind else { return false };
    let Some(ExprKind::Name(name)) = call.arguments.first().map(|one| &one.value.kind) else { return false };
    let is_device = matches!(*name, "DEVICE" | "device");
    is_device
        && imported(scope, None, name).is_some_and(|(file, _)| scope.program.text_of(file).contains("cuda"))
}
