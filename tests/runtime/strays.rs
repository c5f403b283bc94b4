//! Programs that turn to another card than the one they were given, however briefly.

use crate::client::{REFUSED_BY_THE_DRIVER, taking};
use crate::commands::{Said, policy_folder, said};
use crate::folder::Folder;
use crate::validate::{POLICY, Project};
use gpulint::runtime::document::Document;
use gpulint::runtime::prevention::Prevention;
use gpulint::runtime::record::{End, Record};
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
    exec.args(["exec", "--allow-simulated", "--record", "run.json"]).args(options).arg("--").args(command);
    let said = said(exec);
    (said, record_of(&folder))
}

/// What a run in this folder wrote down.
pub fn record_of(folder: &Folder) -> Record {
    Record::read(&folder.path().join("run.json")).expect("it is a record")
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
fn a_command_that_uses_a_forbidden_card_is_ended() {
    let host = SimulatedHost::new();
    let (said, record) = exec(&host, &REACHABLE, &straying(600.0));
    assert_eq!(said.code, Some(124), "{}", said.error);
    assert!(matches!(record.end, End::Stopped { .. }), "{:?}", record.end);
    let sentence = "which the policy forbids: something in it sets CUDA_VISIBLE_DEVICES anew";
    assert_eq!(said.error.matches(sentence).count(), 1, "{}", said.error);
    // Also when it has ended before it was seen, and not when it is asked for a warning.
    let host = forbidden(|card| card.accounting = true);
    let (late, record) = exec(&host, &REACHABLE, &straying(0.0));
    assert_eq!((late.code, record.exit_code), (Some(124), Some(124)), "{}", late.error);
    assert!(late.error.starts_with("error: process "), "{}", late.error);
    let (warned, _) = exec(&host, &[&REACHABLE[..], &["--strays", "warn"]].concat(), &straying(0.0));
    assert_eq!(warned.code, Some(0));
    assert!(warned.error.starts_with("note: process "), "{}", warned.error);
}

#[test]
fn a_card_that_is_only_not_the_one_may_be_forgiven() {
    let host = SimulatedHost::new();
    let only_named = |options: &[&str], command: &[String]| {
        let options = [&REACHABLE[..], &["--config", "gpu.forbidden=[]"], options].concat();
        exec(&host, &options, command).0
    };
    let forgiven = only_named(&[], &straying(1.0));
    assert_eq!(forgiven.code, Some(0), "{}", forgiven.error);
    assert!(forgiven.error.starts_with("note: ") && forgiven.error.contains("used another card, NVIDIA"));
    let strict = only_named(&["--strays", "fail"], &straying(600.0));
    assert_eq!(strict.code, Some(124), "{}", strict.error);
}

#[test]
fn without_the_gpu_there_is_no_card() {
    let host = SimulatedHost::new();
    let cpu = ["--mode", "cpu"];
    let show = ["sh", "-c", "echo \"$CUDA_VISIBLE_DEVICES\""].map(str::to_owned);
    let (said, record) = exec(&host, &cpu, &show);
    assert_eq!((said.code, said.text.as_str(), said.error.as_str()), (Some(0), "-1\n", ""));
    assert_eq!((record.card, record.slot), (None, None));
    assert_eq!(exec(&host, &cpu, &taking(1 << 20, 0.0)).0.code, Some(REFUSED_BY_THE_DRIVER));
    let (anew, record) = exec(&host, &cpu, &straying(0.0));
    match record.prevention {
        Some(Prevention::Hidden { files, .. }) => {
            assert_eq!((anew.code, files.len()), (Some(REFUSED_BY_THE_DRIVER), 2));
        }
        _ => assert!(record.not_checked.iter().any(|one| one.what.contains("used a GPU")), "{record:?}"),
    }
    // It needs no driver.
    let (said, _) = exec(&SimulatedHost::new().without_cuda().without_nvml(), &cpu, &["true".to_owned()]);
    assert_eq!((said.code, said.error.as_str()), (Some(0), ""));
    let (said, _) = exec(&host, &[&cpu[..], &["--max-memory", "1GiB"]].concat(), &show);
    assert_eq!((said.code, said.text.as_str()), (Some(2), ""));
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
fn what_is_in_use_on_a_forbidden_card_is_recorded() {
    let (_, record) = exec(&SimulatedHost::new(), &[], &taking(64 << 20, 0.3));
    let readings = record.readings.expect("it was watched");
    let [card] = readings.forbidden_cards.as_slice() else { panic!("{:?}", readings.forbidden_cards) };
    assert_eq!((card.card.as_str(), card.name.as_str()), (RTX_5060_TI, "NVIDIA GeForce RTX 5060 Ti"));
    let memory = card.memory.expect("the driver told it");
    assert!(memory.samples > 1 && memory.min == memory.max, "{memory:?}");
    // It is looked at as often as the command's own card.
    assert!(card.looks >= readings.samples && card.series.points.len() > 1, "{card:?}");
    assert!(readings.core_clock.is_some_and(|clock| clock.max == 1695), "{:?}", readings.core_clock);
    // Nobody forbids it: nothing is said of it.
    let (_, record) = exec(&SimulatedHost::new(), &["--config", "gpu.forbidden=[]"], &["true".to_owned()]);
    assert_eq!(record.readings.expect("it was watched").forbidden_cards, []);
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
