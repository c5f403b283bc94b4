//! Files that the named ones import. Where nothing says how far the project reaches (no policy, no git
//! work tree), the whole folder may be a home directory: only what is imported is read.

use super::cells::Cells;
use super::language::Language;
use super::walk::{Found, Wanted};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// More files than this are not read because others import them.
const MOST: usize = 5_000;

/// So many neighbours are read by one thread, and share what they looked up.
const TOGETHER: usize = 128;

/// How many folders above a file its imports are looked for in.
const REACH: usize = 3;

/// Adds the files that those in `found` import, and those that these import. All files below the folders
/// `walked` are in `found`; most of them lead nowhere else, and are not read for this.
pub fn add(found: &mut Found, root: &Path, walked: &[PathBuf]) {
    // A named folder that holds the whole project leaves nothing to look for.
    let whole = walked.iter().any(|folder| root.starts_with(folder));
    // A package may import what lies beside it.
    let closed: Vec<&PathBuf> =
        walked.iter().filter(|folder| !found.contains_key(&folder.join("__init__.py"))).collect();
    let leads_out = |file: &Path| {
        let farthest = file.ancestors().nth(1 + REACH);
        !farthest.is_some_and(|farthest| closed.iter().any(|folder| farthest.starts_with(folder)))
            // One that runs others names them by their paths.
            || Language::of_name(file) == Some(Language::Notebook)
    };
    let leading = found
        .iter()
        .filter(|(file, wanted)| **wanted == Wanted::Named || !whole && leads_out(file))
        .map(|(file, _)| file.clone());
    let mut pending: Vec<PathBuf> = leading.collect();
    let limit = found.len() + MOST;
    while !pending.is_empty() {
        let led_to: Vec<Vec<PathBuf>> =
            pending.par_chunks(TOGETHER).map(|files| reached_from(files, found)).collect();
        pending.clear();
        for file in led_to.into_iter().flatten() {
            if found.len() < limit && !found.contains_key(&file) {
                found.insert(file.clone(), Wanted::ForImports);
                pending.push(file);
            }
        }
    }
}

/// The files that some files lead to. What was looked up for one of them is not looked up for the next.
fn reached_from(files: &[PathBuf], found: &Found) -> Vec<PathBuf> {
    let mut reached = Vec::new();
    let mut looked_up = FxHashSet::default();
    for file in files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let text = match Language::of_name(file) {
            Some(Language::Notebook) => Cells::read(&text).map(|(code, _)| code).unwrap_or_default(),
            _ => text,
        };
        if found.get(file) == Some(&Wanted::Named) {
            reached.extend(files_around(file));
        }
        reached.extend(run_by(file, &text));
        reached.extend(imported_by(file, &text, &mut looked_up));
    }
    reached
}

/// What runs before a file that is started by pytest, or as a module of its package.
fn files_around(file: &Path) -> Vec<PathBuf> {
    /// Folders above the file that are looked into.
    const MOST: usize = 12;
    let folders = file.ancestors().skip(1).take(MOST);
    let candidates = folders.flat_map(|folder| ["conftest.py", "__init__.py"].map(|name| folder.join(name)));
    candidates.filter(|candidate| candidate.is_file()).collect()
}

/// The scripts that a notebook runs in its own process.
fn run_by(file: &Path, text: &str) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("%run "));
    let scripts = lines.filter_map(|line| line.split_whitespace().find(|word| !word.starts_with('-')));
    let paths = scripts.map(|script| folder.join(script.trim_matches(['"', '\''])));
    paths.filter(|path| path.is_file()).collect()
}

/// The files that exist where the import lines of a file lead. A line in a text counts too: a file too
/// many is read, and nothing else.
fn imported_by(file: &Path, text: &str, looked_up: &mut FxHashSet<PathBuf>) -> Vec<PathBuf> {
    let Some(folder) = file.parent() else { return Vec::new() };
    let mut above = folder;
    while above.join("__init__.py").is_file()
        && let Some(parent) = above.parent()
    {
        above = parent;
    }
    // A script that changes `sys.path` nearly always adds a folder near its own.
    let mut near = vec![folder.to_owned(), above.to_owned()];
    // The usual place of packages beside a folder of scripts or tests.
    near.extend(
        folder.ancestors().skip(1).take(REACH).map(|folder| folder.join("src")).filter(|src| src.is_dir()),
    );
    if memchr::memmem::find(text.as_bytes(), b"sys.path").is_some() {
        for folder in folder.ancestors().skip(1).take(REACH) {
            near.extend([folder.to_owned(), folder.join("src"), folder.join("lib")]);
        }
    }
    let mut files = Vec::new();
    let mut look_up = |base: &Path, dotted: &str| {
        let mut path = base.to_owned();
        for part in dotted.split('.').filter(|part| !part.is_empty()) {
            path.push(part);
            if looked_up.insert(path.clone()) {
                let candidates = [path.join("__init__.py"), path.with_extension("py")];
                files.extend(candidates.into_iter().filter(|candidate| candidate.is_file()));
            }
        }
    };
    for line in text.lines() {
        let line = line.trim_start();
        let line = line.strip_prefix("lazy ").unwrap_or(line);
        if let Some(rest) = line.strip_prefix("import ") {
            for module in rest.split(',').filter_map(|part| part.split_whitespace().next()) {
                near.iter().for_each(|base| look_up(base, module));
            }
        } else if let Some((module, names)) =
            line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            let dotted = module.trim().trim_start_matches('.');
            let level = module.trim().len() - dotted.len();
            let bases = match level {
                0 => near.iter().map(PathBuf::as_path).collect(),
                level => folder.ancestors().nth(level - 1).into_iter().collect::<Vec<_>>(),
            };
            let names =
                names.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty());
            let names: Vec<&str> = names.collect();
            for base in bases {
                look_up(base, dotted);
                names.iter().for_each(|name| look_up(base, &format!("{dotted}.{name}")));
            }
        }
    }
    files
}
