//! Values that lie on the GPU, as far as the way they are made says so.

use super::memory::{call_of, function_called, method_of, path};
use crate::code::walk::{Ancestor, CodeNode, walk_block};
use crate::code::{Block, Expr, ExprKind, Function, Statement, StatementKind, Target};
use crate::rules::files::FileScope;

/// Calls that say on which device tensors are made without being told.
pub(super) const SET_DEFAULT: &[&str] = &["set_default_tensor_type", "set_default_device"];

/// Calls of calls of calls are not followed.
const DEEPEST: usize = 3;

/// What a function returns or hands out by `yield`, as far as it stands in it.
pub(super) fn given_by<'e, 's>(scope: &FileScope<'s>, function: &'e Function<'s>) -> Vec<&'e Expr<'s>>
where
    's: 'e,
{
    let mut given = Vec::new();
    // Only what the function itself gives.
    fn in_block<'e, 's>(block: &'e Block<'s>, given: &mut Vec<&'e Expr<'s>>) {
        for step in block {
            match &step.kind {
                StatementKind::Return(Some(value)) => given.push(value),
                StatementKind::Evaluate(Expr { kind: ExprKind::Yield(Some(value)), .. })
                | StatementKind::Evaluate(Expr { kind: ExprKind::YieldFrom(value), .. }) => given.push(value),
                StatementKind::Assign {
                    value: Some(Expr { kind: ExprKind::Yield(Some(value)), .. }),
                    ..
                } => {
                    given.push(value);
                }
                kind => kind.blocks().into_iter().for_each(|block| in_block(block, given)),
            }
        }
    }
    let _ = scope;
    in_block(&function.body, &mut given);
    given
}

/// Whether a value of a function lies on the GPU.
pub(super) fn is_on_gpu(scope: &FileScope<'_>, function: &Function<'_>, value: &Expr<'_>) -> bool {
    lies_on_gpu(scope, &function.body, value, 0)
}

/// Whether a value lies on the GPU that stands in a function, or outside of all.
pub(super) fn is_on_gpu_in(scope: &FileScope<'_>, function: Option<usize>, value: &Expr<'_>) -> bool {
    match function {
        Some(number) => is_on_gpu(scope, &scope.code.functions[number], value),
        None => lies_on_gpu_in(scope, &scope.code.body, value),
    }
}

/// Whether a value of a block lies on the GPU.
pub(super) fn lies_on_gpu_in(scope: &FileScope<'_>, body: &Block<'_>, value: &Expr<'_>) -> bool {
    lies_on_gpu(scope, body, value, 0)
}

fn lies_on_gpu(scope: &FileScope<'_>, body: &Block<'_>, value: &Expr<'_>, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let deeper = |value: &Expr<'_>| lies_on_gpu(scope, body, value, depth + 1);
    match &value.kind {
        ExprKind::Name(name) => named_lies_on_gpu(scope, body, name, depth),
        ExprKind::Sequence(parts) => parts.iter().any(deeper),
        ExprKind::Mapping(entries) => entries.iter().any(|(_, value)| deeper(value)),
        ExprKind::Await(inner) => deeper(inner),
        ExprKind::Choice(parts) => deeper(&parts.1) || deeper(&parts.2),
        ExprKind::Call(call) => {
            let path = path(scope, &call.callee);
            let last = path.rsplit('.').next().unwrap_or_default();
            if matches!(path, "torch.device" | "torch.cuda.Stream" | "torch.cuda.Event" | "torch.Generator") {
                return false;
            }
            let argument = |name: &str| {
                call.arguments
                    .iter()
                    .find(|argument| argument.name == Some(name))
                    .map(|argument| &argument.value)
            };
            let made_there = argument("device").is_some_and(|device| names_gpu(scope, device, 0))
                || argument("device_map").is_some_and(|map| {
                    names_gpu(scope, map, 0) || matches!(&map.kind, ExprKind::Text(text) if text == "auto")
                });
            let moved = method_of(value).is_some_and(|(object, name, call)| match name {
                "cuda" => true,
                "to" => {
                    let first = call.arguments.first();
                    first.is_some_and(|one| names_gpu(scope, &one.value, 0))
                        || deeper(object) && first.is_none()
                }
                "eval" | "train" | "half" | "float" | "bfloat16" | "requires_grad_" | "contiguous" => {
                    deeper(object)
                }
                _ => false,
            });
            const MAKING: &[&str] =
                &["arange", "array", "asarray", "empty", "full", "linspace", "ones", "zeros"];
            const WRAPPING: &[&str] = &["compile", "DataParallel", "DistributedDataParallel", "Sequential"];
            let wraps = WRAPPING.contains(&last) && call.arguments.iter().any(|one| deeper(&one.value));
            let of_cupy =
                path.starts_with("cupy.") && (MAKING.contains(&last) || path.starts_with("cupy.random."));
            let by_helper = function_called(scope, value).is_some_and(|helper| {
                let gives = |given: &&Expr<'_>| lies_on_gpu(scope, &helper.body, given, depth + 1);
                given_by(scope, helper).iter().any(gives)
            });
            made_there || moved || wraps || of_cupy || by_helper
        }
        _ => false,
    }
}

/// Whether something in a block puts what a name stands for on the GPU.
fn named_lies_on_gpu(scope: &FileScope<'_>, body: &Block<'_>, name: &str, depth: usize) -> bool {
    let mut found = false;
    walk_block(scope.code, body, &mut |part, around| {
        if found || around.iter().any(|one| matches!(one, Ancestor::Function(_))) {
            return;
        }
        let CodeNode::Statement(Statement { kind, .. }) = part else { return };
        found = match kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let given = |target| given_to(target, value, name);
                targets.iter().filter_map(given).any(|value| {
                    !matches!(&value.kind, ExprKind::Name(known) if *known == name)
                        && lies_on_gpu(scope, body, value, depth + 1)
                })
            }
            // `model.cuda()` moves a module where it is.
            StatementKind::Evaluate(value) => {
                let of_it = |object: &Expr<'_>| matches!(object.kind, ExprKind::Name(known) if known == name);
                call_of(value).is_some()
                    && method_of(value).is_some_and(|(object, _, _)| of_it(object))
                    && lies_on_gpu(scope, body, value, depth + 1)
            }
            _ => false,
        };
    });
    found
}

/// What a name gets by an assignment, also in `x, y = x.to(device), y.to(device)`.
fn given_to<'e, 's>(target: &Target<'s>, value: &'e Expr<'s>, name: &str) -> Option<&'e Expr<'s>> {
    match (target, &value.kind) {
        (Target::Name(known, _), _) => (*known == name).then_some(value),
        (Target::Sequence(targets), ExprKind::Sequence(values)) if targets.len() == values.len() => {
            targets.iter().zip(values).find_map(|(target, value)| given_to(target, value, name))
        }
        _ => None,
    }
}

/// Whether a value names a CUDA device.
pub(super) fn names_gpu(scope: &FileScope<'_>, device: &Expr<'_>, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let meant = scope.names.meant(device);
    match &meant.kind {
        ExprKind::Text(text) => text.starts_with("cuda"),
        ExprKind::Int(index) => *index >= 0,
        ExprKind::Join(parts) => parts.first().is_some_and(|part| names_gpu(scope, part, depth + 1)),
        ExprKind::Choice(parts) => {
            names_gpu(scope, &parts.1, depth + 1) || names_gpu(scope, &parts.2, depth + 1)
        }
        // `name or "cuda"`
        ExprKind::Any(values) => values.iter().any(|value| names_gpu(scope, value, depth)),
        ExprKind::Call(call) if path(scope, &call.callee) == "torch.device" => {
            call.arguments.first().is_some_and(|one| names_gpu(scope, &one.value, depth + 1))
        }
        // `get_device(args.device)`, which gives the GPU where there is one.
        ExprKind::Call(_) => function_called(scope, meant).is_some_and(|helper| {
            let gives = |given: &&Expr<'_>| {
                !matches!(given.kind, ExprKind::Int(_)) && names_gpu(scope, given, depth + 1)
            };
            given_by(scope, helper).iter().any(gives)
        }),
        _ => false,
    }
}
