//! What torch was built for, taken for what the machine has.

use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Comparison, Expr, ExprKind};
use crate::facts::Span;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::versions::Range;

/// Words of a file that asks the machine as well.
const QUESTIONS: &[&str] = &["is_available(", "check_available", "device_count("];

/// `"cuda" if torch.accelerator.current_accelerator() is not None else "cpu"`, and nothing asks whether there is a GPU.
pub(super) fn taken_for_present(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    let names_cpu = ["\"cpu\"", "'cpu'"].iter().any(|word| text.contains(word));
    if !names_cpu || QUESTIONS.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let file = scope.program.name_of(scope.file);
    let old = Range::read("<2.7").and_then(|old| scope.program.versions().satisfies(file, "torch", &old));
    if old == Some(true) {
        return Vec::new();
    }
    let mut found: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let asked = match &expr.kind {
            ExprKind::Compare(Comparison::Is | Comparison::IsNot, pair) => {
                matches!(pair.1.kind, ExprKind::None).then_some(&pair.0)
            }
            // `found if found else "cpu"`
            ExprKind::Choice(parts) => Some(&parts.0),
            // `current_accelerator() or "cpu"`
            ExprKind::Any(parts) => parts.first(),
            _ => matches!(around.last(), Some(Ancestor::Test(_))).then_some(expr),
        };
        if let Some(built) = asked.and_then(|asked| built_for(scope, asked)) {
            found.push(built);
        }
    });
    found.sort();
    found.dedup();
    let raw_finding = |span| {
        let raw_finding = RawFinding::at(scope.place(span));
        if old.is_none() { raw_finding.at_most(Severity::Note) } else { raw_finding }
    };
    found.into_iter().map(raw_finding).collect()
}

/// The call that an expression stands for, where it asks nothing of the machine.
fn built_for(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<Span> {
    let meant = scope.names.meant(expr);
    let ExprKind::Call(call) = &meant.kind else { return None };
    let is_it = scope.names.path(&call.callee) == Some("torch.accelerator.current_accelerator");
    (is_it && call.arguments.is_empty()).then_some(meant.span)
}
