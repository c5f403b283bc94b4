//! The device files of the cards, which here are plain files, since only root may make others. The kernel refuses to open a
//! device file on a mount that forbids it (`nodev`). To open a plain file it does not refuse, so the stand-ins look for
//! such a mount themselves. `tests/process.rs` shows what the kernel does with a real device file.

use crate::{Card, DEVICES};
use std::path::PathBuf;

/// The number of the device file of each card, in the order of the description.
pub fn minors(cards: &[Card]) -> Vec<u32> {
    let rank = |card: &Card| cards.iter().filter(|other| other.address() < card.address()).count();
    cards.iter().map(|card| u32::try_from(rank(card)).unwrap_or_default()).collect()
}

/// The name of the file of this number.
pub fn file_name(minor: u32) -> String {
    format!("nvidia{minor}")
}

/// Whether this process could not open the device file of this number.
pub fn is_hidden(minor: u32) -> bool {
    let Some(folder) = std::env::var_os(DEVICES).map(PathBuf::from) else { return false };
    let file = folder.join(file_name(minor));
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    // proc_pid_mountinfo(5): the fifth field is where it is mounted, the sixth has the options.
    mounts.lines().any(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        fields.get(4).is_some_and(|place| file.as_os_str() == *place)
            && fields.get(5).is_some_and(|options| options.split(',').any(|option| option == "nodev"))
    })
}
