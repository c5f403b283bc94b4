//! What no pattern can say: checks of how a file is written that need code. A rule names one by `find: {analysis: …}`;
//! each lies in a file of its own below this one.

mod autocast;
mod context_managers;
mod device_arguments;
mod device_names;
mod device_texts;
mod hard_cuda;
mod hardware;
mod ranks;
mod requirements;
mod rocm;
mod tf32;
mod uncalled_checks;

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
        name: "bf16-gate-emulated",
        words: &["is_bf16_supported"],
        look: hardware::gates_that_emulation_opens,
    },
    Analysis {
        name: "capability-architecture-mismatch",
        words: hardware::ARCHITECTURES,
        look: hardware::wrong_architectures,
    },
    Analysis {
        name: "check-not-called",
        words: &[
            "is_available",
            "is_built",
            "is_initialized",
            "device_count",
            "_available",
            "_supported",
            "with_cuda",
        ],
        look: uncalled_checks::that_are_tested,
    },
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
    Analysis {
        name: "device-name-typo",
        words: &["device", "DEVICE", "map_location", ".to("],
        look: device_names::that_name_none,
    },
    Analysis { name: "feature-gate-wrong", words: hardware::FEATURES, look: hardware::wrong_gates },
    Analysis { name: "gpu-spec-mismatch", words: hardware::PRODUCTS, look: hardware::wrong_products },
    Analysis {
        name: "legacy-tf32-switch",
        words: &["allow_tf32", "get_float32_matmul_precision"],
        look: tf32::legacy_switches,
    },
    Analysis {
        name: "local-version-range",
        words: &["+cu", "+CU", "+cpu", "+rocm", "+xpu", "+hip", "+pt"],
        look: requirements::ranges_with_labels,
    },
    Analysis { name: "rocm-never-detected", words: &["hip", "rocm"], look: rocm::never_detected },
    Analysis {
        name: "unknown-matmul-precision",
        words: &["matmul_precision", "fp32_precision"],
        look: tf32::unknown_precisions,
    },
    Analysis { name: "unsupported-autocast-dtype", words: &["autocast"], look: autocast::with_other_dtypes },
    Analysis { name: "wheel-lacks-architecture", words: &["torch"], look: requirements::wheels_that_lack_it },
    Analysis {
        name: "wrong-device-argument",
        words: &["device", "devices", "gpus", "gpu_id", "autocast", "Pipeline", "Device"],
        look: device_arguments::of_another_form,
    },
    Analysis { name: "bare-cuda", words: &[".cuda()"], look: hard_cuda::beside_a_device },
    Analysis { name: "missing-cpu-fallback", words: &["cuda"], look: hard_cuda::without_question },
    Analysis { name: "rank-without-device", words: &["init_process_group"], look: ranks::without_device },
    Analysis { name: "set-device-in-library", words: &["set_device"], look: ranks::set_by_libraries },
];

/// The check with this name.
pub(super) fn named(name: &str) -> Option<&'static Analysis> {
    ANALYSES.iter().find(|analysis| analysis.name == name)
}

/// The names of all of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ANALYSES.iter().map(|analysis| analysis.name)
}
