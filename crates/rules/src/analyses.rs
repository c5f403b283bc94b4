//! What no pattern can say: checks of how a file is written that need code. A rule names one by `find: {analysis: …}`;
//! each lies in a file of its own below this one.

mod autocast;
mod backend_switches;
mod builds;
mod caches;
mod clean_up_order;
mod compute_types;
mod context_managers;
mod cuda_calls;
mod current_devices;
mod dataset_workers;
mod device_arguments;
mod device_names;
mod device_texts;
mod dropped_moves;
mod env_validators;
mod environments;
mod epoch_outputs;
mod filled_masks;
mod fixtures;
mod global_ranks;
mod gpu_values;
mod gradients;
mod hard_cuda;
mod hardware;
mod image_builds;
mod import_proofs;
mod inputs;
mod jax_memory;
mod jax_platforms;
mod kept_counts;
mod kept_graphs;
mod late_ranks;
mod lazy_imports;
mod leak_checks;
mod linked;
mod locks;
mod mask_numbers;
mod memory;
mod needs;
mod node_numbers;
mod nvml_indices;
mod optional_imports;
mod order;
mod own_calls;
mod parallel_kernels;
mod parallel_models;
mod parsed_masks;
mod preloads;
mod providers;
mod python_names;
mod rank_masks;
mod ranks;
mod ray_tasks;
mod requirements;
mod resets;
mod retries;
mod rocm;
mod slurm_jobs;
mod step_loops;
mod subshells;
mod swallowing;
mod task_numbers;
mod tensorflow;
mod tf32;
mod uncalled_checks;
mod unentered_contexts;
mod unread_choices;

use super::files::{FileScope, RawFinding};

pub use backend_switches::AskedPlace;
pub(super) use backend_switches::asked_in;
pub use device_names::meant_device;
pub(super) use hardware::Found as HardwareFault;
pub(super) use needs::need;

/// A check of one file.
pub(super) struct Analysis {
    /// What rules call it.
    pub name: &'static str,
    /// It looks only at files that hold one of these words; at all when there are none.
    pub words: &'static [&'static str],
    pub look: fn(&FileScope<'_>) -> Vec<RawFinding>,
}

/// All of them, by name.
const ANALYSES: &[Analysis] = &[
    Analysis { name: "bare-cuda", words: &[".cuda()"], look: hard_cuda::beside_a_device },
    Analysis {
        name: "bf16-gate-emulated",
        words: &["is_bf16_supported"],
        look: hardware::gates_that_emulation_opens,
    },
    Analysis {
        name: "cache-of-another-device",
        words: &["empty_cache", "synchronize", "pin_memory"],
        look: current_devices::left_by_cleaning,
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
        name: "cleanup-not-guaranteed",
        words: &["contextmanager", "fixture"],
        look: context_managers::that_clean_up_by_luck,
    },
    Analysis {
        name: "choice-without-runtime",
        words: &["NVIDIA_VISIBLE_DEVICES"],
        look: unread_choices::without_runtime,
    },
    Analysis {
        name: "context-as-device",
        words: &["cuda.device(", "cuda("],
        look: unentered_contexts::as_devices,
    },
    Analysis { name: "device-move-dropped", words: &["cuda"], look: dropped_moves::as_statements },
    Analysis {
        name: "context-not-entered",
        words: &["Device", "autocast", "device", "grad", "inference_mode", "stream", "using_allocator"],
        look: unentered_contexts::as_statements,
    },
    Analysis {
        name: "context-swallows-exception",
        words: &["contextmanager", "__exit__", "__aexit__"],
        look: context_managers::that_swallow_exceptions,
    },
    Analysis {
        name: "cuda-in-dataset-worker",
        words: &["Dataset", "collate", "__call__", "_format(", "set_default_"],
        look: dataset_workers::that_use_cuda,
    },
    Analysis {
        name: "cuda-runtime-mismatch",
        words: &["+cu", "/whl/cu", "cupy-cuda", "nvidia-nccl-cu", "nvidia-cudnn-cu"],
        look: requirements::different_builds,
    },
    Analysis {
        name: "data-parallel-first-device",
        words: &["DataParallel"],
        look: current_devices::left_by_data_parallel,
    },
    Analysis { name: "device-count-kept", words: &["device_count"], look: kept_counts::before_masks },
    Analysis {
        name: "device-name-typo",
        words: &["device", "DEVICE", "map_location", ".to("],
        look: device_names::that_name_none,
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
    Analysis { name: "environ-bypassed", words: &["putenv"], look: environments::that_are_bypassed },
    Analysis { name: "environ-copy-unused", words: &["environ"], look: environments::that_nobody_gets },
    Analysis { name: "environ-rebound", words: &["environ"], look: environments::that_are_rebound },
    Analysis {
        name: "environment-in-subshell",
        words: &["export ", "setenv ", "set CUDA", "set PYTORCH", "set NVIDIA", "!set ", "VISIBLE_DEVICES="],
        look: subshells::that_take_variables_along,
    },
    Analysis {
        name: "eval-without-no-grad",
        words: &[".eval(", ".train(False", ".train(mode"],
        look: gradients::missing_in_evaluation,
    },
    Analysis { name: "feature-gate-wrong", words: hardware::FEATURES, look: hardware::wrong_gates },
    Analysis {
        name: "global-rank-as-device",
        words: &["RANK", "get_rank", "horovod"],
        look: global_ranks::used_as_indices,
    },
    Analysis { name: "gpu-before-server-forks", words: preloads::WORDS, look: preloads::before_forks },
    Analysis { name: "gpu-fixture-without-teardown", words: &["fixture"], look: fixtures::without_teardown },
    Analysis {
        name: "gpu-import-guard-too-narrow",
        words: &["find_spec", "find_loader", "ImportError", "ModuleNotFoundError"],
        look: optional_imports::with_narrow_guards,
    },
    Analysis { name: "gpu-in-image-build", words: &["torch", ".py"], look: image_builds::that_need_gpu },
    Analysis {
        name: "gpu-reset-as-recovery",
        words: &["nvidia-smi", "reset", "Reset", "close"],
        look: resets::beside_frameworks,
    },
    Analysis { name: "gpu-spec-mismatch", words: hardware::PRODUCTS, look: hardware::wrong_products },
    Analysis {
        name: "import-proof-in-same-process",
        words: &["modules"],
        look: import_proofs::in_a_used_process,
    },
    Analysis {
        name: "input-on-another-device",
        words: &[".cuda()", "\"cuda\"", "'cuda'"],
        look: inputs::on_current_card,
    },
    Analysis { name: "jax-preallocation-beside-torch", words: &["jax"], look: jax_memory::beside_torch },
    Analysis { name: "lazy-import-misuse", words: &["lazy"], look: lazy_imports::misused },
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
        name: "legacy-tf32-switch",
        words: &["allow_tf32", "get_float32_matmul_precision"],
        look: tf32::legacy_switches,
    },
    Analysis {
        name: "library-dropped-by-linker",
        words: &["cuda_if_available"],
        look: linked::dropped_by_linker,
    },
    Analysis {
        name: "local-version-range",
        words: &["+cu", "+CU", "+cpu", "+rocm", "+xpu", "+hip", "+pt"],
        look: requirements::ranges_with_labels,
    },
    Analysis {
        name: "loss-keeps-graph",
        words: &["backward", ".eval(", ".train(False", ".train(mode", "register_buffer", "running_mean"],
        look: kept_graphs::by_sums,
    },
    Analysis {
        name: "mask-number-as-index",
        words: &["CUDA_VISIBLE_DEVICES", "get_gpu_ids"],
        look: mask_numbers::used_as_indices,
    },
    Analysis {
        name: "mask-beyond-request",
        words: &["SBATCH", "VISIBLE_DEVICES"],
        look: slurm_jobs::masks_beyond_request,
    },
    Analysis {
        name: "mask-parsed-as-int",
        words: &["VISIBLE_DEVICES"],
        look: parsed_masks::that_become_numbers,
    },
    Analysis { name: "missing-cpu-fallback", words: &["cuda"], look: hard_cuda::without_question },
    Analysis {
        name: "node-numbers-as-mask",
        words: &["SLURM_JOB_GPUS", "SLURM_STEP_GPUS"],
        look: node_numbers::as_mask,
    },
    Analysis { name: "numba-cache-committed", words: &[], look: caches::that_numba_left },
    Analysis { name: "numba-parallel-in-pool", words: &["numba"], look: parallel_kernels::in_pools },
    Analysis {
        name: "nvml-index-as-cuda-index",
        words: &["nvmlDeviceGetCount", "nvmlDeviceGetHandleByIndex", "nvidia-smi", "nvitop", "GPUtil"],
        look: nvml_indices::that_cross,
    },
    Analysis {
        name: "outputs-kept-for-epoch",
        words: &["training_epoch_end", "validation_epoch_end", "test_epoch_end"],
        look: epoch_outputs::that_keep_batches,
    },
    Analysis {
        name: "provider-dropped",
        words: &["CUDAExecutionProvider", "TensorrtExecutionProvider"],
        look: providers::that_are_dropped,
    },
    Analysis {
        name: "provider-not-named",
        words: &["InferenceSession"],
        look: providers::that_are_not_named,
    },
    Analysis {
        name: "provider-fails-softly",
        words: &["ExecutionProvider", "ep::"],
        look: providers::that_fail_softly,
    },
    Analysis {
        name: "provider-without-build",
        words: &["CUDAExecutionProvider", "TensorrtExecutionProvider", "n_gpu_layers"],
        look: providers::without_build,
    },
    Analysis {
        name: "rank-without-device",
        words: &["init_process_group", "horovod"],
        look: ranks::without_device,
    },
    Analysis {
        name: "one-mask-for-all-ranks",
        words: &["CUDA_VISIBLE_DEVICES"],
        look: rank_masks::for_all_ranks,
    },
    Analysis {
        name: "jax-platform-only-preferred",
        words: &["jax_platform_name", "jax_default_device"],
        look: jax_platforms::only_preferred,
    },
    Analysis {
        name: "jax-platform-too-late",
        words: &["jax_platform"],
        look: jax_platforms::chosen_too_late,
    },
    Analysis { name: "cpu-build-for-gpu-code", words: &["cuda"], look: requirements::of_torch },
    Analysis { name: "build-asks-for-gpu", words: &["CUDAExtension"], look: builds::that_ask_for_gpu },
    Analysis { name: "ranks-beyond-request", words: &["#SBATCH"], look: slurm_jobs::ranks_beyond_request },
    Analysis { name: "rank-device-too-late", words: &["set_device"], look: late_ranks::used_before },
    Analysis {
        name: "task-number-beyond-gpus",
        words: &["SLURM_LOCALID", "LOCAL_RANK", "jax.distributed"],
        look: task_numbers::beyond_cards,
    },
    Analysis { name: "ray-task-without-gpu", words: &["remote"], look: ray_tasks::without_gpu },
    Analysis {
        name: "retry-inside-oom-handler",
        words: &["OutOfMemory", "ResourceExhausted", "ut of memory", "OOM", "oom", "empty_cache"],
        look: retries::in_handlers,
    },
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
    Analysis {
        name: "rival-builds",
        words: &["faiss", "onnxruntime", "paddlepaddle", "tensorflow"],
        look: requirements::rival_builds,
    },
    Analysis { name: "rocm-never-detected", words: &["hip", "rocm"], look: rocm::never_detected },
    Analysis { name: "set-device-in-library", words: &["set_device"], look: ranks::set_by_libraries },
    Analysis { name: "tensorflow-beside-jax", words: &["jax"], look: tensorflow::beside_jax },
    Analysis {
        name: "tensorflow-touches-all-cards",
        words: &["set_visible_devices"],
        look: tensorflow::chosen_by_list,
    },
    Analysis {
        name: "memory-growth-differs",
        words: &["set_memory_growth"],
        look: tensorflow::growth_of_one_card,
    },
    Analysis {
        name: "tensorflow-settings-too-late",
        words: &[
            "set_visible_devices",
            "device_configuration",
            "set_memory_growth",
            "set_session",
            "list_local_devices",
        ],
        look: tensorflow::settings_too_late,
    },
    Analysis {
        name: "thread-lock-across-processes",
        words: &["threading"],
        look: locks::of_threads_across_processes,
    },
    Analysis {
        name: "unknown-matmul-precision",
        words: &["matmul_precision", "fp32_precision"],
        look: tf32::unknown_precisions,
    },
    Analysis { name: "unsupported-autocast-dtype", words: &["autocast"], look: autocast::with_other_dtypes },
    Analysis { name: "unsupported-compute-type", words: &["float16"], look: compute_types::not_on_cpu },
    Analysis {
        name: "validation-reads-env-only",
        words: &["environ", "getenv"],
        look: env_validators::that_read_variables_only,
    },
    Analysis {
        name: "variable-not-exported",
        words: &["VISIBLE_DEVICES=", "DEVICE_ORDER=", "ALLOC_CONF="],
        look: subshells::that_export_nothing,
    },
    Analysis {
        name: "variable-as-python-name",
        words: &["CUDA_", "PYTORCH_", "NVIDIA_", "XLA_", "JAX_", "TF_", "NUMBA_", "KERAS_", "HIP_", "ROCR_"],
        look: python_names::that_nothing_reads,
    },
    Analysis { name: "wheel-lacks-architecture", words: &["torch"], look: requirements::wheels_that_lack_it },
    Analysis {
        name: "wrong-device-argument",
        words: &["device", "devices", "gpus", "gpu_id", "autocast", "Pipeline", "Device"],
        look: device_arguments::of_another_form,
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
