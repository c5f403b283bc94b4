//! Text of a repository that the runner of GitHub would take for a command, in names and in code: `::name …::` where a line
//! begins with it, blanks aside, and `##[name …]` anywhere in a line.

use super::Scene;
use crate::project::answer;
use std::fs;

/// A program with a finding on a line that holds commands, and lines around it that begin with one.
const PROGRAM: &str = "\
import os
\"\"\"
::set-output name=verdict::approved
   ::add-mask::x
\"\"\"
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"  # ##[add-mask]x ##[set-output name=verdict;]approved
import torch
torch.cuda.init()
";

const NAMES: &[&str] = &[
    "::set-output name=verdict::approved.py",
    "a\n::error::b.py",
    "a\r::warning::c.py",
    "##[group]d.py",
    "##vso[task.complete]e.py",
];

/// Whether the runner would look for a command in a line.
fn is_command(line: &str) -> bool {
    // No name of a command begins with a third colon.
    let is_first = |line: &str| line.starts_with("::") && !line.starts_with(":::");
    is_first(line.trim_start()) || line.contains("##[") || line.contains("##vso[")
}

#[test]
fn no_report_begins_a_command_of_a_workflow() {
    let scene = Scene::new();
    for name in NAMES {
        fs::write(scene.path(name), PROGRAM).unwrap();
    }
    fs::write(scene.path("::error::skipped.py"), "x = (\n").unwrap();
    let policy = "rules: {severity: {missing-device-order: warning}}\nexclude:\n- |-\n  ::set-output name=a::b\n  ##[add-mask]c\n";
    scene.write("gpulint.yaml", policy);
    let formats = [
        "text",
        "concise",
        "compact",
        "json",
        "jsonl",
        "sarif",
        "gitlab",
        "junit",
        "rdjson",
        "checkstyle",
        "markdown",
        "html",
        "correction",
    ];
    let on_github = |words: &str| {
        let got = answer(scene.command(words).env("GITHUB_ACTIONS", "true"), b"");
        for line in got.stdout.split(['\n', '\r']).chain(got.stderr.split(['\n', '\r'])) {
            assert!(!is_command(line), "{words}: {line:?}");
        }
        got
    };
    for format in formats {
        let got = on_github(&format!("check --format {format}"));
        assert_eq!(got.code, Some(1), "{got:?}");
        assert!(got.stdout.contains("missing-device-order"), "{got:?}");
    }
    // What they say is the same.
    let report = on_github("check --format json").json();
    let said = report["findings"].as_array().unwrap().iter().map(|finding| finding["path"].as_str().unwrap());
    assert!(
        said.clone().any(|path| path == NAMES[0]) && said.clone().any(|path| path == NAMES[3]),
        "{report}"
    );
    for words in [
        "check --show-files",
        "check --show-settings",
        "check --statistics",
        "check --diff",
        "check --fix --diff",
    ] {
        on_github(words);
    }
    let named = |words: &[&str]| answer(scene.command("").env("GITHUB_ACTIONS", "true").args(words), b"");
    let traced = named(&["trace", NAMES[0]]);
    assert!(traced.code == Some(0) && !traced.stdout.lines().any(is_command), "{traced:?}");
    for format in ["markdown", "json", "html", "dot"] {
        let mapped = named(&["map", "--format", format]);
        assert!(mapped.code == Some(0) && !mapped.stdout.lines().any(is_command), "{mapped:?}");
    }
    let programs = named(&["map", "--programs"]);
    assert!(programs.code == Some(0) && !programs.stdout.lines().any(is_command), "{programs:?}");
}

/// The formats that are made of commands hold none but their own.
#[test]
fn reports_of_commands_hold_only_their_own() {
    let scene = Scene::new();
    for name in NAMES {
        fs::write(scene.path(name), PROGRAM).unwrap();
    }
    let got = scene.run("check --format github");
    for line in got.stdout.lines().filter(|line| is_command(line)) {
        // The first command of a line is the one that is carried out.
        let own = ["::error ", "::warning ", "::notice ", "::group::", "::endgroup::"];
        assert!(own.iter().any(|own| line.starts_with(own)), "{line:?}");
    }
    assert!(!got.stdout.contains('\r'), "{got:?}");
    let got = scene.run("check --format azure");
    for line in got.stdout.lines().filter(|line| is_command(line)) {
        assert!(line.starts_with("##vso[task.logissue "), "{line:?}");
    }
}

/// A patch is exact where it is kept, and harmless where it is looked through.
#[test]
fn a_patch_is_exact_in_a_file() {
    let scene = Scene::new();
    fs::write(scene.path("main.py"), PROGRAM).unwrap();
    let run = |on_github: bool| {
        let file = fs::File::create(scene.0.path("patch")).unwrap();
        let mut command = scene.command("check --diff --unsafe-fixes");
        if on_github {
            command.env("GITHUB_ACTIONS", "true");
        }
        assert!(command.stdout(file).stderr(std::process::Stdio::null()).status().unwrap().code().is_some());
        scene.0.read("patch")
    };
    let patch = run(false);
    assert!(
        patch.contains("\n ::set-output name=verdict::approved\n") || patch.contains("##[add-mask]"),
        "{patch}"
    );
    assert_eq!(run(true), patch);
}
