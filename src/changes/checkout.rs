//! A commit in a folder of its own, so that programs can run there while the work tree stays as it is.

use super::git::Git;
use super::{ChangesError, ComparisonRequest};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A work tree with a commit, gone when it is dropped.
#[derive(Debug)]
pub struct Checkout {
    git: Git,
    folder: PathBuf,
    /// The whole name of the commit.
    pub commit: String,
    /// What the folder that was asked about is in it.
    pub below: PathBuf,
}

impl Checkout {
    /// Checks the named commit out into `into`, which is not there yet, from the repository that `folder` lies in. Hooks do not run, nor do filters that
    /// the repository names. Submodules stay empty.
    ///
    /// # Errors
    /// When there is no such commit, git cannot make the work tree, or it has no such folder.
    pub fn of(folder: &Path, asked: &ComparisonRequest, into: &Path) -> Result<Checkout, ChangesError> {
        let (git, top) = Git::of_work_tree(folder)?;
        // No name of a commit begins with a dash; options do.
        let known = if asked.reference.starts_with('-') { None } else { git.commit(&asked.reference)? };
        let Some(commit) = known else {
            let is_shallow = git.word(&["rev-parse", "--is-shallow-repository"])?.as_deref() == Some("true");
            return Err(match is_shallow {
                true => ChangesError::UnknownInShallow(asked.clone()),
                false => ChangesError::UnknownReference(asked.clone()),
            });
        };
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let relative = whole.strip_prefix(&top).unwrap_or(Path::new(""));
        let add = ["worktree", "add", "--quiet", "--detach", "--force"];
        git.answer(&add, &[into.as_os_str(), OsStr::new(&commit)])?;
        let checkout = Checkout { git, folder: into.to_owned(), commit, below: into.join(relative) };
        match checkout.below.is_dir() {
            true => Ok(checkout),
            false => {
                let (name, folder) = (&asked.reference, relative.display());
                Err(ChangesError::Refused(format!(
                    "{name} has no folder {folder}, in which the command is to run"
                )))
            }
        }
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        // Where it stays, git forgets it once the folder is gone.
        let _ = self.git.answer(&["worktree", "remove", "--force"], &[self.folder.as_os_str()]);
    }
}

/// A file that is not as in HEAD, if there is one. Files that git does not know are none.
///
/// # Errors
/// When git cannot tell.
pub fn first_change(folder: &Path) -> Result<Option<PathBuf>, ChangesError> {
    let (git, _) = Git::of_work_tree(folder)?;
    if git.commit("HEAD")?.is_none() {
        return Ok(None);
    }
    Ok(git.differing(&["HEAD"])?.into_iter().next().map(|one| one.name))
}
