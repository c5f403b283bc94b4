//! What is said once for a whole project: without a policy nobody knows which of its programs are wrong.

use super::conditions::Verdict;
use super::evaluate::Scope;
use super::schema::{Condition, FindingGroup};
use super::{PolicyRulings, Rule};
use crate::facts::FileId;
use crate::findings::{Audience, Finding, Related, RelativeTime, Severity};
use crate::program::trace::{Event, EventId};
use crate::program::{Convention, Program};
use std::collections::BTreeSet;

/// So many of the other places are shown beside the finding that speaks for all.
const SHOWN: usize = 3;

/// Lets the first finding of a rule speak for the project, and makes notes of the others. Those that the policy gives a
/// severity, and those against what the project does elsewhere, speak for themselves.
pub fn speak_for_project(findings: &mut [Finding], program: &Program<'_>, governed: &PolicyRulings<'_>) {
    for rule in governed.rules() {
        let Some(project) = &rule.for_project else { continue };
        let is_usual = program.keeps_to(project.convention);
        // What tests share does not reach a script that calls its own, and ends where one fails.
        let by_tests = project.convention == Convention::CleanUp;
        let is_of_script = |file| !program.is_of_tests(file) && !program.text_of(file).contains("unittest");
        let name_of = |finding: &Finding| program.name_of(finding.place.file);
        let mut alike: Vec<usize> = Vec::new();
        for (at, finding) in findings.iter_mut().enumerate() {
            if finding.rule != rule.id || finding.speaks != Audience::ForOneOfMany {
                continue;
            }
            // Also one that is suppressed: who accepts the first accepts what it says of all.
            let is_open = finding.severity >= Severity::Warning;
            let is_usual = is_usual && !(by_tests && is_of_script(finding.place.file));
            let is_set = governed.severity_in(&rule.id, finding.place.file, name_of(finding)).is_some();
            if is_open && !is_usual && !is_set {
                alike.push(at);
            } else {
                finding.speaks = Audience::ForItself;
            }
        }
        // A test says least about where the project runs, and a module that is tried out in its own file little.
        let order = |finding: &Finding| {
            let file = finding.place.file;
            let says_little = (program.lies_among_tests(file), program.is_imported(file));
            (says_little, name_of(finding).to_owned(), finding.place)
        };
        alike.sort_by_key(|&at| order(&findings[at]));
        let Some((&first, others)) = alike.split_first() else { continue };
        for &other in if project.together.is_some() { others } else { &alike } {
            findings[other].severity = Severity::Note;
            if project.together.is_none() {
                findings[other].speaks = Audience::ForItself;
            }
        }
        if let Some(together) = &project.together {
            let next = next_places(findings, others, &together.related);
            let programs: BTreeSet<FileId> =
                alike.iter().flat_map(|&at| findings[at].programs.iter().copied()).collect();
            let finding = &mut findings[first];
            finding.speaks = Audience::ForProject;
            if !others.is_empty() {
                finding.message = together.filled(programs.len(), alike.len());
                finding.advice = Some(together.advice.clone());
                finding.related.extend(next);
                finding.programs = programs.into_iter().collect();
            }
        }
    }
}

/// The first of the other places, to stand beside the one that speaks for them.
pub(super) fn next_places(findings: &[Finding], others: &[usize], message: &str) -> Vec<Related> {
    let next = others.iter().take(SHOWN).map(|&at| Related {
        place: findings[at].place,
        message: message.to_owned(),
        moment: RelativeTime::Unordered,
    });
    next.collect()
}

impl Scope<'_> {
    /// For whom a finding speaks, and how severe it is at most. Where the policy does not decide, a program speaks for
    /// itself only where its code says what it wants.
    pub(super) fn speaks(&self, rule: &Rule, id: EventId, event: &Event) -> (Audience, Option<Severity>) {
        let Some(project) = rule.for_project.as_ref().filter(|_| !self.is_decided(rule)) else {
            return (Audience::ForItself, None);
        };
        let holds = |condition: &Option<Condition>| {
            let holds = |condition| self.holds(condition, id, event, &mut Verdict::default());
            condition.as_ref().is_some_and(holds)
        };
        let speaks = if holds(&project.unless) { Audience::ForItself } else { Audience::ForOneOfMany };
        (speaks, holds(&project.note_where).then_some(Severity::Note))
    }

    /// Whether the policy has the section that a rule belongs to.
    pub(super) fn is_decided(&self, rule: &Rule) -> bool {
        rule.is_decided_by(self.policy, self.cpu.is_some())
    }
}

impl FindingGroup {
    fn filled(&self, programs: usize, places: usize) -> String {
        let message = self.message.replace("{programs}", &programs.to_string());
        message.replace("{places}", &places.to_string())
    }
}
