//! A project with old findings: they are written down once, and only new ones fail a run.

use crate::project::{Answer, Project};
use crate::{EACH_BY_ITSELF, INDEX_WITHOUT_ORDER};
use std::fs;

const FILE: &str = "gpulint-baseline.json";

/// The line of [`INDEX_WITHOUT_ORDER`] with the finding.
const PIN: &str = "os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n";

fn adopted() -> Project {
    let project = Project::new().file("gpulint.yaml", EACH_BY_ITSELF).file("a.py", INDEX_WITHOUT_ORDER);
    let answer = project.run("check --write-baseline");
    let told = "note: gpulint-baseline.json lists 1 finding now, 1 added and 0 removed\n";
    answer.is(0, "Checked 1 file: no findings (1 in the baseline).\n", told);
    project
}

fn checked(project: &Project, words: &str) -> Answer {
    project.run(&format!("check --format json --baseline {FILE} {words}"))
}

/// `status` of each finding.
fn statuses(answer: &Answer) -> Vec<String> {
    let report = answer.json();
    let findings = report["findings"].as_array().expect("an array");
    findings.iter().map(|finding| finding["status"].as_str().expect("a text").to_owned()).collect()
}

/// The notes about the baseline on standard error.
fn notes(answer: &Answer) -> Vec<String> {
    answer.stderr.lines().filter(|line| line.starts_with("note: ")).map(str::to_owned).collect()
}

/// Every finding of the project is known and no entry is settled.
#[track_caller]
fn all_known(project: &Project, count: usize) {
    let answer = checked(project, "");
    assert_eq!(
        (answer.code, statuses(&answer)),
        (Some(0), vec!["baselined".to_owned(); count]),
        "{answer:?}"
    );
    assert_eq!(notes(&answer), [""; 0]);
    assert_eq!(answer.json()["summary"]["baselined"], count);
}

#[test]
fn the_file_has_one_finding_on_each_line() {
    let project = adopted();
    let text = project.read(FILE);
    let lines: Vec<&str> = text.lines().collect();
    let [open, schema, findings, entry, close, end] = lines[..] else { panic!("{text}") };
    assert_eq!(
        [open, schema, findings, close, end],
        ["{", "  \"schema\": 1,", "  \"findings\": [", "  ]", "}"]
    );
    assert!(
        entry.starts_with(r#"    {"path":"a.py","rule":"missing-device-order","fingerprint":""#),
        "{entry}"
    );
    let entry: serde_json::Value = serde_json::from_str(entry).unwrap();
    let report = checked(&project, "").json();
    for key in ["path", "rule", "fingerprint", "message"] {
        assert_eq!(entry[key], report["findings"][0][key]);
    }
    assert_eq!(project.run("check").code, Some(1), "no baseline unless asked for");
    all_known(&project, 1);
    let before = fs::metadata(project.path(FILE)).unwrap().modified().unwrap();
    let again = project.run("check --write-baseline");
    assert_eq!(notes(&again), ["note: gpulint-baseline.json lists 1 finding now, 0 added and 0 removed"]);
    assert_eq!(fs::metadata(project.path(FILE)).unwrap().modified().unwrap(), before, "not written again");
}

#[test]
fn findings_are_known_where_their_lines_go() {
    let project = adopted();
    let moved = format!("\"\"\"Text.\"\"\"\nimport sys\n\n{INDEX_WITHOUT_ORDER}print(sys.argv)\n");
    let project = project.file("a.py", moved);
    all_known(&project, 1);
    let formatted = PIN.replace('"', "'").replace(" = ", "  =  ");
    let inside = INDEX_WITHOUT_ORDER.replace(PIN, &format!("if True:\n    {formatted}"));
    let project = project.file("a.py", inside.replace('\n', "\r\n"));
    all_known(&project, 1);
    let project = project.file("a.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\""));
    assert_eq!(statuses(&checked(&project, "")), ["active"], "another fault");
}

#[test]
fn findings_are_known_in_a_renamed_file() {
    let project = adopted();
    fs::create_dir(project.path("app")).unwrap();
    fs::rename(project.path("a.py"), project.path("app/b.py")).unwrap();
    all_known(&project, 1);
    assert_eq!(project.run("check --write-baseline").code, Some(0));
    assert!(project.read(FILE).contains("app/b.py") && !project.read(FILE).contains("\"a.py\""));
    // A copy is one fault more.
    let project = project.file("a.py", INDEX_WITHOUT_ORDER);
    assert_eq!(statuses(&checked(&project, "")), ["active", "baselined"]);
}

#[test]
fn equal_lines_are_counted() {
    let rules = "--select env-value-not-string";
    let wrong = "os.environ[\"A\"] = 1\n";
    let text = |count: usize| format!("import os\n{}", wrong.repeat(count));
    let project = Project::new().file("gpulint.yaml", "").file("a.py", text(2));
    assert_eq!(project.run(&format!("check --write-baseline {rules}")).code, Some(0));
    let project = project.file("a.py", text(3));
    assert_eq!(statuses(&checked(&project, rules)), ["baselined", "baselined", "active"]);
    let project = project.file("a.py", text(1));
    let answer = checked(&project, rules);
    assert_eq!(statuses(&answer), ["baselined"]);
    let told = "note: 1 finding of gpulint-baseline.json is settled (env-value-not-string in a.py); \
                --write-baseline takes them out";
    assert_eq!(notes(&answer), [told]);
}

#[test]
fn what_was_not_checked_is_neither_settled_nor_lost() {
    let project = adopted().file("b.py", INDEX_WITHOUT_ORDER);
    assert_eq!(project.run("check --write-baseline").code, Some(0));
    let both = project.read(FILE);
    let project = project.file("a.py", "").file("b.py", "");
    let settled = |words: &str| notes(&checked(&project, words));
    let about = |files: &str| {
        let (count, are) = if files.contains(',') { ("2 findings", "are") } else { ("1 finding", "is") };
        vec![format!("note: {count} of {FILE} {are} settled ({files}); --write-baseline takes them out")]
    };
    assert_eq!(settled("a.py"), about("missing-device-order in a.py"));
    assert_eq!(settled(""), about("missing-device-order in a.py, missing-device-order in b.py"));
    assert_eq!(settled("--select devices"), [""; 0]);
    assert_eq!(settled("--ignore missing-device-order"), [""; 0]);
    for words in ["--select devices", "--ignore missing-device-order"] {
        assert_eq!(project.run(&format!("check --write-baseline {words}")).code, Some(0));
        assert_eq!(project.read(FILE), both, "{words}");
    }
    assert_eq!(project.run("check --write-baseline a.py").code, Some(0));
    let lines = |text: &str| text.lines().filter(|line| line.contains("fingerprint")).count();
    assert_eq!(lines(&project.read(FILE)), 1);
    assert!(project.read(FILE).contains("\"b.py\""));
    // A file that cannot be read says nothing about its findings.
    let project = project.file("b.py", "x = (");
    assert_eq!(notes(&checked(&project, "")), [""; 0]);
    fs::remove_file(project.path("b.py")).unwrap();
    assert_eq!(notes(&checked(&project, "")), [""; 0]);
    assert_eq!(project.run("check --write-baseline a.py").code, Some(0));
    assert_eq!(lines(&project.read(FILE)), 1);
    assert_eq!(project.run("check --write-baseline").code, Some(0));
    assert_eq!(project.read(FILE), "{\n  \"schema\": 1,\n  \"findings\": []\n}\n");
}

#[test]
fn suppressed_findings_need_no_entry() {
    let ignored = INDEX_WITHOUT_ORDER.replace(PIN, &format!("{}  # gpulint: ignore\n", PIN.trim_end()));
    let project = Project::new().file("gpulint.yaml", "").file("a.py", ignored);
    assert_eq!(project.run("check --write-baseline").code, Some(0));
    assert!(!project.read(FILE).contains("fingerprint"));
    assert_eq!(statuses(&checked(&project, "")), ["suppressed"]);
}

#[test]
fn notes_have_an_entry_when_they_are_shown_or_fail() {
    let late =
        "import torch\nimport os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"GPU-1\"\ntorch.cuda.init()\n";
    let project = Project::new().file("gpulint.yaml", "").file("a.py", late);
    let entries = |words: &str| {
        let _ = fs::remove_file(project.path(FILE));
        assert_eq!(project.run(&format!("check --write-baseline {words}")).code, Some(0));
        project.read(FILE).matches("fingerprint").count()
    };
    assert_eq!([entries(""), entries("--min-severity note"), entries("--fail-on note")], [0, 1, 1]);
    // Once there, an entry stays although a run shows less.
    assert_eq!(project.run("check --write-baseline").code, Some(0));
    assert!(project.read(FILE).contains("fingerprint"));
}

#[test]
fn the_policy_names_the_baseline_for_every_run() {
    let project = Project::new()
        .file("gpulint.yaml", "baseline: ci/known.json\n")
        .file("ci/.keep", "")
        .file("sub/a.py", INDEX_WITHOUT_ORDER);
    let missing = "the baseline ci/known.json does not exist; \
                   `gpulint check --baseline ci/known.json --write-baseline` writes it";
    project.run("check").fails(2, &format!("error: {missing}"));
    assert_eq!(project.run_in("sub", "check --write-baseline").code, Some(0));
    assert!(project.path("ci/known.json").exists());
    assert_eq!(project.run_in("sub", "check").code, Some(0));
    assert_eq!(project.run("check sub/a.py").code, Some(0));
    assert_eq!(project.run("check --isolated").code, Some(1));
    assert_eq!(project.run("check --config baseline=null").code, Some(1));
}

#[test]
fn a_file_that_is_no_baseline_is_told() {
    let project = adopted();
    let known = project.read(FILE);
    let way = "correct the line, or remove the file and write it anew with --write-baseline";
    for (text, told) in [
        ("", format!("other.json:1: no baseline: EOF while parsing a value; {way}")),
        ("{\n  \"schema\": 1\n}\n", format!("other.json:3: no baseline: missing field `findings`; {way}")),
        (
            "{\n  \"schema\": 7,\n  \"sinks\": []\n}\n",
            "other.json:2: a baseline of schema 7, and this gpulint reads schema 1; use a newer gpulint, or remove the \
             file and write it anew with --write-baseline"
                .to_owned(),
        ),
        (&known.replace("    {", "<<<<<<< HEAD\n    {"), format!("other.json:4: no baseline: expected value; {way}")),
        (
            &known.replace("\"rule\"", "\"role\""),
            format!(
                "other.json:4: no baseline: unknown field `role`, expected one of `path`, `rule`, `fingerprint`, \
                 `message`; {way}"
            ),
        ),
    ] {
        let project = Project::new().file("other.json", text).file("a.py", INDEX_WITHOUT_ORDER);
        for words in ["", "--write-baseline"] {
            let answer = project.run(&format!("check --baseline other.json {words}"));
            answer.fails(2, &format!("error: {told}"));
        }
        assert_eq!(project.read("other.json"), text);
    }
    project.run("check --baseline .").fails(2, "error: the baseline . is no regular file; name another with --baseline, or under `baseline` of the policy");
    let answer = project.run("check --baseline gone.json");
    let told = "the baseline gone.json does not exist; `gpulint check --baseline gone.json --write-baseline` writes it";
    answer.fails(2, &format!("error: {told}"));
    project
        .run("check --write-baseline -")
        .fails(2, "error: --write-baseline needs files, and `-` reads standard input");
    let unwritable = project.run("check --write-baseline --baseline no/such/folder.json");
    assert_eq!(unwritable.code, Some(2));
    assert!(
        unwritable.stderr.starts_with("error: cannot write the baseline no/such/folder.json: "),
        "{unwritable:?}"
    );
}

#[test]
fn line_ends_of_git_on_windows_do_not_matter() {
    let project = adopted();
    let text = format!("\u{feff}{}", project.read(FILE).replace('\n', "\r\n"));
    let project = project.file(FILE, text);
    all_known(&project, 1);
    let input = project.run_with_input(
        &format!("check - --stdin-filename a.py --format json --baseline {FILE}"),
        INDEX_WITHOUT_ORDER.as_bytes(),
    );
    assert_eq!(statuses(&input), ["baselined"]);
}
