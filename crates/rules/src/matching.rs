//! Patterns in rules: regular expressions that take time in proportion to the text, however they are written.

use regex::{Regex, RegexBuilder};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};

/// A regular expression that is found anywhere in a text.
#[derive(Clone, Debug)]
pub struct Matching(Regex);

impl Matching {
    /// No pattern of a rule needs more memory; repetitions of repetitions do.
    const MAX_BYTES: usize = 1 << 18;

    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl<'de> Deserialize<'de> for Matching {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = String::deserialize(from)?;
        let built =
            RegexBuilder::new(&written).size_limit(Self::MAX_BYTES).dfa_size_limit(Self::MAX_BYTES).build();
        built.map(Matching).map_err(|error| {
            // The parser draws the pattern with a mark below it; its last line says what is wrong.
            let said = error.to_string();
            let last =
                said.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned();
            let wanted = format!("a regular expression ({last})");
            D::Error::invalid_value(Unexpected::Str(&written), &wanted.as_str())
        })
    }
}
