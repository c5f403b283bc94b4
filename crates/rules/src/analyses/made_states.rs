//! States that a module hands out for its first step, `init_hidden` and its like, and tensors that a function makes beside what it has moved: on the CPU all of them.

use super::gpu_values::{given_by, names_gpu};
use super::memory::{method_of, parts_of};
use super::names_in_text::mentions;
use super::unmoved_tensors::{SAME_DEVICE, is_cpu_tensor, is_module, methods_of};
use crate::code::walk::{CodeNode, walk_block};
use crate::code::{Expr, ExprKind, Function, Operator, StatementKind, Target};
use crate::facts::{Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashSet;

/// How the names of methods begin that make the state of a first step.
const FIRST: &[&str] = &[
    "begin_state",
    "get_initial_state",
    "initHidden",
    "init_cell",
    "init_hidden",
    "init_state",
    "initial_hidden",
    "initial_state",
    "zero_state",
];

/// What says where a state goes.
const PLACES: &[&str] = &[".to(", ".cuda(", "device", "new_", "type_as", "_like("];

/// `def init_hidden(self, n): return torch.zeros(n, 8)`, where nothing that calls it moves the state.
pub(super) fn of_first_steps(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    for class in scope.code.classes.iter().filter(|class| is_module(scope, class)) {
        let methods = methods_of(scope, class);
        for method in methods.iter().filter(|one| FIRST.iter().any(|first| one.name.starts_with(first))) {
            if PLACES.iter().any(|word| scope.text(method.span).contains(word)) {
                continue;
            }
            let made = given_by(scope, method).into_iter().flat_map(parts_of);
            let first = made.map(|part| scope.names.meant(part)).find(|part| is_cpu_tensor(scope, part, 0));
            if let Some(first) = first
                && is_called_and_left(scope, method.name)
            {
                found.push(RawFinding::at(scope.place(first.span)).word("text", scope.text(first.span)));
            }
        }
    }
    found
}

/// Whether the project calls a method of this name, and moves nothing that it gives.
fn is_called_and_left(scope: &FileScope<'_>, name: &str) -> bool {
    let call = format!(".{name}(");
    let mut is_called = false;
    for (_, file) in scope.program.every_file() {
        if !file.is_python() {
            continue;
        }
        for (_, line) in lines_in(&file.text).filter(|(_, line)| line.contains(&call)) {
            if PLACES.iter().any(|word| line.contains(word)) {
                return false;
            }
            is_called = true;
            let Some((given, _)) = line.split_once('=') else { continue };
            for one in given.split([',', '(', ')', ' ']).filter(|one| !one.is_empty()) {
                let is_moved = [".to(", ".cuda(", ".device"]
                    .iter()
                    .any(|after| file.text.contains(&format!("{one}{after}")));
                if is_moved || file.text.contains(&format!(" in {one}")) {
                    return false;
                }
            }
        }
    }
    is_called
}

/// `inputs = inputs.to(device)`, and `torch.ones(n) * inputs` in the same function.
pub(super) fn beside_moved(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut inside: FxHashSet<Span> = FxHashSet::default();
    for class in scope.code.classes.iter().filter(|class| is_module(scope, class)) {
        inside.extend(methods_of(scope, class).iter().map(|method| method.span));
    }
    let functions = scope.code.functions.iter().filter(|function| !inside.contains(&function.span));
    functions.filter_map(|function| in_function(scope, function)).collect()
}

fn in_function(scope: &FileScope<'_>, function: &Function<'_>) -> Option<RawFinding> {
    if scope.text(function.span).contains("with torch.device(") {
        return None;
    }
    let parameters: FxHashSet<&str> = function.parameters.iter().map(|one| one.name).collect();
    // Names of what lies on the device, and names that something else is given to as well.
    let mut there: FxHashSet<&str> = FxHashSet::default();
    let mut back: FxHashSet<&str> = FxHashSet::default();
    let mut found: Option<(Span, Span)> = None;
    walk_block(scope.code, &function.body, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
            let pairs = targets.iter().flat_map(|target| match (target, &value.kind) {
                (Target::Sequence(names), ExprKind::Sequence(values)) if names.len() == values.len() => {
                    names.iter().zip(values).collect()
                }
                _ => vec![(target, value)],
            });
            for (target, value) in pairs {
                let is_there = lies_there(scope, value, &there, &parameters);
                match is_there {
                    true => there.extend(target.names()),
                    false => back.extend(target.names()),
                }
            }
        }
        CodeNode::Expr(expr) if found.is_none() => {
            let ExprKind::Binary(
                Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide,
                sides,
            ) = &expr.kind
            else {
                return;
            };
            let is_there = |side: &Expr<'_>| {
                !mentions(scope.text(side.span), &back) && lies_there(scope, side, &there, &parameters)
            };
            let is_made = |side: &Expr<'_>| is_cpu_tensor(scope, side, 0);
            let (left, right) = (&sides.0, &sides.1);
            let made = match (is_made(left), is_made(right)) {
                (true, false) if is_there(right) => left,
                (false, true) if is_there(left) => right,
                _ => return,
            };
            found = Some((scope.names.meant(made).span, expr.span));
        }
        CodeNode::Expr(_) | CodeNode::Target(_) => {}
    });
    let (made, used) = found?;
    let raw_finding = RawFinding::at(scope.place(made)).word("text", scope.text(made));
    Some(raw_finding.beside(scope.place(used), "it meets what was moved to the device here"))
}

/// Whether a value was moved to a device that is no CPU, or is what a model makes of one.
fn lies_there(
    scope: &FileScope<'_>,
    value: &Expr<'_>,
    there: &FxHashSet<&str>,
    parameters: &FxHashSet<&str>,
) -> bool {
    let deeper = |value: &Expr<'_>| lies_there(scope, value, there, parameters);
    if let ExprKind::Name(name) = value.kind {
        return there.contains(name);
    }
    if let Some((object, name, call)) = method_of(value) {
        let is_device = |given: &Expr<'_>| {
            let is_parameter =
                matches!(given.kind, ExprKind::Name(name) if name == "device" && parameters.contains(name));
            is_parameter || names_gpu(scope, given, 0)
        };
        return match name {
            "cuda" => scope.names.path(&call.callee).is_none(),
            "to" => call.arguments.first().is_some_and(|first| is_device(&first.value)),
            _ => SAME_DEVICE.contains(&name) && deeper(object),
        };
    }
    // `net(inputs)` of a net that the function was given.
    match &value.kind {
        ExprKind::Call(call) => {
            let is_given = matches!(call.callee.kind, ExprKind::Name(name) if parameters.contains(name));
            is_given
                && call
                    .arguments
                    .iter()
                    .any(|one| matches!(one.value.kind, ExprKind::Name(_)) && deeper(&one.value))
        }
        ExprKind::Binary(_, sides) => deeper(&sides.0) || deeper(&sides.1),
        _ => false,
    }
}
