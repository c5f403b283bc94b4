//! Which parts of the disk a check may touch, and the one way in which it opens files there.
//!
//! A repository is other people's: a link in it may lead to a key, a pipe or a device. So a file is opened when it is a
//! regular one and really lies below the project, or when the user named it on the command line. A name that leads through
//! a link of the project is the project's word, also when a script or a hook hands it over.

use super::absolute;
use super::plain;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Why a file that is there is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("it leads outside of the project")]
    Outside,
    #[error("it is no regular file")]
    NotRegular,
}

/// Where files may be opened. Without anything said, anywhere.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// The root of the project as the user came to it, and as it is without links.
    root: Option<Arc<(PathBuf, PathBuf)>>,
    /// What the user named elsewhere, without links. What lies below a folder is named too.
    named: Arc<Vec<PathBuf>>,
    /// Where folders lie when links are followed; each is asked for once.
    folders: Arc<Mutex<FxHashMap<PathBuf, PathBuf>>>,
}

impl Bounds {
    /// What really lies below a folder.
    pub fn of(root: &Path) -> Bounds {
        let (root, real) = (absolute(root), root.canonicalize().unwrap_or_else(|_| absolute(root)));
        Bounds { root: Some(Arc::new((root, real))), ..Bounds::default() }
    }

    /// And what the user named outside of it.
    pub fn and(&self, paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Bounds {
        let Some(root) = &self.root else { return self.clone() };
        let mut named = (*self.named).clone();
        for path in paths {
            let path = absolute(path.as_ref());
            let is_inside = path.starts_with(&root.0)
                || self.in_real_folder(&path).is_ok_and(|real| real.starts_with(&root.1));
            // One that is not there yet may be written.
            if !is_inside && let Ok(real) = path.canonicalize().or_else(|_| self.in_real_folder(&path)) {
                named.push(real);
            }
        }
        Bounds { named: Arc::new(named), ..self.clone() }
    }

    /// Where a path really leads, when that may be touched.
    pub fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.allowed(without_links(path)?)
    }

    /// The file to write when this path is written to, which may not be there yet.
    pub fn target(&self, path: &Path) -> io::Result<PathBuf> {
        match without_links(path) {
            Ok(real) => self.allowed(real),
            // A link to nothing is replaced by the file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.allowed(self.in_real_folder(path)?),
            Err(error) => Err(error),
        }
    }

    /// Opens a regular file to read it, and says how long it is.
    pub fn open(&self, path: &Path) -> io::Result<(File, u64)> {
        let mut real = self.in_real_folder(path)?;
        let mut found = real.symlink_metadata()?;
        if found.is_symlink() {
            real = without_links(path)?;
            found = real.symlink_metadata()?;
        }
        let real = self.allowed(real)?;
        // Asked before it is opened: a pipe waits for a writer, and a device may do something.
        if !found.is_file() {
            return Err(io::Error::other(Refused::NotRegular));
        }
        let open = plain::open(&real)?;
        // And of what was opened, in case somebody put something else there.
        let found = open.metadata()?;
        match found.is_file() {
            true => Ok((open, found.len())),
            false => Err(io::Error::other(Refused::NotRegular)),
        }
    }

    /// The bytes of a regular file, one more than `most` at most, so that a larger one is noticed.
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let (open, length) = self.open(path)?;
        let mut bytes = Vec::with_capacity(usize::try_from(length.min(most)).unwrap_or_default() + 1);
        open.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn allowed(&self, real: PathBuf) -> io::Result<PathBuf> {
        match &self.root {
            Some(root)
                if !real.starts_with(&root.1) && !self.named.iter().any(|named| real.starts_with(named)) =>
            {
                Err(io::Error::other(Refused::Outside))
            }
            _ => Ok(real),
        }
    }

    /// The path with links followed up to its folder.
    fn in_real_folder(&self, path: &Path) -> io::Result<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.canonicalize();
        };
        let folders = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = folders().get(folder) {
            return Ok(known.join(name));
        }
        let folder_named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = folder_named.canonicalize()?;
        folders().insert(folder.to_owned(), real.clone());
        Ok(real.join(name))
    }
}

/// The path with all links followed.
fn without_links(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map_err(|error| match path.metadata() {
        // A link of the system to what has no path, such as the pipe of standard input.
        Ok(found) if error.kind() == io::ErrorKind::NotFound => {
            io::Error::other(if found.is_file() { Refused::Outside } else { Refused::NotRegular })
        }
        _ => error,
    })
}

/// Why a file was refused, where that is why it was not opened.
pub fn refused(error: &io::Error) -> Option<Refused> {
    error.get_ref()?.downcast_ref::<Refused>().copied()
}
