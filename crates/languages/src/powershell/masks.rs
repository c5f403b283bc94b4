//! What the grammar does not know yet, hidden from it behind text of the same length that it knows: `??=`, `??`,
//! `a ? b : c`, and clauses of a `switch` on one line. The lowering looks at what really stands there.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The text that the parser gets.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    static CLAUSES: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r#"\}[ \t]+(?i:default\b|'[^'\r\n]*'|"[^"\r\n]*"|[0-9]+)[ \t]*\{"#;
        Regex::new(pattern).expect("the pattern is a constant")
    });
    let mut bytes = Cow::Borrowed(text.as_bytes());
    if memchr::memmem::find(text.as_bytes(), b" ?").is_some() {
        hide_questions(text, bytes.to_mut());
    }
    if memchr::memmem::find(text.to_ascii_lowercase().as_bytes(), b"switch").is_some() {
        for clause in CLAUSES.find_iter(text) {
            bytes.to_mut()[clause.start() + 1] = b';';
        }
    }
    match bytes {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        // Only characters of one byte took the places of others.
        Cow::Owned(bytes) => String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned),
    }
}

fn hide_questions(text: &str, bytes: &mut [u8]) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        for (at, _) in line.match_indices(" ??") {
            match line.as_bytes().get(at + 3) {
                Some(b'=') => bytes[start + at + 1..start + at + 3].copy_from_slice(b"  "),
                Some(b' ') => bytes[start + at + 1..start + at + 3].copy_from_slice(b"-f"),
                _ => {}
            }
        }
        // `| ? { … }` is a filter.
        if let Some(question) = line.find(" ? ")
            && !line[..question].trim_end().ends_with('|')
            && let Some(colon) = line[question..].find(" : ")
        {
            bytes[start + question + 1] = b'+';
            bytes[start + question + colon + 1] = b'+';
        }
        start += line.len();
    }
}
