//! This program again, for a part of its work that must not take the rest with it: several at once, without a terminal, and
//! each ends when this process does.

#[cfg(unix)]
use super::unix::{ask_to_end, set_apart};
#[cfg(windows)]
use super::windows::{Family, ask_to_end, set_apart};
use std::io;
use std::process::{Child, Command, ExitStatus};

/// A worker, which the thread that started it waits for: on Linux it ends with that thread.
pub struct Worker {
    child: Child,
    #[cfg(windows)]
    _job: Family,
}

impl Worker {
    /// # Errors
    /// When the system does not start it.
    pub fn start(command: &mut Command) -> io::Result<Worker> {
        set_apart(command);
        #[cfg(unix)]
        return Ok(Worker { child: command.spawn()? });
        #[cfg(windows)]
        {
            let job = Family::new()?;
            let child = super::windows::started_in(&job, command)?;
            Ok(Worker { child, _job: job })
        }
    }

    /// How it ended, if it has.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Asks it to end what it does and itself.
    pub fn ask_to_end(&mut self) {
        ask_to_end(&mut self.child);
    }
}

impl Drop for Worker {
    /// Nobody waits for it any more.
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.ask_to_end();
            let _ = self.child.wait();
        }
    }
}
