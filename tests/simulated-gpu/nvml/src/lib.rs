//! A stand-in for libnvidia-ml: what NVML says of cards and of the processes on them, from the model of a host.
//!
//! It lists every card whatever CUDA_VISIBLE_DEVICES says, by PCI address, as the real one does.
#![cfg(target_os = "linux")]
// The names, and what each may be given, are those of NVML's own interface.
#![allow(non_snake_case, clippy::missing_safety_doc)]

mod codes;
mod conditions;
mod entry;
mod events;
mod identity;
mod processes;
mod slices;
mod system;
