//! Runs the examples of the rules through the whole pipeline: they are the rules' tests.

use super::example::{Example, Files};
use super::{Rule, RuleSet};
use crate::settings::Settings;
use crate::sources::{Language, Source, Sources};
use std::io::{self, Write};
use std::path::Path;

/// Runs every example and writes what is not as it says; `true` when all are.
pub fn test(rules: &RuleSet, out: &mut dyn Write) -> io::Result<bool> {
    let (mut ran, mut failed) = (0, 0);
    for rule in rules.rules() {
        for example in &rule.examples {
            for (kind, complaint) in example.complaints(rule, rules) {
                failed += 1;
                writeln!(out, "{}: {}: {kind}: {complaint}", rule.id, example.title)?;
            }
            ran += example.texts().len();
        }
    }
    writeln!(out, "{ran} examples of {} rules: {failed} not as they say", rules.rules().len())?;
    Ok(failed == 0)
}

impl Example {
    /// What is wrong with the example: which of its texts, and why.
    pub fn complaints(&self, rule: &Rule, rules: &RuleSet) -> Vec<(&'static str, String)> {
        let mut complaints = Vec::new();
        for (kind, files) in [("bad", &self.bad), ("good", &self.good), ("fixed", &self.fixed)] {
            let Some(files) = files else { continue };
            let complaint = match self.found(files, rule, rules) {
                Err(error) => error,
                Ok(lines) if kind != "bad" && !lines.is_empty() => format!("found at {}", lines.join(", ")),
                Ok(lines) if kind == "bad" && lines.is_empty() => "nothing found".to_owned(),
                Ok(lines) if kind == "bad" && !self.lines.is_empty() && lines != self.lines => {
                    format!("found at {}, not at {}", lines.join(", "), self.lines.join(", "))
                }
                Ok(_) => continue,
            };
            complaints.push((kind, complaint));
        }
        complaints
    }

    /// The places at which the rule is found, as `line` in a script and `path:line` in a project.
    fn found(&self, files: &Files, rule: &Rule, rules: &RuleSet) -> Result<Vec<String>, String> {
        let policy = match &self.policy {
            Some(policy) => {
                serde_yaml::from_value(policy.clone()).map_err(|error| format!("policy: {error}"))?
            }
            None => Default::default(),
        };
        let settings = Settings {
            policy_file: self.policy.as_ref().map(|_| "gpulint.yaml".into()),
            policy,
            mode: self.mode,
            select: vec!["recommended".to_owned(), rule.id.clone()],
            ..Settings::default()
        };
        let mut sources = Sources::default();
        for (path, text) in files.by_path() {
            let language = Language::of_name(Path::new(path)).unwrap_or(Language::Python);
            sources.files.push(Source::new(None, path.to_owned(), language, text.to_owned()));
        }
        let outcome = crate::check(&sources, &settings, rules).map_err(|error| error.to_string())?;
        if let Some(skipped) = outcome.skipped.first() {
            return Err(format!("{}: {}", skipped.path, skipped.reason));
        }
        let place = |finding: &crate::findings::Finding| {
            let position = sources.position(finding.place);
            let line = position.line;
            match files {
                Files::One(_) => line.to_string(),
                Files::Many(_) => {
                    format!("{}:{line}", sources.file(finding.place.file).name_with_cell(position.cell))
                }
            }
        };
        Ok(outcome.findings.iter().filter(|finding| finding.rule == rule.id).map(place).collect())
    }
}
