//! Bad usage is exit code 2 and says what is wrong; help is complete.

use crate::project::{Project, answer};
use crate::{INDEX_WITHOUT_ORDER, NO_POLICY};

#[test]
fn without_a_command_there_is_help() {
    let answer = Project::new().run("");
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("Usage: gpulint [OPTIONS] <COMMAND>"), "{answer:?}");
    assert!(answer.stderr.contains("Begin with `gpulint check`"), "{answer:?}");
}

#[test]
fn the_version() {
    Project::new().run("--version").is(0, &format!("gpulint {}\n", env!("CARGO_PKG_VERSION")), "");
}

#[test]
fn every_option_of_every_command_has_a_sentence() {
    for command in ["check", "map", "trace", "init", "rule", "rules", "rules test", "completions", "man"] {
        let help = Project::new().run(&format!("{command} -h"));
        assert_eq!(help.code, Some(0), "{command}");
        let lines: Vec<&str> = help.stdout.lines().collect();
        for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
            let line = line.trim_start();
            if line.starts_with('-') {
                let sentence = line.contains("  ") || next.starts_with("          ");
                assert!(sentence, "{command}: {line} has no sentence");
            }
        }
    }
}

#[test]
fn an_unknown_option_or_value() {
    let project = Project::new().file("a.py", "");
    for (words, message) in [
        ("check --frobnicate", "unexpected argument '--frobnicate' found"),
        ("chek", "unrecognized subcommand 'chek'"),
        ("check --format yaml", "invalid value 'yaml' for '--format"),
        ("check --min-severity bad", "invalid value 'bad' for '--min-severity"),
        ("check --fail-on never", "invalid value 'never' for '--fail-on"),
        ("check --mode tpu", "invalid value 'tpu' for '--mode"),
        ("check --output report.json", "expected FORMAT=FILE, for example json=report.json"),
        ("check --output json=", "expected FORMAT=FILE, for example json=report.json"),
        (
            "check --output x=y",
            "`x` is not a format; they are text, concise, compact, json, jsonl, sarif, github, gitlab",
        ),
        ("trace", "<FILE>"),
        ("rule", "<ID>"),
    ] {
        let answer = project.run(words);
        assert_eq!(answer.code, Some(2), "{words}: {answer:?}");
        assert_eq!(answer.stdout, "", "{words}");
        assert!(answer.stderr.contains(message), "{words}: {}", answer.stderr);
    }
}

#[test]
fn paths_that_do_not_exist_are_named() {
    let project = Project::new().file("a.py", "");
    project.run("check a.py b.py c/d.py").fails(2, "error: no such file or directory: b.py, c/d.py");
    project.run("check a.py/b.py").fails(2, "error: no such file or directory: a.py/b.py");
    project.run("trace b.py").fails(2, "error: no such file or directory: b.py");
}

#[test]
fn an_unknown_selector_names_its_option() {
    let project = Project::new().file("a.py", "");
    for option in ["select", "ignore"] {
        let answer = project.run(&format!("check --{option} missing-devise-order"));
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{answer:?}");
        let start = format!("error: --{option}: ");
        assert!(answer.stderr.starts_with(&start), "{}", answer.stderr);
        assert!(answer.stderr.contains("`missing-devise-order`"), "{}", answer.stderr);
        assert_eq!(answer.stderr.lines().count(), 1);
    }
}

#[test]
fn words_of_the_user_cannot_steer_the_terminal() {
    let project = Project::new();
    let answer = answer(project.command().args(["check", "\u{1b}[2Jgone.py"]), b"");
    answer.fails(2, "error: no such file or directory: ␛[2Jgone.py");
}

#[test]
fn a_path_after_two_dashes_may_begin_with_one() {
    let project = Project::new().file("-a.py", INDEX_WITHOUT_ORDER);
    assert_eq!(project.run("check --format json -- -a.py").findings(), ["-a.py:2 missing-device-order"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    use std::process::Stdio;
    let project = Project::new().file("a.py", "");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let ended = project.command().arg("check").stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(told.starts_with("error: cannot write to standard output: "), "{told}");
}

#[test]
#[cfg(unix)]
fn a_reader_that_stops_reading_is_no_fault() {
    use std::process::Stdio;
    let many = (0..2_000).fold(Project::new(), |project, n| project.file(&format!("f{n}.py"), "x = ("));
    let mut child = many
        .command()
        .arg("check")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(told, "error: none of the 2000 files could be checked\n");
    assert_eq!(ended.status.code(), Some(2));
}

#[test]
fn an_empty_project_is_clean_and_says_so() {
    let project = Project::new().file("notes.txt", "");
    project.run("check").is(
        0,
        &format!("Checked 0 files: no findings. {NO_POLICY}\n"),
        "note: the named paths hold no file to check\n",
    );
}
