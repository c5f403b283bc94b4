//! A folder that all users of a machine write to, and files in it that all of them can lock.
//!
//! Such a folder is where somebody may have put a link to another user's file. So the default is opened without following
//! one, files in it are opened below the opened folder, and what is not a plain file with one name is refused.

use rustix::fs::{
    AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat, fchmod, flock, fstat, openat, statat,
    unlinkat,
};
use rustix::io::Errno;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Everybody makes files, nobody removes another's.
const FOR_ALL: u32 = 0o1777;
/// More often than this nobody makes and removes a file by chance.
const ATTEMPTS: usize = 32;

/// The folder of the slots, opened.
#[derive(Debug)]
pub struct Folder(OwnedFd);

pub fn folder_of_the_machine() -> PathBuf {
    for base in ["/run/lock", "/var/lock"] {
        let own = Path::new(base).join("gpulint");
        let anybody_could_make_it = || std::fs::metadata(base).is_ok_and(|base| base.mode() & 0o002 != 0);
        if own.symlink_metadata().is_ok() || anybody_could_make_it() {
            return own;
        }
    }
    // Not TMPDIR, which each user has an own one of.
    PathBuf::from("/tmp/gpulint")
}

pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

pub fn user() -> String {
    let named =
        ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()));
    named.unwrap_or_else(|| format!("user {}", rustix::process::geteuid().as_raw()))
}

impl Folder {
    /// Makes it where it is missing.
    pub fn open(path: &Path) -> io::Result<Folder> {
        if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            make_for_all(path)?;
        }
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // Whoever names a folder may well mean what a link leads to.
        if path == folder_of_the_machine() {
            flags |= OFlags::NOFOLLOW;
        }
        let folder = openat(CWD, path, flags, Mode::empty())?;
        // Those who tidy folders of temporary files leave one alone that somebody has locked.
        match flock(&folder, FlockOperation::NonBlockingLockShared) {
            Ok(()) | Err(Errno::WOULDBLOCK) => Ok(Folder(folder)),
            Err(error) => Err(error.into()),
        }
    }

    /// The file of this name, empty if it was missing.
    pub fn file(&self, name: &str) -> io::Result<File> {
        for _ in 0..ATTEMPTS {
            if let Some(file) = self.existing(name)? {
                return Ok(file);
            }
            self.make(name)?;
        }
        Err(io::Error::other(format!("somebody keeps removing {name}")))
    }

    pub fn existing(&self, name: &str) -> io::Result<Option<File>> {
        // Not to be made here: some systems refuse to open another user's file that might have to be made. And not to be
        // waited for, as a pipe would be.
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(no_plain_file(name)),
            Err(error) => return Err(error.into()),
        };
        let found = fstat(&file)?;
        match found.st_nlink {
            _ if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile => Err(no_plain_file(name)),
            0 => Ok(None),
            1 => Ok(Some(File::from(file))),
            _ => Err(no_plain_file(name)),
        }
    }

    /// Whether the name still leads to this file.
    pub fn holds(&self, name: &str, file: &File) -> io::Result<bool> {
        let same = |a: Stat, b: Stat| (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino);
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) => Ok(same(named, fstat(file)?)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Under another name first, so that nobody meets a file that is not for all yet, not even after a crash.
    fn make(&self, name: &str) -> io::Result<()> {
        let other = new_name();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let file = openat(&self.0, other.as_str(), flags, mode)?;
        fchmod(&file, mode)?;
        let published = rename_if_free(&self.0, other.as_ref(), name.as_ref());
        if published.is_ok() {
            return Ok(());
        }
        unlinkat(&self.0, other.as_str(), AtFlags::empty())?;
        match published {
            // Somebody was quicker.
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            // File systems that cannot do that, as some of networks.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match openat(&self.0, name, flags, mode) {
                Ok(file) => Ok(fchmod(&file, mode)?),
                Err(Errno::EXIST) => Ok(()),
                Err(error) => Err(error.into()),
            },
            Err(error) => Err(error.into()),
        }
    }
}

fn make_for_all(path: &Path) -> io::Result<()> {
    let base = path.parent().filter(|base| !base.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(base)?;
    let other = base.join(new_name());
    DirBuilder::new().mode(FOR_ALL).create(&other)?;
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(FOR_ALL))?;
    let published = match rename_if_free(CWD, &other, path) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => std::fs::rename(&other, path),
        result => result.map_err(io::Error::from),
    };
    if published.is_err() {
        let _ = std::fs::remove_dir(&other);
    }
    // Somebody may have been quicker.
    if path.is_dir() { Ok(()) } else { published }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_if_free(folder: impl AsFd, from: &Path, to: &Path) -> Result<(), Errno> {
    use rustix::fs::{RenameFlags, renameat_with};
    renameat_with(&folder, from, &folder, to, RenameFlags::NOREPLACE)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_if_free(_folder: impl AsFd, _from: &Path, _to: &Path) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// A name that nobody else makes.
fn new_name() -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let time = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    format!(".new-{}-{}-{time}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}

fn no_plain_file(name: &str) -> io::Error {
    io::Error::other(format!("{name} there is no plain file with one name"))
}
