//! Methods of its own that a module keeps in an attribute: a copy of the module for another GPU keeps those of the first.

use super::parallel_models::is_copied;
use super::unmoved_tensors::{RUN, is_module, methods_of};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{ExprKind, StatementKind, Target};
use crate::rules::files::{FileScope, RawFinding};

/// `self.score = self.by_product` in the constructor of a module that `DataParallel` copies, and that calls `self.score(…)`.
pub(super) fn kept_in_modules(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for class in scope.code.classes.iter().filter(|class| is_module(scope, class)) {
        let methods = methods_of(scope, class);
        let Some(made) = methods.iter().find(|method| method.name == "__init__") else { continue };
        let mut kept = Vec::new();
        walk_block(scope.code, &made.body, &mut |part, _| {
            let CodeNode::Statement(step) = part else { return };
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            if let [Target::Attribute(object, name)] = targets.as_slice()
                && matches!(object.kind, ExprKind::Name("self"))
                && let ExprKind::Attribute(owner, method) = &value.kind
                && matches!(owner.kind, ExprKind::Name("self"))
            {
                kept.push((*name, *method, value.span));
            }
        });
        for (name, method, span) in kept {
            // A method that uses nothing of its object is the same in every copy.
            let own = methods.iter().find(|one| one.name == method);
            let uses_object = own.is_some_and(|own| {
                let text = scope.text(own.span);
                text.match_indices("self.").any(|(at, _)| {
                    let rest = &text[at + "self.".len()..];
                    let end = rest
                        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
                        .unwrap_or(rest.len());
                    rest[end..].starts_with('(') || rest[end..].starts_with(".weight")
                })
            });
            let call = format!("self.{name}(");
            let runs = methods.iter().filter(|one| RUN.contains(&one.name));
            let is_called = runs.into_iter().any(|one| scope.text(one.span).contains(&call));
            if uses_object && is_called && is_copied(scope, class.name) {
                let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
                found.push(raw_finding.word("method", method));
            }
        }
    }
    found
}
