//! The platform of JAX, where it is chosen after JAX has begun.

use super::order::PlaceInFunction;
use crate::code::walk::{CodeNode, walk};
use crate::code::{Expr, ExprKind};
use crate::program::knowledge::Does;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Platforms that are chosen below the first computation.
pub(super) fn chosen_too_late(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut began, mut set): (Vec<PlaceInFunction>, Vec<(PlaceInFunction, String)>) =
        (Vec::new(), Vec::new());
    walk(scope.code, &mut |part, around| {
        let CodeNode::Expr(expr @ Expr { kind: ExprKind::Call(call), .. }) = part else { return };
        let Some(path) = scope.names.path(&call.callee) else { return };
        if path == "jax.config.update" {
            let name = argument(&call.arguments, Some(0), None).map(|name| &name.kind);
            if let Some(ExprKind::Text(name)) = name
                && ["jax_platforms", "jax_platform_name"].iter().any(|known| name == known)
            {
                set.push((PlaceInFunction::of(expr.span, around), name.to_string()));
            }
        } else if path.starts_with("jax.") && begins(scope, path) {
            began.push(PlaceInFunction::of(expr.span, around));
        }
    });
    let mut found = Vec::new();
    for (seen, name) in &set {
        let Some(first) = began.iter().find(|first| first.precedes(seen)) else { continue };
        let raw_finding = RawFinding::at(scope.place(seen.span)).word("name", name);
        found.push(raw_finding.beside(scope.place(first.span), "JAX begins here"));
    }
    found
}

/// A call that makes the devices of JAX.
fn begins(scope: &FileScope<'_>, path: &str) -> bool {
    let effects = scope.program.knowledge.of_call(path);
    effects.iter().any(|effect| effect.row.does.contains(&Does::CudaInit) && !effect.row.harmless)
}
