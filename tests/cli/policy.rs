//! Which policy holds, where the root lies, and what the command line changes.

use crate::INDEX_WITHOUT_ORDER;
use crate::project::{Answer, Project, answer};

const POLICY: &str = "gpu: {name: RTX 3090}\n";

/// The comments at the top of `--show-settings`, with the folder of the project cut off.
fn shown(project: &Project, folder: &str, words: &str) -> String {
    let answer = project.run_in(folder, &format!("check --show-settings {words}"));
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    let head: Vec<&str> = answer.stdout.lines().take_while(|line| line.starts_with('#')).collect();
    head.join("\n").replace(&project.root().display().to_string(), "").replace('\\', "/")
}

#[test]
fn the_nearest_policy_upwards_from_the_paths_holds() {
    let project = Project::new()
        .file("gpulint.yaml", "")
        .file("app/gpulint.yaml", POLICY)
        .file("app/deep/a.py", "")
        .file("app/b.py", "")
        .file("c.py", "");
    // The root is that of the outermost policy, from wherever it is asked.
    let app = "# root: \n# policy: /app/gpulint.yaml";
    assert_eq!(shown(&project, ".", "app/deep/a.py"), app);
    assert_eq!(shown(&project, ".", "app/deep/a.py app/b.py"), app);
    assert_eq!(shown(&project, "app/deep", ""), app);
    // What two paths share decides, so their order does not matter.
    let top = "# root: \n# policy: /gpulint.yaml\n# in app: /app/gpulint.yaml";
    assert_eq!(shown(&project, ".", "app/b.py c.py"), top);
    assert_eq!(shown(&project, ".", "c.py app/b.py"), top);
}

#[test]
fn each_value_of_a_subfolders_policy_has_a_file() {
    let project = Project::new()
        .file("gpulint.yaml", "")
        .file("cards.yaml", "gpu: {name: A, visible-devices: \"1\"}\n")
        .file("app/gpulint.yaml", "extends: ../cards.yaml\ngpu: {name: B}\n")
        .file("alone/gpulint.yaml", POLICY)
        .file(".config/gpulint/gpulint.yaml", "gpu: {min-memory: 20GiB}\n")
        .file("app/a.py", "")
        .file("alone/a.py", "");
    let answer = outside_of_workflows(&project, "check --show-settings");
    let shown = answer.stdout.replace(&project.root().display().to_string(), "").replace('\\', "/");
    let of_app: Vec<&str> = shown.lines().filter(|line| line.starts_with("# in app")).collect();
    assert_eq!(
        of_app,
        [
            "# in app: /app/gpulint.yaml",
            "# in app: below it: /.config/gpulint/gpulint.yaml",
            "# in app: gpu.min-memory is from /.config/gpulint/gpulint.yaml",
            "# in app: gpu.name is from /app/gpulint.yaml",
            "# in app: gpu.visible-devices is from /cards.yaml",
        ]
    );
    let of_other = "# in alone: gpu.name is from /alone/gpulint.yaml\n";
    assert!(shown.contains(of_other), "{shown}");
    // One file that says all needs no more words.
    let alone = project.run("check --isolated --show-settings").stdout;
    assert!(!alone.contains("is from"), "{alone}");
}

#[test]
fn a_policy_that_another_one_beside_it_hides_is_named() {
    let project = Project::new()
        .file("gpulint.yaml", "gpu: {visible-devices: \"1\"}\n")
        .file("gpulint.yml", "gpu: {visible-devices: \"2\"}\n")
        .file("pyproject.toml", "[tool.gpulint.gpu]\nvisible-devices = \"3\"\n")
        .file("a.py", "x = 1\n");
    let told =
        |name: &str| format!("note: the policy in {name} is not read, because gpulint.yaml lies beside it\n");
    let answer = project.run("check");
    assert!(
        answer.stderr.contains(&format!("{}{}", told("gpulint.yml"), told("pyproject.toml"))),
        "{answer:?}"
    );
    assert!(!project.run("check --quiet").stderr.contains("is not read"));
    // One that is about something else is no policy, and neither is what `--config` does not name.
    let project = project.file("pyproject.toml", "[tool.other]\nnames = [\"gpulint\"]\n");
    assert!(!project.run("check").stderr.contains("pyproject.toml"));
    assert!(!project.run("check --config gpulint.yml").stderr.contains("is not read"));
}

#[test]
fn the_root_without_a_policy() {
    let project = Project::new().file("a/b.py", "").file("repo/.git/HEAD", "").file("repo/x/y.py", "");
    assert_eq!(shown(&project, ".", "a"), "# root: \n# policy: none");
    assert_eq!(shown(&project, "a", ""), "# root: /a\n# policy: none");
    assert_eq!(shown(&project, "repo/x", ""), "# root: /repo\n# policy: none");
    assert_eq!(shown(&project, "a", "../repo/x/y.py"), "# root: /repo\n# policy: none");
}

#[test]
fn config_brings_settings_and_does_not_move_the_root() {
    let project = Project::new()
        .file("app/gpulint.yaml", "gpu: {name: A}\n")
        .file("app/ci/other.yaml", POLICY)
        .file("elsewhere/p.yaml", POLICY)
        .file("app/a.py", "");
    let words = "app --config app/ci/other.yaml";
    assert_eq!(shown(&project, ".", words), "# root: /app\n# policy: /app/ci/other.yaml");
    // From outside: the root is found as if there were no policy.
    let words = "app --config elsewhere/p.yaml";
    assert_eq!(shown(&project, ".", words), "# root: \n# policy: /elsewhere/p.yaml");
    let two = project.run("check --config app/ci/other.yaml --config elsewhere/p.yaml");
    let told = "--config names two policy files, app/ci/other.yaml and elsewhere/p.yaml; name one";
    two.fails(2, &format!("error: {told}"));
}

#[test]
fn single_settings_from_the_command_line_win() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", "");
    let answer = project.run("check --show-settings --config gpu.name=A100 --config gpu.min-memory=40GiB");
    assert!(answer.stdout.contains("  name: A100\n"), "{}", answer.stdout);
    assert!(answer.stdout.contains("  min-memory: 40GiB\n"), "{}", answer.stdout);
    project
        .run("check --config gpu.nam=A100")
        .fails(2, "error: --config gpu.nam=A100: unknown key `nam` in `gpu`; did you mean `name`?");
}

#[test]
fn what_show_settings_prints_is_a_policy() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", "");
    let first = project.run("check --show-settings --mode cpu --select pinning");
    let project = project.file("gpulint.yaml", &first.stdout);
    assert_eq!(project.run("check --show-settings --mode cpu --select pinning").stdout, first.stdout);
    assert!(first.stdout.contains("# mode: cpu\n# select: pinning\n"), "{}", first.stdout);
}

#[test]
fn a_bad_policy_is_named_with_its_line() {
    let project = Project::new().file("gpulint.yaml", "gpu:\n  nmae: RTX 3090\n").file("a.py", "");
    let told = "error: gpulint.yaml:2: unknown key `nmae` in `gpu`; did you mean `name`?";
    project.run("check").fails(2, told);
    project.run("trace a.py").fails(2, told);
    assert_eq!(project.run("check --isolated").code, Some(0));
    project.run("check --isolated --config gone.yaml").fails(2, "error: gone.yaml: does not exist");
}

#[test]
fn an_unknown_selector_in_a_policy_is_named_with_its_line() {
    let project =
        Project::new().file("gpulint.yaml", "rules:\n  select: [missing-devise-order]\n").file("a.py", "");
    let answer = project.run("check");
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""));
    assert!(answer.stderr.starts_with("error: gpulint.yaml:2: "), "{}", answer.stderr);
}

#[test]
fn a_policy_makes_the_finding_an_error() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", INDEX_WITHOUT_ORDER);
    let severity = |words: &str| {
        let report = project.run(words).json();
        let findings = report["findings"].as_array().expect("an array");
        let found = findings.iter().find(|finding| finding["rule"] == "missing-device-order");
        found.expect("a finding")["severity"].clone()
    };
    assert_eq!(severity("check --format json"), "error");
    assert_eq!(severity("check --format json --isolated"), "warning");
}

#[test]
fn mode_is_accepted_where_a_policy_is() {
    let project = Project::new().file("a.py", "x = 1\n");
    assert_eq!(project.run("check --mode cpu").code, Some(0));
    assert_eq!(project.run("trace --mode gpu --isolated --config gpu.name=A a.py").code, Some(0));
}

#[test]
fn a_path_has_its_own_rules() {
    let script = "import torch\nmodel = torch.zeros(1).to('cuda:1')\n";
    let policy = "gpu: {visible-devices: \"1\"}\nrules:\n  select: [devices]\n  per-path:\n    \
                  \"old/**\": {select: [missing-visible-devices]}\n    \"new/**\": {ignore: [device-not-allowed]}\n";
    let project = Project::new()
        .file("gpulint.yaml", policy)
        .file("a.py", script)
        .file("old/b.py", script)
        .file("new/c.py", script);
    let answer = project.run("check --format concise");
    let rules: Vec<_> = answer.stdout.lines().filter_map(|line| line.split([' ', ']']).nth(1)).collect();
    assert_eq!(rules, ["error[device-not-allowed", "error[missing-visible-devices", "3"], "{answer:?}");
}

#[test]
fn a_second_card_in_rust_is_named_at_its_index() {
    let project = Project::new()
        .file("gpulint.yaml", "gpu: {visible-devices: \"0\", device: \"cuda:0\"}\n")
        .file("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\ncudarc = \"0.17\"\n")
        .file(
            "src/main.rs",
            "use cudarc::driver::CudaContext;\n\nfn main() {\n    let größe = 1; let _c = CudaContext::new(1);\n}\n",
        );
    let answer = project.run("check --format concise --select device-not-allowed");
    let column = "    let größe = 1; let _c = CudaContext::new(".chars().count() + 1;
    assert!(
        answer.stdout.contains(&format!("src/main.rs:4:{column}: error[device-not-allowed]")),
        "{answer:?}"
    );
}

#[test]
fn the_strict_profile_runs_what_is_off() {
    let script = "import torch\n\ndevice = torch.device(\"cuda:1\")\nx = torch.zeros(1).to(device)\ny = torch.zeros(1).cuda()\n";
    let project = Project::new().file("train.py", script);
    let is_found = |select: &str| {
        let answer = project.run(&format!("check --format concise --select {select} train.py"));
        answer.stdout.contains("train.py:5:5: warning[bare-cuda-ignores-device]")
    };
    assert!(is_found("strict") && is_found("bare-cuda-ignores-device") && !is_found("recommended"));
}

/// A program that takes the first card.
const FIRST: &str = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
                     os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\nimport torch\ntorch.cuda.init()\n";

#[test]
fn what_a_policy_extends_counts_where_it_is_silent() {
    let base = "gpu: {name: \"RTX 3090\", visible-devices: \"1\"}\nrules: {ignore: [memory]}\n";
    let under = |own: &str| {
        Project::new().file("a.py", FIRST).file("shared/base.yaml", base).file("gpulint.yaml", own)
    };
    for own in
        ["extends: shared/base.yaml\n", "extends: [shared/base.yaml]\ngpu: {device-order: PCI_BUS_ID}\n"]
    {
        let found = under(own).run("check --format json").findings();
        assert_eq!(found, ["a.py:3 wrong-visible-devices"]);
    }
    let project = under("extends: shared/base.yaml\ngpu: {visible-devices: \"0\"}\n");
    assert_eq!(project.run("check --format json").findings(), [""; 0]);
    let shown = project.run("check --show-settings").stdout;
    for (key, file) in [("gpu.name", "shared/base.yaml"), ("gpu.visible-devices", "gpulint.yaml")] {
        let line = shown.lines().find(|line| line.starts_with(&format!("# {key} is from ")));
        assert!(line.is_some_and(|line| line.ends_with(file)), "{key} is from {file}: {shown}");
    }
    for (own, told) in [
        ("extends: gone.yaml\n", "names gone.yaml, which does not exist"),
        ("extends: gpulint.yaml\n", "names gpulint.yaml, which extends this file in turn"),
        ("extends: {a: b}\n", "must be the name of a policy file, or a list of them"),
    ] {
        let answer = under(own).run("check");
        let told = format!("gpulint.yaml:1: `extends` {told}");
        assert!(answer.code == Some(2) && answer.stderr.contains(&told), "{answer:?}");
    }
}

/// Runs where the files of the user and the machine are read.
fn outside_of_workflows(project: &Project, words: &str) -> Answer {
    answer(project.command().env_remove("CI").args(words.split_whitespace()), b"")
}

#[test]
fn what_the_user_says_of_the_card_counts_below_the_project() {
    // The home of the user is the folder of the project here.
    let of_user = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\nrules: {ignore: [pinning]}\n";
    let project = Project::new().file("a.py", FIRST).file(".config/gpulint/gpulint.yaml", of_user);
    let run = outside_of_workflows;
    let checked = run(&project, "check a.py --format json");
    assert_eq!(checked.findings(), ["a.py:3 wrong-visible-devices"]);
    let note = format!("note: also uses {}", project.path(".config/gpulint/gpulint.yaml").display());
    let of_runtime = ["doctor", "exec -- true"].into_iter().filter(|_| cfg!(feature = "runtime"));
    for words in
        ["check -q", "check --show-settings", "trace a.py", "why a.py:1"].into_iter().chain(of_runtime)
    {
        let answer = run(&project, words);
        assert_eq!(answer.stderr.lines().filter(|line| *line == note).count(), 1, "{words}: {answer:?}");
    }
    assert_eq!(run(&project, "check a.py --format json --isolated").findings(), [""; 0]);
    let in_workflow = project.run_with_env("check a.py --format json", "CI", "true");
    assert_eq!(in_workflow.findings(), [""; 0]);
    let project = project.file("gpulint.yaml", "gpu: {visible-devices: \"0\"}\n");
    let checked = run(&project, "check a.py -q --format json");
    assert_eq!(checked.findings(), [""; 0]);
    assert_eq!(checked.stderr, format!("{note}; keys of the project's policy win\n"));
    assert!(run(&project, "check --show-settings").stdout.contains("device-order: PCI_BUS_ID"));
}

#[test]
#[cfg(unix)]
fn the_file_of_the_user_may_be_a_link() {
    let kept = "extends: cards.yaml\ngpu: {device-order: PCI_BUS_ID}\n";
    let cards = "gpu: {visible-devices: \"1\"}\n";
    let project = Project::new().file("p/a.py", FIRST).file("dotfiles/policy.yaml", kept);
    let project = project.file("dotfiles/cards.yaml", cards).file(".config/gpulint/other", "");
    for (to, name) in [("policy.yaml", "gpulint.yaml"), ("cards.yaml", "cards.yaml")] {
        let link = project.path(".config/gpulint").join(name);
        std::os::unix::fs::symlink(project.path("dotfiles").join(to), link).expect("writable");
    }
    let found = outside_of_workflows(&project, "check p/a.py --format json").findings();
    assert_eq!(found, ["p/a.py:3 wrong-visible-devices"]);
}

#[test]
fn an_empty_section_takes_no_value_from_below() {
    let of_user = "gpu: {name: RTX 3090}\n";
    for own in ["gpu:\n", "gpu: {}\n"] {
        let project = Project::new().file("gpulint.yaml", own).file(".config/gpulint/gpulint.yaml", of_user);
        let shown = outside_of_workflows(&project, "check --show-settings").stdout;
        let of_user = project.path(".config/gpulint/gpulint.yaml");
        assert!(shown.contains(&format!("# gpu.name is from {}\n", of_user.display())), "{shown}");
        assert!(shown.contains("  name: RTX 3090\n") && !shown.contains("# gpu is from"), "{shown}");
    }
}

#[test]
fn a_fault_is_told_of_the_file_that_has_it() {
    let own = "extends: shared/base.yaml\nrules: {ignore: [memory]}\n";
    for (base, told) in [
        (
            "\nscripts: {template: gone.py}\n",
            "2: the template gone.py under `scripts.template` does not exist",
        ),
        ("rules:\n  select: [pining]\n", "2: unknown rule selector `pining`"),
        (
            "rules:\n  severity:\n    pining: note\n",
            "3: unknown rule selector `pining`; choose the id of a rule",
        ),
        (
            "rules:\n  severity:\n    providers: note\n",
            "3: unknown rule selector `providers`; choose a rule id, or one of: ",
        ),
        ("rules: {paths: [gone]}\n", "1: the folder gone under `rules.paths` does not exist"),
        (
            "rules: {paths: [a.py]}\n",
            "1: the folder a.py under `rules.paths` is a file; name the folder that it lies in",
        ),
        ("extends: .\n", "1: `extends` names ., which is a folder; name a policy file in it"),
    ] {
        let project =
            Project::new().file("a.py", "").file("gpulint.yaml", own).file("shared/base.yaml", base);
        let answer = project.run("check");
        let told = format!("error: shared/base.yaml:{told}");
        assert!(answer.code == Some(2) && answer.stderr.starts_with(&told), "{answer:?}");
    }
}

#[test]
fn a_policy_extends_what_lies_in_its_work_tree() {
    let project = Project::new()
        .file("base.yaml", "gpu: {visible-devices: \"1\"}\n")
        .file("repo/base.yaml", "gpu: {visible-devices: \"1\"}\nscripts: {template: gone.py}\n")
        .file("repo/app/gpulint.yaml", "extends: ../base.yaml\nscripts: {template: a.py}\n")
        .file("repo/app/a.py", FIRST);
    let outside = "error: gpulint.yaml:1: `extends` names ../base.yaml, which leads outside of the project; put it there";
    project.run_in("repo/app", "check").fails(2, outside);
    let project = project.file("repo/.git/HEAD", "");
    let found = project.run_in("repo/app", "check --format json").findings();
    assert_eq!(found, ["app/a.py:3 wrong-visible-devices"]);
    let project = project.file("repo/app/gpulint.yaml", "extends: ../base.yaml\n");
    let answer = project.run_in("repo/app", "check");
    assert!(answer.stderr.contains("repo/base.yaml:2: the template gone.py under"), "{answer:?}");
    let project = project.file("repo/app/gpulint.yaml", "extends: [ok.yaml, ../../base.yaml]\n");
    let answer = project.run_in("repo/app", "check");
    let told = "error: gpulint.yaml:1: `extends` names ../../base.yaml, which leads outside of the project";
    assert!(answer.code == Some(2) && answer.stderr.starts_with(told), "{answer:?}");
    // What the user names may lie anywhere, with what it extends.
    let project = project.file("named/own.yaml", "extends: more.yaml\n");
    let project = project.file("named/more.yaml", "gpu: {visible-devices: \"1\"}\n");
    let found = project.run_in("repo/app", "check --config ../../named/own.yaml --format json").findings();
    assert_eq!(found, ["app/a.py:3 wrong-visible-devices"]);
}

#[test]
fn an_entry_point_that_is_no_module_is_named() {
    let policy = "cpu:\n  entry-points: [app.clii, tool, \"jobs.*\"]\n  forbidden-imports: [cupy]\n";
    let project = Project::new()
        .file("gpulint.yaml", policy)
        .file("src/app/__init__.py", "")
        .file("src/app/cli.py", "import json\n")
        .file("tool/__init__.py", "")
        .file("jobs/nightly.py", "");
    let answer = project.run("check");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let told = "warning: gpulint.yaml:2: `app.clii` is no module of this project, so nothing is held to it; did you mean `app.cli`?";
    assert_eq!(answer.stderr.trim_end(), told);
    let project = project.file("gpulint.yaml", policy.replace("clii", "cli"));
    assert_eq!(project.run("check").stderr, "");
}
