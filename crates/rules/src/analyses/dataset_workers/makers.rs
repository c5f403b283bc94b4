//! Devices that whoever makes an object gives it: `Rows(index, device)`, whose methods move what they read to `self.device`.

use super::{Calls, methods_of, uses_in};
use crate::code::{Call, Expr, ExprKind, Parameter};
use crate::rules::analyses::cuda_calls::names_gpu;
use crate::rules::analyses::given_arguments::any_given_to;
use crate::rules::analyses::own_calls::imported;
use crate::rules::files::FileScope;
use crate::rules::uses::argument;

/// `x.to(self.device)`, or `torch.zeros(2, device=self.device)`, where a caller gives the object a GPU.
pub(super) fn moved(call: &Call<'_>, scope: &FileScope<'_>) -> Option<String> {
    let (device, name) = match &call.callee.kind {
        ExprKind::Attribute(_, "to") => {
            (argument(&call.arguments, Some(0), Some("device"))?, ".to".to_owned())
        }
        _ => {
            let path = scope.names.path(&call.callee).filter(|path| path.starts_with("torch."))?;
            (argument(&call.arguments, None, Some("device"))?, path.to_owned())
        }
    };
    (is_field(device) && is_given_gpu(device, scope)).then_some(name)
}

/// What an object that `self` holds does with CUDA when it is called, or when its method is: `self.voxels(points)`.
pub(super) fn by_held_object(call: &Call<'_>, scope: &FileScope<'_>) -> Option<String> {
    let (held, method) = match &call.callee.kind {
        ExprKind::Attribute(object, method) if is_field(object) => (&**object, *method),
        _ if is_field(&call.callee) => (&call.callee, "__call__"),
        _ => return None,
    };
    let ExprKind::Call(made) = &scope.names.meant(held).kind else { return None };
    let ExprKind::Name(class) = made.callee.kind else { return None };
    if !made.arguments.iter().any(|one| names_gpu(&one.value, scope, 0)) {
        return match imported(scope, None, class) {
            Some((file, class)) => scope.in_other(file, |other| moved_by_default(other, class, method, made)),
            None => moved_by_default(scope, class, method, made),
        };
    }
    let uses = |scope: &FileScope<'_>, class: &str| {
        let methods = methods_of(class, scope, &|name| name == method);
        let mut uses = methods.into_iter().flat_map(|one| uses_of_method(one, class, scope));
        uses.next()
    };
    match imported(scope, None, class) {
        Some((file, class)) => scope.in_other(file, |other| uses(other, class)),
        None => uses(scope, class),
    }
}

/// `.to` of a method that moves to `self.device`, where that is a parameter whose default is the GPU, and nobody gives another:
/// `self.tokens = Tokens()`.
fn moved_by_default(scope: &FileScope<'_>, class: &str, method: &str, made: &Call<'_>) -> Option<String> {
    let init = methods_of(class, scope, &|name| name == "__init__").into_iter().next()?;
    let init = &scope.code.functions[init];
    let by_default = |one: &&Parameter<'_>| {
        one.default.as_ref().is_some_and(|default| {
            let text = scope.text(default.span);
            text.contains("cuda") && (names_gpu(default, scope, 0) || text.contains("is_available"))
        })
    };
    let at = init.parameters.iter().position(|one| by_default(&one))?;
    let device = init.parameters[at].name;
    let is_given = argument(&made.arguments, at.checked_sub(1), Some(device)).is_some()
        || made.arguments.iter().any(|one| one.unpacked);
    let text = scope.text(init.span);
    let field = text.lines().find_map(|line| {
        let (field, value) = line.trim().strip_prefix("self.")?.split_once(" = ")?;
        (value == device).then_some(field)
    })?;
    let runs = methods_of(class, scope, &|name| name == method);
    let moves = runs.into_iter().any(|one| {
        let text = scope.text(scope.code.functions[one].span);
        text.contains(&format!(".to(self.{field})")) || text.contains(&format!("device=self.{field}"))
    });
    (moves && !is_given).then(|| ".to".to_owned())
}

fn uses_of_method(method: usize, class: &str, scope: &FileScope<'_>) -> Vec<String> {
    let nothing = Default::default();
    let uses = uses_in(method, class, scope, Calls::OfProject(&nothing), super::MAX_HOPS);
    uses.into_iter().map(|(_, name)| name).collect()
}

/// `self.device`
fn is_field(expr: &Expr<'_>) -> bool {
    matches!(&expr.kind, ExprKind::Attribute(object, _) if matches!(object.kind, ExprKind::Name("self")))
}

fn is_given_gpu(device: &Expr<'_>, scope: &FileScope<'_>) -> bool {
    let by_caller = |given: &Expr<'_>| {
        any_given_to(scope, given, &|caller, given| {
            caller.names.may_mean(given).into_iter().any(|one| names_gpu(one, caller, 0))
        })
    };
    scope.names.may_mean(device).into_iter().any(|one| match &one.kind {
        ExprKind::Name(_) => by_caller(one),
        ExprKind::Call(call) if scope.names.path(&call.callee) == Some("torch.device") => {
            call.arguments.first().is_some_and(|first| by_caller(&first.value))
        }
        _ => false,
    })
}
