//! What git ignores: the patterns of `.gitignore` files, of a repository's own `info/exclude`, and of the user.
//!
//! The files are other people's, so they are read like all of a project: no device, no pipe, nothing outside, and not without
//! bound. One that is refused ignores nothing, which is told.

use crate::disk::{Bounds, refused};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Larger files are no lists that somebody wrote.
const MOST_BYTES: u64 = 1 << 20;
/// Each pattern takes kilobytes once it is compiled.
const MOST_PATTERNS: usize = 5_000;
/// Of all files of a walk together.
const MOST_IN_ALL: usize = 20_000;
/// The file `.git` of a second work tree names a folder.
const MOST_OF_A_NAME: u64 = 1 << 14;

/// What is ignored below one folder.
pub struct Ignored {
    top: PathBuf,
    /// The folder without links on the way to it.
    real: PathBuf,
    bounds: Bounds,
    /// Of the user, for all projects.
    everywhere: Gitignore,
    levels: Mutex<FxHashMap<PathBuf, Arc<Level>>>,
    left: AtomicUsize,
    refused: Mutex<Vec<(PathBuf, String)>>,
}

/// What one folder says, and those around it.
struct Level {
    above: Option<Arc<Level>>,
    own: Gitignore,
    excluded: Gitignore,
    /// A repository begins here: what is said above is about another one.
    is_repository: bool,
    in_repository: bool,
}

impl Ignored {
    pub fn below(top: &Path, bounds: &Bounds) -> Ignored {
        let real = top.canonicalize().unwrap_or_else(|_| top.to_owned());
        let (everywhere, _) = GitignoreBuilder::new(&real).build_global();
        let ignored = Ignored {
            top: top.to_owned(),
            real,
            bounds: bounds.clone(),
            everywhere,
            levels: Mutex::default(),
            left: AtomicUsize::new(MOST_IN_ALL),
            refused: Mutex::default(),
        };
        let mut above = None;
        if let Some(repository) = super::caches::work_tree_of(&ignored.real) {
            let bounds = Bounds::of(repository);
            let folders: Vec<&Path> = ignored
                .real
                .ancestors()
                .skip(1)
                .take_while(|folder| folder.starts_with(repository))
                .collect();
            for folder in folders.into_iter().rev() {
                above = Some(Arc::new(ignored.level(folder, above, &bounds)));
            }
        }
        let own = ignored.level(&ignored.real, above, &ignored.bounds);
        ignored.levels.lock().unwrap_or_else(PoisonError::into_inner).insert(top.to_owned(), Arc::new(own));
        ignored
    }

    /// Whether git ignores what lies at a path below the folder.
    pub fn holds(&self, path: &Path, is_folder: bool) -> bool {
        let Some(level) = path.parent().and_then(|folder| self.level_of(folder)) else { return false };
        if !level.in_repository {
            return false;
        }
        let real = self.real_of(path);
        let (mut own, mut excluded) = (Match::None, Match::None);
        let mut at = Some(&level);
        while let Some(level) = at {
            if own.is_none() {
                own = level.own.matched(&real, is_folder).map(|_| ());
            }
            if excluded.is_none() {
                excluded = level.excluded.matched(&real, is_folder).map(|_| ());
            }
            at = if level.is_repository { None } else { level.above.as_ref() };
        }
        own.or(excluded).or(self.everywhere.matched(&real, is_folder).map(|_| ())).is_ignore()
    }

    /// The files that were not read, with the reason.
    pub fn refused(&self) -> Vec<(PathBuf, String)> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn level_of(&self, folder: &Path) -> Option<Arc<Level>> {
        let levels = || self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = levels().get(folder) {
            return Some(Arc::clone(known));
        }
        if folder == self.top {
            return None;
        }
        let above = self.level_of(folder.parent()?)?;
        let level = Arc::new(self.level(&self.real_of(folder), Some(above), &self.bounds));
        levels().insert(folder.to_owned(), Arc::clone(&level));
        Some(level)
    }

    fn level(&self, folder: &Path, above: Option<Arc<Level>>, bounds: &Bounds) -> Level {
        let is_repository = folder.join(".git").exists() || folder.join(".jj").exists();
        let in_repository = is_repository || above.as_ref().is_some_and(|above| above.in_repository);
        let read = |file: &Path, bounds: &Bounds| match self.patterns(folder, file, bounds) {
            Ok(patterns) => patterns,
            Err(reason) => {
                let shown = self.shown(file);
                self.refused.lock().unwrap_or_else(PoisonError::into_inner).push((shown, reason));
                Gitignore::empty()
            }
        };
        let own = if in_repository { read(&folder.join(".gitignore"), bounds) } else { Gitignore::empty() };
        let excluded = match is_repository.then(|| git_folder(folder)).flatten() {
            // Where a repository has its own files is git's affair; nothing of them is shown.
            Some(git) => read(&git.join("info/exclude"), &Bounds::default()),
            None => Gitignore::empty(),
        };
        Level { above, own, excluded, is_repository, in_repository }
    }

    fn patterns(&self, folder: &Path, file: &Path, bounds: &Bounds) -> Result<Gitignore, String> {
        let (patterns, count) = patterns(folder, file, bounds)?;
        let left =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(count));
        match left {
            Ok(_) => Ok(patterns),
            Err(_) => Err(told(&format!("more than {MOST_IN_ALL} patterns with those of other folders"))),
        }
    }

    fn real_of(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.top).map_or_else(|_| path.to_owned(), |below| self.real.join(below))
    }

    fn shown(&self, real: &Path) -> PathBuf {
        real.strip_prefix(&self.real).map_or_else(|_| real.to_owned(), |below| self.top.join(below))
    }
}

/// The patterns of a file, which are about what lies below a folder; none where there is no such file. Says also how many
/// there are.
pub fn patterns(folder: &Path, file: &Path, bounds: &Bounds) -> Result<(Gitignore, usize), String> {
    let bytes = match bounds.read(file, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            return match refused(&error) {
                Some(refused) => Err(told(super::read::words(refused))),
                None if is_read_error(&error) => Err(told(&super::walk::reason(&error))),
                None => Ok((Gitignore::empty(), 0)),
            };
        }
    };
    if bytes.len() as u64 > MOST_BYTES {
        return Err(told(&format!("larger than {} MiB", MOST_BYTES >> 20)));
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines = || text.trim_start_matches('\u{feff}').lines();
    let count = lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).count();
    if count > MOST_PATTERNS {
        return Err(told(&format!("more than {MOST_PATTERNS} patterns")));
    }
    let mut builder = GitignoreBuilder::new(folder);
    for line in lines() {
        // A line that is no pattern is passed over, as git does.
        let _ = builder.add_line(None, line);
    }
    Ok((builder.build().unwrap_or_else(|_| Gitignore::empty()), count))
}

fn told(reason: &str) -> String {
    format!("{reason}, so it ignores nothing")
}

fn is_read_error(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    )
}

/// The folder in which git keeps what all work trees of a repository share.
fn git_folder(work_tree: &Path) -> Option<PathBuf> {
    let git = work_tree.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let line = |file: &Path| {
        let bytes = Bounds::default().read(file, MOST_OF_A_NAME).ok()?;
        Some(String::from_utf8(bytes).ok()?.lines().next()?.trim().to_owned())
    };
    let own = work_tree.join(line(&git)?.strip_prefix("gitdir:")?.trim());
    match line(&own.join("commondir")) {
        Some(shared) => Some(own.join(shared)),
        None => Some(own),
    }
}
