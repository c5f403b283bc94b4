//! Keeps text from other people's files from steering the reader's terminal.
//!
//! A file name or a string literal may hold escape sequences that move the cursor, recolour or hide
//! output, or characters that reverse the direction of text. They are shown as visible stand-ins.

use std::borrow::Cow;

/// `text` on one line and without control characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| visible(c) == c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(visible).collect())
}

/// A message as one line: the line feeds of a text block in a rule file become blanks.
pub fn sentence(text: &str) -> String {
    printable(&text.lines().map(str::trim).collect::<Vec<_>>().join(" ")).trim().to_owned()
}

/// Text of one or more lines with only those characters that XML can hold.
pub fn in_xml(text: &str) -> String {
    let kept = |c| if c == '\n' { c } else { visible(c) };
    text.chars().map(|c| if matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { kept(c) }).collect()
}

/// One visible character for each that would steer the terminal, so that columns stay right.
pub fn visible(c: char) -> char {
    match c {
        // Unicode has a picture for each of the 32 ASCII control characters, in their order.
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        // Line separators, and the characters that change the direction of text.
        '\u{2028}' | '\u{2029}' => '\u{fffd}',
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_pictures_and_text_stays() {
        assert_eq!(printable("\x1b[31mred\x07\u{9b}\u{202e}"), "␛[31mred␇\u{fffd}\u{fffd}");
        assert!(matches!(printable("naïve 日本 🙂"), Cow::Borrowed(_)));
    }
}
