//! Files that a run does not report on, although they lie below a checked folder: the globs under `exclude` in the
//! policy. They are still read when others import them, since what they do then happens.

use super::names;
use crate::sources::FilePattern;
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::path::{Path, PathBuf};

/// What is left out of the reports.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    globs: GlobSet,
    /// What they count from, where that is not the root.
    folder: Option<PathBuf>,
    /// Those of the command line, which count from the root.
    typed: GlobSet,
    /// Also files that the user named, and those that no walk through the project would find. Who passes lists of
    /// files to gpulint, as commit hooks do, wants what a check of the whole project would report in them.
    pub even_named: bool,
}

impl Excluded {
    pub fn new(patterns: &[FilePattern], even_named: bool) -> Excluded {
        Excluded { globs: globs_of(patterns), even_named, ..Excluded::default() }
    }

    /// The same, where the globs count from another folder than the root.
    pub fn seen_from(self, folder: &Path) -> Excluded {
        Excluded { folder: Some(folder.to_owned()), ..self }
    }

    /// And what the command line names.
    pub fn and_typed(self, patterns: &[FilePattern]) -> Excluded {
        Excluded { typed: globs_of(patterns), ..self }
    }

    /// Whether there is nothing to leave out.
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty() && self.typed.is_empty()
    }

    /// Whether a glob names this file, or a folder that it lies in.
    pub fn names(&self, root: &Path, file: &Path) -> bool {
        is_named(&self.globs, self.folder.as_deref().unwrap_or(root), file)
            || is_named(&self.typed, root, file)
    }
}

fn globs_of(patterns: &[FilePattern]) -> GlobSet {
    let mut globs = GlobSetBuilder::new();
    // The policy holds only what can be read as a glob.
    for glob in patterns.iter().filter_map(|pattern| Glob::new(pattern.as_str()).ok()) {
        globs.add(glob);
    }
    globs.build().unwrap_or_default()
}

fn is_named(globs: &GlobSet, folder: &Path, file: &Path) -> bool {
    if globs.is_empty() || !file.starts_with(folder) {
        return false;
    }
    let name = names::relative(folder, file);
    let folders = name.match_indices('/').map(|(end, _)| &name[..end]);
    folders.chain([name.as_str()]).any(|part| globs.is_match(part))
}
