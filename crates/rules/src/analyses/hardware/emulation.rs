//! `torch.cuda.is_bf16_supported()` as a question about the hardware: it answers yes where bfloat16 is only emulated.

use crate::code::walk::Ancestor;
use crate::code::{Expr, ExprKind, StatementKind};
use crate::rules::files::{FileScope, RawFinding};

/// Calls whose answer decides something, with emulation included.
pub(in crate::analyses) fn gates_that_emulation_opens(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        if scope.names.path(&call.callee) != Some("torch.cuda.is_bf16_supported") {
            return;
        }
        let asked =
            call.arguments.iter().find(|one| one.name == Some("including_emulation") || one.name.is_none());
        if asked.is_some_and(|one| !matches!(one.value.kind, ExprKind::Bool(true))) {
            return;
        }
        if around.iter().any(|around| is_report(around) || asks_for_the_hardware(scope, around)) {
            return;
        }
        // The line itself may ask for the capability as well, and so may the next one when it goes on with `and`.
        let text = scope.whole_text();
        let start = text[..expr.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let end_of_line = |from: usize| text[from..].find('\n').map_or(text.len(), |at| from + at);
        let mut end = end_of_line(expr.span.end as usize);
        if text[end..].trim_start().starts_with("and ") {
            end = end_of_line(end + 1);
        }
        if !asks(&text[start..end]) {
            found.push(RawFinding::at(scope.place(expr.span)).word("name", scope.text(call.callee.span)));
        }
    });
    found
}

/// Printed, logged or only stored to be shown: it decides nothing.
fn is_report(around: &Ancestor<'_, '_>) -> bool {
    let Ancestor::Argument(Expr { kind: ExprKind::Call(call), .. }, _) = around else { return false };
    let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &call.callee.kind else { return false };
    matches!(*name, "print" | "info" | "debug" | "warning" | "log" | "str" | "append")
}

fn asks_for_the_hardware(scope: &FileScope<'_>, around: &Ancestor<'_, '_>) -> bool {
    match around {
        Ancestor::Then(test) | Ancestor::Otherwise(test) => asks(scope.text(test.span)),
        Ancestor::Test(step) => match &step.kind {
            StatementKind::Branch { test, .. } => asks(scope.text(test.span)),
            _ => false,
        },
        _ => false,
    }
}

fn asks(text: &str) -> bool {
    ["capability", "major", "version.hip", "is_rocm", "rocm"].iter().any(|word| text.contains(word))
}
