//! Cards that do not exist: nothing ends with 0 on them unless somebody says that this is meant, and each report says what they are.

use crate::commands::{Said, policy_folder, said};
use crate::folder::Folder;
use crate::strays::record_of;
use crate::validate::POLICY;
use serde_json::Value;
use simulated_gpu_host::SimulatedHost;
use std::path::Path;
use std::process::Command;

const ALLOWED: &str = "--allow-simulated";
const SENTENCE: &str = "error: the cards of this machine are simulated, so that nothing is proven on them: to try gpulint out, say that \
                        this is meant with `--allow-simulated`\n";
/// Beside a driver's two libraries, each alone: either says that it is none.
const HOSTS: [fn() -> SimulatedHost; 2] = [SimulatedHost::new, || SimulatedHost::new().without_nvml()];

fn gpulint(host: &SimulatedHost, folder: &Folder, words: &[&str]) -> Said {
    let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
    command.current_dir(folder.path()).args(words).env("CUDA_VISIBLE_DEVICES", "0");
    // No variable does what the option does.
    for name in ["GPULINT_ALLOW_SIMULATED", "ALLOW_SIMULATED"] {
        command.env(name, "1");
    }
    command.env("GPULINT_SLOT_DIR", folder.path().join("slots"));
    said(command)
}

#[test]
fn doctor_shows_everything_and_ends_with_5() {
    for host in HOSTS.map(|host| host()) {
        let folder = policy_folder("{}");
        let ended = |words: &[&str]| gpulint(&host, &folder, words);
        let told = ended(&["doctor"]);
        assert_eq!((told.code, told.error.as_str()), (Some(5), SENTENCE));
        assert!(told.text.contains("(simulated: these cards do not exist)"), "{}", told.text);
        assert_eq!(ended(&["doctor", ALLOWED]), Said::of(0, &told.text, ""));
        let report: Value = serde_json::from_str(&ended(&["doctor", "--format", "json"]).text).expect("JSON");
        assert_eq!(report["simulated"], true);
    }
}

#[test]
fn exec_starts_nothing() {
    for host in HOSTS.map(|host| host()) {
        let folder = policy_folder(POLICY);
        let ran = |words: &[&str]| {
            let words = [&["exec", "--record", "run.json"], words, &["--", "echo", "it ran"]].concat();
            let said = gpulint(&host, &folder, &words);
            let record = record_of(&folder);
            assert!(record.simulated && record.exit_code == said.code, "{record:?}");
            said
        };
        assert_eq!(ran(&[]), Said::of(5, "", SENTENCE));
        let allowed = ran(&[ALLOWED]);
        assert_eq!((allowed.code, allowed.text.as_str()), (Some(0), "it ran\n"), "{}", allowed.error);
    }
    let (host, folder) = (SimulatedHost::new(), policy_folder(POLICY));
    let without_a_gpu = ["exec", "--mode", "cpu", "--", "echo", "it ran"];
    assert_eq!(gpulint(&host, &folder, &without_a_gpu), Said::of(5, "", SENTENCE));
}

#[test]
fn validate_approves_nothing() {
    for host in HOSTS.map(|host| host()) {
        let folder = policy_folder(POLICY);
        let state = folder.path().join("state").display().to_string();
        let words = ["validate", "--iterations", "2", "--side", "32", "--state", &state, "--format"];
        let told = gpulint(&host, &folder, &[&words[..], &["json"]].concat());
        let document: Value = serde_json::from_str(&told.text).expect("a document");
        assert_eq!((told.code, &document["verdict"]), (Some(5), &"environment_invalid".into()));
        assert_eq!(document["simulated"], true);
        let reason = document["reasons"][0]["message"].as_str().expect("a sentence");
        assert_eq!(format!("error: {reason}\n"), SENTENCE);
        assert!(host.calls().iter().all(|call| call.symbol != "cuLaunchKernel"), "nothing ran");
        let page = gpulint(&host, &folder, &[&words[..], &["text"]].concat());
        assert!(page.code == Some(5) && page.text.contains("\nsimulated: "), "{}", page.text);
    }
}

/// What ran where it was allowed is not taken over where it is not.
#[test]
fn resuming_approves_nothing_either() {
    let (host, folder) = (SimulatedHost::new(), policy_folder(POLICY));
    let state = folder.path().join("state");
    let words = ["validate", "--iterations", "5", "--side", "32", "--format", "json", "--state"];
    let words = [&words[..], &[state.to_str().expect("it is UTF-8")]].concat();
    let allowed = gpulint(&host, &folder, &[&words[..], &[ALLOWED]].concat());
    assert_eq!(allowed.code, Some(0), "{}", allowed.error);
    // As if it had been interrupted before its last word.
    let file = state.join("validation.json");
    let mut document: Value = serde_json::from_str(&allowed.text).expect("a document");
    document["verdict"] = "interrupted".into();
    std::fs::write(&file, document.to_string()).expect("the folder is writable");
    let resumed = gpulint(&host, &folder, &[&words[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(5), "{}", resumed.error);
    assert!(resumed.error.contains("nothing is taken over: "), "{}", resumed.error);
}

/// What `scripts/simulated_host` starts, and the examples of docs/simulated.md. `cargo test` builds it, `cargo test --test runtime` does not.
#[test]
fn the_host_for_people_starts_programs() {
    let built = Path::new(env!("CARGO_BIN_EXE_gpulint")).with_file_name("examples").join("simulated-host");
    if !built.is_file() {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no {}", built.display());
        eprintln!(
            "skipped: there is no {}; `cargo build --example simulated-host` makes it",
            built.display()
        );
        return;
    }
    let folder = policy_folder("{}");
    let started = |words: &[&str]| {
        let mut command = Command::new(&built);
        command.args(words).current_dir(folder.path()).env_remove("CUDA_VISIBLE_DEVICES");
        said(command)
    };
    let said = started(&["gpulint", "exec", ALLOWED, "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; exit 7"]);
    assert_eq!((said.code, said.text.trim()), (Some(7), "GPU-30903090-0000-4000-8000-000000000002"));
    assert!(said.error.starts_with("simulated: none of these cards exists"), "{}", said.error);
    assert_eq!(started(&["gpulint", "doctor"]).code, Some(5));
    assert_eq!(started(&["--host", "absent.yaml"]).code, Some(2));

    let page = include_str!("../../docs/simulated.md");
    let (_, rest) = page.split_once("```yaml\n").expect("it has an example");
    let (description, _) = rest.split_once("```").expect("it ends");
    std::fs::write(folder.path().join("host.yaml"), description).expect("the folder is writable");
    let validate = ["gpulint", "validate", ALLOWED, "--profile", "leak", "--side", "32"];
    let said = started(&[&["--host", "host.yaml"], &validate[..]].concat());
    assert!(said.code == Some(4) && said.text.contains("NVIDIA H200"), "{}{}", said.text, said.error);
}
