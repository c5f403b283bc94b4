//! Gives a file new content all at once: whoever reads it meanwhile, or pulls the plug, finds the old text or the new.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Replaces a file that still holds `expected`. Two processes that do so take turns, so that none undoes what the other
/// did.
pub fn replace_unchanged(file: &Path, expected: &[u8], content: &[u8]) -> io::Result<()> {
    /// Each time another process has put a new file in the place of the one that was waited for.
    const TURNS: usize = 100;
    for _ in 0..TURNS {
        let mut open = File::open(file)?;
        open.lock()?;
        if !is_at(&open, file)? {
            continue;
        }
        let mut found = Vec::new();
        open.read_to_end(&mut found)?;
        if found != expected {
            return Err(io::Error::other("it changed while it was checked"));
        }
        // Windows puts nothing in the place of a file that is locked.
        let held = (!cfg!(windows)).then_some(open);
        let placed = replace(file, content);
        drop(held);
        return placed;
    }
    Err(io::Error::other("others keep changing it"))
}

/// Whether an open file is still what its path leads to.
fn is_at(open: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (open, there) = (open.metadata()?, fs::metadata(path)?);
        Ok((open.dev(), open.ino()) == (there.dev(), there.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = (open, path);
        Ok(true)
    }
}

/// Writes `content` beside the file and puts it in its place. A link stays a link, and what it leads to is replaced;
/// permissions stay; a file that is not to be written to is refused.
pub fn replace(file: &Path, content: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let old = match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => return Err(io::Error::other("it is a folder")),
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "it is read-only"));
        }
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let beside = beside(&target);
    let mut open = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let placed = fill(&mut open, content, old.as_ref()).and_then(|()| {
        drop(open);
        fs::rename(&beside, &target)
    });
    if placed.is_err() {
        let _ = fs::remove_file(&beside);
    }
    placed
}

fn fill(open: &mut File, content: &[u8], old: Option<&fs::Metadata>) -> io::Result<()> {
    open.write_all(content)?;
    if let Some(old) = old {
        keep_owner(open, old);
        open.set_permissions(old.permissions())?;
    }
    open.sync_all()
}

/// A run as root in a container leaves the user's files to the user. Others cannot give files away, and need not.
fn keep_owner(open: &File, old: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(open, Some(old.uid()), Some(old.gid()));
    }
    #[cfg(not(unix))]
    let _ = (open, old);
}

/// In the same folder, because only within one file system a file is renamed in one step.
fn beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.new", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("gpulint-replacement-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn nothing_is_left_beside_the_file() {
        let folder = folder("plain");
        let file = folder.join("a.txt");
        replace(&file, b"one").unwrap();
        replace(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(names_in(&folder), ["a.txt"]);
        assert!(replace(&folder, b"").is_err());
        let mut permissions = fs::metadata(&file).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&file, permissions).unwrap();
        assert_eq!(replace(&file, b"three").unwrap_err().kind(), ErrorKind::PermissionDenied);
        assert_eq!(fs::read(&file).unwrap(), b"two");
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = folder("unix");
        let (file, link) = (folder.join("run.sh"), folder.join("link.sh"));
        fs::write(&file, "one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
        symlink("run.sh", &link).unwrap();
        replace(&link, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let _ = fs::remove_dir_all(folder);
    }
}
