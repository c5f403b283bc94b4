//! What no pattern can say: checks of how a file is written that need code. A rule names one by `find: {analysis: …}`;
//! each lies in a file of its own below this one.

mod context_managers;
mod env_validators;
mod environments;
mod nvml_indices;
mod parsed_masks;
mod python_names;
mod requirements;
mod subshells;

use super::files::{FileScope, Sighting};

/// A check of one file.
pub(super) struct Analysis {
    /// What rules call it.
    pub name: &'static str,
    /// It looks only at files that hold one of these words; at all when there are none.
    pub words: &'static [&'static str],
    pub look: fn(&FileScope<'_>) -> Vec<Sighting>,
}

/// All of them, by name.
const ANALYSES: &[Analysis] = &[
    Analysis {
        name: "context-swallows-exception",
        words: &["contextmanager"],
        look: context_managers::that_swallow_exceptions,
    },
    Analysis {
        name: "cuda-runtime-mismatch",
        words: &["+cu", "/whl/cu", "cupy-cuda", "nvidia-nccl-cu", "nvidia-cudnn-cu"],
        look: requirements::different_builds,
    },
    Analysis { name: "environ-bypassed", words: &["putenv"], look: environments::that_are_bypassed },
    Analysis { name: "environ-copy-unused", words: &["environ"], look: environments::that_nobody_gets },
    Analysis { name: "environ-rebound", words: &["environ"], look: environments::that_are_rebound },
    Analysis {
        name: "environment-in-subshell",
        words: &["export ", "set ", "setenv ", "system", "popen", "subprocess", "!", "%%"],
        look: subshells::that_take_variables_along,
    },
    Analysis {
        name: "local-version-range",
        words: &["+cu", "+CU", "+cpu", "+rocm", "+xpu", "+hip", "+pt"],
        look: requirements::ranges_with_labels,
    },
    Analysis {
        name: "mask-parsed-as-int",
        words: &["VISIBLE_DEVICES"],
        look: parsed_masks::that_become_numbers,
    },
    Analysis {
        name: "nvml-index-as-cuda-index",
        words: &["nvmlDeviceGetHandleByIndex", "nvitop"],
        look: nvml_indices::that_cross,
    },
    Analysis {
        name: "validation-reads-env-only",
        words: &["environ", "getenv"],
        look: env_validators::that_read_variables_only,
    },
    Analysis {
        name: "variable-as-python-name",
        words: &["CUDA_", "PYTORCH_", "NVIDIA_", "XLA_", "JAX_", "TF_", "NUMBA_", "KERAS_", "HIP_", "ROCR_"],
        look: python_names::that_nothing_reads,
    },
    Analysis { name: "wheel-lacks-architecture", words: &["torch"], look: requirements::wheels_that_lack_it },
];

/// The check with this name.
pub(super) fn named(name: &str) -> Option<&'static Analysis> {
    ANALYSES.iter().find(|analysis| analysis.name == name)
}

/// The names of all of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ANALYSES.iter().map(|analysis| analysis.name)
}
