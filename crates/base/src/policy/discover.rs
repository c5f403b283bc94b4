//! Finds the policy that governs a path, and the root of the project that the path belongs to.

use super::{Policy, PolicyError, load};
use crate::disk::{Bounds, Disk, absolute};
use std::path::{Path, PathBuf};

/// Names of policy files, the first that exists in a folder wins. `pyproject.toml` comes after them.
const NAMES: [&str; 2] = ["gpulint.yaml", "gpulint.yml"];
const PYPROJECT: &str = "pyproject.toml";

/// Each file that may be the policy of a folder, whether it is there or not.
pub fn policy_files_of(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    NAMES.into_iter().chain([PYPROJECT]).map({
        let folder = folder.to_owned();
        move |name| folder.join(name)
    })
}

/// The policies that lie upwards from a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicySearch {
    /// The nearest, which governs the path, and the absolute path of its file.
    pub nearest: Option<(PathBuf, Policy)>,
    /// The folder of the outermost.
    pub outermost: Option<PathBuf>,
}

/// The policy that governs `start` (a file or a folder, which need not exist) and the absolute path of its file.
pub fn discover(disk: &Disk, start: &Path) -> Result<Option<(PathBuf, Policy)>, PolicyError> {
    upwards(disk, start).map(|found| found.nearest)
}

/// The policies upwards from `start` (a file or a folder, which need not exist), as far as the top of the work tree of
/// git: what lies above that is another project's. A `pyproject.toml` without a `[tool.gpulint]` table is none.
pub fn upwards(disk: &Disk, start: &Path) -> Result<PolicySearch, PolicyError> {
    let (start, top) = (absolute(start), work_tree(start));
    let mut found = PolicySearch::default();
    for folder in start.ancestors() {
        // Where nothing else says so, its folder would be the root of the project, so it has to lie there really.
        let disk = &disk.within(Bounds::of(top.as_deref().unwrap_or(folder)));
        // Of those above the nearest only the place counts here.
        if let Some(file) = found.nearest.is_some().then(|| yaml_in(disk, folder)).flatten() {
            found.outermost = file.parent().map(Path::to_owned);
        } else if let Some(policy) = policy_in(disk, folder)? {
            found.outermost = Some(folder.to_owned());
            found.nearest.get_or_insert(policy);
        }
        if top.as_deref() == Some(folder) {
            break;
        }
    }
    Ok(found)
}

/// The policy that lies in a folder, and the path of its file.
pub fn policy_in(disk: &Disk, folder: &Path) -> Result<Option<(PathBuf, Policy)>, PolicyError> {
    if let Some(file) = yaml_in(disk, folder) {
        return load(disk, &file).map(|policy| Some((file, policy)));
    }
    let file = folder.join(PYPROJECT);
    if disk.is_file(&file) || disk.is_special(&file) {
        return Ok(load::load_pyproject(disk, &file)?.map(|policy| (file, policy)));
    }
    Ok(None)
}

/// What lies beside a policy and would be one if that were not there.
pub fn passed_over(disk: &Disk, policy: &Path) -> Vec<PathBuf> {
    let Some(folder) = policy.parent() else { return Vec::new() };
    let is_policy = |file: &PathBuf| match file.ends_with(PYPROJECT) {
        true => disk.is_file(file) && !matches!(load::load_pyproject(disk, file), Ok(None)),
        false => disk.has(file),
    };
    policy_files_of(folder).skip_while(|file| file != policy).skip(1).filter(is_policy).collect()
}

/// The file of a policy in YAML. Not `is_file`: a broken link or a folder of that name is told, never passed over.
fn yaml_in(disk: &Disk, folder: &Path) -> Option<PathBuf> {
    NAMES.iter().map(|name| folder.join(name)).find(|file| disk.has(file))
}

/// The folder that paths in reports are relative to: the top of the git work tree around `start`, else the folder of the
/// outermost policy that [`upwards`] found, else `cwd`. What `--config` names does not count.
pub fn project_root(outermost: Option<&Path>, start: &Path, cwd: &Path) -> PathBuf {
    work_tree(start).or_else(|| outermost.map(absolute)).unwrap_or_else(|| absolute(cwd))
}

/// The top of the git work tree around a path.
pub fn work_tree(path: &Path) -> Option<PathBuf> {
    // One that `git worktree` made has a file there, not a folder.
    absolute(path).ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}
