//! Formats, streams, exit codes and colours.

use crate::INDEX_WITHOUT_ORDER;
use crate::NO_POLICY;
use crate::project::{Answer, Project};

fn project() -> Project {
    Project::new().file("a.py", INDEX_WITHOUT_ORDER).file("b.py", "x = 1\n")
}

/// Every format there is.
const FORMATS: [&str; 15] = [
    "text",
    "concise",
    "compact",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "checkstyle",
    "azure",
    "markdown",
    "html",
    "correction",
];

/// Whether the first line is the concise form of the one warning.
fn is_concise(answer: &Answer) -> bool {
    let line = answer.stdout.lines().next().expect("a line");
    line.starts_with("a.py:2:") && line.contains(": warning[missing-device-order] ")
}

#[test]
fn text_for_people_ends_with_the_summary() {
    for format in ["", "--format text", "--format concise", "--format compact"] {
        let answer = project().run(&format!("check {format}"));
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(1), ""));
        let last = answer.stdout.lines().last().expect("a summary");
        assert!(last.starts_with("Checked 2 files: 1 warning"), "{last}");
        assert!(last.ends_with(NO_POLICY), "{last}");
    }
    assert!(is_concise(&project().run("check --format concise")));
}

#[test]
fn formats_for_programs_leave_the_summary_to_standard_error() {
    for format in &FORMATS[3..] {
        let answer = project().run(&format!("check --format {format}"));
        assert_eq!(answer.code, Some(1));
        assert!(answer.stderr.starts_with("Checked 2 files: 1 warning"), "{answer:?}");
        assert_eq!(answer.stderr.lines().count(), 1);
        assert!(answer.stdout.contains("missing-device-order"), "{answer:?}");
    }
    for format in ["json", "github"] {
        let answer = project().run(&format!("check --format {format}"));
        assert!(!answer.stdout.contains("Checked"), "{answer:?}");
    }
}

#[test]
fn every_format_is_named_where_one_is_chosen() {
    let project = project();
    let help = project.run("check --help").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let unknown = project.run("check --format yaml");
    let unknown_file = project.run("check --output yaml=r.yaml");
    for format in FORMATS {
        assert!(help.contains(format), "{help}");
        assert!(unknown.stderr.contains(format) && unknown_file.stderr.contains(format), "{unknown:?}");
    }
    assert_eq!((unknown.code, unknown_file.code), (Some(2), Some(2)));
}

#[test]
fn a_program_that_is_too_large_is_named_and_its_own_file_followed() {
    // Each function calls the next one twice, with other arguments.
    let mut text = "import os\ndef f0(x):\n    return os.environ.get(x)\n".to_owned();
    for number in 1..20 {
        let before = number - 1;
        text.push_str(&format!("def f{number}(x):\n    f{before}(x + 'a')\n    return f{before}(x + 'b')\n"));
    }
    let late = "import os\nimport torch\nimport many\nmany.f19('')\n\
                os.environ['CUDA_VISIBLE_DEVICES'] = '1'\ntorch.cuda.set_device(1)\n";
    let project = Project::new().file("many.py", text).file("train.py", late);
    let line = "too large train.py: the program was not followed to the end, so findings may be missing; check \
                such files one by one, and see with `gpulint trace FILE` how far each is followed";
    // A thousandth of what a program may need: nothing else would take minutes.
    let run = |arguments: &str| project.run_with_env(arguments, "GPULINT_MOST_STEPS", "1000");
    let answer = run("check --format concise");
    assert_eq!(answer.code, Some(1));
    assert!(answer.stdout.contains("train.py:6:23: error[device-outside-mask]"), "{answer:?}");
    assert!(answer.stdout.contains(line), "{answer:?}");
    let answer = run("check --format json");
    assert_eq!(answer.stderr.lines().next(), Some(line));
    assert_eq!(answer.json()["files"]["unfinished"], serde_json::json!(["train.py"]));
    assert_eq!(run("trace train.py --format json").json()["complete"], false);
}

#[test]
fn tasks_that_make_each_other_come_to_an_end() {
    let text = "import asyncio\nimport torch\n\n\nasync def store():\n    asyncio.create_task(update())\n\n\n\
                async def update():\n    asyncio.create_task(store())\n\n\n\
                async def main():\n    asyncio.create_task(store())\n    await asyncio.sleep(1)\n    torch.cuda.init()\n\n\n\
                asyncio.run(main())\n";
    let project = Project::new().file("peers.py", text);
    let answer = project.run_with_env("trace peers.py --format json", "GPULINT_MOST_STEPS", "1000");
    assert_eq!(answer.json()["complete"], true, "{answer:?}");
}

#[test]
fn annotations_name_files_as_the_repository_does() {
    let project = Project::new().file("app/gpulint.yaml", "").file("app/a.py", INDEX_WITHOUT_ORDER);
    let file_in = |workspace: &std::path::Path| {
        let answer = project.run_with_env("check app --format github", "GITHUB_WORKSPACE", workspace);
        let (_, file) = answer.stdout.split_once(",file=").expect("a finding");
        file.split_once(',').expect("more properties").0.to_owned()
    };
    assert_eq!(file_in(project.root()), "app/a.py");
    assert_eq!(file_in(&project.root().join("app/../")), "app/a.py");
    assert_eq!(file_in(&project.path("app")), "a.py");
    assert_eq!(file_in(std::path::Path::new("elsewhere")), "a.py");
    let plain = project.run("check app --format github");
    assert!(plain.stdout.contains(",file=a.py,"), "{plain:?}");
    for (variable, format) in [("CI_PROJECT_DIR", "gitlab"), ("BUILD_SOURCESDIRECTORY", "azure")] {
        let answer = project.run_with_env(&format!("check app --format {format}"), variable, project.root());
        assert!(answer.stdout.contains("app/a.py"), "{answer:?}");
    }
}

#[test]
fn reports_to_files_beside_standard_output() {
    let project = project();
    let answer = project.run("check --format concise --output json=r.json --output text=r.txt");
    assert!(is_concise(&answer), "{answer:?}");
    let json = Answer { stdout: project.read("r.json"), ..answer };
    assert_eq!(json.findings(), ["a.py:2 missing-device-order"]);
    assert!(project.read("r.txt").contains("Checked 2 files"));
}

#[test]
fn each_report_is_written_whatever_becomes_of_the_others() {
    let project = project();
    let lost =
        project.run("check --output json=gone/r.json --output jsonl=r.jsonl --output html=gone/r.html");
    assert_eq!((lost.code, lost.stdout.as_str()), (Some(2), ""));
    let lines: Vec<_> = lost.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lost:?}");
    assert!(lines[0].starts_with("error: cannot write the report gone/r.json: "), "{lost:?}");
    assert!(lines[1].starts_with("error: cannot write the report gone/r.html: "), "{lost:?}");
    assert!(project.read("r.jsonl").contains("missing-device-order"));
}

#[test]
fn one_run_writes_all_formats() {
    let project = project();
    let outputs: Vec<_> = FORMATS.iter().map(|format| format!("--output {format}=r.{format}")).collect();
    let answer = project.run(&format!("check {}", outputs.join(" ")));
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(1), ""));
    for format in FORMATS {
        let alone = self::project().run(&format!("check --format {format}"));
        assert_eq!(project.read(&format!("r.{format}")), alone.stdout, "{format}");
    }
}

#[test]
fn two_reports_never_share_a_file() {
    let project = project().file("sub/x", "");
    for outputs in ["json=r.json --output json=r.json", "json=r.json --output sarif=./sub/../r.json"] {
        let answer = project.run(&format!("check --output {outputs}"));
        let file = outputs.rsplit_once('=').expect("a file").1;
        answer.fails(2, &format!("error: two reports go to {file}; give each --output a file of its own"));
    }
    assert!(!project.path("r.json").exists());
    let dash = project.run("check --output sarif=-");
    assert_eq!(dash.code, Some(2));
    assert!(dash.stderr.contains("`-` is no file; `--format sarif` writes to standard output"), "{dash:?}");
}

#[test]
fn a_report_that_cannot_hold_all_says_so() {
    // One finding each, with little work.
    let lines = "# gpulint: ignore[missing-device-order] nothing is here\n".repeat(134);
    let project = (0..75).fold(Project::new(), |project, at| project.file(&format!("f{at}.py"), &lines));
    let answer = project.run("check --format html --output html=r.html");
    assert_eq!(answer.code, Some(1));
    let note = "50 of 10050 findings are left out, none worse than those that are shown";
    assert!(answer.stderr.starts_with(&format!("note: r.html: {note}")), "{}", answer.stderr);
    assert!(answer.stderr.contains(&format!("\nnote: {note}")), "{}", answer.stderr);
}

#[test]
fn sarif_on_github_has_only_what_counts() {
    let suppressed =
        INDEX_WITHOUT_ORDER.replacen('\n', "  # gpulint: ignore-file[missing-device-order] one card\n", 1);
    let project = Project::new().file("a.py", suppressed);
    let plain = project.run("check --format sarif");
    assert!(plain.stdout.contains("\"inSource\""), "{plain:?}");
    let on_github = project.run_with_env("check --format sarif", "GITHUB_ACTIONS", "true");
    assert!(on_github.stdout.contains("\"results\": []"), "{on_github:?}");
    assert_eq!((plain.code, on_github.code), (Some(0), Some(0)));
}

#[test]
fn the_exit_code_does_not_depend_on_the_format() {
    let project = project();
    for format in FORMATS {
        assert_eq!(project.run(&format!("check --format {format}")).code, Some(1), "{format}");
        assert_eq!(project.run(&format!("check --format {format} b.py")).code, Some(0), "{format}");
    }
    for format in ["text", "json", "sarif"] {
        let code = |words: &str| project.run(&format!("check --format {format} {words}")).code;
        assert_eq!(code(""), Some(1), "{format}");
        assert_eq!(code("--exit-zero"), Some(0), "{format}");
        assert_eq!(code("--fail-on error"), Some(0), "{format}");
        assert_eq!(code("--fail-on error --min-severity note"), Some(0), "{format}");
        // What is hidden still fails.
        assert_eq!(code("--min-severity error"), Some(1), "{format}");
        assert_eq!(code("b.py"), Some(0), "{format}");
        assert_eq!(code("--ignore missing-device-order"), Some(0), "{format}");
        assert_eq!(code("--ignore pinning,missing-device-order --no-cache"), Some(0), "{format}");
        assert_eq!(code("--exit-zero gone.py"), Some(2), "{format}");
    }
}

#[test]
fn statistics_count_each_rule() {
    let project = project();
    let answer = project.run("check --statistics");
    assert_eq!(answer.code, Some(1));
    let (first, rest) = answer.stdout.split_once('\n').expect("two lines");
    assert_eq!(first, "     1  warning  missing-device-order");
    assert!(rest.starts_with("Checked 2 files: 1 warning"), "{rest}");
    let json = project.run("check --statistics --format json");
    assert_eq!(json.findings(), ["a.py:2 missing-device-order"]);
    assert!(json.stderr.starts_with("     1  warning  missing-device-order\nChecked 2"), "{json:?}");
}

#[test]
fn colours_only_where_they_are_wanted() {
    let project = project();
    let coloured = |answer: &Answer| answer.stdout.contains('\u{1b}');
    assert!(!coloured(&project.run("check")), "a pipe is no terminal");
    assert!(coloured(&project.run("check --color always")));
    assert!(coloured(&project.run("--color always check --format concise")));
    assert!(!coloured(&project.run("check --color never")));
    assert!(!coloured(&project.run("check --color always --format json")));
    assert!(!coloured(&project.run_with_env("check", "NO_COLOR", "1")));
    assert!(!project.run("check --color always --output text=r.txt").stderr.contains('\u{1b}'));
    assert!(!project.read("r.txt").contains('\u{1b}'));
}

/// On a terminal, which `script` from util-linux pretends to be.
#[test]
#[cfg(target_os = "linux")]
fn no_color_is_respected_on_a_terminal() {
    let project = project();
    let on_terminal = |variables: &[(&str, &str)]| {
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &format!("{} check", env!("CARGO_BIN_EXE_gpulint")), "/dev/null"]);
        command.current_dir(project.root()).env("TERM", "xterm");
        // Any of these decides by itself; CI makes a dumb terminal coloured.
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied()).output().ok().map(|output| output.stdout.contains(&0x1b))
    };
    let Some(coloured) = on_terminal(&[]) else {
        eprintln!("skipped: the program `script` is not installed");
        return;
    };
    assert!(coloured);
    assert_eq!(on_terminal(&[("NO_COLOR", "1")]), Some(false));
    assert_eq!(on_terminal(&[("TERM", "dumb")]), Some(false));
}

#[test]
fn trace_of_a_program() {
    let project = project();
    assert_eq!(project.run("trace a.py").code, Some(0));
    let json = project.run("trace a.py --format json");
    assert_eq!((json.code, json.stderr.as_str()), (Some(0), ""));
    project.run("trace .").fails(2, "error: . is a directory; name the file that is started");
}

#[test]
fn trace_of_the_cpu_part() {
    let project = Project::new()
        .file("gpulint.yaml", "cpu: {forbidden-imports: [pandas]}\n")
        .file("a.py", "import pandas\n");
    let none = "No call that initialises CUDA was seen.\n";
    let shown = format!("a.py, started as a script:\n  a.py:1  import pandas\n{none}");
    project.run("trace a.py").is(0, &shown, "");
    project.run("trace --mode gpu a.py").is(0, &format!("a.py, started as a script:\n{none}"), "");
}

/// `path:line` of each step of the thread flow of the one finding of a rule.
fn flow(answer: &Answer, rule: &str) -> Vec<String> {
    let log = answer.json();
    let results = log["runs"][0]["results"].as_array().expect("results");
    let result = results.iter().find(|result| result["ruleId"] == rule).expect("a finding");
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a flow");
    let shown = |step: &serde_json::Value| {
        let place = &step["location"]["physicalLocation"];
        let path = place["artifactLocation"]["uri"].as_str().expect("a path");
        format!("{path}:{}", place["region"]["startLine"])
    };
    steps.iter().map(shown).collect()
}

#[test]
fn sarif_shows_what_happens_in_the_order_in_which_it_happens() {
    let late = "import os\nimport torch\ndef pin():\n    os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n\
                def main():\n    torch.cuda.init()\n    pin()\nmain()\n";
    let answer = Project::new().file("a.py", late).run("check --format sarif");
    // `main` leads to both, the call of `pin` to the finding only.
    assert_eq!(flow(&answer, "pin-after-cuda-init"), ["a.py:8", "a.py:6", "a.py:7", "a.py:4"]);

    let project = Project::new().file("run.sh", "python a.py\n").file("a.py", "import b\nb.start()\n");
    let helper = "import torch\ndef start():\n    init()\ndef init():\n    torch.cuda.init()\n";
    let answer = project.file("b.py", helper).run("check --format sarif a.py");
    assert_eq!(flow(&answer, "missing-visible-devices"), ["a.py:2", "b.py:3", "b.py:5"]);
}

#[test]
fn code_of_several_lines_is_told_in_one() {
    let program = |given: &str| {
        format!(
            "import torch\nfrom diffusers import StableDiffusionPipeline\n\ndevice = \"cuda\" if torch.cuda.is_available() else \"cpu\"\n\
             pipe = StableDiffusionPipeline.from_pretrained(\n    {given}torch_dtype=torch.float16,\n).to(device)\n"
        )
    };
    let project = Project::new()
        .file("requirements.txt", "torch==1.13.1\ndiffusers\n")
        .file("a.py", program("\"some/model\", "))
        .file("b.py", program("\"some/model\",\n    controlnet=None,\n    safety_checker=None,\n    "));
    let answer = project.run("check --select half-on-cpu --format concise");
    for told in [
        "`StableDiffusionPipeline.from_pretrained(\"some/model\", torch_dtype=torch.float16)` is float16",
        "`StableDiffusionPipeline.from_pretrained(…)` is float16",
    ] {
        assert!(answer.stdout.contains(told), "{told}\n{}", answer.stdout);
    }
}
