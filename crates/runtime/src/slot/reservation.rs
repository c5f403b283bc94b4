//! Who is going to use a card again and again, and holds its slot only while it does.

use super::{Folder, SlotError, file_name, locked};
use std::fs::File;
use std::path::Path;

/// That a card was chosen, until it is dropped or the process ends. It keeps nobody from the slot.
#[derive(Debug)]
pub struct Reservation {
    lock: File,
    /// Its own lock keeps those away who tidy old files.
    _folder: Folder,
}

/// Chooses the card with this UUID; `None` when somebody else did. The folder is that of the slots.
pub fn reserve(folder: &Path, uuid: &str) -> Result<Option<Reservation>, SlotError> {
    let name = file_name(uuid).ok_or_else(|| SlotError::Uuid(uuid.to_owned()))?;
    let failed = |source| SlotError::Folder { folder: folder.to_owned(), source };
    let shared = Folder::open(folder).map_err(failed)?;
    let lock = locked(&shared, &format!("{name}.reservation")).map_err(failed)?;
    Ok(lock.map(|lock| Reservation { lock, _folder: shared }))
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // Closing the file would do, unless somebody is just starting a process, which has it open for a moment.
        let _ = self.lock.unlock();
    }
}
