//! `volatile=True`, which turned gradients off until torch 0.4 and does nothing since.

use crate::code::walk::{CodeNode, functions_around, walk};
use crate::code::{ExprKind, StatementKind, Target};
use crate::facts::{FileId, Place};
use crate::rules::files::{FileScope, RawFinding};

/// Words of code that turns gradients off in another way too.
const ALSO: &[&str] = &["no_grad", "inference_mode", "set_grad_enabled", "__version__"];

/// `Variable(x, volatile=True)`, `wrap(x, volatile=True)` and `x.volatile = True`.
pub(super) fn without_effect(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !scope.whole_text().contains("torch") || has_another_meaning(scope) {
        return Vec::new();
    }
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let span = match part {
            CodeNode::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => {
                    let is_set = |name: Option<&str>, kind: &ExprKind<'_>| {
                        name == Some("volatile") && matches!(kind, ExprKind::Bool(true))
                    };
                    let given = call.arguments.iter().any(|one| is_set(one.name, &one.value.kind));
                    given.then_some(expr.span)
                }
                _ => None,
            },
            CodeNode::Statement(step) => match &step.kind {
                StatementKind::Assign { targets, value: Some(value), .. } => {
                    let is_flag = |target: &Target<'_>| matches!(target, Target::Attribute(_, "volatile"));
                    let sets = matches!(value.kind, ExprKind::Bool(true)) && targets.iter().any(is_flag);
                    sets.then_some(step.span)
                }
                _ => None,
            },
            CodeNode::Target(_) => None,
        };
        let Some(span) = span else { return };
        let function = functions_around(around).next_back();
        let text =
            function.map_or(scope.whole_text(), |number| scope.text(scope.code.functions[number].span));
        if !ALSO.iter().any(|word| text.contains(word)) {
            found.push(RawFinding::at(scope.place(span)).word("name", "volatile"));
        }
    });
    found
}

/// Whether a function of the project has a parameter of this name that it does not hand to `Variable`.
fn has_another_meaning(scope: &FileScope<'_>) -> bool {
    let is_own = |file: FileId| {
        let functions = scope.program.code(file).functions.iter();
        let mut taking =
            functions.filter(|function| function.parameters.iter().any(|one| one.name == "volatile"));
        taking.any(|function| !scope.program.text(Place { file, span: function.span }).contains("Variable("))
    };
    scope.program.files_with("volatile").iter().any(|&file| is_own(file))
}
