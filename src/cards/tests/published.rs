//! The same, held against published projects, which lie outside of the repository: `GPULINT_PROJECTS` names the folder with
//! them. Prints a row of a table for each, without a policy and with one: findings with a safe fix, fixes made, files changed, facts
//! before, and facts that are new.

use super::labelled::Project;
use super::{Card, cards, is_beyond};
use crate::findings::{Finding, Safety, Severity, Status};
use crate::fix_loop::{FixSelection, FixedProject, apply_until_stable};
use crate::policy::{Policy, apply_overrides};
use crate::rules::RuleSet;
use crate::sources::Source;
use crate::{Outcome, check};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What the policy of somebody with one card wants of CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER.
const WANTED: [&str; 2] = ["0", "PCI_BUS_ID"];

#[test]
#[ignore = "the projects are not part of the repository"]
fn safe_fixes_of_published_projects_keep_the_card() {
    let folder =
        std::env::var_os("GPULINT_PROJECTS").map(PathBuf::from).expect("GPULINT_PROJECTS names a folder");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "no project lies in {}", folder.display());
    let mut faults = Vec::new();
    let [mask, order] = WANTED;
    let one_card = vec![format!("gpu.visible-devices=\"{mask}\""), format!("gpu.device-order={order}")];
    for folder in &folders {
        for overrides in [vec![], one_card.clone()] {
            let policy = apply_overrides(Policy::default(), &overrides).expect("a policy");
            faults.extend(faults_of(&Project::under(folder, policy)));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn faults_of(project: &Project) -> Vec<String> {
    let settings = &project.settings;
    let safe = FixSelection { risky: false, least: Severity::Warning, fixable: None };
    let fixed = project.settled(false, safe.least);
    let FixedProject { sources, outcome, applied, .. } = &fixed;
    let with = (settings, RuleSet::embedded());
    let again =
        apply_until_stable(sources, outcome, safe, with, &Source::content_on_disk).expect("known rules");
    let unread =
        |outcome: &Outcome| outcome.skipped.iter().map(|one| one.path.clone()).collect::<BTreeSet<_>>();
    let (before, after) = (cards(&project.sources, settings), cards(sources, settings));
    let new: Vec<_> = after.difference(&before).collect();
    let wrong = new.iter().filter(|card| !is_kept(card, &before) && !is_beyond(card));
    let mut faults: Vec<String> = wrong.map(|card| format!("{}: {card:?}", project.name)).collect();
    let broken = unread(outcome);
    faults.extend(broken.difference(&unread(&project.outcome)).map(|path| format!("{path} is broken")));
    faults.extend(again.applied.iter().map(|made| format!("{}: {} is made again", project.name, made.rule)));
    // What a check says of the texts from the start is what the fixes say of them.
    let anew = check(sources, settings, RuleSet::embedded()).expect("known rules");
    let count = |outcome: &Outcome| outcome.findings.iter().map(|one| one.rule.clone()).collect::<Vec<_>>();
    if count(&anew) != count(outcome) {
        faults.push(format!("{}: another check finds something else", project.name));
    }
    let files: BTreeSet<_> = applied.iter().map(|made| made.place.file).collect();
    let policy = if settings.policy.gpu.is_some() { "one card" } else { "none" };
    let is_counted = |finding: &&Finding| {
        let is_safe = finding.fix.as_ref().is_some_and(|fix| fix.safety == Safety::Safe);
        finding.status == Status::Active && finding.counts_from(safe.least) && is_safe
    };
    println!(
        "| {} | {policy} | {} | {} | {} | {} | {} |",
        project.name,
        project.outcome.findings.iter().filter(is_counted).count(),
        applied.len(),
        files.len(),
        before.len(),
        new.len()
    );
    faults
}

/// Whether a card is one that the program took before, or the policy's: each value that a variable may hold was there before
/// in the same program under the same launcher, or the policy wants it. A launcher that set nothing before started the program
/// as it is.
fn is_kept(card: &Card, before: &BTreeSet<Card>) -> bool {
    let of_launcher = |other: &Card| (&other.program, &other.launcher) == (&card.program, &card.launcher);
    let was_launched = before.iter().any(of_launcher);
    let is_same = |other: &&Card| {
        let is_bare = !was_launched && other.program == card.program && other.launcher.is_none();
        other.device == card.device && (of_launcher(other) || is_bare)
    };
    let holds = |known: &[String], wanted: &str, values: &[String]| {
        values.iter().all(|value| value == wanted || known.contains(value))
    };
    before
        .iter()
        .filter(is_same)
        .any(|other| holds(&other.mask, WANTED[0], &card.mask) && holds(&other.order, WANTED[1], &card.order))
}
