//! Validations that were killed, ended or refused: nothing of them stays but what they know, and the next goes on there.

use crate::commands::said;
use crate::validate::{POLICY, Project, document, processes_on, until};
use simulated_gpu_host::SimulatedHost;
use std::process::{Child, Stdio};

const HANGS: (&str, &str) = ("SIMULATED_GPU_FAULTS", "[{fault: hung-call, symbol: cuMemFree_v2}]");

/// A validation whose first iteration hangs, and which has come to it.
fn hanging(project: &Project) -> Child {
    let mut command = project.command(&["--timeout", "600"]);
    command.env(HANGS.0, HANGS.1).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("it can be started");
    let lines = project.folder.path().join("state/1.lines.jsonl");
    until(|| std::fs::read_to_string(&lines).is_ok_and(|text| text.contains("began")));
    until(|| document(project)["checks"][0]["state"] == "holds");
    child
}

#[test]
fn a_killed_validation_leaves_no_process_and_is_resumed() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let mut child = hanging(&project);
    child.kill().expect("it runs");
    child.wait().expect("it is waited for");
    until(|| processes_on(&project.host).is_empty());
    let left = document(&project);
    assert_eq!(
        (left["verdict"].as_str(), left["checks"][1]["state"].as_str()),
        (Some("running"), Some("running"))
    );

    let resumed = project.validated(&["--resume"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.error);
    assert!(resumed.error.contains("1 of 2 checks are taken over"), "{}", resumed.error);
    assert!(!resumed.error.contains("lint: started"), "{}", resumed.error);

    let again = project.validated(&["--resume"]);
    assert!(again.error.contains("nothing is taken over: the last one came to its end"), "{}", again.error);
}

#[test]
fn a_validation_that_is_told_to_end_ends_its_workers_first() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let child = hanging(&project);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    let output = child.wait_with_output().expect("it is waited for");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("gpulint validate --resume"));
    assert_eq!(processes_on(&project.host), Vec::<String>::new());
    assert_eq!(document(&project)["verdict"], "running");
}

#[test]
fn another_plan_is_not_resumed() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let mut child = hanging(&project);
    child.kill().expect("it runs");
    child.wait().expect("it is waited for");
    until(|| processes_on(&project.host).is_empty());
    let resumed = project.validated(&["--resume", "--iterations", "12"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.error);
    assert!(
        resumed.error.contains("nothing is taken over: the last one was asked for other checks"),
        "{}",
        resumed.error
    );
}

#[test]
fn one_validation_of_a_project_runs_at_a_time() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    let mut child = hanging(&project);
    let second = said(project.command(&[]));
    assert_eq!(second.code, Some(2));
    assert!(second.error.contains("another validation of this project is running"), "{}", second.error);
    child.kill().expect("it runs");
    child.wait().expect("it is waited for");
    until(|| processes_on(&project.host).is_empty());
}
