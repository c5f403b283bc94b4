//! The environment variables that decide what a program does with a GPU: `rules/environment.yaml`.

use crate::program::milestones::MilestoneId;
use anyhow::{Result, bail};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// All known variables, by name.
#[derive(Debug, Default)]
pub struct Variables {
    rows: FxHashMap<String, VariableRow>,
    /// What programs pass, after which variables are no longer read.
    milestones: Vec<(Milestone, Vec<String>)>,
    /// What other names are nearly, as far as somebody asked.
    asked: Mutex<FxHashMap<String, Option<String>>>,
}

/// When the values of variables are looked at for the last time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Milestone {
    /// `import torch`
    Import(String),
    /// `torch-init`
    TorchInit,
    /// `first-use jax`: the library starts its backend.
    FirstUse(String),
    /// `first-threads numba`: the library starts its threads.
    FirstThreads(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariablesFile {
    #[allow(dead_code)]
    verified: String,
    #[allow(dead_code)]
    sources: Vec<String>,
    variables: Vec<VariableRow>,
}

/// What is known of a variable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableRow {
    name: String,
    #[allow(dead_code)]
    kind: String,
    /// When its value is looked at; `never` for one that nothing reads.
    read: Option<String>,
    /// Settings in the value that are looked at at another moment.
    #[serde(default)]
    parts: BTreeMap<String, String>,
    #[allow(dead_code)]
    values: Option<Vec<String>>,
    /// What to set in its place.
    pub instead: Option<String>,
    /// What it does, in one clause.
    pub meaning: String,
    #[allow(dead_code)]
    unchecked: Option<bool>,
    #[allow(dead_code)]
    sources: Vec<String>,
}

impl Variables {
    pub(super) fn read(file: VariablesFile) -> Result<Variables> {
        let mut milestones: Vec<(Milestone, Vec<String>)> = Vec::new();
        for row in &file.variables {
            for read in row.read.iter().chain(row.parts.values()) {
                let Some(milestone) = Milestone::read(read) else {
                    if !OTHER_MOMENTS.contains(&read.as_str()) {
                        bail!("{}: `read: {read}` is no moment that is known", row.name);
                    }
                    continue;
                };
                match milestones.iter_mut().find(|(known, _)| *known == milestone) {
                    Some((_, variables)) => variables.push(row.name.clone()),
                    None => milestones.push((milestone, vec![row.name.clone()])),
                }
            }
        }
        let rows = file.variables.into_iter().map(|row| (row.name.clone(), row)).collect();
        Ok(Variables { rows, milestones, asked: Mutex::default() })
    }

    /// The milestone that something is, with the variables that are read there.
    pub(crate) fn milestone(&self, wanted: &Milestone) -> Option<(MilestoneId, &[String])> {
        let at = self.milestones.iter().position(|(known, _)| known == wanted)?;
        Some((at as MilestoneId, &self.milestones[at].1))
    }

    /// The milestone that the import of a module is: of itself, or of a package above it.
    pub(crate) fn milestone_of_import(&self, module: &str) -> Option<(MilestoneId, &[String])> {
        let is = |milestone: &Milestone| match milestone {
            Milestone::Import(known) => module
                .strip_prefix(known.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
            _ => false,
        };
        let at = self.milestones.iter().position(|(known, _)| is(known))?;
        Some((at as MilestoneId, &self.milestones[at].1))
    }

    /// Where a variable stands among those that are read at a milestone.
    pub(crate) fn position_at(&self, milestone: MilestoneId, variable: &str) -> Option<usize> {
        let (_, variables) = self.milestones.get(milestone as usize)?;
        variables.iter().position(|known| known == variable)
    }

    /// Whether a process that is started with a function of the program has passed this milestone too.
    pub fn is_import(&self, milestone: MilestoneId) -> bool {
        matches!(self.milestones.get(milestone as usize), Some((Milestone::Import(_), _)))
    }

    /// The milestones after which a variable, or a part of its value, is no longer read.
    pub fn read_until(&self, variable: &str) -> Vec<(MilestoneId, Option<&str>)> {
        let Some(row) = self.rows.get(variable) else { return Vec::new() };
        let of = |read: &str| self.milestone(&Milestone::read(read)?).map(|(id, _)| id);
        let whole = row.read.as_deref().and_then(of).map(|id| (id, None));
        let parts = row.parts.iter().filter_map(|(part, read)| Some((of(read)?, Some(part.as_str()))));
        whole.into_iter().chain(parts).collect()
    }

    /// How the names of the variables begin, with the first `_`: `NCCL_`.
    pub fn families(&self) -> BTreeSet<String> {
        let family = |name: &String| name.split_inclusive('_').next().unwrap_or(name).to_owned();
        self.rows.keys().map(family).collect()
    }

    pub fn get(&self, name: &str) -> Option<&VariableRow> {
        self.rows.get(name)
    }

    /// The known variable that a name is nearly, and is not.
    pub fn near(&self, name: &str) -> Option<&str> {
        /// Shorter names are near to too many others.
        const SHORTEST: usize = 12;
        /// What is made of a name by adding a word is another name.
        const FAR: usize = 2;
        if name.len() < SHORTEST || self.rows.contains_key(name) {
            return None;
        }
        let upper = name.to_ascii_uppercase();
        if let Some((known, _)) = self.rows.get_key_value(&upper) {
            return Some(known);
        }
        if name != upper {
            return None;
        }
        // A program writes few variables, many times.
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(near) = asked.get(name) {
            return near.as_ref().and_then(|near| self.known(near));
        }
        let near = self.rows.keys().filter(|known| known.len().abs_diff(name.len()) <= FAR);
        let near = near.map(|known| (strsim::osa_distance(known, name), known)).min();
        // `VLLM_USE_V1` is short, and one letter more is a slip.
        let is_long = |distance: usize, known: &str| {
            known.len() >= SHORTEST || distance == 1 && known.len() + 1 == SHORTEST
        };
        let near = near.filter(|(distance, known)| *distance <= FAR && is_long(*distance, known));
        // `CUDA_DEVICE_VISIBLE`: the same words in another order.
        let with_words = || {
            let words = words_of(name);
            self.rows.keys().find(|known| words.len() > 2 && words_of(known) == words)
        };
        let near = near.map(|(_, known)| known).or_else(with_words).cloned();
        asked.insert(name.to_owned(), near.clone());
        near.and_then(|near| self.known(&near))
    }

    fn known(&self, name: &str) -> Option<&str> {
        self.rows.get_key_value(name).map(|(known, _)| known.as_str())
    }
}

/// The words of a name, in the order of the alphabet and without the sign of the plural.
fn words_of(name: &str) -> Vec<&str> {
    let mut words: Vec<&str> = name.split('_').map(|word| word.strip_suffix('S').unwrap_or(word)).collect();
    words.sort_unstable();
    words
}

/// Moments that no point of a program is.
const OTHER_MOMENTS: &[&str] = &["cuinit", "each-call", "container-create", "launcher", "never"];

impl Milestone {
    fn read(text: &str) -> Option<Milestone> {
        if text == "torch-init" {
            return Some(Milestone::TorchInit);
        }
        let (kind, name) = text.split_once(' ')?;
        match kind {
            "import" => Some(Milestone::Import(name.to_owned())),
            "first-use" => Some(Milestone::FirstUse(name.to_owned())),
            "first-threads" => Some(Milestone::FirstThreads(name.to_owned())),
            _ => None,
        }
    }
}

impl VariableRow {
    /// Whether setting it does nothing, or something else does it now.
    pub fn is_dead(&self) -> bool {
        self.read.as_deref() == Some("never") || self.instead.is_some()
    }
}
