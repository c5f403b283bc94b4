//! What `gpulint exec` watches and writes down.

use crate::client::taking;
use crate::commands::{Said, policy_folder, said};
use serde_json::Value;
use simulated_gpu_host::{Fault, SimulatedHost};

const POLICY: &str = "gpu: {name: RTX 3090, forbidden: [RTX 5060 Ti]}";

/// What a run said, its record, and its metrics.
fn run(host: &SimulatedHost, options: &[&str], command: &[impl AsRef<str>]) -> (Said, Value, String) {
    let folder = policy_folder(POLICY);
    let mut exec = host.command(env!("CARGO_BIN_EXE_gpulint"));
    exec.current_dir(folder.path()).env("GPULINT_SLOT_DIR", folder.path().join("slots"));
    exec.args(["exec", "--allow-simulated", "--record", "run.json", "--metrics-file", "run.prom"])
        .args(options)
        .arg("--");
    exec.args(command.iter().map(AsRef::as_ref));
    let answer = said(exec);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("it was written");
    let record = serde_json::from_str(&read("run.json")).expect("it is JSON");
    (answer, record, read("run.prom"))
}

#[test]
fn a_run_is_written_down() {
    let command = ["sh", "-c", "echo throughput 12.5 images/s >> $GPULINT_REPORT; exit 3"];
    let (answer, record, metrics) = run(&SimulatedHost::new(), &[], &command);
    assert_eq!(answer, Said::of(3, "", ""));
    assert_eq!(record["end"], serde_json::json!({"kind": "exited", "code": 3}));
    assert_eq!(record["exit_code"], 3);
    assert_eq!(record["simulated"], true);
    assert_eq!(record["card"]["name"], "NVIDIA GeForce RTX 3090");
    assert_eq!(record["environment"]["CUDA_DEVICE_ORDER"], "PCI_BUS_ID");
    assert_eq!(record["returned"]["outcome"], "back");
    assert_eq!(record["reported"][0]["value"], 12.5);
    assert_eq!(record["slot"]["place"], 0);
    assert!(metrics.contains("# TYPE gpulint_run_wall_seconds gauge"), "{metrics}");
    assert!(metrics.contains("gpu_name=\"NVIDIA GeForce RTX 3090\""), "{metrics}");
}

#[test]
fn a_refusal_is_written_down() {
    let host = SimulatedHost::new().changed(|host| host.cards.clear());
    let (answer, record, _) = run(&host, &[], &["echo", "it ran"]);
    assert_eq!((answer.code, answer.text.as_str()), (Some(5), ""));
    assert_eq!(record["end"]["kind"], "refused");
    assert_eq!(record["exit_code"], 5);
    let (answer, record, _) = run(&SimulatedHost::new(), &[], &["no-such-program"]);
    assert_eq!(answer.code, Some(2));
    assert_eq!(record["end"]["kind"], "not_started");
}

#[test]
fn a_command_that_takes_another_card_is_seen() {
    let elsewhere = ["env", "CUDA_VISIBLE_DEVICES=0"].map(str::to_owned);
    let command: Vec<String> = elsewhere.into_iter().chain(taking(64 << 20, 3.0)).collect();
    let watched = ["--hide-cards", "never", "--strays", "warn"];
    let (answer, record, _) = run(&SimulatedHost::new(), &watched, &command);
    assert_eq!(answer.code, Some(0));
    assert!(answer.error.contains("used NVIDIA GeForce RTX 5060 Ti (GPU-50605060"), "{}", answer.error);
    assert_eq!(record["readings"]["strays"][0]["card"], "GPU-50605060-0000-4000-8000-000000000001");
    // The card that it was given has nothing of it.
    assert_eq!(record["readings"]["command_memory"]["max"], 0);
}

#[test]
fn memory_is_watched_and_limited() {
    let host = SimulatedHost::new();
    let (answer, record, _) = run(&host, &["--max-memory", "8GiB"], &taking(64 << 20, 1.0));
    assert_eq!((answer.code, answer.error.as_str()), (Some(0), ""), "{record}");
    assert!(record["peak_memory"].as_u64().is_some_and(|peak| peak >= 64 << 20), "{record}");
    assert_eq!(record["returned"]["outcome"], "back");
    let (answer, record, _) = run(&host, &["--max-memory", "32MiB"], &taking(64 << 20, 600.0));
    assert_eq!(answer.code, Some(124), "{}", answer.error);
    assert!(answer.error.contains("of GPU memory, and may use 32 MiB"), "{}", answer.error);
    assert_eq!(record["end"]["kind"], "memory_limit");
    assert_eq!(record["returned"]["outcome"], "back");
    assert!(host.accounts().living("GPU-30903090-0000-4000-8000-000000000002").is_empty());
}

#[test]
fn what_cannot_be_watched_is_said() {
    let (answer, record, _) = run(&SimulatedHost::new().without_nvml(), &[], &["true"]);
    assert_eq!(answer.code, Some(0));
    assert!(
        answer.error.starts_with("note: not checked: whether somebody else computes"),
        "{}",
        answer.error
    );
    assert!(record["not_checked"].as_array().is_some_and(|list| list.len() >= 2), "{record}");
    assert_eq!(record["returned"]["outcome"], "not_known");
    let limited = run(&SimulatedHost::new().without_nvml(), &["--max-memory", "1GiB"], &["echo", "it ran"]).0;
    assert_eq!((limited.code, limited.text.as_str()), (Some(6), ""));
    let lost = SimulatedHost::new().with(Fault::GpuLost { launch: 0, card: Some("GPU-3090".into()) });
    let (answer, record, _) = run(&lost, &[], &["echo", "it ran"]);
    assert_eq!(answer.text.is_empty(), answer.code != Some(0), "{record}");
}

#[test]
fn bad_options_are_refused_before_the_command() {
    let folder = policy_folder(POLICY);
    let host = SimulatedHost::new();
    let refused = |options: &[&str]| {
        let mut exec = host.command(env!("CARGO_BIN_EXE_gpulint"));
        exec.current_dir(folder.path()).arg("exec").args(options).args(["--", "echo", "it ran"]);
        let answer = said(exec);
        assert_eq!((answer.code, answer.text.as_str()), (Some(2), ""), "{}", answer.error);
        answer.error
    };
    assert!(refused(&["--metrics-listen", "0.0.0.0:9400"]).contains("can be reached from other machines"));
    assert!(refused(&["--timeout", "soon"]).contains("is no time such as 90s, 15m or 2h"));
    assert!(refused(&["--max-memory", "8"]).contains("is not an amount of memory"));
    assert!(
        refused(&["--record", "absent/run.json"]).contains("the record cannot be written to absent/run.json")
    );
}
