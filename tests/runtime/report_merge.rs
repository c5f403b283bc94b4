//! `gpulint report merge` on the reports of simulated hosts, as the workflow of a fleet uses it.

use crate::commands::{Said, said};
use crate::folder::Folder;
use crate::validate::{POLICY, Project};
use serde_json::Value;
use simulated_gpu_host::{Fault, SimulatedHost};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A host of the fleet whose allowed card has this UUID.
fn host(uuid: &str) -> SimulatedHost {
    let of_allowed = "GPU-30903090-0000-4000-8000-000000000002";
    SimulatedHost::new().changed(|host| {
        host.cards
            .iter_mut()
            .filter(|card| card.uuid == of_allowed)
            .for_each(|card| card.uuid = uuid.to_owned());
    })
}

/// Validates a host in a folder of its own, and leaves the report in `reports`.
fn report(host: SimulatedHost, policy: &str, file: &Path) -> Option<i32> {
    let project = Project::of(host, policy);
    let output = format!("json={}", file.display());
    said(project.command(&["--output", &output])).code
}

fn merge(words: &[&dyn AsRef<OsStr>]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpulint"));
    command.args(["report", "merge"]).args(words.iter().map(|word| (*word).as_ref()));
    said(command)
}

#[test]
fn one_verdict_of_a_fleet() {
    let folder = Folder::new("fleet");
    let reports = folder.path().join("reports");
    fs::create_dir_all(reports.join("node-2")).expect("the temporary folder is writable");
    let (one, two, three) =
        (reports.join("one.json"), reports.join("node-2/two.json"), reports.join("three.json"));
    assert_eq!(report(host("GPU-00000001-0000-4000-8000-000000000000"), POLICY, &one), Some(0));
    assert_eq!(report(host("GPU-00000002-0000-4000-8000-000000000000"), POLICY, &two), Some(0));
    let page = folder.path().join("fleet.md");
    let output = format!("markdown={}", page.display());
    let approved = merge(&[&reports, &"--expect", &"2", &"--output", &output]);
    assert_eq!(approved.code, Some(0), "{approved:?}");
    assert!(approved.text.starts_with("gpulint report merge: approved\nsimulated: "), "{}", approved.text);
    let page = fs::read_to_string(page).expect("it was written");
    assert!(page.starts_with("## gpulint report merge: approved\n"), "{page}");
    // A machine of which nothing came is not approved.
    assert_eq!(merge(&[&reports, &"--expect", &"3"]).code, Some(6));
    let leaking = host("GPU-00000003-0000-4000-8000-000000000000");
    let leaking = leaking.with(Fault::Leak { bytes: 2 << 20, in_pool: false, card: None });
    assert_eq!(report(leaking, POLICY, &three), Some(4));
    let rejected = merge(&[&three, &one, &two, &one, &"--expect", &"3", &"--format", &"json"]);
    assert_eq!(rejected.code, Some(4), "{}", rejected.error);
    let document: Value = serde_json::from_str(&rejected.text).expect("it is a document");
    assert_eq!((&document["verdict"], &document["copies"]), (&"rejected".into(), &1.into()));
    assert_eq!(document["reasons"][0]["code"], "leak");
    let reason = document["reasons"][0]["message"].as_str().expect("a sentence");
    assert!(reason.contains("NVIDIA GeForce RTX 3090 (GPU-00000003…): "), "{reason}");
    // What comes of another policy is not merged.
    let other = reports.join("other.json");
    let policy = POLICY.replace("20GiB", "10GiB");
    assert_eq!(report(host("GPU-00000004-0000-4000-8000-000000000000"), &policy, &other), Some(0));
    let refused = merge(&[&reports]);
    assert_eq!((refused.code, refused.text.as_str()), (Some(2), ""));
    assert!(refused.error.starts_with("error: the reports are of several policies: `"), "{}", refused.error);
}

#[test]
fn what_cannot_be_used_is_said() {
    let folder = Folder::new("fleet");
    let absent = folder.path().join("absent.json");
    let refused = merge(&[&absent]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.error.contains(&format!("cannot read the report {}", absent.display())),
        "{}",
        refused.error
    );
    let empty = merge(&[&folder.path()]);
    assert_eq!(empty.code, Some(2));
    assert!(empty.error.contains("holds no file whose name ends with `.json`"), "{}", empty.error);
    let record = folder.path().join("record.json");
    fs::write(&record, r#"{"schema": 1, "tool": "gpulint", "version": "0.1.0", "command": []}"#)
        .expect("the temporary folder is writable");
    let refused = merge(&[&record]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.error.contains("there is no report to merge: "), "{}", refused.error);
    assert_eq!(merge(&[]).code, Some(2));
}
