//! What reading a rule's findings in published projects came to: `rules/measured.yaml`.

use super::EMBEDDED;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

/// Findings of one rule that were read by hand.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// How many were read.
    pub read: usize,
    /// Those worth acting on.
    pub right: usize,
    /// Those that were wrong, and are reported no longer.
    pub corrected: usize,
    /// The projects in which they stood.
    pub projects: usize,
}

impl Measured {
    /// What is known of a rule; `None` where none of its findings is in the tables.
    pub fn of(rule: &str) -> Option<Measured> {
        static ALL: LazyLock<BTreeMap<String, Measured>> = LazyLock::new(|| {
            // The file is part of the program: `tests/rules` proves that it can be read.
            let found = EMBEDDED.iter().find(|(path, ..)| *path == "measured.yaml");
            serde_json::from_str(found.map_or("{}", |(_, text, _)| text))
                .expect("rules/measured.yaml is valid")
        });
        ALL.get(rule).copied()
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { read, right, corrected, projects } = *self;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        write!(
            out,
            "{read} finding{} read in {projects} published project{}",
            plural(read),
            plural(projects)
        )?;
        write!(out, ", {right} worth acting on")?;
        if corrected > 0 {
            write!(out, ", {corrected} wrong and reported no longer")?;
        }
        match read.saturating_sub(right + corrected) {
            0 => Ok(()),
            others => write!(out, ", {others} not worth acting on"),
        }
    }
}
