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

/// What the memory in use after each iteration says; `unit` is what is handed out at once.
pub fn judged(used: &[u64], unit: u64) -> Growth {
    let steps: Vec<i64> = used.windows(2).map(|pair| pair[1] as i64 - pair[0] as i64).collect();
    let increases = steps.iter().filter(|step| **step > 0).count() as u64;
    let decreases = steps.iter().filter(|step| **step < 0).count() as u64;
    let total: i64 = steps.iter().sum();
    let outcome = match (total >= unit as i64, increases, decreases) {
        (false, ..) => Outcome::Clean,
        (true, 3.., 0) => Outcome::Leak,
        (true, 1, 0) if steps.iter().skip(steps.len() / 2).all(|step| *step == 0) => Outcome::OneOff,
        _ => Outcome::Inconclusive,
    };
    let most_in_one = steps.iter().copied().max().unwrap_or_default().max(0) as u64;
    let per_iteration = total as f64 / steps.len().max(1) as f64;
    Growth { outcome, iterations: used.len() as u64, total, most_in_one, per_iteration, increases, decreases }
}
