//! What happens to memory that is free again.

/// The option of mimalloc's second version for how long free memory is kept before the system gets it back, in
/// milliseconds; -1 is for ever. Its number stands in `mimalloc.h`.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Keeps it for the rest of the process. A check frees much and needs it again at once; giving it back and having the system
/// clear it anew took a sixth of the time. For processes that end with their one check.
pub fn keep() {
    // SAFETY: it writes one number among the options of the allocator, which other threads may read at any time.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, -1) };
}
