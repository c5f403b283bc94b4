//! The machine: which GPUs it has, which of them a process gets, and running a command on one of them safely.
//!
//! ```text
//! cards         what a GPU is called and has
//! surroundings  container, WSL, cluster job, CI job, device files, and what they mean for the numbers of GPUs
//! management    what NVML lists, whatever the environment says
//! driver        what the CUDA driver shows a process
//!    │
//! machine       both, asked in a child that may hang
//! choice        the card that the policy allows
//! backends      CUDA, ROCm, MPS or CPU, which of them is chosen, and what overrides the choice
//! advice        the allocator's settings, the size of batches and the architecture, for one card
//! exports       the lines that pin a process to one card, for each shell
//!    │
//! doctor        all of it, as a report
//!
//! slot          one run at a time has a card, and the others wait in their order
//! process       a command in a group of its own, of which nothing stays
//! prevention    the other cards, kept out of a command's reach
//! watch         the card while a command runs on it, and whether its memory is back afterwards
//! document      what is written down as JSON
//! record        what happened in a run, as one document
//! metrics       the same for Prometheus
//!    │
//! exec          a command on the card that the policy allows
//! proof         that a command does without the GPU
//! compare       whether one command is as fast as another, with the same outputs
//!    │
//! native        loads of our own, run as such a command
//! growth        whether memory grows from iteration to iteration
//! validation    checks, what they prove, and the verdict
//! fleet         validations of many machines, merged
//! ```
//!
//! Nothing here is needed to check code; gpulint has it with its feature `runtime`.

pub mod advice;
pub mod backends;
pub mod cards;
pub mod choice;
pub mod compare;
pub mod doctor;
pub mod document;
pub mod driver;
pub mod exec;
pub mod exports;
pub mod fleet;
pub mod growth;
pub mod machine;
pub mod management;
pub mod metrics;
pub mod native;
pub mod prevention;
pub mod process;
pub mod proof;
pub mod record;
pub mod slot;
pub mod surroundings;
mod terminal;
pub mod validation;
pub mod watch;

// A module goes by one path in all packages: `crate::policy`, `crate::runtime::slot`.
extern crate self as runtime;
use gpulint_base::{allocator, atomic_write, masks, policy, sources};
use gpulint_program as program;
use gpulint_report as report;
use gpulint_rules::{self as rules, architectures};
