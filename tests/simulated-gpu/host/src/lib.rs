//! A host with GPUs that do not exist: what they are, who sees them, who holds which memory, and what is broken.
//!
//! The stand-ins for libcuda and libnvidia-ml answer from this model. Processes share it through files: the description
//! of the host, which nobody changes while it is used, and the state, where each process writes what it holds. Tests
//! make both with [`SimulatedHost`].
#![cfg(target_os = "linux")]

mod accounts;
mod calls;
mod description;
mod devices;
mod fault;
mod harness;
mod heap;
mod incidents;
mod kernels;
mod model;
mod selection;

pub use accounts::{Accounts, Process, Usage};
pub use calls::{Call, CallLog};
pub use description::{Card, ComputeMode, Description, Instance, MIB};
pub use fault::Fault;
pub use harness::SimulatedHost;
pub use heap::{BLOCK, Heap};
pub use incidents::{Incident, Incidents};
pub use kernels::{Arguments, Kernel};
pub use model::{Device, Model};
pub use selection::{Selected, Selection, selection_of};

/// The description of the host, a YAML file. Without it: two cards, [`Description::default`].
pub const DESCRIPTION: &str = "SIMULATED_GPU_HOST";
/// The folder that processes share.
pub const STATE: &str = "SIMULATED_GPU_STATE";
/// The file that every call of the two libraries is written to.
pub const CALLS: &str = "SIMULATED_GPU_CALLS";
/// The folder with the device files of the cards: `nvidia0` and so on, in the order of their addresses. A card whose file is hidden
/// from a process is none for that process; without the folder, none is.
pub const DEVICES: &str = "SIMULATED_GPU_DEVICES";
/// Faults beyond those of the description: a list in YAML, as in it.
pub const FAULTS: &str = "SIMULATED_GPU_FAULTS";
