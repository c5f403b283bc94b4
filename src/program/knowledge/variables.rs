//! The environment variables that decide what a program does with a GPU: `rules/environment.yaml`.

use rustc_hash::FxHashMap;
use serde::Deserialize;

/// All known variables, by name.
#[derive(Debug, Default)]
pub struct Variables {
    rows: FxHashMap<String, VariableRow>,
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
    pub(super) fn read(file: VariablesFile) -> Variables {
        Variables { rows: file.variables.into_iter().map(|row| (row.name.clone(), row)).collect() }
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
        let near = self.rows.keys().filter(|known| known.len().abs_diff(name.len()) <= FAR);
        let near = near.map(|known| (strsim::osa_distance(known, name), known));
        let (distance, known) = near.min()?;
        (distance <= FAR && known.len() >= SHORTEST).then_some(known.as_str())
    }
}

impl VariableRow {
    /// Whether setting it does nothing, or something else does it now.
    pub fn is_dead(&self) -> bool {
        self.read.as_deref() == Some("never") || self.instead.is_some()
    }
}
