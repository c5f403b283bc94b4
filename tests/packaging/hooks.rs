//! `.pre-commit-hooks.yaml`, used by the real pre-commit.

use crate::scratch::{
    REPOSITORY, RIGHT, Scratch, WRONG, WRONG_RULE, is_installed, printed, slow_tests_wanted, wheels,
};
use gpulint::sources::Language;
use std::collections::BTreeSet;
use std::path::Path;

/// What of this repository is needed to install its hooks from a wheel.
const HOOK_FILES: &[&str] =
    &[".pre-commit-hooks.yaml", "pyproject.toml", "Cargo.toml", "packaging/hook/placeholder.py"];

#[test]
fn manifest_is_valid() {
    if !is_installed("pre-commit") {
        return;
    }
    let scratch = Scratch::new("manifest");
    let manifest = Path::new(REPOSITORY).join(".pre-commit-hooks.yaml");
    let output =
        scratch.command("pre-commit").arg("validate-manifest").arg(manifest).output().expect("it runs");
    assert!(output.status.success(), "{}", printed(&output));
}

#[test]
fn hooks_see_all_files_in_one_process() {
    let ids: Vec<_> = hooks().iter().map(|hook| hook["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, ["gpulint", "gpulint-untyped", "gpulint-fix", "gpulint-system", "gpulint-src"]);
    for hook in hooks() {
        assert_eq!(hook["require_serial"].as_bool(), Some(true), "{hook:?}");
        let options = match hook["id"].as_str() {
            Some("gpulint-fix") => "--staged --fix ",
            Some("gpulint-untyped") => "",
            _ => "--staged ",
        };
        let entry = format!("gpulint check {options}--force-exclude --format concise");
        assert_eq!(hook["entry"].as_str(), Some(entry.as_str()), "{hook:?}");
    }
}

#[test]
fn every_language_is_handed_to_a_hook() {
    if !is_installed("pre-commit") {
        return;
    }
    let typed = "train.py tool.pyw run.ipynb README.md a.markdown main.rs a.sh a.bash a.zsh a.ps1 a.psm1 a.bat \
                 a.cmd gpu.env .envrc .bashrc Dockerfile Dockerfile.gpu Containerfile a.mk Makefile GNUmakefile \
                 a.yaml .github/workflows/a.yml pyproject.toml a.json tox.ini setup.cfg Pipfile requirements.txt \
                 requirements/gpu.txt constraints.txt";
    let untyped = ".env .env.local job.slurm job.sbatch a.ksh gpu.dockerfile a.containerfile a.mak a.jsonc \
                   requirements.in requirements/gpu.in";
    let project = project("languages");
    for name in typed.split_whitespace().chain(untyped.split_whitespace()) {
        assert!(Language::of_name(Path::new(name)).is_some(), "gpulint does not read {name}");
        project.write(name, "{}\n");
    }
    project.write("logo.svg", "<svg/>\n");
    project.git(&["add", "--all"]);
    let hooks = hooks_repository("languages-hooks");
    let handed = |id: &str| -> BTreeSet<String> {
        // The names are printed instead, and nothing is installed for that.
        let printing = "{language: system, verbose: true, entry: \"printf '<%s>'\"}";
        configure(&project, &hooks, &[(id, printing)]);
        let output = project.command("pre-commit").args(["run", "--all-files"]).output().expect("it runs");
        let text = printed(&output);
        text.split('<').skip(1).filter_map(|rest| rest.split('>').next()).map(str::to_owned).collect()
    };
    let set = |names: &str| names.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>();
    let own = |mut names: BTreeSet<String>| {
        names.remove(".pre-commit-config.yaml");
        names
    };
    assert_eq!(own(handed("gpulint")), set(typed));
    assert_eq!(handed("gpulint-untyped"), set(untyped));
    assert_eq!(own(handed("gpulint-fix")), set(typed));
    assert_eq!(own(handed("gpulint-system")), set(typed));
    assert_eq!(own(handed("gpulint-src")), set(typed));
}

#[test]
fn right_commits_pass_and_wrong_ones_are_stopped() {
    let Some(project) = project_with_system_hook("commits") else { return };
    project.write("train.py", RIGHT);
    let (passed, text) = commit(&project, "right");
    assert!(passed, "{text}");
    assert!(text.contains("Passed"), "the hook ran: {text}");

    let before = project.git(&["rev-parse", "HEAD"]);
    project.write("my scripts/predict.py", WRONG);
    let (passed, text) = commit(&project, "wrong");
    assert!(!passed, "the commit went through: {text}");
    assert!(text.contains(&format!("my scripts/predict.py:3:1: warning[{WRONG_RULE}]")), "{text}");
    assert!(!text.contains("train.py"), "only what is committed is reported: {text}");
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before);

    project.write("my scripts/predict.py", RIGHT);
    let (passed, text) = commit(&project, "corrected");
    assert!(passed, "{text}");

    project.write("logo.svg", "<svg/>\n");
    let (passed, text) = commit(&project, "nothing that gpulint reads");
    assert!(passed, "{text}");
    assert!(text.contains("Passed"), "{text}");
}

#[test]
fn the_hook_that_init_writes_runs() {
    if !is_installed("pre-commit") {
        return;
    }
    let project = project("init");
    let run = |words: &[&str], program: &str| {
        let output = project.command(program).args(words).output().expect("it runs");
        (output.status.success(), printed(&output))
    };
    let (written, text) = run(&["init", "--visible-devices", "1", "--pre-commit"], "gpulint");
    assert!(written, "{text}");
    assert!(run(&["install"], "pre-commit").0);
    project.write("train.py", "import torch\n\ntorch.cuda.init()\n");
    let (passed, text) = commit(&project, "wrong");
    assert!(!passed && text.contains("train.py:1:1: error[missing-visible-devices]"), "{text}");
    project.write("train.py", "print(1)\n");
    let (passed, text) = commit(&project, "right");
    assert!(passed && text.contains("Passed"), "{text}");
}

#[test]
fn what_a_commit_breaks_elsewhere_stops_it() {
    let Some(project) = project_with_system_hook("elsewhere") else { return };
    let launcher = "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=0\npython train.py\n";
    project.write("gpulint.yaml", "gpu: {visible-devices: \"0\"}\n");
    project.write("train.py", "import torch\n\ntorch.cuda.init()\n");
    project.write("run.sh", launcher);
    let (passed, text) = commit(&project, "right");
    assert!(passed, "{text}");
    let broken = |text: &str| text.contains("train.py:1:1: error[missing-visible-devices]");
    project.write("run.sh", &launcher.replace("export CUDA_VISIBLE_DEVICES=0\n", ""));
    let (passed, text) = commit(&project, "a line of the launcher is gone");
    assert!(!passed && broken(&text), "{text}");
    // pre-commit names no file that is gone.
    project.git(&["rm", "--quiet", "--force", "run.sh"]);
    let (passed, text) = commit(&project, "the launcher is gone");
    assert!(!passed && broken(&text), "{text}");
    let everything = project.command("pre-commit").args(["run", "--all-files"]).output().expect("it runs");
    assert!(broken(&printed(&everything)), "{}", printed(&everything));
}

/// The hook for fixes, with the binary under test; and the other way to the same, an argument of another hook.
#[test]
fn fixes_are_made_and_the_next_commit_passes() {
    for (name, id, other) in [
        ("fix", "gpulint-fix", "{language: system}"),
        ("fix-by-argument", "gpulint-system", "{args: [--fix]}"),
    ] {
        let Some(project) = project_with_hook(name, id, other) else { return };
        let wrong = format!("{RIGHT}    assert torch.cuda.is_available  # on every machine\n");
        let right = wrong.replace("is_available  #", "is_available()  #");
        let untouched = "import torch\n\nif torch.cuda.is_available:\n    pass\n";
        // With a policy it is safe to ask for the GPU where nobody did.
        project.write("gpulint.yaml", "gpu: {visible-devices: \"1\"}\n");
        project.write("train.py", &wrong);
        project.git(&["add", "gpulint.yaml", "train.py"]);
        // Not a part of the commit.
        project.write("other.py", untouched);
        let (passed, text) = commit_staged(&project, "wrong");
        assert!(!passed && text.contains("files were modified by this hook"), "{text}");
        assert!(text.contains("note: fixed 1 finding in 1 file"), "{text}");
        let read = |file: &str| std::fs::read_to_string(project.path().join(file)).unwrap();
        assert_eq!((read("train.py").as_str(), read("other.py").as_str()), (right.as_str(), untouched));
        project.git(&["add", "train.py"]);
        let (passed, text) = commit_staged(&project, "fixed");
        assert!(passed && text.contains("Passed"), "{text}");
        assert_eq!(project.git(&["show", "HEAD:train.py"]), right.trim_end());
        // What no fix mends still stops a commit, and changes nothing.
        let unfixable = format!("{RIGHT}    first = int(os.environ[\"CUDA_VISIBLE_DEVICES\"])\n");
        project.write("train.py", &unfixable);
        project.git(&["add", "train.py"]);
        let (passed, text) = commit_staged(&project, "no fix");
        assert!(!passed && text.contains("mask-parsed-as-int"), "{text}");
        assert!(!text.contains("files were modified"), "{text}");
        assert_eq!(read("train.py"), unfixable);
    }
}

#[test]
fn notebooks_scripts_and_workflows_are_checked() {
    let Some(project) = project_with_system_hook("languages-commits") else { return };
    let lines: Vec<_> = WRONG.split_inclusive('\n').collect();
    let cell = format!(
        r#"{{"cells": [{{"cell_type": "code", "metadata": {{}}, "outputs": [], "execution_count": null,
"source": {}}}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}"#,
        serde_json::to_string(&lines).unwrap()
    );
    let program = "import torch\n\nprint(torch.cuda.init())\n";
    let workflow = "on: push\njobs:\n  gpu:\n    runs-on: [self-hosted, gpu-a]\n    env:\n      \
                    CUDA_VISIBLE_DEVICES: \"1\"\n    steps:\n      - run: python evaluate.py\n";
    for (file, text, found) in [
        ("explore.ipynb", cell.as_str(), "explore.ipynb:cell 1:3:1"),
        ("run.sh", "export CUDA_VISIBLE_DEVICES=1\npython evaluate.py\n", "run.sh:1:8"),
        (".github/workflows/gpu.yml", workflow, ".github/workflows/gpu.yml:6:7"),
    ] {
        project.write("evaluate.py", program);
        project.write(file, text);
        let (passed, text) = commit(&project, file);
        assert!(!passed && text.contains(&format!("{found}: warning[{WRONG_RULE}]")), "{file}: {text}");
        project.git(&["rm", "--quiet", "--cached", "--force", file]);
        std::fs::remove_file(project.path().join(file)).unwrap();
    }
}

#[test]
fn policy_excludes_files_that_are_committed() {
    let Some(project) = project_with_system_hook("excluded") else { return };
    project.write("gpulint.yaml", "exclude: [legacy]\n");
    project.write("legacy/predict.py", WRONG);
    let (passed, text) = commit(&project, "excluded");
    assert!(passed && text.contains("Passed"), "{text}");
    project.write("predict.py", WRONG);
    let (passed, text) = commit(&project, "not excluded");
    assert!(!passed && text.contains("predict.py:3:1"), "{text}");
}

#[test]
fn only_what_is_staged_is_judged() {
    let Some(project) = project_with_system_hook("staged") else { return };
    project.write("train.py", RIGHT);
    project.git(&["add", "--all"]);
    project.write("train.py", WRONG);
    let (passed, text) = commit_staged(&project, "right is staged, wrong is not");
    assert!(passed, "{text}");
    let kept = std::fs::read_to_string(project.path().join("train.py")).unwrap();
    assert_eq!(kept, WRONG, "what is not staged survives");
    project.git(&["add", "--all"]);
    project.write("train.py", RIGHT);
    let (passed, text) = commit_staged(&project, "wrong is staged, right is not");
    assert!(!passed && text.contains("train.py:3:1"), "{text}");
}

/// So many names do not fit on one command line: pre-commit starts the hook several times, each with some of them.
#[test]
fn a_part_of_the_files_is_checked_with_the_whole_project() {
    let Some(project) = project_with_system_hook("many") else { return };
    // Read by every program below, wherever pre-commit cuts.
    project.write("pins.py", RIGHT);
    let folder = "a_folder_with_a_name_that_is_much_longer_than_it_ought_to_be/".repeat(2);
    for number in 0..1200 {
        let text = if number % 1199 == 0 { "import pins\nimport torch\ntorch.cuda.init()\n" } else { "" };
        project.write(&format!("{folder}module_{number:04}.py"), text);
    }
    for name in ["a_first.py", "z_last.py"] {
        project.write(name, WRONG);
    }
    project.write("gpulint.yaml", "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n");
    let (passed, text) = commit(&project, "many");
    assert!(!passed, "{text}");
    let runs = text.lines().filter(|line| line.starts_with("Checked ")).count();
    assert!(runs > 1, "they fitted on one command line: {text}");
    for name in ["a_first.py", "z_last.py"] {
        let found = text.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!(found, 1, "{name}: {text}");
    }
    assert_eq!(text.lines().filter(|line| line.contains(": error[")).count(), 2, "{text}");
}

#[test]
fn hooks_of_the_wheel_install_without_compiler_and_network() {
    let Some(wheels) = wheels() else { return };
    let project = project("wheel-project");
    let hooks = hooks_repository("wheel-hooks");
    configure(&project, &hooks, &[("gpulint", ""), ("gpulint-untyped", "")]);
    let run = |files: &[(&str, &str)]| {
        for (file, text) in files {
            project.write(file, text);
        }
        project.git(&["add", "--all"]);
        let mut command = project.command("pre-commit");
        // Whatever gpulint is found on this machine must not be what runs.
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", &wheels);
        let output = command.args(["run", "--verbose"]).output().expect("pre-commit runs");
        (output.status.success(), printed(&output))
    };
    let (passed, text) = run(&[("train.py", RIGHT)]);
    assert!(passed, "{text}");
    assert_eq!(text.matches("Passed").count(), 1, "{text}");
    let job = "#!/bin/bash\n#SBATCH --gres=gpu:1\nexport CUDA_VISIBLE_DEVICES=cuda:0\npython train_more.py\n";
    let program = "import torch\n\nprint(torch.cuda.init())\n";
    let (passed, text) = run(&[("predict.py", WRONG), ("train_more.py", program), ("job.sbatch", job)]);
    assert!(!passed, "{text}");
    assert!(text.contains("predict.py:3:1: warning["), "{text}");
    assert!(text.contains("job.sbatch:3:"), "{text}");
}

#[test]
fn source_hook_builds_and_finds() {
    if !slow_tests_wanted() || !is_installed("pre-commit") {
        return;
    }
    let project = Scratch::new("source-project");
    project.git(&["init", "--quiet"]);
    project.write("predict.py", WRONG);
    project.git(&["add", "--all"]);
    let output = project
        .command("pre-commit")
        .args(["try-repo", REPOSITORY, "gpulint-src", "--files", "predict.py"])
        .output()
        .expect("pre-commit runs");
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("predict.py:3:"), "{text}");
    assert!(text.contains(WRONG_RULE), "{text}");
}

fn hooks() -> Vec<serde_yaml::Value> {
    let manifest = std::fs::read_to_string(Path::new(REPOSITORY).join(".pre-commit-hooks.yaml")).unwrap();
    serde_yaml::from_str(&manifest).unwrap()
}

/// A git repository that holds the hook files of this one, because pre-commit takes hooks from git only, and what
/// is to be tested are the files as they lie here, committed or not.
fn hooks_repository(name: &str) -> Scratch {
    let hooks = Scratch::new(name);
    hooks.git(&["init", "--quiet"]);
    for file in HOOK_FILES {
        hooks.write(file, &std::fs::read_to_string(Path::new(REPOSITORY).join(file)).unwrap());
    }
    hooks.git(&["add", "--all"]);
    hooks.git(&["commit", "--quiet", "--message", "hooks"]);
    hooks
}

fn project(name: &str) -> Scratch {
    let project = Scratch::new(name);
    project.git(&["init", "--quiet"]);
    // The cache of the hooks lies in the project folder and is not part of it.
    project.write(".git/info/exclude", ".pre-commit-home/\n");
    project
}

/// A project whose commits are checked by the binary under test; `None` where there is no pre-commit.
fn project_with_system_hook(name: &str) -> Option<Scratch> {
    project_with_hook(name, "gpulint-system", "")
}

/// The same with another hook, of which something is said differently.
fn project_with_hook(name: &str, id: &str, other: &str) -> Option<Scratch> {
    if !is_installed("pre-commit") {
        return None;
    }
    let project = project(name);
    let hooks = hooks_repository(&format!("{name}-hooks"));
    configure(&project, &hooks, &[(id, other)]);
    let output =
        project.command("pre-commit").args(["install", "--install-hooks"]).output().expect("it runs");
    assert!(output.status.success(), "{}", printed(&output));
    Some(project)
}

/// Writes the configuration that uses these hooks, each with what it says differently.
fn configure(project: &Scratch, hooks: &Scratch, ids: &[(&str, &str)]) {
    let revision = hooks.git(&["rev-parse", "HEAD"]);
    let mut text = format!("repos:\n  - repo: {}\n    rev: {revision}\n    hooks:\n", hooks.path().display());
    for (id, other) in ids {
        let other = other.strip_prefix('{').map(|rest| format!(", {rest}")).unwrap_or_else(|| "}".to_owned());
        text += &format!("      - {{id: {id}{other}\n");
    }
    project.write(".pre-commit-config.yaml", &text);
}

/// Commits everything, and says whether that worked and what was printed.
fn commit(project: &Scratch, message: &str) -> (bool, String) {
    project.git(&["add", "--all"]);
    commit_staged(project, message)
}

fn commit_staged(project: &Scratch, message: &str) -> (bool, String) {
    let output = project.command("git").args(["commit", "--message", message]).output().expect("git runs");
    (output.status.success(), printed(&output))
}
