//! Which files are read, and under which names.

use crate::project::Project;

/// The names that `--show-files` lists.
fn listed(project: &Project, words: &str) -> Vec<String> {
    let answer = project.run(&format!("check --show-files {words}"));
    assert_eq!(answer.code, Some(0), "{answer:?}");
    answer.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn python_by_name_or_by_first_line() {
    let project = Project::new()
        .file("a.py", "")
        .file("b.PYW", "")
        .file("stub.pyi", "")
        .file("notes.txt", "")
        .file("tool", "#!/usr/bin/env python3\n")
        .file("script", "#!/bin/sh\n")
        .file("data", [0xff; 300]);
    assert_eq!(listed(&project, ""), ["a.py", "b.PYW", "script", "tool"]);
    let named = project.run("check --format json a.py notes.txt stub.pyi tool script");
    assert_eq!(named.code, Some(0));
    assert_eq!(named.json()["files"]["checked"], 3);
    let other = "not a language that gpulint reads, by its name or its first line";
    assert_eq!(
        named.skipped(),
        [format!("notes.txt: {other}"), "stub.pyi: a type stub, which no program runs".to_owned()]
    );
}

#[test]
fn folders_without_code_of_the_project_are_passed_over() {
    let project = Project::new()
        .file("a.py", "")
        .file(".hidden/b.py", "")
        .file("__pycache__/c.py", "")
        .file("node_modules/d.py", "")
        .file("env/pyvenv.cfg", "")
        .file("env/lib/e.py", "")
        .file("env/lib/site-packages/f.py", "")
        .file("vendor/site-packages/g.py", "");
    assert_eq!(listed(&project, ""), ["a.py"]);
    // Unless the user names a path in there.
    assert_eq!(listed(&project, "env"), ["env/lib/e.py", "env/lib/site-packages/f.py"]);
    assert_eq!(listed(&project, "env/lib/site-packages"), ["env/lib/site-packages/f.py"]);
    assert_eq!(listed(&project, ".hidden __pycache__/c.py"), [".hidden/b.py", "__pycache__/c.py"]);
}

#[test]
fn gitignore_applies_in_a_work_tree_only() {
    let project = Project::new().file(".gitignore", "b.py\n").file("a.py", "").file("b.py", "");
    assert_eq!(listed(&project, ""), ["a.py", "b.py"]);
    let project = project.file(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(listed(&project, ""), ["a.py"]);
    assert_eq!(listed(&project, "b.py"), ["b.py"]);
}

#[test]
fn only_named_paths_are_reported_though_the_project_is_read() {
    let project = Project::new()
        .file("gpulint.yaml", "")
        .file("a.py", "import b\n")
        .file("b.py", "x = (\n")
        .file("sub/c.py", "");
    assert_eq!(listed(&project, "sub a.py"), ["a.py", "sub/c.py"]);
    // The broken neighbour is nobody's business here.
    let answer = project.run("check --format json a.py");
    assert_eq!((answer.code, answer.skipped()), (Some(0), vec![]));
    assert_eq!(answer.json()["files"]["checked"], 1);
}

#[test]
fn a_project_by_its_files_is_read_whole_without_git_and_policy() {
    let project = Project::new()
        .file("scripts/train.py", "import os\nfrom tool.cards import warm\n\nwarm()\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n")
        .file("tool/__init__.py", "")
        .file("tool/cards.py", "import torch\n\n\ndef warm():\n    torch.cuda.init()\n");
    let check = "check --isolated --no-cache --format concise scripts/train.py";
    // In any other folder, such as that of a user, a neighbour is read only where the file itself leads to it.
    assert!(!project.run(check).stdout.contains("pin-after-cuda-init"));
    let project = project.file("setup.py", "from setuptools import setup\n\nsetup(name=\"tool\")\n");
    let answer = project.run(check);
    assert!(answer.stdout.contains("scripts/train.py:5:1: error[pin-after-cuda-init]"), "{}", answer.stdout);
}

#[test]
fn names_are_relative_to_the_root_and_sorted() {
    let project = Project::new().file("app/gpulint.yaml", "").file("app/z.py", "").file("app/b/a.py", "");
    let project = project.file("out.py", "");
    assert_eq!(listed(&project, "app/z.py app app/../app/b"), ["b/a.py", "z.py"]);
    let answer = project.run_in("app", "check --show-files --isolated ../out.py z.py");
    answer.is(0, "../out.py\nz.py\n", "");
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.py");
    std::fs::write(project.root().join(name), "x = (").unwrap();
    let answer = project.run("check --format json");
    assert_eq!(answer.skipped(), ["caf\u{fffd}.py: syntax error on line 1: unexpected EOF while parsing"]);
}

#[test]
fn settings_are_read_although_git_ignores_them_and_secrets_stay_out_of_reports() {
    let project = Project::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".gitignore", ".env\n.env.*\n")
        .file("app/.env", "API_TOKEN=open-sesame\nCUDA_VISIBLE_DEVICES=1\nDB_URL=open-sesame-too\n")
        .file("app/.env.local", "CUDA_VISIBLE_DEVICES=2\n")
        .file("app/a.py", "");
    assert_eq!(listed(&project, ""), ["app/.env", "app/a.py"]);
    for format in ["text", "concise", "compact", "json", "github"] {
        let answer = project.run(&format!("check --format {format}"));
        assert!(answer.stdout.contains("missing-device-order"), "{answer:?}");
        assert!(!answer.stdout.contains("open-sesame"), "{answer:?}");
    }
    let trace = project.run("trace app/.env");
    assert!(
        !trace.stdout.contains("open-sesame") && trace.stdout.contains("CUDA_VISIBLE_DEVICES"),
        "{trace:?}"
    );
}

#[test]
fn a_program_loads_settings_that_git_ignores() {
    let program = "from dotenv import load_dotenv\n\nload_dotenv(\".env.local\")\n\nimport torch\n\ntorch.ones(1).cuda()\n";
    let project = Project::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".gitignore", ".env*\n")
        .file(".env.local", "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=1\n")
        .file("a.py", program);
    let answer = project.run("check a.py");
    assert_eq!(answer.code, Some(0), "{answer:?}");
}

#[test]
fn what_a_named_file_shows_in_another_one_is_said() {
    let late =
        "import os\nimport torch\n\ntorch.zeros(1).cuda()\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n";
    let entry = "import app.card\n\nif __name__ == \"__main__\":\n    print(1)\n";
    let project = Project::new()
        .file("app/__init__.py", "")
        .file("app/card.py", late)
        .file("app/cli.py", entry)
        .file("other.py", "print(1)\n");
    let select = "--select pin-after-cuda-init";
    let said = "note: A finding of what is checked stands in files that are not named: app/card.py:5 \
                (pin-after-cuda-init). `gpulint check` without names shows it, and so does naming app/card.py";
    for cache in ["", "--no-cache"] {
        let answer = project.run(&format!("check app/cli.py {select} {cache}"));
        assert_eq!((answer.code, answer.stderr.trim_end()), (Some(0), said), "{cache}");
    }
    // Another program has nothing to do with it, and a comment silences it.
    assert_eq!(project.run(&format!("check other.py {select}")).stderr, "");
    assert_eq!(project.run(&format!("check app/card.py app/cli.py {select}")).stderr, "");
    let project = project.file(
        "app/card.py",
        late.replace("\"1\"\n", "\"1\"  # gpulint: ignore[pin-after-cuda-init] known\n"),
    );
    assert_eq!(project.run(&format!("check app/cli.py {select}")).stderr, "");
}

#[test]
fn what_says_how_programs_start_is_read_although_it_says_nothing_of_gpus() {
    let project = Project::new()
        .file("deploy/uwsgi.ini", "[uwsgi]\nmodule = app:app\nprocesses = 4\n")
        .file("pytest.ini", "[pytest]\naddopts = -n auto\n")
        .file("README.md", "```\nsbatch -n 1 submit.sh\n```\n")
        .file("other.ini", "[paths]\na = b\n")
        .file("other.md", "# Other\n");
    assert_eq!(listed(&project, ""), ["README.md", "deploy/uwsgi.ini", "pytest.ini"]);

    // The number of tasks stands in the document only.
    let script = "#!/bin/bash\n#SBATCH --gpus-per-task 1\nsrun python train.py\n";
    let job =
        Project::new().file("submit.sh", script).file("train.py", "import torch\ntorch.zeros(3).cuda()\n");
    let is_told = |project: &Project| project.run("check").stdout.contains("gpus-of-unknown-tasks");
    assert!(is_told(&job));
    assert!(!is_told(&job.file("README.md", "```\nsbatch -n 1 ./submit.sh\n```\n")));
}
