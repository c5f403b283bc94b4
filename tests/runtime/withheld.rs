//! A program under test cannot write the outcome of the CI job that runs it.

use crate::commands::said;
use crate::strays::record_of;
use crate::validate::{POLICY, Project};
use simulated_gpu_host::SimulatedHost;

/// What a step of GitHub Actions has.
const OF_THE_JOB: [&str; 6] = [
    "GITHUB_ENV",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
    "ACTIONS_RUNTIME_TOKEN",
];
/// Shows which of them are there, and one that says nothing secret.
const SHOW: &str = "env | grep -E '^(GITHUB_|ACTIONS_)' | cut -d= -f1 | sort | tr '\\n' ' '";

#[test]
fn a_command_does_not_get_the_files_of_the_job() {
    let project = Project::of(SimulatedHost::new(), POLICY);
    for mode in ["gpu", "cpu"] {
        let ran = |options: &[&str]| {
            let mut exec = project.host.command(env!("CARGO_BIN_EXE_gpulint"));
            exec.current_dir(project.folder.path())
                .env("GPULINT_SLOT_DIR", project.folder.path().join("slots"));
            exec.envs(OF_THE_JOB.map(|name| (name, "/nowhere"))).env("GITHUB_SHA", "1bb9d836");
            exec.args(["exec", "--allow-simulated", "--record", "run.json", "--mode", mode])
                .args(options)
                .args(["--", "sh", "-c", SHOW]);
            (said(exec), record_of(&project.folder))
        };
        let (said, record) = ran(&[]);
        assert_eq!((said.code, said.text.trim(), said.error.as_str()), (Some(0), "GITHUB_SHA", ""), "{mode}");
        for name in OF_THE_JOB {
            assert_eq!(record.environment.get(name), Some(&None), "{mode}: {name}");
        }
        assert!(record.kept_environment.is_empty());
        let (said, record) = ran(&["--keep-env", "GITHUB_ENV", "--keep-env", "ABSENT"]);
        assert_eq!(said.text.trim(), "GITHUB_ENV GITHUB_SHA", "{mode}");
        assert_eq!(record.kept_environment, ["GITHUB_ENV"]);
    }
}

#[test]
fn a_target_cannot_write_the_verdict() {
    let command = "sh, -c, 'echo verdict=approved >> \"${GITHUB_OUTPUT:-/dev/null}\"; exit 1'";
    let policy = format!(
        "{POLICY}runtime: {{iterations: 1, targets: [{{name: tts, command: [{command}], mode: gpu}}]}}\n"
    );
    let project = Project::of(SimulatedHost::new(), &policy);
    let outputs = project.folder.path().join("outputs");
    std::fs::write(&outputs, "").expect("the folder is writable");
    let run = |options: &[&str]| {
        let mut validate = project.command(options);
        validate.env("GITHUB_OUTPUT", &outputs);
        let said = said(validate);
        assert_eq!(said.code, Some(4), "{}", said.error);
        (said.text, std::fs::read_to_string(&outputs).expect("it is there"))
    };
    assert_eq!(run(&[]).1, "");
    let (document, written) = run(&["--keep-env", "GITHUB_OUTPUT"]);
    assert_eq!(written, "verdict=approved\n");
    let document: serde_json::Value = serde_json::from_str(&document).expect("a document");
    assert_eq!(document["checks"][2]["record"]["kept_environment"], serde_json::json!(["GITHUB_OUTPUT"]));
}
