//! Executed examples of a rule: they are its tests, and what readers see of it first.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::OnceLock;

/// The examples of a rule. Those of the program's own rules are read when somebody looks at them.
#[derive(Debug, Default)]
pub struct Examples {
    all: OnceLock<Vec<Example>>,
    embedded: &'static str,
}

/// An executed example: `bad` must be found, `good` must not; `fixed` is `bad` without the fault, and where the rule has
/// a fix, exactly what that makes of it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Example {
    pub title: String,
    pub bad: Option<Files>,
    pub good: Option<Files>,
    pub fixed: Option<Files>,
    /// Where `bad` is found, as `line` or `path:line`; empty: anywhere.
    pub lines: Vec<String>,
    /// Why `bad` is not fixed, as `--fix` says it.
    pub refused: Option<String>,
    /// The policy in force, as in `gpulint.yaml`.
    pub policy: Option<serde_yaml::Value>,
    /// `--mode`
    pub mode: Option<crate::policy::Mode>,
}

/// One file, or several by path.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Files {
    One(String),
    Many(BTreeMap<String, String>),
}

/// The texts of a rule's examples, as reports show them.
#[derive(Debug, Default, Serialize)]
pub struct ExampleTexts {
    pub bad: Vec<String>,
    pub good: Vec<String>,
    pub fixed: Vec<String>,
}

impl Examples {
    /// Examples that are part of the program, as JSON.
    pub(super) fn embedded(text: &'static str) -> Examples {
        Examples { all: OnceLock::new(), embedded: text }
    }

    /// What is wrong before all others, the shortest first and with its remedy where it has one.
    pub fn most_telling_first(&self) -> Vec<&Example> {
        let mut ordered: Vec<&Example> = self.iter().collect();
        ordered.sort_by_key(|example| {
            let remedied = example.good.is_some() || example.fixed.is_some();
            let length =
                |files: &Files| files.by_path().iter().map(|(_, text)| text.lines().count()).sum::<usize>();
            let bad = example.bad.as_ref();
            (bad.is_none(), !remedied, bad.or(example.good.as_ref()).map(length))
        });
        ordered
    }
}

impl<'de> Deserialize<'de> for Examples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Examples, D::Error> {
        let all = Vec::deserialize(deserializer)?;
        Ok(Examples { all: OnceLock::from(all), embedded: "" })
    }
}

impl Deref for Examples {
    type Target = [Example];

    fn deref(&self) -> &[Example] {
        // `tests/rules` proves that they can be read.
        self.all.get_or_init(|| serde_json::from_str(self.embedded).unwrap_or_default())
    }
}

impl Example {
    /// The texts of the example with what each is: `bad`, `good` or `fixed`.
    pub fn texts(&self) -> Vec<(&'static str, String)> {
        let texts = [("bad", &self.bad), ("good", &self.good), ("fixed", &self.fixed)];
        texts.into_iter().filter_map(|(kind, files)| Some((kind, files.as_ref()?.as_text()))).collect()
    }
}

impl Files {
    /// The files by path; a single one is a script.
    pub fn by_path(&self) -> Vec<(&str, &str)> {
        match self {
            Files::One(text) => vec![("script.py", text)],
            Files::Many(files) => files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect(),
        }
    }

    pub(super) fn as_text(&self) -> String {
        match self {
            Files::One(text) => text.clone(),
            Files::Many(files) => {
                files.iter().map(|(path, text)| format!("# {path}\n{text}")).collect::<Vec<_>>().join("\n")
            }
        }
    }
}
