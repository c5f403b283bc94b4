//! Everything that can be made to go wrong.
//!
//! A fault is an entry of `faults` in the description of a host, or of the list in the variable `SIMULATED_GPU_FAULTS`:
//! `[{fault: out-of-memory, allocation: 3}]`. A `card` is the beginning of a UUID; without one, every card is meant.
//! Allocations and launches are counted from 1, in each process by itself. A driver that is not installed is not a fault
//! here: such a host has no libraries, see [`crate::SimulatedHost::without_cuda`].

use crate::{Card, Instance};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// The kernel module is not loaded: `cuInit` answers 100, `nvmlInit_v2` 9.
    NoDriver,
    /// The library is the one that is linked against, not the driver's: `cuInit` answers 34.
    StubLibrary,
    /// The driver was upgraded and not loaded anew: `cuInit` answers 803, `nvmlInit_v2` 18.
    VersionMismatch,
    /// The user may not open the cards: `cuInit` answers 100, `nvmlInit_v2` 4.
    NoPermission,
    /// This allocation of a process fails with 2, and no other.
    OutOfMemory { allocation: u64 },
    /// With each launch, this many bytes are lost until the context ends: of the default pool, where its attributes show
    /// it, or else of the driver's own.
    Leak {
        bytes: u64,
        #[serde(default)]
        in_pool: bool,
        #[serde(default)]
        card: Option<String>,
    },
    /// This launch writes a wrong bit into the first element of its result.
    WrongResult {
        launch: u64,
        #[serde(default)]
        card: Option<String>,
    },
    /// Each launch takes this much longer.
    SlowCard {
        milliseconds: u64,
        #[serde(default)]
        card: Option<String>,
    },
    /// This launch makes the kernel module report an XID, which NVML delivers as an event.
    Xid {
        number: u64,
        launch: u64,
        #[serde(default)]
        card: Option<String>,
    },
    /// NVML counts these errors since the driver was loaded, and ECC is on.
    EccErrors {
        corrected: u64,
        uncorrected: u64,
        #[serde(default)]
        card: Option<String>,
    },
    /// From this launch on, in all processes and for good, CUDA answers 719 to what needs the card and NVML 15. Before the
    /// first launch if it is 0.
    GpuLost {
        launch: u64,
        #[serde(default)]
        card: Option<String>,
    },
    /// Calls of this symbol, of either library, never return.
    HungCall { symbol: String },
    /// Processes are listed, and their memory is not known, as on Windows.
    NoProcessMemory,
    /// A process that is not ours holds memory, as long as it lives. Process 1 always does.
    ForeignProcess {
        bytes: u64,
        #[serde(default = "first_process")]
        pid: u32,
        #[serde(default)]
        card: Option<String>,
    },
    /// Processes are listed by their ids outside of a container: 100000 higher.
    PidOpaque,
    /// cuBLAS finds a product whose first element is wrong.
    CublasWrong,
    /// cuBLAS makes no handle: `cublasCreate_v2` answers 1.
    CublasRefuses,
    /// The card is in MIG mode, with two slices of half its memory.
    Mig {
        #[serde(default)]
        card: Option<String>,
    },
}

fn first_process() -> u32 {
    1
}

impl Fault {
    /// Whether it is about this card.
    pub fn concerns(&self, uuid: &str) -> bool {
        match self {
            Fault::Leak { card, .. }
            | Fault::WrongResult { card, .. }
            | Fault::SlowCard { card, .. }
            | Fault::Xid { card, .. }
            | Fault::EccErrors { card, .. }
            | Fault::GpuLost { card, .. }
            | Fault::ForeignProcess { card, .. }
            | Fault::Mig { card } => card.as_ref().is_none_or(|card| uuid.starts_with(card.as_str())),
            _ => true,
        }
    }

    /// Two slices, for a card that is described without any.
    pub(crate) fn slices_of(card: &Card) -> Vec<Instance> {
        let slice = |number: u32| Instance {
            uuid: format!("MIG-{number}{}", card.uuid.get(5..).unwrap_or_default()),
            memory_mib: card.memory_mib.saturating_sub(card.reserved_mib) / 2,
            gpu_instance: number,
            compute_instance: 0,
        };
        vec![slice(1), slice(2)]
    }
}
