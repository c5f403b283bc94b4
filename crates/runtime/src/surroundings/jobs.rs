//! Who started the process for somebody: Slurm, a CI service; and CUDA's Multi-Process Service, through which it may go.

use super::{Environment, SearchRoot};
use serde::Serialize;

/// A job of Slurm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlurmJob {
    pub id: String,
    /// The GPUs of the job as Slurm numbers those of the node.
    pub job_gpus: Option<String>,
    /// The same, of the step.
    pub step_gpus: Option<String>,
    /// GPU_DEVICE_ORDINAL, which Slurm sets beside CUDA_VISIBLE_DEVICES.
    pub device_ordinal: Option<String>,
    /// CUDA_VISIBLE_DEVICES, which Slurm sets for each step.
    pub visible_devices: Option<String>,
    /// Whether the GPUs are counted from 0 here although the node counts them otherwise: `Some(true)` where the
    /// variables prove it, `Some(false)` where they prove that the numbers of the node hold.
    pub renumbered: Option<bool>,
}

/// A worker of Ray, which may have some of the cluster's cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RayWorker {
    /// CUDA_VISIBLE_DEVICES, which Ray sets for each worker.
    pub visible_devices: String,
}

/// Who hands out cards to those who ask for some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheduler {
    Slurm,
    Kubernetes,
    Ray,
}

impl Scheduler {
    pub fn name(self) -> &'static str {
        match self {
            Scheduler::Slurm => "Slurm",
            Scheduler::Kubernetes => "Kubernetes",
            Scheduler::Ray => "Ray",
        }
    }

    /// How to ask for a card of one kind.
    pub fn way_to_ask(self) -> &'static str {
        match self {
            Scheduler::Slurm => "`--gres=gpu:TYPE:1`, or `--constraint`",
            Scheduler::Kubernetes => "a `nodeSelector`",
            Scheduler::Ray => "`accelerator_type`",
        }
    }
}

/// A job of a CI service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CiJob {
    pub service: Service,
    pub runner: Option<String>,
    /// Whether somebody runs the machine themselves; `None` where nothing tells it.
    pub self_hosted: Option<bool>,
}

/// Who runs a CI job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    GithubActions,
    Gitlab,
    /// Only `CI` is set.
    Unknown,
}

/// CUDA's Multi-Process Service; nothing to do with the `mps` of Apple.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MultiProcessService {
    /// The folder of its pipes.
    pub pipes: String,
    /// CUDA_MPS_PIPE_DIRECTORY names it; otherwise it lies where it does when nobody says anything.
    pub named: bool,
    /// It is there.
    pub exists: bool,
}

pub(super) fn slurm(environment: &Environment) -> Option<SlurmJob> {
    let owned = |name: &str| environment.filled(name).map(str::to_owned);
    let id = owned("SLURM_JOB_ID").or_else(|| owned("SLURM_JOBID"))?;
    let job_gpus = owned("SLURM_JOB_GPUS");
    let step_gpus = owned("SLURM_STEP_GPUS");
    let visible_devices = owned("CUDA_VISIBLE_DEVICES");
    // A step may have fewer GPUs than its job.
    let of_node = step_gpus.as_deref().or(job_gpus.as_deref()).and_then(indices);
    let here = visible_devices.as_deref().and_then(indices);
    let renumbered = match (of_node, here) {
        (Some(of_node), Some(here)) if of_node.len() == here.len() => {
            let from_zero = (0..).zip(&here).all(|(wanted, index)| wanted == *index);
            match of_node == here {
                // 0, 1 … are the same either way.
                true if from_zero => None,
                true => Some(false),
                false => from_zero.then_some(true),
            }
        }
        _ => None,
    };
    let device_ordinal = owned("GPU_DEVICE_ORDINAL");
    Some(SlurmJob { id, job_gpus, step_gpus, device_ordinal, visible_devices, renumbered })
}

/// Ray sets the number of its own process on the machine in each worker, and its mask unless it was asked not to.
pub(super) fn ray(environment: &Environment) -> Option<RayWorker> {
    environment.filled("RAY_RAYLET_PID")?;
    Some(RayWorker { visible_devices: environment.get("CUDA_VISIBLE_DEVICES")?.to_owned() })
}

pub(super) fn ci(environment: &Environment) -> Option<CiJob> {
    let owned = |name: &str| environment.filled(name).map(str::to_owned);
    if environment.get("GITHUB_ACTIONS") == Some("true") {
        let runner = owned("RUNNER_NAME");
        let self_hosted = match environment.get("RUNNER_ENVIRONMENT") {
            Some("self-hosted") => Some(true),
            Some("github-hosted") => Some(false),
            _ => None,
        };
        return Some(CiJob { service: Service::GithubActions, runner, self_hosted });
    }
    if environment.get("GITLAB_CI") == Some("true") {
        let runner = owned("CI_RUNNER_DESCRIPTION");
        return Some(CiJob { service: Service::Gitlab, runner, self_hosted: None });
    }
    let set = environment.filled("CI").is_some_and(|value| !matches!(value, "false" | "0"));
    set.then_some(CiJob { service: Service::Unknown, runner: None, self_hosted: None })
}

pub(super) fn multi_process_service(world: &SearchRoot<'_>) -> Option<MultiProcessService> {
    const USUAL: &str = "/tmp/nvidia-mps";
    let exists = |path: &str| world.has(path.trim_start_matches('/'));
    match world.environment.filled("CUDA_MPS_PIPE_DIRECTORY") {
        Some(pipes) => Some(MultiProcessService { pipes: pipes.into(), named: true, exists: exists(pipes) }),
        None => (world.platform.is_linux() && exists(USUAL)).then(|| MultiProcessService {
            pipes: USUAL.into(),
            named: false,
            exists: true,
        }),
    }
}

/// The numbers of a list such as `0,2` or `1-3`; `None` when it names something else.
fn indices(list: &str) -> Option<Vec<u32>> {
    /// No node has more, and a list must not become one of millions.
    const MOST: u32 = 1024;
    let mut found = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last < first || last > MOST {
            return None;
        }
        found.extend(first..=last);
    }
    Some(found)
}
