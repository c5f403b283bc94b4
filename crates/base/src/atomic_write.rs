//! Gives a file new content all at once: whoever reads it meanwhile, or pulls the plug, finds the old text or the new.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Each time another process has put a new file in the place of the one that was waited for.
const TURNS: usize = 100;

/// Replaces a file that still holds `expected`. Two processes that do so take turns, so that none undoes what the other
/// did; one that finds what it would have written is content.
pub fn replace_unchanged(file: &Path, expected: &[u8], content: &[u8]) -> io::Result<()> {
    for _ in 0..TURNS {
        if fs::metadata(file).map_err(gone)?.permissions().readonly() {
            return Err(read_only());
        }
        // Over a network only what may be written to can be locked.
        let mut open = OpenOptions::new().read(true).write(true).open(file).map_err(gone)?;
        lock(&open)?;
        if !is_at(&open, file).map_err(gone)? {
            continue;
        }
        let mut found = Vec::new();
        open.read_to_end(&mut found)?;
        if found == content {
            return Ok(());
        }
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

/// Removes what processes that were killed have left beside these files. What somebody is writing at the moment is
/// locked, and stays.
pub fn remove_leftovers<'p>(files: impl IntoIterator<Item = &'p Path>) {
    let mut names: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let Some(folder) = target.parent() else { continue };
        names.entry(folder.to_owned()).or_default().insert(short_name(&target));
    }
    // On Windows a file that is complete is unlocked for a moment before it is put in its place.
    for (folder, names) in names.iter().filter(|_| cfg!(unix)) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let meant = name.to_str().and_then(target_of).is_some_and(|target| names.contains(target));
            if meant {
                let _ = remove_abandoned(&entry.path());
            }
        }
    }
}

/// Removes a file that nobody has locked; says whether it did.
fn remove_abandoned(path: &Path) -> io::Result<bool> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(false);
    }
    let open = File::open(path)?;
    if open.try_lock().is_err() || !is_at(&open, path)? {
        return Ok(false);
    }
    fs::remove_file(path).map(|()| true)
}

/// Waits until nobody else has the file locked. Where the disk knows no locks, nobody takes turns.
fn lock(open: &File) -> io::Result<()> {
    match open.lock() {
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(()),
        locked => locked,
    }
}

fn gone(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::NotFound => io::Error::new(ErrorKind::NotFound, "it is gone"),
        _ => error,
    }
}

fn read_only() -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, "it is read-only")
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
            return Err(read_only());
        }
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (mut open, beside) = new_beside(&target)?;
    let placed = fill(&mut open, content, old.as_ref()).and_then(|()| {
        // It stays locked until it is in its place, where Windows allows that.
        let held = (!cfg!(windows)).then_some(open);
        let placed = fs::rename(&beside, &target);
        drop(held);
        placed
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

/// A new file beside another one, and its path. It is locked as long as it is written, so that what a process left that was
/// killed can be told from it.
fn new_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let path = beside(target);
    for _ in 0..TURNS {
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(open) => {
                lock(&open)?;
                if is_at(&open, &path).unwrap_or(false) {
                    return Ok((open, path));
                }
            }
            // In containers the numbers of processes come again.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => match remove_abandoned(&path) {
                Ok(false) => return Err(error),
                Ok(true) => {}
                Err(other) if other.kind() == ErrorKind::NotFound => {}
                Err(other) => return Err(other),
            },
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("others keep removing what is put beside it"))
}

/// In the same folder, because only within one file system a file is renamed in one step.
fn beside(target: &Path) -> PathBuf {
    target.with_file_name(format!(".{}.{}.new", short_name(target), std::process::id()))
}

/// The name of a file, short enough that something can be added to it.
fn short_name(target: &Path) -> String {
    const MOST_BYTES: usize = 200;
    let mut name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.truncate(name.floor_char_boundary(MOST_BYTES));
    name
}

/// What a name as [`beside`] makes them stands beside: `a.py` for `.a.py.4711.new`.
fn target_of(name: &str) -> Option<&str> {
    let (target, process) = name.strip_prefix('.')?.strip_suffix(".new")?.rsplit_once('.')?;
    (!process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())).then_some(target)
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

    #[test]
    fn only_what_is_still_as_it_was_read_is_replaced() {
        let folder = folder("unchanged");
        let file = folder.join("a.txt");
        assert_eq!(replace_unchanged(&file, b"", b"new").unwrap_err().to_string(), "it is gone");
        assert!(names_in(&folder).is_empty());
        fs::write(&file, "other").unwrap();
        let changed = replace_unchanged(&file, b"old", b"new").unwrap_err();
        assert_eq!(changed.to_string(), "it changed while it was checked");
        replace_unchanged(&file, b"other", b"new").unwrap();
        replace_unchanged(&file, b"other", b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        let mut permissions = fs::metadata(&file).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&file, permissions).unwrap();
        let refused = replace_unchanged(&file, b"new", b"newer").unwrap_err();
        assert_eq!(refused.to_string(), "it is read-only");
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    #[cfg(unix)]
    fn what_the_dead_have_left_is_removed() {
        let folder = folder("leftovers");
        let file = folder.join("a.py");
        let left = [".a.py.1.new", ".a.py.99999999.new"].map(|name| folder.join(name));
        let kept = [".b.py.1.new", ".a.py.x.new", "a.py.1.new", ".a.py.2.new"].map(|name| folder.join(name));
        for path in left.iter().chain(&kept).chain([&file]) {
            fs::write(path, "half").unwrap();
        }
        // Somebody is at it.
        let writing = File::open(&kept[3]).unwrap();
        writing.lock().unwrap();
        remove_leftovers([file.as_path()]);
        assert!(left.iter().all(|path| !path.exists()));
        assert!(kept.iter().all(|path| path.exists()));
        // One with the number of this very process.
        fs::write(beside(&file), "half").unwrap();
        replace(&file, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(!beside(&file).exists());
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn long_names_can_be_replaced() {
        let folder = folder("long");
        let file = folder.join(format!("{}.py", "ü".repeat(120)));
        replace(&file, b"one").unwrap();
        replace_unchanged(&file, b"one", b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(names_in(&folder).len(), 1);
        let _ = fs::remove_dir_all(folder);
    }
}
