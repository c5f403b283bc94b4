//! Imports that are kept for type checkers alone.

use super::statement::ImportStatement;
use crate::findings::Edit;
use crate::fixes::site::{Site, line_behind};

/// Statements on lines that follow each other, of which all goes.
pub fn blocks<'s>(site: &Site<'_>, statements: &'s [ImportStatement]) -> Vec<&'s [ImportStatement]> {
    let follows = |one: &ImportStatement, next: &ImportStatement| {
        let is_whole = one.is_meant_whole() && next.is_meant_whole();
        is_whole && line_behind(site.text(), one.span.end) == next.span.start
    };
    statements.chunk_by(follows).collect()
}

/// Keeps what is meant of the statements for type checkers alone. `open` when more is written behind the first block.
pub fn for_types(site: &Site<'_>, statements: &[ImportStatement], condition: &str, open: bool) -> Vec<Edit> {
    let blocks = blocks(site, statements);
    let mut edits = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let end = block.last().map(|last| line_behind(site.text(), last.span.end));
        let next = blocks.get(number + 1).and_then(|next| next.first()).map(|next| next.span.start);
        let is_followed = next.is_some() && next == end;
        edits.extend(block_for_types(site, block, condition, is_followed || (open && number == 0)));
    }
    edits
}

fn block_for_types(site: &Site<'_>, block: &[ImportStatement], condition: &str, open: bool) -> Vec<Edit> {
    let (text, indent, newline) = (site.text(), site.indent(), site.newline());
    let [first, .., last] = block else {
        let [one] = block else { return Vec::new() };
        return match one.is_meant_whole() {
            true => wrapped(site, block, (one, one), condition, open),
            false => {
                let behind = line_behind(text, one.span.end);
                let gap = if open || is_blank_at(text, behind) { "" } else { newline };
                let line =
                    format!("{newline}if {condition}:{newline}{indent}{}{newline}{gap}", one.line(site));
                let mut edits = one.names_removed(site);
                edits.push(site.insertion(behind, line));
                edits
            }
        };
    };
    wrapped(site, block, (first, last), condition, open)
}

/// `if TYPE_CHECKING:` around whole lines.
fn wrapped(
    site: &Site<'_>,
    block: &[ImportStatement],
    (first, last): (&ImportStatement, &ImportStatement),
    condition: &str,
    open: bool,
) -> Vec<Edit> {
    let (text, indent, newline) = (site.text(), site.indent(), site.newline());
    let start = first.span.start;
    let is_first = text[..start as usize].trim_matches('\u{feff}').is_empty();
    let follows_blank = text[..start as usize].trim_end_matches([' ', '\t']).ends_with("\n\n")
        || text[..start as usize].ends_with("\r\n\r\n");
    let gap = if is_first || follows_blank { "" } else { newline };
    let mut edits = vec![site.insertion(start, format!("{gap}if {condition}:{newline}"))];
    for one in block {
        edits.push(site.insertion(one.span.start, indent));
        let lines = memchr::memchr_iter(b'\n', site.slice(one.span).as_bytes());
        edits.extend(lines.map(|at| site.insertion(one.span.start + at as u32 + 1, indent)));
    }
    let behind = line_behind(text, last.span.end);
    if !open && !is_blank_at(text, behind) {
        edits.push(site.insertion(behind, newline));
    }
    edits
}

/// Whether a blank line or nothing stands at a line start.
fn is_blank_at(text: &str, at: u32) -> bool {
    text[at as usize..].lines().next().is_none_or(|line| line.trim().is_empty())
}

/// How many blank lines stand at a line start; at the end of the file more than anybody asks for.
pub fn blank_lines_at(text: &str, at: u32) -> usize {
    match text[at as usize..].lines().position(|line| !line.trim().is_empty()) {
        Some(lines) => lines,
        None => usize::MAX,
    }
}
