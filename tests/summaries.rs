//! Calls that are answered by a summary and calls that are followed each time lead to the same findings.

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

#[test]
fn the_same_is_found_with_and_without_summaries() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> =
        vec![repository.join("examples/two-cards"), repository.join("examples/clean")];
    let projects = std::fs::read_dir(repository.join("tests/projects")).expect("projects");
    folders.extend(projects.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()));
    assert!(folders.len() > 100, "the projects are where they were");
    folders.sort();
    // Each takes two runs: a part of them in turn, and the large ones.
    let is_large =
        |folder: &Path| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("whole-"));
    let chosen = folders.iter().enumerate().filter(|(number, folder)| number % 12 == 0 || is_large(folder));
    let differs =
        chosen.map(|(_, folder)| folder).filter(|folder| report_of(folder, true) != report_of(folder, false));
    let differs: Vec<&PathBuf> = differs.collect();
    assert!(differs.is_empty(), "found differently: {differs:?}");
}
