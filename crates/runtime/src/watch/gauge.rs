//! One card, as NVML tells about it. A question that NVML does not answer in time is given up, with its thread.

use super::Baseline;
use super::baseline::{self, Returned};
use crate::runtime::management::{self, User};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Why NVML tells nothing, as the end of "it is not known, because …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NvmlFailure {
    #[error("the card fell off the bus")]
    Lost,
    #[error("{0}")]
    Other(String),
}

impl From<NvmlError> for NvmlFailure {
    fn from(error: NvmlError) -> NvmlFailure {
        match error {
            NvmlError::GpuLost => NvmlFailure::Lost,
            other => NvmlFailure::Other(clause(&other)),
        }
    }
}

/// A card that NVML has found.
#[derive(Clone)]
pub struct Gauge {
    pub(super) library: &'static Nvml,
    pub(super) device: &'static Device<'static>,
    /// The other cards of the machine, and the other slices of those that are divided.
    pub(super) others: &'static [OtherCard],
    /// The number of its device file, if the driver tells: 0 for `/dev/nvidia0`.
    pub minor: Option<u32>,
    /// Bytes of memory, those that the driver keeps for itself included.
    pub memory: u64,
    /// The version of the driver.
    pub driver: Option<String>,
    /// Whether the card does not exist, and tests only pretend it does.
    pub simulated: bool,
}

/// A card of the machine that is not the one that is watched.
pub(super) struct OtherCard {
    pub(super) uuid: String,
    pub(super) name: String,
    pub(super) device: Device<'static>,
}

impl Gauge {
    /// The card of this UUID, or in one clause why it cannot be watched.
    pub fn open(uuid: &str, patience: Duration) -> Result<Gauge, NvmlFailure> {
        let uuid = uuid.to_owned();
        Ok(within(patience, move || opened(&uuid))??)
    }

    /// Bytes in use now, of everybody.
    pub fn memory_in_use(&self, patience: Duration) -> Result<u64, NvmlFailure> {
        let gauge = self.clone();
        Ok(within(patience, move || gauge.used())??)
    }

    /// Who computes on the card now.
    pub fn users_now(&self, patience: Duration) -> Result<Vec<User>, NvmlFailure> {
        let gauge = self.clone();
        Ok(within(patience, move || gauge.users())??)
    }

    /// Memory and users before a command.
    pub fn baseline(&self, patience: Duration) -> Result<Baseline, NvmlFailure> {
        self.baseline_after(None, patience)
    }

    /// The same, sooner if as much was in use a moment ago.
    pub fn baseline_after(&self, earlier: Option<u64>, patience: Duration) -> Result<Baseline, NvmlFailure> {
        let gauge = self.clone();
        Ok(within(patience, move || baseline::read(&gauge, earlier))??)
    }

    /// Whether the memory is what it was, once the command and all that it started have ended. It is waited for until
    /// `patience` is over. `ours` are processes of the command that may still be there.
    pub fn returned_to(&self, baseline: &Baseline, ours: &[u32], patience: Duration) -> Returned {
        /// For a call that began just before the patience was over.
        const MORE: Duration = Duration::from_secs(1);
        let (gauge, before, ours) = (self.clone(), baseline.clone(), ours.to_vec());
        let asked = within(patience + MORE, move || baseline::returned(&gauge, &before, &ours, patience));
        asked.unwrap_or_else(|why| Returned::NotKnown { reason: why.to_string() })
    }

    /// What is not free. What a driver counts as used differs from version to version.
    pub(super) fn used(&self) -> Result<u64, NvmlError> {
        used_of(self.device)
    }

    /// Errors of its memory that could not be corrected, since the driver was loaded.
    pub(super) fn uncorrected(&self) -> Option<u64> {
        management::memory_errors(self.device).map(|errors| errors.uncorrected)
    }

    pub(super) fn users(&self) -> Result<Vec<User>, NvmlError> {
        management::users(self.device)
    }

    /// The file name of a process's program.
    pub(super) fn name_of(&self, pid: u32) -> Option<String> {
        const MOST_BYTES: usize = 256;
        let path = self.library.sys_process_name(pid, MOST_BYTES).ok()?;
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        (!name.is_empty()).then(|| name.to_owned())
    }
}

/// What is not free of any card.
pub(super) fn used_of(device: &Device<'_>) -> Result<u64, NvmlError> {
    device.memory_info().map(|memory| memory.total.saturating_sub(memory.free))
}

pub(super) fn clause(error: &NvmlError) -> String {
    match error {
        NvmlError::LibloadingError(_) => "there is no libnvidia-ml".to_owned(),
        NvmlError::DriverNotLoaded => "the NVIDIA driver is not loaded".to_owned(),
        NvmlError::NotFound => "NVML knows no card of that UUID".to_owned(),
        NvmlError::GpuLost => NvmlFailure::Lost.to_string(),
        other => format!("NVML said: {other}"),
    }
}

/// The answer, or that there is none in time; then the thread that asked stays behind.
pub(super) fn within<T: Send + 'static>(
    patience: Duration,
    ask: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NvmlFailure> {
    let (sender, answer) = channel();
    let asking = std::thread::Builder::new().name("ask-nvml".into()).spawn(move || sender.send(ask()));
    asking.map_err(|error| NvmlFailure::Other(format!("no thread could be started: {error}")))?;
    let silent = |_| NvmlFailure::Other(format!("NVML did not answer within {} s", patience.as_secs_f64()));
    answer.recv_timeout(patience).map_err(silent)
}

fn opened(uuid: &str) -> Result<Gauge, NvmlError> {
    // For the life of the process: to shut NVML down is one more call that may hang.
    let library: &'static Nvml = Box::leak(Box::new(management::library()?));
    let device: &'static Device<'static> = Box::leak(Box::new(library.device_by_uuid(uuid)?));
    // Whose slice it is has all processes of that slice too, so that it is none of the others.
    let named = management::parts(library).filter_map(|device| {
        Some(OtherCard { uuid: device.uuid().ok()?, name: device.name().ok()?, device })
    });
    let others: Vec<OtherCard> = named.filter(|other| other.uuid != uuid).collect();
    Ok(Gauge {
        library,
        device,
        others: others.leak(),
        minor: device.mig_parent_device().ok().as_ref().map_or_else(|| minor(device), minor),
        memory: device.memory_info()?.total,
        driver: library.sys_driver_version().ok(),
        simulated: management::is_simulated(library),
    })
}

/// Only Linux has such files.
#[cfg(target_os = "linux")]
fn minor(device: &Device<'_>) -> Option<u32> {
    device.minor_number().ok()
}

#[cfg(not(target_os = "linux"))]
fn minor(_: &Device<'_>) -> Option<u32> {
    None
}
