//! Tests of the parts, without the command line: one binary, since each one more costs a link of its own.
//! `cargo test --test library tidy` runs those of one module.

mod against_ast;
mod damaged;
mod fixed;
mod fixes;
mod front_ends;
mod hard_inputs;
#[path = "../../fuzz/inputs.rs"]
mod inputs;
mod launchers;
mod numbers;
mod policy;
mod report;
mod strange_text;
mod subset;
mod suppressions;
mod tidy;
mod versions;
