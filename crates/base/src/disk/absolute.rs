//! Where a path lies, whether or not there is anything.

use std::path::{Component, Path, PathBuf};

/// The path from the root of the file system, without `.` and `..`. Links stay: the policy of a
/// linked file is the one near the link, where the user sees it.
pub fn absolute(path: &Path) -> PathBuf {
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
