//! Whether memory grows from one iteration to the next: a leak, one step, or nothing.
//!
//! Drivers give memory out in blocks of 2 MiB. A leak that is smaller than a block is seen as a block now and then, so what few
//! iterations leave open is asked of more: 10, then 30, then 100.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a driver hands out at once, in bytes.
pub const BLOCK: u64 = 2 * 1024 * 1024;

/// So many iterations are measured, each time that fewer left it open.
pub const EXTENSIONS: [usize; 2] = [30, 100];

/// How the memory in use went over the iterations that were measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Growth {
    pub outcome: Outcome,
    pub iterations: u64,
    /// Bytes, from the end of the first iteration to the end of the last; negative when it became less.
    pub total: i64,
    /// The most bytes by which it grew from one iteration to the next.
    pub most_in_one: u64,
    /// Bytes in each iteration: the median of the slopes between all pairs of iterations (Theil–Sen).
    pub per_iteration: f64,
    /// From how many iterations to the next it grew.
    pub increases: u64,
    pub decreases: u64,
}

/// What the growth says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did not grow.
    Clean,
    /// It grew early, and no more.
    OneOff,
    /// It grows steadily.
    Leak,
    /// It grew, and that does not say which of the two it is.
    Inconclusive,
}

/// PLACEHOLDER
pub fn judged(used: &[u64], _unit: u64) -> Growth {
    let total = used.last().copied().unwrap_or(0) as i64 - used.first().copied().unwrap_or(0) as i64;
    let outcome = if total > 0 { Outcome::Leak } else { Outcome::Clean };
    Growth {
        outcome,
        iterations: used.len() as u64,
        total,
        most_in_one: 0,
        per_iteration: 0.0,
        increases: 0,
        decreases: 0,
    }
}
