//! What no pattern can say: checks of how a file is written that need code. A rule names one by `find: {analysis: …}`;
//! each lies in a file of its own below this one.

mod caches;
mod clean_up_order;
mod context_managers;
mod fixtures;
mod gpu_values;
mod gradients;
mod kept_graphs;
mod leak_checks;
mod locks;
mod memory;
mod resets;
mod retries;
mod step_loops;
mod swallowing;

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
        name: "cleanup-not-guaranteed",
        words: &["contextmanager", "fixture"],
        look: context_managers::that_clean_up_by_luck,
    },
    Analysis {
        name: "context-swallows-exception",
        words: &["contextmanager", "__exit__", "__aexit__"],
        look: context_managers::that_swallow_exceptions,
    },
    Analysis {
        name: "empty-cache-before-collect",
        words: &["empty_cache", "free_all_blocks", "clear_device_cache"],
        look: clean_up_order::emptied_before_collected,
    },
    Analysis {
        name: "empty-cache-in-loop",
        words: &["empty_cache", "free_all_blocks"],
        look: step_loops::that_empty_the_cache,
    },
    Analysis {
        name: "eval-without-no-grad",
        words: &["eval", "train"],
        look: gradients::missing_in_evaluation,
    },
    Analysis { name: "gpu-fixture-without-teardown", words: &["fixture"], look: fixtures::without_teardown },
    Analysis {
        name: "gpu-reset-as-recovery",
        words: &["nvidia-smi", "reset", "Reset", "close"],
        look: resets::beside_frameworks,
    },
    Analysis {
        name: "leak-check-on-reserved",
        words: &["reserved", "memory_cached", "mem_get_info", "nvidia-smi", "GetMemoryInfo", "memory_used"],
        look: leak_checks::on_reserved,
    },
    Analysis { name: "loss-keeps-graph", words: &["backward"], look: kept_graphs::by_sums },
    Analysis { name: "numba-cache-committed", words: &[], look: caches::that_numba_left },
    Analysis {
        name: "retry-inside-oom-handler",
        words: &["OutOfMemory", "RuntimeError", "Exception", "ResourceExhausted", "except"],
        look: retries::in_handlers,
    },
    Analysis {
        name: "thread-lock-across-processes",
        words: &["threading"],
        look: locks::of_threads_across_processes,
    },
];

/// The check with this name.
pub(super) fn named(name: &str) -> Option<&'static Analysis> {
    ANALYSES.iter().find(|analysis| analysis.name == name)
}
