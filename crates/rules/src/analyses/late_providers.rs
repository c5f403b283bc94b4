//! Sessions of ONNX Runtime that are made with a GPU, and put on the CPU afterwards.

use super::providers::{may_be, provider, takes_gpu_unasked};
use crate::code::walk::{Ancestor, CodeNode, functions_around, walk};
use crate::code::{Expr, ExprKind, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

const SESSION: &str = "onnxruntime.InferenceSession";
const OF_CPU: &str = "CPUExecutionProvider";

/// `session.set_providers(["CPUExecutionProvider"])` behind a session that has taken a GPU.
pub(super) fn that_leave_the_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut made: Vec<(&str, Span, Option<usize>)> = Vec::new();
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let function = functions_around(around).next_back();
        match part {
            CodeNode::Statement(step) => {
                let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
                let named = targets.iter().flat_map(|target| target.names());
                for name in named {
                    // The last one counts.
                    made.retain(|(known, _, home)| *known != name || *home != function);
                    if takes_gpu(scope, value) {
                        made.push((name, value.span, function));
                    }
                }
            }
            CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) => {
                let ExprKind::Attribute(object, method) = &call.callee.kind else { return };
                let ExprKind::Name(name) = object.kind else { return };
                match *method {
                    "set_providers" if !is_on_purpose(scope, around) => {}
                    // Who ran the session on the GPU, or asked where it runs, means to leave it.
                    "run" | "run_with_iobinding" | "get_providers" => {
                        made.retain(|(known, _, home)| *known != name || *home != function);
                        return;
                    }
                    _ => return,
                }
                let Some(list) = argument(&call.arguments, Some(0), Some("providers")) else { return };
                let mut lists = Vec::new();
                may_be(list, scope, 0, &mut lists);
                let is_cpu = |one: &Expr<'_>| provider(one, scope) == Some(OF_CPU);
                let leaves = !lists.is_empty() && lists.iter().all(|list| list.iter().all(is_cpu));
                let session = made.iter().rev().find(|(known, _, home)| *known == name && *home == function);
                if let Some((_, span, _)) = session.filter(|_| leaves) {
                    let raw_finding =
                        RawFinding::at(scope.place(expr.span)).word("text", scope.text(expr.span));
                    found.push(
                        raw_finding.beside(scope.place(*span), "the session is made with the GPU here"),
                    );
                }
            }
            _ => {}
        }
    });
    found
}

/// Whether a step comes after something failed, or behind a question for what the build or the session has.
fn is_on_purpose(scope: &FileScope<'_>, around: &[Ancestor<'_, '_>]) -> bool {
    around.iter().any(|one| match one {
        Ancestor::Handler(..) => true,
        Ancestor::Then(test) | Ancestor::Otherwise(test) => {
            let text = scope.text(test.span);
            ["get_device", "get_providers", "get_available_providers"].iter().any(|ask| text.contains(ask))
        }
        _ => false,
    })
}

/// Whether a value is a session with a GPU: by its providers, or since an old release takes all that there are.
fn takes_gpu(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    if scope.names.path(&call.callee) != Some(SESSION) || call.arguments.iter().any(|one| one.unpacked) {
        return false;
    }
    let Some(given) = argument(&call.arguments, Some(2), Some("providers")) else {
        return takes_gpu_unasked(scope);
    };
    let mut lists = Vec::new();
    may_be(given, scope, 0, &mut lists);
    let is_gpu = |one: &Expr<'_>| provider(one, scope).is_some_and(|name| name.starts_with("CUDA"));
    !lists.is_empty() && lists.iter().all(|list| list.iter().any(is_gpu))
}
