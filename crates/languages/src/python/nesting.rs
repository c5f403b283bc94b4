//! Text that is nested beyond reason: refused with a sentence, never with a stack overflow.

use crate::languages::Refusal;

/// Levels of nested expressions and blocks that are followed. CPython itself stops at 200 brackets and
/// 100 indented blocks; a sum of many terms nests one level for each term.
pub const MAX_DEPTH: usize = 3_000;

pub const TOO_DEEP: &str = "nested more than 3000 levels deep";

/// Beyond this many open brackets or repeated signs the parser would need gigabytes of stack.
const MAX_OPEN: usize = 200_000;

const KIB: usize = 1024;

/// Refuses text that even the parser should not see.
pub fn check(text: &str) -> Result<(), Refusal> {
    if text.len() <= MAX_OPEN {
        return Ok(());
    }
    let (mut open, mut run) = (0usize, 0usize);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        run = if matches!(byte, b'-' | b'+' | b'~') { run + 1 } else { 0 };
        if open > MAX_OPEN || run > MAX_OPEN {
            return Err(TOO_DEEP.to_owned());
        }
    }
    Ok(())
}

/// For so many levels there is room where it was asked for.
pub const LEVELS: usize = 8;

/// Runs `work` with enough stack for a few more levels.
pub fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(256 * KIB, 2 * KIB * KIB, work)
}

/// Frees a tree that may be too deep for the ordinary stack, because dropping it recurses.
///
/// The tree of a text so large that even a grown stack might not do is leaked: it is at most one
/// malformed file, and a leak is better than a crash.
pub fn release<T>(tree: T, text_length: usize) {
    if text_length > KIB * KIB {
        std::mem::forget(tree);
    } else {
        // A level is at least one byte of text, and few trees are as deep as they might be.
        stacker::maybe_grow(512 * text_length, 512 * KIB * KIB, move || drop(tree));
    }
}
