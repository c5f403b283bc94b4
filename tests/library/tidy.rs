//! The promises of CONTRIBUTING.md about the code itself: borders between modules, the form of files, and pages that
//! are generated. `GPULINT_UPDATE=1 cargo test --test library tidy` writes the generated pages anew.

mod borders;
mod disk;
mod files;
mod imports;
mod pages;

use std::path::{Path, PathBuf};

/// The text files below `folder`, as (path from the repository, text), sorted. Build output is not among them.
fn texts_below(folder: &str) -> Vec<(String, String)> {
    // As git sees them: no build output, wherever it lies. Of the hidden folders only the CI is ours.
    let mut walk = ignore::WalkBuilder::new(in_repository(folder));
    walk.hidden(false).parents(false).require_git(false).sort_by_file_path(Path::cmp).filter_entry(|entry| {
        let name = entry.file_name();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_hidden = entry.depth() > 0 && name.as_encoded_bytes().starts_with(b".");
        name != ".git" && !(is_folder && is_hidden && name != ".ci")
    });
    let paths = walk.build().map(|entry| entry.expect("readable").into_path());
    let root = in_repository("");
    let named = paths.filter_map(|path| {
        let name = path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
        Some((name, std::fs::read_to_string(path).ok()?))
    });
    named.collect()
}

/// The files of the program itself: those of its package, and of the packages that its parts are.
fn sources() -> Vec<(String, String)> {
    let parts = texts_below("crates").into_iter().filter(|(path, _)| path.contains("/src/"));
    texts_below("src").into_iter().chain(parts).collect()
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Fails with all of them, one on a line.
#[track_caller]
fn none_of(faults: Vec<String>, what: &str) {
    assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
}
