//! Names in a text of code.

use rustc_hash::FxHashSet;

/// Whether one of these names stands in a text, and not as an attribute of something else.
pub(super) fn mentions(text: &str, names: &FxHashSet<&str>) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = text.as_bytes();
    names.iter().any(|name| {
        text.match_indices(name).any(|(at, _)| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            !before.is_some_and(|byte| is_part(byte) || *byte == b'.')
                && !bytes.get(at + name.len()).is_some_and(is_part)
        })
    })
}
