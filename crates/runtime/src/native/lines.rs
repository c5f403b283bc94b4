//! What the native stage writes down while it runs: one line of JSON after the other, so that what was killed leaves all that it had measured.

use crate::runtime::cards::Card;
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// The process has a context on its card, with the kernels in it.
    Began {
        card: Card,
        /// Bytes in use on the card then, as `cuMemGetInfo` says: what the context and the kernels take, and whatever others
        /// hold. CUDA cannot be asked before there is a context.
        context: u64,
    },
    Iteration(Iteration),
    /// What the load of the `burn` profile is.
    Load(Load),
    Round(Round),
    /// A call to the driver that did not succeed, or a library that is not there; the profile ended with it.
    Failed(Failure),
    /// Something that is worth a sentence.
    Note {
        text: String,
    },
    /// The profile came to its end.
    Ended,
}

/// One iteration of the `leak` profile: allocate, multiply, check, free.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// From 1, those to warm up counted by themselves.
    pub number: u64,
    pub warm_up: bool,
    /// Bytes in use on the card while everything is allocated: total minus free, as `cuMemGetInfo` says.
    pub held: u64,
    /// The same after everything was freed: the least of three readings.
    pub used: u64,
    /// Bytes of the default memory pool that are in use, where the card has one.
    pub pool_used: Option<u64>,
    pub seconds: f64,
    /// How many elements of the product are not what they must be.
    pub wrong: u64,
}

/// What the `burn` profile does in each round: all products of two matrices, and all compared with the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Rows of the square matrices.
    pub side: u32,
    /// How many products are held at once.
    pub products: u64,
    /// All that is allocated.
    pub bytes: u64,
    /// What was free before.
    pub free: u64,
    pub multiplier: Multiplier,
    /// Elements of the first product that are not what the CPU found.
    pub wrong: u64,
}

/// What multiplies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Multiplier {
    /// The kernel that gpulint brings.
    Own,
    /// NVIDIA's library, and where it was found.
    Cublas { path: String, version: Option<i32> },
}

/// One round of the `burn` profile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// From 1; the first is not measured.
    pub number: u64,
    /// Of the products alone.
    pub multiplying: f64,
    /// Floating-point operations of the products.
    pub operations: f64,
    /// Of the comparisons, which only read memory.
    pub comparing: f64,
    /// Bytes that the comparisons read.
    pub bytes: f64,
    /// How many elements differ from the first product.
    pub differing: u64,
}

/// Why a profile did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What was attempted: "allocating 4.0 MB", "launching gpulint_gemm".
    pub doing: String,
    /// The number that the CUDA driver gave, if it came to that.
    pub code: Option<u32>,
    /// In one clause.
    pub why: String,
}
