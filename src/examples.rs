//! Runs the examples of the rules through the whole pipeline: they are the rules' tests.

use crate::facts::FileId;
use crate::findings::{Finding, Severity};
use crate::fix_loop::{FixSelection, apply_until_stable};
use crate::rules::{Example, Files, Rule, RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Language, Source, Sources};
use rayon::prelude::*;
use std::io::{self, Write};
use std::path::Path;

/// Runs every example of the given rules, which are among `rules`, and writes what is not as it says; `true` when all are.
pub fn test(tested: &[&Rule], rules: &RuleSet, out: &mut dyn Write) -> io::Result<bool> {
    let examples: Vec<(&Rule, &Example)> =
        tested.iter().flat_map(|rule| rule.examples.iter().map(move |example| (*rule, example))).collect();
    let complaints: Vec<_> =
        examples.par_iter().map(|(rule, example)| complaints(example, rule, rules)).collect();
    let (mut ran, mut failed) = (0, 0);
    for ((rule, example), complaints) in examples.iter().zip(complaints) {
        for (kind, complaint) in complaints {
            failed += 1;
            writeln!(out, "{}: {}: {kind}: {complaint}", rule.id, example.title)?;
        }
        ran += example.texts().len();
    }
    let end = |count: usize| if count == 1 { "" } else { "s" };
    let rules = tested.len();
    writeln!(out, "{ran} example{} of {rules} rule{}, {failed} failed", end(ran), end(rules))?;
    Ok(failed == 0)
}

/// What is wrong with the example: which of its texts, and why.
pub fn complaints(example: &Example, rule: &Rule, rules: &RuleSet) -> Vec<(&'static str, String)> {
    let mut complaints = Vec::new();
    for (kind, files) in [("bad", &example.bad), ("good", &example.good), ("fixed", &example.fixed)] {
        let Some(files) = files else { continue };
        let complaint = match found(example, files, rule, rules) {
            Err(error) => error,
            Ok(lines) if kind != "bad" && !lines.is_empty() => format!("found at {}", lines.join(", ")),
            Ok(lines) if kind == "bad" && lines.is_empty() => "nothing found".to_owned(),
            Ok(lines) if kind == "bad" && !example.lines.is_empty() && lines != example.lines => {
                format!("found at {}, not at {}", lines.join(", "), example.lines.join(", "))
            }
            Ok(_) => continue,
        };
        complaints.push((kind, complaint));
    }
    if let Some(complaint) = complaint_about_fix(example, rule, rules).unwrap_or_else(Some) {
        complaints.push(("fixed", complaint));
    }
    complaints
}

/// The places at which the rule is found, as `line` in a script and `path:line` in a project.
fn found(example: &Example, files: &Files, rule: &Rule, rules: &RuleSet) -> Result<Vec<String>, String> {
    let sources = sources_of(files);
    let outcome =
        crate::check(&sources, &settings_for(example, rule)?, rules).map_err(|error| error.to_string())?;
    if let Some(skipped) = outcome.skipped.first() {
        return Err(format!("{}: {}", skipped.path, skipped.reason));
    }
    let place = |finding: &Finding| {
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

/// Makes all fixes of `bad` and compares them with `fixed`.
fn complaint_about_fix(example: &Example, rule: &Rule, rules: &RuleSet) -> Result<Option<String>, String> {
    let (Some(_), Some(bad)) = (&rule.fix, &example.bad) else { return Ok(None) };
    if example.fixed.is_none() && example.refused.is_none() {
        return Ok(None);
    }
    let settings = settings_for(example, rule)?;
    let sources = sources_of(bad);
    let texts = bad.by_path();
    let content_of = |source: &Source| {
        let text = texts.iter().find(|(path, _)| *path == source.name);
        text.map(|(_, text)| (*text).to_owned())
    };
    let unknown = |error: UnknownSelector| error.to_string();
    let outcome = crate::check(&sources, &settings, rules).map_err(unknown)?;
    let wanted = FixSelection { risky: true, least: Severity::Note, fixable: None };
    let settled =
        apply_until_stable(&sources, &outcome, wanted, (&settings, rules), &content_of).map_err(unknown)?;
    let dropped = settled.dropped.iter().filter(|dropped| dropped.rule == rule.id);
    let mut reasons: Vec<String> = dropped.map(|dropped| dropped.reason.clone()).collect();
    let found = settled.outcome.findings.iter().filter(|finding| finding.rule == rule.id);
    reasons.extend(found.filter_map(|finding| finding.unfixed.clone()));
    if let Some(refused) = &example.refused
        && !reasons.contains(refused)
    {
        return Ok(Some(format!("not refused with that reason, but with: {}", reasons.join("; "))));
    }
    let expected = example.fixed.as_ref().unwrap_or(bad);
    for (path, expected) in expected.by_path() {
        let file = sources.files.iter().position(|source| source.name == path);
        let file = file.ok_or_else(|| format!("`bad` has no file {path}"))?;
        let changed = settled.files.get(&FileId(file as u32)).map(String::as_str);
        let text = changed.or_else(|| content_of_path(&texts, path)).unwrap_or_default();
        if text != expected {
            let why = reasons.join("; ");
            return Ok(Some(format!("the fix makes of {path}:\n{text}\n({why})")));
        }
    }
    Ok(None)
}

fn settings_for(example: &Example, rule: &Rule) -> Result<Settings, String> {
    let policy = match &example.policy {
        Some(policy) => serde_yaml::from_value(policy.clone()).map_err(|error| format!("policy: {error}"))?,
        None => Default::default(),
    };
    Ok(Settings {
        policy_file: example.policy.as_ref().map(|_| "gpulint.yaml".into()),
        policy,
        mode: example.mode,
        select: vec!["recommended".to_owned(), rule.id.clone()],
        ..Settings::default()
    })
}
fn content_of_path<'t>(texts: &[(&str, &'t str)], path: &str) -> Option<&'t str> {
    texts.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

fn sources_of(files: &Files) -> Sources {
    let mut sources = Sources::default();
    for (path, text) in files.by_path() {
        let language = Language::of_name(Path::new(path)).unwrap_or(Language::Python);
        sources.files.push(Source::new(None, path.to_owned(), language, text.to_owned()));
    }
    sources
}
