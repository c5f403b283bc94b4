//! When files were last written to, so that a run that waits for changes knows when to look again.

use super::{Excluded, Extent, MissingPaths, walk};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// For each file when it was written and how long it is; `None` for one that is not there.
pub type Stamps = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// The stamps of all files that [`super::Sources::collect`] would read, and of `others`.
pub fn stamps(
    root: &Path,
    named: &[PathBuf],
    extent: Extent,
    others: impl IntoIterator<Item = PathBuf>,
) -> Result<Stamps, MissingPaths> {
    let (found, _) =
        walk::files(root, named, extent, &Excluded::default(), &walk::bounds(root, named, extent))?;
    let stamp = |path: PathBuf| {
        let metadata = path.metadata().ok();
        let written = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        (path, written)
    };
    Ok(found.into_keys().chain(others).map(stamp).collect())
}
