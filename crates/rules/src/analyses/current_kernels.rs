//! Kernels of Triton, CuPy and Numba that run on the current GPU, whatever GPU their tensors lie on.

use super::literal_defaults::default_of;
use super::memory::path_of_decorator;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::facts::{FileId, Span};
use crate::rules::files::{FileScope, RawFinding};

/// What makes the GPU of a tensor the current one, or leaves one GPU.
const CHOICES: &[&str] = &[
    "cuda.Device(",
    "cuda.device(",
    "cuda.device_of(",
    "cuda.set_device",
    "import set_device",
    "set_device_index",
    "DeviceGuard",
    "select_device(",
    "cuda.gpus[",
];

/// GPUs other than the first one, as programs name them.
const OTHERS: &[&str] = &["cuda:1", "cuda:2", "cuda:3"];

/// Launches without a choice, in a project that puts something on another GPU than the first one.
pub(super) fn beside_another_card(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let other = other_card(scope).or_else(|| moves_to_number(scope).then_some(scope.file));
    let Some(other) = other.filter(|_| !scope.program.has_any(CHOICES)) else {
        return Vec::new();
    };
    let launches = launches(scope);
    let name = scope.program.name_of(other);
    let raw_finding =
        |span| RawFinding::at(scope.place(span)).word("text", scope.text(span)).word("module", name);
    launches.into_iter().map(raw_finding).collect()
}

/// The first file in Python that puts something on another GPU than the first one, and sets no mask.
fn other_card(scope: &FileScope<'_>) -> Option<FileId> {
    let is_program = |file: &FileId| {
        let source = scope.program.sources.file(*file);
        source.is_python() && !source.text.contains("CUDA_VISIBLE_DEVICES") && hands_over(scope, *file)
    };
    OTHERS.iter().find_map(|word| scope.program.files_with(word).iter().copied().find(is_program))
}

/// Whether a file hands such a GPU to a call: a text about it is no use.
fn hands_over(scope: &FileScope<'_>, file: FileId) -> bool {
    let mut found = false;
    walk(scope.program.code(file), &mut |part, around| {
        let CodeNode::Expr(Expr { kind: ExprKind::Text(text), .. }) = part else { return };
        found |= OTHERS.contains(&text.as_ref()) && matches!(around.last(), Some(Ancestor::Argument(..)));
    });
    found
}

/// `x.cuda(1)`, also with the default of an option.
fn moves_to_number(scope: &FileScope<'_>) -> bool {
    if scope.whole_text().contains("CUDA_VISIBLE_DEVICES") {
        return false;
    }
    let mut found = false;
    scope.each_call(&mut |_, call, _| {
        if let (ExprKind::Attribute(_, "cuda"), [given]) = (&call.callee.kind, &call.arguments[..]) {
            found |=
                default_of(scope, &given.value).and_then(|card| card.number()).is_some_and(|card| card > 0);
        }
    });
    found
}

/// `kernel[grid](x, n)` of a kernel that Triton compiles, and a kernel of CuPy that is handed the address of a tensor.
fn launches(scope: &FileScope<'_>) -> Vec<Span> {
    let mut kernels: Vec<&str> = Vec::new();
    scope.each_statement(&mut |step, _| {
        if let StatementKind::Define { function, decorators } = &step.kind
            && decorators.iter().any(|one| is_compiled(scope, one))
        {
            kernels.push(scope.code.functions[*function].name);
        }
    });
    let of_cupy = ["cupy.RawKernel", "cupy.RawModule", "cupy.cuda.compile_with_cache"]
        .iter()
        .any(|word| scope.whole_text().contains(word));
    let mut found: Vec<Span> = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        match &call.callee.kind {
            ExprKind::Item(item) if matches!(item.0.kind, ExprKind::Name(name) if kernels.contains(&name)) => {
                found.push(call.callee.span);
            }
            // One kernel takes several of them, and says the same of each.
            ExprKind::Attribute(_, "data_ptr")
                if of_cupy && call.arguments.is_empty() && found.is_empty() =>
            {
                found.push(expr.span);
            }
            _ => {}
        }
    });
    found
}

/// `@triton.jit`, also below `@triton.autotune(…)`, and `@cuda.jit` of Numba where torch has the arrays.
fn is_compiled(scope: &FileScope<'_>, decorator: &Expr<'_>) -> bool {
    match path_of_decorator(scope, decorator) {
        Some("triton.jit") => true,
        Some("numba.cuda.jit") => scope.whole_text().contains("as_cuda_array("),
        _ => false,
    }
}
