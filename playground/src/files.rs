//! The files of a question as a project that lies nowhere, and the policy among them.

use gpulint_base::policy::{self, Mode, Policy, PolicyError};
use gpulint_base::settings::Settings;
use gpulint_base::sources::{Language, Source, Sources};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name under which a policy is found.
pub const POLICY: &str = "gpulint.yaml";

/// Files, and how they are to be looked at.
#[derive(Debug, Deserialize)]
pub struct Project {
    /// The text of each file by its path from the root of the project.
    pub files: BTreeMap<String, String>,
    /// A rule that runs beside the recommended ones, as it does for its own examples. Without it the policy says what runs.
    #[serde(default)]
    pub rule: Option<String>,
    #[serde(default)]
    pub mode: Option<Mode>,
}

/// Why there is no answer.
#[derive(Debug, Serialize)]
pub struct Refused {
    refused: String,
    /// The file in which that stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl Refused {
    pub fn because(reason: impl ToString) -> Refused {
        Refused { refused: reason.to_string(), path: None, line: None }
    }
}

impl From<PolicyError> for Refused {
    fn from(error: PolicyError) -> Refused {
        Refused { refused: error.message, path: Some(error.place), line: error.line }
    }
}

impl Project {
    pub fn settings(&self) -> Result<Settings, Refused> {
        let policy = match self.files.get(POLICY) {
            Some(text) => policy::read(Path::new(POLICY), text)?,
            None => Policy::default(),
        };
        let select = self.rule.iter().flat_map(|rule| ["recommended".to_owned(), rule.clone()]);
        Ok(Settings {
            policy_file: self.files.contains_key(POLICY).then(|| PathBuf::from(POLICY)),
            policy,
            mode: self.mode,
            select: select.collect(),
            ..Settings::default()
        })
    }

    /// All files but the policy. Those without a name that says their language are read as their first line says.
    pub fn sources(&self, settings: &Settings) -> Sources {
        let excluded = settings.excluded(true);
        let mut sources = Sources::default();
        for (name, text) in self.files.iter().filter(|(name, _)| *name != POLICY) {
            let path = Path::new(name);
            let language = Language::of_name(path).or_else(|| Language::of_shebang(text.as_bytes()));
            let Some(language) = language else { continue };
            let mut source = Source::new(None, name.clone(), language, text.clone());
            source.reported = !excluded.names(Path::new(""), path);
            sources.files.push(source);
        }
        sources
    }

    /// What the policy says of files that no question can bring along.
    pub fn unheard(&self, settings: &Settings) -> Vec<&'static str> {
        let policy = &settings.policy;
        let keys = [
            ("extends", !policy.extends.is_empty()),
            ("rules.paths", !policy.rules.paths.is_empty()),
            ("baseline", policy.baseline.is_some()),
        ];
        keys.into_iter().filter(|(_, is_said)| *is_said).map(|(key, _)| key).collect()
    }
}
