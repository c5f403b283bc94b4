//! The terminal: Ctrl-C and Ctrl-Z go to the group in its foreground, and only that group may read from it.
//!
//! In an interactive session the command gets the foreground, so that a key reaches it once, from the terminal. In a
//! pipeline this process keeps it, because others of the pipeline may need it (`… | less`), and passes signals on; the
//! command gets it when it wants to read.

use rustix::process::{
    Pid, Signal, getpgid, getpgrp, getppid, getsid, kill_current_process_group, kill_process_group,
};
use rustix::termios::{isatty, tcgetpgrp, tcsetpgrp};
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::thread;
use std::time::Duration;

pub struct Terminal {
    /// `None` where there is nobody at a keyboard.
    terminal: Option<File>,
    group: Pid,
    /// The command gets it again when this process does.
    wanted: Cell<bool>,
}

impl Terminal {
    /// For a command that was just started as the leader of this group.
    pub fn new(group: Pid) -> Terminal {
        let wanted = Cell::new(isatty(io::stdin()) && isatty(io::stdout()));
        let terminal = Terminal { terminal: open(), group, wanted };
        // It may have wanted to read before it had the terminal.
        terminal.resumed();
        terminal
    }

    /// The command was stopped by this signal: so is this process, that the shell which started it notices.
    pub fn stopped(&self, signal: i32) {
        if self.terminal.is_none() {
            return;
        }
        let is = |other: Signal| other.as_raw() == signal;
        if is(Signal::TTIN) || is(Signal::TTOU) {
            self.wanted.set(true);
            if self.give() {
                self.resume();
            } else {
                // In the background; the shell continues us when it has the terminal for us.
                stop_for_the_shell();
            }
        } else if is(Signal::TSTP) {
            self.take_back();
            stop_for_the_shell();
            // Any thread can be the one that stops this process, a moment later.
            thread::sleep(Duration::from_millis(50));
            self.resumed();
        }
    }

    /// This process was continued.
    pub fn resumed(&self) {
        if self.wanted.get() {
            self.give();
        }
        self.resume();
    }

    pub fn take_back(&self) {
        if let Some(terminal) = &self.terminal
            && tcgetpgrp(terminal) == Ok(self.group)
        {
            // Now we are in the background, where to ask for the terminal stops a process that does not block this.
            let _ = without_being_stopped(|| tcsetpgrp(terminal, getpgrp()));
        }
    }

    /// Whether this process had the foreground, and the command has it now.
    fn give(&self) -> bool {
        self.terminal.as_ref().is_some_and(|terminal| {
            tcgetpgrp(terminal) == Ok(getpgrp()) && tcsetpgrp(terminal, self.group).is_ok()
        })
    }

    fn resume(&self) {
        let _ = kill_process_group(self.group, Signal::CONT);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.take_back();
    }
}

/// The terminal of this process, if it has one.
pub fn open() -> Option<File> {
    File::open("/dev/tty").ok()
}

/// With those of a pipeline, as Ctrl-Z does. Without a shell nobody would ever continue them, and the kernel stops no one.
fn stop_for_the_shell() {
    let shell = getppid().filter(|parent| getsid(Some(*parent)) == getsid(None));
    if shell.is_some_and(|shell| getpgid(Some(shell)).is_ok_and(|group| group != getpgrp())) {
        let _ = kill_current_process_group(Signal::STOP);
    }
}

fn without_being_stopped<T>(act: impl FnOnce() -> T) -> T {
    // SAFETY: both sets are plain structures of ours; only the mask of this thread changes, and is set back below.
    let before = unsafe {
        let mut blocked: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut blocked);
        libc::sigaddset(&mut blocked, libc::SIGTTOU);
        libc::pthread_sigmask(libc::SIG_BLOCK, &blocked, &mut before);
        before
    };
    let result = act();
    // SAFETY: the mask is the one that was read above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    result
}
