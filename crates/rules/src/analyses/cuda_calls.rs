//! Calls of CUDA as far as the text of one file says: by what is known about the library, and by the device that is
//! written there.

use crate::code::walk::Ancestor;
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::program::knowledge::{Does, EffectRow};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// The name of what is called, where the call reaches CUDA.
pub(super) fn reaches_cuda(expr: &Expr<'_>, scope: &FileScope<'_>) -> Option<String> {
    called(expr, scope, &|does| does.contains(&Does::CudaInit))
}

/// Where the call raises something other than an ImportError on a machine without a driver.
pub(super) fn fails_without_driver(expr: &Expr<'_>, scope: &FileScope<'_>) -> Option<String> {
    /// Questions that are answered with "no".
    const ANSWERED: [&str; 11] = [
        "is_available",
        "device_count",
        "is_bf16_supported",
        "is_tf32_supported",
        "current_accelerator",
        "detect",
        "devices",
        "driverGetVersion",
        "get_env_info",
        "show",
        "version",
    ];
    let needs =
        |does: &[Does]| does.iter().any(|one| matches!(one, Does::TorchInit | Does::Allocate | Does::Query));
    // Much of torch only looks for a GPU; the others need one.
    let other = || reaches_cuda(expr, scope).filter(|name| !name.starts_with("torch."));
    let name = called(expr, scope, &needs).or_else(other)?;
    let last = name.rsplit('.').next().unwrap_or(&name);
    // What the method is called on may be on the CPU; a library that falls back is another matter.
    let raises = ["torch.", "cupy.", "numba.cuda.", ".cuda", ".to"].iter().any(|root| name.starts_with(root));
    (raises && !ANSWERED.contains(&last)).then_some(name)
}

fn called(expr: &Expr<'_>, scope: &FileScope<'_>, wanted: &dyn Fn(&[Does]) -> bool) -> Option<String> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let knowledge = &scope.program.knowledge;
    if let Some(path) = scope.names.path(&call.callee).filter(|path| !path.starts_with("builtins.")) {
        let effects = knowledge.of_call(path);
        let holds = |row: &EffectRow| {
            let on_gpu = || {
                row.devices.iter().any(|device| {
                    let given = argument(&call.arguments, device.position, device.name.as_deref());
                    given.is_some_and(|given| {
                        // `pipeline("…", device=0)`
                        let by_index = path.starts_with("transformers.")
                            && matches!(scope.names.meant(given).kind, ExprKind::Int(index) if index >= 0);
                        by_index || names_gpu(given, scope, 0)
                    })
                })
            };
            !row.harmless
                && wanted(&row.does)
                && row.only_if.is_empty()
                && row.if_position.is_empty()
                && (!row.only_on_gpu || on_gpu())
                && !call.arguments.iter().any(|one| matches!(one.value.kind, ExprKind::Bool(false)))
        };
        if effects.iter().any(|effect| holds(&effect.row)) {
            return Some(path.to_owned());
        }
    }
    let ExprKind::Attribute(_, method) = &call.callee.kind else { return None };
    let first = call.arguments.first().map(|argument| &argument.value);
    let moves = match *method {
        "cuda" => first
            .is_none_or(|one| matches!(one.kind, ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Bool(_))),
        "to" => call.arguments.iter().any(|argument| names_gpu(&argument.value, scope, 0)),
        _ => false,
    };
    let moves = moves && wanted(&[Does::CudaInit, Does::TorchInit, Does::Allocate]);
    (moves && scope.whole_text().contains("torch")).then(|| format!(".{method}"))
}

/// Whether a method moves its object to a GPU: `model.cuda()`, `model.to("cuda")`.
pub(super) fn moves_to_gpu(method: &str, call: &Call<'_>, scope: &FileScope<'_>) -> bool {
    match method {
        "cuda" => true,
        "to" => argument(&call.arguments, Some(0), Some("device"))
            .is_some_and(|device| names_gpu(device, scope, 0)),
        _ => false,
    }
}

/// Whether an expression names a GPU, on some path at least.
pub(super) fn names_gpu(expr: &Expr<'_>, scope: &FileScope<'_>, hops: usize) -> bool {
    if hops > 4 {
        return false;
    }
    // A field may hold the default of a parameter, which is no value that is assigned.
    let meant = if matches!(expr.kind, ExprKind::Attribute(..)) { expr } else { scope.names.meant(expr) };
    match &meant.kind {
        ExprKind::Text(text) => text.starts_with("cuda"),
        ExprKind::Join(parts) => parts.first().is_some_and(|part| names_gpu(part, scope, hops + 1)),
        ExprKind::Choice(parts) => {
            names_gpu(&parts.1, scope, hops + 1) || names_gpu(&parts.2, scope, hops + 1)
        }
        ExprKind::Call(call) => {
            let device = scope.names.path(&call.callee) == Some("torch.device");
            device
                && call.arguments.first().is_some_and(|argument| names_gpu(&argument.value, scope, hops + 1))
        }
        // `self.device = "cuda"` somewhere in the file.
        ExprKind::Attribute(object, name) if matches!(object.kind, ExprKind::Name("self")) => {
            assigned_to_self(name, scope).into_iter().any(|value| names_gpu(value, scope, hops + 1))
        }
        _ => false,
    }
}

/// What is assigned to an attribute of `self`; of a parameter that is, its default, and what the file makes objects with.
fn assigned_to_self<'a>(name: &str, scope: &FileScope<'a>) -> Vec<&'a Expr<'a>> {
    let mut values = Vec::new();
    // Parameters of constructors that it holds, each with its class and position.
    let mut given: Vec<(&str, usize, &str)> = Vec::new();
    scope.each_statement(&mut |step, around| {
        let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind else { return };
        let is_it = |target: &Target<'_>| {
            matches!(target, Target::Attribute(object, known)
                if *known == name && matches!(object.kind, ExprKind::Name("self")))
        };
        if !targets.iter().any(is_it) {
            return;
        }
        values.push(value);
        if let ExprKind::Name(parameter) = &value.kind
            && let Some(Ancestor::Function(number)) = around.last()
        {
            let function = &scope.code.functions[*number];
            let own = function.parameters.iter().position(|one| one.name == *parameter);
            values.extend(own.and_then(|at| function.parameters[at].default.as_ref()));
            let class = around.iter().rev().find_map(|one| match one {
                Ancestor::Class(number) => Some(scope.code.classes[*number].name),
                _ => None,
            });
            if let (Some(class), Some(at), "__init__") = (class, own, function.name) {
                given.push((class, at, *parameter));
            }
        }
    });
    if given.is_empty() {
        return values;
    }
    scope.each_call(&mut |_, call, _| {
        let ExprKind::Name(name) = call.callee.kind else { return };
        for (_, at, parameter) in given.iter().filter(|(class, ..)| *class == name) {
            values.extend(argument(&call.arguments, at.checked_sub(1), Some(parameter)));
        }
    });
    values
}
