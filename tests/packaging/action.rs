//! `action.yml`: its own steps, read out of the file and run by bash with the environment that GitHub provides.

use crate::scratch::{BINARY, REPOSITORY, RIGHT, Scratch, WRONG, WRONG_RULE, printed, slow_tests_wanted};
use serde_yaml::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[test]
fn findings_fail_the_step_and_become_annotations() {
    let project = project("findings", &[("predict.py", WRONG), ("train.py", RIGHT)]);
    let run = run_step("check", &project, &[]);
    assert_eq!(run.exit_code, Some(1), "{}", run.text);
    let annotation = run.text.lines().find(|line| line.starts_with("::")).unwrap_or_default();
    assert!(annotation.starts_with("::error ") || annotation.starts_with("::warning "), "{}", run.text);
    assert!(annotation.contains("file=predict.py,line=3,"), "{}", run.text);
    assert!(run.text.contains(WRONG_RULE), "{}", run.text);
    assert_eq!(run.outputs["exit-code"], "1");
}

#[test]
fn right_code_passes() {
    let project = project("right", &[("train.py", RIGHT)]);
    let run = run_step("check", &project, &[]);
    assert_eq!(run.exit_code, Some(0), "{}", run.text);
    assert_eq!(run.outputs["exit-code"], "0");
}

#[test]
fn only_the_paths_asked_for_are_checked() {
    let project =
        project("paths", &[("a folder/train.py", RIGHT), ("b/train.py", RIGHT), ("c/bad.py", WRONG)]);
    let run = run_step("check", &project, &[("paths", "a folder\r\n\nb\n")]);
    assert_eq!(run.exit_code, Some(0), "{}", run.text);
    let run = run_step("check", &project, &[("paths", "b\nc")]);
    assert_eq!(run.exit_code, Some(1), "{}", run.text);
}

#[test]
fn severity_decides_and_folder_is_entered() {
    let project = project("severity", &[("sub/predict.py", WRONG)]);
    let run = run_step("check", &project, &[("working-directory", "sub"), ("fail-on", "error")]);
    assert_eq!(run.exit_code, Some(0), "a warning does not fail a run that fails on errors: {}", run.text);
    assert!(run.text.contains(WRONG_RULE), "and is still shown: {}", run.text);
    let inputs =
        [("working-directory", "sub"), ("fail-on", "error"), ("min-severity", "error"), ("mode", "gpu")];
    let run = run_step("check", &project, &inputs);
    assert_eq!(run.exit_code, Some(0), "{}", run.text);
    assert!(!run.text.contains(WRONG_RULE), "{}", run.text);
}

#[test]
fn policy_is_read() {
    let policy = "gpu:\n  visible-devices: \"0\"\n  device-order: PCI_BUS_ID\n";
    let project = project("policy", &[("train.py", RIGHT), ("my policy.yaml", policy)]);
    let run = run_step("check", &project, &[("config", "my policy.yaml")]);
    assert_eq!(run.exit_code, Some(1), "{}", run.text);
    assert!(run.text.contains("wrong-visible-devices"), "{}", run.text);
}

#[test]
fn bad_usage_is_not_a_finding() {
    let project = project("usage", &[("train.py", RIGHT)]);
    for input in [("config", "absent.yaml"), ("mode", "tpu"), ("fail-on", "never"), ("paths", "absent")] {
        let run = run_step("check", &project, &[input]);
        assert_eq!(run.exit_code, Some(2), "{input:?}: {}", run.text);
        assert_eq!(run.outputs["exit-code"], "2", "{input:?}");
    }
}

#[test]
fn inputs_are_words_and_never_commands() {
    let project = project("hostile", &[("train.py", RIGHT)]);
    let hostile = "$(touch taken) `touch taken` \"; touch taken; \" ' --help";
    for name in ["paths", "config", "min-severity", "fail-on", "mode"] {
        let run = run_step("check", &project, &[(name, hostile)]);
        assert_eq!(run.exit_code, Some(2), "{name}: {}", run.text);
        assert!(!project.path().join("taken").exists(), "{name} was executed");
    }
    // A path that looks like an option stays a path.
    let run = run_step("check", &project, &[("paths", "--exit-zero")]);
    assert_eq!(run.exit_code, Some(2), "{}", run.text);
}

#[test]
fn file_is_consistent() {
    let action = action();
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let mut used = BTreeSet::new();
    for step in steps(&action) {
        let script = step["run"].as_str().expect("every step is a script of this file");
        assert!(!script.contains("${{"), "an expression in a script is how commands are injected: {script}");
        assert_eq!(step["shell"].as_str(), Some("bash"));
        let rest = serde_yaml::to_string(&(&step["env"], &step["working-directory"])).unwrap();
        used.extend(expressions(&rest).iter().filter_map(|e| e.strip_prefix("inputs.")).map(str::to_owned));
    }
    let declared: BTreeSet<_> =
        action["inputs"].as_mapping().unwrap().keys().map(|key| key.as_str().unwrap().to_owned()).collect();
    assert_eq!(used, declared, "inputs that are used, and inputs that are declared");
    assert_eq!(
        action["outputs"]["exit-code"]["value"].as_str(),
        Some("${{ steps.check.outputs.exit-code }}")
    );
}

#[test]
fn build_step_builds() {
    if !slow_tests_wanted() {
        return;
    }
    let project = project("build", &[("predict.py", WRONG)]);
    // A setting of the checked project that must not reach the build.
    project.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.0.0\"\n");
    let build = run_step("build", &project, &[]);
    assert_eq!(build.exit_code, Some(0), "{}", build.text);
    let binary = &build.outputs["binary"];
    assert!(Path::new(binary).starts_with(project.path().join("runner temp")), "{binary}");
    let check = project.command(binary).args(["check", "predict.py"]).output().expect("what was built runs");
    assert_eq!(check.status.code(), Some(1), "{}", printed(&check));
}

/// What a step did.
struct StepRun {
    exit_code: Option<i32>,
    text: String,
    outputs: BTreeMap<String, String>,
}

/// Runs one step of the action as GitHub would, in `project` as the workspace. The `build` step is taken to have
/// produced the binary under test, so that nothing is compiled twice; `build_step_builds` runs the real one.
fn run_step(id: &str, project: &Scratch, inputs: &[(&str, &str)]) -> StepRun {
    let action = action();
    let step = steps(&action).into_iter().find(|step| step["id"].as_str() == Some(id)).expect("such a step");
    let temporary = project.path().join("runner temp");
    std::fs::create_dir_all(&temporary).unwrap();
    for file in ["output", "env", "path", "summary"] {
        std::fs::write(temporary.join(file), "").unwrap();
    }
    std::fs::write(temporary.join("step.sh"), step["run"].as_str().unwrap()).unwrap();

    let value_of = |expression: &str| match expression {
        "github.action_path" => REPOSITORY.to_owned(),
        "github.workspace" => project.path().display().to_string(),
        "runner.temp" => temporary.display().to_string(),
        "steps.build.outputs.binary" => BINARY.to_owned(),
        other => {
            let name = other.strip_prefix("inputs.").unwrap_or_else(|| panic!("unknown: ${{{{ {other} }}}}"));
            let given = inputs.iter().find(|(input, _)| *input == name).map(|(_, value)| *value);
            given.or(action["inputs"][name]["default"].as_str()).unwrap_or_default().to_owned()
        }
    };
    let folder = evaluate(step["working-directory"].as_str().unwrap_or("."), &value_of);
    // The command line that GitHub documents for `shell: bash`.
    let mut bash = project.command("bash");
    bash.args(["--noprofile", "--norc", "-eo", "pipefail"])
        .arg(temporary.join("step.sh"))
        .current_dir(project.path().join(folder))
        .env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_ACTION_PATH", REPOSITORY)
        .env("GITHUB_WORKSPACE", project.path())
        .env("GITHUB_OUTPUT", temporary.join("output"))
        .env("GITHUB_ENV", temporary.join("env"))
        .env("GITHUB_PATH", temporary.join("path"))
        .env("GITHUB_STEP_SUMMARY", temporary.join("summary"))
        .env("RUNNER_TEMP", &temporary);
    for (name, value) in step["env"].as_mapping().into_iter().flatten() {
        bash.env(name.as_str().unwrap(), evaluate(value.as_str().unwrap(), &value_of));
    }
    let output = bash.output().expect("bash is installed");
    let outputs = std::fs::read_to_string(temporary.join("output")).unwrap();
    let outputs = outputs.lines().filter_map(|line| line.split_once('='));
    StepRun {
        exit_code: output.status.code(),
        text: printed(&output),
        outputs: outputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
    }
}

/// Replaces each `${{ … }}` by its value. Only plain names are understood; this file needs nothing else.
fn evaluate(text: &str, value_of: &dyn Fn(&str) -> String) -> String {
    let mut result = text.to_owned();
    for expression in expressions(text) {
        result = result.replace(&format!("${{{{ {expression} }}}}"), &value_of(&expression));
    }
    result
}

/// The names inside each `${{ … }}` of a text.
fn expressions(text: &str) -> Vec<String> {
    let parts = text.split("${{").skip(1);
    parts.filter_map(|part| part.split_once("}}")).map(|(name, _)| name.trim().to_owned()).collect()
}

fn action() -> Value {
    let text = std::fs::read_to_string(Path::new(REPOSITORY).join("action.yml")).unwrap();
    serde_yaml::from_str(&text).expect("action.yml is YAML")
}

fn steps(action: &Value) -> Vec<&Value> {
    action["runs"]["steps"].as_sequence().expect("steps").iter().collect()
}

/// A workspace: a git work tree, as after a checkout.
fn project(name: &str, files: &[(&str, &str)]) -> Scratch {
    let project = Scratch::new(&format!("action-{name}"));
    project.git(&["init", "--quiet"]);
    for (file, text) in files {
        project.write(file, text);
    }
    project
}
