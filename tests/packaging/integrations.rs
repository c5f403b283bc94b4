//! The component for GitLab, the plugin of MegaLinter and the example for reviewdog, as these use them: inputs put into the text, the commands run
//! by bash.

use crate::scratch::{REPOSITORY, RIGHT, Scratch, WRONG, WRONG_RULE};
use serde::Deserialize;
use serde_yaml::Value;
use std::path::Path;
use std::process::Output;

/// A variable that does not exist: another fault than that of `WRONG`.
const MISSPELT: &str = "import os\n\nos.environ[\"CUDA_VISIBLE_DEVICE\"] = \"1\"\n";

fn text_of(name: &str) -> String {
    std::fs::read_to_string(Path::new(REPOSITORY).join(name)).expect("it is committed")
}

/// The job of the component with these inputs, and the defaults of the others.
fn job(inputs: &[(&str, &str)]) -> Value {
    let text = text_of("templates/gpulint.yml");
    let (head, body) = text.split_once("\n---\n").expect("two documents");
    let head: Value = serde_yaml::from_str(head).expect("the inputs are YAML");
    let mut body = body.to_owned();
    for (name, input) in head["spec"]["inputs"].as_mapping().expect("inputs") {
        let name = name.as_str().expect("a name");
        let given = inputs.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
        let value = given.or(input["default"].as_str()).expect("each has a default");
        body = body.replace(&format!("$[[ inputs.{name} ]]"), value);
    }
    assert!(!body.contains("$[["), "an input that is not declared: {body}");
    let body: Value = serde_yaml::from_str(&body).expect("the job is YAML");
    let jobs = body.as_mapping().expect("jobs");
    assert_eq!(jobs.len(), 1, "the component is one job");
    jobs.values().next().cloned().expect("a job")
}

fn run(project: &Scratch, lines: &Value, variables: &[(&str, &str)]) -> Output {
    let lines: Vec<&str> = lines.as_sequence().expect("lines").iter().filter_map(Value::as_str).collect();
    let mut bash = project.command("bash");
    bash.args(["-euo", "pipefail", "-c", &lines.join("\n")]).envs(variables.iter().copied());
    bash.output().expect("bash runs")
}

fn variables(job: &Value) -> Vec<(&str, &str)> {
    let variables = job["variables"].as_mapping().expect("variables");
    variables.iter().map(|(name, value)| (name.as_str().unwrap(), value.as_str().unwrap())).collect()
}

#[test]
fn the_component_reports_what_a_merge_request_brings() {
    let project = Scratch::new("gitlab");
    project.git(&["init", "--quiet", "--initial-branch=main"]);
    project.write("old.py", MISSPELT);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message=old"]);
    let base = project.command("git").args(["rev-parse", "HEAD"]).output().expect("git runs");
    let base = String::from_utf8(base.stdout).unwrap();
    project.write("app/new.py", WRONG);
    project.write("app/right.py", RIGHT);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message=new"]);

    let found = |inputs: &[(&str, &str)], base: &str| {
        let job = job(inputs);
        let mut variables = variables(&job);
        variables.push(("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.trim()));
        let ran = run(&project, &job["script"], &variables);
        let report = job["artifacts"]["reports"]["codequality"].as_str().expect("a report");
        let report = std::fs::read_to_string(project.path().join(report)).expect("it was written");
        let report: serde_json::Value = serde_json::from_str(&report).expect("it is JSON");
        let paths = report
            .as_array()
            .expect("a list")
            .iter()
            .map(|entry| entry["location"]["path"].as_str().expect("a path").to_owned());
        (ran.status.code(), paths.collect::<Vec<_>>())
    };
    assert_eq!(found(&[], &base), (Some(1), vec!["app/new.py".to_owned()]));
    // On a branch there is no base.
    assert_eq!(found(&[], ""), (Some(1), vec!["app/new.py".to_owned(), "old.py".to_owned()]));
    assert_eq!(found(&[("since", "none"), ("paths", "old.py")], &base), (Some(1), vec!["old.py".to_owned()]));
    let mild = found(&[("args", "--fail-on=error"), ("paths", "app")], "");
    assert_eq!(mild, (Some(0), vec!["app/new.py".to_owned()]));
}

#[test]
fn the_component_installs_the_version_that_is_asked_for() {
    for (version, package) in [("", "gpulint"), ("0.1.0", "gpulint==0.1.0")] {
        let project = Scratch::new(&format!("gitlab-install-{version}"));
        project.write("bin/python", "#!/bin/sh\necho \"$@\"\n");
        let python = project.path().join("bin/python");
        std::fs::set_permissions(&python, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let job = job(&[("version", version)]);
        let path = format!("{}:{}", python.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut variables = variables(&job);
        variables.push(("PATH", &path));
        let ran = run(&project, &job["before_script"], &variables);
        let said = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(said, format!("-m pip install --quiet --disable-pip-version-check {package}\n"));
    }
}

/// What MegaLinter reads of a linter; it refuses other keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Linter {
    linter_name: String,
    name: String,
    linter_url: String,
    linter_text: String,
    linter_spdx_license: String,
    linter_speed: u8,
    cli_lint_mode: String,
    cli_executable: String,
    cli_lint_extra_args: Vec<String>,
    cli_lint_fix_arg_name: String,
    cli_config_arg_name: String,
    can_output_sarif: bool,
    cli_sarif_args: Vec<String>,
    cli_lint_errors_count: String,
    cli_lint_errors_regex: String,
    cli_version_arg_name: String,
    cli_help_arg_name: String,
    examples: Vec<String>,
    install: Value,
}

#[test]
fn the_plugin_of_megalinter_counts_what_is_found() {
    let text = text_of("packaging/mega-linter-plugin-gpulint/gpulint.megalinter-descriptor.yml");
    let descriptor: Value = serde_yaml::from_str(&text).expect("it is YAML");
    let linter: Linter = serde_yaml::from_value(descriptor["linters"][0].clone()).expect("a linter");
    assert_eq!(
        (linter.cli_lint_mode.as_str(), linter.cli_lint_errors_count.as_str()),
        ("project", "regex_count")
    );
    let install = linter.install["dockerfile"].as_sequence().expect("commands");
    assert!(
        install.iter().all(|line| line.as_str().is_some_and(|line| line.starts_with("RUN "))),
        "{install:?}"
    );
    let project = Scratch::new("megalinter");
    project.write("a.py", WRONG);
    project.write("b.py", MISSPELT);
    project.write("c.py", RIGHT);
    let sarif = project.path().join("gpulint.sarif");
    let sarif_args = linter
        .cli_sarif_args
        .iter()
        .map(|arg| arg.replace("{{SARIF_OUTPUT_FILE}}", &sarif.display().to_string()));
    let mut command = project.command(&linter.cli_executable);
    let ran = command.args(&linter.cli_lint_extra_args).args(sarif_args).output().expect("it runs");
    let said = String::from_utf8(ran.stdout).unwrap();
    let pattern = regex::Regex::new(&linter.cli_lint_errors_regex).expect("a pattern");
    assert_eq!((ran.status.code(), pattern.find_iter(&said).count()), (Some(1), 2), "{said}");
    assert!(std::fs::read_to_string(&sarif).unwrap().contains("\"2.1.0\""));
    for word in [&linter.cli_version_arg_name, &linter.cli_help_arg_name] {
        assert!(
            project.command(&linter.cli_executable).arg(word).output().unwrap().status.success(),
            "{word}"
        );
    }
}

/// The command in docs/ci.md, with a program in the place of reviewdog that keeps what it is handed.
#[test]
fn the_example_for_reviewdog_hands_over_findings_with_their_fixes() {
    let page = text_of("docs/ci.md");
    let step = page.lines().find_map(|line| line.trim().strip_prefix("- run: gpulint check --format rdjson"));
    let step = format!("gpulint check --format rdjson{}", step.expect("the example"));
    let project = Scratch::new("reviewdog");
    project.write("gpulint.yaml", "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n");
    project.write("a.py", WRONG);
    project.write("bin/reviewdog", "#!/bin/sh\necho \"$@\"\ncat > handed.json\n");
    let stub = project.path().join("bin/reviewdog");
    std::fs::set_permissions(&stub, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut bash = project.command("bash");
    let own = bash
        .get_envs()
        .find_map(|(name, value)| (name == "PATH").then_some(value))
        .flatten()
        .expect("a path");
    let path = format!("{}:{}", stub.parent().unwrap().display(), own.to_string_lossy());
    let ran = bash.args(["-c", &step]).env("PATH", path).output().expect("bash runs");
    let said = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(said, "-f=rdjson -name=gpulint -reporter=github-pr-review -fail-level=warning\n");
    let handed = std::fs::read_to_string(project.path().join("handed.json")).expect("it was handed over");
    let handed: serde_json::Value = serde_json::from_str(&handed).expect("it is JSON");
    let finding = &handed["diagnostics"][0];
    assert_eq!(
        (&finding["code"]["value"], &finding["location"]["path"]),
        (&WRONG_RULE.into(), &"a.py".into())
    );
    assert!(
        finding["suggestions"][0]["text"].as_str().is_some_and(|text| text.contains("PCI_BUS_ID")),
        "{finding}"
    );
}
