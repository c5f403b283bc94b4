//! The promises of CONTRIBUTING.md about the code itself: borders between modules, the form of files, and pages that
//! are generated. `GPULINT_UPDATE=1 cargo test --test tidy` writes the generated pages anew.

mod borders;
mod files;
mod pages;

use std::path::{Path, PathBuf};

/// The text files below `folder`, as (path from the repository, text), sorted. Build output is not among them.
fn texts_below(folder: &str) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    collect(&in_repository(folder), &mut paths);
    paths.sort();
    let root = in_repository("");
    let named = paths.into_iter().filter_map(|path| {
        let name = path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
        Some((name, std::fs::read_to_string(path).ok()?))
    });
    named.collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("readable").path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            // Build output, and folders of tools such as editors; of these only the CI is ours.
            let hidden = name.to_string_lossy().starts_with('.') && name != ".ci";
            if !hidden && name != "target" && name != "__pycache__" {
                collect(&path, paths);
            }
        } else if name != ".git" {
            paths.push(path);
        }
    }
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Fails with all of them, one on a line.
#[track_caller]
fn none_of(faults: Vec<String>, what: &str) {
    assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
}
