//! The rules as Markdown: the page of one rule, and the reference of all of them, whose table is `docs/rules.md`.

use super::{by_family, confidence_of, safety_of, severity_of, word};
use crate::policy::Mode;
use crate::rules::wording::in_general;
use crate::rules::{Example, Examples, Files, Measured, Rule, Section};
use crate::sources::Language;
use std::io::{self, Write};
use std::path::Path;

/// A table of all rules, and then the page of each.
pub fn reference(rules: &[Rule], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| rule | family | severity | with a policy | what it finds |\n|---|---|---|---|---|")?;
    for rule in by_family(rules) {
        let (id, family, summary) = (&rule.id, &rule.family, summary_of(rule).replace('|', "\\|"));
        let severity = severity_of(rule);
        let with_policy = rule.policy.as_ref().map_or(severity, |policy| word(policy.severity));
        writeln!(out, "| [`{id}`](#{id}) | {family} | {severity} | {with_policy} | {summary} |")?;
    }
    for rule in by_family(rules) {
        writeln!(out)?;
        page(rule, 2, usize::MAX, out)?;
    }
    Ok(())
}

/// So many examples show what a rule is about; a page that is longer is not read.
pub const FIRST: usize = 3;

/// Everything about one rule, with so many of its examples. `level` is that of its title: 1 on a page of its own.
pub fn page(rule: &Rule, level: usize, most: usize, out: &mut dyn Write) -> io::Result<()> {
    let (title, part, subpart) = ("#".repeat(level), "#".repeat(level + 1), "#".repeat(level + 2));
    writeln!(out, "{title} {}\n\n{}.\n", rule.id, capitalised(summary_of(rule)))?;
    writeln!(out, "- family: {}", rule.family)?;
    writeln!(out, "- severity: {}", severities_of(rule))?;
    writeln!(out, "- confidence: {}", confidence_of(rule))?;
    if let Some(measured) = Measured::of(&rule.id) {
        writeln!(out, "- measured: {measured}")?;
    }
    writeln!(out, "- languages: {}", rule.languages.join(", "))?;
    if let Some(fix) = &rule.fix {
        writeln!(out, "- fix: {} ({})", fix.title, safety_of(fix))?;
    }
    writeln!(out, "\n{part} Why\n\n{}", rule.why.trim_end())?;
    if let Some(advice) = &rule.advice {
        writeln!(out, "\n{part} What to do\n\n{}.", capitalised(&in_general(advice)))?;
    }
    if !rule.examples.is_empty() {
        writeln!(out, "\n{part} Examples")?;
    }
    for example in first(&rule.examples, most) {
        writeln!(out, "\n{subpart} {}", capitalised(&example.title))?;
        write_example(example, out)?;
    }
    match rule.examples.len().saturating_sub(most) {
        0 => {}
        1 => writeln!(out, "\n1 more example: `gpulint rule {} --all`", rule.id)?,
        more => writeln!(out, "\n{more} more examples: `gpulint rule {} --all`", rule.id)?,
    }
    if !rule.sources.is_empty() {
        writeln!(out, "\n{part} Sources\n")?;
        rule.sources.iter().try_for_each(|source| writeln!(out, "- <{source}>"))?;
    }
    Ok(())
}

fn write_example(example: &Example, out: &mut dyn Write) -> io::Result<()> {
    if let Some(policy) = &example.policy {
        let policy = serde_yaml::to_string(policy).map_err(io::Error::other)?;
        writeln!(out, "\nUnder this policy:\n\n```yaml\n{}\n```", policy.trim_end())?;
    }
    match example.mode {
        Some(Mode::Gpu) => writeln!(out, "\nWith `--mode gpu`:")?,
        Some(Mode::Cpu) => writeln!(out, "\nWith `--mode cpu`:")?,
        None => {}
    }
    let verdicts = [
        (format!("Bad{}", where_found(&example.lines)), &example.bad),
        ("Good".to_owned(), &example.good),
        ("Fixed".to_owned(), &example.fixed),
    ];
    for (verdict, files) in verdicts {
        let Some(files) = files else { continue };
        writeln!(out, "\n{verdict}:")?;
        for (path, text) in files.by_path() {
            if matches!(files, Files::Many(_)) {
                writeln!(out, "\n`{path}`:")?;
            }
            // A document may hold fences itself.
            let fence = if text.contains("```") { "````" } else { "```" };
            writeln!(out, "\n{fence}{}\n{}\n{fence}", fence_word(path), text.trim_end())?;
        }
    }
    Ok(())
}

/// The first examples: those that say most in the fewest words, and among them one of what is fine where there is one.
fn first(examples: &Examples, most: usize) -> Vec<&Example> {
    let mut ordered = examples.most_telling_first();
    let rest = ordered.split_off(most.min(ordered.len()));
    let mut first = ordered;
    if first.iter().all(|example| example.good.is_none())
        && let Some(good) = rest.iter().find(|example| example.good.is_some())
    {
        first.pop();
        first.push(good);
    }
    first
}

/// The word by which highlighters know the language of a file.
fn fence_word(path: &str) -> &'static str {
    match Language::of_name(Path::new(path)) {
        Some(Language::Shell) => "sh",
        Some(Language::Batch) => "bat",
        Some(Language::Notebook) => "json",
        Some(Language::Dotenv | Language::Requirements | Language::Cache) | None => "text",
        Some(language) => language.name(),
    }
}

/// ", found on line 3", or nothing when the example does not say.
fn where_found(lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        [line] if !line.contains(':') => format!(", found on line {line}"),
        lines if lines.iter().any(|line| line.contains(':')) => format!(", found at {}", lines.join(", ")),
        lines => format!(", found on lines {}", lines.join(", ")),
    }
}

/// "warning; error when the policy has a `gpu` section", with what else changes it.
fn severities_of(rule: &Rule) -> String {
    let mut severities = severity_of(rule).to_owned();
    if let Some(policy) = &rule.policy {
        let section = match policy.section {
            Section::Gpu => "a `gpu` section",
            Section::Cpu => "a `cpu` section, or with `--mode cpu`",
            Section::Tests => "names under `tests.cleanup`",
            Section::Backends => "more than `cuda` under `backends`",
        };
        severities.push_str(&format!("; {} when the policy has {section}", word(policy.severity)));
    }
    if let Some(library) = rule.library_severity {
        let library = word(library);
        severities.push_str(&format!("; without a policy {library} in a module that is not started itself"));
    }
    severities
}

fn summary_of(rule: &Rule) -> &str {
    rule.summary.trim_end().trim_end_matches('.')
}

/// With a capital letter, unless the first word is a name.
fn capitalised(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let is_name = first_word.contains(['_', '.', '(', '`']);
    match text.chars().next() {
        Some(first) if !is_name => first.to_uppercase().chain(text.chars().skip(1)).collect(),
        _ => text.to_owned(),
    }
}
