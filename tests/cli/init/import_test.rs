//! `gpulint init --import-test`: a test that importing the project leaves the GPU alone.

use super::init;
use crate::project::Project;

const TEST: &str = "tests/test_import_leaves_gpu_alone.py";

#[test]
fn of_the_packages_that_are_there() {
    let project = Project::new()
        .file("app/__init__.py", "")
        .file("src/core/__init__.py", "")
        .file("tests/__init__.py", "")
        .file("scripts/run.py", "");
    let answer = init(&project, &["--import-test"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.ends_with(&format!("Wrote {TEST}.\n\nNext: `gpulint check`.\n")), "{answer:?}");
    assert!(project.read(TEST).contains("\nMODULES = [\"app\", \"core\"]\n"), "{}", project.read(TEST));
}

#[test]
fn of_the_modules_that_are_named() {
    let project = Project::new().file("test/test_app.py", "");
    let answer = init(&project, &["--import-test=app.models,tool"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let text = project.read("test/test_import_leaves_gpu_alone.py");
    assert!(text.contains("\nMODULES = [\"app.models\", \"tool\"]\n"), "{text}");
    let again = init(&project, &["--import-test=tool"]);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.stderr.contains("test_import_leaves_gpu_alone.py exists"), "{again:?}");
}

#[test]
fn of_nothing() {
    let answer = init(&Project::new(), &["--import-test"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains("name modules with --import-test=NAME"), "{answer:?}");
    let wrong = init(&Project::new(), &["--import-test=app-one"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}
