//! A stand-in for libcuda: the calls that programs make of the driver, answered from the model of a host.
//!
//! Nothing runs by itself: streams are in order because every call is over when it returns. Memory that was freed in the
//! order of a stream stays with the pool until something is synchronised, as with the real one.
#![cfg(target_os = "linux")]
// The names, and what each may be given, are those of the driver's own interface.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

mod codes;
mod context;
mod devices;
mod driver;
mod entry;
mod errors;
mod launches;
mod memory;
mod pools;
mod streams;

/// Says that this is no driver: a program that finds the name knows that nothing here exists.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static simulated_gpu: u8 = 1;
