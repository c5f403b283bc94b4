//! Files as they lie on disk, or as a commit of git or its index has them: a state of the project is the disk with some
//! files in the place of others, so that no state is ever written to it. What lies on disk is opened within [`Bounds`].

mod absolute;
mod bounds;
mod plain;

pub use absolute::absolute;
pub use bounds::{Bounds, Refused, refused};

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What stands in the place of a file; `None` where the state has no such file.
pub type Instead = Option<Arc<[u8]>>;

/// The disk, as one state has it.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    files: Arc<FxHashMap<PathBuf, Instead>>,
    /// Folders that the state does not have.
    absent: Arc<Vec<PathBuf>>,
    bounds: Bounds,
}

impl Disk {
    /// The disk with other files, by their absolute paths, and without some folders.
    pub fn with(files: FxHashMap<PathBuf, Instead>, absent: Vec<PathBuf>) -> Disk {
        Disk { files: Arc::new(files), absent: Arc::new(absent), bounds: Bounds::default() }
    }

    /// The same with more files in the place of others.
    pub fn and(&self, files: impl IntoIterator<Item = (PathBuf, Instead)>) -> Disk {
        let mut all = (*self.files).clone();
        all.extend(files);
        Disk { files: Arc::new(all), ..self.clone() }
    }

    /// The same, of which only that is read which lies within these bounds.
    pub fn within(&self, bounds: Bounds) -> Disk {
        Disk { bounds, ..self.clone() }
    }

    /// Where files may be read and written.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether it is the disk as it lies.
    pub fn is_untouched(&self) -> bool {
        self.files.is_empty() && self.absent.is_empty()
    }

    /// The files that differ from those on disk, in no order.
    pub fn differing(&self) -> impl Iterator<Item = (&Path, &Instead)> {
        self.files.iter().map(|(path, instead)| (path.as_path(), instead))
    }

    /// The folders that are missing.
    pub fn lacks(&self) -> &[PathBuf] {
        &self.absent
    }

    /// What stands in the place of a file; `None` where it is as it lies.
    pub fn instead(&self, path: &Path) -> Option<Option<&[u8]>> {
        if self.is_untouched() {
            return None;
        }
        match self.files.get(path) {
            Some(instead) => Some(instead.as_deref()),
            None => self.absent.iter().any(|folder| path.starts_with(folder)).then_some(None),
        }
    }

    /// Whether anything lies there, be it a broken link.
    pub fn has(&self, path: &Path) -> bool {
        match self.instead(path) {
            Some(instead) => instead.is_some(),
            None => path.symlink_metadata().is_ok(),
        }
    }

    pub fn is_file(&self, path: &Path) -> bool {
        match self.instead(path) {
            Some(instead) => instead.is_some(),
            None => path.is_file(),
        }
    }

    /// Whether a pipe, a device or a socket lies there.
    pub fn is_special(&self, path: &Path) -> bool {
        let is_special = || path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        self.instead(path).is_none() && is_special()
    }

    pub fn is_folder(&self, path: &Path) -> bool {
        let holds = |(file, instead): (&PathBuf, &Instead)| instead.is_some() && file.starts_with(path);
        self.instead(path).is_none() && (path.is_dir() || self.files.iter().any(holds))
    }

    /// The bytes of a file, one more than `most` at most, so that a larger one is noticed.
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        match self.instead(path) {
            Some(Some(bytes)) => Ok(bytes
                [..bytes.len().min(usize::try_from(most.saturating_add(1)).unwrap_or(usize::MAX))]
                .to_vec()),
            Some(None) => Err(ErrorKind::NotFound.into()),
            None => self.bounds.read(path, most),
        }
    }

    /// The names in a folder, sorted.
    pub fn names_in(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let (mut names, mut error) = (BTreeSet::new(), None);
        match self.bounds.real(folder).and_then(|folder| names_in(&folder)) {
            Ok(on_disk) => names.extend(on_disk),
            Err(why) => error = Some(why),
        }
        names.retain(|name| !matches!(self.instead(&folder.join(name)), Some(None)));
        for (path, _) in self.files.iter().filter(|(_, instead)| instead.is_some()) {
            let first = path.strip_prefix(folder).ok().and_then(|below| below.components().next());
            names.extend(first.map(|part| part.as_os_str().to_owned()));
        }
        match error {
            Some(error) if names.is_empty() => Err(error),
            _ => Ok(names.into_iter().collect()),
        }
    }
}

/// The names in a folder, as the disk lists them.
pub fn names_in(folder: &Path) -> io::Result<Vec<OsString>> {
    folder.read_dir()?.map(|entry| Ok(entry?.file_name())).collect()
}

/// What a name in a folder leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
}

/// The files and folders in a folder; none when it cannot be listed.
pub fn kinds_in(folder: &Path) -> Vec<(OsString, Kind)> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let kinds = entries.filter_map(|entry| {
        let kind = match entry.file_type().ok()? {
            kind if kind.is_symlink() => entry.path().metadata().ok()?.file_type(),
            kind => kind,
        };
        let kind = match (kind.is_file(), kind.is_dir()) {
            (true, _) => Kind::File,
            (_, true) => Kind::Folder,
            _ => return None,
        };
        Some((entry.file_name(), kind))
    });
    kinds.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_state_has_other_files_than_the_disk() {
        let folder = std::env::temp_dir().join(format!("gpulint-disk-{}", std::process::id()));
        fs::create_dir_all(folder.join("gone")).unwrap();
        for name in ["kept", "edited", "added", "gone/file"] {
            fs::write(folder.join(name), "on disk").unwrap();
        }
        let bytes = |text: &str| Some(Arc::from(text.as_bytes()));
        let at = |name: &str| folder.join(name);
        let files = [
            (at("edited"), bytes("before")),
            (at("added"), None),
            (at("sub/below/deleted"), bytes("before")),
        ];
        let disk = Disk::with(files.into_iter().collect(), vec![at("gone")]);
        let text = |name: &str| disk.read(&at(name), 100).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(text("kept").unwrap(), "on disk");
        assert_eq!(text("edited").unwrap(), "before");
        assert_eq!(text("added").unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(disk.read(&at("edited"), 2).unwrap(), b"bef");
        assert_eq!(disk.names_in(&folder).unwrap(), ["edited", "kept", "sub"]);
        assert_eq!(disk.names_in(&at("sub/below")).unwrap(), ["deleted"]);
        assert!(disk.names_in(&at("nothing")).is_err());
        let there = ["kept", "edited", "added", "sub/below/deleted", "gone/file"];
        assert_eq!(there.map(|name| disk.is_file(&at(name))), [true, true, false, true, false]);
        assert_eq!(
            ["sub", "sub/below", "gone", "added"].map(|name| disk.is_folder(&at(name))),
            [true, true, false, false]
        );
        fs::remove_dir_all(folder).unwrap();
    }
}
