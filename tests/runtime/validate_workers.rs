//! Workers of a validation that are killed, cannot be started, or start what does not want to end, and what that comes to.

use crate::validate::{POLICY, Project, document, processes_on, until};
use serde_json::Value;
use simulated_gpu_host::{Fault, SimulatedHost};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A policy with one target, as a script of a shell.
fn target(script: &str, iterations: u32) -> String {
    let words = serde_json::to_string(&["sh", "-c", script]).expect("it can be written");
    format!(
        "{POLICY}runtime: {{iterations: {iterations}, targets: [{{name: it, command: {words}, mode: gpu}}]}}\n"
    )
}

fn reasons(document: &Value) -> String {
    document["reasons"].to_string()
}

/// The processes of the project's host whose command line has this word.
fn with_word(project: &Project, word: &str) -> Vec<i32> {
    let has_word = |path: &PathBuf| {
        std::fs::read_to_string(path.join("cmdline"))
            .is_ok_and(|line| line.split('\0').any(|one| one == word))
    };
    let number = |path: PathBuf| path.file_name()?.to_str()?.parse().ok();
    processes_on(&project.host).into_iter().map(PathBuf::from).filter(has_word).filter_map(number).collect()
}

fn send(pid: i32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid).expect("it is a number of a process");
    rustix::process::kill_process(pid, signal).expect("it runs");
}

fn spawned(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started")
}

/// A host on which memory is not freed until it is said to be sound again, and a validation that has come to it.
fn hanging(options: &[&str]) -> (Project, Child) {
    let host = SimulatedHost::new().with(Fault::HungCall { symbol: "cuMemFree_v2".into() });
    let project = Project::of(host, POLICY);
    let child = spawned(project.command(options));
    until_it_hangs(&project, 1);
    (project, child)
}

fn until_it_hangs(project: &Project, attempt: u64) {
    until(|| document(project)["checks"][1]["attempts"] == attempt);
    let lines = project.folder.path().join("state/1.lines.jsonl");
    until(|| std::fs::read_to_string(&lines).is_ok_and(|text| text.contains("began")));
}

fn make_sound(project: &Project) {
    let file = project.host.folder().join("host.yaml");
    let text = std::fs::read_to_string(&file).expect("it is there");
    let (sound, _) = text.split_once("faults:").expect("it has one");
    std::fs::write(file, format!("{sound}faults: []\n")).expect("it is ours");
}

#[test]
fn a_worker_that_is_killed_is_started_again_alone() {
    for words in [&["--worker"][..], &["work-on-card"], &["--worker", "work-on-card"]] {
        let (project, child) = hanging(&["--jobs", "2"]);
        make_sound(&project);
        let pids: Vec<i32> = words
            .iter()
            .map(|word| with_word(&project, word))
            .map(|pids| *pids.iter().min().expect("it runs"))
            .collect();
        pids.into_iter().for_each(|pid| send(pid, rustix::process::Signal::KILL));
        let output = child.wait_with_output().expect("it is waited for");
        let error = String::from_utf8_lossy(&output.stderr);
        let document = document(&project);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {error}\n{:#}", document["reasons"]);
        assert_eq!(document["checks"][1]["attempts"], 2, "{words:?}");
        assert!(document["fallback"].as_str().is_some_and(|why| why.contains("leak: ")), "{words:?}");
        until(|| processes_on(&project.host).is_empty());
    }
}

#[test]
fn a_worker_that_is_killed_is_no_verdict_where_it_is_alone_already() {
    let (project, child) = hanging(&["--jobs", "1"]);
    send(with_word(&project, "--worker")[0], rustix::process::Signal::KILL);
    let output = child.wait_with_output().expect("it is waited for");
    assert_eq!(output.status.code(), Some(6), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(reasons(&document(&project)).contains("interrupted"));
    until(|| processes_on(&project.host).is_empty());
}

#[test]
fn an_end_in_the_second_attempt_is_one_too() {
    let (project, child) = hanging(&["--jobs", "2", "--timeout", "600"]);
    send(*with_word(&project, "work-on-card").iter().max().expect("it runs"), rustix::process::Signal::KILL);
    until_it_hangs(&project, 2);
    send(child.id().cast_signed(), rustix::process::Signal::HUP);
    let output = child.wait_with_output().expect("it is waited for");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(processes_on(&project.host), Vec::<String>::new());
    assert_eq!(document(&project)["verdict"], "interrupted");
}

#[test]
fn an_end_before_the_first_check_is_one_too() {
    let host = SimulatedHost::new().with(Fault::HungCall { symbol: "cuInit".into() });
    let project = Project::of(host, POLICY);
    let child = spawned(project.command(&["--driver-timeout", "4"]));
    until(|| project.folder.path().join("state/lock").exists());
    send(child.id().cast_signed(), rustix::process::Signal::INT);
    let output = child.wait_with_output().expect("it is waited for");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(document(&project)["verdict"], "interrupted");
    until(|| processes_on(&project.host).is_empty());
}

#[test]
fn a_target_that_does_not_want_to_end_is_ended() {
    let script = "trap '' TERM INT HUP; echo > began; while :; do sleep 1; done";
    let project = Project::of(SimulatedHost::new(), &target(script, 1));
    let child = spawned(project.command(&["--jobs", "1"]));
    until(|| project.folder.path().join("began").exists());
    send(child.id().cast_signed(), rustix::process::Signal::TERM);
    let output = child.wait_with_output().expect("it is waited for");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(processes_on(&project.host), Vec::<String>::new());
}

#[test]
fn a_second_interruption_leaves_nothing_running() {
    let script = "trap '' TERM INT HUP; echo > began; while :; do sleep 1; done";
    let project = Project::of(SimulatedHost::new(), &target(script, 1));
    let child = spawned(project.command(&["--jobs", "1"]));
    until(|| project.folder.path().join("began").exists());
    send(child.id().cast_signed(), rustix::process::Signal::INT);
    // Two that come at once are one.
    until(|| document(&project)["verdict"] == "interrupted");
    send(child.id().cast_signed(), rustix::process::Signal::INT);
    let output = child.wait_with_output().expect("it is waited for");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(processes_on(&project.host), Vec::<String>::new());
}

#[test]
fn who_ignores_a_signal_goes_on_to() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let command = project.command(&["--timeout", "600"]);
    let mut ignoring = project.host.command("sh");
    ignoring.current_dir(project.folder.path()).env("GPULINT_SLOT_DIR", project.folder.path().join("slots"));
    ignoring.env("SIMULATED_GPU_FAULTS", "[{fault: hung-call, symbol: cuMemFree_v2}]");
    // Without what lets it hear all signals again.
    let itself = command.get_args().skip(1);
    ignoring.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).args(itself);
    let child = spawned(ignoring);
    until_it_hangs(&project, 1);
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("it is told");
        u64::from_str_radix(line.trim(), 16).expect("a number")
    };
    let bit = |signal: rustix::process::Signal| 1_u64 << (signal.as_raw() - 1);
    assert_eq!(mask("SigCgt:") & bit(rustix::process::Signal::HUP), 0);
    assert_ne!(mask("SigIgn:") & bit(rustix::process::Signal::HUP), 0);
    assert_ne!(mask("SigCgt:") & bit(rustix::process::Signal::TERM), 0);
    send(child.id().cast_signed(), rustix::process::Signal::TERM);
    assert_eq!(child.wait_with_output().expect("it is waited for").status.code(), Some(130));
}

#[test]
fn a_worker_that_cannot_be_started_is_no_verdict_and_keeps_no_other_from_running() {
    let project = Project::of(SimulatedHost::new(), &target("true", 1));
    std::fs::create_dir_all(project.folder.path().join("state/1.log")).expect("the folder is writable");
    let validated = project.validated(&[]);
    assert_eq!((validated.code, validated.reasons), (Some(6), vec!["infrastructure".to_owned()]));
    assert!(reasons(&validated.document).contains("its worker could not be started: "));
    assert_eq!(validated.document["checks"][2]["state"], "holds");
}

#[test]
fn a_state_that_cannot_be_kept_is_said() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    std::fs::create_dir_all(project.folder.path().join("state/validation.json"))
        .expect("the folder is writable");
    let said = crate::commands::said(project.command(&[]));
    let report: Value = serde_json::from_str(&said.text).expect("there is a report nevertheless");
    let told = (said.code, &report["verdict"], &report["exit_code"]);
    assert_eq!(told, (Some(2), &"infrastructure".into(), &2.into()));
    assert!(said.error.contains("cannot keep the state of the validation in"), "{}", said.error);
    assert!(reasons(&report).contains("cannot keep the state of the validation in"));
    assert_eq!(processes_on(&project.host), Vec::<String>::new());
}

#[test]
fn a_damaged_state_is_not_resumed() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    std::fs::create_dir_all(project.folder.path().join("state")).expect("the folder is writable");
    std::fs::write(project.folder.path().join("state/validation.json"), "{\"schema\": 1")
        .expect("it is writable");
    let validated = project.validated(&["--resume"]);
    assert_eq!(validated.code, Some(0), "{}", validated.error);
    assert!(
        validated.error.contains("nothing is taken over: ") && validated.error.contains("cannot be read")
    );
}

#[test]
fn what_has_failed_is_kept_and_another_policy_is_not_resumed() {
    let killed = |project: &Project| {
        let _ = std::fs::remove_dir_all(project.folder.path().join("state"));
        let mut command = project.command(&["--timeout", "60"]);
        command.env("SIMULATED_GPU_FAULTS", "[{fault: hung-call, symbol: cuMemFree_v2}]");
        let mut child = spawned(command);
        until_it_hangs(project, 1);
        until(|| document(project)["checks"][0]["state"] == "fails");
        child.kill().expect("it runs");
        child.wait().expect("it is waited for");
        until(|| processes_on(&project.host).is_empty());
    };
    let project = Project::of(SimulatedHost::new(), POLICY);
    let file = project.folder.path().join("train.py");
    let text =
        "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport torch\ntorch.zeros(1, device='cuda')\n";
    std::fs::write(&file, text).expect("it is writable");
    killed(&project);
    let same = ["--resume", "--timeout", "60"];
    let resumed = project.validated(&same);
    assert!(resumed.error.contains("1 of 2 checks are taken over"), "{}", resumed.error);
    assert_eq!((resumed.code, resumed.reasons), (Some(4), vec!["lint-errors".to_owned()]));
    assert!(
        reasons(&resumed.document).contains("2 findings of severity error in"),
        "{}",
        reasons(&resumed.document)
    );

    killed(&project);
    let other = format!("{POLICY}runtime: {{leak: {{fail: 1MiB}}}}\n");
    std::fs::write(project.folder.path().join("gpulint.yaml"), other).expect("it is writable");
    let resumed = project.validated(&same);
    assert!(resumed.error.contains("the last one was made under another policy"), "{}", resumed.error);
}

#[test]
fn what_a_target_writes_is_not_too_much() {
    let script = "head -c 20000000 /dev/urandom; yes waiting for nobody | head -c 20000000; echo; exit 3";
    let validated = Project::of(SimulatedHost::new(), &target(script, 1)).validated(&[]);
    assert_eq!((validated.code, validated.reasons), (Some(4), vec!["command-failed".to_owned()]));
    assert!(validated.document.to_string().len() < 200_000);
}

#[test]
fn a_daemon_of_a_target_is_ended() {
    let script = "setsid sleep 600 < /dev/null > /dev/null 2>&1 & sleep 0.2";
    let project = Project::of(SimulatedHost::new(), &target(script, 2));
    let validated = project.validated(&[]);
    assert_eq!(validated.code, Some(0), "{}", reasons(&validated.document));
    assert!(reasons(&validated.document).contains("process-left"));
    assert_eq!(processes_on(&project.host), Vec::<String>::new());
}

#[test]
fn what_one_turn_showed_is_not_forgotten() {
    // The card is too hot in the second of three turns.
    let script = "echo >> turns; case $(wc -l < turns) in 1) from=0 to=64;; *) from=64 to=0;; esac; \
                  sed -i \"s/throttle-reasons: $from/throttle-reasons: $to/\" \"$SIMULATED_GPU_HOST\"";
    let validated = Project::of(SimulatedHost::new(), &target(script, 3)).validated(&[
        "--jobs",
        "1",
        "--profile",
        "leak",
    ]);
    let checks = validated.document["checks"].as_array().expect("a list");
    assert_eq!(checks[2]["leak"]["measured"].as_array().map(Vec::len), Some(3));
    assert_eq!(checks[2]["state"], "holds_with_corrections", "{}", reasons(&validated.document));
    assert!(checks[2]["reasons"].to_string().contains("in turn 2: "), "{}", checks[2]["reasons"]);
    assert_eq!(validated.code, Some(1));
}

#[test]
fn many_targets_wait_for_each_other() {
    let targets = (0..20).map(|number| format!("{{name: t{number}, command: ['true'], mode: gpu}}"));
    let targets = targets.collect::<Vec<_>>().join(", ");
    let policy = format!("{POLICY}runtime: {{iterations: 1, targets: [{targets}]}}\n");
    let validated = Project::of(SimulatedHost::new(), &policy).validated(&["--jobs", "8"]);
    assert_eq!(validated.code, Some(0), "{}", reasons(&validated.document));
    assert_eq!((&validated.document["fallback"], &validated.document["jobs"]), (&Value::Null, &8.into()));
    let checks = validated.document["checks"].as_array().expect("a list");
    assert!(checks.iter().all(|check| check["state"] == "holds" && check["attempts"] == 1));
    let validated = Project::of(SimulatedHost::new(), POLICY).validated(&["--jobs", "1000"]);
    assert_eq!((validated.code, &validated.document["jobs"]), (Some(0), &2.into()));
}

#[test]
fn paths_are_those_of_the_folder_where_it_was_started() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let below = project.folder.path().join("below");
    std::fs::create_dir_all(&below).expect("the folder is writable");
    std::fs::write(below.join("other.yaml"), POLICY).expect("the folder is writable");
    let mut command = project.command(&["--config", "other.yaml", "--slot-folder", "slots-here"]);
    command.current_dir(&below);
    let said = crate::commands::said(command);
    assert_eq!(said.code, Some(0), "{}{}", said.text, said.error);
    assert!(below.join("slots-here").is_dir());
}
