//! `--fix`, `--unsafe-fixes` and `--diff`: what is written, what is printed, and the exit code.

mod at_once;
mod files;

use crate::git::{commit, git};
use crate::project::{Answer, Project, answer};
use std::process::Command;

/// Under it the fix of the program is a safe one.
pub const POLICY: &str = "gpu: {visible-devices: \"0\", device-order: PCI_BUS_ID}\n";

/// A program whose only fault has a safe fix, on line 5; `{}` stands where the parentheses are missing.
const PROGRAM: &str = "\
import os
os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"
os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"
import torch
if torch.cuda.is_available{}:  # a comment
    pass
";

pub fn wrong() -> String {
    PROGRAM.replace("{}", "")
}

pub fn right() -> String {
    PROGRAM.replace("{}", "()")
}

/// A fault that no fix mends: `mask-parsed-as-int` on line 7.
const UNFIXABLE: &str = "first = int(os.environ[\"CUDA_VISIBLE_DEVICES\"])\n";

const FIXED_ONE: &str = "note: fixed 1 finding in 1 file\n";
const NOTHING: &str = "note: there was nothing to fix\n";

pub fn project() -> Project {
    Project::new().file("gpulint.yaml", POLICY).file("a.py", wrong())
}

#[test]
fn what_is_fixed_is_no_longer_found() {
    let project = project();
    project.run("check --fix").is(0, "Checked 1 file: no findings (1 fixed).\n", FIXED_ONE);
    assert_eq!(project.read("a.py"), right());
    project.run("check --fix").is(0, "Checked 1 file: no findings.\n", NOTHING);
    assert_eq!(project.read("a.py"), right());
}

#[test]
fn what_is_left_fails_the_run() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", wrong() + UNFIXABLE);
    let answer = project.run("check --fix --format concise");
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(1), FIXED_ONE));
    assert!(answer.stdout.starts_with("a.py:7:"), "{answer:?}");
    assert!(answer.stdout.ends_with("\nChecked 1 file: 1 warning (1 fixed).\n"), "{answer:?}");
    assert_eq!(project.read("a.py"), right() + UNFIXABLE);
    assert_eq!(project.run("check --fix --exit-zero").code, Some(0));
}

#[test]
fn the_summary_says_what_a_fix_would_do() {
    let answer = project().run("check");
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.stdout.ends_with("\nChecked 1 file: 1 error. 1 can be fixed with `--fix`.\n"),
        "{answer:?}"
    );
}

#[test]
fn options_that_do_not_go_together() {
    let project = project();
    let alone = "error: --unsafe-fixes says which fixes are made, so it needs --fix or --diff beside it";
    project.run("check --unsafe-fixes").fails(2, alone);
    for option in ["--fix", "--diff"] {
        for other in ["--write-baseline", "--add-ignore=why", "--watch"] {
            let answer = project.run(&format!("check {option} {other}"));
            assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{option} {other}");
            assert!(answer.stderr.contains("cannot be used with"), "{answer:?}");
        }
    }
    assert_eq!(project.read("a.py"), wrong());
    // Of both the careful one holds.
    assert_eq!(project.run("check --fix --unsafe-fixes --diff").code, Some(1));
    assert_eq!(project.read("a.py"), wrong());
}

#[test]
fn a_check_changes_nothing() {
    let project = project();
    let files = || {
        let entries = std::fs::read_dir(project.root()).expect("it is there");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("it can be read").file_name()).collect();
        names.sort();
        // The user of this test has the cache there.
        names.retain(|name| name != ".cache");
        (names, project.read("a.py"), project.read("gpulint.yaml"))
    };
    let before = files();
    for words in [
        "check",
        "check --format html --statistics",
        "check --select all --no-cache",
        "trace a.py",
        "why a.py:5",
    ] {
        let answer = project.run(words);
        assert!(matches!(answer.code, Some(0 | 1)), "{words}: {answer:?}");
        assert_eq!(files(), before, "{words}");
    }
}

#[test]
fn a_diff_changes_nothing() {
    let project = project();
    let diff = "\
--- a/a.py
+++ b/a.py
@@ -2,5 +2,5 @@
 os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"
 os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"
 import torch
-if torch.cuda.is_available:  # a comment
+if torch.cuda.is_available():  # a comment
     pass
";
    let told = "note: 1 finding would be fixed in 1 file\n\
                Checked 1 file: 1 error (1 would be fixed). 1 can be fixed with `--fix`.\n";
    project.run("check --diff").is(1, diff, told);
    assert_eq!(project.read("a.py"), wrong());
    project.run("check --diff --format json").is(1, diff, told);
    project.run("check --fix");
    let told = "note: there is nothing that would be fixed\nChecked 1 file: no findings.\n";
    project.run("check --diff").is(0, "", told);
}

/// Files whose lines and names are hard to write into a diff, with and without their faults.
fn odd_files(call: &str) -> Vec<(&'static str, String)> {
    let plain = PROGRAM.replace("{}", call);
    vec![
        ("a.py", plain.clone()),
        ("deep/er/b c.py", format!("{plain}x = 1 \u{c}\n")),
        ("crlf.py", plain.replace('\n', "\r\n")),
        ("mark.py", format!("\u{feff}{plain}")),
        ("end.py", plain.trim_end().to_owned()),
        ("escape.py", format!("{plain}x = \"\u{1b}[31m\u{7f}\"\n")),
        ("return.py", format!("{plain}# a\rb = 1\r\nc = 2\r")),
        ("é.py", plain.replace("a comment", "ünïcode 🚀\u{2028}")),
    ]
}

#[test]
fn a_diff_is_a_patch() {
    for words in [["git", "apply", "-"], ["patch", "-p1", "--binary"]] {
        if Command::new(words[0]).arg("--version").output().is_err() {
            continue;
        }
        let wrong = odd_files("")
            .into_iter()
            .fold(Project::new().file("gpulint.yaml", POLICY), |project, file| project.file(file.0, file.1));
        let diff = wrong.run("check --diff");
        assert_eq!(diff.stdout.matches("\n@@ ").count(), 8, "{diff:?}");
        let mut program = Command::new(words[0]);
        program.args(&words[1..]).current_dir(wrong.root());
        let applied = answer(&mut program, diff.stdout.as_bytes());
        assert_eq!(applied.code, Some(0), "{words:?} {applied:?}");
        for (name, text) in odd_files("()") {
            assert_eq!(wrong.read(name), text, "{name} {words:?}");
        }
    }
}

#[test]
fn standard_input_becomes_standard_output() {
    let project = Project::new().file("gpulint.yaml", POLICY);
    for (name, wrong, right) in
        odd_files("").into_iter().zip(odd_files("()")).map(|((name, wrong), (_, right))| (name, wrong, right))
    {
        let answer = project.run_with_input("check - --fix", wrong.as_bytes());
        assert_eq!((answer.code, &answer.stdout), (Some(0), &right), "{name}");
        assert_eq!(answer.stderr, format!("{FIXED_ONE}Checked 1 file: no findings (1 fixed).\n"));
        let answer = project.run_with_input("check - --fix --hush", wrong.as_bytes());
        assert_eq!(answer.code, Some(2));
    }
    // Nothing to fix, or nothing that could be read: it comes as it was.
    for text in [right(), UNFIXABLE.to_owned(), "if x:\n".to_owned(), String::new(), "\u{1b}[0m".to_owned()] {
        let answer = project.run_with_input("check - --fix --format json", text.as_bytes());
        assert_eq!(answer.stdout, text, "{answer:?}");
        assert!(answer.stderr.contains("\"schema\": 1"), "{answer:?}");
    }
    let mut command = project.command();
    let bytes = [0xff, b'\n', 0xfe];
    let mut child = command
        .args(["check", "-", "--fix"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the binary starts");
    let _ = std::io::Write::write_all(&mut child.stdin.take().expect("it is piped"), &bytes);
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), bytes.as_slice()));
}

#[test]
fn standard_input_for_a_file_leaves_the_file_alone() {
    let project = project();
    let words = "check - --stdin-filename a.py";
    let answer = project.run_with_input(&format!("{words} --fix"), wrong().as_bytes());
    assert_eq!((answer.code, answer.stdout), (Some(0), right()));
    let answer = project.run_with_input(&format!("{words} --diff"), wrong().as_bytes());
    assert!(answer.stdout.starts_with("--- a/a.py\n+++ b/a.py\n@@ "), "{answer:?}");
    // What is not text, for a file that is.
    let answer = project.run_with_input(&format!("{words} --fix --exit-zero"), &utf16(""));
    assert_eq!(answer.stdout.len(), 0, "{answer:?}");
    assert_eq!(project.read("a.py"), wrong());
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn what_is_hidden_or_known_is_not_fixed() {
    let policy = format!("{POLICY}rules: {{severity: {{availability-check-not-called: note}}}}\n");
    let project = Project::new().file("gpulint.yaml", policy).file("a.py", wrong());
    let hidden = "Checked 1 file: no errors or warnings (1 note hidden, see it with --min-severity note).\n";
    project.run("check --fix").is(0, hidden, NOTHING);
    assert_eq!(project.read("a.py"), wrong());
    assert_eq!(project.run("check --fix --min-severity note").stderr, FIXED_ONE);
    assert_eq!(project.read("a.py"), right());

    let silenced = wrong().replace("a comment", "gpulint: ignore[availability-check-not-called] meant");
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", &silenced);
    project.run("check --fix").is(0, "Checked 1 file: no findings (1 suppressed).\n", NOTHING);
    assert_eq!(project.read("a.py"), silenced);
}

#[test]
fn what_the_baseline_lists_is_not_fixed() {
    let project = self::project();
    assert_eq!(project.run("check --write-baseline").code, Some(0));
    let more = wrong() + "assert torch.cuda.is_available\n";
    let project = project.file("a.py", &more);
    let fixed = "Checked 1 file: no findings (1 fixed; 1 in the baseline).\n";
    project.run("check --fix --baseline gpulint-baseline.json").is(0, fixed, FIXED_ONE);
    assert_eq!(project.read("a.py"), wrong() + "assert torch.cuda.is_available()\n");
}

#[test]
fn what_did_not_change_is_not_fixed() {
    let project = self::project();
    git(&project, "init -q");
    commit(&project);
    let project = project.file("a.py", wrong() + "assert torch.cuda.is_available\n");
    let fixed = "Checked 1 file: no new findings (1 fixed; 1 known before).\n";
    project.run("check --fix --since main").is(0, fixed, FIXED_ONE);
    assert_eq!(project.read("a.py"), wrong() + "assert torch.cuda.is_available()\n");
}

#[test]
fn only_what_is_named_is_fixed() {
    let project = self::project().file("b.py", wrong()).file("legacy/c.py", wrong());
    assert_eq!(project.run("check --fix b.py").stderr, FIXED_ONE);
    assert_eq!((project.read("a.py"), project.read("b.py")), (wrong(), right()));
    assert_eq!(project.run("check --fix --ignore availability-check-not-called").stderr, NOTHING);
    let project = project.file("gpulint.yaml", format!("{POLICY}exclude: [legacy]\n"));
    assert_eq!(project.run("check --fix").stderr, FIXED_ONE);
    assert_eq!((project.read("a.py"), project.read("legacy/c.py")), (right(), wrong()));
}

#[test]
fn json_counts_what_can_be_fixed_and_says_what_was() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", wrong() + UNFIXABLE);
    let before = project.run("check --format json").json();
    assert_eq!(before["summary"]["fixable"], 1);
    assert_eq!(before["findings"][0]["fix"], serde_json::json!({"title": "call it", "safety": "safe"}));
    assert_eq!(before.get("corrections"), None);
    let after = project.run("check --fix --format json").json();
    assert_eq!(after["summary"]["fixable"], 0);
    assert_eq!(after["findings"].as_array().map(Vec::len), Some(1));
    let corrected = &after["corrections"][0];
    assert_eq!((&corrected["path"], &corrected["mended"][0]["line"]), (&"a.py".into(), &5.into()));
    assert!(corrected["diff"].as_str().is_some_and(|diff| diff.starts_with("--- a/a.py\n+++ b/a.py\n@@ ")));
    assert_eq!(project.run("check --fix --format json").json()["corrections"], serde_json::json!([]));
}

#[test]
fn corrections_are_reported_as_a_page_and_as_json() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", wrong() + UNFIXABLE);
    let reports = "--output correction=r.md --output correction=r.json";
    let json =
        |project: &Project| Answer { stdout: project.read("r.json"), ..project.run("--version") }.json();
    assert_eq!(project.run(&format!("check {reports}")).code, Some(1));
    assert!(project.read("r.md").starts_with("# What gpulint could correct\n"));
    assert_eq!(
        (&json(&project)["wanted"], &json(&project)["left"][0]["why"]),
        (&false.into(), &"`--fix` mends it: call it".into())
    );

    assert_eq!(project.run(&format!("check --diff {reports}")).code, Some(1));
    let page = project.read("r.md");
    assert!(page.starts_with("# What gpulint would correct\n\n**Nothing was written: "), "{page}");
    assert_eq!(json(&project)["written"], false);

    assert_eq!(project.run(&format!("check --fix {reports}")).code, Some(1));
    let page = project.read("r.md");
    for part in [
        "# What gpulint corrected\n",
        "| files corrected | 1 |\n| findings mended | 1 |\n| findings left for people | 1 |\n",
        "| 5 | error: <code>torch.cuda.is\\_available</code> is not called here",
        "| call it (safe) |\n",
        "```diff\n--- a/a.py\n+++ b/a.py\n",
        "- Every comment is there",
        "- The same fixes on the result change nothing more.\n",
        "| this rule has no fix |\n",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let known = json(&project);
    assert_eq!(known["written"], true);
    let summary =
        serde_json::json!({"files": 1, "mended": 1, "left": 1, "complete": true, "repeatable": true});
    assert_eq!(known["summary"], summary);
    assert_eq!(known["left"][0]["rule"], "mask-parsed-as-int");
}

#[test]
fn the_block_of_the_project_is_put_in() {
    let policy =
        "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\nscripts: {template: tools/block.tmpl}\n";
    let block = "\n# One card for all of us.\nimport os\nos.environ['CUDA_DEVICE_ORDER'] = '{device-order}'\n\
                 os.environ['CUDA_VISIBLE_DEVICES'] = '{visible-devices}'\n\n";
    let project = Project::new()
        .file("gpulint.yaml", policy)
        .file("tools/block.tmpl", block)
        .file("a.py", "import os\r\nimport torch\r\ntorch.cuda.init()\r\n")
        .file("b.py", "\"\"\"B.\"\"\"\nimport torch\ntorch.cuda.init()\n");
    assert_eq!(project.run("check . --fix").code, Some(0));
    let lines = "# One card for all of us.\nos.environ['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'\n\
                 os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n";
    let fixed = format!("import os\n\n{lines}\nimport torch\ntorch.cuda.init()\n");
    assert_eq!(project.read("a.py"), fixed.replace('\n', "\r\n"));
    let lines = lines.replace("us.\n", "us.\nimport os\n");
    assert_eq!(project.read("b.py"), format!("\"\"\"B.\"\"\"\n\n{lines}\nimport torch\ntorch.cuda.init()\n"));
    let project =
        Project::new().file("gpulint.yaml", policy).file("a.py", "import torch\ntorch.cuda.init()\n");
    let refused = project.run("check . --fix");
    assert_eq!(refused.code, Some(2));
    assert_eq!(project.read("a.py"), "import torch\ntorch.cuda.init()\n");
    let said = project.run("check . --format json").stderr;
    assert!(said.contains("the template tools/block.tmpl under `scripts.template` does not exist"), "{said}");
}

#[test]
fn a_mask_and_an_index_inside_it_are_one_fix() {
    let policy = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n";
    let program = "import torch\nx = torch.ones(1, device=\"cuda:1\")\n";
    let project = Project::new().file("gpulint.yaml", policy).file("a.py", program);
    // Without the mask `cuda:0` is the other card, and with it there is no `cuda:1`.
    let found = project.run("check").stdout;
    assert!(found.ends_with("\nChecked 1 file: 3 errors. 3 can be fixed with `--fix`.\n"), "{found}");
    let lines = "  = fix: set the order beside the mask (`--fix`)\n1 + import os\n2 +\n";
    assert!(found.contains(lines), "{found}");
    assert!(
        found
            .contains("  - x = torch.ones(1, device=\"cuda:1\")\n7 + x = torch.ones(1, device=\"cuda:0\")\n")
    );
    assert!(
        found.contains("  = fix: take `cuda:0` (`--fix`), by the change that is shown above\n"),
        "{found}"
    );
    let told = "note: 3 findings would be fixed in 1 file\n\
                Checked 1 file: 3 errors (3 would be fixed). 3 can be fixed with `--fix`.\n";
    assert_eq!(project.run("check --diff").stderr, told);
    project.run("check --fix --fixable missing-visible-devices");
    assert!(project.read("a.py").ends_with("import torch\nx = torch.ones(1, device=\"cuda:0\")\n"));
    project.run("check").is(0, "Checked 1 file: no findings.\n", "");
}

#[test]
fn a_mask_is_not_set_before_a_device_that_stays() {
    let policy = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n";
    let program = "import torch\nx = torch.ones(1, device=f\"cuda:{len(input())}\")\ny = torch.ones(1, device=\"cuda:1\")  # gpulint: ignore[device-not-allowed] the second\n";
    let project = Project::new().file("gpulint.yaml", policy).file("a.py", program);
    let answer = project.run("check --format json").json();
    let mut findings = answer["findings"].as_array().expect("a list").iter();
    let mask = findings.find(|finding| finding["rule"] == "missing-visible-devices");
    let mask = mask.expect("it is found");
    assert_eq!(mask["unfixed"], "the device at a.py:3 would lie outside of the mask");
    project.run("check --fix");
    assert_eq!(project.read("a.py"), program);
}

#[test]
fn a_mask_is_not_set_before_a_device_that_nobody_asked_about() {
    let policy = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n";
    let program = "import torch\nimport parts.model\ntorch.zeros(1, device=\"cuda\")\n";
    let model = "import torch\nx = torch.ones(1, device=\"cuda:1\")\n";
    let by_path = "rules:\n  per-path: {\"parts/**\": {ignore: [device-not-allowed]}}\n";
    for (policy, words) in [
        (policy.to_owned(), "--select missing-visible-devices"),
        (policy.to_owned(), "--ignore device-not-allowed"),
        (format!("{policy}{by_path}"), ""),
    ] {
        let project =
            Project::new().file("gpulint.yaml", policy).file("a.py", program).file("parts/model.py", model);
        let answer = project.run(&format!("check {words} --format json")).json();
        let findings = answer["findings"].as_array().expect("a list");
        assert!(findings.iter().all(|finding| finding["rule"] != "device-not-allowed"), "{findings:?}");
        let mask = findings.iter().find(|finding| finding["rule"] == "missing-visible-devices");
        let mask = mask.expect("it is found");
        assert_eq!(
            mask["unfixed"], "the device at parts/model.py:2 would lie outside of the mask",
            "{words}"
        );
        project.run(&format!("check --fix {words}"));
        assert_eq!((project.read("a.py"), project.read("parts/model.py")), (program.into(), model.into()));
    }
    // Where there is no other device it is set all the same.
    let project = Project::new().file("gpulint.yaml", policy).file("a.py", model.replace(":1", ""));
    project.run("check --fix --select missing-visible-devices");
    assert!(project.read("a.py").contains("os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n"));
}

#[test]
fn a_fix_of_several_findings_is_made_for_each_of_them() {
    let policy = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n";
    let program = "import torch\ntorch.zeros(1, device=\"cuda\")\n";
    let project = Project::new()
        .file("gpulint.yaml", format!("{policy}baseline: gpulint-baseline.json\n"))
        .file("a.py", program);
    assert_eq!(project.run("check --write-baseline").code, Some(0));
    project.run("check --fix");
    assert_eq!(project.read("a.py"), program);
    let project = project.file("a.py", format!("{program}x = torch.ones(1, device=\"cuda:1\")\n"));
    for words in ["--fixable device-not-allowed", ""] {
        let patch = project.run(&format!("check --diff {words}")).stdout;
        assert!(patch.contains("\n+os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n"), "{patch}");
        assert!(patch.contains("\n+x = torch.ones(1, device=\"cuda:0\")\n"), "{patch}");
    }
    let patch = project.run("check --diff --fixable missing-visible-devices").stdout;
    assert_eq!(patch, "", "it is in the baseline");
}

#[test]
fn a_device_that_is_computed_does_not_keep_the_mask_away() {
    let policy = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n";
    let program = "import sys\nimport torch\ntorch.zeros(1, device=f\"cuda:{int(sys.argv[1])}\")\n";
    let project = Project::new().file("gpulint.yaml", policy).file("a.py", program);
    project.run("check --fix");
    assert!(project.read("a.py").contains("os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n"));
}
