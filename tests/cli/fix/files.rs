//! Files that are links, that may not be written to, that somebody is merging, or that are notebooks.

use super::{FIXED_ONE, NOTHING, project, right, wrong};
use crate::project::Project;
use std::fs;

#[test]
fn a_file_that_is_read_only_stays() {
    let project = project().file("b.py", wrong());
    let mut permissions = fs::metadata(project.path("a.py")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(project.path("a.py"), permissions).unwrap();
    let answer = project.run("check --fix --format concise --output correction=r.md --output json=r.json");
    assert_eq!(answer.code, Some(2));
    assert_eq!(answer.stderr, format!("error: a.py is not fixed: it is read-only\n{FIXED_ONE}"));
    assert!(answer.stdout.ends_with("Checked 2 files: 1 error (1 fixed).\n"), "{answer:?}");
    assert_eq!((project.read("a.py"), project.read("b.py")), (wrong(), right()));
    let page = project.read("r.md");
    assert!(page.contains("**Not every file could be written;"), "{page}");
    assert!(page.contains("| the file could not be written |"), "{page}");
    assert!(project.read("r.json").contains("\"unfixed\": \"the file could not be written\""));
}

#[test]
#[cfg(unix)]
fn a_link_stays_a_link_and_its_file_is_fixed() {
    use std::os::unix::fs::symlink;
    let project = Project::new().file("gpulint.yaml", super::POLICY).file("real/a.txt", wrong());
    symlink("real/a.txt", project.path("link.py")).unwrap();
    assert_eq!(project.run("check --fix").stderr, FIXED_ONE);
    assert!(project.path("link.py").is_symlink());
    assert_eq!(project.read("real/a.txt"), right());

    // Both names are read: it is fixed once, and found under neither.
    let project = self::project();
    symlink("a.py", project.path("link.py")).unwrap();
    project.run("check --fix").is(0, "Checked 2 files: no findings (1 fixed).\n", FIXED_ONE);
    assert!(project.path("link.py").is_symlink());
    assert_eq!(project.read("a.py"), right());
    project.run("check --fix").is(0, "Checked 2 files: no findings.\n", NOTHING);
    let project = project.file("a.py", wrong());
    project.run("check --fix link.py").is(0, "Checked 1 file: no findings (1 fixed).\n", FIXED_ONE);
    assert_eq!(project.read("a.py"), right());
}

#[test]
#[cfg(unix)]
fn a_file_outside_of_the_project_stays() {
    let other = self::project();
    let project = Project::new().file("gpulint.yaml", super::POLICY);
    std::os::unix::fs::symlink(other.path("a.py"), project.path("link.py")).unwrap();
    // What a link leads to there is not even read.
    let answer = project.run("check --fix --format json");
    assert_eq!((answer.code, other.read("a.py")), (Some(2), wrong()));
    assert_eq!(answer.skipped(), ["link.py: a link that leads outside of the project"]);
    let file = other.path("a.py").display().to_string();
    let answer = project.run(&format!("check --fix --format json . {file}"));
    assert_eq!((answer.code, other.read("a.py")), (Some(1), wrong()), "{answer:?}");
    assert_eq!(answer.json()["findings"][0]["unfixed"], "the file lies outside of the project");
    assert_eq!(answer.json()["findings"][0]["fix"], serde_json::Value::Null);
}

#[test]
fn a_file_that_somebody_is_merging_stays() {
    let marks = "\nx = '''\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n'''\n";
    let text = wrong() + marks;
    let project = self::project().file("a.py", &text);
    let answer = project.run("check --fix --format json");
    assert_eq!((answer.code, project.read("a.py")), (Some(1), text));
    let reason = "the file has marks of a merge that is not finished";
    assert_eq!(answer.json()["findings"][0]["unfixed"], reason);
}

#[test]
fn only_the_code_of_a_notebook_changes() {
    // As no program would write it: every blank and every escape has to stay.
    let lines: Vec<String> = wrong().split_inclusive('\n').map(|line| format!("{line:?}")).collect();
    let notebook = format!(
        "{{\"nbformat\":4 ,  \"x\": 1.0e0, \"é\\u00e9\":\"\\/\",\n\t\"cells\": [ {{\"cell_type\":\"code\",\"outputs\":[{{\"data\":\"ü\"}}],\n\
         \"source\": [{}],\"execution_count\":null}}\n,{{\"cell_type\":\"markdown\",\"source\":\"if torch.cuda.is_available:\"}},\n\
         {{\"source\":\"y = \\\"\\ud83d\\ude00\\\" if torch.cuda.is_available else 0\\n\",\"cell_type\":\"code\"}}]}}",
        lines.join(" ,\n")
    );
    let fixed = notebook
        .replacen("is_available:  #", "is_available():  #", 1)
        .replace("is_available else", "is_available() else");
    let project = Project::new().file("gpulint.yaml", super::POLICY).file("n.ipynb", &notebook);
    let answer = project.run("check --fix --output correction=r.md");
    assert_eq!(answer.stderr, "note: fixed 2 findings in 1 file\n");
    assert_eq!(project.read("n.ipynb"), fixed);
    // The report shows the code of the cells, and not the JSON.
    let page = project.read("r.md");
    assert!(page.contains("+++ b/n.ipynb:cell 1\n") && page.contains("+++ b/n.ipynb:cell 3\n"), "{page}");
    assert!(page.contains("\n-if torch.cuda.is_available:  # a comment\n"), "{page}");
    assert!(page.contains("| cell 3, line 1 | error:"), "{page}");
    assert_eq!(project.run("check --fix").stderr, NOTHING);
}

#[test]
fn leftovers_of_the_dead_are_removed() {
    let project = self::project().file(".a.py.999999999.new", "half of");
    assert_eq!(project.run("check --fix").stderr, FIXED_ONE);
    assert_eq!(project.path(".a.py.999999999.new").exists(), cfg!(windows));
}
