//! Tensors on the GPU that are handed to NumPy, which knows only the memory of the host.

use super::gpu_values::is_on_gpu;
use super::memory::{call_of, method_of, path};
use super::tensor_flow;
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk, walk_block};
use crate::code::{Block, Expr, ExprKind, Function, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// What takes a tensor and gives another one of the same device.
const SAME_DEVICE: &[&str] = &[
    "argmax",
    "clone",
    "contiguous",
    "detach",
    "double",
    "float",
    "half",
    "mean",
    "permute",
    "reshape",
    "sigmoid",
    "softmax",
    "squeeze",
    "sum",
    "transpose",
    "unsqueeze",
    "view",
];

/// `model(x.cuda()).numpy()`
pub(super) fn of_gpu_tensors(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    if !scope.whole_text().contains("torch") {
        return found;
    }
    found.extend(tensor_flow::stored_in_arrays(scope));
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let Some(tensor) = converted(scope, expr) else { return };
        let Some(number) = functions_around(around).next_back() else { return };
        if around.iter().any(|one| matches!(one, Ancestor::Try(_))) {
            return;
        }
        if lies_on_gpu(scope, &scope.code.functions[number], without_methods(tensor)) {
            found.push(RawFinding::at(scope.place(expr.span)).word("text", scope.text(tensor.span)));
        }
    });
    found
}

/// The tensor of which an expression makes an array.
fn converted<'c>(scope: &FileScope<'_>, expr: &'c Expr<'c>) -> Option<&'c Expr<'c>> {
    let call = call_of(expr)?;
    if let Some((object, "numpy", call)) = method_of(expr)
        && call.arguments.is_empty()
    {
        return Some(object);
    }
    match path(scope, &call.callee) {
        "numpy.array" | "numpy.asarray" => call.arguments.first().map(|one| &one.value),
        _ => None,
    }
}

/// What a chain of methods that keep the device begins with.
fn without_methods<'c>(mut tensor: &'c Expr<'c>) -> &'c Expr<'c> {
    loop {
        tensor = match &tensor.kind {
            ExprKind::Attribute(object, "data" | "T") => object,
            _ => match method_of(tensor) {
                Some((object, name, _)) if SAME_DEVICE.contains(&name) => object,
                _ => return tensor,
            },
        };
    }
}

fn lies_on_gpu(scope: &FileScope<'_>, function: &Function<'_>, tensor: &Expr<'_>) -> bool {
    match &tensor.kind {
        ExprKind::Name(name) => {
            let values = values_of(scope, &function.body, name, tensor.span);
            let is_gpu = |value: &&Expr<'_>| lies_on_gpu_as_value(scope, function, value);
            // Any other value may be the one that is left.
            match values.split_last() {
                Some((last, _)) => is_gpu(last) && !values.iter().any(|value| goes_to_host(scope, value)),
                None => false,
            }
        }
        _ => lies_on_gpu_as_value(scope, function, tensor),
    }
}

fn lies_on_gpu_as_value(scope: &FileScope<'_>, function: &Function<'_>, value: &Expr<'_>) -> bool {
    let value = without_methods(value);
    if goes_to_host(scope, value) {
        return false;
    }
    let is_move = |value: &Expr<'_>| matches!(method_of(value), Some((_, "cuda" | "to", _)));
    if is_move(value) {
        return is_on_gpu(scope, function, value);
    }
    // What a model gives lies where its input does.
    let Some(call) = call_of(value) else { return false };
    let is_model = match &call.callee.kind {
        ExprKind::Name(name) => {
            scope.code.functions.iter().all(|function| function.name != *name)
                && scope.code.classes.iter().all(|class| class.name != *name)
                && scope.names.path(&call.callee).is_none_or(|path| path.ends_with(')'))
                && is_module_name(name)
        }
        ExprKind::Attribute(object, name) => {
            matches!(object.kind, ExprKind::Name("self"))
                && scope.code.functions.iter().all(|function| function.name != *name)
                && is_module_name(name)
        }
        _ => false,
    };
    let is_moved = |input: &Expr<'_>| is_move(input) && is_on_gpu(scope, function, input);
    let is_gpu = |input: &Expr<'_>| match &input.kind {
        ExprKind::Name(name) => {
            values_of(scope, &function.body, name, input.span).last().is_some_and(|last| is_moved(last))
        }
        _ => is_moved(input),
    };
    is_model && call.arguments.first().is_some_and(|first| is_gpu(&first.value))
}

/// What people call a model.
pub(super) fn is_module_name(name: &str) -> bool {
    ["model", "net", "network", "encoder", "decoder", "generator", "classifier", "backbone"]
        .iter()
        .any(|word| name == *word || name.ends_with(&format!("_{word}")))
}

/// Whether a value is brought to the memory of the host.
fn goes_to_host(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let text = scope.text(value.span);
    [".cpu()", "\"cpu\"", "'cpu'", ".numpy()", ".tolist()", ".item()"].iter().any(|word| text.contains(word))
}

/// What a block assigns to a name above a place, in its order.
fn values_of<'a>(scope: &FileScope<'a>, body: &'a Block<'a>, name: &str, before: Span) -> Vec<&'a Expr<'a>> {
    let mut values = Vec::new();
    walk_block(scope.code, body, &mut |part, around| {
        let CodeNode::Statement(step) = part else { return };
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let is_it = |target: &Target<'_>| matches!(target, Target::Name(known, _) if *known == name);
        let is_above = step.span.end <= before.start;
        if is_above
            && !around.iter().any(|one| matches!(one, Ancestor::Function(_)))
            && targets.iter().any(is_it)
        {
            values.push(value);
        }
    });
    values
}
