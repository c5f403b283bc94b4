//! A policy in a subfolder governs that subfolder, from wherever it is checked.

use crate::git::git;
use crate::project::Project;

/// A program that takes a card by its index.
fn taking(card: u32) -> String {
    format!(
        "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
         os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"{card}\"\nimport torch\ntorch.cuda.init()\n"
    )
}

fn policy_of(card: u32) -> String {
    format!("gpu: {{visible-devices: \"{card}\", device-order: PCI_BUS_ID}}\n")
}

/// Two parts with a card each, and a third that has no policy. Every program takes card 0.
fn two_parts() -> Project {
    Project::new()
        .file("a/gpulint.yaml", policy_of(1))
        .file("a/train.py", taking(0))
        .file("b/gpulint.yaml", policy_of(0))
        .file("b/train.py", taking(0))
        .file("c/train.py", taking(0))
}

fn findings(project: &Project, folder: &str, words: &str) -> Vec<String> {
    project.run_in(folder, &format!("check --format json {words}")).findings()
}

#[test]
fn each_file_is_judged_by_the_nearest_policy() {
    let wrong = ["a/train.py:3 wrong-visible-devices"];
    for paths in ["", "a b", "b a", "a/train.py b/train.py", "a c"] {
        assert_eq!(findings(&two_parts(), ".", paths), wrong, "{paths}");
    }
    assert_eq!(findings(&two_parts(), ".", "b c"), [""; 0]);
    let summary = two_parts().run("check").stdout;
    assert!(!summary.contains(crate::NO_POLICY), "{summary}");
}

#[test]
fn a_subfolder_is_judged_alike_from_inside_and_from_above() {
    let above = |project: Project| {
        project
            .file(
                "gpulint.yaml",
                policy_of(0) + "exclude: [a/old]\nrules: {per-path: {\"top.py\": {ignore: [pinning]}}}\n",
            )
            .file("a/old/x.py", taking(0))
            .file("top.py", taking(1))
            .file("deep/top.py", taking(1))
    };
    let project = above(two_parts());
    let of_a = ["a/train.py:3 wrong-visible-devices"];
    let all = ["a/train.py:3 wrong-visible-devices", "deep/top.py:3 wrong-visible-devices"];
    assert_eq!(findings(&project, ".", ""), all);
    for (folder, words) in [(".", "a"), ("a", ""), ("a", "train.py"), ("c", "../a")] {
        assert_eq!(findings(&project, folder, words), of_a, "{folder} {words}");
    }
    let project = above(two_parts()).file(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(findings(&project, ".", ""), all);
    assert_eq!(findings(&project, "a", ""), of_a);
}

#[test]
fn a_program_is_judged_by_the_policy_of_the_file_that_is_started() {
    let shared = "import os\n\n\ndef pin():\n    os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n    \
                  os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\n";
    let program = "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent.parent))\n\
                   from shared.cards import pin\npin()\nimport torch\ntorch.cuda.init()\n";
    let project = Project::new()
        .file("gpulint.yaml", policy_of(0))
        .file("shared/__init__.py", "")
        .file("shared/cards.py", shared)
        .file("a/gpulint.yaml", policy_of(1))
        .file("a/train.py", program)
        .file("b/train.py", program);
    let wrong = ["shared/cards.py:6 wrong-visible-devices"];
    assert_eq!(findings(&project, ".", ""), wrong);
    assert_eq!(findings(&project, ".", "shared"), wrong);
    assert_eq!(findings(&project, ".", "a b"), [""; 0]);
    // A launcher beside it changes nothing about whose program it is.
    let project = project.file("run.sh", "CUDA_VISIBLE_DEVICES=1 python a/train.py\n");
    assert_eq!(findings(&project, ".", "shared"), wrong);
    // What is wrong there under one policy is mended by hand: another part may want it as it is.
    let report = project.run("check --format json --select wrong-visible-devices").json();
    assert_ne!(report["findings"][0]["fix"]["safety"], "safe", "{report}");
    // The policy of the file says what is reported in it.
    let project = project.file("shared/gpulint.yaml", "rules: {ignore: [wrong-visible-devices]}\n");
    assert_eq!(findings(&project, ".", ""), [""; 0]);
}

#[test]
fn the_part_without_a_gpu_is_that_of_the_subfolder() {
    let project = Project::new()
        .file("web/gpulint.yaml", "cpu: {entry-points: [serve, deep.start]}\n")
        .file("web/serve.py", "from shared import load\n")
        .file("web/shared.py", "import torch\n\n\ndef load():\n    pass\n")
        .file("web/deep/start.py", "import cupy\n")
        .file("gpu/serve.py", "import os\n\nimport torch\n")
        .file(".git/HEAD", "ref: refs/heads/main\n");
    let found = ["web/deep/start.py:1 gpu-import-in-cpu-mode", "web/shared.py:1 gpu-import-in-cpu-mode"];
    assert_eq!(findings(&project, ".", "--select imports"), found);
    assert_eq!(findings(&project, "web", "--select imports"), found);
    let names = "tests: {cleanup: [freed]}\nbackends: [cuda, cpu]\n";
    let project = project.file("gpu/gpulint.yaml", names);
    assert_eq!(findings(&project, ".", "--select imports"), found);
}

#[test]
fn names_and_globs_count_from_the_folder_of_the_policy() {
    let own = "rules: {paths: [rules], per-path: {\"old/*\": {ignore: [no-streams]}}}\nscripts: {template: pin.txt}\n\
               baseline: known.json\n";
    let rule = "id: no-streams\nsummary: streams are the team's\nseverity: error\nlanguages: [python]\nwhy: They are.\n\
                find:\n  uses: {names: {torch.cuda.Stream: team.stream}, by: [call]}\nmessage: \"`{name}` is called\"\n\
                examples:\n  - {title: it, bad: \"import torch\\ntorch.cuda.Stream()\\n\", lines: [\"2\"]}\n  \
                - {title: not, good: \"x = 1\\n\"}\n";
    let text = "from torch.cuda import Stream\n\n\ndef make():\n    return Stream()\n";
    let project = Project::new()
        .file("gpulint.yaml", "rules: {ignore: [memory]}\n")
        .file("a/gpulint.yaml", own)
        .file("a/rules/no-streams.yaml", rule)
        .file("a/pin.txt", "import os\n")
        .file("a/old/x.py", text)
        .file("a/x.py", text)
        .file("b/x.py", text);
    let told = project.run("check");
    assert!(told.stderr.contains("known.json"), "{told:?}");
    assert_eq!(project.run("check --write-baseline a").code, Some(0));
    assert!(project.read("a/known.json").contains("a/x.py"), "{}", project.read("a/known.json"));
    assert_eq!(project.run("check").code, Some(0));
    assert_eq!(project.run_in("a", "check").code, Some(0));
    let project = project.file("a/known.json", "{\"schema\": 1, \"findings\": []}\n");
    assert_eq!(findings(&project, ".", ""), ["a/x.py:5 no-streams"]);
    assert_eq!(findings(&project, "a", ""), ["a/x.py:5 no-streams"]);
    let project = project.file("a/gpulint.yaml", "scripts: {template: gone.txt}\n");
    let told = "the template gone.txt under `scripts.template` does not exist; write it, or take the key out";
    project.run("check").fails(2, &format!("error: a/gpulint.yaml:1: {told}"));
}

#[test]
fn a_wrong_policy_in_a_subfolder_is_named() {
    let project = two_parts().file("c/gpulint.yaml", "gpu: {nmae: x}\n");
    project
        .run("check")
        .fails(2, "error: c/gpulint.yaml:1: unknown key `nmae` in `gpu`; did you mean `name`?");
    let project = two_parts().file("c/gpulint.yaml", "rules: {select: [pining]}\n");
    let told = project.run("check");
    assert!(
        told.code == Some(2) && told.stderr.starts_with("error: c/gpulint.yaml:1: unknown rule"),
        "{told:?}"
    );
    // One that is named, and none at all, hold for all files.
    assert_eq!(project.run("check --isolated").code, Some(0));
    assert_eq!(findings(&two_parts().file("x.yaml", policy_of(0)), ".", "--config x.yaml"), [""; 0]);
    let all = ["a/train.py:3 wrong-visible-devices", "b/train.py:3 wrong-visible-devices"];
    assert_eq!(findings(&two_parts(), ".", "a b --config gpu.visible-devices=2"), all);
}

#[test]
fn changes_of_a_policy_in_a_subfolder_are_new_findings() {
    let project = two_parts().file("a/gpulint.yaml", policy_of(0));
    git(&project, "init --quiet");
    git(&project, "add .");
    git(&project, "commit --quiet -m one");
    assert_eq!(findings(&project, ".", "--since HEAD"), [""; 0]);
    let project = project.file("a/gpulint.yaml", policy_of(1));
    let wrong = ["a/train.py:3 wrong-visible-devices"];
    assert_eq!(findings(&project, ".", "--since HEAD"), wrong);
    assert_eq!(findings(&project, "a", "--since HEAD"), wrong);
    assert_eq!(findings(&project, "b", "--since HEAD"), [""; 0]);
    // The index has the old one.
    assert_eq!(findings(&project, ".", "--staged"), [""; 0]);
    git(&project, "add a");
    assert_eq!(findings(&project, ".", "--staged a/gpulint.yaml"), wrong);
}

#[test]
fn the_cache_knows_the_policies_of_subfolders() {
    let project = two_parts();
    let wrong = ["a/train.py:3 wrong-visible-devices"];
    assert_eq!(findings(&project, ".", ""), wrong);
    assert_eq!(findings(&project, ".", ""), wrong);
    let project = project.file("a/gpulint.yaml", policy_of(0)).file("b/gpulint.yaml", policy_of(1));
    assert_eq!(findings(&project, ".", ""), ["b/train.py:3 wrong-visible-devices"]);
    std::fs::remove_file(project.path("b/gpulint.yaml")).expect("it is there");
    assert_eq!(findings(&project, ".", ""), [""; 0]);
}

#[test]
fn suppressions_count_under_each_policy() {
    let known = taking(0).replace("\"0\"", "\"0\"  # gpulint: ignore[wrong-visible-devices] on purpose");
    let project = two_parts().file("a/train.py", &known).file("b/train.py", &known);
    // Card 0 is right there, so the comment is not needed.
    let report = project.run("check --format json").json();
    let found = report["findings"].as_array().expect("an array");
    let said = found.iter().map(|one| format!("{} {}", one["rule"], one["status"]));
    assert_eq!(
        said.collect::<Vec<_>>(),
        ["\"wrong-visible-devices\" \"suppressed\"", "\"unused-suppression\" \"active\"",]
    );
}

#[test]
fn why_and_trace_judge_alike() {
    let project = two_parts();
    let told = project.run("why a/train.py:3").stdout;
    assert!(told.contains("wrong-visible-devices"), "{told}");
    let told = project.run("why b/train.py:3").stdout;
    assert!(!told.contains("error: wrong-visible-devices"), "{told}");
    assert_eq!(project.run("trace a/train.py").code, Some(0));
}

#[test]
fn reports_name_the_policies_that_judge() {
    let project = two_parts()
        .file("a/deep/gpulint.yaml", "rules: {severity: {wrong-visible-devices: warning}}\n")
        .file("a/deep/pins.py", taking(0))
        .file("a/late.py", "import deep.pins\n\nif __name__ == \"__main__\":\n    print(1)\n");
    let json = project.run("check --format json").json();
    let of = |name: &str| {
        let findings = json["findings"].as_array().expect("an array").iter();
        let mut policies = findings.filter(|one| one["path"] == name).map(|one| one["policies"].clone());
        policies.next()
    };
    assert_eq!(of("a/train.py"), Some(serde_json::json!(["a/gpulint.yaml"])));
    // The program is one of `a`, and the line that is wrong lies under another policy.
    assert_eq!(of("a/deep/pins.py"), Some(serde_json::json!(["a/gpulint.yaml", "a/deep/gpulint.yaml"])));
    let sarif = project.run("check --format sarif").json();
    let results = sarif["runs"][0]["results"].as_array().expect("an array");
    assert!(results.iter().all(|result| result["properties"]["policies"].is_array()), "{sarif}");
    // One policy needs no name.
    let alone = project.run("check a/train.py --config a/gpulint.yaml --format json").json();
    assert_eq!(alone["findings"][0].get("policies"), None, "{alone}");
}
