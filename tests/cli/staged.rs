//! `--staged`: what the next commit brings.

use crate::git::{commit, git};
use crate::project::Project;
use std::fs;

const POLICY: &str = "gpu: {visible-devices: \"0\", device: \"cuda:0\"}\n";
const WORK: &str = "import torch\n\nmodel = torch.nn.Linear(4, 4).cuda()\n";
const LAUNCHER: &str = "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=0\npython work.py\n";

fn repository() -> Project {
    let project = Project::new()
        .file("gpulint.yaml", POLICY)
        .file("work.py", WORK)
        .file("run.sh", LAUNCHER)
        .file("old.py", "import torch\n\ntorch.cuda.init()\n");
    git(&project, "init -q");
    commit(&project);
    project
}

#[track_caller]
fn new_in(project: &Project, words: &str) -> Vec<String> {
    project.run(&format!("check --format json --staged {words}")).findings()
}

const BROKEN: &str = "work.py:1 missing-visible-devices";

#[test]
fn the_index_is_compared_with_head() {
    let project = repository();
    assert!(new_in(&project, "").is_empty());
    let project = project.file("run.sh", LAUNCHER.replace("export CUDA_VISIBLE_DEVICES=0\n", ""));
    // Not staged yet.
    assert!(new_in(&project, "").is_empty());
    git(&project, "add run.sh");
    assert_eq!(new_in(&project, ""), [BROKEN]);
    // Mended on disk, and not in what is committed.
    let project = project.file("run.sh", LAUNCHER);
    assert_eq!(new_in(&project, ""), [BROKEN]);
    fs::remove_file(project.path("run.sh")).unwrap();
    assert_eq!(new_in(&project, ""), [BROKEN]);
    git(&project, "add -A");
    assert_eq!(new_in(&project, ""), [BROKEN], "nothing starts it any more");
}

#[test]
fn what_is_not_staged_counts_for_nothing() {
    let project = repository().file("new.py", WORK);
    assert!(new_in(&project, "").is_empty());
    git(&project, "add new.py");
    assert_eq!(new_in(&project, ""), ["new.py:1 missing-visible-devices"]);
    git(&project, "add -A");
    commit(&project);
    assert!(new_in(&project, "").is_empty());
}

#[test]
fn a_hook_names_the_files_of_the_commit() {
    let project = repository().file("run.sh", LAUNCHER.replace("export CUDA_VISIBLE_DEVICES=0\n", ""));
    git(&project, "add run.sh");
    // What the change of one file breaks shows in another.
    assert_eq!(new_in(&project, "--force-exclude run.sh"), [BROKEN]);
    // Others are named too: somebody wants to know what is wrong in all of them.
    let all = new_in(&project, "--force-exclude run.sh work.py old.py gpulint.yaml");
    assert_eq!(all, ["old.py:1 missing-visible-devices", BROKEN]);
    assert_eq!(new_in(&project, "old.py"), ["old.py:1 missing-visible-devices"]);
}

#[test]
fn the_first_commit_is_new_as_a_whole() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("work.py", WORK).file("other.py", WORK);
    git(&project, "init -q");
    git(&project, "add work.py gpulint.yaml");
    assert_eq!(new_in(&project, ""), [BROKEN]);
}

#[test]
fn fixes_do_not_overwrite_what_is_not_staged() {
    let project = repository().file("new.py", WORK);
    git(&project, "add new.py");
    let project = project.file("new.py", format!("{WORK}print(1)\n"));
    let told = "error: --fix writes to the files on disk, and new.py differs there from what is staged; stage it or put it aside";
    project.run("check --staged --fix").fails(2, told);
    assert_eq!(project.run("check --staged --diff").code, Some(2));
    git(&project, "add new.py");
    let project = project.file("aside.py", "");
    assert_eq!(project.run("check --staged --fix").code, Some(0));
    assert!(fs::read_to_string(project.path("new.py")).unwrap().contains("CUDA_VISIBLE_DEVICES"));
}

/// `git commit --all` and `git commit FILE` hand their hooks an index of their own.
#[test]
#[cfg(unix)]
fn a_hook_sees_what_is_committed() {
    use std::os::unix::fs::PermissionsExt;
    let project = repository();
    let binary = env!("CARGO_BIN_EXE_gpulint");
    let project = project.file(".git/hooks/pre-commit", format!("#!/bin/sh\n{binary} check --staged >&2\n"));
    fs::set_permissions(project.path(".git/hooks/pre-commit"), fs::Permissions::from_mode(0o755)).unwrap();
    let project = project.file("run.sh", LAUNCHER.replace("export CUDA_VISIBLE_DEVICES=0\n", ""));
    let commit = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-m", "x"]);
        let output = git.args(words).current_dir(project.root()).output().expect("git runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for words in [&["--all"][..], &["run.sh"]] {
        let (passed, text) = commit(words);
        assert!(!passed && text.contains("missing-visible-devices"), "{words:?}: {text}");
    }
    fs::write(project.path("run.sh"), LAUNCHER).unwrap();
    fs::write(project.path("old.py"), "print(1)\n").unwrap();
    let (passed, text) = commit(&["--all"]);
    assert!(passed && text.contains("gone since"), "{text}");
}
