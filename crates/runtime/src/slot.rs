//! The slot of a GPU: on one machine, one run at a time has it, and the others wait in the order in which they came.
//!
//! A slot is a lock of the kernel on a file that all users of the machine share, so it is free the moment its holder ends,
//! however that ends: nothing can stay locked. It is not handed to the command that runs in the slot. Whatever that
//! command starts and forgets would keep it for ever, and what closes its descriptors, as Python's `subprocess` does,
//! would lose it early. Instead gpulint holds the slot until everything that the command started is gone, which
//! [`process`](super::process) sees to. When gpulint itself is killed the slot is free although the command may live on
//! for a moment; then the next in the queue sees it on the card, and waits for it as for any foreign process.
//!
//! The slot holds for those who see the same folder: a container needs it mounted.

mod folder;
mod holder;
mod queue;
mod reservation;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use folder::{SLOT_FOLDER_VARIABLE, slot_folder};
pub use holder::Holder;
pub use reservation::{Reservation, reserve};

use queue::QueuePlace;
pub use shared::Folder;
use std::fmt;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
#[cfg(unix)]
use unix as shared;
#[cfg(windows)]
use windows as shared;

/// The first and the longest pause between two looks.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(250)];

/// The right to use a GPU, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Slot {
    lock: File,
    holder: File,
    /// The number of the ticket that was served: greater than that of everyone served before.
    pub ticket: u64,
    pub waited: Duration,
    /// Its own lock keeps those away who tidy old files.
    _folder: Folder,
}

/// How somebody waits.
pub struct SlotWait<'a> {
    /// `None`: as long as it takes. Zero: not at all.
    pub timeout: Option<Duration>,
    /// Asked when it is our turn, again and again while the card is busy.
    pub card: &'a mut dyn FnMut() -> CardUse,
    /// Called after each look at the queue that was in vain, several times a second.
    pub progress: &'a mut dyn FnMut(&Progress),
}

/// What else is on the card, of processes that know nothing of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardUse {
    Free,
    /// Wait for it: a description of the process, for messages.
    Busy(String),
    /// Give up because of it.
    Refused(String),
}

/// How far somebody who waits has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub ticket: u64,
    /// How many waiters are served before.
    pub ahead: usize,
    pub waited: Duration,
    /// Who has the slot, when that is known.
    pub holder: Option<Holder>,
    /// Who else is on the card: the slot is ours, and the wait is for this only.
    pub foreign: Option<String>,
}

impl fmt::Display for Progress {
    /// `held by pid 4711 (python train.py) of alice for 3 min, 2 before us`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.foreign, &self.holder) {
            (Some(foreign), _) => write!(formatter, "in use by {}", crate::report::printable(foreign))?,
            (None, Some(holder)) => write!(formatter, "held by {holder}")?,
            (None, None) => write!(formatter, "not free")?,
        }
        match self.ahead {
            0 => Ok(()),
            ahead => write!(formatter, ", {ahead} before us"),
        }
    }
}

/// Why somebody did not get the slot.
#[derive(Debug, thiserror::Error)]
pub enum SlotError {
    #[error("`{}` cannot name the slot of a GPU: give the UUID that `nvidia-smi -L` prints", crate::report::printable(.0))]
    Uuid(String),
    #[error("the slot cannot be kept in {}: {source}; make it writable for all users (mode 1777), or name another folder \
             in {SLOT_FOLDER_VARIABLE}", .folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("the GPU was {progress} when the time to wait for it was over, after {}", holder::span(.progress.waited))]
    Timeout { progress: Box<Progress> },
    #[error("the GPU is in use by {}", crate::report::printable(.0))]
    Refused(String),
}

/// Waits for the slot of the GPU with this UUID. The folder is that of [`slot_folder`].
pub fn take(folder: &Path, uuid: &str, holder: &Holder, wait: SlotWait<'_>) -> Result<Slot, SlotError> {
    let name = file_name(uuid).ok_or_else(|| SlotError::Uuid(uuid.to_owned()))?;
    let failed = |source| SlotError::Folder { folder: folder.to_owned(), source };
    let started = Instant::now();
    let shared = Folder::open(folder).map_err(failed)?;
    let seat = queue::arrive(&shared, &name, wait.timeout.map(|timeout| started + timeout));
    let seat = match seat.map_err(failed)? {
        Some(seat) => seat,
        None => return Err(SlotError::Timeout { progress: Box::new(progress(0, 0, started)) }),
    };
    let waiter = Waiter { folder: &shared, name: &name, seat, started };
    let served = waiter.serve(holder, wait, failed)?;
    Ok(Slot {
        lock: served.lock,
        holder: served.holder,
        ticket: waiter.seat.ticket,
        waited: started.elapsed(),
        _folder: shared,
    })
}

impl Drop for Slot {
    fn drop(&mut self) {
        // First the name, so that nobody is told of a holder that has left.
        let _ = self.holder.set_len(0);
        // Closing the file would do, unless somebody is just starting a process, which has it open for a moment.
        let _ = self.lock.unlock();
    }
}

struct Waiter<'a> {
    folder: &'a Folder,
    name: &'a str,
    seat: QueuePlace,
    started: Instant,
}

struct ServedCard {
    lock: File,
    holder: File,
}

impl Waiter<'_> {
    fn serve(
        &self,
        holder: &Holder,
        wait: SlotWait<'_>,
        failed: impl Fn(io::Error) -> SlotError,
    ) -> Result<ServedCard, SlotError> {
        let holders = self.folder.file(&format!("{}.holder", self.name)).map_err(&failed)?;
        let mut lock = None;
        let mut pause = PAUSES[0];
        let mut last_ahead = usize::MAX;
        loop {
            let ahead = self.seat.ahead(self.folder, self.name).map_err(&failed)?;
            if ahead == 0 && lock.is_none() {
                lock = self.lock().map_err(&failed)?;
                if lock.is_some() {
                    // Whoever held it before was killed, if a name is left.
                    holders.set_len(0).map_err(&failed)?;
                }
            }
            let mut progress = progress(self.seat.ticket, ahead, self.started);
            if let Some(taken) = lock.take() {
                match (wait.card)() {
                    CardUse::Free => {
                        holder.write(&holders).map_err(&failed)?;
                        return Ok(ServedCard { lock: taken, holder: holders });
                    }
                    CardUse::Busy(foreign) => progress.foreign = Some(foreign),
                    CardUse::Refused(foreign) => return Err(SlotError::Refused(foreign)),
                }
                lock = Some(taken);
            } else {
                progress.holder = Holder::read(&holders);
            }
            (wait.progress)(&progress);
            let left = wait.timeout.map(|timeout| timeout.saturating_sub(self.started.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(SlotError::Timeout { progress: Box::new(progress) });
            }
            // What has just moved will soon move again.
            pause = if ahead == last_ahead { (pause * 3 / 2).min(PAUSES[1]) } else { PAUSES[0] };
            last_ahead = ahead;
            thread::sleep(left.map_or(pause, |left| left.min(pause)));
        }
    }

    /// The lock of the slot, if nobody has it.
    fn lock(&self) -> io::Result<Option<File>> {
        locked(self.folder, &format!("{}.slot", self.name))
    }
}

/// The file of this name, locked, if nobody else has locked it.
fn locked(folder: &Folder, name: &str) -> io::Result<Option<File>> {
    let file = folder.file(name)?;
    match file.try_lock() {
        // A file that was deleted meanwhile is another one than the next who comes will lock.
        Ok(()) => Ok(folder.holds(name, &file)?.then_some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn progress(ticket: u64, ahead: usize, started: Instant) -> Progress {
    Progress { ticket, ahead, waited: started.elapsed(), holder: None, foreign: None }
}

/// UUIDs of slices have slashes in them.
fn file_name(uuid: &str) -> Option<String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let named = uuid.len() <= 128 && uuid.chars().any(|c| c.is_ascii_alphanumeric());
    named.then(|| uuid.chars().map(plain).collect())
}

#[cfg(test)]
mod tests;
