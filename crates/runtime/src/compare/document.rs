//! A comparison as one JSON document: the verdict, its reasons, the times, and what was not looked at.

use super::decision::{Estimate, Outcome, Rule};
use crate::runtime::cards::Card;
use crate::runtime::document::Document;
use crate::runtime::exec::Refusal;
use crate::runtime::record::{NotChecked, Record};
use crate::runtime::validation::document::{Reason, Weight};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the document. Keys are added without a new one.
pub const SCHEMA: u32 = 1;

/// Two commands, or one in two states of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// 1.
    pub schema: u32,
    /// `gpulint`.
    pub tool: String,
    pub version: String,
    /// Whether the card does not exist, and tests only pretend it does: then no number here says anything about hardware.
    pub simulated: bool,
    #[serde(default)]
    pub host: Option<String>,
    /// In UTC: `2026-01-31T12:00:00Z`.
    pub started: String,
    #[serde(default)]
    pub wall_seconds: Option<f64>,
    pub verdict: Verdict,
    /// Why, the most serious first; and notes.
    pub reasons: Vec<Reason>,
    pub exit_code: i32,
    pub base: Side,
    pub head: Side,
    /// The part of base's speed that head may lose: 0.02 is 2 %.
    pub margin: f64,
    /// Whether head may not win more than that either.
    pub symmetric: bool,
    /// What head took by what base took, pair by pair.
    #[serde(default)]
    pub timing: Option<Timing>,
    /// What base took by what base took, in the same blocks of runs: whether the machine can tell.
    #[serde(default)]
    pub control: Option<Timing>,
    /// Blocks of four runs that were thrown away because something disturbed them.
    #[serde(default)]
    pub disturbed: Vec<String>,
    /// The number that the order of the runs follows from.
    pub seed: u64,
    /// `null` where there is none, or none is used.
    #[serde(default)]
    pub card: Option<Card>,
    /// The version of the driver.
    #[serde(default)]
    pub driver: Option<String>,
    #[serde(default)]
    pub not_checked: Vec<NotChecked>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The outputs are equal, and a loss of speed as large as the margin is excluded.
    Preserved,
    /// The outputs are equal, and head is slower by more than the margin, or with `symmetric` faster.
    Regressed,
    /// The outputs, the exit codes or the ends are not equal.
    OutputsDiffer,
    /// Neither is shown.
    Inconclusive,
    /// Nothing ran.
    Refused,
    /// None, because somebody ended it before its end.
    Interrupted,
}

/// One of both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// The commit, branch or tag that was named.
    #[serde(default)]
    pub reference: Option<String>,
    /// The whole name of the commit.
    #[serde(default)]
    pub commit: Option<String>,
    pub command: Vec<String>,
    /// Seconds of the runs that count, in their order.
    pub seconds: Vec<f64>,
    /// The most bytes that a run had on the card, of all runs that count; `null` where nobody looked.
    #[serde(default)]
    pub peak_memory: Option<u64>,
}

/// What a series says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    pub outcome: Outcome,
    #[serde(flatten)]
    pub estimate: Estimate,
}

impl Verdict {
    /// What gpulint ends with.
    pub fn exit_code(self) -> i32 {
        match self {
            Verdict::Preserved => 0,
            Verdict::Regressed | Verdict::OutputsDiffer => 4,
            Verdict::Inconclusive => 6,
            Verdict::Refused => 2,
            Verdict::Interrupted => 130,
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Verdict::Preserved => "preserved",
            Verdict::Regressed => "regressed",
            Verdict::OutputsDiffer => "outputs differ",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Refused => "nothing was compared",
            Verdict::Interrupted => "interrupted",
        }
    }
}

impl Comparison {
    /// One in which nothing has run yet.
    pub fn begun(rule: Rule, seed: u64, base: Side, head: Side) -> Comparison {
        // It is of the same machine and the same moment as a record.
        let Record { tool, version, host, started, .. } = Record::begun(Vec::new());
        Comparison {
            schema: SCHEMA,
            tool,
            version,
            simulated: false,
            host,
            started,
            wall_seconds: None,
            verdict: Verdict::Inconclusive,
            reasons: Vec::new(),
            exit_code: Verdict::Inconclusive.exit_code(),
            base,
            head,
            margin: rule.margin,
            symmetric: rule.symmetric,
            timing: None,
            control: None,
            disturbed: Vec::new(),
            seed,
            card: None,
            driver: None,
            not_checked: Vec::new(),
        }
    }

    pub fn end(&mut self, verdict: Verdict, weight: Weight, code: &str, message: impl Into<String>) {
        self.verdict = verdict;
        self.exit_code = verdict.exit_code();
        self.reasons.push(Reason::of(weight, code, message));
    }

    /// Nothing ran.
    pub fn refuse(&mut self, refusal: &Refusal) {
        self.simulated |= matches!(refusal, Refusal::Simulated);
        self.verdict = Verdict::Refused;
        self.exit_code = refusal.exit_code();
        self.reasons.push(Reason::of_refusal(Some(refusal.exit_code()), refusal.to_string()));
    }
}

impl Document for Comparison {
    const TITLE: &str = "gpulint compare";
}
