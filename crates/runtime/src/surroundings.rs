//! What a process runs in: a container, WSL, a cluster job, a CI job, beside which drivers; and what that means for the
//! numbers of GPUs.
//!
//! Everything is read from environment variables and files, so nothing here needs a driver, and a test needs a folder only.

mod container;
mod drivers;
mod jobs;
mod remarks;
mod world;

pub use container::{Container, Engine};
pub use drivers::{Amd, KernelCard, Nvidia};
pub use jobs::{CiJob, MultiProcessService, RayWorker, Scheduler, Service, SlurmJob};
pub use remarks::{Numbering, Remark, Topic};
pub use world::{Environment, Platform, SearchRoot};

use serde::Serialize;

/// What a process runs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Surroundings {
    pub platform: Platform,
    pub container: Option<Container>,
    pub wsl: Option<Wsl>,
    pub slurm: Option<SlurmJob>,
    pub ray: Option<RayWorker>,
    pub ci: Option<CiJob>,
    pub multi_process_service: Option<MultiProcessService>,
    pub nvidia: Nvidia,
    pub amd: Amd,
    /// Whose GPU torch calls `mps`.
    pub apple_silicon: bool,
    /// Whether an index here is the index that the machine gives to a card.
    pub numbering: Numbering,
    /// A sentence for each thing that somebody who looks for a GPU must know.
    pub remarks: Vec<Remark>,
}

/// The Windows Subsystem for Linux.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wsl {
    /// 1 or 2, where the kernel tells it.
    pub version: Option<u8>,
    /// The release of the kernel.
    pub kernel: String,
    /// NVML as Windows provides it, where it is there: it must be opened by this path.
    pub nvml: Option<String>,
    /// CUDA's driver as Windows provides it is there.
    pub cuda_driver: bool,
    /// `/dev/dxg` is there, through which GPUs are reached.
    pub device: bool,
}

impl Surroundings {
    /// What is seen of them.
    pub fn of(world: &SearchRoot<'_>) -> Surroundings {
        let mut seen = Surroundings {
            platform: world.platform.clone(),
            container: container::of(world),
            wsl: wsl(world),
            slurm: jobs::slurm(world.environment),
            ray: jobs::ray(world.environment),
            ci: jobs::ci(world.environment),
            multi_process_service: jobs::multi_process_service(world),
            nvidia: drivers::nvidia(world),
            amd: drivers::amd(world),
            apple_silicon: world.platform.is_apple_silicon(),
            numbering: Numbering::OfTheMachine,
            remarks: Vec::new(),
        };
        seen.numbering = remarks::numbering(&seen);
        seen.remarks = remarks::about(&seen, world.environment);
        seen
    }

    /// Who chose the cards of this process, if somebody did.
    pub fn scheduler(&self) -> Option<Scheduler> {
        let of_slurm = |job: &SlurmJob| {
            job.visible_devices.is_some() || job.job_gpus.is_some() || job.step_gpus.is_some()
        };
        match self {
            // A worker of Ray may run in a job of the others, and then has a part of that job's cards.
            _ if self.ray.is_some() => Some(Scheduler::Ray),
            _ if self.slurm.as_ref().is_some_and(of_slurm) => Some(Scheduler::Slurm),
            _ if self.container.as_ref().is_some_and(|container| container.kubernetes) => {
                Some(Scheduler::Kubernetes)
            }
            _ => None,
        }
    }
}

fn wsl(world: &SearchRoot<'_>) -> Option<Wsl> {
    if !world.platform.is_linux() {
        return None;
    }
    let kernel = world.text("proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned();
    // A container of Docker Desktop runs on this kernel too, and is reached through the same device.
    let lower = kernel.to_lowercase();
    if !lower.contains("microsoft") {
        return None;
    }
    let version = match () {
        _ if lower.contains("wsl2") || world.has("dev/dxg") => Some(2),
        // The first version has no kernel of its own and reports this one.
        _ if lower.starts_with("4.4.") => Some(1),
        _ => None,
    };
    let nvml = "usr/lib/wsl/lib/libnvidia-ml.so.1";
    Some(Wsl {
        version,
        kernel,
        nvml: world.has(nvml).then(|| format!("/{nvml}")),
        cuda_driver: world.has("usr/lib/wsl/lib/libcuda.so.1"),
        device: world.has("dev/dxg"),
    })
}

#[cfg(test)]
mod tests;
