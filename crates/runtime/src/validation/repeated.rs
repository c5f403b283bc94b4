//! What `python -m gpulint.repeat` told: a Python program that ran several times in one process, and the memory of the GPU after each
//! time. It writes its report for the validation too, where GPULINT_REPEAT_REPORT names.

use super::document::{Reason, Weight};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The variable that names the file.
pub const VARIABLE: &str = "GPULINT_REPEAT_REPORT";
/// A longer report is not one of gpulint's.
const MOST_BYTES: u64 = 64 << 20;

/// Its report, as docs/repeat.md has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeated {
    pub verdict: String,
    /// In words, for people.
    pub why: String,
    pub iterations: Vec<Iteration>,
    pub growth: Vec<Series>,
    /// Of a leak, what the last run left, the largest first, ten at most.
    #[serde(default)]
    pub alive: Vec<Alive>,
}

/// A tensor on the GPU that nobody has let go of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Alive {
    pub framework: String,
    pub shape: Vec<u64>,
    pub dtype: String,
    pub device: String,
    pub bytes: f64,
    /// `null` where nothing that has a name holds it.
    #[serde(default)]
    pub held_by: Option<String>,
}

/// One run of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// Not one to warm up.
    pub counts: bool,
    pub before: Figures,
    pub after: Figures,
    /// When all that could be freed was.
    pub settled: Figures,
}

/// By the allocator and its GPU, and by the card: what it told, by its name. Bytes, and parts from 0 to 1.
pub type Figures = BTreeMap<String, BTreeMap<String, Option<f64>>>;

/// What one allocator, or the driver, had in use after each iteration that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// `torch on cuda:0`, `the driver on GPU-…`.
    pub of: String,
    /// `clean`, `one_off`, `inconclusive` or `leak`.
    pub outcome: String,
    /// From the end of the first to the end of the last.
    pub bytes: f64,
    pub series: Vec<f64>,
}

impl Repeated {
    /// `None` where the command wrote none.
    pub fn read(file: &Path) -> Option<Repeated> {
        let read = || -> io::Result<String> {
            let mut text = String::new();
            // The command could have put a pipe there, which nobody would ever write to.
            if !std::fs::symlink_metadata(file)?.is_file() {
                return Ok(text);
            }
            File::open(file)?.take(MOST_BYTES).read_to_string(&mut text)?;
            Ok(text)
        };
        serde_json::from_str(&read().ok()?).ok()
    }

    /// How many iterations count.
    pub fn counted(&self) -> usize {
        self.iterations.iter().filter(|iteration| iteration.counts).count()
    }

    /// What it says about the command, in the place of that it did not end with 0. `None` where that says it better.
    pub fn reason(&self) -> Option<Reason> {
        let largest = self.alive.first().map(|one| format!("; the last run left {}", one.words()));
        let (weight, code, more) = match self.verdict.as_str() {
            "leak" => (Weight::Rejection, "leak", largest.as_deref().unwrap_or_default()),
            "wrong_card" => (Weight::Rejection, "wrong-card", ""),
            "inconclusive" => (Weight::Correction, "repeat-inconclusive", ""),
            "not_measured" => {
                (Weight::Infrastructure, "not-measured", ": a target that does not use the GPU has mode: cpu")
            }
            _ => return None,
        };
        Some(Reason::of(weight, code, format!("{}{more}", self.why)))
    }
}

impl Alive {
    /// `float32[1000, 1000] torch on cuda:0, held by …`.
    pub fn words(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        let held_by = self.held_by.as_ref().map(|name| format!(", held by {name}")).unwrap_or_default();
        format!("{}[{}] {} on {}{held_by}", self.dtype, shape.join(", "), self.framework, self.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(verdict: &str) -> Repeated {
        let figures = json!({"torch on cuda:0": {"in_use": 512, "held": null, "fragmentation": 0.5}});
        let iteration =
            |counts: bool| json!({"counts": counts, "before": {}, "after": figures, "settled": figures});
        let document = json!({
            "schema": 1, "verdict": verdict, "why": "it lost 1.0 KiB", "iterations": [iteration(false), iteration(true)],
            "growth": [{"of": "torch on cuda:0", "outcome": "leak", "bytes": -512, "series": [1024, 512]}],
        });
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn each_verdict_has_its_weight() {
        for (verdict, expected) in [
            ("leak", Some((Weight::Rejection, "leak"))),
            ("wrong_card", Some((Weight::Rejection, "wrong-card"))),
            ("inconclusive", Some((Weight::Correction, "repeat-inconclusive"))),
            ("not_measured", Some((Weight::Infrastructure, "not-measured"))),
            ("failed", None),
            ("clean", None),
            ("one_off", None),
        ] {
            let reason = of(verdict).reason();
            assert_eq!(reason.as_ref().map(|reason| (reason.weight, reason.code.as_str())), expected);
        }
        assert_eq!(of("clean").counted(), 1);
    }
}
