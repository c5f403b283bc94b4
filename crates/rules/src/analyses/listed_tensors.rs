//! Tensors that a module keeps in a plain list: `.to(device)` finds neither them nor the buffers whose first state they are.

use super::attributes_in_text::{assignments_of, is_moved_by_hand};
use super::memory::method_of;
use super::unmoved_tensors::{RUN, is_attribute, is_cpu_tensor, meets_input};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, Function, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::FileScope;
use rustc_hash::FxHashSet;

/// A list, where a tensor comes to it, and where one of them meets an input.
pub(super) struct Listed<'a> {
    pub name: &'a str,
    pub added: Span,
    pub used: Span,
}

/// `self.rows = []`, `self.rows.append(torch.rand(3))` or `self.rows.append(getattr(self, name))` behind `self.register_buffer(name, …)`,
/// and `for row in self.rows: x = x * row` in `forward`.
pub(super) fn in_lists<'a>(
    scope: &FileScope<'a>,
    made: &'a Function<'a>,
    methods: &[&'a Function<'a>],
    text: &str,
) -> Vec<Listed<'a>> {
    let mut found: Vec<Listed<'a>> = Vec::new();
    walk_block(scope.code, &made.body, &mut |part, _| {
        let CodeNode::Expr(expr) = part else { return };
        let Some((list, "append", call)) = method_of(expr) else { return };
        let ExprKind::Attribute(object, name) = &list.kind else { return };
        let [only] = &call.arguments[..] else { return };
        let is_own = matches!(object.kind, ExprKind::Name("self"));
        let is_plain = assignments_of(text, name) == 1 && text.contains(&format!("self.{name} = []"));
        let stays = is_cpu_tensor(scope, &only.value, 0) || is_buffer(scope, made, &only.value);
        let is_known = found.iter().any(|one| one.name == *name);
        if !is_own || !is_plain || !stays || is_known || is_moved_by_hand(text, name) {
            return;
        }
        let runs = methods.iter().filter(|method| RUN.contains(&method.name));
        if let Some(used) = runs.filter_map(|method| used_in(scope, method, name)).next() {
            found.push(Listed { name, added: expr.span, used });
        }
    });
    found
}

/// `getattr(self, f"row_{i}")` in a constructor that registers buffers by such names: `register_buffer(f"row_{i}", row)`.
fn is_buffer(scope: &FileScope<'_>, made: &Function<'_>, value: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &value.kind else { return false };
    let [object, name] = &call.arguments[..] else { return false };
    let is_own = matches!(object.value.kind, ExprKind::Name("self"));
    let registered = format!("register_buffer({},", scope.text(name.value.span));
    scope.names.path(&call.callee) == Some("builtins.getattr")
        && is_own
        && scope.text(made.span).contains(&registered)
}

/// Where a method computes with one of a list and what it is given.
fn used_in(scope: &FileScope<'_>, method: &Function<'_>, list: &str) -> Option<Span> {
    let mut of_list: FxHashSet<&str> = FxHashSet::default();
    walk_block(scope.code, &method.body, &mut |part, _| {
        let CodeNode::Statement(step) = part else { return };
        if let StatementKind::For { target: Target::Name(name, _), iterable, .. } = &step.kind
            && is_attribute(iterable, list)
        {
            of_list.insert(*name);
        }
    });
    let mut inputs: FxHashSet<&str> =
        method.parameters.iter().map(|one| one.name).filter(|name| *name != "self").collect();
    let text = scope.text(method.span);
    let is_moved = |name: &&str| {
        [".to(", ".cuda(", ".type_as("].iter().any(|way| text.contains(&format!("{name}{way}")))
    };
    if of_list.iter().any(is_moved) {
        return None;
    }
    let is_it = |expr: &Expr<'_>| match &expr.kind {
        ExprKind::Name(name) => of_list.contains(name),
        ExprKind::Item(pair) => is_attribute(&pair.0, list),
        _ => false,
    };
    meets_input(scope, method, &mut inputs, &is_it, false)
}
