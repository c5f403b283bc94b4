//! What NVML, the driver's library for management, lists: all cards of the machine, whatever the environment of a process
//! says, and who uses them. It makes no CUDA context.

use super::cards::{Card, PciAddress};
use nvml_wrapper::enum_wrappers::device::{Clock, ComputeMode, EccCounter, MemoryError};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;
use nvml_wrapper::{Device, Nvml};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::Path;

/// All cards, or why they could not be listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Listing {
    Cards {
        /// The version of the driver: `570.86.15`.
        driver: Option<String>,
        /// The CUDA version that the driver supports: 12080 is 12.8.
        cuda: Option<i32>,
        /// Whether the cards do not exist, and tests only pretend they do.
        simulated: bool,
        /// How many more fell off the bus, so that the driver tells nothing about them.
        lost: usize,
        /// In the order of their PCI addresses, which is the order of PCI_BUS_ID.
        boards: Vec<CardState>,
    },
    /// There is no `libnvidia-ml`.
    NoLibrary,
    /// The library is there and no driver behind it.
    NoDriver,
    /// The driver was replaced and the machine not started again.
    VersionMismatch,
    NoPermission,
    /// Anything else, in one clause.
    Failed {
        reason: String,
    },
}

/// One card, and its state when it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardState {
    #[serde(flatten)]
    pub card: Card,
    /// Bytes of memory that are in use: of everybody, contexts included.
    pub used: Option<u64>,
    /// Who computes on it. `None` when the driver does not say.
    pub users: Option<Vec<User>>,
    pub compute_mode: Option<Mode>,
    pub persistence: Option<bool>,
    /// Whether it is divided into slices. `None` where it cannot be.
    pub mig: Option<bool>,
    /// What it is divided into.
    pub slices: Vec<Slice>,
    /// Errors of its memory since the driver was loaded. `None` where they are not counted.
    pub memory_errors: Option<MemoryErrors>,
    #[serde(default)]
    pub limits: Limits,
}

/// A part of a card in MIG mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// `MIG-…`
    pub uuid: String,
    /// `NVIDIA A100-SXM4-40GB MIG 1g.5gb`, or that of its card where the driver does not say.
    #[serde(default)]
    pub name: String,
    /// Bytes. `None` where the driver does not say.
    pub memory: Option<u64>,
}

/// Errors of a card's memory, where ECC finds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryErrors {
    pub corrected: u64,
    /// Results of programs that ran on the card then may be wrong.
    pub uncorrected: u64,
}

/// What a card could do at most. Each is `None` where the driver does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// That compute in single precision.
    pub cores: Option<u32>,
    /// The highest clock of the multiprocessors in MHz, which may be above the one that the maker advertises.
    pub core_clock: Option<u32>,
    /// Bits of the memory's bus.
    pub bus: Option<u32>,
    /// The highest clock of the memory in MHz. It moves two bits on each line of the bus in each cycle.
    pub memory_clock: Option<u32>,
}

impl CardState {
    /// A card of whose state nothing is known.
    pub fn of_card(card: Card) -> CardState {
        CardState {
            card,
            used: None,
            users: None,
            compute_mode: None,
            persistence: None,
            mig: None,
            slices: Vec::new(),
            memory_errors: None,
            limits: Limits::default(),
        }
    }

    /// What a program can get of it: itself, or where it is divided each slice, with nothing of its state. One whose slices
    /// cannot be seen stands for itself.
    pub fn parts(&self) -> Vec<CardState> {
        let whole = &self.card;
        let of_slice = |slice: &Slice| {
            let (uuid, name) = (slice.uuid.clone(), slice.name.clone());
            CardState::of_card(Card { uuid, name, memory: slice.memory.unwrap_or_default(), ..whole.clone() })
        };
        match self.slices.as_slice() {
            [] => vec![self.clone()],
            slices => slices.iter().map(of_slice).collect(),
        }
    }
}

/// What programs can get of all cards: in place of one that is divided its slices.
pub(super) fn parts<'l>(library: &'l Nvml) -> impl Iterator<Item = Device<'l>> {
    let cards = (0..library.device_count().unwrap_or_default())
        .filter_map(|index| library.device_by_index(index).ok());
    cards.flat_map(|card| {
        let divided = card.mig_mode().is_ok_and(|mode| mode.current != 0);
        let count = if divided { card.mig_device_count().unwrap_or_default() } else { 0 };
        let slices: Vec<Device<'l>> =
            (0..count).filter_map(|index| card.mig_device_by_index(index).ok()).collect();
        if slices.is_empty() { vec![card] } else { slices }
    })
}

/// A process that computes on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct User {
    /// As the driver counts them, which in a container is not as the container does.
    pub pid: u32,
    /// Bytes. `None` where the driver does not say, as on Windows desktops.
    pub memory: Option<u64>,
}

/// Who may make a context on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    Everybody,
    OneProcess,
    Nobody,
}

/// Opens the library, also where WSL keeps it.
pub fn library() -> Result<Nvml, NvmlError> {
    const OF_WSL: &str = "/usr/lib/wsl/lib/libnvidia-ml.so.1";
    match Nvml::init() {
        Err(NvmlError::LibloadingError(_)) if Path::new(OF_WSL).exists() => {
            Nvml::builder().lib_path(OsStr::new(OF_WSL)).init()
        }
        opened => opened,
    }
}

/// Whether the library is the stand-in that tests use, which says so.
pub fn is_simulated(library: &Nvml) -> bool {
    library.sys_nvml_version().is_ok_and(|version| version.ends_with("(simulated)"))
}

/// Lists the cards.
pub fn listing() -> Listing {
    let listed = library().and_then(|library| {
        let (boards, lost) = boards(&library)?;
        let (driver, cuda) = (library.sys_driver_version().ok(), library.sys_cuda_driver_version().ok());
        Ok(Listing::Cards { driver, cuda, simulated: is_simulated(&library), lost, boards })
    });
    listed.unwrap_or_else(|error| match error {
        NvmlError::LibloadingError(_) => Listing::NoLibrary,
        NvmlError::DriverNotLoaded => Listing::NoDriver,
        NvmlError::LibRmVersionMismatch => Listing::VersionMismatch,
        NvmlError::NoPermission => Listing::NoPermission,
        other => Listing::Failed { reason: other.to_string() },
    })
}

/// The cards, and how many are lost: one that is must not hide the others.
fn boards(library: &Nvml) -> Result<(Vec<CardState>, usize), NvmlError> {
    let (mut boards, mut lost) = (Vec::new(), 0);
    for index in 0..library.device_count()? {
        match library.device_by_index(index).and_then(|device| board(&device)) {
            Ok(board) => boards.push(board),
            Err(NvmlError::GpuLost) => lost += 1,
            Err(error) => return Err(error),
        }
    }
    boards.sort_by_key(|board| board.card.pci);
    Ok((boards, lost))
}

fn board(device: &Device<'_>) -> Result<CardState, NvmlError> {
    let memory = device.memory_info()?;
    let pci = device.pci_info()?;
    let capability = device.cuda_compute_capability().ok();
    let capability =
        capability.and_then(|told| Some((told.major.try_into().ok()?, told.minor.try_into().ok()?)));
    Ok(CardState {
        card: Card {
            uuid: device.uuid()?,
            name: device.name()?,
            memory: memory.total,
            pci: PciAddress { domain: pci.domain, bus: pci.bus, device: pci.device },
            capability,
        },
        // What the driver counts as used differs from version to version; what is not free does not.
        used: memory.total.checked_sub(memory.free),
        users: users(device).ok(),
        compute_mode: device.compute_mode().ok().map(|mode| match mode {
            ComputeMode::Default => Mode::Everybody,
            ComputeMode::Prohibited => Mode::Nobody,
            ComputeMode::ExclusiveProcess | ComputeMode::ExclusiveThread => Mode::OneProcess,
        }),
        persistence: persistence(device),
        mig: device.mig_mode().ok().map(|mode| mode.current != 0),
        slices: slices(device),
        memory_errors: memory_errors(device),
        limits: limits(device),
    })
}

/// Of a card that is divided; those that can be seen by this user.
fn slices(device: &Device<'_>) -> Vec<Slice> {
    if !device.mig_mode().is_ok_and(|mode| mode.current != 0) {
        return Vec::new();
    }
    let slice = |index| {
        let slice = device.mig_device_by_index(index).ok()?;
        let memory = slice.memory_info().ok().map(|memory| memory.total);
        let name = slice.name().or_else(|_| device.name()).ok()?;
        Some(Slice { uuid: slice.uuid().ok()?, name, memory })
    };
    (0..device.mig_device_count().unwrap_or_default()).filter_map(slice).collect()
}

pub(super) fn memory_errors(device: &Device<'_>) -> Option<MemoryErrors> {
    let count = |kind| device.total_ecc_errors(kind, EccCounter::Volatile).ok();
    let (corrected, uncorrected) = (count(MemoryError::Corrected)?, count(MemoryError::Uncorrected)?);
    Some(MemoryErrors { corrected, uncorrected })
}

/// What is told of it.
fn limits(device: &Device<'_>) -> Limits {
    Limits {
        cores: device.num_cores().ok(),
        core_clock: device.max_clock_info(Clock::SM).ok(),
        bus: device.memory_bus_width().ok(),
        memory_clock: device.max_clock_info(Clock::Memory).ok(),
    }
}

/// Whether the driver keeps the card awake between programs, which only Linux has.
#[cfg(target_os = "linux")]
fn persistence(device: &Device<'_>) -> Option<bool> {
    device.is_in_persistent_mode().ok()
}

#[cfg(not(target_os = "linux"))]
fn persistence(_: &Device<'_>) -> Option<bool> {
    None
}

fn user(told: &ProcessInfo) -> User {
    let memory = match told.used_gpu_memory {
        UsedGpuMemory::Used(bytes) => Some(bytes),
        UsedGpuMemory::Unavailable => None,
    };
    User { pid: told.pid, memory }
}

/// Who computes on a card.
pub(super) fn users(device: &Device<'_>) -> Result<Vec<User>, NvmlError> {
    Ok(device.running_compute_processes()?.iter().map(user).collect())
}
