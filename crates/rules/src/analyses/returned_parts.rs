//! Names that a function of the file fills, together with others: `rank, world_size = setup()`.

use crate::code::walk::{CodeNode, walk_block, within_function};
use crate::code::{Expr, ExprKind, StatementKind, Target};
use crate::rules::files::FileScope;

/// What a name stands for, where it is a part of what the only `return` of a function gives.
pub(super) fn returned_part<'a>(scope: &'a FileScope<'_>, name: &Expr<'_>) -> Option<&'a Expr<'a>> {
    let ExprKind::Name(wanted) = name.kind else { return None };
    let mut assigned: Vec<(&str, usize)> = Vec::new();
    scope.each_statement(&mut |step, _| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        for target in targets {
            match target {
                Target::Sequence(parts) => {
                    let at = parts
                        .iter()
                        .position(|part| matches!(part, Target::Name(known, _) if *known == wanted));
                    let Some(at) = at else { continue };
                    match &value.kind {
                        ExprKind::Call(call) => match call.callee.kind {
                            ExprKind::Name(function) => assigned.push((function, at)),
                            _ => assigned.push(("", at)),
                        },
                        _ => assigned.push(("", at)),
                    }
                }
                Target::Name(known, _) if *known == wanted => assigned.push(("", 0)),
                _ => {}
            }
        }
    });
    // In the function itself the name is what it is assigned there.
    assigned.retain(|(function, _)| !function.is_empty());
    let [(function, at)] = assigned.as_slice() else { return None };
    let mut named = scope.code.functions.iter().filter(|one| one.name == *function);
    let function = named.next().filter(|_| named.next().is_none())?;
    let mut given: Vec<&Expr<'_>> = Vec::new();
    walk_block(scope.code, &function.body, &mut |part, around| {
        let CodeNode::Statement(step) = part else { return };
        if let (None, StatementKind::Return(Some(value))) = (within_function(around).0, &step.kind) {
            given.push(value);
        }
    });
    let [Expr { kind: ExprKind::Sequence(parts), .. }] = given.as_slice() else { return None };
    Some(scope.names.meant(parts.get(*at)?))
}
