//! A fault of gpulint itself: one sentence and exit code 3, never a backtrace over somebody's commit.

use super::{CRASHED, say};
use std::panic::{self, AssertUnwindSafe};

/// What `work` returns, or the exit code for a fault when it panics.
pub fn guarded(work: impl FnOnce() -> u8) -> u8 {
    // Whoever asks for a backtrace gets the whole story.
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line()));
            let text = panic.payload_as_str().unwrap_or("no message");
            say(format_args!(
                "error: fault in gpulint{}: {}",
                place.unwrap_or_default(),
                text.escape_debug()
            ));
        }));
    }
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        say("This is a bug; please report it with the lines above and the file that was checked.");
        CRASHED
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_exit_code_3() {
        assert_eq!(guarded(|| 1), 1);
        assert_eq!(guarded(|| panic!("as if")), CRASHED);
    }
}
