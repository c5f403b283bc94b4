//! `--format compact`: few words, and fixes that can be applied.

use crate::project::Project;
use std::process::Command;

const TWO: &str = "\
import os
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"
import torch
torch.zeros(1).cuda()
";

/// Runs git in the folder, with the report as a file.
#[track_caller]
fn apply(project: &Project, report: &str) {
    std::fs::write(project.path("report"), report).unwrap();
    let applied = Command::new("git")
        .args(["apply", "--unidiff-zero", "report"])
        .current_dir(project.root())
        .env("GIT_CEILING_DIRECTORIES", project.root().parent().unwrap())
        .output()
        .expect("git runs");
    assert!(applied.status.success(), "{}\n{report}", String::from_utf8_lossy(&applied.stderr));
}

#[test]
fn the_report_is_a_patch() {
    let project = Project::new()
        .file("gpulint.yaml", "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n")
        .file("a.py", TWO)
        .file("with blank.py", TWO.replace('\n', "\r\n"))
        .file("tabs.py", format!("{TWO}if torch:\n\tprint(torch)\n"));
    let answer = project.run("check --format compact --select missing-device-order");
    assert_eq!(answer.code, Some(1), "{answer:?}");
    let found = answer.stdout.matches(" error missing-device-order: ").count();
    assert_eq!(found, 3, "{}", answer.stdout);
    assert_eq!(answer.stdout.matches("\n  why: ").count(), 1, "{}", answer.stdout);
    assert_eq!(answer.stdout.matches("\n  do: ").count(), 3, "{}", answer.stdout);
    assert_eq!(answer.stdout.matches("\n  fix (").count(), 3, "{}", answer.stdout);
    assert!(answer.stdout.starts_with("a.py:2:1 error missing-device-order: "), "{}", answer.stdout);
    apply(&project, &answer.stdout);
    assert!(
        project.read("with blank.py").contains("\"PCI_BUS_ID\"\r\n"),
        "{:?}",
        project.read("with blank.py")
    );
    assert_eq!(project.run("check --select missing-device-order").code, Some(0));
}

#[test]
fn what_reports_do_not_show_is_in_no_patch() {
    let secret = "API_TOKEN=open-sesame\nCUDA_VISIBLE_DEVICES=1 python train.py\n";
    let project =
        Project::new().file("train.py", "import torch\ntorch.zeros(1).cuda()\n").file("run.sh", secret);
    let answer = project.run("check --format compact --select missing-device-order");
    assert!(answer.stdout.contains("run.sh:2:1 warning missing-device-order: "), "{}", answer.stdout);
    assert!(!answer.stdout.contains("open-sesame") && !answer.stdout.contains("@@"), "{}", answer.stdout);
    assert!(answer.stdout.contains(", by `gpulint check --fix"), "{}", answer.stdout);
    let cell = serde_json::json!({"cell_type": "code", "metadata": {}, "outputs": [], "source": TWO});
    let notebook = serde_json::json!({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    let project = Project::new().file("n.ipynb", notebook.to_string());
    let answer = project.run("check --format compact --select missing-device-order");
    assert!(answer.stdout.starts_with("n.ipynb:cell 1:2:1 warning "), "{}", answer.stdout);
    assert!(!answer.stdout.contains("@@") && answer.stdout.contains("  fix ("), "{}", answer.stdout);
}
