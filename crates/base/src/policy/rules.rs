//! `rules:`, the section that says which rules run and how bad their findings are.
//!
//! Selectors and ids are kept as written; which of them exist is known where the rules are.

use super::checked;
use crate::findings::Severity;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::path::PathBuf;

/// Which rules run and how bad their findings are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Rules {
    /// Rules that run: `recommended`, `strict`, `all`, a family or an id.
    pub select: Vec<String>,
    /// Rules that do not run although they are selected: a family or an id.
    pub ignore: Vec<String>,
    /// Other severities than the rules' own, by id.
    #[serde(deserialize_with = "severities")]
    pub severity: BTreeMap<String, Severity>,
    /// What differs for some files, by glob relative to the project root, for example `legacy/**`.
    /// When several globs match a file, all are applied, and the later one wins.
    #[serde(deserialize_with = "per_path", serialize_with = "as_mapping")]
    #[schemars(with = "BTreeMap<String, PathRules>")]
    pub per_path: Vec<(String, PathRules)>,
    /// Folders with the project's own rules, relative to the project root.
    pub paths: Vec<PathBuf>,
}

/// What differs for some files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PathRules {
    /// Rules that run here, instead of those selected for the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Vec<String>>,
    /// Rules that do not run here.
    pub ignore: Vec<String>,
    /// Other severities here, by id.
    #[serde(deserialize_with = "severities")]
    pub severity: BTreeMap<String, Severity>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            select: vec!["recommended".into()],
            ignore: Vec::new(),
            severity: BTreeMap::new(),
            per_path: Vec::new(),
            paths: Vec::new(),
        }
    }
}

fn severities<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Severity>, D::Error> {
    let entries = from.deserialize_map(UniqueKeys::<String, Severity>(PhantomData))?;
    Ok(entries.into_iter().collect())
}

fn per_path<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, PathRules)>, D::Error> {
    let entries = from.deserialize_map(UniqueKeys::<FileGlob, PathRules>(PhantomData))?;
    Ok(entries.into_iter().map(|(FileGlob(glob), rules)| (glob, rules)).collect())
}

fn as_mapping<S: Serializer>(entries: &[(String, PathRules)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(entries.iter().map(|(glob, rules)| (glob, rules)))
}

/// A key that is a glob over files.
#[derive(PartialEq, Eq, Hash, Clone)]
struct FileGlob(String);

impl<'de> Deserialize<'de> for FileGlob {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked::text(from, "a mapping whose keys are globs such as `legacy/**`", |text| {
            globset::Glob::new(text).is_ok().then(|| FileGlob(text.to_owned()))
        })
    }
}

impl AsRef<str> for FileGlob {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A mapping in the order in which it is written, with a key that stands twice refused: the maps of
/// the standard library would keep the last one and say nothing.
struct UniqueKeys<K, V>(PhantomData<(K, V)>);

impl<'de, K, V> Visitor<'de> for UniqueKeys<K, V>
where
    K: Deserialize<'de> + AsRef<str> + Hash + Eq + Clone,
    V: Deserialize<'de>,
{
    type Value = Vec<(K, V)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries: Vec<(K, V)> = Vec::new();
        let mut seen = FxHashSet::default();
        while let Some(key) = map.next_key::<K>()? {
            if !seen.insert(key.clone()) {
                // In the words of serde's derived code, so that both are told in the same sentence.
                return Err(A::Error::custom(format_args!("duplicate field `{}`", key.as_ref())));
            }
            entries.push((key, map.next_value()?));
        }
        Ok(entries)
    }
}
