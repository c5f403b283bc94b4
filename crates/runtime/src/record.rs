//! What happened in a run, as one JSON document: of a run that went well, was stopped, failed half-way, or was refused.
//!
//! A run that has begun writes its record at once, with `"end": {"kind": "running"}`, and again when it ends. So what was
//! killed leaves one, too. Everything but the beginning has a default: a record of half a run can be read.

mod reported;

pub use reported::{REPORT, Report, Reported};

use super::cards::Card;
use super::document::Document;
use super::prevention::Prevention;
use super::watch::{Baseline, Readings, Returned};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// The version of the document. Keys are added without a new one.
pub const SCHEMA: u32 = 1;

/// One run of one command on one card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// 1.
    pub schema: u32,
    /// `gpulint`.
    pub tool: String,
    pub version: String,
    /// Whether the card does not exist, and tests only pretend it does: then no number here says anything about hardware.
    pub simulated: bool,
    /// The name of the machine.
    #[serde(default)]
    pub host: Option<String>,
    /// The program and its arguments, as they were given. What is secret does not belong there.
    pub command: Vec<String>,
    /// The name of the command in the policy, if it has one.
    #[serde(default)]
    pub target: Option<String>,
    /// In UTC: `2026-01-31T12:00:00Z`.
    pub started: String,
    /// From the start of the command to its end.
    #[serde(default)]
    pub wall_seconds: Option<f64>,
    /// Of the command and of what it started, as far as the system counted it.
    #[serde(default)]
    pub cpu_seconds: Option<f64>,
    #[serde(default)]
    pub card: Option<Card>,
    /// The version of the driver.
    #[serde(default)]
    pub driver: Option<String>,
    /// The variables that were set for the command; `null` for one that was removed.
    #[serde(default)]
    pub environment: BTreeMap<String, Option<String>>,
    /// Variables that could be used to forge the outcome of a CI job, and that the command was given all the same.
    #[serde(default)]
    pub kept_environment: Vec<String>,
    /// What kept the other cards out of the command's reach. `null` when nothing was started.
    #[serde(default)]
    pub prevention: Option<Prevention>,
    #[serde(default)]
    pub slot: Option<Slot>,
    #[serde(default)]
    pub end: End,
    /// What gpulint itself ended with.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// What the command left behind.
    #[serde(default)]
    pub orphans: Vec<Orphan>,
    /// The card before the command.
    #[serde(default)]
    pub baseline: Option<Baseline>,
    #[serde(default)]
    pub readings: Option<Readings>,
    /// The most bytes that were in use on the card, by everybody.
    #[serde(default)]
    pub peak_memory: Option<u64>,
    /// The bytes of the card that were never in use.
    #[serde(default)]
    pub headroom: Option<u64>,
    /// Whether the memory of the card is back.
    #[serde(default)]
    pub returned: Option<Returned>,
    /// What the command measured itself.
    #[serde(default)]
    pub reported: Vec<Reported>,
    #[serde(default)]
    pub not_checked: Vec<NotChecked>,
}

/// Waiting for the card.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slot {
    pub waited_seconds: f64,
    /// How many were before it when it came. 0: it had not to wait.
    pub place: u64,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum End {
    /// It has not, or gpulint was ended before it could say how.
    #[default]
    Running,
    /// By itself, with a code of its own.
    Exited { code: i32 },
    /// By a signal that gpulint did not send.
    Signalled { signal: i32 },
    /// It ran longer than it may.
    TimeLimit { seconds: f64 },
    /// It took more memory on the card than it may, in bytes.
    MemoryLimit { allowed: u64, used: u64 },
    /// Stopped for another reason.
    Stopped { reason: String },
    /// The command could not be started.
    NotStarted { reason: String },
    /// Nothing was started, because the policy or the machine does not allow it.
    Refused { reason: String },
}

/// A process that outlived the command that started it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Orphan {
    pub pid: u32,
    pub name: String,
    /// False if it is still there.
    pub ended: bool,
}

/// Something that was not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotChecked {
    pub what: String,
    pub why: String,
}

impl Record {
    /// A run that begins now.
    pub fn begun(command: Vec<String>) -> Record {
        Record {
            schema: SCHEMA,
            tool: "gpulint".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            simulated: false,
            host: gethostname::gethostname().into_string().ok().filter(|name| !name.is_empty()),
            command,
            target: None,
            started: timestamp(SystemTime::now()),
            wall_seconds: None,
            cpu_seconds: None,
            card: None,
            driver: None,
            environment: BTreeMap::new(),
            kept_environment: Vec::new(),
            prevention: None,
            slot: None,
            end: End::Running,
            exit_code: None,
            orphans: Vec::new(),
            baseline: None,
            readings: None,
            peak_memory: None,
            headroom: None,
            returned: None,
            reported: Vec::new(),
            not_checked: Vec::new(),
        }
    }

    /// Adds what was read, and what follows from it.
    pub fn add_readings(&mut self, readings: Readings) {
        self.peak_memory = readings.memory.map(|memory| memory.max);
        self.headroom =
            self.card.as_ref().zip(self.peak_memory).map(|(card, peak)| card.memory.saturating_sub(peak));
        let not_checked = |what: &str, why: String| NotChecked { what: what.to_owned(), why };
        let notes = readings.notes.iter().cloned();
        self.not_checked.extend(notes.map(|why| not_checked("readings of the card", why)));
        if readings.samples == 0 {
            let why = "there is not one reading, so nothing is known about it".to_owned();
            self.not_checked.push(not_checked("memory during the run", why));
        }
        self.readings = Some(readings);
    }

    /// Adds what the command has reported.
    pub fn add_report(&mut self, report: Report) {
        self.reported = report.measured;
        let why = report.faults.into_iter();
        let not_checked = why.map(|why| NotChecked { what: "what the command reported".to_owned(), why });
        self.not_checked.extend(not_checked);
    }
}

impl Document for Record {
    const TITLE: &str = "gpulint run";
}

/// A moment in UTC, to the second.
pub fn timestamp(moment: SystemTime) -> String {
    /// The last second with four digits of the year, for clocks that are very wrong.
    const LAST: u64 = 253_402_300_799;
    let seconds = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs().min(LAST);
    humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).to_string()
}

#[cfg(test)]
mod tests;
