//! Proves a machine and a project's programs on it, and gives a verdict that a team can trust.
//!
//! ```text
//! plan        which checks the policy and the request want
//! schedule    so many workers at once, the card used by one at a time
//! turn        one check while it runs
//! workers     a check in a process of its own
//! tail        what it says meanwhile
//! evidence    what the native stage measured
//! repeated    what a Python program that ran several times in one process told
//! lint        what the static check says
//! judgement   what all that proves
//! memory      whether the card's memory is back after all checks
//! both_modes  a target that ran with the GPU and without, as one
//! document    all of it, as one document, and the verdict
//! history     how fast the cards were before
//! peak        how fast a card could be at most
//! speeds      how fast this one is, compared with both
//! pages       the document for people and for other programs
//! ```

mod both_modes;
pub mod document;
mod evidence;
pub mod history;
pub(crate) mod judgement;
mod lint;
mod memory;
pub mod pages;
pub mod peak;
pub mod plan;
mod repeated;
pub mod schedule;
pub mod speeds;
mod tail;
mod turn;
pub mod workers;

pub use turn::Progress;
