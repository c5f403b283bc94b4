//! Arrays of CuPy that are handed to NumPy, which CuPy refuses to do without being asked.

use super::order::PlaceInFunction;
use crate::code::walk::{Ancestor, CodeNode, walk};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// What CuPy makes an array with.
const MAKERS: &[&str] = &[
    "arange",
    "array",
    "asarray",
    "ascontiguousarray",
    "concatenate",
    "dot",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "matmul",
    "normal",
    "ones",
    "ones_like",
    "rand",
    "randint",
    "randn",
    "random",
    "stack",
    "uniform",
    "zeros",
    "zeros_like",
];

/// What NumPy makes an array of the host of. Its functions such as `numpy.sum` ask CuPy, and give an array of CuPy.
const CONVERTERS: &[&str] =
    &["numpy.array", "numpy.asanyarray", "numpy.asarray", "numpy.ascontiguousarray", "numpy.asfortranarray"];

/// `np.asarray(cp.arange(3))`, also by way of a name.
pub(super) fn handed_to_numpy(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    // What each name was given last, in the order of the text.
    let mut given: Vec<(PlaceInFunction, &str, bool)> = Vec::new();
    let mut known: Vec<Span> = Vec::new();
    walk(scope.code, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            for target in targets {
                if let Target::Name(name, span) = target {
                    given.push((PlaceInFunction::of(step.span, around), name, is_of_cupy(scope, value)));
                    known.push(*span);
                }
            }
        }
        // A loop, a `with` and their like give a name something else.
        CodeNode::Target(Target::Name(name, span)) if !known.contains(span) => {
            given.push((PlaceInFunction::of(*span, around), name, false));
        }
        CodeNode::Target(_) => {}
        CodeNode::Expr(expr) => {
            let ExprKind::Call(call) = &expr.kind else { return };
            let is_converter = scope.names.path(&call.callee).is_some_and(|path| CONVERTERS.contains(&path));
            if !is_converter || around.iter().any(|one| matches!(one, Ancestor::Try(_))) {
                return;
            }
            let Some(array) = argument(&call.arguments, Some(0), None) else { return };
            let place = PlaceInFunction::of(expr.span, around);
            let is_gpu = match array.kind {
                ExprKind::Name(name) => {
                    let of_it = |(at, given, _): &&(PlaceInFunction, &str, bool)| {
                        at.home == place.home && *given == name && at.span.end <= place.span.start
                    };
                    given
                        .iter()
                        .rev()
                        .find(of_it)
                        .is_some_and(|(at, _, is_gpu)| *is_gpu && at.precedes(&place))
                }
                _ => is_of_cupy(scope, array),
            };
            if is_gpu {
                found.push(RawFinding::at(scope.place(expr.span)).word("text", scope.text(array.span)));
            }
        }
    });
    found
}

fn is_of_cupy(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let Some(path) = scope.names.path(&call.callee) else { return false };
    path.strip_prefix("cupy.")
        .and_then(|rest| rest.rsplit('.').next())
        .is_some_and(|name| MAKERS.contains(&name))
}
