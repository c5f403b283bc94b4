//! What a dataset puts on a GPU when it is made, and hands out later.

use super::methods_of;
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::analyses::cuda_calls::reaches_cuda;
use crate::rules::files::FileScope;

/// What a dataset puts on a GPU when it is made, and hands out in a worker: `self.all = all.cuda()`, `return self.all[i]`.
pub fn handed_out(class: &str, functions: &[usize], scope: &FileScope<'_>) -> Vec<(Span, String)> {
    let returned = |name: &str| {
        let field = format!("self.{name}");
        let holds = |text: &str| {
            let ends =
                |at: usize| !text[at + field.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            text.match_indices(&field).any(|(at, _)| ends(at))
        };
        let mut is_returned = false;
        for function in functions {
            walk_block(scope.code, &scope.code.functions[*function].body, &mut |part, _| {
                let CodeNode::Statement(step) = part else { return };
                if let StatementKind::Return(Some(value)) = &step.kind {
                    is_returned |= holds(scope.text(value.span));
                }
            });
        }
        is_returned
    };
    // What PyG's dataset keeps so, its own `get` hands out.
    let is_in_memory = scope.code.classes.iter().any(|one| {
        one.name == class && one.bases.iter().any(|base| scope.text(base.span).ends_with("InMemoryDataset"))
    });
    let is_handed = |name: &str| returned(name) || is_in_memory && matches!(name, "data" | "_data");
    let mut found = Vec::new();
    for made in methods_of(class, scope, &|name| name == "__init__") {
        let mut added: Vec<Span> = Vec::new();
        walk_block(scope.code, &scope.code.functions[made].body, &mut |part, _| {
            if let CodeNode::Expr(expr) = part {
                let is_added = added.iter().any(|span| span.holds(expr.span));
                let used = if is_added { reaches_cuda(expr, scope) } else { None };
                found.extend(used.map(|name| (expr.span, name)));
                if list_of(expr, scope).is_some_and(is_handed) {
                    added.push(expr.span);
                }
            }
            let CodeNode::Statement(step) = part else { return };
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let Some(use_of_gpu) = reaches_cuda(value, scope) else { return };
            let keeps = |target: &Target<'_>| match target {
                Target::Attribute(object, name) => {
                    matches!(object.kind, ExprKind::Name("self")) && is_handed(name)
                }
                _ => false,
            };
            if targets.iter().any(keeps) {
                found.push((value.span, use_of_gpu));
            }
        });
    }
    found
}

/// The list of `self.rows.append(net(row.cuda()))`, where nothing is brought back.
fn list_of<'s>(expr: &Expr<'s>, scope: &FileScope<'_>) -> Option<&'s str> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let ExprKind::Attribute(list, "append") = &call.callee.kind else { return None };
    let ExprKind::Attribute(object, name) = &list.kind else { return None };
    let text = scope.text(expr.span);
    let comes_back = [".cpu()", ".numpy()", ".item()", ".tolist()"].iter().any(|word| text.contains(word));
    (matches!(object.kind, ExprKind::Name("self")) && !comes_back).then_some(*name)
}
