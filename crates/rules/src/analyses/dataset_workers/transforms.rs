//! What a dataset applies to each item: `ImageFolder("x", transform=Compose([ToTensor(), ToGpu()]))`.

use super::last_name;
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Code, Expr, ExprKind, StatementKind};
use crate::program::Names;

/// Parameters by which a dataset is handed what it applies.
const PARAMETERS: &[&str] = &["target_transform", "transform", "transforms"];

/// Transforms in transforms: further ones are not followed.
const MAX_DEPTH: usize = 4;

/// The names of the functions and classes that the dataset of a loader applies, and the lambdas among them.
pub(super) fn of(code: &Code<'_>, names: &Names<'_, '_>, dataset: &Expr<'_>) -> (Vec<String>, Vec<usize>) {
    let (mut named, mut lambdas) = (Vec::new(), Vec::new());
    let ExprKind::Call(call) = &names.meant(dataset).kind else { return (named, lambdas) };
    let class = last_name(&call.callee).unwrap_or_default();
    if !applies_to_items(code, &class) {
        return (named, lambdas);
    }
    let given = call.arguments.iter().filter(|one| one.name.is_some_and(|name| PARAMETERS.contains(&name)));
    given.for_each(|one| add(names, &one.value, 0, &mut named, &mut lambdas));
    (named, lambdas)
}

/// Whether a dataset applies its transform where an item is taken, as those of libraries do. One of this file may do it when
/// it is made.
fn applies_to_items(code: &Code<'_>, class: &str) -> bool {
    let Some(class) = code.classes.iter().find(|known| known.name == class) else { return true };
    let mut applies = false;
    let methods = class.body.iter().filter_map(|step| match &step.kind {
        StatementKind::Define { function, .. } => Some(&code.functions[*function]),
        _ => None,
    });
    for method in methods.filter(|method| matches!(method.name, "__getitem__" | "__getitems__" | "__iter__"))
    {
        walk_block(code, &method.body, &mut |part, _| {
            let CodeNode::Expr(Expr { kind: ExprKind::Attribute(object, name), .. }) = part else { return };
            applies |= matches!(object.kind, ExprKind::Name("self")) && PARAMETERS.contains(name);
        });
    }
    applies
}

fn add(
    names: &Names<'_, '_>,
    expr: &Expr<'_>,
    depth: usize,
    named: &mut Vec<String>,
    lambdas: &mut Vec<usize>,
) {
    if depth > MAX_DEPTH {
        return;
    }
    let meant = names.meant(expr);
    match &meant.kind {
        ExprKind::Lambda(number) => lambdas.push(*number),
        ExprKind::Name(name) => named.push((*name).to_owned()),
        ExprKind::Sequence(parts) => {
            parts.iter().for_each(|part| add(names, part, depth + 1, named, lambdas))
        }
        ExprKind::Call(call) => {
            let name = last_name(&call.callee).unwrap_or_default();
            let holds_others = names.path(&call.callee).is_some_and(|path| path.starts_with("torchvision."));
            if holds_others || name == "Compose" {
                call.arguments.iter().for_each(|one| add(names, &one.value, depth + 1, named, lambdas));
            } else {
                named.push(name);
            }
        }
        _ => {}
    }
}
