//! What changed since a commit, as git sees it: two whole [`States`] that can be compared, or which lines changed, for
//! reviews that are about those only.
//!
//! Compared is the work tree, with what is staged and what is not, with the commit where the history of HEAD and that
//! of the named commit parted. So what others did to the named branch since then counts for nothing. A file that git
//! does not know yet is new in all its lines, and one that git ignores has none that changed.

#[cfg(feature = "runtime")]
mod checkout;
mod git;
mod hunks;
mod programs;
mod states;

use git::Git;
use hunks::Hunks;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::path::{Path, PathBuf};

#[cfg(feature = "runtime")]
pub use checkout::{Checkout, first_change};
pub use states::States;

/// Why git cannot tell, in one sentence with the way out.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError {
    #[error("what changed is a question to git, and there is no program `git` in PATH")]
    NoGit,
    #[error("what changed is a question to git, which does not start ({0})")]
    NotStarted(std::io::Error),
    #[error("what changed is a question to git, and {0} lies in no git work tree")]
    NoRepository(String),
    #[error(
        "git refuses to read {0}, which belongs to another user; \
         `git config --global --add safe.directory '*'` trusts it, for example in a container"
    )]
    OfAnother(String),
    #[error("{0}: the repository has no commit yet; leave {option} out until it has one", option = .0.option)]
    NoCommit(ComparisonRequest),
    #[error("{0}: there is no such commit, branch or tag in this repository")]
    UnknownReference(ComparisonRequest),
    #[error(
        "{0}: there is no such commit, branch or tag in this shallow clone; fetch it, \
         with `git fetch --unshallow` or with `fetch-depth: 0` in a workflow"
    )]
    UnknownInShallow(ComparisonRequest),
    #[error(
        "{0}: this clone is shallow, and the commit where {name} and HEAD parted is not in it; \
         run `git fetch --unshallow`, or set `fetch-depth: 0` in a workflow",
        name = .0.reference
    )]
    Shallow(ComparisonRequest),
    #[error("{0}: {name} and HEAD have no commit in common, so nothing says what changed", name = .0.reference)]
    Unrelated(ComparisonRequest),
    #[error("git cannot tell what changed: {0}")]
    Refused(String),
}

/// What the user compares with, and by which option.
#[derive(Clone, Debug)]
pub struct ComparisonRequest {
    pub option: &'static str,
    pub reference: String,
}

impl fmt::Display for ComparisonRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.option, self.reference)
    }
}

/// The commit that a work tree is compared with.
#[derive(Clone, Debug)]
pub struct Base {
    git: Git,
    /// The top folder of the work tree, without links on the way to it.
    top: PathBuf,
    commit: String,
}

/// The changed lines of some files.
#[derive(Debug, Default)]
pub struct ChangedLines(FxHashMap<PathBuf, Lines>);

/// Changed lines of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lines {
    All,
    /// First and last, 1-based.
    Some(Vec<(u32, u32)>),
}

/// What git says of a path, before lines are looked at.
enum Change {
    New,
    Edited,
    /// Edited or not, and at this path before.
    Moved(PathBuf),
}

impl Base {
    /// The commit where HEAD and the named one parted, in the work tree that `folder` lies in.
    pub fn of(folder: &Path, asked: &ComparisonRequest) -> Result<Base, ChangesError> {
        let (git, top) = Git::of_work_tree(folder)?;
        let (named, reference) = (|| asked.clone(), asked.reference.as_str());
        if git.commit("HEAD")?.is_none() {
            return Err(ChangesError::NoCommit(named()));
        }
        let is_shallow =
            || Ok(git.word(&["rev-parse", "--is-shallow-repository"])?.as_deref() == Some("true"));
        // No name of a commit begins with a dash; options do.
        let known = if reference.starts_with('-') { None } else { git.commit(reference)? };
        let Some(known) = known else {
            return Err(match is_shallow()? {
                true => ChangesError::UnknownInShallow(named()),
                false => ChangesError::UnknownReference(named()),
            });
        };
        match git.word(&["merge-base", &known, "HEAD"])? {
            Some(commit) => Ok(Base { git, top, commit }),
            None if is_shallow()? => Err(ChangesError::Shallow(named())),
            None => Err(ChangesError::Unrelated(named())),
        }
    }

    /// The changed lines of `files`, whose paths are absolute.
    pub fn changed_lines(&self, files: &FxHashSet<&Path>) -> Result<ChangedLines, ChangesError> {
        let mut repositories = Repositories::new(self.clone())?;
        let mut wanted: Vec<(&Path, usize, PathBuf)> = Vec::new();
        let mut changed = ChangedLines::default();
        for &file in files {
            // The way to a file may lead through links, which git knows by where they lead.
            let folder = file.parent().and_then(|folder| folder.canonicalize().ok()).unwrap_or_default();
            let named = folder.join(file.file_name().unwrap_or_default());
            let real = file.canonicalize().unwrap_or_else(|_| named.clone());
            if real != named && repositories.change_of(&named)?.is_some() {
                // The link itself is new, or leads to another file now.
                changed.0.insert(file.to_owned(), Lines::All);
            } else if let Some((repository, change)) = repositories.change_of(&real)? {
                match change {
                    Change::New => drop(changed.0.insert(file.to_owned(), Lines::All)),
                    Change::Edited | Change::Moved(_) => wanted.push((file, repository, real)),
                }
            }
        }
        for (at, repository) in repositories.0.iter().enumerate() {
            let here = wanted.iter().filter(|(_, repository, _)| *repository == at);
            let here: Vec<(&Path, &Path)> = here.map(|(file, _, real)| (*file, real.as_path())).collect();
            repository.add_lines(&here, &mut changed)?;
        }
        Ok(changed)
    }
}

impl ChangedLines {
    /// Whether one of the lines from `first` to `last` (1-based) of a file changed.
    pub fn touch(&self, file: &Path, first: u32, last: u32) -> bool {
        match self.0.get(file) {
            None => false,
            Some(Lines::All) => true,
            Some(Lines::Some(lines)) => lines.iter().any(|&(from, to)| first <= to && from <= last),
        }
    }

    /// Whether anything in a file changed.
    pub fn touch_file(&self, file: &Path) -> bool {
        self.touch(file, 0, u32::MAX)
    }
}

/// The work tree and those inside it that files were asked about, each after the one around it.
struct Repositories(Vec<Repository>);

struct Repository {
    top: PathBuf,
    /// `None`: all that lies in it is new.
    compared: Option<Compared>,
}

struct Compared {
    base: Base,
    changes: FxHashMap<PathBuf, Change>,
}

impl Repositories {
    fn new(base: Base) -> Result<Repositories, ChangesError> {
        let top = base.top.clone();
        Ok(Repositories(vec![Repository { top, compared: Some(Compared::with(base)?) }]))
    }

    /// What became of a file, and the number of the repository that says so; `None` when it is as it was, or none
    /// of the repositories knows it.
    fn change_of(&mut self, file: &Path) -> Result<Option<(usize, Change)>, ChangesError> {
        let outermost = self.0[0].top.clone();
        let Ok(inside) = file.strip_prefix(&outermost) else { return Ok(None) };
        let mut at = 0;
        let mut folder = outermost.clone();
        for part in inside.parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            if !folder.join(".git").exists() {
                continue;
            }
            at = match self.0.iter().position(|repository| repository.top == folder) {
                Some(known) => known,
                None => match self.0[at].nested(&folder)? {
                    Some(nested) => {
                        self.0.push(nested);
                        self.0.len() - 1
                    }
                    None => return Ok(None),
                },
            };
        }
        Ok(self.0[at].change_of(file).map(|change| (at, change)))
    }
}

impl Repository {
    fn change_of(&self, file: &Path) -> Option<Change> {
        let Some(compared) = &self.compared else { return Some(Change::New) };
        let name = file.strip_prefix(&self.top).ok()?;
        match compared.changes.get(name)? {
            Change::New => Some(Change::New),
            Change::Edited => Some(Change::Edited),
            Change::Moved(from) => Some(Change::Moved(from.clone())),
        }
    }

    /// A submodule, or a repository that lies here untracked; `None` when it is ignored.
    fn nested(&self, top: &Path) -> Result<Option<Repository>, ChangesError> {
        let new = Repository { top: top.to_owned(), compared: None };
        let (Some(compared), Ok(name)) = (&self.compared, top.strip_prefix(&self.top)) else {
            return Ok(Some(new));
        };
        if matches!(compared.changes.get(name), Some(Change::New)) {
            return Ok(Some(new));
        }
        let Some(commit) = compared.base.git.submodule(&compared.base.commit, name)? else { return Ok(None) };
        let git = Git::in_folder(top);
        Ok(Some(match git.commit(&commit)? {
            Some(commit) => {
                let base = Base { git, top: top.to_owned(), commit };
                Repository { top: top.to_owned(), compared: Some(Compared::with(base)?) }
            }
            // Never fetched here, so nothing says what it was like.
            None => new,
        }))
    }

    /// Adds the changed lines of files that are edited: each by its path, and without links.
    fn add_lines(&self, files: &[(&Path, &Path)], changed: &mut ChangedLines) -> Result<(), ChangesError> {
        let Some(Compared { base, changes }) = &self.compared else { return Ok(()) };
        let names = files.iter().filter_map(|(_, real)| real.strip_prefix(&self.top).ok());
        let pairs: Vec<(&Path, Option<&Path>)> = names
            .map(|name| match changes.get(name) {
                Some(Change::Moved(from)) => (name, Some(from.as_path())),
                _ => (name, None),
            })
            .collect();
        let hunks = Hunks::read(&base.git, &base.commit, &pairs)?;
        for (file, real) in files {
            if let Some(lines) = real.strip_prefix(&self.top).ok().and_then(|name| hunks.of(name)) {
                changed.0.insert((*file).to_owned(), Lines::Some(lines.to_vec()));
            }
        }
        Ok(())
    }
}

impl Compared {
    fn with(base: Base) -> Result<Compared, ChangesError> {
        let mut changes = base.git.changes_since(&base.commit)?;
        for name in base.git.untracked()? {
            changes.insert(name, Change::New);
        }
        Ok(Compared { base, changes })
    }
}
