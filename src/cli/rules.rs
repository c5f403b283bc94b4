//! `gpulint rule` and `gpulint rules`: what the rules are, and whether they do what they say.

mod pages;

use super::{FOUND, ignoring_closed_pipe};
use crate::examples::test;
use crate::findings::{Confidence, Safety, Severity};
use crate::rules::{ExampleTexts, Loaded, Rule, RuleFix, RuleSet, Section};
use crate::settings::{Request, resolve};
use anyhow::anyhow;
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Args)]
pub struct Explain {
    /// The id of the rule, for example missing-device-order.
    id: String,
    /// Show all examples instead of the first three.
    #[arg(long)]
    all: bool,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct List {
    #[command(subcommand)]
    command: Option<ListCommand>,
    /// Output format; markdown is the whole reference.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "text|json|markdown")]
    format: ListFormat,
}

#[derive(Subcommand)]
enum ListCommand {
    /// Run every example of every rule, or of the rules that are named.
    Test {
        /// Rule ids, such as missing-device-order; all rules without one.
        #[arg(value_name = "ID")]
        ids: Vec<String>,
    },
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ListFormat {
    #[default]
    Text,
    Json,
    Markdown,
}

pub fn explain(arguments: &Explain, out: &mut dyn Write) -> anyhow::Result<u8> {
    let id = &arguments.id;
    // A rule of gpulint itself is explained whatever the policy of this folder is like.
    let rules = match RuleSet::embedded() {
        rules if rules.find(id).is_some() => Loaded::Embedded(rules),
        _ => rules_here()?,
    };
    let rule = rule_called(id, &rules)?;
    ignoring_closed_pipe(pages::page(rule, 1, if arguments.all { usize::MAX } else { pages::FIRST }, out))?;
    Ok(0)
}

pub fn list(arguments: &List, out: &mut dyn Write) -> anyhow::Result<u8> {
    let rules = rules_here()?;
    if let Some(ListCommand::Test { ids }) = &arguments.command {
        let tested: Vec<&Rule> = match ids.is_empty() {
            true => rules.rules().iter().collect(),
            false => ids.iter().map(|id| rule_called(id, &rules)).collect::<anyhow::Result<_>>()?,
        };
        let mut all_hold = true;
        ignoring_closed_pipe(test(&tested, &rules, out).map(|held| all_hold = held))?;
        return Ok(if all_hold { 0 } else { FOUND });
    }
    let written = match arguments.format {
        ListFormat::Text => text(rules.rules(), out),
        ListFormat::Json => json(rules.rules(), out),
        ListFormat::Markdown => pages::reference(rules.rules(), out),
    };
    ignoring_closed_pipe(written)?;
    Ok(0)
}

/// The rule with this id, or a sentence with what may be meant.
fn rule_called<'a>(id: &str, rules: &'a RuleSet) -> anyhow::Result<&'a Rule> {
    rules.find(id).ok_or_else(|| {
        let hint = match rules.nearest(id) {
            Some(near) => format!("did you mean `{near}`?"),
            None if rules.rules().iter().any(|rule| rule.family == id) => {
                return anyhow!("`{id}` is a family of rules; `gpulint rules` lists its rules");
            }
            None => "`gpulint rules` lists them all".to_owned(),
        };
        anyhow!("there is no rule `{id}`; {hint}")
    })
}

/// The rules that hold in the current folder, the project's own included.
fn rules_here() -> anyhow::Result<Loaded> {
    let (settings, _) = resolve(&Request::default())?;
    Ok(Loaded::of(&settings)?)
}

fn text(rules: &[Rule], out: &mut dyn Write) -> io::Result<()> {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    let mut family = None;
    for rule in by_family(rules) {
        if family.replace(&rule.family) != Some(&rule.family) {
            writeln!(out, "{}:", rule.family)?;
        }
        writeln!(out, "  {:width$}  {:7}  {}", rule.id, severity_of(rule), rule.summary.trim_end())?;
    }
    Ok(())
}

fn json(rules: &[Rule], out: &mut dyn Write) -> io::Result<()> {
    let document = Document { rules: by_family(rules).into_iter().map(Entry::of).collect() };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    rules: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    family: &'a str,
    summary: &'a str,
    severity: Option<Severity>,
    confidence: Confidence,
    languages: &'a [String],
    fix: Option<Fix<'a>>,
    sources: &'a [String],
    examples: ExampleTexts,
}

#[derive(Serialize)]
struct Fix<'a> {
    title: &'a str,
    safety: Safety,
}

impl<'a> Entry<'a> {
    fn of(rule: &'a Rule) -> Self {
        Entry {
            id: &rule.id,
            family: &rule.family,
            summary: &rule.summary,
            severity: rule.severity,
            confidence: rule.confidence,
            languages: &rule.languages,
            fix: rule.fix.as_ref().map(|fix| Fix { title: &fix.title, safety: fix.safety }),
            sources: &rule.sources,
            examples: rule.example_texts(),
        }
    }
}

fn by_family(rules: &[Rule]) -> Vec<&Rule> {
    let mut rules: Vec<&Rule> = rules.iter().collect();
    rules.sort_by_key(|rule| (&rule.family, &rule.id));
    rules
}

fn severity_of(rule: &Rule) -> &'static str {
    // Off until a policy or a selection turns it on.
    rule.severity.map_or("off", word)
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn confidence_of(rule: &Rule) -> &'static str {
    match rule.confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

fn safety_of(fix: &RuleFix) -> &'static str {
    match fix.safety {
        Safety::Safe if fix.policy == Some(Section::Gpu) => "safe with a `gpu` section, else unsafe",
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    }
}
