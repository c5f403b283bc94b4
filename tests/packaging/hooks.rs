//! `.pre-commit-hooks.yaml`, used by the real pre-commit.

use crate::scratch::{REPOSITORY, RIGHT, Scratch, WRONG, WRONG_RULE, printed, skipped, slow_tests_wanted};
use std::path::Path;
use std::process::Command;

#[test]
fn manifest_is_valid() {
    if !pre_commit_is_installed() {
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
    let manifest = std::fs::read_to_string(Path::new(REPOSITORY).join(".pre-commit-hooks.yaml")).unwrap();
    let hooks: Vec<serde_yaml::Value> = serde_yaml::from_str(&manifest).unwrap();
    let ids: Vec<_> = hooks.iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["gpulint-system", "gpulint-src"]);
    for hook in &hooks {
        assert_eq!(hook["require_serial"].as_bool(), Some(true), "{hook:?}");
        assert_eq!(hook["entry"].as_str(), Some("gpulint check --format concise"), "{hook:?}");
    }
}

#[test]
fn system_hook_lets_right_commits_pass_and_stops_wrong_ones() {
    if !pre_commit_is_installed() {
        return;
    }
    let hooks = repository_of_hooks("system-hooks");
    let project = Scratch::new("system-project");
    project.git(&["init", "--quiet"]);
    project.write(
        ".pre-commit-config.yaml",
        &format!(
            "repos:\n  - repo: {}\n    rev: {}\n    hooks:\n      - id: gpulint-system\n",
            hooks.path().display(),
            hooks.git(&["rev-parse", "HEAD"])
        ),
    );
    let install = project.command("pre-commit").arg("install").output().expect("pre-commit runs");
    assert!(install.status.success(), "{}", printed(&install));

    project.write("train.py", RIGHT);
    let (passed, text) = commit(&project, "right");
    assert!(passed, "{text}");
    assert!(text.contains("Passed"), "the hook ran: {text}");

    let before = project.git(&["rev-parse", "HEAD"]);
    project.write("scripts/predict.py", WRONG);
    let (passed, text) = commit(&project, "wrong");
    assert!(!passed, "the commit went through: {text}");
    assert!(text.contains("scripts/predict.py:3:"), "{text}");
    assert!(text.contains(WRONG_RULE), "{text}");
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before);

    project.write("scripts/predict.py", RIGHT);
    let (passed, text) = commit(&project, "corrected");
    assert!(passed, "{text}");

    project.write("notes.txt", "Nothing about GPUs.\n");
    let (passed, text) = commit(&project, "no Python at all");
    assert!(passed, "{text}");
    assert!(text.contains("Skipped"), "{text}");
}

#[test]
fn source_hook_builds_and_finds() {
    if !slow_tests_wanted() || !pre_commit_is_installed() {
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

/// A git repository that holds the hook file of this one, because pre-commit takes hooks from git only, and what
/// is to be tested is the file as it lies here, committed or not.
fn repository_of_hooks(name: &str) -> Scratch {
    let hooks = Scratch::new(name);
    hooks.git(&["init", "--quiet"]);
    let manifest = std::fs::read_to_string(Path::new(REPOSITORY).join(".pre-commit-hooks.yaml")).unwrap();
    hooks.write(".pre-commit-hooks.yaml", &manifest);
    hooks.git(&["add", "--all"]);
    hooks.git(&["commit", "--quiet", "--message", "hooks"]);
    hooks
}

/// Commits everything, and says whether that worked and what was printed.
fn commit(project: &Scratch, message: &str) -> (bool, String) {
    // The cache of the hooks lies in the project folder and is not part of it.
    project.write(".git/info/exclude", ".pre-commit-home/\n");
    project.git(&["add", "--all"]);
    let output = project.command("git").args(["commit", "--message", message]).output().expect("git runs");
    (output.status.success(), printed(&output))
}

/// Whether pre-commit can be run. Where GPULINT_REQUIRE_PRE_COMMIT is set, its absence is a failure.
fn pre_commit_is_installed() -> bool {
    let installed =
        Command::new("pre-commit").arg("--version").output().is_ok_and(|run| run.status.success());
    if !installed {
        assert!(
            std::env::var_os("GPULINT_REQUIRE_PRE_COMMIT").is_none(),
            "GPULINT_REQUIRE_PRE_COMMIT is set and pre-commit is not on PATH: pip install pre-commit"
        );
        skipped("pre-commit is not installed");
    }
    installed
}
