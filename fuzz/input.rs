//! Whatever a repository, a user or an editor hands in: a run ends, and keeps what it promises. GPULINT_INPUT says which input the bytes
//! are; `run.py` sets it.

#![no_main]

mod inputs;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static INPUT: LazyLock<inputs::Target> = LazyLock::new(|| {
    let wanted = std::env::var("GPULINT_INPUT").expect("GPULINT_INPUT names an input");
    let (_, input) = inputs::INPUTS.iter().find(|(name, _)| *name == wanted).expect("a known input");
    *input
});

fuzz_target!(|bytes: &[u8]| INPUT(bytes));
