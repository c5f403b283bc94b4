//! Two states of the files in a work tree, of which one came from the other: read from git's objects, and never checked
//! out.

use super::git::{Git, Mode};
use super::{Base, ChangesError, ComparisonRequest};
use crate::disk::{Bounds, Disk, Instead};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Larger files are not recognised where they were moved to.
const MOST_BYTES: u64 = 64 << 20;

/// What is compared.
#[derive(Clone, Debug)]
pub struct States {
    pub base: Disk,
    pub present: Disk,
    /// Where files lay in the base that moved since.
    moved: FxHashMap<PathBuf, PathBuf>,
}

impl States {
    /// The work tree that `folder` lies in, and the commit where HEAD and the named one parted.
    pub fn since(folder: &Path, asked: &ComparisonRequest) -> Result<States, ChangesError> {
        let Base { git, top, commit } = match Base::of(folder, asked) {
            Err(ChangesError::NoCommit(_)) => return States::from_nothing(folder, Disk::default()),
            base => base?,
        };
        let ways = PathAliases::of(folder, &top);
        let mut base = State::of(&ways);
        base.return_to(&git, &top, &commit)?;
        base.moved_untracked();
        Ok(States { base: Disk::with(base.files, base.absent), present: Disk::default(), moved: base.moved })
    }

    /// What the next commit would hold, and HEAD.
    pub fn staged(folder: &Path) -> Result<States, ChangesError> {
        let (git, top) = Git::of_work_tree(folder)?;
        let git = git.with_index_of_commit()?;
        let ways = PathAliases::of(folder, &top);
        let mut state = State::of(&ways);
        state.undo(&git, &top, &["--no-renames"])?;
        state.leave_out_untracked(&git, &top)?;
        let present = Disk::with(state.files.clone(), state.absent.clone());
        if git.commit("HEAD")?.is_none() {
            return States::from_nothing(folder, present);
        }
        // What HEAD has in the place of what is staged.
        state.undo(&git, &top, &["--cached", "HEAD"])?;
        Ok(States { base: Disk::with(state.files, state.absent), present, moved: state.moved })
    }

    /// Before the first commit there is nothing.
    fn from_nothing(folder: &Path, present: Disk) -> Result<States, ChangesError> {
        let (_, top) = Git::of_work_tree(folder)?;
        let base = Disk::with(FxHashMap::default(), vec![PathAliases::of(folder, &top).to(&top)]);
        Ok(States { base, present, moved: FxHashMap::default() })
    }

    /// Where a file lay in the base.
    pub fn before<'a>(&'a self, file: &'a Path) -> &'a Path {
        self.moved.get(file).map_or(file, PathBuf::as_path)
    }

    /// Whether a file of the base lies elsewhere now.
    pub fn moved_from(&self, file: &Path) -> bool {
        self.moved.values().any(|from| from == file)
    }

    /// Whether no folder is missing as a whole in one of both.
    pub fn lack_the_same(&self) -> bool {
        self.base.lacks() == self.present.lacks()
    }

    /// The files that differ, by their paths in either state, sorted. Those in folders that the base lacks are not named.
    pub fn changed(&self) -> Vec<&Path> {
        let known = self.base.differing().chain(self.present.differing()).map(|(path, _)| path);
        let mut changed: Vec<&Path> =
            known.filter(|path| self.base.instead(path) != self.present.instead(path)).collect();
        changed.sort();
        changed.dedup();
        changed
    }
}

/// A state while it is put together: what differs in it from the disk.
struct State<'a> {
    ways: &'a PathAliases,
    files: FxHashMap<PathBuf, Instead>,
    absent: Vec<PathBuf>,
    moved: FxHashMap<PathBuf, PathBuf>,
}

impl<'a> State<'a> {
    /// The disk as it lies.
    fn of(ways: &'a PathAliases) -> State<'a> {
        State { ways, files: FxHashMap::default(), absent: Vec::new(), moved: FxHashMap::default() }
    }

    /// Makes it what a commit holds, and what git ignores.
    fn return_to(&mut self, git: &Git, top: &Path, commit: &str) -> Result<(), ChangesError> {
        self.undo(git, top, &[commit])?;
        self.leave_out_untracked(git, top)?;
        if top.join(".gitmodules").exists() {
            for (name, commit) in git.submodules(commit)? {
                self.return_submodule(&top.join(name), &commit)?;
            }
        }
        Ok(())
    }

    /// Takes back what is different now, by what `git diff` with these arguments says.
    fn undo(&mut self, git: &Git, top: &Path, arguments: &[&str]) -> Result<(), ChangesError> {
        let all = git.differing(arguments)?;
        let is_needed =
            |mode: Mode, status: u8| mode == Mode::File && matches!(status, b'M' | b'D' | b'T' | b'R');
        let needed = || all.iter().filter(|one| is_needed(one.modes.0, one.status));
        let blobs = git.blobs(&needed().map(|one| one.old.as_str()).collect::<Vec<_>>())?;
        for (one, blob) in needed().zip(blobs) {
            let old = one.from.as_ref().unwrap_or(&one.name);
            self.files.insert(self.ways.to(&top.join(old)), Some(Arc::from(blob)));
        }
        for one in &all {
            let path = || self.ways.to(&top.join(&one.name));
            match (one.status, one.modes) {
                // git says the rest of such a file in another line, or it cannot be committed.
                (b'U', _) => {}
                (_, (Mode::Submodule, _)) if one.status != b'D' => {
                    self.return_submodule(&top.join(&one.name), &one.old)?;
                }
                (b'A', (_, Mode::Submodule)) => self.absent.push(path()),
                (b'A' | b'C', _) => drop(self.files.insert(path(), None)),
                (b'R', _) => {
                    let from = one.from.as_ref().map(|from| self.ways.to(&top.join(from)));
                    self.moved.extend(from.map(|from| (path(), from)));
                    self.files.insert(path(), None);
                }
                // What a link led to was read under its own name.
                (_, (Mode::Link, _)) => drop(self.files.insert(path(), None)),
                _ => {}
            }
        }
        Ok(())
    }

    fn leave_out_untracked(&mut self, git: &Git, top: &Path) -> Result<(), ChangesError> {
        for name in git.untracked()? {
            let (real, path) = (top.join(&name), self.ways.to(&top.join(&name)));
            match real.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                // A repository that lies here.
                true => self.absent.push(path),
                false => drop(self.files.insert(path, None)),
            }
        }
        Ok(())
    }

    /// What was moved without telling git is known by its content.
    fn moved_untracked(&mut self) {
        let mut deleted: FxHashMap<Arc<[u8]>, PathBuf> = FxHashMap::default();
        let gone =
            |path: &Path| path.symlink_metadata().is_err() && !self.moved.values().any(|from| from == path);
        for (path, instead) in self.files.iter().filter(|(path, _)| gone(path)) {
            deleted.extend(instead.clone().map(|bytes| (bytes, path.clone())));
        }
        if deleted.is_empty() {
            return;
        }
        let mut added: Vec<&PathBuf> =
            self.files.iter().filter(|(_, instead)| instead.is_none()).map(|(path, _)| path).collect();
        added.sort();
        let moved = added.into_iter().filter(|path| !self.moved.contains_key(*path)).filter_map(|path| {
            let within = Bounds::of(path.parent()?);
            let content: Arc<[u8]> = Arc::from(within.read(path, MOST_BYTES).ok()?);
            Some((path.clone(), deleted.remove(&content)?))
        });
        let moved: Vec<(PathBuf, PathBuf)> = moved.collect();
        self.moved.extend(moved);
    }

    fn return_submodule(&mut self, top: &Path, commit: &str) -> Result<(), ChangesError> {
        if !top.join(".git").exists() {
            return Ok(());
        }
        let git = Git::in_folder(top);
        match git.commit(commit)? {
            Some(commit) => self.return_to(&git, top, &commit),
            // Never fetched here, so nothing says what it was like.
            None => {
                self.absent.push(self.ways.to(top));
                Ok(())
            }
        }
    }
}

/// How the user comes to a work tree that git knows without links.
struct PathAliases {
    /// A folder as git knows it, and as the user does.
    real: PathBuf,
    shown: PathBuf,
}

impl PathAliases {
    /// `folder` is where the user is, in the work tree at `top`.
    fn of(folder: &Path, top: &Path) -> PathAliases {
        let mut ways = PathAliases { real: top.to_owned(), shown: top.to_owned() };
        for shown in folder.ancestors() {
            match shown.canonicalize() {
                Ok(real) if real.starts_with(top) => ways = PathAliases { real, shown: shown.to_owned() },
                _ => break,
            }
        }
        ways
    }

    fn to(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.real).map_or_else(|_| path.to_owned(), |below| self.shown.join(below))
    }
}
