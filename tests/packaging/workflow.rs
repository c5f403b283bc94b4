//! The workflow that `gpulint init --runner` writes, read by what knows GitHub's workflows: their schema, and zizmor.

use crate::composite::{Job, action};
use crate::scratch::{REPOSITORY, Scratch, is_installed, printed};
use serde_yaml::Value;
use std::path::Path;

const FILE: &str = ".github/workflows/gpulint-gpu.yml";

/// A project with the workflow, and its text.
fn written(name: &str, labels: &str) -> (Scratch, String) {
    let project = Scratch::new(&format!("workflow-{name}"));
    project.write("gpulint.yaml", "gpu: {visible-devices: \"1\"}\n");
    // As docs/ci.md names it.
    let repository = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
    let written = project
        .command("gpulint")
        .args(["init", "--runner", labels, "--repository", repository])
        .output()
        .unwrap();
    assert!(written.status.success(), "{}", printed(&written));
    let text = std::fs::read_to_string(project.path().join(FILE)).unwrap();
    (project, text)
}

#[test]
fn it_is_a_workflow_without_faults() {
    let labels = "self-hosted,linux,x64,gpu,rtx3090,3090";
    let (project, text) = written("audited", labels);
    if is_installed("check-jsonschema") {
        let words = ["--builtin-schema", "vendor.github-workflows", FILE];
        let checked = project.command("check-jsonschema").args(words).output().unwrap();
        assert!(checked.status.success(), "{}", printed(&checked));
    }
    // gpulint has no release, so what it writes cannot name one; whoever uses it puts a hash there.
    let pinned =
        text.replace("gpulint@main ", &format!("gpulint@{} ", "0123456789abcdef".repeat(3).split_at(40).0));
    assert_ne!(pinned, text);
    if is_installed("zizmor") {
        project.write(FILE, &pinned);
        let audited =
            || project.command("zizmor").args(["--offline", "--no-progress", FILE]).output().unwrap();
        let audit = audited();
        assert!(audit.status.success(), "{}", printed(&audit));
        project.write(FILE, &pinned.replace("persist-credentials: false", "fetch-depth: 0"));
        assert!(!audited().status.success(), "zizmor says nothing of credentials that are kept");
    }
}

#[test]
fn it_uses_inputs_that_the_action_takes() {
    let (project, text) = written("inputs", "self-hosted,gpu");
    let workflow: Value = serde_yaml::from_str(&text).expect("YAML");
    let job = &workflow["jobs"]["validate"];
    assert_eq!(job["permissions"], serde_yaml::from_str::<Value>("{contents: read}").unwrap());
    assert_eq!(workflow["permissions"], serde_yaml::from_str::<Value>("{}").unwrap());
    for step in job["steps"].as_sequence().unwrap() {
        let (used, revision) = step["uses"].as_str().unwrap().split_once('@').unwrap();
        if used.ends_with("/gpulint") {
            continue;
        }
        assert!(revision.len() == 40 && revision.bytes().all(|b| b.is_ascii_hexdigit()), "{used}");
        assert_eq!(step["with"]["persist-credentials"].as_bool(), Some(false));
    }
    let with = job["steps"][1]["with"].as_mapping().unwrap();
    let declared = action()["inputs"].as_mapping().unwrap().clone();
    assert!(with.keys().all(|name| declared.contains_key(name)), "{with:?}");
    let inputs: Vec<_> =
        with.iter().map(|(name, value)| (name.as_str().unwrap(), value.as_str().unwrap())).collect();
    let ran = Job::new(&project, &inputs).run_until("plan");
    assert_eq!((ran.exit_code, ran.steps["plan"]["source"].as_str()), (0, "given"), "{}", ran.text);
}

#[test]
fn the_documentation_shows_it() {
    let (_, text) = written("documented", "self-hosted,linux,x64,gpu,rtx3090");
    let page =
        std::fs::read_to_string(Path::new(REPOSITORY).join("docs/ci.md")).unwrap().replace("\r\n", "\n");
    let (_, below) = page.split_once("### On a machine with a GPU\n").expect("the section");
    let (_, block) = below.split_once("```yaml\n").expect("a block");
    let (block, _) = block.split_once("```").expect("its end");
    let written = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let written = written.filter(|line| !line.trim_start().starts_with("name: "));
    assert_eq!(block.lines().collect::<Vec<_>>(), written.collect::<Vec<_>>());
}
