//! What stands around a place on its line, and how something is put before it: on a line of its own, or beside it.

use crate::findings::Edit;
use crate::fixes::site::Site;

/// The line of the finding up to its place.
pub fn before<'a>(site: &Site<'a>) -> &'a str {
    line_before(site.text(), site.span().start)
}

/// The line of the finding behind its place.
pub fn behind<'a>(site: &Site<'a>) -> &'a str {
    site.text()[site.span().end as usize..].lines().next().unwrap_or_default()
}

/// The line of a byte up to it.
pub fn line_before(text: &str, at: u32) -> &str {
    let before = &text[..at as usize];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    before[start..].trim_start_matches('\u{feff}')
}

pub fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// The line above the one of a byte; empty at the start of a text.
pub fn line_above(text: &str, at: u32) -> &str {
    let line = text[..at as usize].rfind('\n');
    line.map(|end| text[..end].rsplit('\n').next().unwrap_or_default().trim_end()).unwrap_or_default()
}

/// Whether the line of a byte goes on from the one above.
pub fn is_continued(text: &str, at: u32) -> bool {
    let above = line_above(text, at);
    // The lines of a text in YAML begin behind `run: |`.
    let opens = [": |", "- |"].iter().any(|sign| above.ends_with(sign));
    !opens && ["\\", "&&", "||", "|", "^", "`"].iter().any(|sign| above.ends_with(sign))
}

/// Something put in before a byte: on a line of its own where the byte begins one, else beside it.
pub fn put_before(site: &Site<'_>, at: u32, element: &str, line_end: &str, beside: &str) -> Edit {
    let before = line_before(site.text(), at);
    let text = match is_blank(before) && !is_continued(site.text(), at) {
        true => format!("{element}{line_end}{}{before}", site.newline()),
        false => format!("{element}{beside}"),
    };
    site.insertion(at, text)
}
