//! What no pattern can say: checks of how a file is written that need code. A rule names one by `find: {analysis: …}`;
//! each lies in a file of its own below this one.

mod backend_switches;
mod context_managers;
mod cuda_calls;
mod dataset_workers;
mod import_proofs;
mod lazy_imports;
mod optional_imports;
mod parallel_kernels;

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
        name: "cuda-in-dataset-worker",
        words: &["Dataset", "collate"],
        look: dataset_workers::that_use_cuda,
    },
    Analysis {
        name: "gpu-import-guard-too-narrow",
        words: &["find_spec", "find_loader", "ImportError", "ModuleNotFoundError"],
        look: optional_imports::with_narrow_guards,
    },
    Analysis {
        name: "import-proof-in-same-process",
        words: &["modules"],
        look: import_proofs::in_a_used_process,
    },
    Analysis { name: "lazy-import-misuse", words: &["lazy"], look: lazy_imports::misused },
    Analysis { name: "numba-parallel-in-pool", words: &["parallel"], look: parallel_kernels::in_pools },
    Analysis {
        name: "rival-backend-switches",
        words: &[
            "CPU",
            "GPU",
            "CUDA",
            "CUPY",
            "BACKEND",
            "COMPUTE",
            "DEVICE",
            "ENGINE",
            "MODE",
            "PROCESSOR",
            "TARGET",
        ],
        look: backend_switches::rivals,
    },
];

/// The check with this name.
pub(super) fn named(name: &str) -> Option<&'static Analysis> {
    ANALYSES.iter().find(|analysis| analysis.name == name)
}

/// The names of all of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ANALYSES.iter().map(|analysis| analysis.name)
}
