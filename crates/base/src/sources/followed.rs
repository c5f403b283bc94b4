//! Files that the named ones import. Where nothing says how far the project reaches (no policy, no git
//! work tree), the whole folder may be a home directory: only what is imported is read.

use super::cells::Cells;
use super::language::Language;
use super::walk::{Found, ReadReason};
use crate::disk::{Bounds, Kind, kinds_in};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// More files than this are not read because others import them.
const MOST: usize = 5_000;

/// So many neighbours are read by one thread, and share what they looked up.
const TOGETHER: usize = 128;

/// How many folders above a file its imports are looked for in.
const REACH: usize = 3;

/// Larger files import nothing that anybody wrote.
const MOST_BYTES: u64 = 16 << 20;

/// What a package says that imports its own parts by their names: `import_module("." + name, __name__)`.
pub const IMPORTS_OWN: &[&str] = &["__name__", "__package__", "iter_modules", "walk_packages"];

/// The text that stands in the place of a file.
type OpenText<'a> = dyn Fn(&Path) -> Option<String> + Sync + 'a;

/// Adds the files that those in `found` import, and those that these import. All files below the folders
/// `walked` are in `found`; most of them lead nowhere else, and are not read for this. `open_text` knows texts that
/// stand in the place of files.
pub fn add(
    found: &mut Found,
    root: &Path,
    walked: &[PathBuf],
    (bounds, open_text): (&Bounds, &OpenText<'_>),
) {
    let text_of =
        |file: &Path| open_text(file).or_else(|| String::from_utf8(bounds.read(file, MOST_BYTES).ok()?).ok());
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
        .filter(|(file, wanted)| **wanted == ReadReason::Named || !whole && leads_out(file))
        .map(|(file, _)| file.clone());
    let mut pending: Vec<PathBuf> = leading.collect();
    let limit = found.len() + MOST;
    while !pending.is_empty() {
        let led_to: Vec<Vec<PathBuf>> =
            pending.par_chunks(TOGETHER).map(|files| reached_from(files, found, &text_of)).collect();
        pending.clear();
        for file in led_to.into_iter().flatten() {
            if found.len() < limit && !found.contains_key(&file) {
                found.insert(file.clone(), ReadReason::ForImports);
                pending.push(file);
            }
        }
    }
}

/// The files that some files lead to. What was looked up for one of them is not looked up for the next.
fn reached_from(files: &[PathBuf], found: &Found, text_of: &OpenText<'_>) -> Vec<PathBuf> {
    let mut reached = Vec::new();
    let mut looked_up = FxHashSet::default();
    let mut folders = Folders::default();
    let starts = folders_of_named(found);
    for file in files {
        let Some(text) = text_of(file) else { continue };
        let text = match Language::of_name(file) {
            Some(Language::Notebook) => Cells::read(&text).map(|(code, _)| code).unwrap_or_default(),
            _ => text,
        };
        if found.get(file) == Some(&ReadReason::Named) {
            reached.extend(files_around(file));
        }
        reached.extend(run_by(file, &text));
        reached.extend(imported_by(file, &text, &starts, &mut looked_up, &mut folders));
    }
    reached
}

/// The folders of the files that are named: what they import looks for modules there too, in whichever package it lies.
fn folders_of_named(found: &Found) -> Vec<PathBuf> {
    /// Where so many are named they name most of what they import.
    const MOST: usize = 4;
    let named = found.iter().filter(|(_, reason)| **reason == ReadReason::Named);
    let folders: BTreeSet<&Path> = named.filter_map(|(file, _)| file.parent()).collect();
    folders.into_iter().take(MOST).map(Path::to_owned).collect()
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
    let lines = lines_with("%run ", text).filter_map(|line| line.trim_start().strip_prefix("%run "));
    let scripts = lines.filter_map(|line| line.split_whitespace().find(|word| !word.starts_with('-')));
    let paths = scripts.map(|script| folder.join(script.trim_matches(['"', '\''])));
    paths.filter(|path| path.is_file()).collect()
}

/// The lines that hold a word, from the first to the last.
fn lines_with<'t>(word: &'t str, text: &'t str) -> impl Iterator<Item = &'t str> {
    let mut behind = 0;
    memchr::memmem::find_iter(text.as_bytes(), word).filter_map(move |at| {
        if at < behind {
            return None;
        }
        let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1);
        behind = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
        Some(&text[start..behind])
    })
}

/// The files that exist where the import lines of a file lead. A line in a text counts too: a file too
/// many is read, and nothing else.
fn imported_by(
    file: &Path,
    text: &str,
    starts: &[PathBuf],
    looked_up: &mut FxHashSet<PathBuf>,
    folders: &mut Folders,
) -> Vec<PathBuf> {
    let Some(folder) = file.parent().map(Path::to_owned) else { return Vec::new() };
    let folder = &folder;
    let mut above: &Path = folder;
    while folders.entry(&above.join("__init__.py")) == Some(Kind::File)
        && let Some(parent) = above.parent()
    {
        above = parent;
    }
    // A script that changes `sys.path` nearly always adds a folder near its own.
    let mut near = vec![folder.to_owned(), above.to_owned()];
    near.extend(starts.iter().filter(|start| *start != folder && start.as_path() != above).cloned());
    // The usual place of packages beside a folder of scripts or tests.
    let beside = folder.ancestors().skip(1).take(REACH).map(|folder| folder.join("src"));
    near.extend(beside.filter(|src| folders.entry(src) == Some(Kind::Folder)));
    if memchr::memmem::find(text.as_bytes(), b"sys.path").is_some() {
        for folder in folder.ancestors().skip(1).take(REACH) {
            near.extend([folder.to_owned(), folder.join("src"), folder.join("lib")]);
        }
    }
    let mut files = Vec::new();
    let mut beginnings: Vec<PathBuf> = Vec::new();
    let mut look_up = |base: &Path, dotted: &str| {
        let mut path = base.to_owned();
        for part in dotted.split('.').filter(|part| !part.is_empty()) {
            path.push(part);
            let is_folder = folders.entry(&path) == Some(Kind::Folder);
            if looked_up.insert(path.clone()) {
                let package = Some(path.join("__init__.py")).filter(|_| is_folder);
                let candidates = package.into_iter().chain([path.with_extension("py")]);
                files.extend(candidates.filter(|file| folders.entry(file) == Some(Kind::File)));
            }
            if !is_folder {
                break;
            }
        }
    };
    if ["import_module", "__import__", "runpy", "exec_module"].iter().any(|word| text.contains(word)) {
        for name in quoted_names(text) {
            let dotted = name.trim_start_matches('.');
            // `runpy.run_path("job.py")`
            let dotted = dotted.strip_suffix(".py").unwrap_or(dotted);
            let bases: &[PathBuf] =
                if dotted.len() < name.len() { std::slice::from_ref(folder) } else { &near };
            bases.iter().for_each(|base| look_up(base, dotted));
            // `import_module("plugins." + name)`
            if let Some(package) = dotted.strip_suffix('.') {
                let inside = bases.iter().map(|base| base.join(package.replace('.', "/")));
                inside.for_each(|folder| beginnings.push(folder));
            }
        }
        // `import_module("." + name, __name__)`, `import_module(f"{__name__}.{name}")`
        if file.ends_with("__init__.py") && IMPORTS_OWN.iter().any(|word| text.contains(word)) {
            beginnings.push(folder.clone());
        }
    }
    // `for info in pkgutil.iter_modules(plugins.__path__)`: what the packages hold that it imports.
    let asks = ["iter_modules", "walk_packages"].iter().any(|word| text.contains(word));
    let mut packages: Vec<PathBuf> = Vec::new();
    for line in lines_with("import ", text).flat_map(|line| line.split(';')) {
        let line = line.trim_start();
        let line = line.strip_prefix("lazy ").unwrap_or(line);
        if let Some(rest) = line.strip_prefix("import ") {
            for module in rest.split(',').filter_map(|part| part.split_whitespace().next()) {
                near.iter().for_each(|base| look_up(base, module));
                if asks {
                    packages.extend(near.iter().map(|base| base.join(module.replace('.', "/"))));
                }
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
                if asks {
                    let folder = base.join(dotted.replace('.', "/"));
                    packages.extend(names.iter().map(|name| folder.join(name)).chain([folder.clone()]));
                }
                names.iter().for_each(|name| look_up(base, &format!("{dotted}.{name}")));
            }
        }
    }
    packages.retain(|folder| folder.join("__init__.py").is_file());
    for folder in beginnings.into_iter().chain(packages) {
        files.extend(modules_in(&folder, text.contains("walk_packages"), 0));
    }
    files
}

/// The modules of a folder, and the packages that it holds; of these too where they are all looked through.
fn modules_in(folder: &Path, walks: bool, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (name, kind) in kinds_in(folder) {
        let path = folder.join(name);
        match kind {
            Kind::File => found.extend(Some(path).filter(|path| path.extension() == Some("py".as_ref()))),
            Kind::Folder => {
                let package = path.join("__init__.py");
                if package.is_file() {
                    found.push(package);
                    if walks && depth < REACH {
                        found.extend(modules_in(&path, walks, depth + 1));
                    }
                }
            }
        }
    }
    found
}

/// Texts that may name a module, for `import_module("package.part")`: up to what is put in, as in `f"package.{name}"`, or up
/// to what is taken from the module, as in `"package.part:function"`.
pub fn quoted_names(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let pieces = text.split(['"', '\'']).skip(1);
    let names = pieces.map(|piece| piece.split(['{', '%', ':']).next().unwrap_or_default());
    names.filter(move |name| !name.is_empty() && name.chars().all(is_name))
}

/// What lies in the folders that were looked into: one listing takes the place of many questions.
#[derive(Default)]
struct Folders {
    known: FxHashMap<PathBuf, FxHashMap<OsString, Kind>>,
}

impl Folders {
    /// What the path leads to, if it exists.
    fn entry(&mut self, path: &Path) -> Option<Kind> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        if let Some(listing) = self.known.get(folder) {
            return listing.get(name).copied();
        }
        let listing: FxHashMap<OsString, Kind> = kinds_in(folder).into_iter().collect();
        let kind = listing.get(name).copied();
        self.known.insert(folder.to_owned(), listing);
        kind
    }
}
