//! The commands about the machine, on a simulated host: nothing here is about hardware.
#![cfg(target_os = "linux")]

mod doctor;
mod prometheus;
