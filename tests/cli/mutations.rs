//! What `--since` calls new is what a whole check finds afterwards and did not find before, whatever the change.

use crate::git::git_in;
use crate::project::answer;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The findings of a check, each with how often it is there: its rule, its file and the text of its line. Of milder and
/// accepted ones too, or only those that fail.
fn found(folder: &Path, since: bool, with_all: bool) -> Option<BTreeMap<(String, String, String), usize>> {
    let mut gpulint = Command::new(env!("CARGO_BIN_EXE_gpulint"));
    gpulint.args(["check", "--no-cache", "--format", "json", "--min-severity", "note"]).current_dir(folder);
    if since {
        gpulint.args(["--since", "HEAD"]);
    }
    let json: Value = serde_json::from_str(&answer(&mut gpulint, b"").stdout).ok()?;
    let mut found = BTreeMap::new();
    for finding in json["findings"].as_array()? {
        // What was accepted before is known too.
        if !with_all && (finding["status"] != "active" || finding["severity"] == "note") {
            continue;
        }
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let file = fs::read_to_string(folder.join(text("path"))).unwrap_or_default();
        let line = finding["line"].as_u64().unwrap_or(1) as usize;
        let line = file.lines().nth(line - 1).unwrap_or_default();
        // The marks of the project are no part of a finding: another line with the same code is the same place for it.
        let line = line.split("# ~").next().unwrap_or_default().trim().to_owned();
        // The lines of a notebook are counted in their cell.
        let line = if finding["cell"].is_null() { line } else { String::new() };
        *found.entry((text("rule"), text("path"), line)).or_default() += 1;
    }
    Some(found)
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() && !path.ends_with(".git") => files_below(&path, files),
            path if path.is_file() => files.push(path),
            _ => {}
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => copy(&path, &to.join(entry.file_name())),
            path => drop(fs::copy(path, to.join(entry.file_name())).expect("a copy")),
        }
    }
}

#[test]
fn a_deleted_line_hides_nothing_that_it_brings() {
    let projects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(projects).expect("projects").flatten().map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let scratch = std::env::temp_dir().join(format!("gpulint-mutations-{}", std::process::id()));
    let (mut tried, mut brought) = (0, 0);
    // All of them take minutes; each commit tries the same part.
    for (at, folder) in folders.iter().enumerate().step_by(9) {
        let project = scratch.join(folder.file_name().expect("a name"));
        copy(folder, &project);
        git_in(&project, &["init", "-q"]);
        git_in(&project, &["add", "-A", "-f"]);
        git_in(&project, &["commit", "-q", "-m", "before"]);
        let mut files = Vec::new();
        files_below(&project, &mut files);
        files.sort();
        let Some(before) = found(&project, false, true) else { continue };
        for turn in 0..2 {
            let file = &files[(at * 7 + turn * 3) % files.len()];
            let Ok(text) = fs::read_to_string(file) else { continue };
            let count = text.lines().count().max(1);
            let gone = (at * 5 + turn * 11) % count;
            let lines = text.split_inclusive('\n').enumerate().filter(|(line, _)| *line != gone);
            fs::write(file, lines.map(|(_, line)| line).collect::<String>()).expect("it is written");
            let (after, new) = (found(&project, false, false), found(&project, true, false));
            assert_eq!(after.is_none(), new.is_none(), "{}:{gone}", file.display());
            tried += 1;
            for (finding, times) in after.unwrap_or_default() {
                let old = before.get(&finding).copied().unwrap_or_default();
                let told = new.as_ref().and_then(|new| new.get(&finding)).copied().unwrap_or_default();
                brought += times.saturating_sub(old);
                assert!(old + told >= times, "{}:{gone}: {finding:?} is hidden", file.display());
            }
            fs::write(file, text).expect("it is written");
        }
    }
    fs::remove_dir_all(&scratch).expect("the copies are removed");
    assert!(tried > 60 && brought > 3, "{tried} lines were deleted, which brought {brought} findings");
}
