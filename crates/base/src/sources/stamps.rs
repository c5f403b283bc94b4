//! When files were last written to, so that a run that waits for changes knows when to look again.

use super::{Excluded, FileSelection, MissingPaths, walk};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// For each file when it was written and how long it is; `None` for one that is not there.
pub type Stamps = BTreeMap<PathBuf, Option<Stamp>>;

/// When a file was written, and how long it is.
pub type Stamp = (SystemTime, u64);

/// The stamps of all files that [`super::Sources::collect`] would read, and of `others`.
pub fn stamps(
    root: &Path,
    named: &[PathBuf],
    extent: FileSelection,
    others: impl IntoIterator<Item = PathBuf>,
) -> Result<Stamps, MissingPaths> {
    let (found, _) =
        walk::files(root, named, extent, &Excluded::default(), &walk::bounds(root, named, extent))?;
    let stamp = |path: PathBuf| {
        let stamp = stamp_of(&path);
        (path, stamp)
    };
    Ok(found.into_keys().chain(others).map(stamp).collect())
}

/// The stamp of one file.
pub fn stamp_of(path: &Path) -> Option<Stamp> {
    let metadata = path.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
