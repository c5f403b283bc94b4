//! GPUs that JAX is told to use, in a project that installs its build for the CPU.

use super::images::{asked_by_commands, images};
use crate::code::walk::Ancestor;
use crate::code::{Call, Expr, ExprKind, Part, Requirement};
use crate::facts::Place;
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// Words in any file of the project that speak of a build with CUDA.
const OTHER_BUILDS: &[&str] = &[
    "jax[cuda",
    "jax[gpu",
    "jaxlib[cuda",
    "+cuda",
    "jax-cuda",
    "jax_cuda",
    "jax-releases",
    "nvidia/jax",
    "jax-toolbox",
    "ghcr.io/nvidia",
    "=*cuda",
    "*cuda*",
];

/// What computes, or makes what is computed with.
const COMPUTING: &[&str] = &["jax.jit", "jax.numpy.", "jax.pmap", "jax.random.", "jax.vmap"];

/// Packages that bring GPU code of their own, which an image of CUDA may be for.
const OTHER_LIBRARIES: &[&str] =
    &["cuml", "cupy", "mxnet", "numba", "onnxruntime-gpu", "paddlepaddle", "tensorflow", "torch", "xgboost"];

/// `jax.devices("gpu")`, where the project installs `jax` without an extra for CUDA.
pub(super) fn without_gpu(scope: &FileScope<'_>) -> Option<RawFinding> {
    if !scope.whole_text().contains("jax") {
        return None;
    }
    let (mut used, mut asked, mut computed) = (None, None, None);
    scope.each_call(&mut |expr, call, around| {
        if asked.is_none() && asks_for_gpu(scope, call) {
            asked = Some(expr.span);
        }
        let path = scope.names.path(&call.callee).unwrap_or_default();
        if computed.is_none() && COMPUTING.iter().any(|root| path.starts_with(root)) {
            computed = Some(expr.span);
        }
        let is_tried = || around.iter().any(|one| matches!(one, Ancestor::Try(_)));
        let may_be_off =
            || around.iter().any(|one| matches!(one, Ancestor::Then(_) | Ancestor::Otherwise(_)));
        if used.is_none() && asks_for_gpu(scope, call) && !is_tried() && !may_be_off() {
            used = Some(expr.span);
        }
    });
    // Code that asks may be meant for both, unless the project makes an image for the GPU.
    let span = used.or_else(|| asked.filter(|_| image_of_cuda(scope).is_some()));
    // What only computes takes what is there: it is for the GPU where its image and its container are.
    let (span, name) = match span {
        Some(span) => (span, scope.text(span)),
        None => {
            let image = image_of_cuda(scope)?;
            // Nobody takes an image with cuDNN for the CPU; that its container has a GPU is another matter.
            let for_gpu = is_given_gpu(scope) || image.contains("cudnn") && !is_told_cpu(scope);
            (computed.filter(|_| for_gpu)?, image)
        }
    };
    let is_sure = asked.is_some() || is_given_gpu(scope);
    let file = scope.program.name_of(scope.file);
    let is_jax = |asked: &&Requirement| matches!(asked.name.as_str(), "jax" | "jaxlib");
    let here = scope.code.requirements.iter().filter(is_jax);
    let here = here.filter(|asked| matches!(asked.part, Part::Command(_)));
    let place = here.map(|asked| scope.place(asked.span)).next();
    let by_command = || asked_by_commands(scope, "jax").first().map(|(place, _)| *place);
    let place: Option<Place> = place.or_else(by_command);
    if place.is_none() && scope.program.versions().asked(file, "jax").is_empty() {
        return None;
    }
    if scope.program.has_any(OTHER_BUILDS) {
        return None;
    }
    let wanted = "install `jax[cuda12]`, or the extra for the CUDA of the machine: `jax` alone is the build for the CPU";
    let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
    let raw_finding = raw_finding.word("package", "JAX").word("wanted", wanted);
    let raw_finding = if is_sure { raw_finding } else { raw_finding.at_most(Severity::Note) };
    Some(match place {
        Some(place) => raw_finding.beside(place, "it is installed here"),
        None => raw_finding,
    })
}

/// Whether a file of the project gives a container a GPU, and none says that JAX is to take the CPU.
fn is_given_gpu(scope: &FileScope<'_>) -> bool {
    scope.program.gives_gpus_to_containers() && !is_told_cpu(scope)
}

/// Whether a file of the project may say that JAX is to take the CPU.
fn is_told_cpu(scope: &FileScope<'_>) -> bool {
    scope.program.has_any(&["JAX_PLATFORMS", "JAX_PLATFORM_NAME", "jax_platform", "CUDA_VISIBLE_DEVICES"])
}

/// The image with the libraries of CUDA that the project builds its own on, where it installs nothing but JAX that may use them.
fn image_of_cuda<'a>(scope: &FileScope<'a>) -> Option<&'a str> {
    let mut bases = images(scope).flat_map(|(_, text)| text.lines()).filter_map(|line| {
        let mut words = line.split_whitespace();
        words.next().filter(|word| word.eq_ignore_ascii_case("from"))?;
        words.find(|word| !word.starts_with("--"))
    });
    let file = scope.program.name_of(scope.file);
    let is_listed = |name: &&str| {
        !scope.program.versions().asked(file, name).is_empty()
            || !asked_by_commands(scope, name).is_empty()
            || scope.program.asks_for(name)
    };
    let base = bases.find(|base| base.trim_start_matches("docker.io/").starts_with("nvidia/cuda:"))?;
    (!OTHER_LIBRARIES.iter().any(is_listed)).then_some(base)
}

/// Whether a call raises where JAX has no GPU.
fn asks_for_gpu(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    let is_gpu = |given: Option<&Expr<'_>>| {
        given.is_some_and(|given| {
            matches!(&scope.names.meant(given).kind, ExprKind::Text(text) if matches!(&**text, "gpu" | "cuda"))
        })
    };
    match scope.names.path(&call.callee).unwrap_or_default() {
        "jax.devices" | "jax.device_count" => is_gpu(argument(&call.arguments, Some(0), Some("backend"))),
        "jax.local_devices" | "jax.local_device_count" => {
            is_gpu(argument(&call.arguments, None, Some("backend")))
        }
        "jax.config.update" => {
            let name = argument(&call.arguments, Some(0), None);
            let is_platform = name.is_some_and(|name| {
                matches!(&name.kind, ExprKind::Text(text) if matches!(&**text, "jax_platforms" | "jax_platform_name"))
            });
            is_platform && is_gpu(argument(&call.arguments, Some(1), None))
        }
        _ => false,
    }
}
