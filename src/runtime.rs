//! The machine: which GPUs it has, which of them a process gets, and running a command on one of them safely.
//!
//! [`cards`] is the vocabulary. Nothing here is needed to check code, and all of it is behind the feature `runtime`.

pub mod cards;
pub mod choice;
pub mod driver;
pub mod machine;
pub mod management;
