//! Build script: the number by which answers that were kept are known to be those of this very program.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Stands for all that gpulint is built from: another number, another program. Unlike the time of the file or its place it is the
/// same wherever this program is installed.
fn main() {
    let top = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut files = Vec::new();
    // A published package has no parts beside it: each is a package of its own, which fits this version only.
    for folder in
        ["src", "crates", "rules"].map(|name| top.join(name)).iter().filter(|folder| folder.is_dir())
    {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect_all(folder, &mut files);
    }
    // A published package has a lock file, and a checkout too; nothing else has one.
    let parts = ["Cargo.toml", "Cargo.lock"].map(|name| top.join(name));
    for file in parts.into_iter().filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
        files.push(file);
    }
    files.sort();
    println!("cargo::rustc-env=GPULINT_SOURCE={:016x}", number_of(&top, &files));
}

/// Of names and contents.
fn number_of(top: &Path, files: &[PathBuf]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in files {
        let name = file.strip_prefix(top).unwrap_or(file).to_string_lossy().replace('\\', "/");
        (name, fs::read(file).expect("the source is readable")).hash(&mut hasher);
    }
    hasher.finish()
}

fn collect_all(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source is readable") {
        let path = entry.expect("the source is readable").path();
        if path.is_dir() { collect_all(&path, files) } else { files.push(path) }
    }
}
