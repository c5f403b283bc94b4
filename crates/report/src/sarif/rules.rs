//! The rules of a run as SARIF describes them, for the help that viewers show beside a finding.

use super::level;
use super::log::{Configuration, Descriptor, Help, Message, RuleProperties};
use crate::findings::{Finding, Severity};
use crate::report::page_of;
use crate::rules::wording::in_general;
use crate::rules::{Rule, RuleSet};
use std::collections::BTreeSet;

/// GitHub takes no longer description.
const MOST_LETTERS: usize = 1024;

/// The rules that these findings are of, by id.
pub fn of<'a>(findings: impl Iterator<Item = &'a Finding>, rules: &'a RuleSet) -> Vec<Descriptor<'a>> {
    let ids: BTreeSet<&str> = findings.map(|finding| finding.rule.as_str()).collect();
    ids.into_iter().map(|id| descriptor(id, rules.find(id))).collect()
}

fn descriptor<'a>(id: &'a str, rule: Option<&'a Rule>) -> Descriptor<'a> {
    let severity = rule.map(severity_of);
    Descriptor {
        id,
        short_description: rule.map(|rule| described(&rule.summary)),
        full_description: rule.map(|rule| described(first_paragraph(&rule.why))),
        help: rule.map(help_of),
        help_uri: page_of(id),
        default_configuration: severity.map(|severity| Configuration { level: level(severity) }),
        properties: rule.zip(severity).map(|(rule, severity)| RuleProperties {
            tags: ["gpu", &rule.family],
            precision: rule.confidence,
            problem_severity: match severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "recommendation",
            },
        }),
    }
}

/// Without a policy; of a rule that is off then, what it is under one.
fn severity_of(rule: &Rule) -> Severity {
    let under_policy = rule.policy.as_ref().map(|policy| policy.severity);
    rule.severity.or(under_policy).unwrap_or(Severity::Warning)
}

fn described(text: &str) -> Message {
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = text.char_indices().nth(MOST_LETTERS - 1) {
        text.truncate(at);
        text.push('…');
    }
    Message::of(text)
}

fn first_paragraph(text: &str) -> &str {
    text.trim().split("\n\n").next().unwrap_or_default()
}

/// Why it is a fault and what to do; in Markdown with an example and where to read on.
fn help_of(rule: &Rule) -> Help {
    let mut text = rule.why.trim().to_owned();
    if let Some(advice) = &rule.advice {
        text.push_str(&format!("\n\nWhat to do: {}.", in_general(advice).trim_end_matches('.')));
    }
    let mut markdown = text.clone();
    // The example that shows the fault, and the first way to write it right.
    if let Some(example) = rule.examples.iter().find(|example| example.bad.is_some()) {
        let titles = [("bad", "For example"), ("fixed", "Right"), ("good", "Right")];
        let texts = example.texts();
        let shown = titles.iter().filter_map(|(kind, title)| {
            texts.iter().find(|(known, _)| known == kind).map(|(_, text)| (title, text))
        });
        for (title, text) in shown.take(2) {
            // An example may hold a shorter fence itself.
            markdown.push_str(&format!("\n\n{title}:\n\n````python\n{}\n````", text.trim_end()));
        }
    }
    if !rule.sources.is_empty() {
        let sources: String = rule.sources.iter().map(|source| format!("\n- <{source}>")).collect();
        markdown.push_str(&format!("\n\nSources:\n{sources}"));
    }
    Help { text, markdown }
}
