//! What gpulint's own loads measured, and the turns of a command.

use crate::runtime::growth::Growth;
use crate::runtime::native::lines::Multiplier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the profile `leak` measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeakEvidence {
    /// Bytes that the context took.
    pub context: u64,
    pub warm_up: Vec<LeakPoint>,
    pub measured: Vec<LeakPoint>,
    /// Of what is in use on the card after each iteration. `null` when nothing was measured.
    pub growth: Option<Growth>,
    /// The same of the default memory pool, to the byte; `null` without one.
    pub pool_growth: Option<Growth>,
    /// Elements of all products that are not what they must be.
    pub wrong: u64,
}

/// One iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeakPoint {
    /// Bytes in use on the card while all was allocated.
    pub held: u64,
    /// And after all was freed.
    pub used: u64,
    pub pool_used: Option<u64>,
    pub seconds: f64,
}

/// What the profile `burn` measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BurnEvidence {
    /// Rows of the square matrices.
    pub side: u32,
    /// All that was allocated, in bytes.
    pub bytes: u64,
    /// What was free before.
    pub free: u64,
    pub multiplier: Multiplier,
    /// How many rounds were measured.
    pub rounds: u64,
    /// For how long.
    pub seconds: f64,
    /// 10^12 floating-point operations in each second of each round.
    pub teraflops: Option<Speed>,
    /// 10^9 bytes that were read in each second of each round.
    pub gigabytes: Option<Speed>,
    /// Elements of the first product that the CPU found otherwise.
    pub wrong: u64,
    /// Elements of later products that differ from the first.
    pub differing: u64,
    /// What this card did with the same load before, the oldest first.
    #[serde(default)]
    pub earlier_runs: Vec<EarlierRun>,
}

/// The medians of one earlier run, in the units of [`BurnEvidence`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierRun {
    /// In UTC: `2026-01-31T12:00:00Z`.
    pub when: String,
    pub teraflops: Option<f64>,
    pub gigabytes: Option<f64>,
}

/// A speed, over the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Speed {
    pub median: f64,
    pub slowest: f64,
    pub fastest: f64,
    /// What the card could do at most, from its data; `null` when the driver does not tell them.
    pub peak: Option<f64>,
    /// The median of the earlier runs of this card with the same load; `null` with fewer than three.
    pub earlier: Option<f64>,
}
