//! What many places say in the same words is said once: without a policy the first of them speaks for the project.

use super::for_project::next_places;
use super::governed::PolicyRulings;
use super::schema::OnceForModule;
use crate::facts::{FileId, Place};
use crate::findings::{Audience, Finding, Severity, Status};
use crate::program::Program;
use std::collections::BTreeMap;

/// So many places each speak for themselves, where a rule says no other number.
const FEW: usize = 5;

/// Where more than a few findings of a rule are about one name, lets the first speak for them, and makes notes of the
/// others; what is said there of a second name is said once too. Of several objects that one module makes the first speaks for
/// all. Those that the policy decides or gives a severity speak for themselves.
pub fn gather_alike(findings: &mut [Finding], program: &Program<'_>, governed: &PolicyRulings<'_>) {
    for rule in governed.rules().into_iter().filter(|rule| rule.alike || rule.once_for_module.is_some()) {
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
        let mut by_module: BTreeMap<(FileId, &str), Vec<usize>> = BTreeMap::new();
        let word = rule.once_for_module.as_ref().and_then(|once| once.by.as_deref());
        for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| is_alike(finding)) {
            let name = finding.value(rule.alike_by.as_deref().unwrap_or("name")).unwrap_or_default();
            by_name.entry(name.to_owned()).or_default().push(at);
            let said = word.and_then(|word| finding.value(word)).map_or("", number_or_all);
            let language = program.language_at(finding.place).name();
            let is_meant = |once: &OnceForModule| {
                once.languages.is_empty() || once.languages.iter().any(|meant| meant == language)
            };
            if rule.once_for_module.as_ref().is_some_and(is_meant) {
                by_module.entry((finding.place.file, said)).or_default().push(at);
            }
        }
        let few = rule.few_alike.unwrap_or(FEW);
        let is_told_once = rule.alike && by_name.values().any(|alike| alike.len() > few);
        let mut each: Vec<usize> =
            by_name.values().flatten().copied().filter(|_| rule.alike && !is_told_once).collect();
        let groups: Vec<_> = match is_told_once {
            true => by_name.into_values().collect(),
            false if rule.once_for_module.is_some() => by_module.into_values().collect(),
            false => Vec::new(),
        };
        let most = rule.once_for_module.as_ref().filter(|_| !is_told_once).map_or(1, |once| once.few);
        for mut alike in groups.into_iter().filter(|alike| alike.len() > most) {
            alike.sort_by_key(|&at| (name_of(&findings[at]), findings[at].place));
            speak_for(&alike, is_told_once, findings);
            each.retain(|at| !alike.contains(at));
            // Fixed one after the other, each would be the warning of the next run.
            if rule.fix.is_some() {
                alike[1..].iter().for_each(|&at| findings[at].speaks = Audience::ForOneOfMany);
            }
        }
        speak_for_pages(each, rule.fix.is_some(), findings, program);
    }
}

/// A page that shows the code of a file has the same fault: the file speaks.
fn speak_for_pages(mut open: Vec<usize>, is_fixable: bool, findings: &mut [Finding], program: &Program<'_>) {
    // A page shows code, and is not where it runs.
    open.sort_by_key(|&at| {
        let place = findings[at].place;
        (is_page(place, program), program.name_of(place.file), place)
    });
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in open {
        match groups.iter_mut().find(|group| is_shown(&findings[group[0]], &findings[at], program)) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    for group in groups.into_iter().filter(|group| group.len() > 1) {
        speak_for(&group, false, findings);
        if is_fixable {
            group[1..].iter().for_each(|&at| findings[at].speaks = Audience::ForOneOfMany);
        }
    }
}

/// Whether one place shows the line of the other.
fn is_shown(one: &Finding, other: &Finding, program: &Program<'_>) -> bool {
    let (one, other) = (one.place, other.place);
    let is_one_shown = is_page(one, program) || is_page(other, program);
    let line = |place: Place| {
        let source = program.sources.file(place.file);
        source.line_text(source.line_column(place.span.start).0).trim()
    };
    one.file != other.file && is_one_shown && !line(one).is_empty() && line(one) == line(other)
}

/// Whether a place lies in a page of documentation.
fn is_page(place: Place, program: &Program<'_>) -> bool {
    program.name_of(place.file).ends_with(".md")
}

/// `cuda:3` and `3` are one device.
fn number_or_all(text: &str) -> &str {
    let number = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    if number.is_empty() { text } else { number }
}

fn speak_for(alike: &[usize], is_of_project: bool, findings: &mut [Finding]) {
    let Some((&first, others)) = alike.split_first() else { return };
    for &other in others {
        findings[other].severity = Severity::Note;
        findings[other].speaks = if is_of_project { Audience::ForOneOfMany } else { Audience::ForItself };
    }
    let shown = next_places(findings, others, "so does this place");
    let finding = &mut findings[first];
    if is_of_project {
        finding.speaks = Audience::ForProject;
    }
    finding.message.push_str(&match others.len() {
        1 => "; one more place does the same".to_owned(),
        count => format!("; {count} more places do the same"),
    });
    finding.related.extend(shown);
}
