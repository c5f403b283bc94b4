//! The machine: which GPUs it has, which of them a process gets, and running a command on one of them safely.
//!
//! [`cards`] is the vocabulary.
//! [`surroundings`]: container, WSL, cluster job, CI job, device files, and what they mean for the numbers of GPUs.
//! [`backends`]: CUDA, ROCm, MPS or CPU, which of them is chosen, and what overrides the choice.
//! [`advice`]: the allocator's settings, the size of batches and the architecture, for one card.
//! [`exports`]: the lines that pin a process to one card, for each shell.
//!
//! Nothing here is needed to check code, and all of it is behind the feature `runtime`.

pub mod advice;
pub mod backends;
pub mod cards;
pub mod exports;
pub mod surroundings;
