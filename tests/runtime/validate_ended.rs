//! Validations that were killed, ended or refused: nothing of them stays but what they know, and the next goes on there.

use crate::commands::said;
use crate::validate::{POLICY, Project, document, processes_on, until};
use simulated_gpu_host::SimulatedHost;
use std::process::{Child, Stdio};

const HANGS: (&str, &str) = ("SIMULATED_GPU_FAULTS", "[{fault: hung-call, symbol: cuMemFree_v2}]");

/// A validation whose first iteration hangs, and which has come to it.
fn hanging(project: &Project) -> Child {
    hanging_with(project, &[])
}

fn hanging_with(project: &Project, options: &[&str]) -> Child {
    let mut command = project.command(&[&["--timeout", "600"], options].concat());
    command.env(HANGS.0, HANGS.1).stdout(Stdio::piped()).stderr(Stdio::piped());
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
    assert_eq!(document(&project)["verdict"], "interrupted");
    let resumed = project.validated(&["--resume"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.error);
    assert!(resumed.error.contains("1 of 2 checks are taken over"), "{}", resumed.error);
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

#[test]
fn an_interrupted_validation_leaves_every_report() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let project = Project::of(SimulatedHost::new(), POLICY);
        let reports = ["json=o.json", "html=o.html", "markdown=o.md", "junit=o.xml", "text=o.txt"];
        let options: Vec<&str> = reports.iter().flat_map(|report| ["--output", report]).collect();
        let child = hanging_with(&project, &options);
        let report =
            |name: &str| std::fs::read_to_string(project.folder.path().join(name)).expect("it was written");
        // Also for who is killed: it is there from the beginning, and says that it is not over.
        assert!(report("o.txt").starts_with("gpulint validate: not ended\n"), "{}", report("o.txt"));
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).expect("it runs");
        let output = child.wait_with_output().expect("it is waited for");
        assert_eq!(output.status.code(), Some(130));
        for document in [String::from_utf8_lossy(&output.stdout).into_owned(), report("o.json")] {
            let document: serde_json::Value = serde_json::from_str(&document).expect("a document");
            assert_eq!((&document["verdict"], &document["exit_code"]), (&"interrupted".into(), &130.into()));
            let states: Vec<_> = (0..2).map(|number| document["checks"][number]["state"].clone()).collect();
            assert_eq!(states, ["holds", "not_run"]);
            assert_eq!(document["reasons"][0]["code"], "interrupted");
        }
        for name in ["o.html", "o.md", "o.txt"] {
            assert!(report(name).contains("it was interrupted"), "{name}");
        }
        assert!(report("o.xml").contains("type=\"interrupted\""), "{}", report("o.xml"));
    }
}

#[test]
fn a_report_that_cannot_be_written_is_known_before_the_work() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    for options in
        [["--output", "html=absent/o.html"], ["--output", "json=state"], ["--plots", "gpulint.yaml"]]
    {
        let said = said(project.command(&options));
        assert_eq!((said.code, said.text.as_str()), (Some(2), ""), "{options:?}: {}", said.error);
        assert!(said.error.starts_with("error: cannot write the "), "{options:?}: {}", said.error);
        assert!(!said.error.contains("lint: "), "{options:?}: {}", said.error);
    }
}

#[test]
fn a_number_of_iterations_that_nobody_waits_for_is_refused() {
    let project =
        Project::of(SimulatedHost::new(), &format!("{POLICY}runtime: {{iterations: 1000000000}}\n"));
    let said = said(project.command(&[]));
    assert_eq!((said.code, said.text.as_str()), (Some(2), ""));
    assert!(
        said.error.starts_with("error: `runtime.iterations` is 1000000000, and more than 10000"),
        "{}",
        said.error
    );
}

#[test]
fn a_validation_may_have_a_time_for_all_of_it() {
    let host = SimulatedHost::new();
    let targets = "runtime: {iterations: 2, targets: [{name: long, command: [sleep, '600'], mode: gpu}, \
                   {name: next, command: ['true'], mode: gpu}]}\n";
    let project = Project::of(host, &format!("{POLICY}{targets}"));
    let validated = project.validated(&["--total-timeout", "8", "--jobs", "1", "--timeout", "600"]);
    assert_eq!((validated.code, validated.reasons), (Some(6), vec!["total-time-limit".to_owned()]));
    let states: Vec<_> = (0..4).map(|number| validated.document["checks"][number]["state"].clone()).collect();
    assert_eq!(states[2..], ["not_run", "not_run"]);
    assert_eq!(processes_on(&project.host), Vec::<String>::new());
}
