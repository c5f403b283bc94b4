//! Device files that a command cannot open. The command gets a view of its own of the tree of files, a mount namespace, in
//! which each of these files lies on a mount whose device files nobody may open (`nodev`): they are seen, as those that a
//! control group denies are, and to open one is refused. For everybody else nothing changes.
//!
//! Whoever may mount needs no more than that. Other users need a user namespace around it, in which their own numbers mean
//! what they did, and which some systems do not give them.

use super::super::hiding::Namespace;
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::ptr;

/// All that a new process needs to know, so that nothing is allocated between fork and exec.
#[derive(Clone)]
struct View {
    /// What a user namespace is told; `None` without one.
    users: Option<[(&'static CStr, CString); 3]>,
    /// The files, each with the flags of the mount that it lies on, which must stay.
    files: Vec<(CString, libc::c_ulong)>,
}

/// Lets the command have such a view when it is started. That the system refuses it is an error of the start.
///
/// # Errors
/// When one of the files is not there.
pub fn hide(files: &[PathBuf], namespace: Namespace, command: &mut Command) -> io::Result<()> {
    let view = View {
        users: (namespace == Namespace::User).then(own_numbers),
        files: files.iter().map(with_flags).collect::<io::Result<_>>()?,
    };
    // SAFETY: between fork and exec only system calls are made, and nothing is allocated.
    unsafe { command.pre_exec(move || enter(&view)) };
    Ok(())
}

/// This user and this group, and no others.
fn own_numbers() -> [(&'static CStr, CString); 3] {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let text = |text: String| CString::new(text).unwrap_or_default();
    [
        (c"/proc/self/setgroups", text("deny".to_owned())),
        (c"/proc/self/uid_map", text(format!("{user} {user} 1"))),
        (c"/proc/self/gid_map", text(format!("{group} {group} 1"))),
    ]
}

fn with_flags(file: &PathBuf) -> io::Result<(CString, libc::c_ulong)> {
    let path = CString::new(file.as_os_str().as_bytes())?;
    let told = rustix::fs::statvfs(file)?.f_flag;
    // What a mount may not lose in another namespace.
    let kept = [
        (rustix::fs::StatVfsMountFlags::RDONLY, libc::MS_RDONLY),
        (rustix::fs::StatVfsMountFlags::NOSUID, libc::MS_NOSUID),
        (rustix::fs::StatVfsMountFlags::NOEXEC, libc::MS_NOEXEC),
        (rustix::fs::StatVfsMountFlags::NOATIME, libc::MS_NOATIME),
        (rustix::fs::StatVfsMountFlags::NODIRATIME, libc::MS_NODIRATIME),
        (rustix::fs::StatVfsMountFlags::RELATIME, libc::MS_RELATIME),
    ];
    let flags =
        kept.into_iter().filter(|(flag, _)| told.contains(*flag)).fold(0, |all, (_, flag)| all | flag);
    Ok((path, flags))
}

fn enter(view: &View) -> io::Result<()> {
    let user = if view.users.is_some() { libc::CLONE_NEWUSER } else { 0 };
    // SAFETY: the new process has one thread, and the arguments are flags.
    done(unsafe { libc::unshare(libc::CLONE_NEWNS | user) })?;
    for (file, text) in view.users.iter().flatten() {
        write(file, text)?;
    }
    // What is mounted outside later is seen, and nothing that is mounted here is seen outside.
    mount(None, c"/", libc::MS_REC | libc::MS_SLAVE)?;
    for (file, flags) in &view.files {
        mount(Some(file), file, libc::MS_BIND)?;
        mount(None, file, libc::MS_REMOUNT | libc::MS_BIND | libc::MS_NODEV | flags)?;
    }
    Ok(())
}

fn mount(source: Option<&CStr>, target: &CStr, flags: libc::c_ulong) -> io::Result<()> {
    let source = source.map_or(ptr::null(), CStr::as_ptr);
    // SAFETY: each pointer is null or a text with its end.
    done(unsafe { libc::mount(source, target.as_ptr(), ptr::null(), flags, ptr::null()) })
}

fn write(file: &CStr, text: &CStr) -> io::Result<()> {
    let file = rustix::fs::open(file, rustix::fs::OFlags::WRONLY, rustix::fs::Mode::empty())?;
    rustix::io::write(&file, text.to_bytes()).map(drop).map_err(io::Error::from)
}

fn done(answer: libc::c_int) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
