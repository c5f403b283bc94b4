//! What a dataset applies to each item: `ImageFolder("x", transform=Compose([ToTensor(), ToGpu()]))`.

use super::last_name;
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Code, Expr, ExprKind, StatementKind, Target};
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
    for (at, name) in applied_by_class(code, &class) {
        let by_name = call.arguments.iter().find(|one| one.name == Some(name));
        let in_order = call.arguments.get(at).filter(|one| one.name.is_none() && !one.unpacked);
        if let Some(given) = by_name.or(in_order) {
            add(names, &given.value, 0, &mut named, &mut lambdas);
        }
    }
    if !applies_to_items(code, &class) {
        return (named, lambdas);
    }
    let given = call.arguments.iter().filter(|one| one.name.is_some_and(|name| PARAMETERS.contains(&name)));
    given.for_each(|one| add(names, &one.value, 0, &mut named, &mut lambdas));
    (named, lambdas)
}

/// The parameters of a class of the file, whatever their names, that it keeps and calls where an item is taken: `self.f = f`, and
/// `self.f(item)`.
fn applied_by_class<'c>(code: &'c Code<'_>, class: &str) -> Vec<(usize, &'c str)> {
    let Some(class) = code.classes.iter().find(|known| known.name == class) else { return Vec::new() };
    let methods = || {
        class.body.iter().filter_map(|step| match &step.kind {
            StatementKind::Define { function, .. } => Some(&code.functions[*function]),
            _ => None,
        })
    };
    let mut called: Vec<&str> = Vec::new();
    for method in
        methods().filter(|method| matches!(method.name, "__getitem__" | "__getitems__" | "__iter__"))
    {
        walk_block(code, &method.body, &mut |part, _| {
            let CodeNode::Expr(Expr { kind: ExprKind::Call(call), .. }) = part else { return };
            if let ExprKind::Attribute(object, name) = &call.callee.kind
                && matches!(object.kind, ExprKind::Name("self"))
            {
                called.push(name);
            }
        });
    }
    let Some(maker) = methods().find(|method| method.name == "__init__") else { return Vec::new() };
    let mut found = Vec::new();
    walk_block(code, &maker.body, &mut |part, _| {
        let CodeNode::Statement(step) = part else { return };
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let ExprKind::Name(given) = value.kind else { return };
        let keeps = targets.iter().any(|target| match target {
            Target::Attribute(object, name) => {
                matches!(object.kind, ExprKind::Name("self")) && called.contains(name)
            }
            _ => false,
        });
        let parameters = maker.parameters.iter().enumerate().skip(1);
        let at = parameters.filter(|_| keeps).find(|(_, one)| one.name == given);
        found.extend(at.map(|(at, one)| (at - 1, one.name)));
    });
    found
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
