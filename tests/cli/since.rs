//! `--since`: what a change brought, wherever it stands.

use crate::git::{commit, git};
use crate::project::{Answer, Project};
use serde_json::Value;
use std::fs;

const POLICY: &str = "gpu: {visible-devices: \"0\", device: \"cuda:0\"}\n";
const PIN: &str = "import os\n\n\ndef pin():\n    os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n    \
                   os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\n";
const TRAIN: &str = "from helpers.pins import pin\n\npin()\nimport torch\n\nfrom steps import load\n\n\
                     model = torch.nn.Linear(4, 4).to(\"cuda:0\")\nload(model)\n";
const STEPS: &str = "import os\nimport torch\n\n\ndef load(model):\n    return model\n";
const WORK: &str = "import torch\n\nmodel = torch.nn.Linear(4, 4).cuda()\n";

/// A project in which everything is started on the card that the policy names.
fn repository() -> Project {
    let dockerfile = "FROM python:3.12\nENV CUDA_DEVICE_ORDER=PCI_BUS_ID\nENV CUDA_VISIBLE_DEVICES=0\nCOPY serve.py .\n\
                      CMD [\"python\", \"serve.py\"]\n";
    let launcher =
        "#!/bin/sh\nexport CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=0\npython eval.py\n";
    let makefile = "export CUDA_DEVICE_ORDER = PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES = 0\n\nbench:\n\tpython bench.py\n";
    let workflow = "on: push\njobs:\n  gpu:\n    runs-on: [self-hosted, gpu]\n    env:\n      CUDA_DEVICE_ORDER: PCI_BUS_ID\n      \
                    CUDA_VISIBLE_DEVICES: \"0\"\n    steps:\n      - run: python nightly.py\n";
    let compose = "services:\n  app:\n    image: app\n    environment:\n      CUDA_DEVICE_ORDER: PCI_BUS_ID\n      \
                   CUDA_VISIBLE_DEVICES: \"0\"\n    command: python app.py\n";
    let project = Project::new()
        .file("gpulint.yaml", POLICY)
        .file("helpers/__init__.py", "")
        .file("helpers/pins.py", PIN)
        .file("train.py", TRAIN)
        .file("steps.py", STEPS)
        .file("Dockerfile", dockerfile)
        .file("serve.py", WORK)
        .file("run.sh", launcher)
        .file("eval.py", WORK)
        .file("Makefile", makefile)
        .file("bench.py", WORK)
        .file(".github/workflows/gpu.yml", workflow)
        .file("nightly.py", WORK)
        .file("compose.yaml", compose)
        .file("app.py", WORK)
        .file("notes.md", "# Notes\n");
    git(&project, "init -q");
    commit(&project);
    project
}

fn since(project: &Project) -> Answer {
    project.run("check --format json --since HEAD")
}

/// Each finding as `path rule`, and where the change is that brought it.
#[track_caller]
fn new_in(answer: &Answer) -> Vec<(String, String)> {
    let json = answer.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let told = |finding: &Value| {
        let cause = &finding["caused_by"];
        let line = cause["line"].as_u64().map_or_else(|| "gone".to_owned(), |line| line.to_string());
        (
            format!("{} {}", text(&finding["path"]), text(&finding["rule"])),
            format!("{}:{line}", text(&cause["path"])),
        )
    };
    json["findings"].as_array().expect("a list").iter().map(told).collect()
}

/// A change of a file: what stands there, and what then does.
type Change<'a> = (&'a str, &'a str, &'a str);

fn change(project: &Project, changes: &[Change<'_>]) {
    for (name, old, new) in changes {
        let path = project.path(name);
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text.contains(old), "{name}: {text}");
        match *old {
            "" => fs::write(path, format!("{text}{new}")).unwrap(),
            _ => fs::write(path, text.replacen(old, new, 1)).unwrap(),
        }
    }
}

#[test]
fn a_project_without_changes_has_nothing_new() {
    let project = repository();
    let everything = project.run("check --format json");
    assert!(everything.findings().is_empty(), "{everything:?}");
    project.run("check --since HEAD").is(0, "Checked 14 files: no new findings.\n", "");
}

#[test]
fn what_breaks_a_pin_is_found_wherever_it_stands() {
    let export = "export CUDA_VISIBLE_DEVICES=0\n";
    let missing = |path: &str| format!("{path} missing-visible-devices");
    let wrong = |path: &str| format!("{path} wrong-visible-devices");
    let outside = |path: &str| format!("{path} device-outside-mask");
    let cases: &[(&[Change<'_>], String, &str)] = &[
        (&[("train.py", "pin()\n", "")], missing("train.py"), "train.py:2"),
        (&[("train.py", "pin()\n", "pass\n")], missing("train.py"), "train.py:3"),
        (&[("train.py", "pin()\n", "if False:\n    pin()\n")], missing("train.py"), "train.py:3"),
        (
            &[("helpers/pins.py", "    os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\n", "")],
            missing("train.py"),
            "helpers/pins.py:5",
        ),
        (
            &[("helpers/pins.py", "\"CUDA_VISIBLE_DEVICES\"", "\"CUDA_VISIBLE_DEVICE\"")],
            missing("train.py"),
            "helpers/pins.py:6",
        ),
        (&[("helpers/pins.py", "= \"0\"", "= \"1\"")], wrong("helpers/pins.py"), "helpers/pins.py:6"),
        (
            &[("helpers/pins.py", "    os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n", "")],
            "helpers/pins.py missing-device-order".into(),
            "helpers/pins.py:4",
        ),
        (
            &[("helpers/pins.py", "import os\n", "import os\nimport torch\n\ntorch.cuda.init()\n")],
            "helpers/pins.py pin-after-cuda-init".into(),
            "helpers/pins.py:4",
        ),
        (
            &[("helpers/__init__.py", "", "import torch\n\ntorch.cuda.init()\n")],
            "train.py pin-after-cuda-init".into(),
            "helpers/__init__.py:3",
        ),
        (
            &[("steps.py", "    return model\n", "    return model.to(\"cuda:1\")\n")],
            outside("steps.py"),
            "steps.py:6",
        ),
        (&[("train.py", "\"cuda:0\"", "\"cuda:1\"")], outside("train.py"), "train.py:8"),
        (
            &[("steps.py", "import torch\n", "import torch\n\nos.environ.pop(\"CUDA_VISIBLE_DEVICES\")\n")],
            "steps.py pin-removed".into(),
            "steps.py:4",
        ),
        (&[("Dockerfile", "ENV CUDA_VISIBLE_DEVICES=0\n", "")], missing("serve.py"), "Dockerfile:2"),
        (&[("Dockerfile", "VISIBLE_DEVICES=0", "VISIBLE_DEVICE=0")], missing("serve.py"), "Dockerfile:3"),
        (&[("run.sh", export, "")], missing("eval.py"), "run.sh:2"),
        (&[("run.sh", export, "CUDA_VISIBLE_DEVICES=0\n")], missing("eval.py"), "run.sh:3"),
        (
            &[("run.sh", "", "python serve.py --once\nunset CUDA_VISIBLE_DEVICES\npython bench.py\n")],
            "run.sh pin-removed".into(),
            "run.sh:6",
        ),
        (&[("Makefile", "export CUDA_VISIBLE_DEVICES = 0\n", "")], missing("bench.py"), "Makefile:1"),
        (
            &[(".github/workflows/gpu.yml", "      CUDA_VISIBLE_DEVICES: \"0\"\n", "")],
            missing("nightly.py"),
            ".github/workflows/gpu.yml:6",
        ),
        (&[("compose.yaml", "      CUDA_VISIBLE_DEVICES: \"0\"\n", "")], missing("app.py"), "compose.yaml:5"),
        (
            &[("gpulint.yaml", "visible-devices: \"0\"", "visible-devices: \"1\"")],
            wrong("run.sh"),
            "gpulint.yaml:1",
        ),
        (&[("fresh.py", "", WORK)], missing("fresh.py"), "fresh.py:1"),
        (&[("fresh.sh", "", "python serve.py\n")], missing("serve.py"), "fresh.sh:1"),
    ];
    for (changes, finding, cause) in cases {
        let project = repository();
        change(&project, changes);
        let answer = since(&project);
        assert_eq!(answer.code, Some(1), "{changes:?}: {answer:?}");
        let new = new_in(&answer);
        let told = new.iter().find(|(told, _)| told == finding);
        assert_eq!(told.map(|(_, cause)| cause.as_str()), Some(*cause), "{changes:?}: {new:?}");
        commit(&project);
        let committed = new_in(&project.run("check --format json --since HEAD~1"));
        assert_eq!(committed, new, "{changes:?}");
    }
    let project = repository();
    fs::remove_file(project.path("Dockerfile")).unwrap();
    assert_eq!(new_in(&since(&project)), [(missing("serve.py"), "Dockerfile:gone".to_owned())]);
}

#[test]
fn a_harmless_change_brings_nothing() {
    let cases: &[&[Change<'_>]] = &[
        &[("notes.md", "", "Some words about CUDA_VISIBLE_DEVICES.\n")],
        &[("train.py", "", "print(\"done\")\n")],
        &[("train.py", "pin()\n", "pin()  # the first card\n")],
        &[(
            "train.py",
            "from helpers.pins import pin\n\npin()\n",
            "from helpers import pins\n\npins.pin()\n",
        )],
        &[
            ("helpers/pins.py", "def pin():", "def choose():"),
            ("train.py", "import pin\n\npin()", "import choose\n\nchoose()"),
        ],
        &[("helpers/pins.py", "", "\n\ndef other():\n    return 1\n")],
        &[("steps.py", "    return model\n", "    model.train()\n    return model\n")],
        &[("Dockerfile", "python:3.12", "python:3.13")],
        &[(
            "Dockerfile",
            "ENV CUDA_DEVICE_ORDER=PCI_BUS_ID\nENV CUDA_VISIBLE_DEVICES=0",
            "ENV CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0",
        )],
        &[("run.sh", "python eval.py\n", "python eval.py --batch 8\n")],
        &[("run.sh", "", "python serve.py\n")],
        &[("run.sh", "#!/bin/sh\n", "#!/bin/sh\nset -e\n")],
        &[("Makefile", "", "\nclean:\n\trm -rf build\n")],
        &[("compose.yaml", "image: app", "image: app:2")],
        &[(".github/workflows/gpu.yml", "on: push", "on: [push, workflow_dispatch]")],
        &[("eval.py", "torch.nn.Linear(4, 4)", "torch.nn.Linear(4, 8)")],
        &[("serve.py", "import torch\n", "\"\"\"Serves.\"\"\"\n\nimport torch\n")],
        &[("serve.py", "torch.nn.Linear(4, 4).cuda()", "torch.nn.Linear(\n    4,\n    4,\n).cuda()")],
        &[("gpulint.yaml", POLICY, "gpu:\n  visible-devices: \"0\"\n  device: \"cuda:0\"\n")],
        &[("plain.py", "", "print(\"no card\")\n")],
        &[
            ("data.json", "", "{}\n"),
            ("train.sh", "", "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0\npython train.py\n"),
        ],
    ];
    for changes in cases {
        let project = repository();
        change(&project, changes);
        let answer = since(&project);
        assert_eq!((new_in(&answer), answer.code), (vec![], Some(0)), "{changes:?}");
    }
}

/// The statuses in the summary of a run: old, fixed.
#[track_caller]
fn counts(answer: &Answer) -> (u64, u64) {
    let summary = &answer.json()["summary"];
    (summary["old"].as_u64().expect("a number"), summary["fixed"].as_u64().expect("a number"))
}

/// A repository in which `a.py` leaves the choice open, under a policy.
fn with_an_old_finding() -> Project {
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", WORK);
    git(&project, "init -q");
    commit(&project);
    project
}

#[test]
fn old_findings_are_counted_wherever_they_moved() {
    let project = with_an_old_finding();
    let all = project.run("check --format json").findings().len() as u64;
    assert!(all > 0);
    project.run("check --since HEAD").is(
        0,
        &format!("Checked 1 file: no new findings ({all} known before).\n"),
        "",
    );
    change(&project, &[("a.py", "import torch", "# A comment.\n\nimport torch  # torch")]);
    assert_eq!(counts(&since(&project)), (all, 0));
    git(&project, "mv a.py b.py");
    assert_eq!((new_in(&since(&project)), counts(&since(&project))), (vec![], (all, 0)));
    git(&project, "reset -q --hard");
    fs::rename(project.path("a.py"), project.path("c.py")).unwrap();
    assert_eq!((new_in(&since(&project)), counts(&since(&project))), (vec![], (all, 0)));
    fs::remove_file(project.path("c.py")).unwrap();
    let project = project.file("d.py", "print(1)\n");
    assert_eq!((new_in(&since(&project)), counts(&since(&project))), (vec![], (0, all)));
    let gone = format!("Checked 1 file: no new findings ({all} gone since).\n");
    project.run("check --since HEAD").is(0, &gone, "");
}

#[test]
fn what_was_accepted_before_is_known() {
    let ignored =
        WORK.replace("import torch\n", "import torch  # gpulint: ignore[missing-visible-devices] one card\n");
    let project = with_an_old_finding().file("a.py", ignored);
    commit(&project);
    let project = project.file("a.py", WORK);
    assert_eq!(new_in(&since(&project)), []);
    // So is what the baseline of the earlier state lists.
    assert_eq!(project.run("check --write-baseline").code, Some(0));
    let project = project.file("gpulint.yaml", format!("{POLICY}baseline: gpulint-baseline.json\n"));
    commit(&project);
    fs::remove_file(project.path("gpulint-baseline.json")).unwrap();
    let project = project.file("gpulint.yaml", POLICY);
    assert_eq!(new_in(&since(&project)), []);
}

#[test]
fn a_severity_that_rises_is_new() {
    let mild = format!(
        "{POLICY}rules: {{severity: {{missing-visible-devices: note, missing-device-order: note}}}}\n"
    );
    let project = with_an_old_finding().file("gpulint.yaml", &mild);
    commit(&project);
    assert_eq!(new_in(&since(&project)), []);
    let project = project.file("gpulint.yaml", POLICY);
    let new = new_in(&since(&project));
    assert_eq!(new, [("a.py missing-visible-devices".to_owned(), "gpulint.yaml:1".to_owned())]);
}

#[test]
fn the_earlier_state_has_its_own_policy_and_rules() {
    let project = with_an_old_finding().file("gpulint.yaml", "gpu: [\n");
    commit(&project);
    // What cannot be used says nothing.
    let project = project.file("gpulint.yaml", POLICY);
    let answer = since(&project);
    assert_eq!(new_in(&answer), []);
    assert!(
        answer.stderr.contains("note: the policy of the state that this one is compared with cannot be used"),
        "{answer:?}"
    );
    let project = project.file("gpulint.yaml", format!("exclude: [a.py]\n{POLICY}"));
    commit(&project);
    let project = project.file("gpulint.yaml", POLICY);
    assert_eq!(new_in(&since(&project))[0].1, "gpulint.yaml:1");
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", WORK);
    git(&project, "init -q");
    let new = new_in(&since(&project));
    assert_eq!(new[0], ("a.py missing-visible-devices".to_owned(), "a.py:1".to_owned()));
    assert_eq!(new_in(&project.run("check --format json --staged")), [], "nothing is staged");
}

#[test]
fn only_what_is_named_is_reported() {
    let project = repository().file("sub/fresh.py", WORK);
    change(&project, &[("run.sh", "export CUDA_VISIBLE_DEVICES=0\n", "")]);
    let of = |words: &str| new_in(&project.run(&format!("check --format json --since HEAD {words}")));
    assert_eq!(of("sub"), [("sub/fresh.py missing-visible-devices".to_owned(), "sub/fresh.py:1".to_owned())]);
    assert_eq!(of("eval.py"), [("eval.py missing-visible-devices".to_owned(), "run.sh:2".to_owned())]);
    assert_eq!(of("").len(), 2);
}

#[test]
fn an_annotation_stands_at_the_change() {
    let project = repository();
    change(&project, &[("run.sh", "export CUDA_VISIBLE_DEVICES=0\n", "")]);
    let text = project.run("check --since HEAD --format github").stdout;
    assert!(
        text.starts_with(
            "::error title=gpulint (missing-visible-devices),file=run.sh,line=2,endLine=2::eval.py:1: "
        ),
        "{text}"
    );
    let text = project.run("check --since HEAD --format concise").stdout;
    assert!(
        text.contains("eval.py:1:1: error[missing-visible-devices]")
            && text.contains("(brought by the lines removed behind run.sh:2)"),
        "{text}"
    );
    let text = project.run("check --since HEAD").stdout;
    assert!(text.contains("note: brought by the lines removed behind run.sh:2"), "{text}");
    let text = project.run("check --since HEAD --format azure").stdout;
    assert!(text.contains("sourcepath=run.sh;linenumber=2;"), "{text}");
}

#[test]
fn what_git_cannot_tell_is_said() {
    let project = repository();
    let unknown = "there is no such commit, branch or tag in this repository";
    project.run("check --since nope").fails(2, &format!("error: --since nope: {unknown}"));
    let input = project.run("check - --since main");
    input.fails(2, "error: --since compares files, and `-` reads standard input");
    assert_eq!(project.run("check --since main --write-baseline").code, Some(2));
    assert_eq!(project.run("check --since main --changed-lines main").code, Some(2));
}
