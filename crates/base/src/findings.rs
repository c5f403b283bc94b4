//! Findings: what a rule says about a place, ready to be suppressed, counted and rendered.

pub mod baseline;
pub mod fingerprint;
pub mod suppressions;

use crate::facts::{FileId, Place};
use serde::{Deserialize, Serialize};

/// How bad a finding is. Ordered: a note is less than a warning, a warning less than an error.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// How sure gpulint is. A finding that rests on one branch of the code is at most `Medium`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

/// Whether a finding counts. Only active findings fail a run; the others are marked, never dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Active,
    Suppressed,
    Baselined,
    /// On lines that did not change, in a run about changed ones: counted, and in no report.
    Unchanged,
    /// Known from the state that this one is compared with: counted, and in no report.
    Old,
}

/// One fault at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// Id of the rule, for example `missing-device-order`.
    pub rule: String,
    /// Family of the rule, which is the folder that its file lies in.
    pub family: String,
    pub severity: Severity,
    pub confidence: Confidence,
    /// One sentence that says what is wrong here.
    pub message: String,
    /// What the `{name}`s of the rule's message stand for here: fixes read them, not the sentence.
    #[serde(default)]
    pub values: Vec<(String, String)>,
    /// What to do about it, in one sentence, for people.
    pub advice: Option<String>,
    pub place: Place,
    /// Other places that explain this one, in the order in which they are read.
    pub related: Vec<Related>,
    pub fix: Option<Fix>,
    /// Why a rule that has fixes has none here, in one clause.
    pub unfixed: Option<String>,
    /// The value of CUDA_VISIBLE_DEVICES where the finding stands, when it is the same on every way there.
    pub mask: Option<String>,
    /// The programs that show it, by the files that they start with, in the order of the files.
    pub programs: Vec<FileId>,
    pub speaks: Audience,
    /// The files of the policies that it is judged by, where a run has several.
    #[serde(default)]
    pub policies: Vec<String>,
    /// Which change brought it, in a comparison with an earlier state.
    #[serde(default)]
    pub caused_by: Option<Cause>,
    pub status: Status,
}

impl Finding {
    /// What a rule of a family says of a place, of which it is sure, with nothing beside it.
    pub fn new(
        (rule, family): (impl Into<String>, impl Into<String>),
        severity: Severity,
        place: Place,
        message: impl Into<String>,
    ) -> Finding {
        Finding {
            rule: rule.into(),
            family: family.into(),
            severity,
            confidence: Confidence::High,
            message: message.into(),
            values: Vec::new(),
            advice: None,
            place,
            related: Vec::new(),
            fix: None,
            unfixed: None,
            mask: None,
            programs: Vec::new(),
            speaks: Audience::ForItself,
            policies: Vec::new(),
            caused_by: None,
            status: Status::Active,
        }
    }

    /// What a `{name}` of the rule's message stands for here.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether a run that looks from `least` on means it. Those that one warning speaks for are as severe as that: fixed one
    /// after the other, each would be the warning of the next run.
    pub fn counts_from(&self, least: Severity) -> bool {
        let severity = match self.speaks {
            Audience::ForOneOfMany => self.severity.max(Severity::Warning),
            Audience::ForItself | Audience::ForProject => self.severity,
        };
        severity >= least
    }
}

/// A change between two states of the project.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cause {
    /// The name of the file.
    pub path: String,
    /// The first and the last changed line of the file (1-based), of lines that were only taken out the one before them;
    /// `None` for a file that is gone.
    pub lines: Option<(u32, u32)>,
    /// Whether lines were only taken out.
    pub removed: bool,
}

/// For whom a finding speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Audience {
    /// For the place where it stands.
    #[default]
    ForItself,
    /// For a program that shows what only the project as a whole can decide.
    ForOneOfMany,
    /// For the whole project: it is known by its rule, and the name that it is about, wherever it stands.
    ForProject,
}

/// A place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Related {
    pub place: Place,
    pub message: String,
    pub moment: RelativeTime,
}

/// When something happens, seen from the place of the finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RelativeTime {
    /// It leads to what comes before too.
    First,
    Before,
    After,
    /// It stands there, and nothing says that one comes before the other.
    #[default]
    Unordered,
}

/// A change that mends a finding, and that alone changes nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fix {
    /// What it does, as an order: `call it`.
    pub title: String,
    pub safety: Safety,
    /// Ascending, and none overlaps another.
    pub edits: Vec<Edit>,
}

/// A text in the place of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edit {
    /// What is replaced; empty where something is put in.
    pub place: Place,
    pub text: String,
}

/// Whether a fix is applied by `--fix` alone (safe) or only with `--unsafe-fixes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    Safe,
    Unsafe,
}
