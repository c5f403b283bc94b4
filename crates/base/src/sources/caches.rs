//! Machine code that numba left in the project: `.nbi` and `.nbc` files. They matter when git keeps them, so its index
//! says which are looked at; where there is no git, all that lie there are and that `.gitignore` does not name.

use super::ignored;
use super::language::Language;
use super::walk::{Found, ReadReason};
use crate::disk::{self, Bounds};
use ignore::gitignore::Gitignore;
use std::path::{Path, PathBuf};

/// A folder of caches below `NUMBA_CACHE_DIR` holds one folder for each module.
const DEEPEST: usize = 3;

/// No index and no settings of git are larger.
const MOST_BYTES: u64 = 256 << 20;

/// Caches in the folders that no other file is read from: beside the modules, and where numba is often told to put them.
pub fn beside(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for name in ["__pycache__", ".numba_cache"] {
        add_below(&folder.join(name), 0, &mut found);
    }
    found
}

fn add_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let names = disk::names_in(folder).unwrap_or_default();
    for path in names.into_iter().map(|name| folder.join(name)) {
        if is_cache(&path) {
            found.push(path);
        } else if depth < DEEPEST && path.extension().is_none() && path.is_dir() {
            add_below(&path, depth + 1, found);
        }
    }
}

/// Leaves those that git keeps, of the caches below a folder, and adds what other reasons hid from the walk.
pub fn settle(found: &mut Found, folder: &Path) {
    found.retain(|path, wanted| *wanted != ReadReason::ForImports || !is_cache(path));
    let Some(root) = work_tree_of(folder) else {
        let ignored = ignored_below(folder);
        let is_ignored = |path: &Path| ignored.matched_path_or_any_parents(path, false).is_ignore();
        found.retain(|path, wanted| {
            *wanted == ReadReason::Named || !is_cache(path) || !path.starts_with(folder) || !is_ignored(path)
        });
        return;
    };
    let kept = tracked(root);
    let is_kept = |path: &PathBuf| kept.as_ref().is_none_or(|kept| kept.contains(path));
    found.retain(|path, wanted| {
        *wanted == ReadReason::Named || !is_cache(path) || !path.starts_with(folder) || is_kept(path)
    });
    for path in kept.into_iter().flatten().filter(|path| path.starts_with(folder) && path.is_file()) {
        found.entry(path).or_insert(ReadReason::Below);
    }
}

/// What a project says that git shall ignore, where git does not say what it keeps.
fn ignored_below(folder: &Path) -> Gitignore {
    let patterns = ignored::patterns(folder, &folder.join(".gitignore"), &Bounds::of(folder));
    patterns.map_or_else(|_| Gitignore::empty(), |(patterns, _)| patterns)
}

/// The work tree of git that a folder lies in.
pub fn work_tree_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

/// Asked of every file of a project: the ending is looked at first.
fn is_cache(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let (_, ending) = bytes.split_at(bytes.len().saturating_sub(".nbi".len()));
    let may_be_one = ending[..ending.len().min(3)].eq_ignore_ascii_case(b".nb");
    may_be_one && Language::of_name(path) == Some(Language::Cache)
}

/// The caches that the index of a work tree lists; `None` when it cannot be read.
fn tracked(root: &Path) -> Option<Vec<PathBuf>> {
    let git = root.join(".git");
    // Where git keeps its files is its affair; nothing of them is shown.
    let read = |file: &Path| Bounds::default().read(file, MOST_BYTES);
    let text = |file: &Path| Some(String::from_utf8_lossy(&read(file).ok()?).into_owned());
    let folder = match text(&git) {
        // A second work tree says where its own index lies.
        Some(text) => root.join(text.strip_prefix("gitdir:")?.trim()),
        None => git,
    };
    let index = match read(&folder.join("index")) {
        Ok(index) => index,
        // Nothing was added yet.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(Vec::new()),
        Err(_) => return None,
    };
    // Only some repositories have one.
    if memchr::memmem::find(&index, b".nb").is_none() {
        return Some(Vec::new());
    }
    let config = text(&folder.join("config")).unwrap_or_default().to_ascii_lowercase();
    let hash = if config.contains("objectformat = sha256") { 32 } else { 20 };
    let names = names_in(&index, hash)?;
    let caches = names.into_iter().map(|name| root.join(name));
    Some(caches.filter(|path| is_cache(path)).collect())
}

/// The names in an index of git; its format is that of `gitformat-index`.
fn names_in(index: &[u8], hash: usize) -> Option<Vec<String>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let version = number(4)?;
    if index.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut names) = (12, Vec::new());
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..number(8)? {
        let flags_at = at + 40 + hash;
        let flags = u16::from_be_bytes(index.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let mut start = flags_at + if flags & 0x4000 == 0 { 2 } else { 4 };
        if version == 4 {
            let (dropped, behind) = length_at(index, start)?;
            name.truncate(name.len().checked_sub(dropped)?);
            start = behind;
        } else {
            name.clear();
        }
        let end = start + memchr::memchr(0, index.get(start..)?)?;
        name.extend_from_slice(&index[start..end]);
        names.push(String::from_utf8_lossy(&name).into_owned());
        // Older versions fill each entry up to a multiple of eight bytes.
        at = if version == 4 { end + 1 } else { at + (end - at + 8) / 8 * 8 };
    }
    Some(names)
}

/// A number of git's variable width, and where it ends.
fn length_at(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = (value.checked_add(1)?.checked_mul(128)?) | usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}
