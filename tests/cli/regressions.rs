//! Twenty regressions of each kind are found in what `--since` and the commit hook compare, and twenty changes of each kind
//! that mean nothing are silent. `tests/packaging` has the same for the steps of the Action.

use crate::broken::{self, Case, POLICY};
use crate::git::{commit, git};
use crate::project::{Answer, Project};
use std::collections::BTreeSet;
use std::fs;

/// A repository with the project as it was, and the changes on disk.
fn changed(cases: &[Case]) -> Project {
    let files = cases.iter().flat_map(Case::before);
    let project = files
        .fold(Project::new().file("gpulint.yaml", POLICY), |project, (name, text)| project.file(name, text));
    git(&project, "init -q");
    commit(&project);
    project.run("check -q --min-severity error --fail-on error").is(0, "", "");
    cases.iter().map(Case::after).fold(project, |project, (name, text)| project.file(&name, text))
}

/// The folders with a new finding.
fn folders(answer: &Answer) -> BTreeSet<String> {
    let json = answer.json();
    let folder = |path: &str| match path.strip_prefix(".github/workflows/") {
        Some(workflow) => workflow.trim_end_matches(".yml").to_owned(),
        None => path.split('/').next().unwrap_or_default().to_owned(),
    };
    let findings = json["findings"].as_array().expect("a list");
    findings.iter().map(|finding| folder(finding["path"].as_str().expect("a path"))).collect()
}

#[test]
fn regressions_of_each_kind_are_found() {
    let cases = broken::regressions();
    assert_eq!(cases.len(), 7 * 20);
    let expected: BTreeSet<String> = cases.iter().map(|case| case.folder.clone()).collect();
    let project = changed(&cases);
    let missed = |answer: &Answer| expected.difference(&folders(answer)).cloned().collect::<Vec<_>>();
    let since = project.run("check --format json --since HEAD");
    assert_eq!((since.code, missed(&since)), (Some(1), vec![]));
    git(&project, "add -A");
    let changed: Vec<String> = cases.iter().map(|case| case.after().0).collect();
    let hook = project.run(&format!("check --format json --staged --force-exclude {}", changed.join(" ")));
    assert_eq!((hook.code, missed(&hook)), (Some(1), vec![]));
    commit(&project);
    let pushed = project.run("check --format json --since HEAD~1");
    assert_eq!((pushed.code, folders(&pushed)), (Some(1), folders(&since)));
}

#[test]
fn changes_that_mean_nothing_are_silent() {
    let cases = broken::harmless();
    assert_eq!(cases.len(), 7 * 20);
    let project = changed(&cases);
    let since = project.run("check --format json --since HEAD");
    assert_eq!((since.code, since.findings()), (Some(0), vec![]));
    git(&project, "add -A");
    let hook = project.run("check --format json --staged");
    assert_eq!((hook.code, hook.findings()), (Some(0), vec![]));
}

/// The policy changes, and with it what is right: each program that could know is found.
#[test]
fn a_policy_that_changes_is_found_in_every_program() {
    let cases = broken::harmless();
    let project = changed(&cases);
    commit(&project);
    let on_machines = |folder: &&String| !folder.starts_with("dockerfile") && !folder.starts_with("compose");
    let folders_of = |cases: &[Case]| cases.iter().map(|case| case.folder.clone()).collect::<BTreeSet<_>>();
    let all = folders_of(&cases);
    let expected: BTreeSet<&String> = all.iter().filter(on_machines).collect();
    for policy in [
        "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n",
        "gpu: {visible-devices: [\"2\", \"3\"], device-order: PCI_BUS_ID}\n",
        "gpu: {visible-devices: GPU-8932f937-d72c-4106-c12f-20bd9faed9f6}\n",
        "gpu: {visible-devices: \"0\", device-order: FASTEST_FIRST}\n",
    ] {
        fs::write(project.path("gpulint.yaml"), policy).expect("writable");
        let answer = project.run("check --format json --since HEAD");
        let found = folders(&answer);
        let missed: Vec<_> = expected.iter().filter(|folder| !found.contains(**folder)).collect();
        assert!(answer.code == Some(1) && missed.is_empty(), "{policy}: {missed:?}");
    }
}
