//! gpulint tells you which GPU your code will touch, before it touches one.
//!
//! The packages in `crates/`, which are modules here, are the hops of the pipeline:
//!
//! ```text
//! sources    which files, and the text of each
//!    │
//! languages  text → code: steps in the order in which they run (Python by ruff's parser)
//!    │       (and `versions`: what the project says of the packages it needs)
//! program    code → traces: what each program does to the environment and the GPU, in order,
//!    │       through local functions, project modules and package `__init__` files
//!    │       (what libraries do is data: `rules/effects/`, `rules/packages/`)
//! rules      traces → findings: one YAML file each, with its reason, sources and examples
//!    │
//! findings   suppressed, fingerprinted, held against the baseline, another state of the project (`comparison`, whose files
//!    │       `changes` has from git and `disk` puts in the place of others) or the changed lines; marked, never dropped
//! fixes      edits that mend findings, each proven to change nothing else
//!    │
//! report     one pure function per format
//! ```
//!
//! `server` takes the same way for what is open in an editor. `runtime` is about the machine: its GPUs, and commands that run
//! on them.
//!
//! [`policy`] is what a team wrote down, [`settings`] is what one run does with it, and [`check`] is the
//! whole way: `reading` says what of the files has to be read for it, `cache` knows what it found before where nothing changed
//! that it rests on, and `silencing` goes it twice to write comments that silence findings. Each hop depends on those before it
//! only. The vocabulary and what is read from the disk are `gpulint_base`, and `gpulint_check` is the way from there to the findings.

mod cache;
#[cfg(test)]
mod cards {
    mod tests;
}
mod changes;
pub mod cli;
mod comparison;
pub mod examples;
mod init;
pub mod map;
mod server;
mod silencing;
pub mod trace;

pub use gpulint_base::{code, disk, facts, findings, policy, settings, sources};
pub use gpulint_check::{Outcome, check, corrections, fix_loop};
pub use gpulint_fixes as fixes;
pub use gpulint_languages as languages;
pub use gpulint_languages::versions;
pub use gpulint_program as program;
pub use gpulint_report as report;
pub use gpulint_rules::{self as rules, architectures};
#[cfg(feature = "runtime")]
pub use gpulint_runtime as runtime;

#[doc(hidden)]
pub use server::hear as heard_by_server;

use gpulint_base::{atomic_write, masks};
use gpulint_check::{check_remembering, check_watched, program_of};
