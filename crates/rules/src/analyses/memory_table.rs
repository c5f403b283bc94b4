//! The checks of what a program keeps in the memory of a GPU, and of the settings that decide about it, each with its name and the
//! words without which it looks at no file.

use super::{
    Analysis, cached_methods, cached_outputs, clean_up_order, context_managers, epoch_outputs,
    executable_batches, fed_back, hooked_models, jax_memory, joined_allocator, kept_checkpoints, kept_graphs,
    kept_outputs, keras_loops, late_offloads, leak_checks, loaded_again, locks, lost_options,
    memory_fractions, resets, retries, step_loops, tensorflow, tensorflow_memory, virtual_growth, volatile,
};

/// All of them, by name.
pub(super) const ANALYSES: &[Analysis] = &[
    Analysis {
        name: "alloc-conf-part-invalid",
        words: &["ALLOC_CONF"],
        look: joined_allocator::with_wrong_parts,
    },
    Analysis {
        name: "cached-output-keeps-graph",
        words: &[" in self."],
        look: cached_outputs::that_keep_graphs,
    },
    Analysis {
        name: "growth-beside-virtual-device",
        words: &["set_memory_growth"],
        look: virtual_growth::of_divided,
    },
    Analysis {
        name: "cached-method-keeps-object",
        words: &["lru_cache", ".cache", "import cache"],
        look: cached_methods::that_keep_objects,
    },
    Analysis {
        name: "checkpoint-kept-on-gpu",
        words: &["map_location"],
        look: kept_checkpoints::beside_training,
    },
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
        name: "batch-finder-keeps-model",
        words: &["find_executable_batch_size"],
        look: executable_batches::around_models,
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
        name: "gpu-reset-as-recovery",
        words: &["nvidia-smi", "reset", "Reset", "close"],
        look: resets::beside_frameworks,
    },
    Analysis { name: "jax-preallocation-beside-torch", words: &["jax"], look: jax_memory::beside_torch },
    Analysis { name: "keras-models-in-loop", words: &["keras"], look: keras_loops::without_clearing },
    Analysis {
        name: "leak-check-on-reserved",
        words: &[
            "_reserved",
            "reserved_",
            "memory_cached",
            "mem_get_info",
            "nvidia-smi",
            "GetMemoryInfo",
            "memory_used",
        ],
        look: leak_checks::on_reserved,
    },
    Analysis {
        name: "loss-keeps-graph",
        words: &[
            "backward",
            ".eval(",
            ".train(False",
            ".train(mode",
            "compute_loss",
            "register_buffer",
            "running_mean",
            "training_step",
        ],
        look: kept_graphs::by_sums,
    },
    Analysis {
        name: "memory-growth-differs",
        words: &["set_memory_growth"],
        look: tensorflow::growth_of_one_card,
    },
    Analysis {
        name: "gpu-options-unused",
        words: &["gpu_options", "GPUOptions", "session_config"],
        look: lost_options::that_nothing_takes,
    },
    Analysis {
        name: "memory-share-above-one",
        words: &[
            "CLIENT_MEM_FRACTION",
            "memory_fraction",
            "memory_utilization",
            "memory-utilization",
            "set_limit",
        ],
        look: memory_fractions::above_one,
    },
    Analysis {
        name: "model-loaded-again",
        words: &["streamlit", "gradio", "fastapi", "flask"],
        look: loaded_again::with_each_request,
    },
    Analysis {
        name: "state-keeps-graph",
        words: &["retain_graph", "nn.GRU", "nn.LSTM", "nn.RNN"],
        look: fed_back::with_graphs,
    },
    Analysis { name: "offload-after-move", words: &["_offload("], look: late_offloads::behind_moves },
    Analysis {
        name: "hooked-model-not-collected",
        words: &["from_pretrained"],
        look: hooked_models::that_are_not_collected,
    },
    Analysis { name: "outputs-kept-on-gpu", words: kept_outputs::KEEPING, look: kept_outputs::on_the_gpu },
    Analysis {
        name: "outputs-kept-for-epoch",
        words: &["training_epoch_end", "validation_epoch_end", "test_epoch_end"],
        look: epoch_outputs::that_keep_batches,
    },
    Analysis {
        name: "retry-inside-oom-handler",
        words: &["OutOfMemory", "ResourceExhausted", "ut of memory", "OOM", "oom", "empty_cache"],
        look: retries::in_handlers,
    },
    Analysis { name: "tensorflow-beside-jax", words: &["jax"], look: tensorflow::beside_jax },
    Analysis {
        name: "tensorflow-preallocation-beside-torch",
        words: &["tensorflow", "torch"],
        look: tensorflow_memory::beside_torch,
    },
    Analysis {
        name: "thread-lock-across-processes",
        words: &["threading"],
        look: locks::of_threads_across_processes,
    },
    Analysis { name: "volatile-ignored", words: &["volatile"], look: volatile::without_effect },
];
