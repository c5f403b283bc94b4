//! Programs that turn to another card than the one they were given, however briefly.

use crate::client::taking;
use crate::commands::{Said, policy_folder, said};
use crate::validate::{POLICY, Project};
use gpulint::runtime::document::Document;
use gpulint::runtime::record::Record;
use simulated_gpu_host::{Card, SimulatedHost};

const RTX_5060_TI: &str = "GPU-50605060-0000-4000-8000-000000000001";

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
        let (said, record) = exec(&host, &[], &straying(0.0));
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
    let validated = Project::of(forbidden(|card| card.accounting = true), &policy).validated(&[]);
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
