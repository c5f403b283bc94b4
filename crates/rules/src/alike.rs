//! What many places say in the same words is said once: without a policy the first of them speaks for the project.

use super::for_project::next_places;
use super::governed::PolicyRulings;
use crate::findings::{Audience, Finding, Severity, Status};
use crate::program::Program;
use std::collections::BTreeMap;

/// So many places each speak for themselves.
const FEW: usize = 5;

/// Where more than a few findings of a rule are about one name, lets the first speak for them, and makes notes of the
/// others. Those that the policy decides or gives a severity speak for themselves.
pub fn gather_alike(findings: &mut [Finding], program: &Program<'_>, governed: &PolicyRulings<'_>) {
    for rule in governed.rules().into_iter().filter(|rule| rule.alike) {
        let name_of = |finding: &Finding| program.name_of(finding.place.file);
        let is_alike = |finding: &Finding| {
            let is_decided = || {
                let ruling = governed.about(finding);
                rule.is_decided_by(ruling.policy, ruling.cpu.is_some())
            };
            finding.rule == rule.id
                && finding.status == Status::Active
                && finding.severity >= Severity::Warning
                && !is_decided()
                && governed.severity_in(&rule.id, finding.place.file, name_of(finding)).is_none()
        };
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| is_alike(finding)) {
            let name = finding.value("name").unwrap_or_default();
            by_name.entry(name.to_owned()).or_default().push(at);
        }
        for mut alike in by_name.into_values().filter(|alike| alike.len() > FEW) {
            alike.sort_by_key(|&at| (name_of(&findings[at]), findings[at].place));
            speak_for(&alike, findings);
        }
    }
}

fn speak_for(alike: &[usize], findings: &mut [Finding]) {
    let Some((&first, others)) = alike.split_first() else { return };
    for &other in others {
        findings[other].severity = Severity::Note;
        findings[other].speaks = Audience::ForOneOfMany;
    }
    let shown = next_places(findings, others, "so does this place");
    let finding = &mut findings[first];
    finding.speaks = Audience::ForProject;
    finding.message.push_str(&format!("; {} more places do the same", others.len()));
    finding.related.extend(shown);
}
