//! Finds the policy that governs a path, and the root of the project that the path belongs to.

use super::{Policy, PolicyError, load};
use crate::disk::{Bounds, Disk};
use std::path::{Component, Path, PathBuf};

/// Names of policy files, the first that exists in a folder wins. `pyproject.toml` comes after them.
const NAMES: [&str; 2] = ["gpulint.yaml", "gpulint.yml"];

/// The policy that governs `start` (a file or a folder, which need not exist) and the absolute path
/// of its file. Searched upwards, the nearest folder wins; a `pyproject.toml` without a
/// `[tool.gpulint]` table does not end the search.
pub fn discover(disk: &Disk, start: &Path) -> Result<Option<(PathBuf, Policy)>, PolicyError> {
    let start = absolute(start);
    for folder in start.ancestors() {
        // Its folder would be the root of the project, so it has to lie there really.
        let disk = &disk.within(Bounds::of(folder));
        for name in NAMES {
            let file = folder.join(name);
            // Not `is_file`: a broken link or a folder of that name is told, never passed over.
            if disk.has(&file) {
                return load(disk, &file).map(|policy| Some((file, policy)));
            }
        }
        let file = folder.join("pyproject.toml");
        if (disk.is_file(&file) || disk.is_special(&file))
            && let Some(policy) = load::load_pyproject(disk, &file)?
        {
            return Ok(Some((file, policy)));
        }
    }
    Ok(None)
}

/// The folder that paths in reports are relative to: that of the discovered policy, else the top of
/// the git work tree around `start`, else `cwd`. `policy_file` is what [`discover`] found, not what
/// `--config` names.
pub fn project_root(policy_file: Option<&Path>, start: &Path, cwd: &Path) -> PathBuf {
    if let Some(folder) = policy_file.and_then(Path::parent) {
        return absolute(folder);
    }
    work_tree(start).unwrap_or_else(|| absolute(cwd))
}

/// The top of the git work tree around a path.
pub(crate) fn work_tree(path: &Path) -> Option<PathBuf> {
    // One that `git worktree` made has a file there, not a folder.
    absolute(path).ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// The path from the root of the file system, without `.` and `..`. Links stay: the policy of a
/// linked file is the one near the link, where the user sees it.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut clean = PathBuf::new();
    for part in full.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}
