//! The same programs where other variables are set when they are started: which of them change their card, and which have none.

use super::machine::Card;
use super::programs::ProgramLine;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What another environment changes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WhatIf {
    /// The variables that are set.
    pub environment: BTreeMap<String, String>,
    /// Programs that take another card, or that would fail.
    pub changes: Vec<Change>,
    /// How many programs that use a GPU take the same card, whatever is set outside.
    pub same: usize,
}

/// A program whose card changes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Change {
    pub before: BTreeSet<Card>,
    /// How it is in the other environment.
    pub program: ProgramLine,
    /// It takes another card than before.
    pub differs: bool,
    /// It finds no such card.
    pub fails: bool,
}

impl WhatIf {
    pub fn of(given: &[(String, String)], before: &[ProgramLine], after: Vec<ProgramLine>) -> WhatIf {
        let mut known: BTreeMap<_, BTreeSet<Card>> = BTreeMap::new();
        for line in before {
            known.entry(line.key()).or_default().extend(line.cards.iter().cloned());
        }
        let mut programs: BTreeMap<(String, String, Option<super::PlaceText>), ProgramLine> = BTreeMap::new();
        for line in after.into_iter().filter(ProgramLine::uses_gpu) {
            let key = (line.path.clone(), line.start.clone(), line.launcher.clone());
            match programs.get_mut(&key) {
                Some(first) => first.cards.extend(line.cards),
                None => _ = programs.insert(key, line),
            }
        }
        let (mut changes, mut same) = (Vec::new(), 0);
        for program in programs.into_values() {
            let before = known.get(&program.key()).cloned().unwrap_or_default();
            let fails = program.cards.iter().any(Card::fails);
            let differs = before != program.cards;
            same += usize::from(!differs);
            if differs || fails {
                changes.push(Change { before, program, differs, fails });
            }
        }
        WhatIf { environment: given.iter().cloned().collect(), changes, same }
    }
}

impl WhatIf {
    /// How many programs change, in one sentence.
    pub fn headline(&self) -> String {
        let set: Vec<String> =
            self.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let change = self.changes.iter().filter(|change| change.differs).count();
        let fail = self.changes.iter().filter(|change| change.fails).count();
        let all = change + self.same;
        let programs = if all == 1 { "program that uses" } else { "programs that use" };
        let changes = if change == 1 { "changes its" } else { "change their" };
        let finds = if fail == 1 { "finds" } else { "find" };
        format!(
            "With {}: of {all} {programs} a GPU, {change} {changes} card, and {fail} {finds} none.",
            set.join(" ")
        )
    }
}

impl Change {
    /// The cards before, for people.
    pub fn before_words(&self) -> String {
        match self.before.is_empty() {
            true => "none".to_owned(),
            false => self.before.iter().map(Card::words).collect::<Vec<_>>().join(" or "),
        }
    }
}
