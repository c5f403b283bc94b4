//! Memory growth of TensorFlow for a GPU that was divided before.

use crate::code::walk::{Ancestor, functions_around};
use crate::code::{Call, Expr, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

const DIVIDES: &[&str] = &[
    "tensorflow.config.experimental.set_virtual_device_configuration",
    "tensorflow.config.set_logical_device_configuration",
];

const GROWS: &str = "tensorflow.config.experimental.set_memory_growth";

/// A call that divides a GPU.
struct Divided<'a> {
    span: Span,
    function: Option<usize>,
    device: &'a str,
    branches: Vec<(Span, bool)>,
}

/// `set_memory_growth(gpu, True)` below `set_logical_device_configuration(gpu, …)`
pub(super) fn of_divided(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut divided: Vec<Divided<'_>> = Vec::new();
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        let Some(path) = scope.names.path(&call.callee) else { return };
        let Some(device) = device_of(call) else { return };
        let device = scope.text(device.span);
        let function = functions_around(around).next_back();
        let branches = branches_in(around);
        if DIVIDES.contains(&path) {
            divided.push(Divided { span: expr.span, function, device, branches });
        } else if path == GROWS {
            let same = |one: &&Divided<'_>| {
                one.function == function
                    && is_same(scope, one.device, device, around)
                    // What another branch has divided was not divided here.
                    && one.branches.iter().all(|branch| branches.contains(branch))
            };
            if let Some(before) = divided.iter().find(same) {
                let raw_finding = RawFinding::at(scope.place(expr.span)).word("device", device);
                found.push(raw_finding.beside(scope.place(before.span), "it is divided here"));
            }
        }
    });
    found
}

fn device_of<'e>(call: &'e Call<'e>) -> Option<&'e Expr<'e>> {
    argument(&call.arguments, Some(0), Some("device"))
}

/// The branches around a call, each by its test and its side.
fn branches_in(around: &[Ancestor<'_, '_>]) -> Vec<(Span, bool)> {
    let side = |one: &Ancestor<'_, '_>| match one {
        Ancestor::Then(test) => Some((test.span, true)),
        Ancestor::Otherwise(test) => Some((test.span, false)),
        Ancestor::Try(step) => Some((step.span, true)),
        Ancestor::Handler(step, _) => Some((step.span, false)),
        _ => None,
    };
    around.iter().filter_map(side).collect()
}

/// The same device, or one of the list that a loop goes over: `gpus[0]`, and `gpu` of `for gpu in gpus:`.
fn is_same(scope: &FileScope<'_>, divided: &str, grown: &str, around: &[Ancestor<'_, '_>]) -> bool {
    let list = divided.split_once('[').map(|(list, _)| list);
    let of_loop = |one: &Ancestor<'_, '_>| match one {
        Ancestor::Loop(step) => match &step.kind {
            StatementKind::For { target, iterable, .. } => {
                Some(scope.text(iterable.span)) == list && target.names() == [grown]
            }
            _ => false,
        },
        _ => false,
    };
    divided == grown || list.is_some() && around.iter().any(of_loop)
}
