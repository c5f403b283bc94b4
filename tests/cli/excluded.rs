//! `exclude` of the policy and `--force-exclude`: files that are not reported on.

use crate::INDEX_WITHOUT_ORDER;
use crate::project::Project;

/// The names that `--show-files` lists.
fn listed(project: &Project, words: &str) -> Vec<String> {
    let answer = project.run(&format!("check --show-files {words}"));
    assert_eq!(answer.code, Some(0), "{answer:?}");
    answer.stdout.lines().map(str::to_owned).collect()
}

fn project(exclude: &str) -> Project {
    Project::new()
        .file("gpulint.yaml", format!("exclude: {exclude}\n"))
        .file("a.py", "")
        .file("legacy/b.py", INDEX_WITHOUT_ORDER)
        .file("legacy/deep/c.py", INDEX_WITHOUT_ORDER)
        .file("deep/legacy/d.py", "")
        .file("run.ipynb", "{}")
}

#[test]
fn globs_name_files_and_folders_from_the_root() {
    let all = ["a.py", "deep/legacy/d.py", "legacy/b.py", "legacy/deep/c.py", "run.ipynb"];
    for (exclude, left_out) in [
        ("[]", vec![]),
        ("[legacy]", vec!["legacy/b.py", "legacy/deep/c.py"]),
        ("[./legacy/]", vec!["legacy/b.py", "legacy/deep/c.py"]),
        ("['legacy/**']", vec!["legacy/b.py", "legacy/deep/c.py"]),
        ("['**/legacy']", vec!["deep/legacy/d.py", "legacy/b.py", "legacy/deep/c.py"]),
        ("['*.ipynb', legacy/deep]", vec!["legacy/deep/c.py", "run.ipynb"]),
        ("[egacy, b.py]", vec![]),
    ] {
        let stay: Vec<_> = all.into_iter().filter(|name| !left_out.contains(name)).collect();
        assert_eq!(listed(&project(exclude), ""), stay, "{exclude}");
        assert_eq!(listed(&project(exclude), ". legacy deep"), stay, "{exclude}");
    }
}

#[test]
fn a_named_file_is_checked_unless_exclusion_is_forced() {
    let project = project("[legacy]");
    assert_eq!(listed(&project, "a.py legacy/b.py"), ["a.py", "legacy/b.py"]);
    assert_eq!(project.run("check legacy/b.py").code, Some(1));
    assert_eq!(listed(&project, "--force-exclude a.py legacy/b.py"), ["a.py"]);
    let answer = project.run("check --force-exclude --force-exclude legacy/b.py legacy");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(answer.stderr, "note: the named paths hold no file to check\n");
    let stdin = "check - --stdin-filename legacy/b.py";
    let input = INDEX_WITHOUT_ORDER.as_bytes();
    assert_eq!(project.run_with_input(stdin, input).code, Some(1));
    assert_eq!(project.run_with_input(&format!("{stdin} --force-exclude"), input).code, Some(0));
}

#[test]
fn forced_exclusion_leaves_what_a_walk_would_find() {
    let project = Project::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".gitignore", "built/\n")
        .file("a.py", "")
        .file("built/b.py", "")
        .file("node_modules/c.py", "")
        .file(".hidden/d.py", "")
        .file("notes.txt", "")
        .file("sub/tool", "#!/usr/bin/env python3\n")
        .file("sub/data", "x");
    let named = "a.py built/b.py node_modules/c.py .hidden/d.py notes.txt sub/tool sub/data";
    assert_eq!(listed(&project, &format!("--force-exclude {named}")), ["a.py", "sub/tool"]);
    // Files that are not read at all are passed over, and not named as skipped.
    let answer = project.run(&format!("check --format json --force-exclude {named}"));
    assert_eq!((answer.code, answer.skipped()), (Some(0), vec![]));
    assert_eq!(project.run("check --force-exclude absent.py").code, Some(2));
}

#[test]
fn an_excluded_file_is_still_followed() {
    let policy = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n";
    let pins = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
                os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n";
    let program = "import pins\nimport torch\ntorch.cuda.is_available()\n";
    let project = Project::new()
        .file("gpulint.yaml", format!("{policy}exclude: [pins.py]\n"))
        .file("pins.py", pins)
        .file("a.py", program);
    assert_eq!(project.run("check").code, Some(0));
    assert_eq!(project.file("pins.py", "").run("check").code, Some(1));
    // Outside of a project only what is imported is read, wherever the policy comes from.
    let project = Project::new()
        .file("policies/gpu.yaml", format!("{policy}exclude: [app/pins]\n"))
        .file("app/pins/__init__.py", pins)
        .file("app/a.py", program);
    assert_eq!(project.run("check --config policies/gpu.yaml app").code, Some(0));
    assert_eq!(listed(&project, "--config policies/gpu.yaml app"), ["app/a.py"]);
    let project = project.file("app/pins/__init__.py", "");
    assert_eq!(project.run("check --config policies/gpu.yaml app").code, Some(1));
}

#[test]
fn the_last_of_two_options_holds() {
    let project = Project::new().file("a.py", "");
    let answer =
        project.run("check --format json --format concise --mode gpu --mode cpu --no-cache --no-cache");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.starts_with("Checked 1 file"), "{answer:?}");
}
