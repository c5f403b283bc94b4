//! Lists of providers of ONNX Runtime that nothing reads: the session gets another list.

use super::memory::path;
use super::unused_choices::{UNREAD, WHICH};
use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// `privders = rt.get_available_providers()` in a function that makes a session with `providers`.
pub(super) fn that_no_session_takes(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !scope.whole_text().contains("InferenceSession") {
        return Vec::new();
    }
    let mut chosen: Vec<(usize, &str, Span)> = Vec::new();
    let mut read: Vec<(Vec<usize>, &str)> = Vec::new();
    let mut sessions: Vec<(usize, Span)> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let [Target::Name(name, _)] = targets.as_slice() else { return };
            if let Some(home) = functions_around(around).next_back().filter(|_| names_gpu(scope, value)) {
                chosen.push((home, name, step.span));
            }
        }
        CodeNode::Expr(expr) => match &expr.kind {
            ExprKind::Name(name) => read.push((functions_around(around).collect(), name)),
            ExprKind::Call(call) if path(scope, &call.callee) == "onnxruntime.InferenceSession" => {
                sessions.extend(functions_around(around).next_back().map(|home| (home, expr.span)));
            }
            _ => {}
        },
        CodeNode::Target(_) => {}
    });
    let mut found = Vec::new();
    for (home, name, span) in chosen {
        let is_read = read.iter().any(|(functions, known)| *known == name && functions.contains(&home));
        // Two ways may give it a value each, and one of them counts.
        let session = sessions.iter().find(|(at, session)| *at == home && span.end <= session.start);
        if let Some((_, session)) = session.filter(|_| !is_read) {
            let raw_finding = RawFinding::at(scope.place(span)).word("what", format!("`{name}`"));
            let raw_finding = raw_finding.word("says", WHICH).word("fate", UNREAD);
            found.push(raw_finding.beside(scope.place(*session), "the session is given something else"));
        }
    }
    found
}

/// Whether a list of providers has one for a GPU, or all that there are.
fn names_gpu(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::Call(call) => path(scope, &call.callee) == "onnxruntime.get_available_providers",
        ExprKind::Sequence(parts) => parts.iter().any(|part| {
            matches!(&part.kind, ExprKind::Text(text) if text == "CUDAExecutionProvider" || text == "TensorrtExecutionProvider")
        }),
        _ => false,
    }
}
