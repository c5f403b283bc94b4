//! Tensors on the CPU in collectives of NCCL, which knows only the memory of GPUs.

use super::dropped_moves::makes_on_cpu;
use super::memory::method_of;
use crate::code::walk::{CodeNode, walk, within_function};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Collectives, each with the positions of its tensors.
const COLLECTIVES: &[(&str, &[usize])] = &[
    ("all_gather", &[1]),
    ("all_gather_into_tensor", &[0, 1]),
    ("all_reduce", &[0]),
    ("broadcast", &[0]),
    ("gather", &[0]),
    ("irecv", &[0]),
    ("isend", &[0]),
    ("recv", &[0]),
    ("reduce", &[0]),
    ("reduce_scatter_tensor", &[0, 1]),
    ("send", &[0]),
];

/// Other backends, and what makes tensors on the GPU by itself.
const ELSEWHERE: &[&str] = &["gloo", "mpi", "set_default_device", "set_default_tensor_type", "get_backend"];

/// `dist.all_reduce(torch.tensor([n]))` in a group of NCCL.
pub(super) fn of_nccl(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let is_named = ["nccl", "NCCL"].iter().any(|name| text.contains(name));
    if !is_named || ELSEWHERE.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut values: Vec<(Option<usize>, &str, &Expr<'_>)> = Vec::new();
    let mut moved: Vec<(Option<usize>, &str)> = Vec::new();
    let mut calls: Vec<(Option<usize>, Span, &str, Vec<&Expr<'_>>)> = Vec::new();
    let mut joins = false;
    walk(scope.code, &mut |part, around| {
        let (home, _) = within_function(around);
        match part {
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    for target in targets {
                        match target {
                            Target::Name(name, _) => values.push((home, name, value)),
                            Target::Sequence(parts) => {
                                moved.extend(parts.iter().filter_map(|part| match part {
                                    Target::Name(name, _) => Some((home, *name)),
                                    _ => None,
                                }))
                            }
                            _ => {}
                        }
                    }
                }
                StatementKind::For { target: Target::Name(name, _), .. } => moved.push((home, name)),
                _ => {}
            },
            CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
                let Some(path) = scope.names.path(&call.callee) else { return };
                let Some(name) = path.strip_prefix("torch.distributed.") else { return };
                if name == "init_process_group" {
                    let backend = argument(&call.arguments, Some(0), Some("backend"));
                    joins |= backend.is_some_and(|backend| {
                        matches!(&scope.names.meant(backend).kind, ExprKind::Text(text) if text.eq_ignore_ascii_case("nccl"))
                    });
                }
                // A group of its own may have another backend.
                let own_group = call.arguments.iter().any(|one| one.unpacked || one.name == Some("group"));
                if let Some((known, positions)) =
                    COLLECTIVES.iter().find(|(known, _)| *known == name).filter(|_| !own_group)
                {
                    let tensors =
                        positions.iter().filter_map(|at| argument(&call.arguments, Some(*at), None));
                    calls.push((home, expr.span, known, tensors.collect()));
                }
            }
            _ => {}
        }
    });
    if !joins {
        return Vec::new();
    }
    let is_on_cpu = |home: Option<usize>, tensor: &Expr<'_>| match &tensor.kind {
        ExprKind::Name(name) => {
            let of_it = |(at, known): (Option<usize>, &str)| at == home && known == *name;
            let mut given = values.iter().filter(|(at, known, _)| of_it((*at, known))).peekable();
            given.peek().is_some()
                && given.all(|(_, _, value)| makes_tensor(scope, value))
                && !moved.iter().any(|(at, known)| of_it((*at, known)))
        }
        _ => makes_tensor(scope, tensor),
    };
    let mut found = Vec::new();
    for (home, span, name, tensors) in calls {
        if let Some(tensor) = tensors.into_iter().find(|tensor| is_on_cpu(home, tensor)) {
            let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
            found.push(raw_finding.word("text", scope.text(tensor.span)));
        }
    }
    found
}

/// A tensor that a function of torch makes on the CPU, also through a method that keeps it there.
fn makes_tensor(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    makes_on_cpu(scope, value)
        || method_of(value).is_some_and(|(object, name, _)| {
            matches!(name, "clone" | "double" | "float" | "int" | "long" | "view")
                && makes_on_cpu(scope, object)
        })
}
