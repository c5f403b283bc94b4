//! The checks of what starts programs: launchers, ranks, workers, containers, jobs, and what is installed for them. Each has
//! its name and the words without which it looks at no file.

use super::{
    Analysis, bare_tools, builds, conda_images, containers, docker_requests, global_ranks, host_collectives,
    image_builds, image_stages, late_ranks, linked, loaded_modules, local_ranks, mpi_ranks, node_numbers,
    picked_cards, podman_options, pooled_pipelines, preloads, process_counts, providers, rank_masks, ranks,
    ray_environments, ray_tasks, requirements, served_cards, settings_files, slurm_jobs, spawned_devices,
    spread_ranks, subshells, task_numbers, thread_contexts, trainer_moves, unread_choices, uv_runs,
    vllm_engines,
};

/// All of them, by name.
pub(super) const ANALYSES: &[Analysis] = &[
    Analysis {
        name: "arch-list-missing",
        words: &["install", "setup.py"],
        look: builds::without_architectures,
    },
    Analysis { name: "build-asks-for-gpu", words: &["CUDAExtension"], look: builds::that_ask_for_gpu },
    Analysis { name: "build-not-published", words: &["torch"], look: requirements::unpublished_builds },
    Analysis { name: "build-replaced", words: &["install"], look: requirements::replaced_builds },
    Analysis {
        name: "choice-without-runtime",
        words: &["NVIDIA_VISIBLE_DEVICES"],
        look: unread_choices::without_runtime,
    },
    Analysis {
        name: "conda-finds-no-driver",
        words: &["conda", "mamba"],
        look: conda_images::without_driver,
    },
    Analysis {
        name: "context-of-another-thread",
        words: &["Thread", "route("],
        look: thread_contexts::without_context,
    },
    Analysis {
        name: "cpu-build-for-gpu-code",
        words: &["cuda", "torch.device"],
        look: requirements::of_torch,
    },
    Analysis { name: "cpu-tensor-in-nccl", words: &["init_process_group"], look: host_collectives::of_nccl },
    Analysis {
        name: "count-and-device-ids",
        words: &["device=", "device_ids"],
        look: docker_requests::with_count_and_ids,
    },
    Analysis {
        name: "cuda-runtime-mismatch",
        words: &["+cu", "/whl/cu", "cupy-cuda", "nvidia-nccl-cu", "nvidia-cudnn-cu"],
        look: requirements::different_builds,
    },
    Analysis {
        name: "choice-ignored-by-singularity",
        words: &["NVIDIA_VISIBLE_DEVICES"],
        look: containers::names_for_singularity,
    },
    Analysis {
        name: "device-id-not-a-gpu",
        words: &["DeviceRequest"],
        look: docker_requests::with_lists_in_ids,
    },
    Analysis { name: "device-not-inherited", words: &["set_device"], look: spawned_devices::known_to_parent },
    Analysis {
        name: "device-map-in-each-rank",
        words: &["device_map", "map_location"],
        look: spread_ranks::in_each_rank,
    },
    Analysis {
        name: "environment-in-subshell",
        words: &["export ", "setenv ", "set CUDA", "set PYTORCH", "set NVIDIA", "!set ", "VISIBLE_DEVICES="],
        look: subshells::that_take_variables_along,
    },
    Analysis {
        name: "fewer-processes-than-machines",
        words: &["num_machines", "num-machines"],
        look: process_counts::below_machines,
    },
    Analysis { name: "fork-after-cuda", words: &["n_process"], look: pooled_pipelines::that_fork },
    Analysis {
        name: "global-rank-as-device",
        words: &["RANK", "rank", "horovod", "process_index", "mpi4py"],
        look: global_ranks::used_as_indices,
    },
    Analysis { name: "gpu-before-server-forks", words: preloads::WORDS, look: preloads::before_forks },
    Analysis {
        name: "gpu-feature-without-request",
        words: &["#SBATCH"],
        look: slurm_jobs::features_without_request,
    },
    Analysis { name: "gpu-in-image-build", words: &["torch", ".py"], look: image_builds::that_need_gpu },
    Analysis { name: "gpus-left-by-vllm", words: &["vllm"], look: served_cards::left_by_vllm },
    Analysis {
        name: "index-overruled",
        words: &["download.pytorch.org"],
        look: requirements::overruled_indexes,
    },
    Analysis {
        name: "library-dropped-by-linker",
        words: &["cuda_if_available"],
        look: linked::dropped_by_linker,
    },
    Analysis {
        name: "lightning-load-unmapped",
        words: &["load_from_checkpoint"],
        look: loaded_modules::onto_saved_card,
    },
    Analysis {
        name: "local-rank-not-given",
        words: &["--local_rank"],
        look: local_ranks::that_are_not_given,
    },
    Analysis {
        name: "local-version-range",
        words: &["+cu", "+CU", "+cpu", "+rocm", "+xpu", "+hip", "+pt"],
        look: requirements::ranges_with_labels,
    },
    Analysis {
        name: "mask-beyond-request",
        words: &["SBATCH", "VISIBLE_DEVICES", "gpus_per_node"],
        look: slurm_jobs::masks_beyond_request,
    },
    Analysis { name: "mpi-ranks-on-one-gpu", words: &["mpi4py", "mpi4jax"], look: mpi_ranks::without_device },
    Analysis {
        name: "node-numbers-as-mask",
        words: &["SLURM_JOB_GPUS", "SLURM_STEP_GPUS"],
        look: node_numbers::as_mask,
    },
    Analysis {
        name: "rank-mask-ignores-given",
        words: &["CUDA_VISIBLE_DEVICES"],
        look: rank_masks::that_ignore_given,
    },
    Analysis {
        name: "one-mask-for-all-ranks",
        words: &["CUDA_VISIBLE_DEVICES"],
        look: rank_masks::for_all_ranks,
    },
    Analysis { name: "podman-gpus-option", words: &["podman"], look: podman_options::for_gpus },
    Analysis {
        name: "provider-dropped",
        words: &["CUDAExecutionProvider", "TensorrtExecutionProvider"],
        look: providers::that_are_dropped,
    },
    Analysis {
        name: "provider-fails-softly",
        words: &["ExecutionProvider", "ep::"],
        look: providers::that_fail_softly,
    },
    Analysis {
        name: "provider-not-named",
        words: &["InferenceSession"],
        look: providers::that_are_not_named,
    },
    Analysis {
        name: "provider-without-build",
        words: &[
            "CUDAExecutionProvider",
            "TensorrtExecutionProvider",
            "n_gpu_layers",
            "paddle",
            "DNN_BACKEND_CUDA",
            "GpuMat",
            "StandardGpuResources",
            "GpuIndex",
            "index_cpu_to_gpu",
            "jax.",
            "new_cuda",
            "cuda_if_available",
            "CUDAExecutionProvider::",
            "ep::CUDA",
            "tensorflow",
        ],
        look: providers::without_build,
    },
    Analysis { name: "pytorch-cuda-left-behind", words: &["pytorch-cuda"], look: requirements::without_cuda },
    Analysis { name: "rank-device-too-late", words: &["set_device"], look: late_ranks::used_before },
    Analysis {
        name: "rank-without-device",
        words: &["init_process_group", "init_distributed", "horovod"],
        look: ranks::without_device,
    },
    Analysis {
        name: "ranks-beyond-mask",
        words: &["gpu_ids", "gpu-ids", "accelerate"],
        look: picked_cards::beyond_ids,
    },
    Analysis { name: "ranks-beyond-request", words: &["#SBATCH"], look: slurm_jobs::ranks_beyond_request },
    Analysis {
        name: "ray-task-without-gpu",
        words: &["remote", "Tuner", "tune.run", "TorchTrainer", "deployment"],
        look: ray_tasks::without_gpu,
    },
    Analysis {
        name: "rival-builds",
        words: &["faiss", "onnxruntime", "paddlepaddle", "tensorflow"],
        look: requirements::rival_builds,
    },
    Analysis {
        name: "server-container-without-gpu",
        words: &["docker", "podman"],
        look: containers::servers_without_gpu,
    },
    Analysis { name: "set-device-in-library", words: &["set_device"], look: ranks::set_by_libraries },
    Analysis {
        name: "settings-not-exported",
        words: &["env_file", "dotenv_values"],
        look: settings_files::that_set_nothing,
    },
    Analysis {
        name: "shared-memory-too-small",
        words: &["docker", "podman", "nvidia.com/gpu", "services:"],
        look: containers::without_shared_memory,
    },
    Analysis {
        name: "task-number-beyond-gpus",
        words: &["SLURM_LOCALID", "SLURM_PROCID", "LOCAL_RANK", "jax.distributed"],
        look: task_numbers::beyond_cards,
    },
    Analysis { name: "tasks-below-node", words: &["#SBATCH"], look: slurm_jobs::tasks_below_node },
    Analysis { name: "tool-without-gpu", words: &["nvidia-smi"], look: bare_tools::without_gpu },
    Analysis { name: "trainer-moves-model", words: &["Trainer("], look: trainer_moves::undone },
    Analysis {
        name: "unused-cuda-stage",
        words: &["FROM nvidia", "cuda", "nvcr.io", "-gpu"],
        look: image_stages::with_cuda_for_nothing,
    },
    Analysis { name: "uv-run-drops-extra", words: &["uv run", "\"uv\""], look: uv_runs::that_drop_extras },
    Analysis {
        name: "variable-not-exported",
        words: &["VISIBLE_DEVICES=", "DEVICE_ORDER=", "ALLOC_CONF="],
        look: subshells::that_export_nothing,
    },
    Analysis {
        name: "variable-outside-env-vars",
        words: &["runtime_env"],
        look: ray_environments::beside_env_vars,
    },
    Analysis {
        name: "video-capability-missing",
        words: &["_nvenc", "_cuvid", "-hwaccel cuda"],
        look: containers::without_video,
    },
    Analysis { name: "vllm-engines-share-gpu", words: &["vllm"], look: vllm_engines::that_share_a_gpu },
    Analysis { name: "vllm-ignores-current-gpu", words: &["vllm"], look: vllm_engines::on_the_first_gpu },
    Analysis { name: "wheel-lacks-architecture", words: &["torch"], look: requirements::wheels_that_lack_it },
    Analysis {
        name: "windows-wheel-without-cuda",
        words: &["install"],
        look: requirements::without_cuda_on_windows,
    },
];
