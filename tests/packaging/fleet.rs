//! The files that `gpulint init --fleet` writes, read by what knows their formats; and the steps of the workflow, run one after the
//! other as GitHub would, on simulated cards. Slurm and Ray run theirs in `.ci/nightly`.

use crate::scratch::{BINARY, Scratch, is_installed, printed};
use serde_yaml::Value;
use simulated_gpu_host::{Card, Description, Fault, SimulatedHost};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

const WORKFLOW: &str = ".github/workflows/gpulint-fleet.yml";
const UUIDS: [&str; 2] =
    ["GPU-30903090-0000-4000-8000-00000000000a", "GPU-30903090-0000-4000-8000-00000000000b"];

fn written(name: &str, words: &[&str]) -> Scratch {
    let project = Scratch::new(&format!("fleet-{name}"));
    project.write("gpulint.yaml", "gpu: {name: RTX 3090}\n");
    let written = project.command("gpulint").args(["init", "--fleet"]).args(words).output().unwrap();
    assert!(written.status.success(), "{}", printed(&written));
    project
}

fn workflow(name: &str) -> Scratch {
    written(name, &["github", "--runner", "self-hosted,gpu,one", "--runner", "self-hosted,gpu,3090"])
}

fn text_of(project: &Scratch, file: &str) -> String {
    std::fs::read_to_string(project.path().join(file)).unwrap()
}

#[test]
fn the_workflow_is_one_without_faults() {
    let project = workflow("audited");
    if is_installed("check-jsonschema") {
        let words = ["--builtin-schema", "vendor.github-workflows", WORKFLOW];
        let checked = project.command("check-jsonschema").args(words).output().unwrap();
        assert!(checked.status.success(), "{}", printed(&checked));
    }
    if is_installed("zizmor") {
        let audited =
            || project.command("zizmor").args(["--offline", "--no-progress", WORKFLOW]).output().unwrap();
        let audit = audited();
        assert!(audit.status.success(), "{}", printed(&audit));
        project.write(
            WORKFLOW,
            &text_of(&project, WORKFLOW).replace("persist-credentials: false", "fetch-depth: 0"),
        );
        assert!(!audited().status.success(), "zizmor says nothing of credentials that are kept");
    }
}

#[test]
fn the_manifest_is_one_of_kubernetes() {
    let project = written(
        "kubernetes",
        &["kubernetes", "--cards", "12", "--image", "registry.example/team/project:1.2"],
    );
    let file = "gpulint-fleet.yaml";
    let manifest: Value = serde_yaml::from_str(&text_of(&project, file)).expect("YAML");
    let job = &manifest["spec"];
    assert_eq!((job["completions"].as_u64(), job["parallelism"].as_u64()), (Some(12), Some(12)));
    let container = &job["template"]["spec"]["containers"][0];
    assert_eq!(container["resources"]["limits"]["nvidia.com/gpu"].as_u64(), Some(1));
    assert_eq!(container["image"].as_str(), Some("registry.example/team/project:1.2"));
    if is_installed("kubernetes-validate") {
        let checked = |version| {
            let words = ["--strict", "-k", version, file];
            project.command("kubernetes-validate").args(words).output().unwrap()
        };
        for version in ["1.29", "1.36"] {
            let checked = checked(version);
            assert!(checked.status.success(), "{version}: {}", printed(&checked));
        }
        project.write(file, &text_of(&project, file).replace("completions: 12", "completions: twelve"));
        assert!(!checked("1.36").status.success(), "it says nothing of a number that is none");
    }
}

#[test]
fn gpulint_has_nothing_to_say_of_its_own_files() {
    for words in [
        &["slurm", "--cards", "3"][..],
        &["kubernetes", "--cards", "3", "--image", "a/b:1"],
        &["ray"],
        &["github", "--runner", "gpu,one"],
    ] {
        let project = written(&format!("checked-{}", words[0]), words);
        let words = ["check", "--select", "all", "--min-severity", "note", "--format", "concise"];
        let checked = project.command("gpulint").args(words).output().unwrap();
        assert!(checked.status.success(), "{}", printed(&checked));
        assert!(
            !printed(&checked).contains("gpulint-fleet") && !printed(&checked).contains("gpulint_fleet"),
            "{}",
            printed(&checked)
        );
    }
}

/// What runs a workflow on this machine: a runner with a host of its own for each entry of the matrix.
struct Runners {
    project: Scratch,
    workflow: Value,
    /// Artifacts by name, each with its files.
    artifacts: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
}

impl Runners {
    fn new() -> Runners {
        let project = workflow("run");
        let workflow = serde_yaml::from_str(&text_of(&project, WORKFLOW)).expect("YAML");
        // The cards are simulated, which no ready file says.
        let options = "--allow-simulated --profile leak --side 32 --iterations 4";
        let script = format!(
            "#!/bin/sh\ncase $1 in validate) shift; exec {BINARY} validate {options} \"$@\" ;; esac\nexec {BINARY} \"$@\"\n"
        );
        project.write("bin/gpulint", &script);
        let program = project.path().join("bin/gpulint");
        std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
        Runners { project, workflow, artifacts: BTreeMap::new() }
    }

    /// Runs the steps of a job; the code that each script ended with.
    fn run(&mut self, job: &str, number: usize, host: &SimulatedHost) -> Vec<(i32, String)> {
        let temporary = self.project.path().join(format!("temporary-{job}-{number}"));
        std::fs::create_dir_all(&temporary).unwrap();
        let fill = |text: &str| {
            let filled = text
                .replace("${{ strategy.job-index }}", &number.to_string())
                .replace("${{ runner.temp }}", temporary.to_str().expect("UTF-8"));
            assert!(!filled.contains("${{"), "nothing fills {filled}");
            filled
        };
        let text = |value: &Value| fill(value.as_str().unwrap_or_default());
        let job = self.workflow["jobs"][job].clone();
        let mut codes: Vec<(i32, String)> = Vec::new();
        for step in job["steps"].as_sequence().expect("steps") {
            let goes_on = step["if"].as_str() == Some("always()") || codes.iter().all(|(code, _)| *code == 0);
            let (used, with) = (step["uses"].as_str().unwrap_or_default(), &step["with"]);
            if !goes_on || used.starts_with("actions/checkout@") {
                continue;
            } else if used.starts_with("actions/upload-artifact@") {
                let file = text(&with["path"]);
                let name = Path::new(&file).file_name().expect("a file").to_string_lossy().into_owned();
                if let Ok(bytes) = std::fs::read(&file) {
                    self.artifacts.insert(text(&with["name"]), BTreeMap::from([(name, bytes)]));
                }
            } else if used.starts_with("actions/download-artifact@") {
                let (pattern, folder) = (text(&with["pattern"]), text(&with["path"]));
                assert_eq!(with["merge-multiple"].as_bool(), Some(true));
                let wanted = |name: &&String| name.starts_with(pattern.trim_end_matches('*'));
                std::fs::create_dir_all(&folder).unwrap();
                for (name, bytes) in
                    self.artifacts.keys().filter(wanted).flat_map(|name| &self.artifacts[name])
                {
                    std::fs::write(Path::new(&folder).join(name), bytes).unwrap();
                }
            } else {
                assert_eq!(used, "", "what does this step do");
                let ran = self.script(step, &job["env"], &fill, &temporary, host);
                codes.push((ran.status.code().unwrap_or(-1), printed(&ran)));
            }
        }
        codes
    }

    fn script(
        &self,
        step: &Value,
        variables: &Value,
        fill: &dyn Fn(&str) -> String,
        temporary: &Path,
        host: &SimulatedHost,
    ) -> Output {
        let mut bash = self.project.command("bash");
        bash.args(["-eo", "pipefail", "-c", step["run"].as_str().expect("a script")]);
        bash.envs(host.environment()).env_remove("CUDA_VISIBLE_DEVICES");
        bash.env("GPULINT_SLOT_DIR", host.folder().join("slots"));
        bash.env("XDG_STATE_HOME", host.folder().join("remembered")).env("RUNNER_TEMP", temporary);
        bash.env("GITHUB_STEP_SUMMARY", self.project.path().join("summary.md")).env("CI", "true");
        for (name, value) in variables.as_mapping().into_iter().flatten() {
            bash.env(name.as_str().expect("a name"), fill(value.as_str().expect("a text")));
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.project.path().join("bin")).chain(std::env::split_paths(&path));
        bash.env("PATH", std::env::join_paths(folders).unwrap()).output().unwrap()
    }
}

/// A machine with one RTX 3090.
fn machine(number: usize) -> SimulatedHost {
    let card = Card { uuid: UUIDS[number].into(), ..Card::rtx_3090() };
    SimulatedHost::of(Description { cards: vec![card], ..Default::default() })
}

#[test]
fn the_steps_of_the_workflow_come_to_one_verdict() {
    let mut runners = Runners::new();
    let matrix = runners.workflow["jobs"]["validate"]["strategy"]["matrix"]["runner"].clone();
    assert_eq!(matrix.as_sequence().map(Vec::len), Some(2));
    let good = runners.run("validate", 0, &machine(0));
    assert_eq!(good.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [0], "{good:?}");
    // A machine without a report is missed.
    let alone = runners.run("merge", 0, &machine(0));
    assert_eq!(alone.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [6], "{alone:?}");
    assert!(alone[0].1.contains("reports of 1 card, and 2 are"), "{alone:?}");
    let faulty = machine(1).with(Fault::Leak { bytes: 4 << 20, in_pool: false, card: None });
    let bad = runners.run("validate", 1, &faulty);
    assert_eq!(bad.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [4], "{bad:?}");
    let merged = runners.run("merge", 1, &machine(0));
    assert_eq!(merged.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [4], "{merged:?}");
    let summary = std::fs::read_to_string(runners.project.path().join("summary.md")).unwrap();
    assert!(summary.contains("rejected") && summary.contains("GPU-30903090"), "{summary}");
}
