//! Python models of Triton Inference Server that take the first GPU, whatever GPU their instance is for.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};

/// What says which GPU an instance takes, or that it looks at what it is given.
const CHOICES: &[&str] = &[
    "model_instance_device_id",
    "model_instance_kind",
    "set_device",
    "VISIBLE_DEVICES",
    "cuda.device(",
    "device_map",
];

/// `self.model.to("cuda")` in a `TritonPythonModel`.
pub(super) fn on_first_card(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if CHOICES.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut found = None;
    walk(scope.code, &mut |part, around| {
        // What a request brings may lie anywhere; the model is loaded where the instance begins.
        let is_around = |wanted: &dyn Fn(&Ancestor<'_, '_>) -> bool| around.iter().any(wanted);
        let in_model = is_around(&|one| match one {
            Ancestor::Class(number) => scope.code.classes[*number].name == "TritonPythonModel",
            _ => false,
        }) && is_around(&|one| match one {
            Ancestor::Function(number) => {
                matches!(scope.code.functions[*number].name, "__init__" | "initialize")
            }
            _ => false,
        });
        let CodeNode::Expr(expr) = part else { return };
        let is_first = match &expr.kind {
            ExprKind::Text(text) => matches!(text.as_ref(), "cuda" | "cuda:0"),
            ExprKind::Call(call) => {
                matches!(call.callee.kind, ExprKind::Attribute(_, "cuda")) && call.arguments.is_empty()
            }
            _ => false,
        };
        if in_model && is_first && found.is_none() && !is_compared(around) {
            found = Some(expr.span);
        }
    });
    let raw_finding = |span| RawFinding::at(scope.place(span)).word("text", scope.text(span));
    found.map(raw_finding).into_iter().collect()
}

/// `if device == "cuda":`
fn is_compared(around: &[Ancestor<'_, '_>]) -> bool {
    around.iter().any(|one| matches!(one, Ancestor::Test(_)))
        && !around
            .iter()
            .any(|one| matches!(one, Ancestor::Argument(Expr { kind: ExprKind::Call(_), .. }, _)))
}
