//! Whose code was looked at while a program was followed and judged.

use crate::facts::FileId;
use std::cell::RefCell;

thread_local! {
    /// Two bits for each file; empty where nobody asks.
    static READ: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// What was looked at, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Read {
    /// Files of which any part may have been looked at.
    pub whole: Vec<FileId>,
    /// Those of which it was what is in no function, and the functions that ran.
    pub pieces: Vec<FileId>,
}

/// Notes that somebody looked at any part of the code of a file.
pub(super) fn note_whole(file: FileId) {
    note(2 * file.0);
}

/// Notes that somebody looked at what is in no function, or at functions that run.
pub(super) fn note_pieces(file: FileId) {
    note(2 * file.0 + 1);
}

fn note(bit: u32) {
    READ.with_borrow_mut(|read| {
        if let Some(bits) = read.get_mut(bit as usize / 64) {
            *bits |= 1 << (bit % 64);
        }
    });
}

/// Does something, and says which of so many files were looked at. What is done inside of another such call counts there too.
pub(super) fn during<R>(files: usize, work: impl FnOnce() -> R) -> (R, Read) {
    let around = READ.replace(vec![0; (2 * files).div_ceil(64)]);
    let result = work();
    let read = READ.replace(around);
    READ.with_borrow_mut(|around| around.iter_mut().zip(&read).for_each(|(bits, more)| *bits |= more));
    let is_set = |bit: u32| read[bit as usize / 64] >> (bit % 64) & 1 == 1;
    let those = |kind: u32| (0..files as u32).filter(|file| is_set(2 * file + kind)).map(FileId).collect();
    (result, Read { whole: those(0), pieces: those(1) })
}
