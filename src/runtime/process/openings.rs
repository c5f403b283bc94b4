//! Which files a command opens, on systems that tell.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Whether there is a way to it at all.
macro_rules! told {
    ($($there:item)*) => {
        $(#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))] $there)*
    };
}

told! {
    use super::unix::opened;

    /// A command that will tell what it opens, once it is started.
    pub struct Promise(Option<opened::Promise>);

    /// The calls of a command, and of all that it starts, that open a file.
    pub struct Openings(opened::Opened);

    impl Promise {
        /// Of a command that has not started yet. Where the system has no way to it, the command starts all the same.
        pub fn of(command: &mut Command) -> Promise {
            Promise(opened::promise(command).ok())
        }

        /// After the start, when the command itself is gone. `None` where the system has no way to it.
        pub fn kept(self) -> Option<Openings> {
            self.0?.kept().map(Openings)
        }
    }

    impl Openings {
        /// The next: the number of the process, or of one of its threads, and the path as it was given. Until it is asked for, the command
        /// waits. `None`: there was none in so long.
        pub fn next(&self, patience: Duration) -> Option<(u32, PathBuf)> {
            self.0.next(patience)
        }
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod elsewhere {
    use super::*;

    pub struct Promise;
    pub enum Openings {}

    impl Promise {
        pub fn of(_: &mut Command) -> Promise {
            Promise
        }

        pub fn kept(self) -> Option<Openings> {
            None
        }
    }

    impl Openings {
        pub fn next(&self, _: Duration) -> Option<(u32, PathBuf)> {
            match *self {}
        }
    }
}
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub use elsewhere::{Openings, Promise};
