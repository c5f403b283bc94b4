//! Processes of MPI or torchrun that use a GPU, and of which none chooses its card.

use super::cuda_calls::reaches_cuda;
use crate::code::walk::{CodeNode, walk};
use crate::commands::{option_values, program_name};
use crate::facts::Place;
use crate::program::{MASK, RunCommand};
use crate::rules::files::{FileScope, RawFinding};

const LAUNCHERS: &[&str] = &["mpiexec", "mpiexec.hydra", "mpirun", "orterun"];

/// Words of a project that chooses a card for each process, in whatever way.
const CHOICES: &[&str] = &[
    "LOCAL_RANK",
    "SLURM_LOCALID",
    "cuda:",
    "cuda.Device(",
    "device_put(",
    "devices()[",
    "jax.distributed",
    "jax_default_device",
    "local_device_ids",
    "local_rank",
    "select_device",
    "setDevice",
    "set_device",
    "set_visible_devices",
];

/// Words of a project in which processes with TensorFlow share a card on purpose: none of them takes all of its memory.
const SHARING: &[&str] = &[
    "GPU_ALLOW_GROWTH",
    "allow_growth",
    "memory_limit",
    "per_process_gpu_memory_fraction",
    "set_logical_device_configuration",
    "set_memory_growth",
    "visible_device_list",
];

/// Words of a program that knows of several processes, or leaves them to a library.
const OF_RANKS: &[&str] = &[
    "Accelerat",
    "Parallel",
    "RANK",
    "Rank",
    "Trainer",
    "cuda:",
    "deepspeed",
    "device_map",
    "distributed",
    "lightning",
    "parallel",
    "rank",
    "set_device",
    "vllm",
];

/// Words of a program that does some work, and is no trial of a launcher.
const WORKING: &[&str] = &["model", "net", "pipe"];

/// Packages that leave the processes of torchrun to the program.
const PLAIN: &[&str] = &[
    "PIL",
    "argparse",
    "collections",
    "copy",
    "csv",
    "cv2",
    "datasets",
    "datetime",
    "diffusers",
    "einops",
    "functools",
    "glob",
    "imageio",
    "itertools",
    "json",
    "librosa",
    "logging",
    "math",
    "matplotlib",
    "numpy",
    "omegaconf",
    "os",
    "pandas",
    "pathlib",
    "peft",
    "pickle",
    "random",
    "re",
    "safetensors",
    "scipy",
    "shutil",
    "sklearn",
    "soundfile",
    "sys",
    "time",
    "timm",
    "torch",
    "torchaudio",
    "torchvision",
    "tqdm",
    "transformers",
    "typing",
    "yaml",
];

/// The first use of a GPU in a program that `mpirun -n 2` or `torchrun` starts, by itself or in a module of the project that it imports.
pub(super) fn without_device(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if !scope.whole_text().contains("mpi4") {
        return under_torchrun(scope);
    }
    let mut of_mpi = false;
    scope.each_import(&mut |import| {
        of_mpi |= matches!(import.module.split('.').next(), Some("mpi4py" | "mpi4jax"));
    });
    let Some(site) = started_by_mpi(scope).filter(|_| of_mpi) else { return Vec::new() };
    let imported = || {
        let mut files = scope.program.files_imported(scope.file).into_iter();
        files.find_map(|file| scope.in_other(file, first_use))
    };
    let Some((place, name)) = first_use(scope).or_else(imported) else { return Vec::new() };
    let is_shared = || name.starts_with("tensorflow.") && scope.program.has_any(SHARING);
    if scope.program.has_any(CHOICES) || chooses_by_mask(scope) || is_shared() {
        return Vec::new();
    }
    let raw_finding = RawFinding::at(place).word("name", name);
    vec![raw_finding.beside(site, "several processes are started here")]
}

/// `torchrun --nproc_per_node=4 sample.py`, where nothing that runs there asks for the number of its process.
fn under_torchrun(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let knows = |text: &str| OF_RANKS.iter().any(|word| text.contains(word));
    let works = WORKING.iter().any(|word| scope.whole_text().contains(word));
    if !works || knows(scope.whole_text()) || !scope.program.has_any(&["torchrun", "torch.distributed."]) {
        return Vec::new();
    }
    let Some(site) = started_by_torchrun(scope) else { return Vec::new() };
    let mut is_plain = true;
    scope.each_import(&mut |import| {
        let root = import.module.split('.').next().unwrap_or_default();
        is_plain &= PLAIN.contains(&root) || !scope.program.import_targets(scope.file, import).is_empty();
    });
    let Some((place, name)) = first_use(scope).filter(|_| is_plain) else { return Vec::new() };
    let mut files = scope.program.files_imported(scope.file);
    let mut next = 0;
    while let Some(&file) = files.get(next) {
        if knows(&scope.program.sources.file(file).text) {
            return Vec::new();
        }
        for further in scope.program.files_imported(file) {
            if !files.contains(&further) {
                files.push(further);
            }
        }
        next += 1;
    }
    let raw_finding = RawFinding::at(place).word("name", name);
    vec![raw_finding.beside(site, "several processes are started here")]
}

/// Where a command of the project starts several processes of this file by torchrun.
fn started_by_torchrun(scope: &FileScope<'_>) -> Option<Place> {
    let starts = |command: &&RunCommand| {
        let told = command.options_of("torchrun").filter(|_| command.starts == Some(scope.file));
        let told: Vec<Option<&str>> = told.into_iter().flatten().map(Some).collect();
        let mut counts = option_values(&told, &["--nproc_per_node", "--nproc-per-node"]);
        counts.find_map(|(_, count)| count?.parse::<u32>().ok()).is_some_and(|count| count > 1)
    };
    scope.program.run_commands().flatten().find(starts).map(|command| command.site)
}

/// Where a file uses a GPU first, and by what.
fn first_use(scope: &FileScope<'_>) -> Option<(Place, String)> {
    let mut used = None;
    walk(scope.code, &mut |part, _| {
        if let CodeNode::Expr(expr) = part
            && used.is_none()
        {
            used = reaches_cuda(expr, scope).map(|name| (scope.place(expr.span), name));
        }
    });
    used
}

/// Whether a file of the project may give each process a mask of its own. One that is written before the launcher is the same for all.
fn chooses_by_mask(scope: &FileScope<'_>) -> bool {
    scope.program.files_with(MASK).iter().any(|file| {
        let text = &scope.program.sources.file(*file).text;
        text.match_indices(MASK).any(|(at, _)| {
            let list =
                text[at + MASK.len()..].strip_prefix('=').map(|value| value.trim_start_matches(['"', '\'']));
            let is_list = list.is_some_and(|list| {
                let value = list.split([' ', '\n', '"', '\'']).next().unwrap_or_default();
                value.contains(',') && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
            });
            !is_list
        })
    })
}

/// Where a command of the project starts several processes of this file, which all see the same cards.
fn started_by_mpi(scope: &FileScope<'_>) -> Option<Place> {
    let starts = |command: &&RunCommand| {
        let words: Vec<&str> = command.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
        let launcher = words.iter().position(|word| LAUNCHERS.contains(&program_name(word)));
        let Some(launcher) = launcher.filter(|_| command.starts == Some(scope.file)) else { return false };
        let count = words[launcher..].windows(2).find(|pair| matches!(pair[0], "-n" | "-np" | "--np" | "-c"));
        // A script between them may choose: `mpirun -n 2 ./bind.sh python run.py`.
        let is_bound = words[launcher..].iter().any(|word| word.ends_with(".sh"));
        count.is_some_and(|pair| pair[1] != "1") && !is_bound
    };
    scope.program.run_commands().flatten().find(starts).map(|command| command.site)
}
