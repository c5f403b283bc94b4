//! The merged reports as one JSON document: the verdict on all machines, its reasons, each kind of card and each machine.

use crate::runtime::cards::Card;
use crate::runtime::document::Document;
use crate::runtime::validation::document::{Reason, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the document. Keys are added without a new one.
pub const SCHEMA: u32 = 1;

/// Validations of many machines under one policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fleet {
    /// 1.
    pub schema: u32,
    /// `gpulint`.
    pub tool: String,
    /// The version of gpulint that made the reports.
    pub version: String,
    /// Whether there are cards among them that do not exist.
    pub simulated: bool,
    /// What all machines were asked for.
    pub plan: String,
    /// Stands for the policy of all of them.
    pub policy: Option<String>,
    /// The heaviest of all reasons.
    pub verdict: Verdict,
    pub exit_code: i32,
    /// Why it is not simply approved, the most serious first; and notes.
    pub reasons: Vec<Reason>,
    /// How many reports count.
    pub reports: u64,
    /// How many there had to be, where that was said.
    pub expected: Option<u64>,
    /// How many were left out, because they say the same as another one, or an earlier state of it.
    pub copies: u64,
    /// Files that hold no report that can be read.
    pub unreadable: Vec<Unreadable>,
    /// How many machines have each verdict.
    pub verdicts: Vec<Counted>,
    pub kinds: Vec<CardKind>,
    /// One for each report that counts, by host, card and time.
    pub machines: Vec<Machine>,
    /// What nobody looked at, and on how many machines. At most 200.
    pub not_checked: Vec<NotChecked>,
}

/// A file that holds no report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Unreadable {
    pub file: String,
    pub why: String,
}

/// A verdict and its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counted {
    pub verdict: Verdict,
    pub reports: u64,
}

/// Something that was not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotChecked {
    pub what: String,
    pub why: String,
    pub reports: u64,
}

/// Cards that can be compared: of the same name, and slices (MIG) of the same size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardKind {
    pub name: String,
    pub simulated: bool,
    /// How many different cards there are, by their UUIDs.
    pub cards: u64,
    /// Versions of the driver, the most common first.
    pub drivers: Vec<Driver>,
    /// How fast they are under the profile `burn`, for each load.
    pub speeds: Vec<KindSpeed>,
}

/// A version of the driver, and how many cards have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Driver {
    pub version: String,
    pub cards: u64,
}

/// How fast cards of one kind are with one load. A card with several reports counts once, with the latest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindSpeed {
    #[serde(flatten)]
    pub load: Load,
    pub cards: u64,
    pub median: f64,
    pub slowest: f64,
    pub fastest: f64,
}

/// What a speed is of. Speeds of other loads are not compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Load {
    pub measure: Measure,
    /// Rows of the square matrices.
    pub side: u32,
    /// `own`, or `cublas` and its version.
    pub multiplier: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// 10^12 floating-point operations in a second.
    Teraflops,
    /// 10^9 bytes that were read in a second.
    Gigabytes,
}

/// What is kept of one report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// As it was named on the command line.
    pub file: String,
    pub host: Option<String>,
    pub card: Option<Card>,
    pub driver: Option<String>,
    pub simulated: bool,
    /// In UTC: `2026-01-31T12:00:00Z`.
    pub started: String,
    pub wall_seconds: Option<f64>,
    /// Of the report.
    pub verdict: Verdict,
    /// Of the report, the most serious first, and at most 20; long messages are cut.
    pub reasons: Vec<Reason>,
    /// How many more it has.
    pub more_reasons: u64,
    /// How the card differs from others of its kind.
    pub differences: Vec<Reason>,
    pub speeds: Vec<MachineSpeed>,
}

/// How fast a card is: the median of its rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineSpeed {
    #[serde(flatten)]
    pub load: Load,
    pub median: f64,
    /// As a part of the median of its kind; `null` where it has no other card.
    pub of_kind: Option<f64>,
}

impl Document for Fleet {
    const TITLE: &str = "gpulint merged validations";
}
