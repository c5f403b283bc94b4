//! Which files a run reads: those below the paths that the user named, and those of the project.

use super::ignored::Ignored;
use super::language::{Language, is_known_hidden};
use super::read::words;
use super::{Excluded, FileSelection};
use crate::disk::{Bounds, absolute, refused};
use ignore::{DirEntry, WalkBuilder, WalkState};
use rustc_hash::FxHashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Paths that the user named and that do not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such file or directory: {}", .0.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "))]
pub struct MissingPaths(pub Vec<PathBuf>);

/// Why a file is read. Ordered: the stronger reason wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadReason {
    /// Others may import it.
    ForImports,
    /// It lies below a folder that the user named.
    Below,
    /// The user named it.
    Named,
}

impl ReadReason {
    pub fn is_reported(self) -> bool {
        self != ReadReason::ForImports
    }
}

/// Absolute paths of files that may be read; their content has not been looked at.
pub type Found = FxHashMap<PathBuf, ReadReason>;

/// What cannot be read, with the reason.
type Unreadable = Vec<(PathBuf, String)>;

/// What a run may read: what really lies below the root, and what the user named elsewhere; without a project also what
/// such a file can import.
pub fn bounds(root: &Path, named: &[PathBuf], extent: FileSelection) -> Bounds {
    let root = absolute(root);
    let bounds = Bounds::of(&root).and(named);
    if extent == FileSelection::Project {
        return bounds;
    }
    // One that an editor shows may not be saved yet.
    let around = named.iter().filter(|path| !path.is_dir()).map(|file| {
        let file = absolute(file);
        // The folder that its package lies in.
        let folders = file.ancestors().skip(1);
        let outermost = folders.take_while(|folder| folder.join("__init__.py").is_file()).last();
        outermost.unwrap_or(&file).parent().unwrap_or(Path::new("")).to_owned()
    });
    let around: Vec<PathBuf> = around.filter(|folder| !root.starts_with(folder)).collect();
    bounds.and(around)
}

pub fn files(
    root: &Path,
    named: &[PathBuf],
    extent: FileSelection,
    excluded: &Excluded,
    bounds: &Bounds,
) -> Result<(Found, Unreadable), MissingPaths> {
    let (mut found, mut unreadable) = (Found::default(), Unreadable::new());
    let (mut missing, mut walked) = (Vec::new(), Vec::new());
    for path in named {
        let full = absolute(path);
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => {
                if let Some(why) = bounds.real(&full).err().as_ref().and_then(refused) {
                    unreadable.push((full, words(why).to_owned()));
                    continue;
                }
                let (found, unreadable) = (&mut found, &mut unreadable);
                let mut walk = FolderWalker { found, unreadable, bounds, wanted: ReadReason::Below };
                walk.below(&full, is_inside_installed(root, &full));
                walked.push(full);
            }
            // Also pipes and devices: the reader refuses them with a reason.
            Ok(_) => {
                found.insert(full, ReadReason::Named);
            }
            Err(error) if is_absence(&error) => missing.push(path.clone()),
            Err(error) => unreadable.push((full, reason(&error))),
        }
    }
    if !missing.is_empty() {
        return Err(MissingPaths(missing));
    }
    let stays = |path: &Path, wanted: ReadReason| match wanted {
        ReadReason::ForImports => true,
        ReadReason::Named if !excluded.even_named => true,
        _ => !excluded.names(root, path),
    };
    found.retain(|path, wanted| stays(path, *wanted));
    unreadable.retain(|(path, _)| !excluded.names(root, path));
    if extent == FileSelection::NamedPaths {
        // Where files are missing from the walked folders, they may lie in these and be imported all the same.
        let complete: &[PathBuf] = if excluded.is_empty() { &walked } else { &[] };
        super::followed::add(&mut found, root, complete, (bounds, &|_| None));
    } else {
        let mut project = Found::default();
        let mut untold = Unreadable::new();
        let (found_here, unreadable) = (&mut project, &mut untold);
        let wanted = ReadReason::ForImports;
        FolderWalker { found: found_here, unreadable, bounds, wanted }.below(root, false);
        if excluded.even_named {
            found.retain(|path, wanted| {
                let is_inside = path.starts_with(root);
                *wanted = if is_inside { ReadReason::Below } else { *wanted };
                !is_inside || project.contains_key(path)
            });
        }
        // Few are named, of many.
        project.extend(found);
        found = project;
    }
    named.iter().map(|path| absolute(path)).for_each(|path| super::caches::settle(&mut found, &path));
    found.retain(|path, wanted| stays(path, *wanted));
    unreadable.sort();
    unreadable.dedup();
    Ok((found, unreadable))
}

/// What the system says, as one clause.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotFound => "vanished before it could be read".to_owned(),
        _ => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            format!("cannot be read: {}", text.to_lowercase())
        }
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

struct FolderWalker<'a> {
    found: &'a mut Found,
    unreadable: &'a mut Unreadable,
    bounds: &'a Bounds,
    wanted: ReadReason,
}

impl FolderWalker<'_> {
    /// Hidden files are passed over but for those that are known to start programs, and inside a git work
    /// tree those that git ignores.
    fn below(&mut self, folder: &Path, read_installed: bool) {
        let mut walk = WalkBuilder::new(folder);
        // Files that say what git ignores are read here, within the bounds.
        walk.standard_filters(false);
        let ignored_by_git = Arc::new(Ignored::below(folder, self.bounds));
        let by_git = Arc::clone(&ignored_by_git);
        walk.filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let name = entry.file_name().to_string_lossy();
            let is_hidden = name.starts_with('.') && !is_known_hidden(&name);
            let is_left_out = is_hidden
                || is_folder && is_foreign(entry.path(), read_installed)
                || by_git.holds(entry.path(), is_folder);
            entry.depth() == 0 || !is_left_out
        });
        // Found in any order: the files are sorted by path, and what cannot be read too.
        let entries = Mutex::new(Vec::new());
        let ignored = Mutex::new(Vec::new());
        let keeps_caches = self.wanted.is_reported() && super::caches::work_tree_of(folder).is_none();
        walk.threads(rayon::current_num_threads());
        walk.build_parallel().run(|| {
            Box::new(|entry| {
                // What programs load from it is in force although git does not keep it.
                if let Ok(entry) = &entry
                    && entry.file_type().is_some_and(|kind| kind.is_dir())
                    && let Some(settings) = super::dotenv::of_folder(entry.path())
                {
                    ignored.lock().unwrap_or_else(PoisonError::into_inner).push(settings);
                }
                if let Ok(entry) = &entry
                    && keeps_caches
                    && entry.file_type().is_some_and(|kind| kind.is_dir())
                {
                    let caches = super::caches::beside(entry.path());
                    ignored.lock().unwrap_or_else(PoisonError::into_inner).extend(caches);
                }
                entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
                WalkState::Continue
            })
        });
        for settings in ignored.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.add(settings);
        }
        self.unreadable.extend(ignored_by_git.refused());
        let entries = entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.found.reserve(entries.len());
        for entry in entries {
            match entry {
                Ok(entry) => self.entry(&entry),
                Err(error) => self.error(folder, &error),
            }
        }
    }

    fn entry(&mut self, entry: &DirEntry) {
        let Some(kind) = entry.file_type() else { return };
        let path = entry.path();
        if entry.depth() > 0 && kind.is_symlink() && !self.leads_to_a_file(path) {
            return;
        }
        if !kind.is_dir() && may_be_read(path) {
            self.add(path.to_owned());
        }
    }

    fn add(&mut self, path: PathBuf) {
        let wanted = self.found.entry(path).or_insert(self.wanted);
        *wanted = self.wanted.max(*wanted);
    }

    /// Links to folders are not followed: what they lead to is read under its own name, or lies
    /// outside the project.
    fn leads_to_a_file(&mut self, link: &Path) -> bool {
        match link.metadata() {
            Ok(metadata) if metadata.is_dir() => {
                let target = link.canonicalize().unwrap_or_default();
                let parent = link.parent().and_then(|folder| folder.canonicalize().ok());
                if parent.is_some_and(|parent| parent.starts_with(&target)) {
                    let reason = "a symbolic link to a folder that contains it";
                    self.unreadable.push((link.to_owned(), reason.to_owned()));
                }
                false
            }
            Ok(_) => true,
            Err(error) if is_absence(&error) => {
                if Language::of_name(link).is_some() {
                    let reason = "a symbolic link to a file that does not exist";
                    self.unreadable.push((link.to_owned(), reason.to_owned()));
                }
                false
            }
            Err(error) => {
                self.unreadable.push((link.to_owned(), reason(&error)));
                false
            }
        }
    }

    /// Folders that cannot be listed.
    fn error(&mut self, folder: &Path, error: &ignore::Error) {
        let path = path_of(error).unwrap_or(folder).to_owned();
        // What is not from the system is a line of a .gitignore that is no pattern; git passes over
        // it too.
        if let Some(io) = error.io_error() {
            self.unreadable.push((path, reason(io)));
        }
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

/// Whether a walk through the project would come upon a file that lies there in another state, but for what git ignores.
pub fn would_find(root: &Path, file: &Path) -> bool {
    let Ok(below) = file.strip_prefix(root) else { return false };
    let is_open = |part: Component<'_>| {
        let name = part.as_os_str().to_string_lossy();
        let is_foreign = matches!(&*name, "__pycache__" | "node_modules" | "site-packages");
        !is_foreign && (!name.starts_with('.') || is_known_hidden(&name))
    };
    may_be_read(file) && below.components().all(is_open)
}

/// A file without an extension may begin with a shebang.
fn may_be_read(path: &Path) -> bool {
    path.extension().is_none() || Language::of_name(path).is_some()
}

/// Folders that hold no code of this project. `read_installed`: the user named a path inside one
/// with installed packages, so those are read.
fn is_foreign(folder: &Path, read_installed: bool) -> bool {
    let name = folder.file_name().unwrap_or_default();
    if name == ".git" || name == "__pycache__" || name == "node_modules" {
        return true;
    }
    !read_installed && is_installed(folder)
}

/// Where Python's installers put packages.
fn is_installed(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "site-packages") || folder.join("pyvenv.cfg").is_file()
}

/// Whether `path` is, or lies in, a folder with installed packages. What is above the project root
/// does not count: the project itself may have been put into such a folder.
pub fn is_inside_installed(root: &Path, path: &Path) -> bool {
    path.ancestors().take_while(|folder| *folder != root).any(is_installed)
}
