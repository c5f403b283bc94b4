//! Variables that Ray is handed for its workers, at a place where it reads none.

use crate::code::{Call, ExprKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// What the names of variables that GPU libraries read begin with.
const PREFIXES: &[&str] = &["CUDA_", "HIP_", "JAX_", "NCCL_", "NVIDIA_", "PYTORCH_", "TF_", "TORCH_", "XLA_"];

/// `runtime_env={"CUDA_VISIBLE_DEVICES": "0"}`, without `env_vars`.
pub(super) fn beside_env_vars(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found: Vec<(Span, String)> = Vec::new();
    scope.each_call(&mut |_, call, _| {
        if matches!(
            scope.names.path(&call.callee),
            Some("ray.runtime_env.RuntimeEnv" | "ray.runtime_env.runtime_env.RuntimeEnv")
        ) {
            let named = call.arguments.iter().filter_map(|one| Some((one.value.span, one.name?)));
            found.extend(
                named.filter(|(_, name)| is_variable(name)).map(|(span, name)| (span, name.to_owned())),
            );
        }
        found.extend(keys_of(scope, call));
    });
    found.sort();
    found.dedup();
    let raw_finding = |(span, name): (Span, String)| RawFinding::at(scope.place(span)).word("name", name);
    found.into_iter().map(raw_finding).collect()
}

/// The variables among the keys of what a call gives as `runtime_env`, also under a name.
fn keys_of(scope: &FileScope<'_>, call: &Call<'_>) -> Vec<(Span, String)> {
    let Some(given) = call.arguments.iter().find(|one| one.name == Some("runtime_env")) else {
        return Vec::new();
    };
    let ExprKind::Mapping(entries) = &scope.names.meant(&given.value).kind else { return Vec::new() };
    let keys = entries.iter().filter_map(|(key, _)| match key.as_ref().map(|key| (&key.kind, key.span)) {
        Some((ExprKind::Text(name), span)) if is_variable(name) => Some((span, name.to_string())),
        _ => None,
    });
    keys.collect()
}

fn is_variable(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || name.ends_with("_VISIBLE_DEVICES")
}
