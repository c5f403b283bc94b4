//! Who waits for a slot, in the order of arrival.
//!
//! Each waiter sits on a seat: a file that it has locked, beside which the number of its ticket is written. Seats are never
//! removed, only taken again, because whoever removes a locked file makes two of it. A seat that can be locked is empty,
//! whatever its ticket says, so a waiter that was killed is out of the queue at once. Tickets are given out by one waiter
//! at a time, behind a door.
//!
//! Locks and what is written are in different files because Windows lets nobody read what another has locked.

use super::PAUSES;
use super::shared::Folder;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::thread;
use std::time::Instant;

/// So many wait for one card only if something is wrong.
const MOST_SEATS: usize = 4096;

/// A place in the queue, until it is dropped or the process ends.
#[derive(Debug)]
pub struct QueuePlace {
    lock: File,
    index: usize,
    pub ticket: u64,
}

/// Takes a seat at the end of the queue; `None` when the time is over before the door opened.
pub fn arrive(folder: &Folder, name: &str, until: Option<Instant>) -> io::Result<Option<QueuePlace>> {
    let door = folder.file(&format!("{name}.door"))?;
    // Once at least, also when there is no time to wait.
    while !locked(&door)? {
        if until.is_some_and(|until| until <= Instant::now()) {
            return Ok(None);
        }
        thread::sleep(PAUSES[0]);
    }
    let seat = sit_down(folder, name);
    let _ = door.unlock();
    seat.map(Some)
}

impl QueuePlace {
    /// How many waiters are served before this one.
    pub fn ahead(&self, folder: &Folder, name: &str) -> io::Result<usize> {
        let mut ahead = 0;
        for index in (0..MOST_SEATS).filter(|index| *index != self.index) {
            let Some(lock) = folder.existing(&lock_name(name, index))? else { break };
            let Some(ticket) = ticket(folder, name, index)? else { continue };
            if ticket < self.ticket && !is_empty(&lock)? {
                ahead += 1;
            }
        }
        Ok(ahead)
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

fn sit_down(folder: &Folder, name: &str) -> io::Result<QueuePlace> {
    let mut seat = None;
    let mut last = 0;
    for index in 0..MOST_SEATS {
        let lock_name = lock_name(name, index);
        let lock = match folder.existing(&lock_name)? {
            Some(lock) => lock,
            None if seat.is_some() => break,
            None => folder.file(&lock_name)?,
        };
        // Also those of empty seats: then no ticket is ever given out twice.
        last = last.max(ticket(folder, name, index)?.unwrap_or(0));
        if seat.is_none() && locked(&lock)? && folder.holds(&lock_name, &lock)? {
            seat = Some((index, lock));
        }
    }
    let (index, lock) = seat.ok_or_else(|| io::Error::other("too many wait for this GPU"))?;
    let ticket = last.saturating_add(1);
    let mut file = folder.file(&ticket_name(name, index))?;
    // Always of the same length, so that it replaces the one before in one write.
    file.write_all(format!("{ticket:020}\n").as_bytes())?;
    Ok(QueuePlace { lock, index, ticket })
}

fn ticket(folder: &Folder, name: &str, index: usize) -> io::Result<Option<u64>> {
    let Some(mut file) = folder.existing(&ticket_name(name, index))? else { return Ok(None) };
    let mut text = String::new();
    file.rewind()?;
    // What is no number was not written by one of us, or by one that was killed over it: it counts for nothing.
    let read = file.take(32).read_to_string(&mut text);
    Ok(read.ok().and_then(|_| text.trim_end().parse().ok()))
}

fn locked(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Shared, so that two who look do not take each other for the one who sits there.
fn is_empty(lock: &File) -> io::Result<bool> {
    match lock.try_lock_shared() {
        Ok(()) => lock.unlock().map(|()| true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn lock_name(name: &str, index: usize) -> String {
    format!("{name}.seat-{index}")
}

fn ticket_name(name: &str, index: usize) -> String {
    format!("{name}.ticket-{index}")
}
