//! Tensors that a module makes on the CPU while it runs, and computes with where its parameters and inputs are.

use super::gpu_values::SET_DEFAULT;
use super::made_states;
use super::memory::{function_called, method_of};
use super::names_in_text::mentions;
use super::tensor_flow;
use super::unmoved_tensors::{
    JOINS, RUN, SAME_DEVICE, is_cpu_tensor, is_input, is_module, is_moved_somewhere, joined, layers_of,
    methods_of,
};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Comparison, Expr, ExprKind, Function, Operator, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::{FxHashMap, FxHashSet};

/// Tensors on the CPU that `forward` and its like compute with.
pub(super) fn while_running(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for class in scope.code.classes.iter().filter(|class| is_module(scope, class)) {
        let layers = layers_of(scope, class);
        let methods = methods_of(scope, class);
        for method in methods.into_iter().filter(|method| RUN.contains(&method.name)) {
            found.extend(in_method(scope, method, &layers));
        }
    }
    found.extend(made_states::of_first_steps(scope));
    found.extend(made_states::beside_moved(scope));
    for handed in tensor_flow::handed_to_models(scope) {
        if found.iter().all(|known| known.place != handed.place) {
            found.push(handed);
        }
    }
    // A test that speaks of no GPU runs its modules where they were made.
    let stays = || scope.program.is_of_tests(scope.file) && !scope.whole_text().contains("cuda");
    if found.is_empty() || stays() || scope.program.has_any(SET_DEFAULT) || !is_moved_somewhere(scope) {
        Vec::new()
    } else {
        found
    }
}

/// The first such tensor of a method.
fn in_method(scope: &FileScope<'_>, method: &Function<'_>, layers: &FxHashSet<&str>) -> Option<RawFinding> {
    // What is made inside of `with torch.device(…)` lies there.
    let text = scope.text(method.span);
    if text.contains("with torch.device(") {
        return None;
    }
    let parameters = method.parameters.iter().map(|parameter| parameter.name);
    let mut inputs: FxHashSet<&str> =
        parameters.filter(|name| *name != "self" && is_used_as_tensor(text, name)).collect();
    let mut found: Option<(Span, Span)> = None;
    // `if h is None: h = torch.zeros(…)`, here or in a method that gives it back.
    let mut left_out = made_when_left_out(scope, method);
    walk_block(scope.code, &method.body, &mut |part, around| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let by_helper =
                function_called(scope, value).and_then(|helper| given_when_left_out(scope, helper));
            for name in targets.iter().flat_map(Target::names) {
                match by_helper {
                    Some(made) => {
                        left_out.insert(name, made);
                    }
                    // `out, h = self.rnn(x, h)` is looked at with what it is given.
                    None if around.is_empty()
                        && !mentions(scope.text(value.span), &[name].into_iter().collect()) =>
                    {
                        left_out.remove(name);
                    }
                    None => {}
                }
            }
            if is_input(scope, value, &inputs) {
                inputs.extend(targets.iter().flat_map(Target::names));
            }
        }
        CodeNode::Expr(expr) if found.is_none() => {
            let made = meets_device(scope, expr, &inputs, layers, &left_out);
            found = made.map(|made| {
                let by_name = match made.kind {
                    ExprKind::Name(name) => left_out.get(name).copied(),
                    _ => None,
                };
                (by_name.unwrap_or_else(|| where_made(scope, made)), expr.span)
            });
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    found.map(|(made, used)| {
        let raw_finding = RawFinding::at(scope.place(made)).word("text", scope.text(made));
        raw_finding.beside(scope.place(used), "it meets what lies on the device of the module here")
    })
}

/// Parameters that a function fills with a tensor on the CPU when they are left out, with where it makes that.
fn made_when_left_out<'a>(scope: &FileScope<'a>, function: &Function<'a>) -> FxHashMap<&'a str, Span> {
    let mut made = FxHashMap::default();
    for step in &function.body {
        let StatementKind::Branch { test, then, otherwise } = &step.kind else { continue };
        let ExprKind::Compare(Comparison::Is, sides) = &test.kind else { continue };
        let (ExprKind::Name(name), ExprKind::None) = (&sides.0.kind, &sides.1.kind) else { continue };
        let is_parameter = function.parameters.iter().any(|one| one.name == *name);
        let [Statement { kind: StatementKind::Assign { targets, value: Some(value), .. }, .. }] = &then[..]
        else {
            continue;
        };
        let fills = matches!(&targets[..], [Target::Name(filled, _)] if filled == name);
        if is_parameter && fills && otherwise.is_empty() && is_cpu_tensor(scope, value, 0) {
            made.insert(*name, value.span);
        }
    }
    made
}

/// Where a method makes a tensor on the CPU that it gives back, when its parameter was left out.
fn given_when_left_out(scope: &FileScope<'_>, helper: &Function<'_>) -> Option<Span> {
    let made = made_when_left_out(scope, helper);
    let [.., Statement { kind: StatementKind::Return(Some(value)), .. }] = &helper.body[..] else {
        return None;
    };
    match value.kind {
        ExprKind::Name(name) => made.get(name).copied(),
        _ => None,
    }
}

/// Whether a parameter is a tensor, by its name or by what the method asks it for: a number has none of it.
fn is_used_as_tensor(text: &str, name: &str) -> bool {
    const TENSORS: &[&str] = &[
        "X",
        "embeddings",
        "embeds",
        "features",
        "hidden",
        "image",
        "images",
        "img",
        "input",
        "inputs",
        "x",
    ];
    if TENSORS.contains(&name) {
        return true;
    }
    const OF_TENSORS: &[&str] = &[
        "device",
        "dim(",
        "flatten(",
        "mean(",
        "permute(",
        "reshape(",
        "shape",
        "size(",
        "squeeze(",
        "sum(",
        "transpose(",
        "unsqueeze(",
        "view(",
    ];
    let asks = |at: usize| {
        let rest = &text[at + name.len()..];
        let starts = text[..at].ends_with(|byte: char| byte.is_alphanumeric() || byte == '_' || byte == '.');
        let of_tensor = |rest: &str| OF_TENSORS.iter().any(|word| rest.starts_with(word));
        !starts && rest.strip_prefix('.').is_some_and(of_tensor)
    };
    text.match_indices(name).any(|(at, _)| asks(at))
}

/// `torch.from_numpy(angles).float()`; of an input it may be another way of writing one.
fn is_from_host(scope: &FileScope<'_>, expr: &Expr<'_>, inputs: &FxHashSet<&str>, depth: usize) -> bool {
    /// `x = x.float()` stands for itself.
    const DEEPEST: usize = 6;
    if depth > DEEPEST {
        return false;
    }
    let expr = scope.names.meant(expr);
    if let Some((object, name, _)) = method_of(expr)
        && SAME_DEVICE.contains(&name)
    {
        return is_from_host(scope, object, inputs, depth + 1);
    }
    let ExprKind::Call(call) = &expr.kind else { return false };
    scope.names.path(&call.callee) == Some("torch.from_numpy") && !mentions(scope.text(expr.span), inputs)
}

/// Where the tensor is made: of `0.1 * noise` it is where `noise` is.
fn where_made(scope: &FileScope<'_>, made: &Expr<'_>) -> Span {
    let made = scope.names.meant(made);
    match &made.kind {
        ExprKind::Binary(_, sides) => {
            let side = if is_cpu_tensor(scope, &sides.0, 0) { &sides.0 } else { &sides.1 };
            where_made(scope, side)
        }
        // `torch.zeros(8).requires_grad_()`
        _ if method_of(made).is_some_and(|(_, name, _)| SAME_DEVICE.contains(&name)) => {
            method_of(made).map_or(made.span, |(object, _, _)| where_made(scope, object))
        }
        _ => made.span,
    }
}

/// The tensor on the CPU that an expression puts together with an input, or gives to a layer.
fn meets_device<'e>(
    scope: &FileScope<'_>,
    expr: &'e Expr<'e>,
    inputs: &FxHashSet<&str>,
    layers: &FxHashSet<&str>,
    left_out: &FxHashMap<&str, Span>,
) -> Option<&'e Expr<'e>> {
    // What the module keeps is made elsewhere, and is a matter of its buffers.
    let is_kept = |expr: &Expr<'_>| matches!(&expr.kind, ExprKind::Attribute(object, _) if matches!(object.kind, ExprKind::Name("self")));
    let is_made = |expr: &Expr<'_>| {
        let is_left_out = matches!(expr.kind, ExprKind::Name(name) if left_out.contains_key(name));
        !is_kept(expr)
            && (is_left_out || is_cpu_tensor(scope, expr, 0) || is_from_host(scope, expr, inputs, 0))
    };
    let given = |expr: &Expr<'_>| is_input(scope, expr, inputs);
    match &expr.kind {
        ExprKind::Binary(
            Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide,
            sides,
        ) => {
            let (left, right) = (&sides.0, &sides.1);
            match (is_made(left), is_made(right)) {
                (true, false) if given(right) => Some(left),
                (false, true) if given(left) => Some(right),
                _ => None,
            }
        }
        ExprKind::Call(call) if scope.names.path(&call.callee).is_some_and(|path| JOINS.contains(&path)) => {
            let flat = joined(call);
            let made = flat.iter().copied().find(|one| is_made(one))?;
            flat.iter().any(|one| given(one)).then_some(made)
        }
        ExprKind::Call(call) => {
            let is_layer = matches!(&call.callee.kind, ExprKind::Attribute(object, name)
                if matches!(object.kind, ExprKind::Name("self")) && layers.contains(name));
            // `self.rnn(x, (h, c))`
            let given = if is_layer { joined(call) } else { Vec::new() };
            given.into_iter().find(|one| is_made(one))
        }
        _ => None,
    }
}
