//! A validation as one JSON document: the verdict, its reasons, and the evidence. It is written when the validation
//! begins, after each check, and when it ends, so that one that was interrupted can be read and resumed.

mod measured;

pub use measured::{BurnEvidence, EarlierRun, LeakEvidence, LeakPoint, Speed};

use super::both_modes::{self, BothModes};
use super::plan::Plan;
use super::repeated::Repeated;
use super::{judgement, memory};
use crate::runtime::cards::Card;
use crate::runtime::document::Document;
use crate::runtime::proof::document::Proof;
use crate::runtime::record::{NotChecked, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the document. Keys are added without a new one.
pub const SCHEMA: u32 = 1;

/// One validation of one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Validation {
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
    /// What the validation was asked for; one with another plan is not resumed.
    pub plan: String,
    /// Stands for the policy, with all that is merged into it: two that differ have two. `null` in what is not yet resolved.
    #[serde(default)]
    pub policy: Option<String>,
    pub verdict: Verdict,
    /// Why it is not simply approved, the most serious first; and notes.
    #[serde(default)]
    pub reasons: Vec<Reason>,
    #[serde(default)]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub card: Option<Card>,
    /// The version of the driver.
    #[serde(default)]
    pub driver: Option<String>,
    /// How many workers there were.
    pub jobs: u32,
    /// Why the checks were run one after the other in the end, if it was so.
    #[serde(default)]
    pub fallback: Option<String>,
    pub checks: Vec<Check>,
    /// The targets with `mode: both`, each as one.
    #[serde(default)]
    pub both_modes: Vec<BothModes>,
    /// What nobody looked at, and why.
    #[serde(default)]
    pub not_checked: Vec<NotChecked>,
}

/// What it all comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// There is none yet.
    Running,
    Approved,
    ApprovedWithMinorCorrections,
    Rejected,
    /// None, because the card is wrong, forbidden or not there.
    EnvironmentInvalid,
    /// None, because a required check could not run.
    Infrastructure,
    /// None, because somebody ended it before its end.
    Interrupted,
}

impl Validation {
    /// One in which nothing has run yet.
    pub fn begun(plan: &Plan, jobs: u32) -> Validation {
        let checks = plan.checks.iter().map(|check| Check {
            half_of: check.half_of.clone(),
            ..Check::waiting(&check.name, check.work.kind())
        });
        // It is of the same machine and the same moment as a record.
        let Record { tool, version, host, started, .. } = Record::begun(Vec::new());
        Validation {
            schema: SCHEMA,
            tool,
            version,
            simulated: false,
            host,
            started,
            wall_seconds: None,
            plan: plan.fingerprint(),
            policy: None,
            verdict: Verdict::Running,
            reasons: Vec::new(),
            exit_code: None,
            card: None,
            driver: None,
            jobs,
            fallback: None,
            checks: checks.collect(),
            both_modes: Vec::new(),
            not_checked: plan.not_checked.clone(),
        }
    }

    /// Takes over what an earlier validation of the same plan on the same machine has settled; how many checks that are, or in
    /// one clause why none can be.
    ///
    /// # Errors
    /// When it is another plan, machine, card or version, or has ended.
    pub fn resume(&mut self, earlier: Validation) -> Result<usize, String> {
        let uuid = |document: &Validation| document.card.as_ref().map(|card| card.uuid.clone());
        if !matches!(earlier.verdict, Verdict::Running | Verdict::Interrupted) {
            return Err("the last one came to its end".to_owned());
        }
        if earlier.version != self.version {
            return Err(format!("the last one was made by gpulint {}", earlier.version));
        }
        if earlier.host != self.host || (uuid(&earlier).is_some() && uuid(&earlier) != uuid(self)) {
            return Err("the last one was on another machine or another card".to_owned());
        }
        if earlier.plan != self.plan {
            return Err("the last one was asked for other checks".to_owned());
        }
        if earlier.policy != self.policy {
            return Err("the last one was made under another policy".to_owned());
        }
        let mut taken = 0;
        for old in earlier.checks {
            // It may have more time now.
            let had_too_little_time = old.reasons.iter().any(|reason| reason.code == "time-limit");
            let is_settled = matches!(old.state, State::Holds | State::HoldsWithCorrections | State::Fails)
                && !had_too_little_time;
            if let Some(check) = self.checks.iter_mut().find(|check| check.name == old.name && is_settled) {
                *check = old;
                taken += 1;
            }
        }
        Ok(taken)
    }

    /// Somebody wants the end of it: what is known so far is the result.
    pub fn interrupt(&mut self) {
        self.stop("interrupted", "the validation was interrupted before the check came to its end");
        self.verdict = Verdict::Interrupted;
        self.exit_code = Some(self.verdict.exit_code());
    }

    /// It cannot go on, for this reason.
    pub fn abandon(&mut self, why: &str) {
        self.stop("infrastructure", why);
        if !matches!(self.verdict, Verdict::Rejected | Verdict::EnvironmentInvalid) {
            self.verdict = Verdict::Infrastructure;
        }
        self.exit_code = Some(2);
    }

    /// It has taken all the time that it may: what has not come to its end has no result.
    pub fn run_out_of_time(&mut self) {
        let why = "the validation took all the time that it may take, before the check came to its end: --total-timeout gives it more";
        let open = |check: &&mut Check| matches!(check.state, State::Waiting | State::Running);
        for check in self.checks.iter_mut().filter(open) {
            check.settle(vec![Reason::of(Weight::Infrastructure, "total-time-limit", why)]);
        }
    }

    /// Leaves out what has not come to its end.
    fn stop(&mut self, code: &str, why: &str) {
        for check in &mut self.checks {
            match check.state {
                State::Running => check.settle(vec![Reason::of(Weight::Infrastructure, code, why)]),
                State::Waiting => {
                    let what = format!("{}: all of it", check.name);
                    self.not_checked.push(NotChecked { what, why: "it had not begun".to_owned() });
                }
                _ => {}
            }
        }
        self.conclude();
    }

    /// Draws the conclusion from the checks.
    pub fn conclude(&mut self) {
        let mut beside: Vec<Reason> = memory::reason(self).into_iter().collect();
        beside.extend(self.fallback.as_ref().map(|why| Reason::of(Weight::Note, "fallback", why)));
        self.verdict = judgement::verdict(&self.checks, &beside);
        self.exit_code = Some(self.verdict.exit_code());
        self.both_modes = both_modes::of(&self.checks);
        self.reasons = self.checks.iter().flat_map(|check| check.reasons.clone()).chain(beside).collect();
        self.reasons.sort_by_key(|reason| reason.weight);
        let records = self.checks.iter().filter_map(|check| Some((&check.name, check.record.as_ref()?)));
        for (name, record) in records {
            self.simulated |= record.simulated;
            self.driver = self.driver.take().or_else(|| record.driver.clone());
            let named = |unchecked: &NotChecked| NotChecked {
                what: format!("{name}: {}", unchecked.what),
                why: unchecked.why.clone(),
            };
            self.not_checked.extend(record.not_checked.iter().map(named));
        }
        self.not_checked.dedup();
    }
}

impl Document for Validation {
    const TITLE: &str = "gpulint validation";
}

impl Check {
    /// One that has not run.
    pub fn waiting(name: &str, kind: Kind) -> Check {
        Check {
            name: name.to_owned(),
            kind,
            half_of: None,
            state: State::Waiting,
            attempts: 0,
            wall_seconds: None,
            reasons: Vec::new(),
            record: None,
            leak: None,
            burn: None,
            proof: None,
            repeated: None,
        }
    }

    pub fn begin(&mut self) {
        self.state = State::Running;
        self.attempts += 1;
    }

    /// It has ended, and this is to be said about it.
    pub fn settle(&mut self, mut reasons: Vec<Reason>) {
        for reason in &mut reasons {
            reason.check = Some(self.name.clone());
        }
        self.state = judgement::state(&reasons);
        self.reasons = reasons;
    }
}

impl Verdict {
    /// What the heaviest reason comes to; `None` where there is none.
    pub fn of(heaviest: Option<Weight>) -> Verdict {
        match heaviest {
            Some(Weight::Rejection) => Verdict::Rejected,
            Some(Weight::Environment) => Verdict::EnvironmentInvalid,
            Some(Weight::Infrastructure) => Verdict::Infrastructure,
            Some(Weight::Correction) => Verdict::ApprovedWithMinorCorrections,
            Some(Weight::Note) | None => Verdict::Approved,
        }
    }

    pub fn exit_code(self) -> i32 {
        match self {
            Verdict::Approved => 0,
            Verdict::ApprovedWithMinorCorrections => 1,
            Verdict::Running => 3,
            Verdict::Rejected => 4,
            Verdict::EnvironmentInvalid => 5,
            Verdict::Infrastructure => 6,
            // 128 and the number of SIGINT, as shells have it.
            Verdict::Interrupted => 130,
        }
    }

    /// In words, to stand alone.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Running => "not ended",
            Verdict::Approved => "approved",
            Verdict::ApprovedWithMinorCorrections => "approved with minor corrections",
            Verdict::Rejected => "rejected",
            Verdict::EnvironmentInvalid => "no verdict: the environment is invalid",
            Verdict::Infrastructure => "no verdict: a required check could not run",
            Verdict::Interrupted => "no verdict: it was interrupted",
        }
    }
}

/// One thing that speaks against an approval, or that is worth a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The check that it is from; `null` for the validation as a whole.
    #[serde(default)]
    pub check: Option<String>,
    pub weight: Weight,
    /// A word for other programs: `leak`, `wrong-result`, `slot-timeout` …
    pub code: String,
    /// One sentence, with the numbers and the way out.
    pub message: String,
}

impl Reason {
    /// Of no check yet.
    pub fn of(weight: Weight, code: &str, message: impl Into<String>) -> Reason {
        Reason { check: None, weight, code: code.to_owned(), message: message.into() }
    }

    /// That nothing ran, from what `exec` ends with then.
    pub fn of_refusal(exit_code: Option<i32>, why: impl Into<String>) -> Reason {
        match exit_code {
            Some(5) => Reason::of(Weight::Environment, "environment", why),
            _ => Reason::of(Weight::Infrastructure, "infrastructure", why),
        }
    }
}

/// How much a reason weighs, the heaviest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// A proof or a `fail` gate does not hold.
    Rejection,
    /// The card is wrong, forbidden or not there.
    Environment,
    /// The check could not run, or not to its end.
    Infrastructure,
    /// All holds, and something is to be corrected.
    Correction,
    Note,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// No two have the same.
    pub name: String,
    pub kind: Kind,
    /// The target of the policy that it is one of two checks of (`mode: both`).
    #[serde(default)]
    pub half_of: Option<String>,
    pub state: State,
    /// How often it was run, for the reasons that are in the notes.
    #[serde(default)]
    pub attempts: u32,
    #[serde(default)]
    pub wall_seconds: Option<f64>,
    /// Only of this check, the most serious first.
    #[serde(default)]
    pub reasons: Vec<Reason>,
    /// Of the last attempt.
    #[serde(default)]
    pub record: Option<Record>,
    #[serde(default)]
    pub leak: Option<LeakEvidence>,
    #[serde(default)]
    pub burn: Option<BurnEvidence>,
    /// Of a command without the GPU.
    #[serde(default)]
    pub proof: Option<Proof>,
    /// Of a command that runs a Python program several times in one process (`python -m gpulint.repeat`): of its last turn.
    #[serde(default)]
    pub repeated: Option<Repeated>,
}

/// What a check does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The project is checked without a GPU.
    Lint,
    /// The profile `leak`.
    Leak,
    /// The profile `burn`.
    Burn,
    /// A command of the project with the GPU.
    GpuTarget,
    /// A command of the project without one.
    CpuTarget,
}

/// How far a check has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Waiting,
    Running,
    /// It ran to its end and all holds.
    Holds,
    /// It ran to its end, all holds, and something is to be corrected.
    HoldsWithCorrections,
    /// A proof does not hold.
    Fails,
    /// It could not run, or not to its end.
    NotRun,
}
