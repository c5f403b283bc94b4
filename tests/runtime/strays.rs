//! Programs that turn to another card than the one they were given, however briefly.

use crate::client::{REFUSED_BY_THE_DRIVER, taking};
use crate::commands::{Said, policy_folder, said};
use crate::validate::{POLICY, Project};
use gpulint::runtime::document::Document;
use gpulint::runtime::prevention::Prevention;
use gpulint::runtime::record::Record;
use simulated_gpu_host::{Card, SimulatedHost};

const RTX_5060_TI: &str = "GPU-50605060-0000-4000-8000-000000000001";

/// Then it is only watched.
const REACHABLE: [&str; 2] = ["--hide-cards", "never"];

/// The forbidden card, described otherwise.
fn forbidden(change: impl Fn(&mut Card)) -> SimulatedHost {
    SimulatedHost::new().changed(|host| change(&mut host.cards[0]))
}

/// A program that turns to the forbidden card for so long.
fn straying(seconds: f64) -> Vec<String> {
    let words = ["env".to_owned(), format!("CUDA_VISIBLE_DEVICES={RTX_5060_TI}")];
    words.into_iter().chain(taking(64 << 20, seconds)).collect()
}

fn exec(host: &SimulatedHost, options: &[&str], command: &[String]) -> (Said, Record) {
    let folder = policy_folder(POLICY);
    let mut exec = host.command(env!("CARGO_BIN_EXE_gpulint"));
    exec.current_dir(folder.path()).env("GPULINT_SLOT_DIR", folder.path().join("slots")).env_remove("CI");
    exec.args(["exec", "--record", "run.json"]).args(options).arg("--").args(command);
    let said = said(exec);
    (said, Record::read(&folder.path().join("run.json")).expect("it is a record"))
}

#[test]
fn who_was_on_another_card_between_two_looks_is_remembered_by_the_driver() {
    let hosts = [forbidden(|card| card.utilisation = (50, 10)), forbidden(|card| card.accounting = true)];
    for host in hosts {
        let (said, record) = exec(&host, &REACHABLE, &straying(0.0));
        let strays = record.readings.map(|readings| readings.strays).unwrap_or_default();
        let told: Vec<_> =
            strays.iter().map(|one| (one.card.as_str(), one.forbidden, one.unclaimed)).collect();
        assert_eq!(told, [(RTX_5060_TI, true, false)]);
        let name =
            "NVIDIA GeForce RTX 5060 Ti (GPU-50605060-0000-4000-8000-000000000001), which the policy forbids";
        assert!(said.error.contains(name), "{}", said.error);
    }
}

#[test]
fn one_use_of_a_forbidden_card_is_a_rejection() {
    let command = serde_json::to_string(&straying(0.05)).expect("it can be written");
    let policy = format!(
        "{POLICY}runtime: {{iterations: 1, targets: [{{name: tts, command: {command}, mode: gpu}}]}}\n"
    );
    let validated = Project::of(forbidden(|card| card.accounting = true), &policy).validated(&REACHABLE);
    assert_eq!((validated.code, validated.reasons), (Some(4), vec!["wrong-card".to_owned()]));
    let reasons = validated.document["reasons"].to_string();
    assert!(reasons.contains("RTX 5060 Ti") && reasons.contains("which the policy forbids"), "{reasons}");
}

#[test]
fn who_was_there_before_is_nobody_of_the_command() {
    let host = forbidden(|card| card.accounting = true);
    let mut earlier = host.command("env");
    earlier.args(&straying(0.0)[1..]);
    assert_eq!(said(earlier).code, Some(0));
    let (said, record) = exec(&host, &[], &["true".to_owned()]);
    assert_eq!((said.code, said.error.as_str()), (Some(0), ""));
    assert_eq!(record.readings.map(|readings| readings.strays), Some(Vec::new()));
}

/// What is not prevented is said; tests may run where it cannot be.
fn is_prevented(record: &Record) -> bool {
    match &record.prevention {
        Some(Prevention::Hidden { files, .. }) => {
            assert!(matches!(files.as_slice(), [file] if file.ends_with("dev/nvidia0")), "{files:?}");
            assert!(record.not_checked.is_empty(), "{:?}", record.not_checked);
            true
        }
        Some(Prevention::NotPossible { why }) => {
            let said = record.not_checked.iter().find(|one| one.why.contains(why)).expect("it is said");
            assert!(said.what.contains("RTX 5060 Ti (GPU-50605060…), which the policy forbids"), "{said:?}");
            false
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn another_card_is_out_of_reach() {
    let host = SimulatedHost::new();
    for seconds in [0.0, 0.45] {
        let (said, record) = exec(&host, &[], &straying(seconds));
        if is_prevented(&record) {
            assert_eq!(said.code, Some(REFUSED_BY_THE_DRIVER));
            assert!(host.accounts().processes(RTX_5060_TI).is_empty());
        }
    }
    // Its own card it gets as before.
    let (said, record) = exec(&host, &[], &taking(64 << 20, 0.3));
    assert_eq!((said.code, said.error.as_str()), (Some(0), ""));
    let memory = record.readings.and_then(|readings| readings.command_memory);
    assert!(memory.is_some_and(|memory| memory.max >= 64 << 20), "{memory:?}");
    let (_, record) = exec(&host, &REACHABLE, &["true".to_owned()]);
    assert!(!is_prevented(&record));
}

#[test]
fn a_target_that_turns_to_the_forbidden_card_for_a_moment_is_not_approved() {
    let command = serde_json::to_string(&straying(0.05)).expect("it can be written");
    let policy = format!(
        "{POLICY}runtime: {{iterations: 2, targets: [{{name: tts, command: {command}, mode: gpu}}]}}\n"
    );
    let validated = Project::of(SimulatedHost::new(), &policy).validated(&[]);
    let target = &validated.document["checks"][2];
    if target["record"]["prevention"]["outcome"] == "hidden" {
        assert_eq!((validated.code, validated.reasons), (Some(4), vec!["command-failed".to_owned()]));
    } else {
        let unchecked = validated.document["not_checked"].to_string();
        assert!(unchecked.contains("RTX 5060 Ti (GPU-50605060…), which the policy forbids"), "{unchecked}");
    }
}

#[test]
fn one_card_alone_needs_no_prevention() {
    let alone = SimulatedHost::new().changed(|host| host.cards.retain(|card| card.name.contains("3090")));
    let (said, record) = exec(&alone, &[], &["true".to_owned()]);
    assert_eq!((said.code, record.prevention), (Some(0), Some(Prevention::NothingToHide)));
}

#[test]
fn without_device_files_it_is_said_that_nothing_is_prevented() {
    let host = SimulatedHost::new();
    std::fs::remove_dir_all(host.devices()).expect("it was there");
    let (said, record) = exec(&host, &[], &["true".to_owned()]);
    assert_eq!(said.code, Some(0));
    assert!(!is_prevented(&record));
}
