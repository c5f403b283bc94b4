//! `action.yml`: the whole action in a job, on events that pull requests, merge queues and pushes are.

use crate::broken;
use crate::composite::{Job, action, expressions, steps};
use crate::scratch::{REPOSITORY, RIGHT, Scratch, WRONG, WRONG_RULE};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

#[test]
fn findings_fail_the_step_and_become_annotations() {
    let project = project("findings", &[("predict.py", WRONG), ("train.py", RIGHT)]);
    let ran = Job::new(&project, &[]).run();
    assert_eq!(ran.exit_code, 1, "{}", ran.text);
    let annotation = ran.text.lines().find(|line| line.starts_with("::")).unwrap_or_default();
    assert!(
        annotation.starts_with("::warning ") && annotation.contains("file=predict.py,line=3,"),
        "{}",
        ran.text
    );
    assert!(ran.summary.contains(WRONG_RULE), "the summary of the job: {}", ran.summary);
    let output = |name: &str| ran.outputs[name].as_str();
    assert_eq!((output("verdict"), output("exit-code")), ("failed", "1"));
    assert_eq!(
        ["errors", "warnings", "notes", "suppressed", "baselined"].map(output),
        ["0", "1", "0", "0", "0"]
    );
    for (report, word) in [("json", "\"schema\""), ("sarif", "\"$schema\"")] {
        let text = std::fs::read_to_string(output(report)).expect("the report is there");
        assert!(text.contains(word) && text.contains(WRONG_RULE), "{text}");
    }
    assert!(ran.used.is_empty(), "{:?}", ran.used);
}

#[test]
fn right_code_passes() {
    let silenced = WRONG.replace("\"1\"\n", "\"1\"  # gpulint: ignore[missing-device-order] one card\n");
    let project = project("right", &[("train.py", RIGHT), ("one_card.py", &silenced)]);
    let ran = Job::new(&project, &[]).run();
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    assert_eq!((ran.outputs["verdict"].as_str(), ran.outputs["exit-code"].as_str()), ("passed", "0"));
    assert_eq!(ran.outputs["suppressed"], "1");
}

#[test]
fn only_the_paths_asked_for_are_checked() {
    let project =
        project("paths", &[("a folder/train.py", RIGHT), ("b/train.py", RIGHT), ("c/bad.py", WRONG)]);
    let ran = Job::new(&project, &[("paths", "a folder\r\n\nb\n")]).run();
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    let ran = Job::new(&project, &[("paths", "b\nc")]).run();
    assert_eq!(ran.exit_code, 1, "{}", ran.text);
}

#[test]
fn inputs_reach_gpulint() {
    let policy = "gpu:\n  visible-devices: \"0\"\n  device-order: PCI_BUS_ID\n";
    let files = [("sub/predict.py", WRONG), ("right/train.py", RIGHT), ("right/my policy.yaml", policy)];
    let project = project("inputs", &files);
    let sub = ("working-directory", "sub");
    let job = |inputs: &[(&'static str, &'static str)]| Job::new(&project, inputs).run();
    let ran = job(&[sub, ("fail-on", "error")]);
    assert_eq!((ran.exit_code, ran.outputs["verdict"].as_str()), (0, "passed"), "{}", ran.text);
    assert!(ran.text.contains(WRONG_RULE), "a warning is shown all the same: {}", ran.text);
    let ran = job(&[sub, ("fail-on", "error"), ("min-severity", "error"), ("mode", "gpu")]);
    assert!(ran.exit_code == 0 && !ran.text.contains(WRONG_RULE), "{}", ran.text);
    let ran = job(&[sub, ("ignore", "missing-device-order,devices")]);
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    let ran = job(&[sub, ("select", "devices")]);
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    let ran = job(&[sub, ("args", "--ignore=missing-device-order\n\n--extend-select=devices\r\n")]);
    assert_eq!(ran.exit_code, 0, "{}", ran.text);
    assert_eq!(ran.outputs["findings"], "0");
    let ran = job(&[("working-directory", "right"), ("config", "my policy.yaml")]);
    assert!(ran.exit_code == 1 && ran.text.contains("wrong-visible-devices"), "{}", ran.text);
    let ran = job(&[sub, ("annotations", "false"), ("summary", "false")]);
    assert!(ran.exit_code == 1 && !ran.text.contains("::warning"), "{}", ran.text);
    assert!(ran.text.contains(WRONG_RULE) && ran.summary.is_empty(), "{}", ran.text);
    let mut gpulint = project.command("gpulint");
    let written =
        gpulint.args(["check", "--baseline", "known.json", "--write-baseline", "sub"]).output().unwrap();
    assert!(written.status.success(), "{written:?}");
    let ran = job(&[("baseline", "known.json"), ("paths", "sub")]);
    assert_eq!((ran.exit_code, ran.outputs["baselined"].as_str()), (0, "1"), "{}", ran.text);
}

#[test]
fn inputs_that_make_no_sense_are_refused_before_anything_is_built() {
    let project = project("refused", &[("train.py", RIGHT)]);
    for (inputs, sentence) in [
        (
            [("stage", "both"), ("summary", "true")],
            "the input stage is `both`; it must be one of: check, runtime",
        ),
        ([("stage", ""), ("summary", "true")], "the input stage is ``"),
        (
            [("profile", "leak"), ("summary", "true")],
            "the input profile is one of `stage: runtime`, and this is `stage: check`",
        ),
        ([("jobs", "4"), ("summary", "true")], "the input jobs is one of `stage: runtime`"),
        ([("allow-forks", "true"), ("summary", "true")], "the input allow-forks is one of `stage: runtime`"),
        ([("artifact", ""), ("summary", "true")], "the input artifact is one of `stage: runtime`"),
        ([("mode", "tpu"), ("summary", "true")], "the input mode is `tpu`; it must be one of: gpu, cpu"),
        ([("fail-on", "never"), ("summary", "true")], "the input fail-on is `never`"),
        ([("min-severity", "Error"), ("summary", "true")], "the input min-severity is `Error`"),
        ([("sarif", "yes"), ("summary", "true")], "the input sarif is `yes`"),
        ([("annotations", ""), ("summary", "true")], "the input annotations is ``"),
        ([("summary", "1"), ("mode", "gpu")], "the input summary is `1`"),
        ([("since", ""), ("mode", "gpu")], "the input since is empty"),
        ([("since", "--output=x"), ("mode", "gpu")], "begins with a dash"),
        ([("paths", "\n \n"), ("mode", "gpu")], "the input paths is empty"),
        (
            [("args", "train.py"), ("mode", "gpu")],
            "the input args has the line `train.py`, which is no option",
        ),
        ([("args", "--"), ("mode", "gpu")], "the input args has the line `--`, which the step itself says"),
        (
            [("args", "--exit-zero\n--format=json"), ("mode", "gpu")],
            "the line `--format=json`, which the step itself",
        ),
        ([("args", "--exit-zero"), ("stage", "runtime")], "the input args is one of `stage: check`"),
        ([("version", "0.1.0"), ("mode", "gpu")], "the inputs version and binary contradict each other"),
        ([("working-directory", "absent"), ("mode", "gpu")], "which is no folder"),
        ([("binary", "absent"), ("mode", "gpu")], "the input binary is `absent`, which is no file"),
        ([("binary", "train.py"), ("mode", "gpu")], "which may not be executed"),
        ([("min-severity", "error"), ("mode", "gpu")], "min-severity hides findings"),
        ([("min-severity", "warning"), ("fail-on", "note")], "fail-on must be warning as well"),
    ] {
        let ran = Job::new(&project, &inputs).run();
        assert!(ran.exit_code == 2 && ran.text.contains(sentence), "{inputs:?}: {}", ran.text);
        assert!(ran.text.starts_with("::error title=gpulint::"), "{}", ran.text);
        assert_eq!((ran.outputs["exit-code"].as_str(), ran.outputs["verdict"].as_str()), ("2", "unusable"));
        assert_eq!(ran.steps.len(), 1, "nothing follows");
    }
}

#[test]
fn bad_usage_is_not_a_finding() {
    let project = project("usage", &[("train.py", RIGHT)]);
    for input in
        [("config", "absent.yaml"), ("paths", "absent"), ("select", "no-such-rule"), ("baseline", "absent")]
    {
        let ran = Job::new(&project, &[input]).run();
        assert_eq!(ran.exit_code, 2, "{input:?}: {}", ran.text);
        assert_eq!((ran.outputs["exit-code"].as_str(), ran.outputs["verdict"].as_str()), ("2", "unusable"));
    }
}

#[test]
fn inputs_are_words_and_never_commands() {
    let project = project("hostile", &[("train.py", RIGHT)]);
    let commands = "$(touch taken) `touch taken` \"; touch taken; \" ' --help";
    let with_a_line = format!("{commands}\n::warning::said by the input");
    let declared = action()["inputs"].as_mapping().unwrap().clone();
    let names = declared.keys().filter_map(|name| name.as_str()).filter(|name| *name != "sarif-category");
    for (name, hostile) in names.flat_map(|name| [(name, commands), (name, with_a_line.as_str())]) {
        let ran = Job::new(&project, &[(name, hostile)]).run();
        assert_eq!(ran.exit_code, 2, "{name}: {}", ran.text);
        assert!(!project.path().join("taken").exists(), "{name} was executed");
        assert!(!ran.text.lines().any(|line| line.starts_with("::warning")), "{name}: {}", ran.text);
    }
    // A path that looks like an option stays a path.
    let ran = Job::new(&project, &[("paths", "--exit-zero")]).run();
    assert_eq!(ran.exit_code, 2, "{}", ran.text);
}

/// A repository as at GitHub, where any commit can be fetched by its hash.
fn git_server(name: &str) -> Scratch {
    let server = Scratch::new(&format!("action-{name}-server"));
    server.git(&["init", "--quiet", "--initial-branch=main"]);
    server.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    server
}

/// Commits all files; returns the hash.
fn commit(server: &Scratch, message: &str) -> String {
    server.git(&["add", "--all"]);
    server.git(&["commit", "--quiet", "--message", message]);
    server.git(&["rev-parse", "HEAD"])
}

/// A repository with old debt on `main`, and a branch `topic` that adds a wrong file, as GitHub has them.
fn pull_request(name: &str) -> (Scratch, String, String) {
    let server = git_server(name);
    let commit = |file: &str, text: &str| {
        server.write(file, text);
        commit(&server, file)
    };
    // Each place by itself, and not only the first of the project.
    commit("gpulint.yaml", &format!("rules: {{severity: {{{WRONG_RULE}: warning}}}}\n"));
    for number in 1..4 {
        commit(&format!("notes/{number}.txt"), "");
    }
    let base = commit("old.py", WRONG);
    server.git(&["switch", "--quiet", "--create", "topic"]);
    for number in 4..8 {
        commit(&format!("notes/{number}.txt"), "");
    }
    commit("new.py", WRONG);
    server.git(&["switch", "--quiet", "main"]);
    // What others did in the meantime is no business of the pull request.
    commit("meanwhile.py", WRONG);
    server.git(&["switch", "--quiet", "--detach", "main"]);
    server.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "topic"]);
    let merge = server.git(&["rev-parse", "HEAD"]);
    server.git(&["update-ref", "refs/pull/1/merge", &merge]);
    server.git(&["switch", "--quiet", "main"]);
    (server, base, merge)
}

/// What actions/checkout does: one commit of one ref, and nothing else, unless told otherwise.
fn checked_out(server: &Scratch, name: &str, reference: &str, depth: &[&str]) -> Scratch {
    let project = Scratch::new(&format!("action-{name}"));
    project.git(&["init", "--quiet"]);
    project.write(".git/info/exclude", "runner temp\n");
    let url = format!("file://{}", server.path().display());
    project.git(&["remote", "add", "origin", &url]);
    project.git(&[&["fetch", "--quiet", "--no-tags"], depth, &["origin", reference]].concat());
    project.git(&["checkout", "--quiet", "--detach", "FETCH_HEAD"]);
    project
}

#[test]
fn pull_requests_are_about_their_own_lines() {
    let (server, base, merge) = pull_request("lines");
    let others = ["old.py", "meanwhile.py"];
    for (name, reference, depth) in [
        ("merge-shallow", "refs/pull/1/merge", ["--depth=1"].as_slice()),
        ("merge-whole", "refs/pull/1/merge", &[]),
        ("head-shallow", "topic", &["--depth=1"]),
        ("head-whole", "topic", &[]),
    ] {
        let project = checked_out(&server, name, reference, depth);
        let ran = Job::new(&project, &[]).event("pull_request", &base).env("GITHUB_SHA", &merge).run();
        assert_eq!(ran.exit_code, 1, "{name}: {}", ran.text);
        assert!(ran.text.contains("file=new.py,line=3,"), "{name}: {}", ran.text);
        for other in others {
            assert!(!ran.text.contains(other) && !ran.summary.contains(other), "{name}: {}", ran.text);
        }
        assert!(!ran.text.contains("::notice"), "{name}: {}", ran.text);
        assert_eq!(ran.outputs["warnings"], "1", "{name}");
        // And which programs take another card because of it.
        let (_, cards) = ran.summary.split_once("## Cards and GPU imports").expect("a section");
        assert!(
            cards.contains("| <code>new\\.py</code> | started as a script | not there |"),
            "{name}: {cards}"
        );
    }
    let project = checked_out(&server, "queue", "refs/pull/1/merge", &["--depth=1"]);
    // A merge group may hold several merges, all of which it is about.
    let ran = Job::new(&project, &[]).event("merge_group", &base).env("GITHUB_SHA", &merge).run();
    assert!(ran.text.contains("file=new.py") && ran.text.contains("file=meanwhile.py"), "{}", ran.text);
    assert!(!ran.text.contains("old.py") && !ran.text.contains("::notice"), "{}", ran.text);
}

#[test]
fn what_a_pull_request_breaks_elsewhere_is_annotated_at_the_change() {
    let server = git_server("broken");
    let commit = || commit(&server, "a commit");
    let order = "export CUDA_DEVICE_ORDER=PCI_BUS_ID\n";
    server.write("gpulint.yaml", "gpu: {visible-devices: \"0\"}\n");
    server.write("train.py", "import torch\n\ntorch.cuda.init()\n");
    server.write("run.sh", &format!("{order}export CUDA_VISIBLE_DEVICES=0\npython train.py\n"));
    let base = commit();
    server.git(&["switch", "--quiet", "--create", "topic"]);
    server.write("run.sh", &format!("{order}python train.py\n"));
    commit();
    let project = checked_out(&server, "broken", "topic", &["--depth=1"]);
    let ran = Job::new(&project, &[]).event("pull_request", &base).run();
    assert_eq!((ran.exit_code, ran.outputs["errors"].as_str()), (1, "1"), "{}", ran.text);
    let annotation =
        "::error title=gpulint (missing-visible-devices),file=run.sh,line=1,endLine=1::train.py:1: ";
    assert!(ran.text.contains(annotation), "{}", ran.text);
}

#[test]
fn regressions_of_each_kind_fail_the_step_and_harmless_changes_pass() {
    for (name, cases, code) in [("worse", broken::regressions(), 1), ("same", broken::harmless(), 0)] {
        let server = git_server(name);
        let commit = || commit(&server, "a commit");
        server.write("gpulint.yaml", broken::POLICY);
        for (file, text) in cases.iter().flat_map(|case| case.before()) {
            server.write(file, text);
        }
        let base = commit();
        server.git(&["switch", "--quiet", "--create", "topic"]);
        for (file, text) in cases.iter().map(|case| case.after()) {
            server.write(&file, &text);
        }
        commit();
        let project = checked_out(&server, name, "topic", &["--depth=1"]);
        let ran = Job::new(&project, &[("sarif", "always")]).event("pull_request", &base).run();
        assert_eq!(ran.exit_code, code, "{name}: {}", ran.text);
        let sarif = std::fs::read_to_string(&ran.outputs["sarif"]).expect("it was asked for");
        let is_found =
            |folder: &str| sarif.contains(&format!("{folder}/")) || sarif.contains(&format!("{folder}.yml"));
        let odd: Vec<&str> = cases
            .iter()
            .map(|case| case.folder.as_str())
            .filter(|folder| is_found(folder) != (code == 1))
            .collect();
        assert!(odd.is_empty(), "{name}: {odd:?}");
    }
}

#[test]
fn other_events_and_the_input_none_are_about_everything() {
    let (server, base, merge) = pull_request("everything");
    let project = checked_out(&server, "everything", "refs/pull/1/merge", &["--depth=1"]);
    let ran = Job::new(&project, &[]).env("GITHUB_SHA", &merge).run();
    assert_eq!(ran.outputs["warnings"], "3", "{}", ran.text);
    // There the base branch is what is checked out: compared with itself it would always be clean.
    let ran = Job::new(&project, &[]).event("pull_request_target", &base).run();
    assert_eq!(ran.outputs["warnings"], "3", "{}", ran.text);
    let ran = Job::new(&project, &[("since", "none")]).event("pull_request", &base).run();
    assert_eq!(ran.outputs["warnings"], "3", "{}", ran.text);
}

#[test]
fn a_base_that_cannot_be_had_is_said() {
    let (server, base, merge) = pull_request("unreachable");
    let project = checked_out(&server, "unreachable", "refs/pull/1/merge", &["--depth=1"]);
    project.git(&["remote", "set-url", "origin", "/nowhere"]);
    let ran = Job::new(&project, &[]).event("pull_request", &base).env("GITHUB_SHA", &merge).run();
    assert_eq!((ran.exit_code, ran.outputs["warnings"].as_str()), (1, "3"), "{}", ran.text);
    assert!(ran.text.contains("::notice title=gpulint::What is new cannot be told"), "{}", ran.text);
    // Outside of any work tree of git as well.
    let project = Scratch::new("action-no-git");
    project.write("predict.py", WRONG);
    let ran = Job::new(&project, &[]).event("pull_request", &base).run();
    assert!(ran.exit_code == 1 && ran.text.contains("::notice"), "{}", ran.text);
}

#[test]
fn a_named_base_is_fetched() {
    let (server, base, _) = pull_request("named");
    for reference in ["main", "origin/main", base.as_str()] {
        let project = checked_out(&server, "named", "topic", &["--depth=1"]);
        let ran = Job::new(&project, &[("since", reference)]).run();
        assert_eq!((ran.exit_code, ran.outputs["warnings"].as_str()), (1, "1"), "{reference}: {}", ran.text);
    }
    let project = checked_out(&server, "named-not", "topic", &["--depth=1"]);
    let ran = Job::new(&project, &[("since", "no-such-branch")]).run();
    assert_eq!((ran.exit_code, ran.outputs["verdict"].as_str()), (2, "unusable"), "{}", ran.text);
    assert!(
        ran.text.contains("::error title=gpulint::The input since names `no-such-branch`"),
        "{}",
        ran.text
    );
}

/// Answers one question with this status, and returns what was asked.
fn server(status: &'static str) -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let length = stream.read(&mut request).unwrap();
        stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes()).unwrap();
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    (address, answer)
}

#[test]
fn sarif_is_uploaded_where_code_scanning_is_available() {
    let project = project("sarif", &[("predict.py", WRONG)]);
    for (status, uploads) in [("200 OK", true), ("404 Not Found", true), ("403 Forbidden", false)] {
        let (address, answer) = server(status);
        let ran = Job::new(&project, &[("sarif", "auto"), ("sarif-category", "gpu")])
            .env("GITHUB_API_URL", &address)
            .run();
        let asked = answer.join().unwrap();
        assert!(asked.starts_with("GET /repos/someone/project/code-scanning/alerts?"), "{asked}");
        assert!(asked.contains("uthorization: Bearer a-token"), "{asked}");
        assert_eq!(ran.exit_code, 1, "findings fail the step either way: {}", ran.text);
        assert_eq!(ran.text.contains("::notice title=gpulint::Code scanning is not available"), !uploads);
        assert_eq!(ran.used.len(), usize::from(uploads), "{:?}", ran.used);
        for (used, with) in &ran.used {
            assert!(used.starts_with("github/codeql-action/upload-sarif@"), "{used}");
            assert_eq!((&with["sarif_file"], with["category"].as_str()), (&ran.outputs["sarif"], "gpu"));
        }
    }
}

#[test]
fn an_upload_that_fails_hides_no_verdict() {
    for (file, code) in [(WRONG, 1), (RIGHT, 0)] {
        let project = project("upload", &[("predict.py", file)]);
        // Where nobody answers the question, the upload is tried.
        let ran = Job::new(&project, &[("sarif", "auto")]).uploads_fail().run();
        assert_eq!(ran.exit_code, code, "{}", ran.text);
        assert!(
            ran.text.contains("::notice title=gpulint::The SARIF report was not uploaded"),
            "{}",
            ran.text
        );
        let ran = Job::new(&project, &[("sarif", "always")]).uploads_fail().run();
        assert_eq!(ran.exit_code, 1, "{}", ran.text);
        assert!(
            ran.text.contains("::error title=gpulint::The SARIF report was not uploaded"),
            "{}",
            ran.text
        );
    }
}

#[test]
fn file_is_consistent() {
    let action = action();
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let mut used = BTreeSet::new();
    let mut twins = (Vec::new(), Vec::new());
    for step in steps(&action) {
        let values =
            serde_yaml::to_string(&(&step["env"], &step["with"], &step["working-directory"])).unwrap();
        let names: BTreeSet<_> = expressions(&values).into_iter().collect();
        used.extend(names.iter().filter_map(|name| name.strip_prefix("inputs.")).map(str::to_owned));
        let Some(script) = step["run"].as_str() else {
            let (_, revision) = step["uses"].as_str().unwrap().split_once('@').expect("a revision");
            assert!(revision.len() == 40 && revision.bytes().all(|b| b.is_ascii_hexdigit()), "{revision}");
            continue;
        };
        let is_windows = step["shell"].as_str() == Some("powershell");
        let is_runtime = step["id"].as_str().unwrap().starts_with("runtime");
        let (opening, ending) = match (is_windows, is_runtime) {
            (true, _) => ("& \"$env:", "ps1"),
            (false, false) => ("\"$", "sh"),
            // What the step starts is what hears of a cancelled job.
            (false, true) => ("exec \"$", "sh"),
        };
        let name = step["id"].as_str().unwrap().trim_end_matches("-windows").to_owned();
        let path = format!("packaging/action/{name}.{ending}");
        // No expression stands in it: that is how commands are injected.
        assert_eq!(script, format!("{opening}GITHUB_ACTION_PATH/{path}\""));
        assert!(Path::new(REPOSITORY).join(&path).is_file(), "{path}");
        let stage = match name.as_str() {
            "check" | "runtime" => format!(" && inputs.stage == '{name}'"),
            // Also after a validation, which ends with its own code.
            "verdict" => {
                let windows = if is_windows { "-windows" } else { "" };
                let code = |id| format!("steps.{id}{windows}.outputs.exit-code");
                format!(" && always() && ({} || {}) != ''", code("check"), code("runtime"))
            }
            _ => String::new(),
        };
        let condition = format!("runner.os {} 'Windows'{stage}", if is_windows { "==" } else { "!=" });
        assert_eq!(step["if"].as_str(), Some(condition.as_str()));
        let env = serde_yaml::to_string(&(&step["env"], &step["working-directory"], &step["name"])).unwrap();
        let twin = if is_windows { &mut twins.1 } else { &mut twins.0 };
        twin.push((name, env.replace("-windows.", ".").replace("BASH_ENV: ''\n  ", "")));
    }
    assert_eq!(twins.0, twins.1, "what runs under bash, and what runs on Windows");
    let declared: BTreeSet<_> =
        action["inputs"].as_mapping().unwrap().keys().map(|key| key.as_str().unwrap().to_owned()).collect();
    assert_eq!(used, declared, "inputs that are used, and inputs that are declared");
}

/// A workspace: a git work tree, as after a checkout.
fn project(name: &str, files: &[(&str, &str)]) -> Scratch {
    let project = Scratch::new(&format!("action-{name}"));
    project.git(&["init", "--quiet"]);
    for (file, text) in files {
        project.write(file, text);
    }
    project
}
