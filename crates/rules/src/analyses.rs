//! What no pattern can say: checks of how a file is written that need code. A rule names one by `find: {analysis: …}`;
//! each lies in a file of its own below this one.

mod async_arguments;
mod attributes_in_text;
mod autocast;
mod backend_switches;
mod bare_images;
mod bare_tools;
mod bound_methods;
mod builds;
mod built_accelerators;
mod cached_methods;
mod cached_outputs;
mod caches;
mod clean_up_order;
mod common_paths;
mod compared_devices;
mod compute_types;
mod conda_images;
mod constructor_steps;
mod containers;
mod context_managers;
mod counted_masks;
mod cuda_calls;
mod cuda_switches;
mod cupy_arrays;
mod current_devices;
mod current_kernels;
mod dataset_workers;
mod defaults_taken;
mod development_containers;
mod device_arguments;
mod device_indices;
mod device_names;
mod device_texts;
mod docker_requests;
mod dropped_moves;
mod emptied_masks;
mod env_validators;
mod environments;
mod epoch_outputs;
mod executable_batches;
mod fed_back;
mod filled_masks;
mod first_card_loads;
mod first_ranks;
mod fixed_devices;
mod fixtures;
mod given_arguments;
mod given_sessions;
mod global_ranks;
mod gpu_values;
mod gradients;
mod half_on_cpu;
mod handed_arguments;
mod handed_models;
mod handed_tensors;
pub(super) mod hard_cuda;
mod hardware;
mod homes;
mod hooked_models;
mod host_arrays;
mod host_collectives;
mod image_builds;
mod image_stages;
mod images;
mod import_proofs;
mod inputs;
mod isolated_builds;
mod jax_builds;
mod jax_memory;
mod jax_platforms;
mod joined_allocator;
mod kept_checkpoints;
mod kept_counts;
mod kept_graphs;
mod kept_hooks;
mod kept_layers;
mod kept_on_current;
mod kept_outputs;
mod keras_loops;
mod keras_models;
mod late_moves;
mod late_offloads;
mod late_providers;
mod late_ranks;
mod late_switches;
mod lazy_imports;
mod leak_checks;
mod left_batches;
mod left_graphs;
mod left_inputs;
mod left_masks;
mod left_models;
mod legacy_constructors;
mod lightning_cards;
mod linked;
mod listed_tensors;
mod literal_defaults;
mod loaded_again;
mod loaded_modules;
mod loader_generators;
mod local_ranks;
mod local_sweeps;
mod locks;
mod lone_collectives;
mod lone_forwards;
mod lone_numbers;
mod loss_weights;
mod lost_indices;
mod lost_options;
mod made_layers;
mod made_states;
mod made_tensors;
mod mask_lists;
mod mask_numbers;
mod measures;
mod memory;
mod memory_fractions;
mod memory_table;
mod model_instances;
mod mpi_ranks;
mod names_in_text;
mod needs;
mod negative_indices;
mod node_numbers;
mod nvml_indices;
mod optional_imports;
mod order;
mod overwritten_options;
mod own_calls;
mod parallel_kernels;
mod parallel_models;
mod parsed_masks;
mod picked_cards;
mod pickled;
mod placed_models;
mod plain_builds;
mod plain_layers;
mod podman_options;
mod pods;
mod pooled_pipelines;
mod preloads;
mod process_counts;
mod providers;
mod python_names;
mod quantized_moves;
mod rank_masks;
mod ranks;
mod ray_environments;
mod ray_tasks;
mod ray_workers;
mod removed_options;
mod replaced_ray_masks;
mod requirements;
mod resets;
mod retries;
mod returned_parts;
mod rocm;
mod rust_builds;
mod scheduler_requests;
mod script_choices;
mod second_contexts;
mod served;
mod served_cards;
mod served_memory;
mod served_ranks;
mod settings_files;
mod settings_values;
mod shared_files;
mod shared_workers;
mod slurm_jobs;
mod slurm_names;
mod slurm_variables;
mod sourced_settings;
mod spawned_devices;
mod spawned_scripts;
mod spread_ranks;
mod stacks;
mod starts;
mod step_launchers;
mod step_loops;
mod submitted;
mod subshells;
mod swallowing;
mod switches;
mod table;
mod task_numbers;
mod tensor_flow;
mod tensor_sides;
mod tensorflow;
mod tensorflow_cards;
mod tensorflow_memory;
mod text_numbers;
mod tf32;
mod thread_contexts;
mod touched_cards;
mod trainer_moves;
mod trainer_tasks;
mod unbound_branches;
mod uncalled_checks;
mod unentered_contexts;
mod unmoved_tensors;
mod unread_choices;
mod unread_providers;
mod unread_settings;
mod untaken_ray_gpus;
mod unused_choices;
mod unused_parameters;
mod uv_runs;
mod virtual_growth;
mod visible_counts;
mod vllm_engines;
mod vllm_services;
mod volatile;
mod waiting_calls;
mod written_variables;
mod zero_numbers;

use super::files::{FileScope, RawFinding};

pub use backend_switches::AskedPlace;
pub(super) use backend_switches::asked_in;
pub use device_names::meant_device;
pub(super) use hardware::Found as HardwareFault;
pub(super) use needs::need;
pub(super) use tensor_flow::Found as TensorFault;

/// A check of one file.
pub(super) struct Analysis {
    /// What rules call it.
    pub name: &'static str,
    /// It looks only at files that hold one of these words; at all when there are none.
    pub words: &'static [&'static str],
    pub look: fn(&FileScope<'_>) -> Vec<RawFinding>,
}

/// The check with this name.
pub(super) fn named(name: &str) -> Option<&'static Analysis> {
    all().find(|analysis| analysis.name == name)
}

/// The names of all of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|analysis| analysis.name)
}

fn all() -> impl Iterator<Item = &'static Analysis> {
    table::ANALYSES.iter().chain(memory_table::ANALYSES).chain(starts::ANALYSES)
}
