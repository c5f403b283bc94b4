//! `runtime:`, the section about what is proven on a machine with a GPU.

use super::{Amount, checked};
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::num::NonZeroU32;

/// What `validate` and `exec` do on a machine with a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Runtime {
    /// How many times a target runs in a row for the leak test.
    pub iterations: NonZeroU32,
    /// How much GPU memory may grow.
    pub leak: Leak,
    /// How many targets run at once, the GPU itself being used by one at a time. Without it, the
    /// run decides from the machine.
    pub jobs: Option<NonZeroU32>,
    /// Commands of the project that are run under the policy.
    #[serde(deserialize_with = "targets")]
    pub targets: Vec<Target>,
}

/// How much GPU memory may grow; limits on top of the statistical test for growth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Leak {
    /// Growth within one iteration from which the verdict asks for corrections.
    pub alert: Amount,
    /// Growth over the whole run from which the verdict is a rejection. May be the smaller number.
    pub fail: Amount,
}

/// A command of the project that is run under the policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Target {
    /// The name in reports; no two targets share one.
    pub name: String,
    /// The program and its arguments, without a shell.
    #[serde(deserialize_with = "command")]
    #[schemars(length(min = 1))]
    pub command: Vec<String>,
    /// What must be proven about it.
    pub mode: TargetMode,
}

/// What must be proven about a command of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TargetMode {
    /// It gets the GPU of the policy and no other.
    Gpu,
    /// It imports nothing that is forbidden and touches no GPU memory.
    Cpu,
    /// Each of the two, in a run of its own.
    Both,
}

impl TargetMode {
    /// The runs that prove it.
    pub fn modes(self) -> &'static [Mode] {
        match self {
            TargetMode::Gpu => &[Mode::Gpu],
            TargetMode::Cpu => &[Mode::Cpu],
            TargetMode::Both => &[Mode::Cpu, Mode::Gpu],
        }
    }
}

/// Whether something runs with the GPU or must do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// It gets the GPU of the policy and no other.
    Gpu,
    /// It imports nothing that is forbidden and touches no GPU memory.
    Cpu,
}

impl Default for Runtime {
    fn default() -> Self {
        let iterations = const { NonZeroU32::new(10).unwrap() };
        Runtime { iterations, leak: Leak::default(), jobs: None, targets: Vec::new() }
    }
}

impl Default for Leak {
    fn default() -> Self {
        Leak { alert: Amount::mebibytes(100), fail: Amount::mebibytes(50) }
    }
}

fn command<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    checked::list(from, "a list of the program and its arguments", |words| {
        words.is_empty().then(|| "an empty list".to_owned())
    })
}

fn targets<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Target>, D::Error> {
    checked::list(from, "a list of targets with different names", |targets: &[Target]| {
        let mut seen = FxHashSet::default();
        let second = targets.iter().find(|target| !seen.insert(&target.name))?;
        Some(format!("two named `{}`", second.name))
    })
}
