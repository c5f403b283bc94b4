//! The machine: which GPUs it has, which of them a process gets, and running a command on one of them safely.
//!
//! [`cards`] is the vocabulary.
//! [`process`] runs a command and leaves nothing of it behind.
//! [`slot`] lets one run at a time have a GPU.
//! Nothing here is needed to check code, and all of it is behind the feature `runtime`.

pub mod cards;
pub mod process;
pub mod slot;
