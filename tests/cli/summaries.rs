//! Calls that are answered by a summary and calls that are followed each time lead to the same findings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a check of a folder prints, with or without summaries.
fn report_of(folder: &Path, with_summaries: bool) -> String {
    let mut gpulint = Command::new(env!("CARGO_BIN_EXE_gpulint"));
    gpulint.current_dir(folder).env_remove("GPULINT_NO_SUMMARIES");
    gpulint.args(["check", "--isolated", "--no-cache", "--format", "json", "--min-severity", "note", "."]);
    if !with_summaries {
        gpulint.env("GPULINT_NO_SUMMARIES", "1");
    }
    let output = gpulint.output().expect("gpulint runs");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A copy outside of the repository, which would be the project else.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &copied),
            false => drop(fs::copy(&path, &copied).expect("a copy")),
        }
    }
}

#[test]
fn the_same_is_found_with_and_without_summaries() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![repository.join("examples/two-cards"), repository.join("examples/clean")];
    let projects = fs::read_dir(repository.join("tests/projects")).expect("projects");
    folders.extend(projects.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()));
    assert!(folders.len() > 100, "the projects are where they were");
    folders.sort();
    let scratch = std::env::temp_dir().join(format!("gpulint-summaries-{}", std::process::id()));
    // Each takes two runs; a third of them says enough at every commit.
    let differs = folders.iter().step_by(3).filter(|folder| {
        let copied = scratch.join(folder.file_name().expect("a name"));
        copy(folder, &copied);
        report_of(&copied, true) != report_of(&copied, false)
    });
    let differs: Vec<&PathBuf> = differs.collect();
    fs::remove_dir_all(&scratch).expect("the copies are removed");
    assert!(differs.is_empty(), "found differently: {differs:?}");
}

/// Generated programs that share modules and differ in how they are started: what one did is known when the next is followed.
#[test]
#[cfg(unix)]
fn programs_that_share_modules_are_judged_alike() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/against_python/alike.py");
    let mut python = Command::new("python3");
    python.arg("-B").arg(script).args([
        "--gpulint",
        env!("CARGO_BIN_EXE_gpulint"),
        "--seed",
        "1",
        "--count",
        "300",
    ]);
    let Ok(output) = python.output() else {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no python3");
        eprintln!("skipped: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
