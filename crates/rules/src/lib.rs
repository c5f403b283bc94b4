//! Rules: one YAML file each, embedded at build. A rule finds effects in traces and says when they are
//! a fault.

mod alike;
mod analyses;
pub mod architectures;
mod at_import;
mod conditions;
mod cpu_choices;
pub mod decided;
mod environments;
mod evaluate;
mod events_by_kind;
mod example;
pub mod explain;
mod files;
mod first_uses;
mod fixers;
mod for_programs;
mod for_project;
mod forks;
mod form;
mod given_again;
mod governed;
mod gpu_questions;
mod late_pins;
mod late_settings;
mod lifetimes;
mod mask_in_force;
mod matching;
mod measured;
mod own;
mod places;
mod prefilter;
mod ranks;
mod refused;
mod related;
mod schema;
mod selection;
mod tried;
mod unread;
mod uses;
mod validation;
mod values;
pub mod wording;

pub use alike::{gather_alike, speak_for_generated};
pub use analyses::{AskedPlace, meant_device};
pub use evaluate::{Scope, ScopeKind, findings_of};
pub use example::{Example, ExampleTexts, Examples, Files};
pub use files::FileRules;
pub use files::asked_in;
pub use fixers::FIXERS;
pub use for_programs::speak_for_programs;
pub use for_project::speak_for_project;
pub use governed::{PolicyRulings, Ruling};
pub use measured::Measured;
pub use own::Loaded;
pub use schema::{Rule, RuleFix, Section};
pub use selection::{Selection, UnknownSelector, nearest};
pub use unread::soften_where_unread;

// A module goes by one path in all packages: `crate::sources`, `crate::rules::wording`.
extern crate self as rules;
use gpulint_base::{allocator, code, commands, disk, facts, findings, masks, policy, settings, sources};
use gpulint_languages::{self as languages, versions};
use gpulint_program as program;

use crate::program::knowledge::Knowledge;
use anyhow::{Context, Result};
use gpulint_rule_files::FILES as EMBEDDED;
use std::sync::LazyLock;

/// What under `rules/` is knowledge and no rule.
const KNOWLEDGE: &[&str] = &["commands/", "effects/", "packages/", "tables/", "environment.yaml"];

/// All rules, and what they know about libraries.
#[derive(Debug)]
pub struct RuleSet {
    rules: Vec<Rule>,
    pub knowledge: Knowledge,
    /// Some of the rules are the project's own.
    has_own: bool,
}

impl RuleSet {
    /// The rules that the program was built with.
    pub fn embedded() -> &'static RuleSet {
        static RULES: LazyLock<RuleSet> = LazyLock::new(RuleSet::built_in);
        &RULES
    }

    fn built_in() -> RuleSet {
        // The files are part of the program: `tests/rules` proves that they can be read.
        let texts = EMBEDDED.iter().map(|(path, text, _)| (*path, *text));
        let mut rules = RuleSet::read(texts).expect("embedded rules are valid");
        for rule in &mut rules.rules {
            let path = format!("{}/{}.yaml", rule.family, rule.id);
            let found = EMBEDDED.binary_search_by_key(&path.as_str(), |(path, ..)| path);
            rule.examples =
                found.map_or_else(|_| Examples::default(), |at| Examples::embedded(EMBEDDED[at].2));
        }
        rules
    }

    /// Reads rules and knowledge, given as (path below `rules/`, text).
    pub fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<RuleSet> {
        let mut rules = Vec::new();
        let mut knowledge = Vec::new();
        for (path, text) in files {
            if KNOWLEDGE.iter().any(|folder| path.starts_with(folder)) {
                knowledge.push((path, text));
            } else if let Some((family, _)) = path.split_once('/') {
                rules.push(Rule::read(family, text).with_context(|| format!("rules/{path}"))?);
            }
        }
        rules.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(RuleSet { rules, knowledge: Knowledge::read(knowledge)?, has_own: false })
    }

    /// These rules, and more.
    fn and(mut self, more: impl Iterator<Item = Rule>) -> RuleSet {
        let known = self.rules.len();
        self.rules.extend(more);
        self.has_own |= self.rules.len() > known;
        self.rules.sort_by(|one, other| one.id.cmp(&other.id));
        self
    }

    /// Whether some of the rules are the project's own: they may speak of what has nothing to do with GPUs.
    pub fn has_own(&self) -> bool {
        self.has_own
    }

    /// All rules, by id.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule with this id.
    pub fn find(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The id that is most like `id`, when one is.
    pub fn nearest(&self, id: &str) -> Option<&str> {
        selection::nearest(id, self.rules.iter().map(|rule| rule.id.as_str()))
    }
}
