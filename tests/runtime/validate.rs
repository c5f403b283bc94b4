//! `gpulint validate` on simulated hosts, sound ones and faulty ones: the verdict, and every reason for it.

use crate::commands::{policy_folder, said};
use crate::folder::Folder;
use serde_json::Value;
use simulated_gpu_host::{Card, Fault, SimulatedHost};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

pub const POLICY: &str = "gpu: {name: RTX 3090, min-memory: 20GiB, visible-devices: '1', device-order: PCI_BUS_ID, \
                      forbidden: [RTX 5060 Ti]}\n";
const MIB: u64 = 1024 * 1024;

/// A folder with a policy in which a validation on a host runs.
pub struct Project {
    pub host: SimulatedHost,
    pub folder: Folder,
}

/// What a validation came to.
#[derive(Debug)]
pub struct Validated {
    pub code: Option<i32>,
    pub verdict: String,
    /// The words of all reasons but notes, each once, in alphabetical order.
    pub reasons: Vec<String>,
    pub document: Value,
    pub error: String,
}

impl Project {
    pub fn of(host: SimulatedHost, policy: &str) -> Project {
        Project { host, folder: policy_folder(policy) }
    }

    pub fn command(&self, options: &[&str]) -> Command {
        // Who starts the tests by `nohup`, or in the background of a script, has them deaf to some signals.
        let mut command = self.host.command("/usr/bin/env");
        command.current_dir(self.folder.path()).args([
            "--default-signal=HUP,INT,QUIT,TERM",
            env!("CARGO_BIN_EXE_gpulint"),
            "validate",
            "--allow-simulated",
            "--format",
            "json",
            "--side",
            "32",
        ]);
        command.arg("--state").arg(self.folder.path().join("state")).args(options);
        command.env("GPULINT_SLOT_DIR", self.folder.path().join("slots"));
        command
    }

    pub fn validated(&self, options: &[&str]) -> Validated {
        let said = said(self.command(options));
        let document: Value = serde_json::from_str(&said.text)
            .unwrap_or_else(|error| panic!("no document: {error}\n{}\n{}", said.text, said.error));
        let reasons = document["reasons"].as_array().expect("a list").iter();
        let weighty = reasons.filter(|reason| reason["weight"] != "note");
        let mut reasons: Vec<String> =
            weighty.map(|reason| reason["code"].as_str().expect("a word").to_owned()).collect();
        reasons.sort();
        reasons.dedup();
        let verdict = document["verdict"].as_str().expect("a word").to_owned();
        let validated = Validated { code: said.code, verdict, reasons, document, error: said.error };
        self.leaves_nothing(&validated);
        validated
    }

    /// No process of it runs, nobody holds memory of a card, and no slot is held.
    fn leaves_nothing(&self, validated: &Validated) {
        assert!(!validated.error.contains("panicked"), "{}", validated.error);
        assert_eq!(validated.document["exit_code"], validated.code.expect("it ended by itself"));
        let accounts = self.host.accounts();
        for card in ["GPU-30903090-0000-4000-8000-000000000002", "GPU-50605060-0000-4000-8000-000000000001"] {
            let holders = accounts.living(card);
            assert!(holders.iter().all(|holder| holder.pid == 1), "{holders:?} hold memory");
        }
    }
}

/// As far as it has come.
pub fn document(project: &Project) -> Value {
    let text =
        std::fs::read_to_string(project.folder.path().join("state/validation.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

pub fn until(happened: impl Fn() -> bool) {
    let began = Instant::now();
    while !happened() {
        assert!(began.elapsed() < Duration::from_secs(60), "it did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes whose environment names the host.
pub fn processes_on(host: &SimulatedHost) -> Vec<String> {
    let state = host.folder().display().to_string();
    let numbers = std::fs::read_dir("/proc").expect("it is there").flatten().map(|entry| entry.path());
    let on_host = |path: &Path| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&state)
    };
    numbers.filter(|path| on_host(path)).map(|path| path.display().to_string()).collect()
}

/// A host, and what a validation of it comes to.
fn expect(host: SimulatedHost, options: &[&str], code: i32, reasons: &[&str]) -> Validated {
    expect_under(POLICY, host, options, code, reasons)
}

fn expect_under(
    policy: &str,
    host: SimulatedHost,
    options: &[&str],
    code: i32,
    reasons: &[&str],
) -> Validated {
    let verdict = match code {
        0 => "approved",
        1 => "approved_with_minor_corrections",
        4 => "rejected",
        5 => "environment_invalid",
        _ => "infrastructure",
    };
    let validated = Project::of(host, policy).validated(options);
    let told = (validated.code, validated.verdict.as_str(), validated.reasons.as_slice());
    let reasons: Vec<String> = reasons.iter().map(|reason| (*reason).to_owned()).collect();
    assert_eq!(told, (Some(code), verdict, reasons.as_slice()), "{:#}", validated.document["reasons"]);
    validated
}

fn leak(bytes: u64) -> SimulatedHost {
    SimulatedHost::new().with(Fault::Leak { bytes, in_pool: false, card: None })
}

fn card(change: impl Fn(&mut Card)) -> SimulatedHost {
    SimulatedHost::new().changed(|host| host.cards.iter_mut().for_each(&change))
}

#[test]
fn a_sound_host_is_approved() {
    let validated = expect(SimulatedHost::new(), &[], 0, &[]);
    assert_eq!(validated.document["simulated"], true);
    let leak = &validated.document["checks"][1]["leak"];
    assert_eq!(leak["measured"].as_array().map(Vec::len), Some(10));
    assert_eq!(leak["growth"]["outcome"], "clean");
    // What nobody asked for is said.
    assert!(validated.document["not_checked"].to_string().contains("--profile burn"));
}

#[test]
fn plots_are_files_too() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let folder = project.folder.path().join("made/plots");
    let folder = folder.to_str().expect("it is UTF-8");
    // Long enough for several readings.
    let load = ["--side", "500", "--iterations", "60"];
    assert_eq!(project.validated(&[["--plots", folder].as_slice(), &load].concat()).code, Some(0));
    for what in ["growth", "memory"] {
        let plot = std::fs::read_to_string(format!("{folder}/02-leak-{what}.svg")).expect("it was written");
        assert!(plot.starts_with("<svg") && plot.contains("simulated"), "{plot}");
    }
    // An approval without its reports is none.
    let said = said(project.command(&["--plots", "gpulint.yaml"]));
    assert_eq!(said.code, Some(2));
    assert!(said.error.contains("error: cannot write the plots into gpulint.yaml: "), "{}", said.error);
}

#[test]
fn a_context_that_grows_at_first_is_no_leak() {
    expect(card(|card| card.first_launch_mib = 64), &[], 0, &[]);
    expect(card(|card| card.module_mib = 40), &[], 0, &[]);
}

#[test]
fn leaks_of_all_sizes_are_found() {
    expect(leak(2 * MIB), &[], 4, &["leak"]);
    expect(leak(4 * MIB), &[], 4, &["leak"]);
    expect(leak(512 * 1024), &[], 4, &["leak"]);
    expect(leak(256 * 1024), &[], 4, &["leak"]);
    expect(leak(64 * 1024), &["--iterations", "100"], 4, &["leak"]);
    expect(leak(8 * MIB), &[], 4, &["growth-fail", "leak"]);
    expect(leak(128 * MIB), &[], 4, &["growth-alert", "growth-fail", "leak"]);
}

#[test]
fn leaks_in_the_pool_are_found_to_the_byte() {
    let host = SimulatedHost::new().with(Fault::Leak { bytes: 1024, in_pool: true, card: None });
    expect(host, &[], 4, &["leak"]);
}

#[test]
fn a_leak_on_another_card_is_not_the_matter() {
    let host =
        SimulatedHost::new().with(Fault::Leak { bytes: MIB, in_pool: false, card: Some("GPU-5060".into()) });
    expect(host, &[], 0, &[]);
}

#[test]
fn wrong_products_are_rejected() {
    let host = SimulatedHost::new().with(Fault::WrongResult { launch: 7, card: None });
    expect(host, &[], 4, &["wrong-result"]);
}

#[test]
fn no_memory_is_rejected() {
    let host = SimulatedHost::new().with(Fault::OutOfMemory { allocation: 8 });
    expect(host, &[], 4, &["out-of-memory"]);
}

#[test]
fn calls_that_hang_are_no_verdict() {
    let hung = |symbol: &str| SimulatedHost::new().with(Fault::HungCall { symbol: symbol.into() });
    expect(hung("cuMemFree_v2"), &["--timeout", "2"], 6, &["time-limit"]);
    expect(hung("cuCtxSynchronize"), &["--timeout", "2"], 6, &["time-limit"]);
    expect(hung("cuInit"), &["--driver-timeout", "2"], 6, &["infrastructure"]);
}

#[test]
fn errors_of_the_card_are_rejected() {
    let host = SimulatedHost::new().with(Fault::Xid { number: 31, launch: 5, card: None });
    expect(host, &[], 4, &["xid"]);
    let host = SimulatedHost::new().with(Fault::EccErrors { corrected: 3, uncorrected: 1, card: None });
    expect(host, &[], 4, &["ecc"]);
    let host = SimulatedHost::new().with(Fault::EccErrors { corrected: 3, uncorrected: 0, card: None });
    expect(host, &[], 0, &[]);
}

#[test]
fn a_card_that_is_lost_is_no_verdict() {
    let host = SimulatedHost::new().with(Fault::GpuLost { launch: 6, card: None });
    expect(host, &[], 6, &["gpu-lost"]);
    let host = SimulatedHost::new().with(Fault::GpuLost { launch: 0, card: None });
    assert_eq!(expect_code(host), 6);
}

fn expect_code(host: SimulatedHost) -> i32 {
    Project::of(host, POLICY).validated(&["--driver-timeout", "5"]).code.expect("it ended by itself")
}

#[test]
fn without_the_card_the_environment_is_invalid() {
    let with = |fault| SimulatedHost::new().with(fault);
    expect(SimulatedHost::new().without_cuda().without_nvml(), &[], 5, &["environment"]);
    expect(with(Fault::StubLibrary), &[], 5, &["environment"]);
    expect(with(Fault::NoDriver), &[], 5, &["environment"]);
    expect(with(Fault::VersionMismatch), &[], 6, &["infrastructure"]);
    let forbidden = SimulatedHost::new().changed(|host| host.cards.truncate(1));
    expect(forbidden, &[], 5, &["environment"]);
}

#[test]
fn a_mask_that_hides_the_card_is_an_invalid_environment() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let mut command = project.command(&[]);
    command.env("CUDA_VISIBLE_DEVICES", "1");
    let said = said(command);
    assert_eq!(said.code, Some(5), "{}", said.error);
}

#[test]
fn somebody_else_on_the_card_is_waited_for_and_not_ended() {
    let foreign = Fault::ForeignProcess { bytes: 100 * MIB, pid: 1, card: None };
    expect(SimulatedHost::new().with(foreign), &["--slot-timeout", "1"], 6, &["infrastructure"]);
}

#[test]
fn memory_of_processes_that_is_not_known_changes_nothing() {
    expect(SimulatedHost::new().with(Fault::NoProcessMemory), &[], 0, &[]);
    expect(leak(2 * MIB).with(Fault::NoProcessMemory), &[], 4, &["leak"]);
    expect(SimulatedHost::new().with(Fault::PidOpaque), &[], 0, &[]);
}

#[test]
fn a_card_that_is_slowed_down_is_approved_with_corrections() {
    const HARDWARE_THERMAL_SLOWDOWN: u64 = 0x40;
    const POWER_CAP: u64 = 0x4;
    expect(card(|card| card.throttle_reasons = HARDWARE_THERMAL_SLOWDOWN), &[], 1, &["throttled"]);
    expect(card(|card| card.throttle_reasons = POWER_CAP), &[], 0, &[]);
}

#[test]
fn what_an_early_turn_of_a_target_showed_is_not_forgotten() {
    let cooling =
        "[sh, -c, 'sleep 0.5; sed -i \"s/throttle-reasons: 64/throttle-reasons: 0/\" $SIMULATED_GPU_HOST']";
    let policy = format!(
        "{POLICY}runtime: {{iterations: 3, targets: [{{name: tts, command: {cooling}, mode: gpu}}]}}\n"
    );
    let host = card(|card| card.throttle_reasons = 0x40);
    let validated = expect_under(&policy, host, &["--jobs", "1"], 1, &["throttled"]);
    let target = &validated.document["checks"][2];
    assert_eq!(target["leak"]["measured"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        target["record"]["readings"]["slowed"],
        serde_json::json!([]),
        "the last turn was not slowed down"
    );
    assert_eq!(target["reasons"][0]["code"], "throttled");
}

#[test]
fn a_machine_without_a_plan_is_not_approved() {
    let project = Project::of(SimulatedHost::new(), "{}");
    let said = said(project.command(&[]));
    assert_eq!(said.code, Some(2));
    assert!(said.error.contains("there is nothing to validate"), "{}", said.error);
}

#[test]
fn a_target_is_run_as_often_as_the_policy_says() {
    let target = |command: &str| {
        format!(
            "{POLICY}runtime: {{iterations: 3, targets: [{{name: tts, command: [{command}], mode: gpu}}]}}\n"
        )
    };
    let sound = expect_under(
        &target("sh, -c, 'echo $CUDA_VISIBLE_DEVICES >> turns'"),
        SimulatedHost::new(),
        &[],
        0,
        &[],
    );
    assert_eq!(sound.document["checks"][2]["leak"]["measured"].as_array().map(Vec::len), Some(3));
    let failing = expect_under(
        &target("sh, -c, 'echo it broke; exit 3'"),
        SimulatedHost::new(),
        &[],
        4,
        &["command-failed"],
    );
    assert!(failing.document["reasons"].to_string().contains("it said: it broke"));
    expect_under(&target("no-such-program"), SimulatedHost::new(), &[], 6, &["not-started"]);
    expect_under(&target("sleep, '600'"), SimulatedHost::new(), &["--timeout", "1"], 4, &["time-limit"]);
}

#[test]
fn a_target_that_takes_another_card_is_rejected() {
    let words = crate::client::taking(64 * MIB, 3.0);
    let words: Vec<String> =
        std::iter::once("env").chain(["CUDA_VISIBLE_DEVICES=0"]).map(str::to_owned).chain(words).collect();
    let command = serde_json::to_string(&words).expect("it can be written");
    let policy = format!(
        "{POLICY}runtime: {{iterations: 1, targets: [{{name: tts, command: {command}, mode: gpu}}]}}\n"
    );
    let seen = ["--hide-cards", "never"];
    let validated = expect_under(&policy, SimulatedHost::new(), &seen, 4, &["wrong-card"]);
    assert!(validated.document["reasons"].to_string().contains("GPU-50605060"));
}

#[test]
fn one_failure_does_not_hide_another_result() {
    let targets = "runtime: {iterations: 2, targets: [{name: bad, command: ['false'], mode: gpu}, \
                   {name: good, command: ['true'], mode: gpu}]}\n";
    let validated = expect_under(
        &format!("{POLICY}{targets}"),
        leak(2 * MIB),
        &["--jobs", "4", "--iterations", "10"],
        4,
        &["command-failed", "leak"],
    );
    let states: Vec<&str> = validated.document["checks"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|check| check["state"].as_str())
        .collect();
    assert_eq!(states, ["holds", "fails", "fails", "holds"]);
}

#[test]
fn findings_count() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let file =
        "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport torch\ntorch.zeros(1, device='cuda')\n";
    std::fs::write(project.folder.path().join("train.py"), file).expect("the folder is writable");
    let validated = project.validated(&[]);
    assert_eq!((validated.code, validated.reasons), (Some(4), vec!["lint-errors".to_owned()]));
}

/// A small card, so that a load that fills it is quick.
pub fn small() -> SimulatedHost {
    card(|card| {
        (card.memory_mib, card.reserved_mib, card.context_mib) = (64, 2, 4);
        (card.module_mib, card.first_launch_mib) = (2, 2);
    })
}

pub const SMALL_POLICY: &str = "gpu: {name: RTX 3090, visible-devices: '1', device-order: PCI_BUS_ID}\n";
pub const BURN: [&str; 6] = ["--profile", "burn", "--burn-time", "0.5", "--burn-side", "64"];

#[test]
fn a_card_that_is_right_under_load_is_approved() {
    let validated = expect_under(SMALL_POLICY, small(), &BURN, 0, &[]);
    let burn = &validated.document["checks"][1]["burn"];
    assert!(burn["rounds"].as_u64() >= Some(2), "{burn}");
    assert!(burn["teraflops"]["median"].as_f64() > Some(0.0), "{burn}");
    assert_eq!(burn["differing"], 0);
}

#[test]
fn a_card_that_is_wrong_under_load_is_rejected() {
    let host = small().with(Fault::WrongResult { launch: 60, card: None });
    expect_under(SMALL_POLICY, host, &BURN, 4, &["wrong-result"]);
    let host = small().with(Fault::Xid { number: 48, launch: 20, card: None });
    expect_under(SMALL_POLICY, host, &BURN, 4, &["xid"]);
    let host = small().with(Fault::GpuLost { launch: 20, card: None });
    expect_under(SMALL_POLICY, host, &BURN, 6, &["gpu-lost"]);
    let host = small().with(Fault::HungCall { symbol: "cuLaunchKernel".into() });
    expect_under(SMALL_POLICY, host, &[BURN.as_slice(), &["--timeout", "2"]].concat(), 6, &["time-limit"]);
}

#[test]
fn a_card_that_is_slower_than_it_was_is_rejected() {
    let project = Project::of(small(), SMALL_POLICY);
    let few_products = [BURN.as_slice(), &["--burn-memory", "10"]].concat();
    for run in 0..3 {
        let validated = project.validated(&few_products);
        assert_eq!(validated.code, Some(0), "run {run}: {:#}", validated.document["reasons"]);
    }
    let mut command = project.command(&few_products);
    command.env("SIMULATED_GPU_FAULTS", "[{fault: slow-card, milliseconds: 3}]");
    let said = said(command);
    let document: Value = serde_json::from_str(&said.text).expect("a document");
    assert_eq!(said.code, Some(4), "{:#}", document["reasons"]);
    assert!(document["reasons"].to_string().contains("of its earlier runs"), "{:#}", document["reasons"]);
}

#[test]
fn both_profiles_run_one_after_the_other() {
    let validated = expect_under(
        SMALL_POLICY,
        small(),
        &["--profile", "leak,burn", "--burn-time", "0.3", "--burn-side", "32", "--jobs", "3"],
        0,
        &[],
    );
    let unchecked = validated.document["not_checked"].as_array().expect("a list").iter();
    // Which the system that runs the tests may not allow.
    let unchecked = unchecked.filter(|one| !one.to_string().contains("could not be kept out of reach"));
    assert_eq!(unchecked.count(), 0, "{:#}", validated.document["not_checked"]);
}
