//! `stage: runtime` of the action: whose code it runs, what it hands to gpulint, and what it does with the verdict.
//!
//! In the place of gpulint stands a script that writes the reports and ends with the code that the test wants. What a
//! validation says is tested where it is made; one test runs the real one, on a simulated host.

use crate::composite::{Job, Ran, action};
use crate::scratch::{REPOSITORY, Scratch};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// What stands in for gpulint: it notes its words, one a line, and writes each report that it is asked for.
const STAND_IN: &str = r#"#!/usr/bin/env bash
if [ "$1" = --version ]; then echo "gpulint stand-in"; exit; fi
printf '%s\n' "$@" > words
for word in "$@"; do
  case $word in
    --output=markdown=*) printf '%b' "${PAGE:-# Verdict}\n" > "${word#--output=markdown=}" ;;
    --output=*=*) if [ -z "${WITHOUT_REPORTS:-}" ]; then file=${word#--output=*=}; echo report > "$file"; fi ;;
  esac
done
echo "the verdict as text"
exit "${CODE:-0}"
"#;

/// An event on which somebody wants to merge a branch of a repository, laid out as GitHub does.
fn pull_request_of(repository: &str) -> String {
    format!(
        "{{\n  \"action\": \"opened\",\n  \"pull_request\": {{\n    \"title\": \"}}{{ \\\"full_name\\\": \\\"someone/project\\\"\",\n    \
         \"body\": \"\\\\\",\n    \"labels\": [\n      {{\n        \"name\": \"gpu\"\n      }}\n    ],\n    \
         \"base\": {{\n      \"repo\": {{\n        \"full_name\": \"someone/project\"\n      }}\n    }},\n    \
         \"head\": {{\n      \"user\": {{ \"login\": \"x\" }},\n      \"repo\": {{\n        \"id\": 1,\n        \
         \"full_name\": \"{repository}\"\n      }}\n    }}\n  }},\n  \
         \"repository\": {{\n    \"full_name\": \"someone/project\"\n  }}\n}}\n"
    )
}

/// A workspace with the stand-in, outside of which nothing is changed.
fn project(name: &str) -> Scratch {
    let project = Scratch::new(&format!("runtime-{name}"));
    project.git(&["init", "--quiet"]);
    project.write("stand-in", STAND_IN);
    std::fs::set_permissions(project.path().join("stand-in"), PermissionsExt::from_mode(0o755)).unwrap();
    project
}

fn job<'a>(project: &'a Scratch, inputs: &[(&'a str, &'a str)]) -> Job<'a> {
    // A test leaves little behind.
    let sum: &'static str = sha256(&project.path().join("stand-in")).leak();
    let own = [("stage", "runtime"), ("binary", "stand-in"), ("binary-sha256", sum)];
    Job::new(project, &[inputs, &own].concat())
}

fn sha256(file: &std::path::Path) -> String {
    // macOS has it under another name.
    let either = "sha256sum \"$1\" 2> /dev/null || shasum -a 256 \"$1\"";
    let told =
        Command::new("sh").args(["-c", either, "sh"]).arg(file).output().expect("there is a shell").stdout;
    String::from_utf8_lossy(&told).split_whitespace().next().unwrap_or_default().to_owned()
}

/// What gpulint was told; empty when it was not started.
fn words(project: &Scratch) -> Vec<String> {
    let words = std::fs::read_to_string(project.path().join("words")).unwrap_or_default();
    let _ = std::fs::remove_file(project.path().join("words"));
    words.lines().map(str::to_owned).collect()
}

fn verdict(ran: &Ran) -> (&str, &str) {
    (ran.outputs["verdict"].as_str(), ran.outputs["exit-code"].as_str())
}

#[test]
fn one_validation_with_all_its_reports() {
    let project = project("reports");
    let ran = job(&project, &[]).run();
    assert_eq!((ran.exit_code, verdict(&ran)), (0, ("approved", "0")), "{}", ran.text);
    assert!(ran.text.contains("the verdict as text") && !ran.text.contains("::"), "{}", ran.text);
    assert_eq!(ran.summary, "# Verdict\n");
    let folder = ran.outputs["report"].as_str();
    let told = words(&project);
    assert_eq!(told[0], "validate");
    let outputs: Vec<_> =
        ["json=gpulint.json", "markdown=gpulint.md", "html=gpulint.html", "junit=gpulint.xml"]
            .map(|output| output.split_once('=').unwrap())
            .map(|(format, file)| format!("--output={format}={folder}/{file}"))
            .into();
    assert_eq!(told[1..], outputs);
    assert_eq!(ran.outputs["json"], format!("{folder}/gpulint.json"));
    for number in ["errors", "warnings", "notes", "suppressed", "baselined", "sarif"] {
        assert_eq!(ran.outputs[number], "", "{number}");
    }
    let (used, with) = &ran.used[0];
    assert!(used.starts_with("actions/upload-artifact@") && ran.used.len() == 1, "{:?}", ran.used);
    assert_eq!((with["name"].as_str(), with["path"].as_str()), ("gpulint-validation", folder));
}

#[test]
fn inputs_reach_the_validation() {
    let project = project("inputs");
    project.write("sub/my policy.yaml", "");
    let inputs = [
        ("config", "my policy.yaml"),
        ("jobs", "4"),
        ("profile", "leak, burn"),
        ("working-directory", "sub"),
        ("summary", "false"),
        ("artifact", ""),
    ];
    let ran = job(&project, &inputs).run();
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    let told = std::fs::read_to_string(project.path().join("sub/words")).unwrap();
    let told: Vec<_> = told.lines().skip(5).collect();
    assert_eq!(told, ["--config=my policy.yaml", "--jobs=4", "--profile=leak", "--profile=burn"]);
    assert!(ran.summary.is_empty() && ran.used.is_empty(), "{:?}", ran.used);
}

#[test]
fn the_exit_code_of_the_validation_is_that_of_the_step() {
    let project = project("codes");
    for (code, verdict, annotation) in [
        (1, "approved_with_minor_corrections", "::warning title=gpulint::approved with minor corrections"),
        (2, "unusable", "::error title=gpulint::no verdict: gpulint ended with exit code 2"),
        (3, "crashed", "::error title=gpulint::no verdict: gpulint ended with exit code 3"),
        (4, "rejected", "::error title=gpulint::rejected"),
        (5, "environment_invalid", "::error title=gpulint::no verdict, because the GPU is wrong"),
        (6, "infrastructure", "::error title=gpulint::no verdict, because a required check could not run"),
        (139, "crashed", "::error title=gpulint::no verdict: gpulint ended with exit code 139"),
    ] {
        let ran = job(&project, &[]).env("CODE", code.to_string()).run();
        assert_eq!(ran.exit_code, code, "{}", ran.text);
        assert_eq!(self::verdict(&ran), (verdict, code.to_string().as_str()));
        assert!(ran.text.contains(annotation), "{}", ran.text);
        assert!(!ran.text.contains("[1]"), "the shell speaks of its jobs: {}", ran.text);
        assert!(!ran.summary.is_empty(), "what there is of a page is shown");
        assert_eq!(ran.used.len(), 1, "what there is of reports is uploaded");
    }
    let ran = job(&project, &[]).env("CODE", "3").env("WITHOUT_REPORTS", "yes").run();
    assert_eq!((ran.exit_code, ran.outputs["json"].as_str()), (3, ""), "{}", ran.text);
    let ran = job(&project, &[]).env("CODE", "4").uploads_fail().run();
    assert_eq!((ran.exit_code, verdict(&ran).0), (4, "rejected"), "{}", ran.text);
    assert!(ran.text.contains("::warning title=gpulint::The reports were not uploaded"), "{}", ran.text);
}

#[test]
fn a_pull_request_does_not_bring_its_own_gpulint() {
    let project = project("own-binary");
    let outside = Scratch::new("runtime-outside");
    std::fs::copy(project.path().join("stand-in"), outside.path().join("stand-in")).unwrap();
    std::os::unix::fs::symlink(project.path().join("stand-in"), outside.path().join("link")).unwrap();
    project.write("event", &pull_request_of("someone/project"));
    let sum = sha256(&project.path().join("stand-in"));
    let run = |event: &str, binary: &str, sum: &str| {
        let inputs = [("stage", "runtime"), ("binary", binary), ("binary-sha256", sum)];
        let event_file = project.path().join("event").display().to_string();
        let job =
            Job::new(&project, &inputs).env("GITHUB_EVENT_NAME", event).env("GITHUB_EVENT_PATH", event_file);
        let ran = job.run();
        assert_eq!(words(&project).is_empty(), ran.exit_code != 0, "{}", ran.text);
        (ran.exit_code, ran.text)
    };
    let in_it = "which lies in the workspace: a pull request brings its own gpulint there";
    let inside = project.path().join("stand-in").display().to_string();
    let link = outside.path().join("link").display().to_string();
    for binary in ["stand-in", "./stand-in", &inside, &link] {
        let (code, text) = run("pull_request", binary, "");
        assert!(code == 2 && text.contains(in_it), "{binary}: {text}");
        assert_eq!(run("pull_request", binary, &sum).0, 0);
        assert_eq!(run("push", binary, "").0, 0);
    }
    let outside = outside.path().join("stand-in").display().to_string();
    assert_eq!(run("pull_request", &outside, "").0, 0);
    let (code, text) = run("push", &outside, &"0".repeat(64));
    assert!(code == 2 && text.contains("of binary-sha256"), "{text}");
    assert_eq!(run("push", &outside, "no sum").0, 2);
}

/// A program under test runs as the same user as the step.
#[test]
fn what_runs_below_cannot_write_the_outcome() {
    let project = project("forged");
    let stand_in = STAND_IN.replace(
        "echo \"the verdict",
        "env | cut -d= -f1 > environment\n\
         for file in \"${GITHUB_OUTPUT:-/dev/null}\" \"$RUNNER_TEMP/output\"; do\n\
           printf 'verdict=approved\\nexit-code=0\\nx<<verdict=rejected\\n' >> \"$file\"\n\
         done\n\
         echo \"the verdict",
    );
    project.write("stand-in", &stand_in);
    std::fs::set_permissions(project.path().join("stand-in"), PermissionsExt::from_mode(0o755)).unwrap();
    let ran = job(&project, &[]).env("CODE", "4").env("ACTIONS_RUNTIME_TOKEN", "secret").run();
    assert_eq!((ran.exit_code, verdict(&ran)), (4, ("rejected", "4")), "{}", ran.text);
    assert!(!ran.steps["runtime"].contains_key("x<<verdict"), "{:?}", ran.steps["runtime"]);
    let environment = std::fs::read_to_string(project.path().join("environment")).unwrap();
    let names: Vec<&str> = environment.lines().filter(|name| !name.starts_with("GITHUB_A")).collect();
    for name in ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "ACTIONS_RUNTIME_TOKEN"]
    {
        assert!(!names.contains(&name), "{names:?}");
    }
    assert!(names.contains(&"GITHUB_REPOSITORY"), "{names:?}");
    // The step says it by itself, whatever becomes of the files.
    let ran = job(&project, &[]).env("CODE", "4").run_until("runtime");
    assert_eq!(ran.exit_code, 4);
    for step in crate::composite::steps(&action()).iter().filter(|step| step["shell"] == "bash") {
        assert_eq!(step["env"]["BASH_ENV"], "", "{:?}", step["name"]);
    }
}

#[cfg(feature = "runtime")]
#[test]
fn the_verdicts_are_the_words_of_the_report() {
    use gpulint::runtime::validation::document::Verdict;
    let project = project("words");
    for verdict in [
        Verdict::Approved,
        Verdict::ApprovedWithMinorCorrections,
        Verdict::Rejected,
        Verdict::EnvironmentInvalid,
        Verdict::Infrastructure,
    ] {
        let word = serde_json::to_value(verdict).unwrap();
        let ran = job(&project, &[]).env("CODE", verdict.exit_code().to_string()).run();
        assert_eq!(word.as_str(), Some(ran.outputs["verdict"].as_str()));
    }
}

/// Nothing here is about hardware.
#[cfg(all(target_os = "linux", feature = "runtime"))]
#[test]
fn the_real_program_on_a_simulated_host() {
    use simulated_gpu_host::{Fault, SimulatedHost};
    let project = Scratch::new("runtime-real");
    project.git(&["init", "--quiet"]);
    let forbidden = "gpu: {name: RTX 3090, forbidden: [RTX 5060 Ti]}\n";
    project.write("gpulint.yaml", forbidden);
    // The action has no input that lets simulated cards be approved, and needs none.
    let real = env!("CARGO_BIN_EXE_gpulint");
    let allowing = format!(
        "#!/usr/bin/env bash\ncommand=$1\nshift\n[ \"$command\" != validate ] || set -- --allow-simulated \"$@\"\nexec '{real}' \"$command\" \"$@\"\n"
    );
    project.write("allowing", &allowing);
    std::fs::set_permissions(project.path().join("allowing"), PermissionsExt::from_mode(0o755)).unwrap();
    let leak = Fault::Leak { bytes: 2 << 20, in_pool: false, card: None };
    for (host, code, word, words) in [
        (SimulatedHost::new(), 0, "approved", "gpulint validate: approved"),
        (SimulatedHost::new().with(leak), 4, "rejected", "gpulint validate: rejected"),
        (SimulatedHost::new().with(Fault::NoDriver), 5, "environment_invalid", "the environment is invalid"),
    ] {
        let mut job = Job::new(&project, &[("stage", "runtime"), ("jobs", "1"), ("binary", "allowing")])
            .env("XDG_STATE_HOME", project.path().join("state").display().to_string())
            .env("GPULINT_SLOT_DIR", project.path().join("slots").display().to_string())
            // Whatever the caller has chosen.
            .env("CUDA_VISIBLE_DEVICES", "GPU-30903090-0000-4000-8000-000000000002");
        for (name, path) in host.environment() {
            job = job.env(name, path.display().to_string());
        }
        let ran = job.run();
        assert_eq!((ran.exit_code, verdict(&ran)), (code, (word, code.to_string().as_str())), "{}", ran.text);
        assert!(ran.text.contains(words), "{}", ran.text);
        assert!(
            ran.summary.starts_with("## gpulint validate: ") && ran.summary.contains(words),
            "{}",
            ran.summary
        );
        let report = std::path::Path::new(&ran.outputs["report"]);
        for file in ["gpulint.json", "gpulint.md", "gpulint.html", "gpulint.xml"] {
            let text = std::fs::read_to_string(report.join(file)).expect("it was written");
            // Without a driver nobody says that the card is simulated.
            assert!(code == 5 || text.contains("simulated"), "{file}: {text}");
        }
        let document = std::fs::read_to_string(&ran.outputs["json"]).expect("it was written");
        let document: serde_json::Value = serde_json::from_str(&document).expect("it is JSON");
        assert_eq!((&document["verdict"], &document["exit_code"]), (&word.into(), &code.into()));
        let (_, with) = &ran.used[0];
        assert_eq!(with["path"], ran.outputs["report"]);
    }
}

#[test]
fn a_page_that_github_would_not_show_is_shortened() {
    let project = project("long");
    let line = "| a row of a table | which is long |\\n";
    // What an environment variable may hold is limited, so the stand-in repeats it.
    let long = STAND_IN
        .replace("\"${PAGE:-# Verdict}\\n\"", &format!("\"$(yes '{line}' | head -n 40000 | tr -d '\\n')\""));
    project.write("stand-in", &long);
    std::fs::set_permissions(project.path().join("stand-in"), PermissionsExt::from_mode(0o755)).unwrap();
    let ran = job(&project, &[]).run();
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    assert!(ran.summary.len() > 900_000 && ran.summary.len() < 1024 << 10, "{}", ran.summary.len());
    let (table, end) = ran.summary.split_once("\n\n").expect("a last paragraph");
    assert!(table.lines().all(|row| row == "| a row of a table | which is long |"));
    assert_eq!(end.trim(), "The page goes on; GitHub shows no more of it. All of it is in the reports.");
}

#[test]
fn code_of_forks_is_refused() {
    let project = project("forks");
    project.write("own.json", &pull_request_of("someone/project"));
    project.write("fork.json", &pull_request_of("mallory/project"));
    // On one line as well.
    project.write("flat.json", &pull_request_of("mallory/project").replace("\n", " "));
    project.write("flat-own.json", &pull_request_of("someone/project").replace("\n", " "));
    let event = |name: &'static str, file: &str| {
        let path = project.path().join(file).display().to_string();
        job(&project, &[]).env("GITHUB_EVENT_NAME", name).env("GITHUB_EVENT_PATH", path)
    };
    for name in ["pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"]
    {
        for file in ["fork.json", "flat.json"] {
            let ran = event(name, file).run();
            assert_eq!((ran.exit_code, verdict(&ran)), (2, ("refused", "2")), "{name}: {}", ran.text);
            let reason = "::error title=gpulint::this is a pull request from the fork mallory/project. Code of others would run \
                          on this machine";
            assert!(ran.text.starts_with(reason), "{}", ran.text);
            assert!(ran.text.contains(
                "recommends runners of one's own for private repositories only. `allow-forks: true`"
            ));
            assert!(
                words(&project).is_empty() && ran.steps.len() == 1 && ran.used.is_empty(),
                "nothing follows"
            );
        }
        for file in ["own.json", "flat-own.json"] {
            let ran = event(name, file).run();
            assert_eq!((ran.exit_code, verdict(&ran).0), (0, "approved"), "{name}: {}", ran.text);
            assert_eq!(words(&project)[0], "validate");
        }
    }
    let path = project.path().join("fork.json").display().to_string();
    let ran = job(&project, &[("allow-forks", "true")])
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", path)
        .run();
    assert_eq!((ran.exit_code, verdict(&ran).0), (0, "approved"), "{}", ran.text);
    let told = "::warning title=gpulint::this is a pull request from the fork mallory/project, and allow-forks lets it run";
    assert!(ran.text.starts_with(told), "{}", ran.text);
    // The code is not run by the stage that only reads it, so it is welcome there.
    let ran = Job::new(&project, &[]).env("GITHUB_EVENT_NAME", "pull_request_target").run();
    assert_ne!(verdict(&ran).0, "refused", "{}", ran.text);
}

#[test]
fn an_event_that_says_nothing_is_refused() {
    let project = project("closed");
    let own = pull_request_of("someone/project");
    let head = "\"head\"";
    let cases = [
        ("empty", String::new()),
        ("no-json", "someone/project".to_owned()),
        ("no-object", "\"someone/project\"".to_owned()),
        ("nothing-about-it", "{\"repository\": {\"full_name\": \"someone/project\"}}".to_owned()),
        // A fork that was deleted in the meantime.
        ("deleted", "{\"pull_request\": {\"head\": {\"repo\": null}}}".to_owned()),
        ("another-type", "{\"pull_request\": {\"head\": {\"repo\": {\"full_name\": 1}}}}".to_owned()),
        ("in-a-list", format!("[{own}]")),
        ("cut", own[..own.len() - 3].to_owned()),
        ("cut-in-a-text", own[..own.rfind("project\"").unwrap()].to_owned()),
        ("two", format!("{own}{own}")),
        ("elsewhere", own.replace(head, "\"tail\"")),
        (
            "deeper",
            own.replace("\"pull_request\": {", "\"x\": {\"pull_request\": {")
                .replace("}\n  },\n", "}\n  }},\n"),
        ),
        ("said-twice", own.replace("\"id\": 1", "\"full_name\": \"mallory/project\"")),
        ("other-case", own.replace("\"full_name\": \"someone", "\"full_name\": \"Someone")),
    ];
    for (name, text) in &cases {
        project.write(name, text);
    }
    let absent = [("absent", String::new())];
    for (name, text) in cases.iter().chain(&absent) {
        let path = project.path().join(name).display().to_string();
        let job = job(&project, &[]).env("GITHUB_EVENT_NAME", "pull_request").env("GITHUB_EVENT_PATH", path);
        let ran = job.run();
        assert_eq!((ran.exit_code, verdict(&ran).0), (2, "refused"), "{name}: {text}\n{}", ran.text);
        assert!(words(&project).is_empty(), "{name}");
    }
    let refused = |job: Job| {
        let ran = job.run();
        assert_eq!((ran.exit_code, verdict(&ran).0), (2, "refused"), "{}", ran.text);
        assert!(words(&project).is_empty());
    };
    // Variables that nobody set, or that are empty.
    refused(job(&project, &[]).env("GITHUB_EVENT_NAME", "pull_request").env("GITHUB_EVENT_PATH", ""));
    refused(job(&project, &[]).env("GITHUB_EVENT_NAME", ""));
    project.write("own", &own);
    let path = project.path().join("own").display().to_string();
    let event = |path: &str| {
        job(&project, &[]).env("GITHUB_EVENT_NAME", "pull_request").env("GITHUB_EVENT_PATH", path)
    };
    refused(event(&path).env("GITHUB_REPOSITORY", ""));
    refused(event(&path).env("GITHUB_REPOSITORY", "mallory/project"));
}

#[test]
fn events_that_follow_a_pull_request_are_told_from_others() {
    let project = project("followers");
    let refused = |event: &'static str, text: &str| {
        project.write("event", text);
        let path = project.path().join("event").display().to_string();
        let ran = job(&project, &[]).env("GITHUB_EVENT_NAME", event).env("GITHUB_EVENT_PATH", path).run();
        assert_eq!(words(&project).is_empty(), ran.exit_code == 2, "{}", ran.text);
        verdict(&ran).0 == "refused"
    };
    let run_of = |repository| {
        format!("{{\"workflow_run\": {{\"head_repository\": {{\"full_name\": \"{repository}\"}}}}}}")
    };
    assert!(refused("workflow_run", &run_of("mallory/project")));
    assert!(refused("workflow_run", "{}"));
    assert!(!refused("workflow_run", &run_of("someone/project")));
    let about_a_pull_request = "{\"issue\": {\"url\": \"u\", \"pull_request\": {\"url\": \"u\"}}, \"comment\": {\"body\": \"/gpu\"}}";
    assert!(refused("issue_comment", about_a_pull_request));
    assert!(refused("issue_comment", ""));
    assert!(!refused("issue_comment", "{\"issue\": {\"url\": \"u\"}, \"comment\": {\"body\": \"/gpu\"}}"));
    for event in ["push", "schedule", "workflow_dispatch", "merge_group"] {
        assert!(!refused(event, ""), "{event}");
    }
}

/// A job that is cancelled: GitHub asks the program that the step started to end, and no other.
#[test]
fn a_cancelled_job_lets_gpulint_clean_up() {
    let project = project("cancelled");
    let stand_in = "#!/usr/bin/env bash\ntrap 'echo cleaned up; exit 143' TERM\ntrap 'echo interrupted; exit 130' INT\n\
                    echo started\nfor _ in {1..1200}; do sleep 0.05; done\n";
    project.write("stand-in", stand_in);
    std::fs::set_permissions(project.path().join("stand-in"), PermissionsExt::from_mode(0o755)).unwrap();
    let step =
        action()["runs"]["steps"].as_sequence().unwrap().iter().find(|step| step["id"] == "runtime").cloned();
    project.write("step.sh", step.unwrap()["run"].as_str().unwrap());
    for signal in ["INT", "TERM"] {
        // Tests that run in the background of a script are deaf to Ctrl-C, and so is what they start. Not every `env` can undo it.
        let mut step = project.command(if cfg!(target_os = "linux") { "env" } else { "bash" });
        if cfg!(target_os = "linux") {
            step.args(["--default-signal=INT", "bash"]);
        }
        step.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "step.sh"]).stdout(Stdio::piped());
        for name in ["CONFIG", "JOBS", "PROFILE"] {
            step.env(format!("INPUT_{name}"), "");
        }
        step.env("INPUT_SUMMARY", "true")
            .env("BINARY", project.path().join("stand-in"))
            .env("GITHUB_ACTION_PATH", REPOSITORY)
            .env("GITHUB_OUTPUT", project.path().join("output"))
            .env("GITHUB_STEP_SUMMARY", project.path().join("summary"))
            .env("RUNNER_TEMP", project.path());
        project.write("output", "");
        let mut step = step.spawn().expect("bash is installed");
        let mut said = step.stdout.take().unwrap();
        let mut started = [0; 8];
        said.read_exact(&mut started).unwrap();
        assert_eq!(&started, b"started\n");
        let sent = Command::new("kill").args([format!("-{signal}"), step.id().to_string()]).status();
        assert!(sent.expect("kill is installed").success());
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        step.wait().unwrap();
        assert!(rest.starts_with("cleaned up\n"), "{signal}: {rest}");
        let outputs = std::fs::read_to_string(project.path().join("output")).unwrap();
        assert!(outputs.starts_with("report=") && outputs.contains("\nverdict=crashed\n"), "{outputs}");
    }
}

#[test]
fn inputs_of_the_other_stage_and_nonsense_are_refused() {
    let project = project("refused");
    for (input, value, sentence) in [
        ("paths", "src", "the input paths is one of `stage: check`, and this is `stage: runtime`"),
        ("select", "all", "the input select is one of `stage: check`"),
        ("ignore", "devices", "the input ignore is one of `stage: check`"),
        ("min-severity", "note", "the input min-severity is one of `stage: check`"),
        ("fail-on", "error", "the input fail-on is one of `stage: check`"),
        ("mode", "gpu", "the input mode is one of `stage: check`"),
        ("baseline", "known.json", "the input baseline is one of `stage: check`"),
        ("since", "main", "the input since is one of `stage: check`"),
        ("annotations", "false", "the input annotations is one of `stage: check`"),
        ("sarif", "never", "the input sarif is one of `stage: check`"),
        ("sarif-category", "gpu", "the input sarif-category is one of `stage: check`"),
        ("profile", "leaks", "the input profile is `leaks`; it must be one of: leak, burn"),
        ("profile", "*", "the input profile is `*`"),
        ("jobs", "0", "the input jobs is `0`, which is no number of workers"),
        ("jobs", "-1", "the input jobs is `-1`"),
        ("jobs", "many", "the input jobs is `many`"),
        ("allow-forks", "yes", "the input allow-forks is `yes`; it must be one of: true, false"),
        ("artifact", "a/b", "no artifact may have one of"),
        ("artifact", "a\\b", "no artifact may have one of"),
        ("artifact", "a\"b", "no artifact may have one of"),
        ("artifact", "a\nb", "the input artifact has more than one line"),
        ("working-directory", "absent", "which is no folder"),
        ("binary", "absent", "which is no file"),
    ] {
        let ran = job(&project, &[(input, value)]).run();
        assert_eq!((ran.exit_code, verdict(&ran)), (2, ("unusable", "2")), "{input}: {}", ran.text);
        assert!(
            ran.text.starts_with("::error title=gpulint::") && ran.text.contains(sentence),
            "{}",
            ran.text
        );
        assert!(words(&project).is_empty() && ran.steps.len() == 1, "nothing follows");
    }
    let declared = action()["inputs"].as_mapping().unwrap().clone();
    let commands = "$(touch taken) `touch taken` '; touch taken; ' --help";
    for name in declared.keys().filter_map(|name| name.as_str()) {
        let ran = job(&project, &[(name, commands)]).run();
        assert!(!project.path().join("taken").exists(), "{name} was executed: {}", ran.text);
        let told = words(&project);
        assert!(
            // The name of what is kept, and what git is given, are no words of gpulint's.
            ran.exit_code == 2
                || told.contains(&format!("--{name}={commands}"))
                || ["artifact", "token"].contains(&name),
            "{name}"
        );
    }
}
