//! What a host is described by. Every key has a value, so that a description says only what is particular about it.

use crate::Fault;
use serde::{Deserialize, Serialize};

pub const MIB: u64 = 1024 * 1024;

/// A host, as its YAML file says it. The cards stand in any order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Description {
    /// The version of the driver.
    pub driver: String,
    /// The newest CUDA that the driver knows: 13000 is 13.0.
    pub cuda: u32,
    /// The cards in the order that CUDA counts them in by default, each by the beginning of its UUID. Nothing says
    /// publicly how a driver finds it, so it is said here. Cards that are not named come last, as they are described.
    pub fastest_first: Vec<String>,
    /// What `cuInit` answers to a CUDA_VISIBLE_DEVICES that names a card twice: 100 or 101, by driver.
    pub repeated_entry: u32,
    pub cards: Vec<Card>,
    pub faults: Vec<Fault>,
}

/// One board.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Card {
    pub name: String,
    pub uuid: String,
    /// `0000:01:00.0`
    pub pci: String,
    /// Major and minor.
    pub capability: (u8, u8),
    pub multiprocessors: u32,
    /// All of it, as NVML counts; CUDA leaves out what is reserved.
    pub memory_mib: u64,
    pub reserved_mib: u64,
    /// What a context takes when it is created.
    pub context_mib: u64,
    /// What each loaded module takes until it is unloaded.
    pub module_mib: u64,
    /// What the first launch in a context takes until that ends: code is loaded when it is first used.
    pub first_launch_mib: u64,
    /// What later launches of a process take for themselves until its context ends, as libraries do for their workspaces:
    /// the number of the launch, counted from 1, and MiB.
    pub workspaces: Vec<(u64, u64)>,
    /// Whether `cuMemAllocAsync` is there.
    pub memory_pools: bool,
    pub compute_mode: ComputeMode,
    pub persistence: bool,
    /// Whether NVML remembers processes that ended.
    pub accounting: bool,
    pub ecc: bool,
    /// The slices of a card in MIG mode; none: it is not in MIG mode.
    pub mig: Vec<Instance>,
    pub temperature: u32,
    pub power_milliwatts: u32,
    pub power_limit_milliwatts: u32,
    /// In MHz: graphics, multiprocessors, memory, video.
    pub clocks: [u32; 4],
    /// The highest of each.
    pub highest_clocks: [u32; 4],
    /// That compute in single precision; 0: the driver does not tell.
    pub cores: u32,
    /// Bits of the memory's bus; 0: the driver does not tell.
    pub bus_bits: u32,
    /// Bits, as NVML has them.
    pub throttle_reasons: u64,
    /// Percent of the time: kernels, memory.
    pub utilisation: (u32, u32),
    pub performance_state: u32,
}

/// A slice of a card in MIG mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Instance {
    /// Begins with `MIG-`.
    pub uuid: String,
    pub memory_mib: u64,
    pub gpu_instance: u32,
    pub compute_instance: u32,
}

/// Who may have contexts on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComputeMode {
    Default,
    Prohibited,
    ExclusiveProcess,
}

impl Default for Description {
    /// An RTX 5060 Ti at the lower PCI address and an RTX 3090 at the higher, which is the faster one.
    fn default() -> Description {
        Description {
            driver: "580.95.05".into(),
            cuda: 13000,
            fastest_first: vec!["GPU-3090".into(), "GPU-5060".into()],
            repeated_entry: 101,
            cards: vec![Card::rtx_5060_ti(), Card::rtx_3090()],
            faults: Vec::new(),
        }
    }
}

impl Default for Card {
    fn default() -> Card {
        Card::rtx_3090()
    }
}

impl Card {
    pub fn rtx_3090() -> Card {
        Card {
            name: "NVIDIA GeForce RTX 3090".into(),
            uuid: "GPU-30903090-0000-4000-8000-000000000002".into(),
            pci: "0000:05:00.0".into(),
            capability: (8, 6),
            multiprocessors: 82,
            memory_mib: 24576,
            reserved_mib: 312,
            context_mib: 256,
            module_mib: 2,
            first_launch_mib: 8,
            workspaces: Vec::new(),
            memory_pools: true,
            compute_mode: ComputeMode::Default,
            persistence: true,
            accounting: false,
            ecc: false,
            mig: Vec::new(),
            temperature: 45,
            power_milliwatts: 32_000,
            power_limit_milliwatts: 350_000,
            clocks: [1695, 1695, 9751, 1515],
            highest_clocks: [1695, 1695, 9751, 1515],
            cores: 10496,
            bus_bits: 384,
            throttle_reasons: 0,
            utilisation: (0, 0),
            performance_state: 2,
        }
    }

    pub fn rtx_5060_ti() -> Card {
        Card {
            name: "NVIDIA GeForce RTX 5060 Ti".into(),
            uuid: "GPU-50605060-0000-4000-8000-000000000001".into(),
            pci: "0000:01:00.0".into(),
            capability: (12, 0),
            multiprocessors: 36,
            memory_mib: 16311,
            reserved_mib: 472,
            context_mib: 192,
            power_limit_milliwatts: 180_000,
            clocks: [2572, 2572, 14001, 2250],
            highest_clocks: [2572, 2572, 14001, 2250],
            // https://www.nvidia.com/en-us/geforce/graphics-cards/50-series/rtx-5060-family/
            cores: 4608,
            bus_bits: 128,
            ..Card::rtx_3090()
        }
    }

    /// The bytes that CUDA may give out.
    pub fn usable(&self) -> u64 {
        self.memory_mib.saturating_sub(self.reserved_mib) * MIB
    }

    /// Domain, bus and device.
    pub fn address(&self) -> (u32, u32, u32) {
        address_of(&self.pci).unwrap_or_default()
    }
}

/// Domain, bus and device of `0000:01:00.0`, with any number of digits.
pub(crate) fn address_of(pci: &str) -> Option<(u32, u32, u32)> {
    let mut parts = pci.split([':', '.']).map(|part| u32::from_str_radix(part, 16).ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}
