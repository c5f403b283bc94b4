//! The steps of the action on Windows: scripts of PowerShell. Their form is checked everywhere; they are run where
//! there is PowerShell.

use crate::composite::Job;
use crate::scratch::{REPOSITORY, RIGHT, Scratch, WRONG, skipped};
use std::path::Path;
use std::process::Command;

#[test]
fn scripts_are_well_formed() {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_powershell::LANGUAGE.into()).expect("the versions fit");
    for name in ["plan", "forks", "install", "check", "runtime", "verdict"] {
        let path = Path::new(REPOSITORY).join(format!("packaging/action/{name}.ps1"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.is_ascii(),
            "{name}: Windows PowerShell reads files without a mark in the code page of the system"
        );
        let tree = parser.parse(&text, None).expect("a tree");
        let fault = first_fault(tree.root_node());
        assert_eq!(fault, None, "{name}.ps1 cannot be parsed from this line on");
    }
}

/// The 1-based line of what cannot be parsed.
fn first_fault(node: tree_sitter::Node) -> Option<usize> {
    if node.is_error() || node.is_missing() {
        return Some(node.start_position().row + 1);
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|child| child.has_error()).find_map(first_fault)
}

#[test]
fn action_works_under_powershell() {
    if !Command::new("pwsh").arg("--version").output().is_ok_and(|run| run.status.success()) {
        return skipped("PowerShell is not installed; the Windows steps of the action are not run");
    }
    let project = Scratch::new("windows");
    project.git(&["init", "--quiet"]);
    project.write("a folder/predict.py", WRONG);
    project.write("train.py", RIGHT);
    let ran = Job::new(&project, &[]).on_windows().run();
    assert_eq!((ran.exit_code, ran.outputs["verdict"].as_str()), (1, "failed"), "{}", ran.text);
    assert!(ran.text.contains("file=a folder/predict.py,line=3,"), "{}", ran.text);
    assert_eq!(["errors", "warnings", "notes"].map(|name| ran.outputs[name].as_str()), ["0", "1", "0"]);
    assert!(ran.summary.contains("missing-device-order"), "{}", ran.summary);
    let ran = Job::new(&project, &[("paths", "train.py\r\n")]).on_windows().run();
    assert_eq!((ran.exit_code, ran.outputs["verdict"].as_str()), (0, "passed"), "{}", ran.text);
    for (input, value) in
        [("mode", "tpu"), ("config", "a\" --exit-zero \""), ("since", ""), ("binary", "absent")]
    {
        let ran = Job::new(&project, &[(input, value)]).on_windows().run();
        assert_eq!(
            (ran.exit_code, ran.outputs["verdict"].as_str()),
            (2, "unusable"),
            "{input}: {}",
            ran.text
        );
    }
}

#[test]
fn whose_code_it_is_is_asked_under_powershell() {
    if !Command::new("pwsh").arg("--version").output().is_ok_and(|run| run.status.success()) {
        return skipped("PowerShell is not installed; the Windows steps of the action are not run");
    }
    let project = Scratch::new("windows-forks");
    let pull_request_of = |repository| {
        format!("{{\"pull_request\": {{\"head\": {{\"repo\": {{\"full_name\": \"{repository}\"}}}}}}}}")
    };
    let about_a_pull_request = "{\"issue\": {\"url\": \"u\", \"pull_request\": {\"url\": \"u\"}}}";
    for (event, text, expected) in [
        ("push", String::new(), ""),
        ("", String::new(), "refused"),
        ("pull_request", pull_request_of("someone/project"), ""),
        ("pull_request", pull_request_of("Someone/project"), "refused"),
        ("pull_request_target", pull_request_of("mallory/project"), "refused"),
        ("pull_request", "{\"pull_request\": {\"head\": {\"repo\": null}}}".to_owned(), "refused"),
        ("pull_request", format!("[{}]", pull_request_of("mallory/project")), "refused"),
        ("pull_request", "no JSON".to_owned(), "refused"),
        ("pull_request", String::new(), "refused"),
        ("workflow_run", pull_request_of("someone/project"), "refused"),
        ("issue_comment", about_a_pull_request.to_owned(), "refused"),
        ("issue_comment", "{\"issue\": {\"url\": \"u\"}}".to_owned(), ""),
        ("issue_comment", String::new(), "refused"),
    ] {
        project.write("event", &text);
        let job = Job::new(&project, &[("stage", "runtime")]).on_windows();
        let job = job.env("GITHUB_EVENT_PATH", project.path().join("event").display().to_string());
        let ran = job.env("GITHUB_EVENT_NAME", event).run_until("plan");
        assert_eq!(ran.outputs["verdict"], expected, "{event}: {text}: {}", ran.text);
    }
}
