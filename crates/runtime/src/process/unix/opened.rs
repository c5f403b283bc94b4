//! Which files a command opens, one by one, told by the kernel: each call that opens a file is held until this process has read its
//! path, and then goes on as it would have. It covers all that the command starts, in any language, and however briefly a file is open.
//!
//! This is the notification of seccomp, which Linux has since 5.5. For users without privileges the command must give up gaining any
//! (`no_new_privs`), so `sudo` does not work in it.

use std::ffi::OsString;
use std::io;
use std::mem::{MaybeUninit, size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::ptr;
use std::time::Duration;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// A command that will tell what it opens, once it is started.
pub struct Promise(OwnedFd);

/// The calls of a command and of all below it, as they come.
pub struct Opened(OwnedFd);

impl Promise {
    /// Of a command that has not started yet. Where the system refuses it, the command starts all the same.
    pub fn of(command: &mut Command) -> Option<Promise> {
        let (ours, theirs) = pair().ok()?;
        let filter = filter();
        // SAFETY: between fork and exec only system calls are made, and nothing is allocated.
        unsafe {
            command.pre_exec(move || {
                if let Ok(listener) = listen(&filter) {
                    // It is in the socket then, and outlives the exec, which closes it here.
                    let _ = send(theirs.as_raw_fd(), listener);
                }
                Ok(())
            });
        }
        Some(Promise(ours))
    }

    /// After the start of the command, which holds the other end of the socket and must be gone. `None` where the system refused it.
    pub fn kept(self) -> Option<Opened> {
        receive(self.0.as_raw_fd()).map(Opened)
    }
}

impl Opened {
    /// The next call: the number of the process or of one of its threads, and the path as it was given. Until it is asked for, the command
    /// waits. `None`: there was none in so long.
    pub fn next(&self, patience: Duration) -> Option<(u32, PathBuf)> {
        let mut waiting = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let milliseconds = patience.as_millis().try_into().unwrap_or(libc::c_int::MAX);
        // SAFETY: one structure, which lives as long as the call.
        let ready = unsafe { libc::poll(&raw mut waiting, 1, milliseconds) };
        if ready < 1 || waiting.revents & libc::POLLIN == 0 {
            // Where nobody is left who could call, poll answers at once.
            if ready > 0 {
                std::thread::sleep(patience);
            }
            return None;
        }
        // SAFETY: the structure is plain numbers, and the kernel wants it to be zero.
        let mut call: libc::seccomp_notif = unsafe { zeroed() };
        // SAFETY: the kernel fills the structure of this size.
        let told = unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call) };
        if told != 0 {
            return None;
        }
        // `open(path, …)`, and `openat(folder, path, …)` as the others have it.
        let is_open = cfg!(target_arch = "x86_64") && call.data.nr == OPEN;
        let address = call.data.args[usize::from(!is_open)];
        let path = text_of(call.pid, address);
        let mut answer = libc::seccomp_notif_resp {
            id: call.id,
            val: 0,
            error: 0,
            flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
        };
        // SAFETY: the structure lives as long as the call. The process may have ended meanwhile, which is no matter.
        unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer) };
        Some((call.pid, path?))
    }
}

#[cfg(target_arch = "x86_64")]
const OPEN: libc::c_int = libc::SYS_open as libc::c_int;
#[cfg(not(target_arch = "x86_64"))]
const OPEN: libc::c_int = -1;

/// Lets everything pass but calls that open a file.
fn filter() -> Vec<libc::sock_filter> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const IS: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const ANSWER: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let one = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let calls = [libc::SYS_openat as u32, libc::SYS_openat2 as u32, OPEN as u32];
    let behind = calls.len() as u8;
    // Where the numbers of calls mean something else, nothing is held.
    let mut filter = vec![one(LOAD, 0, 0, 4), one(IS, 0, behind + 1, ARCHITECTURE), one(LOAD, 0, 0, 0)];
    for (at, call) in calls.into_iter().enumerate() {
        filter.push(one(IS, behind - at as u8, 0, call));
    }
    filter.push(one(ANSWER, 0, 0, libc::SECCOMP_RET_ALLOW));
    filter.push(one(ANSWER, 0, 0, libc::SECCOMP_RET_USER_NOTIF));
    filter
}

/// In the new process: holds its calls from now on.
fn listen(filter: &[libc::sock_filter]) -> io::Result<RawFd> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    let ask = || {
        // SAFETY: the filter lives as long as the call, which only reads it.
        unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
                &raw const program,
            )
        }
    };
    let mut listener = ask();
    if listener < 0 {
        // SAFETY: the arguments are numbers.
        unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        listener = ask();
    }
    if listener < 0 { Err(io::Error::last_os_error()) } else { Ok(listener as RawFd) }
}

/// Two ends, without a name that anybody else could reach them by.
fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [RawFd; 2] = [0; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: the kernel writes two numbers, of files that belong to nobody else.
    unsafe {
        match libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) {
            0 => Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// What is sent beside one byte: one file, aligned as the kernel wants it.
#[repr(C)]
union Beside {
    header: libc::cmsghdr,
    bytes: [u8; 64],
}

fn message(byte: &mut libc::iovec, beside: &mut Beside) -> libc::msghdr {
    // SAFETY: the structure is numbers and pointers that may be null.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = byte;
    message.msg_iovlen = 1;
    message.msg_control = ptr::from_mut(beside).cast();
    // SAFETY: the argument is a number.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as _;
    message
}

fn send(socket: RawFd, file: RawFd) -> io::Result<()> {
    let mut data = 0u8;
    let mut byte = libc::iovec { iov_base: ptr::from_mut(&mut data).cast(), iov_len: 1 };
    let mut beside = Beside { bytes: [0; 64] };
    let message = message(&mut byte, &mut beside);
    // SAFETY: the header lies in `beside`, which has room for it and for one file.
    unsafe {
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(file);
        if libc::sendmsg(socket, &raw const message, 0) < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    }
}

fn receive(socket: RawFd) -> Option<OwnedFd> {
    let mut data = 0u8;
    let mut byte = libc::iovec { iov_base: ptr::from_mut(&mut data).cast(), iov_len: 1 };
    let mut beside = Beside { bytes: [0; 64] };
    let mut message = message(&mut byte, &mut beside);
    // SAFETY: the message has room for one byte and one file, and a file that came belongs to nobody else.
    unsafe {
        if libc::recvmsg(socket, &raw mut message, libc::MSG_CMSG_CLOEXEC) != 1 {
            return None;
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            return None;
        }
        Some(OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned()))
    }
}

/// The text that lies there in another process, up to its end or that of the page.
fn text_of(pid: u32, address: u64) -> Option<PathBuf> {
    const PAGE: u64 = 4096;
    let mut bytes = [MaybeUninit::<u8>::uninit(); PAGE as usize];
    let mut text = Vec::new();
    let mut at = address;
    // A path lies in two pages at most.
    for _ in 0..2 {
        let length = (PAGE - at % PAGE) as usize;
        let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: length };
        let remote = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: length };
        // SAFETY: the kernel writes into `bytes`, which has room for it, and checks the other address.
        let read = unsafe {
            libc::process_vm_readv(pid as libc::pid_t, &raw const local, 1, &raw const remote, 1, 0)
        };
        let read = usize::try_from(read).ok().filter(|read| *read > 0)?;
        // SAFETY: so many bytes were written.
        let read = unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<u8>(), read) };
        match read.iter().position(|byte| *byte == 0) {
            Some(end) => {
                text.extend(&read[..end]);
                return Some(PathBuf::from(OsString::from_vec(text)));
            }
            None => text.extend(read),
        }
        at += length as u64;
    }
    None
}
