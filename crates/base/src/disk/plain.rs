//! Opens a file that is known by its path without links, and follows none that was put there meanwhile.

use std::fs::File;
use std::io;
use std::path::Path;

/// Does not wait for whoever writes to a pipe.
#[cfg(unix)]
pub fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // Old kernels do not know the call, and old containers forbid it.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
            opened => return Ok(opened.map(File::from)?),
        }
    }
    Ok(openat(CWD, path, flags, Mode::empty()).map(File::from)?)
}

#[cfg(not(unix))]
pub fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
