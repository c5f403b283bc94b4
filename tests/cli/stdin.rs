//! `-`: the program on standard input.

use crate::INDEX_WITHOUT_ORDER;
use crate::project::Project;

#[test]
fn a_program_on_standard_input_is_a_script() {
    let project = Project::new().file("other.py", INDEX_WITHOUT_ORDER);
    let answer = project.run_with_input("check - --format json", INDEX_WITHOUT_ORDER.as_bytes());
    assert_eq!((answer.code, answer.findings()), (Some(1), vec!["-:2 missing-device-order".to_owned()]));
}

#[test]
fn it_stands_for_a_file_of_the_project() {
    let project =
        Project::new().file("app/gpulint.yaml", "gpu: {name: A}\n").file("app/run.py", INDEX_WITHOUT_ORDER);
    let words = "check - --stdin-filename app/run.py --format json";
    let answer = project.run_with_input(words, b"x = 1\n");
    assert_eq!((answer.code, answer.findings()), (Some(0), vec![]));
    assert_eq!(answer.json()["files"]["checked"], 1);
    // A file that is not saved yet has a policy too.
    let words = "check - --stdin-filename app/new.py --format json";
    let answer = project.run_with_input(words, INDEX_WITHOUT_ORDER.as_bytes());
    assert!(answer.findings().contains(&"new.py:2 missing-device-order".to_owned()), "{answer:?}");
}

#[test]
fn bad_usage() {
    let project = Project::new().file("a.py", "");
    let beside = "error: `-` reads standard input and cannot stand beside other paths";
    project.run("check - a.py").fails(2, beside);
    let alone = "error: --stdin-filename says what standard input stands for, so it needs the path `-`";
    project.run("check --stdin-filename a.py").fails(2, alone);
}

#[test]
fn bad_input() {
    let project = Project::new();
    let not_python = project.run_with_input("check - --stdin-filename a.txt --format json", b"# Title\n");
    assert_eq!(
        not_python.skipped(),
        ["a.txt: not a language that gpulint reads, by its name or its first line"]
    );
    let bytes = project.run_with_input("check - --format json", b"\xff\xfe");
    assert_eq!((bytes.code, bytes.skipped()), (Some(2), vec!["-: not valid UTF-8".to_owned()]));
    let syntax = project.run_with_input("trace -", b"x = (");
    syntax.fails(2, "error: -: syntax error on line 1: unexpected EOF while parsing");
    let empty = project.run_with_input("check - --format json", b"");
    assert_eq!((empty.code, empty.json()["files"]["checked"].clone()), (Some(0), 1.into()));
}
