//! The signals that this process gets, as events.

use super::Event;
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2};
use signal_hook::iterator::{Handle, Signals as Caught};
use std::io;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

/// Those that are passed on to the command.
const PASSED: &[i32] = &[SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2];

/// Until it is dropped.
pub struct Signals {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Signals {
    pub fn new(events: Sender<Event>) -> io::Result<Signals> {
        // Ctrl-Z stops the command first, and then this process with it.
        let key = super::terminal::open().map(|_| SIGTSTP);
        // `nohup` and shells let a process ignore signals, and so what it starts: to catch one would undo that.
        let passed = PASSED.iter().copied().chain(key).filter(|signal| !is_ignored(*signal));
        let mut caught = Caught::new(passed.chain([SIGCHLD, SIGCONT]))?;
        let handle = caught.handle();
        let listen = move || {
            for signal in caught.forever() {
                let event = if signal == SIGCHLD { Event::Child } else { Event::Signal(signal) };
                if events.send(event).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
        Ok(Signals { handle, thread: Some(thread) })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            // It only sends; there is nothing to learn from how it ended.
            let _ = thread.join();
        }
    }
}

/// Whether this process was started so, or has said so since.
pub fn is_ignored(signal: i32) -> bool {
    // SAFETY: nothing is changed, and what is set is written to a plain structure of ours, for which all zeros is valid.
    unsafe {
        let mut set: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut set) == 0 && set.sa_sigaction == libc::SIG_IGN
    }
}
