//! The simulated host, held against the crates that gpulint looks at real GPUs with: cudarc and nvml-wrapper, unmodified,
//! load its libraries in processes of their own and must find what was described. Nothing here is about hardware.
#![cfg(target_os = "linux")]

mod accounting;
mod client;
mod cuda;
mod faults;
mod memory;
mod nvml;
mod programs;
mod selection;
mod watching;
