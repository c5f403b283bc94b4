//! What the surroundings mean for somebody who looks for a GPU, and for its number.

use super::{
    CiJob, Container, Environment, MultiProcessService, Nvidia, RayWorker, Service, SlurmJob, Surroundings,
    Wsl,
};
use serde::Serialize;

/// Whose numbers the indices of GPUs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Numbering {
    /// They count the cards of the machine.
    OfTheMachine,
    /// They count what this process was given, from 0.
    OfTheAllotment,
    /// They may be either.
    Uncertain,
}

impl Numbering {
    /// Whether an index that somebody wrote for the machine holds here for sure.
    pub fn is_of_the_machine(self) -> bool {
        self == Numbering::OfTheMachine
    }

    pub fn sentence(self) -> &'static str {
        match self {
            Numbering::OfTheMachine => {
                "nothing seen here renumbers GPUs: an index counts the cards of this machine, in the order that \
                 CUDA_DEVICE_ORDER names"
            }
            Numbering::OfTheAllotment => {
                "an index counts the GPUs that were handed to this process, from 0, and not the cards of the machine: \
                 name a card by its UUID, which is the same everywhere"
            }
            Numbering::Uncertain => {
                "an index may count the cards of the machine or only those that were handed to this process: name a \
                 card by its UUID, which is the same either way"
            }
        }
    }
}

/// A sentence about one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    pub topic: Topic,
    pub text: String,
}

/// What a remark is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    Numbering,
    Container,
    Wsl,
    Slurm,
    Ray,
    Ci,
    MultiProcessService,
    NvidiaDriver,
    AmdDriver,
    AppleSilicon,
}

pub(super) fn numbering(seen: &Surroundings) -> Numbering {
    let service = seen.multi_process_service.as_ref();
    let of_job = seen.slurm.as_ref().map(|job| job.renumbered);
    if seen.container.is_some() || of_job == Some(Some(true)) || service.is_some_and(|one| one.named) {
        return Numbering::OfTheAllotment;
    }
    match of_job {
        Some(None) => Numbering::Uncertain,
        _ if service.is_some() => Numbering::Uncertain,
        _ => Numbering::OfTheMachine,
    }
}

pub(super) fn about(seen: &Surroundings, environment: &Environment) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut say = |topic, texts: Vec<String>| {
        remarks.extend(texts.into_iter().map(|text| Remark { topic, text }));
    };
    // A Mac has one GPU and nothing that counts it.
    if !seen.platform.is_mac() {
        say(Topic::Numbering, vec![seen.numbering.sentence().to_owned()]);
    }
    match &seen.container {
        Some(container) => say(Topic::Container, of_container(container)),
        None => say(Topic::Container, of_no_container(environment)),
    }
    say(Topic::Wsl, seen.wsl.iter().flat_map(of_wsl).collect());
    say(Topic::Slurm, seen.slurm.iter().flat_map(of_slurm).collect());
    say(Topic::Ray, seen.ray.iter().map(of_ray).collect());
    say(Topic::Ci, seen.ci.iter().filter_map(of_ci).collect());
    say(Topic::MultiProcessService, seen.multi_process_service.iter().map(of_service).collect());
    if seen.platform.is_linux() && seen.wsl.is_none() {
        say(Topic::NvidiaDriver, of_nvidia(&seen.nvidia, seen.container.as_ref()));
    }
    if seen.amd.compute_device {
        let gpus = match seen.amd.gpus {
            None => String::new(),
            Some(1) => ", with 1 GPU for computing".into(),
            Some(count) => format!(", with {count} GPUs for computing"),
        };
        say(Topic::AmdDriver, vec![format!("AMD's compute driver is there (/dev/kfd){gpus}")]);
    }
    if seen.apple_silicon {
        let text = "on Apple silicon there is no CUDA, and CUDA_VISIBLE_DEVICES chooses nothing: torch calls the GPU \
                    `mps`";
        say(Topic::AppleSilicon, vec![text.into()]);
    }
    remarks
}

fn of_container(container: &Container) -> Vec<String> {
    let kind = match container.kubernetes {
        true => "a container of a Kubernetes pod".to_owned(),
        false => format!("a container of {}", container.engine.name()),
    };
    let mut texts = vec![format!(
        "this is {kind} ({}): only the GPUs that it was given exist here, counted from 0, whatever their index on the \
         host is",
        container.marks.join(", "),
    )];
    texts.extend(container.nvidia_visible_devices.as_deref().map(|value| {
        let asked = match value.trim() {
            "" | "void" => "which asks the container toolkit for nothing".to_owned(),
            "none" => "which gives the container no GPU".to_owned(),
            "all" => "which gives the container every GPU of the host".to_owned(),
            list => format!("which gives the container {list} as the host names them"),
        };
        format!(
            "NVIDIA_VISIBLE_DEVICES is `{value}`, {asked}; it is read when the container is made, and CUDA itself \
             does not read it"
        )
    }));
    if container.kubernetes {
        texts.push(
            "a pod that asks for no GPU may see all those of its node: what a pod was given is what its limits name \
             (`nvidia.com/gpu`)"
                .into(),
        );
    }
    texts.push(
        "NVML may tell process ids of the host or none at all, so which process holds memory may be unknown here: \
         `--pid=host` shows them"
            .into(),
    );
    texts
}

fn of_no_container(environment: &Environment) -> Vec<String> {
    let value = environment.filled("NVIDIA_VISIBLE_DEVICES");
    let text = |value| {
        format!(
            "NVIDIA_VISIBLE_DEVICES is `{value}` and nothing shows a container: it is read only when a container is \
             made, and hides nothing from CUDA here"
        )
    };
    value.map(text).into_iter().collect()
}

fn of_wsl(wsl: &Wsl) -> Vec<String> {
    let mut texts = Vec::new();
    if wsl.version == Some(1) {
        texts.push(format!(
            "this is WSL 1 (kernel {}), through which no GPU is reached: use WSL 2",
            wsl.kernel
        ));
        return texts;
    }
    let missing = match (wsl.device, wsl.cuda_driver) {
        (false, _) => "; /dev/dxg is missing, so none is reached now",
        (true, false) => {
            "; /usr/lib/wsl/lib/libcuda.so.1 is missing, so Windows has no driver of NVIDIA for it"
        }
        (true, true) => "",
    };
    texts.push(format!(
        "this is WSL (kernel {}): GPUs are reached through the driver of Windows, in /usr/lib/wsl/lib, and there are no \
         files such as /dev/nvidia0{missing}",
        wsl.kernel,
    ));
    texts.push(
        "the memory that each process holds is not told under WSL, so growth is seen on the whole card only"
            .into(),
    );
    texts
}

fn of_ray(worker: &RayWorker) -> String {
    format!(
        "this is a worker of Ray, which gave it CUDA_VISIBLE_DEVICES `{}`: a script that sets another index may take the card of \
         another worker",
        worker.visible_devices
    )
}

fn of_slurm(job: &SlurmJob) -> Vec<String> {
    let given = job.step_gpus.as_deref().map(|gpus| ("SLURM_STEP_GPUS", gpus));
    let given = given.or(job.job_gpus.as_deref().map(|gpus| ("SLURM_JOB_GPUS", gpus)));
    let visible = job.visible_devices.as_deref();
    let mut texts = Vec::new();
    texts.push(match (given, visible, job.renumbered) {
        (Some((name, gpus)), Some(visible), Some(true)) => format!(
            "this is Slurm job {}: {name} is `{gpus}` and CUDA_VISIBLE_DEVICES is `{visible}`, so GPUs are counted from \
             0 here and not as the node counts them",
            job.id,
        ),
        (Some((name, gpus)), Some(visible), Some(false)) => format!(
            "this is Slurm job {}: {name} and CUDA_VISIBLE_DEVICES are both `{gpus}`{}, so the numbers of the node hold",
            job.id,
            if gpus == visible { String::new() } else { format!(" (`{visible}`)") },
        ),
        (Some((name, gpus)), ..) => format!(
            "this is Slurm job {}, with {name} `{gpus}`: where the cluster confines jobs to their devices, indices are \
             said to restart at 0",
            job.id,
        ),
        (None, Some(visible), _) => format!(
            "this is Slurm job {}, with CUDA_VISIBLE_DEVICES `{visible}`: where the cluster confines jobs to their \
             devices, indices are said to restart at 0",
            job.id,
        ),
        (None, None, _) => {
            format!("this is Slurm job {}, and no variable says that it was given a GPU", job.id)
        }
    });
    if visible.is_some() {
        texts.push(
            "Slurm sets CUDA_VISIBLE_DEVICES for each step: a script that sets another index may take the card of \
             another job"
                .into(),
        );
    }
    texts
}

fn of_ci(job: &CiJob) -> Option<String> {
    let runner = job.runner.as_deref().map_or(String::new(), |name| format!(" on the runner `{name}`"));
    let service = match job.service {
        Service::GithubActions => "GitHub Actions",
        Service::Gitlab => "GitLab CI",
        Service::Unknown => return Some("this is a CI job, of a service that does not tell its name".into()),
    };
    Some(match job.self_hosted {
        Some(true) => format!(
            "this is a job of {service}{runner}, which is self-hosted: another runner on the same machine may use the \
             same card at the same time"
        ),
        Some(false) => format!("this is a job of {service}{runner}, a machine of the service"),
        None => format!("this is a job of {service}{runner}"),
    })
}

fn of_service(service: &MultiProcessService) -> String {
    let MultiProcessService { pipes, named, exists } = service;
    match (named, exists) {
        (true, false) => format!(
            "CUDA_MPS_PIPE_DIRECTORY names {pipes}, which is not there: CUDA looks for its Multi-Process Service in it"
        ),
        (true, true) => format!(
            "CUDA's Multi-Process Service is asked for (pipes in {pipes}): an index in CUDA_VISIBLE_DEVICES counts the \
             GPUs that the server was given"
        ),
        (false, _) => format!(
            "there are pipes of CUDA's Multi-Process Service in {pipes}: if its server runs, an index in \
             CUDA_VISIBLE_DEVICES counts the GPUs that the server was given"
        ),
    }
}

fn of_nvidia(nvidia: &Nvidia, container: Option<&Container>) -> Vec<String> {
    let files = nvidia.devices.join(", ");
    let way_out = match container {
        Some(container) if container.kubernetes => {
            "ask for one in the limits of the pod (`nvidia.com/gpu: 1`)"
        }
        Some(_) => "start it with `--gpus`",
        None => "`nvidia-modprobe` or the first use by root makes them",
    };
    let text = match (&nvidia.kernel_module, nvidia.devices.is_empty()) {
        (Some(version), false) => {
            format!("NVIDIA's driver {version} is loaded, with the device files {files}")
        }
        (Some(version), true) if container.is_some() => format!(
            "NVIDIA's driver {version} is loaded on the host, and this container has no /dev/nvidia0 or the like: \
             {way_out}"
        ),
        (Some(version), true) => {
            format!("NVIDIA's driver {version} is loaded and there is no /dev/nvidia0 or the like: {way_out}")
        }
        (None, false) => format!("there are the device files {files}, and NVIDIA's driver is not loaded"),
        (None, true) => return Vec::new(),
    };
    vec![text]
}
