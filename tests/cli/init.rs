//! `gpulint init`: a policy from words or from the machine, and what runs gpulint.

use crate::INDEX_WITHOUT_ORDER;
use crate::project::{Answer, Project, answer};
use std::fs;

mod import_test;
mod inferred;
mod peers;

/// A program that takes whatever it is given.
const TAKES: &str = "import torch\n\nx = torch.zeros(1).cuda()\n";

/// Where gpulint is at home, once that is known. Each test holds before and after.
fn home() -> Option<&'static str> {
    Some(env!("CARGO_PKG_REPOSITORY")).filter(|address| !address.contains("OWNER"))
}

/// Runs `gpulint init` where the programs are those in the folder `bin`, and NVML is a file that is no library, so that no
/// card of this machine is seen.
fn init(project: &Project, words: &[&str]) -> Answer {
    let _ = fs::create_dir(project.path("bin"));
    fs::write(project.path("bin/libnvidia-ml.so.1"), "").unwrap();
    let mut command = project.command();
    command.env("PATH", project.path("bin")).env("LD_LIBRARY_PATH", project.path("bin"));
    answer(command.arg("init").args(words), b"")
}

#[track_caller]
fn written(project: &Project, words: &[&str]) -> String {
    let answer = init(project, words);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let text = project.read("gpulint.yaml");
    let shown = project.run("check --show-settings");
    assert_eq!(shown.code, Some(0), "{shown:?}");
    text
}

/// The lines that are no comments.
fn said(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.split("  # ").next().unwrap_or_default().trim_end())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

#[test]
fn a_policy_from_words() {
    let project = Project::new();
    let words = [
        "--gpu-name",
        "RTX 3090",
        "--visible-devices",
        "1",
        "--min-memory",
        "20GiB",
        "--forbidden",
        "RTX 5060 Ti",
    ];
    let text = written(&project, &words);
    let expected = [
        "gpu:",
        "  name: \"RTX 3090\"",
        "  min-memory: 20GiB",
        "  visible-devices: \"1\"",
        "  device-order: PCI_BUS_ID",
        "  forbidden: [\"RTX 5060 Ti\"]",
    ];
    assert_eq!(said(&text), expected);
    let project = project.file("a.py", INDEX_WITHOUT_ORDER);
    let checked = project.run("check --format json");
    assert_eq!(checked.findings(), ["a.py:2 missing-device-order"]);
    assert_eq!(checked.json()["findings"][0]["severity"], "error");

    let project = Project::new();
    let text = written(&project, &["--visible-devices", "GPU-1f2e", "--cpu=signals,cli.*"]);
    let expected = [
        "gpu:",
        "  visible-devices: \"GPU-1f2e\"",
        "cpu:",
        "  entry-points: [\"signals\", \"cli.*\"]",
        "  forbidden-imports: [cupy, torch, numba.cuda]",
    ];
    assert_eq!(said(&text), expected);
    let project = Project::new();
    assert_eq!(
        said(&written(&project, &["--cpu"])),
        ["cpu:", "  forbidden-imports: [cupy, torch, numba.cuda]"]
    );
}

#[test]
fn without_a_card_everything_is_a_comment_that_may_be_taken_in() {
    let project = Project::new().file("a.py", TAKES);
    let before = project.run("check --format json").findings();
    let first = project.run("check");
    assert!(
        first.stdout.ends_with(" No policy says which GPU is right: `gpulint init` writes one.\n"),
        "{first:?}"
    );
    let answer = init(&project, &[]);
    let told = "note: the policy names no GPU yet, because there is no program `nvidia-smi` in PATH; write its name under `gpu`\n";
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), told));
    // It may be that nobody knows whose action a workflow would use.
    assert_eq!(answer.stdout.contains("runs-on"), home().is_some(), "{answer:?}");
    for part in ["Wrote gpulint.yaml.\n", "repo: local", "Next: `gpulint check`.\n"] {
        assert!(answer.stdout.contains(part), "{part}: {answer:?}");
    }
    let text = project.read("gpulint.yaml");
    assert_eq!(said(&text), [""; 0]);
    assert_eq!(project.run("check --format json").findings(), before);
    // Every line with a key may lose its mark.
    let keys = text.lines().filter(|line| line.contains(": ") || line.ends_with(':'));
    let keys = keys.filter(|line| line.starts_with('#') && !line.contains("yaml-language-server"));
    let keys = keys.filter(|line| !line.contains(". Every") && !line.contains("may wait"));
    let all: String = keys.map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line))).collect();
    assert!(all.contains("\n  visible-devices: \"1\""), "{all}");
    let project = project.file("gpulint.yaml", all.replace("baseline:", "# baseline:"));
    assert_eq!(project.run("check").code, Some(1));
}

#[test]
fn what_is_there_is_not_replaced() {
    let project = Project::new().file("gpulint.yaml", "gpu: {}\n").file("notes.md", "Mine.\n");
    let told = "error: gpulint.yaml has a policy already; change it there, or replace it with --force";
    init(&project, &[]).fails(2, told);
    init(&project, &["--cpu", "--pre-commit"]).fails(2, told);
    assert!(!project.path(".pre-commit-config.yaml").exists());
    let workflow = ["--workflow", "--repository", "team/gpulint"];
    let mine = init(&project, &[&workflow[..], &["--standards", "notes.md"]].concat());
    mine.fails(2, "error: notes.md exists; replace it with --force");
    assert!(!project.path(".github").exists(), "all or nothing");
    assert_eq!(init(&project, &workflow).code, Some(0));
    init(&project, &workflow)
        .fails(2, "error: .github/workflows/gpulint.yml exists; replace it with --force");
    assert_eq!(project.read("gpulint.yaml"), "gpu: {}\n");
    assert_eq!(init(&project, &["--cpu", "--force"]).code, Some(0));
    assert!(project.read("gpulint.yaml").contains("\ncpu:\n"));

    let project = Project::new().file("pyproject.toml", "[tool.gpulint]\n");
    let told = "error: pyproject.toml has a policy already; change it there, or replace it with --force";
    init(&project, &[]).fails(2, told);
    let project = Project::new();
    init(&project, &["gone"]).fails(2, "error: gone is no folder; name that of the project");
    for (option, value, told) in [
        ("--min-memory", "20", "must be an amount of memory such as `20GiB`"),
        ("--visible-devices", "second", "must be an index, a `GPU-…` or `MIG-…` UUID"),
        ("--device-order", "PCI", "did you mean `PCI_BUS_ID`?"),
    ] {
        let answer = init(&project, &[option, value]);
        assert_eq!(answer.code, Some(2));
        assert!(answer.stderr.contains(told), "{answer:?}");
    }
    assert!(!project.path("gpulint.yaml").exists());
}

#[test]
fn hooks_are_written_where_there_are_none() {
    let project = Project::new().file("gpulint.yaml", "");
    let answer = init(&project, &["--pre-commit"]);
    answer.is(0, "Wrote .pre-commit-config.yaml.\n\nNext: `gpulint check`.\n", "");
    let text = project.read(".pre-commit-config.yaml");
    let again = init(&project, &["--pre-commit"]);
    assert_eq!(again.stdout, ".pre-commit-config.yaml runs gpulint already.\n\nNext: `gpulint check`.\n");
    assert_eq!(project.read(".pre-commit-config.yaml"), text);
}

#[test]
fn a_workflow_for_a_runner_that_is_named() {
    let project = Project::new().file("gpulint.yaml", "gpu: {visible-devices: \"1\"}\n");
    let labels = ["--runner", "self-hosted,linux,x64,gpu,rtx3090", "--repository", "team/gpulint"];
    let answer = init(&project, &labels);
    answer.is(0, "Wrote .github/workflows/gpulint-gpu.yml.\n\nNext: `gpulint check`.\n", "");
    let text = project.read(".github/workflows/gpulint-gpu.yml");
    for part in [
        "    runs-on: [self-hosted, linux, x64, gpu, rtx3090]\n",
        "      group: gpu-rtx3090\n      cancel-in-progress: false\n",
        "          stage: runtime\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    init(&project, &labels)
        .fails(2, "error: .github/workflows/gpulint-gpu.yml exists; replace it with --force");
    assert_eq!(project.read("gpulint.yaml"), "gpu: {visible-devices: \"1\"}\n");

    // It is what gpulint itself asks of such a job, and would say so otherwise.
    let checked = project.run("check --select all --min-severity note --format json");
    assert_eq!(checked.findings(), [""; 0]);
    let (above, rest) = text.split_once("    if: >-\n").expect("a condition");
    let (_, below) = rest.split_once("    runs-on:").expect("a runner");
    let project =
        project.file(".github/workflows/gpulint-gpu.yml", format!("{above}    runs-on:{below}")).file(
            ".github/workflows/bare.yml",
            text.replace("[self-hosted, linux, x64, gpu, rtx3090]", "self-hosted"),
        );
    let found = project.run("check --min-severity note --format json").findings();
    let names: Vec<_> = found.iter().filter_map(|finding| finding.split(' ').nth(1)).collect();
    assert_eq!(names, ["bare-self-hosted-runner", "gpu-job-on-fork-code"], "{found:?}");

    let project = Project::new();
    for (labels, told) in [
        ("self-hosted", "`self-hosted` is any runner, with this GPU, another or none; add a label"),
        ("self-hosted,Linux,X64", "add a label that names the machine or its card"),
        ("gpu,${{ inputs.label }}", "is no label"),
    ] {
        let answer = init(&project, &["--runner", labels]);
        assert!(answer.code == Some(2) && answer.stderr.contains(told), "{answer:?}");
    }
    assert!(!project.path(".github").exists() && !project.path("gpulint.yaml").exists());
}

#[test]
fn nothing_that_is_written_leads_nowhere() {
    let project = Project::new();
    let answer = init(&project, &["--cpu", "--pre-commit", "--runner", "gpu,rtx3090"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    for file in ["gpulint.yaml", ".pre-commit-config.yaml", ".github/workflows/gpulint-gpu.yml"] {
        let text = project.read(file);
        let others = home().map_or(text.clone(), |home| {
            let raw = home.replace("//github.com/", "//raw.githubusercontent.com/");
            text.replace(home, "").replace(&raw, "")
        });
        assert!(!others.contains("OWNER") && !others.contains("https://"), "{text}");
    }
    let step = match home() {
        Some(home) => format!("- uses: {}@main", home.trim_start_matches("https://github.com/")),
        None => "- run: gpulint validate".to_owned(),
    };
    let text = project.read(".github/workflows/gpulint-gpu.yml");
    assert!(text.contains(&step), "{text}");
}

#[test]
fn a_workflow_uses_the_action_of_a_repository() {
    let project = Project::new();
    let told = "error: --workflow needs --repository OWNER/NAME, the repository whose action it uses: the machines of GitHub \
                have no gpulint";
    if home().is_none() {
        init(&project, &["--workflow"]).fails(2, told);
        init(&project, &["--cpu", "--workflow", "--runner", "gpu,rtx3090"]).fails(2, told);
    }
    for name in
        ["team", "../x", "./x", "-a/x", ".a/x", "team/", "team/..", "team/a/b", "team/a b", "/x", "a.b/x"]
    {
        let answer = init(&project, &["--workflow", &format!("--repository={name}")]);
        assert_eq!(answer.code, Some(2), "{name}");
        assert!(answer.stderr.contains("it is a repository on GitHub, such as team/gpulint"), "{answer:?}");
    }
    assert!(!project.path(".github").exists() && !project.path("gpulint.yaml").exists());
    assert_eq!(init(&project, &["--cpu", "--workflow", "--repository", "team/gpu.lint"]).code, Some(0));
    let text = project.read(".github/workflows/gpulint.yml");
    assert!(
        text.ends_with("      - uses: team/gpu.lint@main    # better: the full hash of a commit\n"),
        "{text}"
    );
}

#[test]
fn the_files_of_a_fleet() {
    let project = Project::new().file("gpulint.yaml", "gpu: {name: RTX 3090}\n");
    let files = [
        (&["github", "--runner", "gpu,a", "--runner", "gpu,b"][..], ".github/workflows/gpulint-fleet.yml"),
        (&["slurm", "--cards", "12"], "gpulint-fleet.sbatch"),
        (&["kubernetes", "--cards", "12", "--image", "team/project:1"], "gpulint-fleet.yaml"),
        (&["ray"], "gpulint_fleet.py"),
    ];
    for (words, file) in files {
        let words = [&["--fleet"], words].concat();
        init(&project, &words).is(0, &format!("Wrote {file}.\n\nNext: `gpulint check`.\n"), "");
        init(&project, &words).fails(2, &format!("error: {file} exists; replace it with --force"));
        let text = project.read(file);
        assert!(text.contains("report") && text.contains("merge") && text.contains("--expect"), "{text}");
        assert!(!text.contains("https://"), "{text}");
    }
    assert!(project.read("gpulint-fleet.sbatch").contains("#SBATCH --array=1-12\n"));
    assert!(!project.path(".github/workflows/gpulint-gpu.yml").exists());
    for (words, told) in [
        (&["--fleet", "github"][..], "--fleet github needs --runner LABELS, once for each machine"),
        (&["--fleet", "slurm"], "--fleet slurm needs --cards N"),
        (&["--fleet", "kubernetes", "--cards", "2"], "--fleet kubernetes needs --image IMAGE"),
        (
            &["--fleet", "kubernetes", "--cards", "2", "--image", "a b"],
            "it is an image with gpulint and the project",
        ),
        (&["--fleet", "ray", "--cards", "2"], "--cards says nothing to --fleet ray: leave it out"),
        (
            &["--fleet", "slurm", "--cards", "2", "--runner", "gpu,a"],
            "--runner says nothing to --fleet slurm",
        ),
        (&["--fleet", "slurm", "--cards", "0"], "0 is not in 1..=100000"),
        (&["--runner", "gpu,a", "--runner", "gpu,b"], "several --runner go with --fleet github"),
        (&["--fleet", "slurp"], "slurm"),
    ] {
        let answer = init(&Project::new(), words);
        assert!(answer.code == Some(2) && answer.stderr.contains(told), "{words:?}: {answer:?}");
    }
}

/// The text of the first block below a heading.
fn block<'t>(page: &'t str, heading: &str) -> &'t str {
    let (_, below) = page.split_once(&format!("### {heading}\n")).expect("the heading");
    let (_, block) = below.split_once("```").and_then(|(_, rest)| rest.split_once('\n')).expect("a block");
    block.split_once("```").expect("its end").0
}

#[test]
fn the_standard_is_a_page_whose_code_holds_it() {
    let policy = "gpu:\n  name: \"RTX 3090\"\n  min-memory: 20GiB\n  visible-devices: \"1\"\n  device-order: PCI_BUS_ID\n  \
                  forbidden: [\"RTX 5060 Ti\"]\n  alloc-conf: \"max_split_size_mb:1024\"\nscripts:\n  \
                  validators: [\"validate_*\"]\ncpu:\n  entry-points: [signals]\n";
    let project = Project::new().file("gpulint.yaml", policy);
    let answer = init(&project, &["--standards", "docs/gpu.md"]);
    answer.is(0, "Wrote docs/gpu.md.\n\nNext: `gpulint check`.\n", "");
    let page = project.read("docs/gpu.md");
    for part in ["RTX 3090", "20GiB", "RTX 5060 Ti", "`validate_*`", "`signals`", "max_split_size_mb:1024"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let python = block(&page, "Python");
    let program = format!("{python}{}torch.zeros(1, device=\"cuda:0\")\n", block(&page, "Proof"));
    let launched = "python a.py\n";
    let project = project
        .file("a.py", &program)
        .file("run.sh", format!("{}{launched}", block(&page, "Shell")))
        .file("run.ps1", format!("{}{launched}", block(&page, "PowerShell")));
    let checked = project.run("check --min-severity note");
    assert_eq!(checked.code, Some(0), "{program}\n{checked:?}");
    assert!(checked.stdout.starts_with("Checked 4 files: no findings"), "{checked:?}");
    // Made again it is the same, also behind an editor of Windows; a page that somebody wrote is left alone.
    for text in [page.clone(), page.replace('\n', "\r\n")] {
        let project = Project::new().file("gpulint.yaml", policy).file("gpu.md", text);
        assert_eq!(init(&project, &["--standards", "gpu.md"]).code, Some(0));
        assert_eq!(project.read("gpu.md"), page);
    }
}

#[cfg(unix)]
mod machine {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A folder in which `nvidia-smi` is this script.
    fn with_driver(script: &str) -> Project {
        let project = Project::new().file("bin/nvidia-smi", format!("#!/bin/sh\n{script}\n"));
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(project.path("bin/nvidia-smi"), executable).unwrap();
        project
    }

    #[test]
    fn the_cards_of_the_machine() {
        let project = with_driver(
            "echo '0, NVIDIA GeForce RTX 5060 Ti, 16311, GPU-0a'\necho '1, NVIDIA GeForce RTX 3090, 24576, GPU-1b'",
        );
        let text = written(&project, &[]);
        let expected = [
            "gpu:",
            "  name: \"RTX 3090\"",
            "  min-memory: 21GiB",
            "  visible-devices: \"1\"",
            "  device-order: PCI_BUS_ID",
            "  forbidden: [\"RTX 5060 Ti\"]",
        ];
        assert_eq!(said(&text), expected);
        assert!(text.contains("  # visible-devices: \"GPU-1b\""), "{text}");
        let words = ["--gpu-name", "H200", "--force"];
        assert_eq!(said(&written(&project, &words)), ["gpu:", "  name: \"H200\""]);
    }

    #[test]
    fn a_driver_in_trouble_holds_nothing_up() {
        let failing = "the policy names no GPU yet, because `nvidia-smi` says: No devices were found; write its name under `gpu`";
        let hanging = "the policy names no GPU yet, because `nvidia-smi` did not answer within 5 seconds; write its name under `gpu`";
        for (script, told) in [
            ("echo 'No devices were found.'; exit 6", failing),
            ("exec /bin/sleep 600", hanging),
            ("/bin/sleep 90 & wait", hanging),
            ("echo", "`nvidia-smi` lists no GPU, so the policy names none yet"),
            ("printf '0, NVIDIA \\377\\n'", ""),
        ] {
            let project = with_driver(script);
            let answer = init(&project, &[]);
            assert_eq!(answer.code, Some(0), "{answer:?}");
            assert_eq!(
                answer.stderr.trim_end(),
                if told.is_empty() { String::new() } else { format!("note: {told}") }
            );
            assert_eq!(project.run("check --show-settings").code, Some(0));
        }
    }
}
