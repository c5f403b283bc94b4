//! Settings of torch's allocator that a program puts together from parts, one of which torch rejects.

use super::memory::method_of;
use crate::allocator::{Kind, problem};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// `parts.append("expandeable_segments:True")` in a file that joins parts with commas.
pub(super) fn with_wrong_parts(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if ![r#"",".join("#, "','.join("].iter().any(|word| text.contains(word))
        || scope.program.is_of_tests(scope.file)
    {
        return Vec::new();
    }
    let mut found: Vec<RawFinding> = Vec::new();
    walk(scope.code, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        let parts: Vec<&Expr<'_>> = match &expr.kind {
            ExprKind::Sequence(listed) => listed.iter().collect(),
            _ => match method_of(expr) {
                Some((_, "append", call)) => argument(&call.arguments, Some(0), None).into_iter().collect(),
                _ => return,
            },
        };
        for part in parts {
            let ExprKind::Text(item) = &part.kind else { continue };
            let is_item = item.split_once(':').is_some_and(|(key, value)| {
                key.len() > 5
                    && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                    && !value.is_empty()
                    && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
            });
            let Some(fault) = problem(item).filter(|fault| is_item && fault.kind == Kind::Raises) else {
                continue;
            };
            let raw_finding = RawFinding::at(scope.place(part.span)).word("item", fault.item);
            found.push(raw_finding.word("wanted", fault.wanted));
        }
    });
    found
}
