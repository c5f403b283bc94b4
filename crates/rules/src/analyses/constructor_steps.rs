//! What the constructor of a module sets up, itself and by methods that it calls for it.

use super::mask_numbers::written_target;
use super::memory::method_of;
use super::unmoved_tensors::{SAME_DEVICE, is_attribute};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, Function, StatementKind};
use crate::rules::files::FileScope;

/// A constructor, with the methods that it always calls as a step of its own, `self.make_tables()`, and that nothing else of the class
/// calls.
pub(super) fn steps_of<'a>(
    made: &'a Function<'a>,
    methods: &[&'a Function<'a>],
    text: &str,
) -> Vec<&'a Function<'a>> {
    let helper = |step: &StatementKind<'_>| {
        let StatementKind::Evaluate(value) = step else { return None };
        let (object, name, _) = method_of(value)?;
        let is_once = text.matches(&format!(".{name}(")).count() == 1;
        let is_own = matches!(object.kind, ExprKind::Name("self")) && is_once;
        methods.iter().find(|method| is_own && method.name == name).copied()
    };
    let mut steps = vec![made];
    steps.extend(made.body.iter().filter_map(|step| helper(&step.kind)));
    steps
}

/// The attributes that are parameters, as they are written: `self.weight` of `self.weight = nn.Parameter(…)`.
pub(super) fn parameters_in<'a>(scope: &FileScope<'a>, steps: &[&'a Function<'a>]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for step in steps {
        walk_block(scope.code, &step.body, &mut |part, _| {
            let CodeNode::Statement(step) = part else { return };
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let ExprKind::Call(call) = &value.kind else { return };
            if let [target] = &targets[..]
                && scope.names.path(&call.callee) == Some("torch.nn.Parameter")
                && let Some((name, _)) = written_target(scope, target)
            {
                found.push(name);
            }
        });
    }
    found
}

/// Whether an attribute itself stands there, or what numbers and methods make of it where it lies: `self.limits // 2`, `-self.limits.float()`.
pub(super) fn is_made_of(scope: &FileScope<'_>, expr: &Expr<'_>, name: &str) -> bool {
    let inner = |expr: &Expr<'_>| is_made_of(scope, expr, name);
    let is_number = |expr: &Expr<'_>| {
        scope.text(expr.span).bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e'))
    };
    is_attribute(expr, name)
        || match &expr.kind {
            ExprKind::Negate(of) => inner(of),
            ExprKind::Binary(_, sides) => {
                inner(&sides.0) && is_number(&sides.1) || is_number(&sides.0) && inner(&sides.1)
            }
            _ => method_of(expr).is_some_and(|(of, method, _)| SAME_DEVICE.contains(&method) && inner(of)),
        }
}
