//! How much of code was looked at: the work of rules about written code, which `benches/steps.py` holds against its figures.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static PARTS: AtomicU64 = AtomicU64::new(0);
/// Whether somebody wants to know. Counting would make the workers wait for each other.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// From now on the parts of code that are looked at are counted.
pub fn count() {
    COUNTS.store(true, Ordering::Relaxed);
}

/// How many parts of code were looked at since they are counted.
pub fn counted() -> u64 {
    PARTS.load(Ordering::Relaxed)
}

pub(super) fn note(parts: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        PARTS.fetch_add(parts as u64, Ordering::Relaxed);
    }
}
