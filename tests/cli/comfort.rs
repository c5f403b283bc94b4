//! What people who come from other linters type, and what they are told.

use crate::project::{Answer, Project};
use crate::{EACH_BY_ITSELF, INDEX_WITHOUT_ORDER};
use std::process::Command;

fn two_faults() -> Project {
    Project::new()
        .file("gpulint.yaml", EACH_BY_ITSELF)
        .file("a.py", INDEX_WITHOUT_ORDER)
        .file("tools/b.py", INDEX_WITHOUT_ORDER)
}

#[test]
fn files_are_left_out_on_the_command_line() {
    let project = two_faults().file("tools/deep/c.py", "").file("deep/d.py", "");
    let listed = |folder: &str, words: &str| {
        let answer = project.run_in(folder, &format!("check --show-files {words}"));
        answer.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(".", "--exclude tools"), ["a.py", "deep/d.py"]);
    assert_eq!(listed(".", "--exclude deep"), ["a.py", "tools/b.py"]);
    assert_eq!(listed(".", "--exclude tools/deep,deep/"), ["a.py", "tools/b.py"]);
    assert_eq!(listed(".", "--exclude ./deep"), ["a.py", "tools/b.py", "tools/deep/c.py"]);
    // Paths are those of the folder in which they are typed, as everywhere on a command line.
    assert_eq!(listed("tools", "--exclude ./deep"), ["tools/b.py"]);
    let here = project.path("tools").display().to_string();
    assert_eq!(listed("tools", &format!("--exclude {here} ..")), ["a.py", "deep/d.py"]);
    // What is named is checked, as without the option.
    assert_eq!(listed(".", "--exclude tools tools/b.py"), ["tools/b.py"]);
    project.run("check --exclude tools[").fails(
        2,
        "error: --exclude: `tools[` is no glob over files of the project, such as `legacy` or `tools/*.py`",
    );
}

#[test]
fn quiet_runs_show_findings_alone() {
    let project = two_faults();
    let all = project.run("check");
    let quiet = project.run("check -q");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(1), ""));
    assert!(all.stdout.starts_with(&quiet.stdout) && !quiet.stdout.contains("Checked"), "{quiet:?}");
    let json = project.run("check -q --format json");
    assert_eq!((json.findings().len(), json.stderr.as_str()), (2, ""));
    project.run("check -q --select memory").is(0, "", "");
    project.run("check -q --write-baseline").is(0, "", "");
    let gone = project.run("check -q gone.py");
    gone.fails(2, "error: no such file or directory: gone.py");
}

#[test]
fn rules_are_added_to_the_selection() {
    let project =
        Project::new().file("gpulint.yaml", "rules: {select: [memory]}\n").file("a.py", INDEX_WITHOUT_ORDER);
    let rules = |words: &str| project.run(&format!("check --format json {words}")).findings();
    assert_eq!(rules(""), [""; 0]);
    assert_eq!(rules("--extend-select missing-device-order"), ["a.py:2 missing-device-order"]);
    assert_eq!(rules("--select devices --extend-select PINNING"), ["a.py:2 missing-device-order"]);
    let unknown = project.run("check --extend-select missing-devise-order");
    assert!(unknown.stderr.starts_with("error: --extend-select: unknown rule selector"), "{unknown:?}");
}

#[test]
fn selectors_are_read_in_any_case() {
    let project = Project::new().file("a.py", INDEX_WITHOUT_ORDER);
    let rules = |words: &str| project.run(&format!("check --format json {words}")).findings();
    assert_eq!(rules("--select ALL"), rules("--select all"));
    assert_eq!(rules("--select Missing-Device-Order"), ["a.py:2 missing-device-order"]);
    assert_eq!(rules("--ignore Pinning"), [""; 0]);
}

const WITH_POLICY: &str = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n";

#[test]
fn only_some_rules_are_fixed() {
    let project = Project::new()
        .file("gpulint.yaml", WITH_POLICY)
        .file("a.py", INDEX_WITHOUT_ORDER.replace("import torch", "import torch  # gpulint: ignore[apis]"));
    let fixable = |words: &str| {
        project.run(&format!("check --format json {words}")).json()["summary"]["fixable"].clone()
    };
    assert_eq!(fixable(""), 2);
    assert_eq!(fixable("--fixable pinning"), 1);
    assert_eq!(fixable("--fixable memory"), 0);
    let answer = project.run("check --fix --fixable suppressions");
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert_eq!(project.read("a.py"), INDEX_WITHOUT_ORDER);
    let unknown = project.run("check --fixable pining");
    unknown.fails(2, "error: --fixable: unknown rule selector `pining`; did you mean `pinning`?");
}

#[test]
fn fixes_alone() {
    let project = Project::new()
        .file("gpulint.yaml", WITH_POLICY)
        .file("a.py", INDEX_WITHOUT_ORDER)
        .file("b.py", "import os\nCARD = int(os.environ[\"CUDA_VISIBLE_DEVICES\"])\n");
    assert_eq!(project.run("check").code, Some(1));
    let answer = project.run("check --fix-only");
    answer.is(0, "", "note: fixed 1 finding in 1 file\n");
    assert!(project.read("a.py").contains("PCI_BUS_ID"));
    assert_eq!(project.run("check").code, Some(1), "b.py cannot be fixed");
}

#[test]
fn families_are_silenced_by_their_name() {
    let silenced = |name: &str| {
        INDEX_WITHOUT_ORDER.replace("\"1\"", &format!("\"1\"  # gpulint: ignore[{name}] one card"))
    };
    let project = Project::new()
        .file("gpulint.yaml", EACH_BY_ITSELF)
        .file("a.py", silenced("pinning"))
        .file("b.py", silenced("devices"));
    let answer = project.run("check --format json");
    let statuses: Vec<_> = answer.json()["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|finding| {
            format!("{} {} {}", finding["path"], finding["rule"], finding["status"]).replace('"', "")
        })
        .collect();
    assert_eq!(
        statuses,
        [
            "a.py missing-device-order suppressed",
            "b.py missing-device-order active",
            "b.py unused-suppression active"
        ]
    );
    // A run that looks for less cannot say that a comment is not needed.
    for words in
        ["--ignore devices", "--select pinning,suppressions", "--select missing-device-order,suppressions"]
    {
        let answer = project.run(&format!("check --format json {words} --ignore pinning b.py"));
        assert_eq!(answer.findings(), [""; 0], "{words}");
    }
}

#[test]
fn a_bare_comment_is_needed_as_long_as_any_rule_of_the_project_finds_something() {
    let project =
        Project::new().file("a.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"1\"  # gpulint: ignore"));
    assert_eq!(project.run("check --format json").json()["summary"]["suppressed"], 1);
    for words in ["--select memory,suppressions", "--ignore pinning"] {
        assert_eq!(project.run(&format!("check {words}")).code, Some(0), "{words}");
    }
    let project = Project::new().file("a.py", "import os  # gpulint: ignore\n");
    assert_eq!(project.run("check --format json").findings(), ["a.py:1 unused-suppression"]);
}

#[test]
fn other_words_are_answered_with_those_that_are_meant() {
    let project = Project::new().file("train.py", "");
    for (words, tip) in [
        ("train.py", "to check files, write `gpulint check train.py`"),
        ("src/gone.py --fix", "to check files, write `gpulint check src/gone.py --fix`"),
        (".", "to check files, write `gpulint check .`"),
        ("chek", "a similar subcommand exists: 'check'"),
        ("check --output-format json", "a similar argument exists: '--format'"),
        ("check --extend-exclude x", "a similar argument exists: '--exclude'"),
        ("check --excludes x", "a similar argument exists: '--exclude'"),
        ("check -e", "a similar argument exists: '--exit-zero'"),
        ("check --add-noqa", "a similar argument exists: '--add-ignore REASON'"),
    ] {
        let answer = project.run(words);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{words}");
        assert!(answer.stderr.contains(&format!("  tip: {tip}\n")), "{words}: {}", answer.stderr);
    }
}

#[test]
fn rules_are_completed() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Project::new().run(&format!("completions {shell}")).stdout;
        for word in ["missing-device-order", "pinning", "recommended"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn a_page_shows_three_examples_in_their_own_languages() {
    let project = Project::new();
    let page = project.run("rule missing-device-order").stdout;
    let all = project.run("rule missing-device-order --all").stdout;
    let examples = |page: &str| page.matches("\n### ").count();
    assert_eq!(examples(&page), 3);
    let more = format!("\n{} more examples: `gpulint rule missing-device-order --all`\n", examples(&all) - 3);
    assert!(page.contains(&more), "{page}");
    assert!(page.contains("\nGood:\n"), "one shows what is fine");
    for fence in ["```dockerfile\n", "```yaml\n", "```sh\n", "```python\n"] {
        assert!(all.contains(fence), "{fence}");
    }
}

/// Runs the binary on a terminal of its own, of which everything is read; `None` where Python is not installed.
fn on_terminal(project: &Project, words: &str, environment: &[(&str, &str)]) -> Option<Answer> {
    const SCRIPT: &str = "import os, pty, sys\nstatus = pty.spawn(sys.argv[1:])\nsys.exit(os.waitstatus_to_exitcode(status))\n";
    let mut command = Command::new("python3");
    command.args(["-c", SCRIPT, env!("CARGO_BIN_EXE_gpulint")]).args(words.split_whitespace());
    command.current_dir(project.root()).envs(environment.iter().copied());
    for name in ["CI", "GITHUB_ACTIONS", "FORCE_HYPERLINK", "TERM_PROGRAM", "VTE_VERSION", "NO_COLOR"] {
        command.env_remove(name);
    }
    command
        .env("XDG_CACHE_HOME", project.path(".cache"))
        .env("TERM", "dumb")
        .envs(environment.iter().copied());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: python3 cannot be started ({error})");
            return None;
        }
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8").replace('\r', "");
    Some(Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) })
}

#[test]
#[cfg(unix)]
fn on_their_own_terminal_people_see_their_own_values() {
    let script = "NCCL_DEBUG=INFO EPOCHS=7 CUDA_VISIBLE_DEVICES=1 python a.py\n";
    let project = Project::new().file("run.sh", script).file("a.py", "import torch\ntorch.cuda.init()\n");
    let Some(answer) = on_terminal(&project, "check --color never", &[]) else { return };
    assert!(answer.stdout.contains("NCCL_DEBUG=INFO EPOCHS=7 CUDA"), "{answer:?}");
    let step =
        "`gpulint rule missing-device-order` explains the rule, `gpulint why run.sh:1` this finding.\n";
    assert!(answer.stdout.contains(step), "{answer:?}");
    // The summary is folded between sentences, and no line is wider than the terminals of most.
    let summary: Vec<&str> = answer.stdout.lines().skip_while(|line| !line.starts_with("Checked")).collect();
    assert!(summary.len() > 1 && summary.iter().all(|line| line.chars().count() <= 100), "{summary:?}");
    // What a service keeps, and what is handed on, others may read.
    let kept = on_terminal(&project, "check --color never", &[("CI", "true")]).expect("it was there");
    for answer in [kept, project.run("check")] {
        assert!(answer.stdout.contains("NCCL_DEBUG=**** EPOCHS=* CUDA"), "{answer:?}");
        assert!(!answer.stdout.contains("gpulint why"), "{answer:?}");
    }
}

#[test]
#[cfg(unix)]
fn after_a_baseline_is_written_the_next_step_is_said() {
    let project = Project::new().file("a.py", INDEX_WITHOUT_ORDER);
    let Some(answer) = on_terminal(&project, "check --write-baseline", &[]) else { return };
    let step = "note: findings in it count as known where the policy says `baseline: gpulint-baseline.json`, or with \
                `--baseline gpulint-baseline.json`; commit the file\n";
    assert!(answer.stdout.contains(step), "{answer:?}");
    let project = project.file("gpulint.yaml", "baseline: gpulint-baseline.json\n");
    let answer = on_terminal(&project, "check --write-baseline", &[]).expect("it was there");
    assert!(!answer.stdout.contains("count as known"), "{answer:?}");
}

#[test]
fn a_template_that_is_missing_is_told() {
    let project = Project::new()
        .file("gpulint.yaml", "gpu: {name: A}\nscripts:\n  template: tools/block.tmpl\n")
        .file("a.py", "");
    project.run("check").fails(
        2,
        "error: gpulint.yaml:3: the template tools/block.tmpl under `scripts.template` does not exist; write it, or take the \
         key out",
    );
}
