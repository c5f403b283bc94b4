//! Whose code was looked at while a program was followed and judged.

use crate::facts::FileId;
use std::cell::RefCell;

thread_local! {
    /// A bit for each file; empty where nobody asks.
    static READ: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Notes that somebody looked at the code of a file.
pub(super) fn note(file: FileId) {
    READ.with_borrow_mut(|read| {
        if let Some(bits) = read.get_mut(file.0 as usize / 64) {
            *bits |= 1 << (file.0 % 64);
        }
    });
}

/// Does something, and says which of so many files were looked at. What is done inside of another such call counts there too.
pub(super) fn during<R>(files: usize, work: impl FnOnce() -> R) -> (R, Vec<FileId>) {
    let around = READ.replace(vec![0; files.div_ceil(64)]);
    let result = work();
    let read = READ.replace(around);
    READ.with_borrow_mut(|around| around.iter_mut().zip(&read).for_each(|(bits, more)| *bits |= more));
    let is_set = |file: &u32| read[*file as usize / 64] >> (file % 64) & 1 == 1;
    (result, (0..files as u32).filter(is_set).map(FileId).collect())
}
