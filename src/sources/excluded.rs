//! Files that a run does not report on, although they lie below a checked folder: the globs under `exclude` in the
//! policy. They are still read when others import them, since what they do then happens.

use super::names;
use crate::policy::FilePattern;
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::path::Path;

/// What is left out of the reports.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    globs: GlobSet,
    /// Also files that the user named, and those that no walk through the project would find. Who passes lists of
    /// files to gpulint, as commit hooks do, wants what a check of the whole project would report in them.
    pub even_named: bool,
}

impl Excluded {
    pub fn new(patterns: &[FilePattern], even_named: bool) -> Excluded {
        let mut globs = GlobSetBuilder::new();
        // The policy holds only what can be read as a glob.
        for glob in patterns.iter().filter_map(|pattern| Glob::new(pattern.as_str()).ok()) {
            globs.add(glob);
        }
        Excluded { globs: globs.build().unwrap_or_default(), even_named }
    }

    /// Whether the policy has nothing to leave out.
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// Whether a glob names this file, or a folder that it lies in.
    pub fn names(&self, root: &Path, file: &Path) -> bool {
        if self.globs.is_empty() || !file.starts_with(root) {
            return false;
        }
        let name = names::relative(root, file);
        let folders = name.match_indices('/').map(|(end, _)| &name[..end]);
        folders.chain([name.as_str()]).any(|part| self.globs.is_match(part))
    }
}
