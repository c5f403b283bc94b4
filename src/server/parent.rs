//! The editor that started this process: when it is gone, nobody will ever end this one.

use super::Event;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

const PAUSE: Duration = Duration::from_secs(3);

/// Tells when the process has ended. One that is not there to begin with is seen from another container, or over a
/// network, and nothing is told about it: then the end of standard input has to do, as on systems where nobody can ask.
pub fn watch(process: i32, events: Sender<Event>) {
    if !is_alive(process) {
        return;
    }
    thread::spawn(move || {
        while is_alive(process) {
            thread::sleep(PAUSE);
        }
        // Nobody listens any more when everything ends anyway.
        let _ = events.send(Event::ParentEnded);
    });
}

#[cfg(unix)]
fn is_alive(process: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(process)
        .filter(|_| process > 0)
        .is_some_and(|process| test_kill_process(process) != Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_process: i32) -> bool {
    false
}
