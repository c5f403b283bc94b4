//! Whatever a repository, a user or an editor hands in beside code: a run ends, and keeps what it promises. Every target is built from
//! this file; its name says which input the bytes are.

#![no_main]

mod inputs;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let name = env!("CARGO_BIN_NAME");
    let (_, input) = inputs::INPUTS.iter().find(|(target, _)| *target == name).expect("a known target");
    input(bytes);
});
