//! The rules and their examples, as files to look at.

use crate::files::{POLICY, Refused};
use gpulint_base::policy::Mode;
use gpulint_rules::{Example, Files, RuleSet};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct Named {
    id: &'static str,
    family: &'static str,
    summary: &'static str,
}

/// One text of an example.
#[derive(Serialize)]
pub struct Shown {
    title: &'static str,
    /// `bad`, `good` or `fixed`.
    kind: &'static str,
    /// With the policy, where it has one.
    files: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<Mode>,
}

/// All rules, by family and id.
pub fn rules() -> Vec<Named> {
    let mut rules: Vec<Named> = RuleSet::embedded()
        .rules()
        .iter()
        .map(|rule| Named { id: &rule.id, family: &rule.family, summary: rule.summary.trim_end() })
        .collect();
    rules.sort_by_key(|rule| (rule.family, rule.id));
    rules
}

/// The examples of a rule, those first that say most in the fewest words.
pub fn of_rule(id: &str) -> Result<Vec<Shown>, Refused> {
    let rule = RuleSet::embedded().find(id);
    let rule = rule.ok_or_else(|| Refused::because(format!("there is no rule `{id}`")))?;
    let mut shown = Vec::new();
    for example in rule.examples.most_telling_first() {
        let texts = [("bad", &example.bad), ("fixed", &example.fixed), ("good", &example.good)];
        for (kind, files) in texts.into_iter().filter_map(|(kind, files)| Some((kind, files.as_ref()?))) {
            shown.push(Shown {
                title: &example.title,
                kind,
                files: with_policy(files, example)?,
                mode: example.mode,
            });
        }
    }
    Ok(shown)
}

fn with_policy(files: &Files, example: &Example) -> Result<BTreeMap<String, String>, Refused> {
    let texts = files.by_path().into_iter().map(|(path, text)| (path.to_owned(), text.to_owned()));
    let mut texts: BTreeMap<String, String> = texts.collect();
    if let Some(policy) = &example.policy {
        texts.insert(POLICY.to_owned(), serde_yaml::to_string(policy).map_err(Refused::because)?);
    }
    Ok(texts)
}
