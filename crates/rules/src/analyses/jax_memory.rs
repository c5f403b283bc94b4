//! The memory that JAX takes at its beginning, beside torch on the same GPU.

use super::cuda_calls::fails_without_driver;
use crate::code::walk::Ancestor;
use crate::rules::files::{FileScope, RawFinding};

/// What computes, and so makes the devices of JAX.
const COMPUTING: &[&str] = &["jax.numpy.", "jax.random.", "jax.device_put", "jax.nn.", "jax.lax."];

/// Words that bring the build of JAX for NVIDIA's cards; the plain package is for the CPU.
const BUILDS: &[&str] = &["jax[cuda", "jax[gpu]", "jax-cuda", "jax_cuda", "+cuda"];

/// Words that say how much memory JAX may take, or which platform it uses.
const SETTINGS: &[&str] = &[
    "XLA_PYTHON_CLIENT_",
    "XLA_CLIENT_MEM_FRACTION",
    "JAX_PLATFORMS",
    "JAX_PLATFORM_NAME",
    "jax_platforms",
    "jax_platform_name",
    "default_device",
    "jax.devices(\"cpu\")",
    "jax.devices('cpu')",
];

/// The first computation of JAX in a program that puts something on the GPU with torch.
pub(super) fn beside_torch(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let (mut computes, mut torch) = (None, None);
    if scope.is_library() {
        return Vec::new();
    }
    scope.each_call(&mut |expr, call, around| {
        // In a branch it may be the other framework that is wanted.
        if around.iter().any(|one| {
            matches!(
                one,
                Ancestor::Then(_) | Ancestor::Otherwise(_) | Ancestor::Try(_) | Ancestor::Handler(..)
            )
        }) {
            return;
        }
        let path = scope.names.path(&call.callee).unwrap_or_default();
        if computes.is_none() && COMPUTING.iter().any(|root| path.starts_with(root)) {
            computes = Some(expr.span);
        }
        let takes = || fails_without_driver(expr, scope).filter(|name| name.starts_with(['t', '.']));
        if torch.is_none() && takes().is_some() {
            torch = Some(expr.span);
        }
    });
    let (Some(computes), Some(torch)) = (computes, torch) else { return Vec::new() };
    if !scope.program.has_any(BUILDS) || scope.program.has_any(SETTINGS) {
        return Vec::new();
    }
    vec![RawFinding::at(scope.place(computes)).beside(scope.place(torch), "torch uses the GPU here")]
}
