//! `x.cuda(async=True)`: `async` is a keyword of Python since 3.7, and torch calls the argument `non_blocking` since 0.4.

use crate::code::ExprKind;
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// Methods of tensors that took the argument.
const METHODS: &[&str] = &["copy_", "cuda", "to", "type"];

/// Each `async` that is an argument of such a method.
pub(super) fn of_copies(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    scope.each_call(&mut |_, call, _| {
        let ExprKind::Attribute(_, method) = &call.callee.kind else { return };
        if !METHODS.contains(method) {
            return;
        }
        for argument in call.arguments.iter().filter(|argument| argument.name == Some("async")) {
            // The keyword is the last word before the value.
            let before = Span { start: call.callee.span.end, end: argument.value.span.start };
            let Some(at) = scope.text(before).rfind("async") else { continue };
            let start = before.start + at as u32;
            let word = Span { start, end: start + "async".len() as u32 };
            found.push(RawFinding::at(scope.place(word)).word("name", format!(".{method}()")));
        }
    });
    found
}
