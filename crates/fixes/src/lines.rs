//! Whole lines of Python: statements that stand alone on theirs, and lines that are moved further in.

use super::Refusal;
use super::site::{Site, blanks_before};
use crate::facts::Span;
use crate::findings::Edit;
use crate::languages::{NodeId, Tree};

/// The lines that a statement stands on, from the start of the first to behind the end of the last.
pub fn own_lines(site: &Site<'_>, tree: &Tree, statement: NodeId) -> Result<Span, Refusal> {
    let span = tree.node(statement).span;
    let shared = || "it shares its line with other statements".to_owned();
    let blanks = blanks_before(site.text(), span.start).ok_or_else(shared)?;
    let end = site.line_behind(span.end);
    let rest = site.slice(Span { start: span.end, end }).trim();
    if !rest.is_empty() && !rest.starts_with('#') {
        return Err(shared());
    }
    Ok(Span { start: span.start - blanks.len() as u32, end })
}

/// Whether a comment stands on the lines behind a statement that has them for itself.
pub fn has_comment(site: &Site<'_>, tree: &Tree, statement: NodeId) -> bool {
    let end = tree.node(statement).span.end;
    site.slice(Span { start: end, end: site.line_behind(end) }).contains('#')
}

/// Whether the line directly above a line holds nothing but a comment.
pub fn has_comment_above(site: &Site<'_>, line_start: u32) -> bool {
    let above = site.text()[..line_start as usize].trim_end_matches(['\n', '\r']);
    let is_near = site.text()[above.len()..line_start as usize].matches('\n').count() == 1;
    let line = above.rsplit('\n').next().unwrap_or_default();
    is_near && line.trim_start().starts_with('#')
}

/// The lines of a statement taken away; what it leaves is still a suite.
pub fn removal(site: &Site<'_>, tree: &Tree, statement: NodeId) -> Result<Edit, Refusal> {
    let lines = own_lines(site, tree, statement)?;
    if has_comment(site, tree, statement) {
        return Err("a comment stands behind it".to_owned());
    }
    let (before, behind) = (&site.text()[..lines.start as usize], &site.text()[lines.end as usize..]);
    if !site.slice(lines).ends_with('\n') {
        // The last line of a file or a cell takes the line end before it along.
        let start = before.strip_suffix('\n').map_or(before, |rest| rest.strip_suffix('\r').unwrap_or(rest));
        let is_inside = tree.suite_of(statement).first() != Some(&statement);
        let start = if is_inside { start.len() as u32 } else { lines.start };
        return Ok(site.edit(Span { start, end: lines.end }, ""));
    }
    let is_blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    let above = before.split_inclusive('\n').next_back().unwrap_or_default();
    let below = behind.split_inclusive('\n').next().unwrap_or_default();
    let is_first = tree.suite_of(statement).first() == Some(&statement);
    // Of two empty lines one is enough, and at the end of a file none is needed.
    let end = match is_blank(below) && (is_blank(above) || is_first) && !before.is_empty() {
        true => lines.end + below.len() as u32,
        false => lines.end,
    };
    let start = match behind.is_empty() && is_blank(above) {
        true => before.trim_end().len() + site.newline().len(),
        false => before.len(),
    };
    Ok(site.edit(Span { start: start as u32, end }, ""))
}

/// The lines between two bytes, both at the start of a line, moved one level in. The first may have something put in
/// before it, which stands where it stood.
pub fn indented(site: &Site<'_>, tree: &Tree, lines: Span, before_first: &str) -> Result<Vec<Edit>, Refusal> {
    let indent = site.indent();
    let mut edits = Vec::new();
    let mut at = lines.start;
    while at < lines.end {
        let end = site.line_behind(at);
        let line = site.slice(Span { start: at, end });
        if tree.is_inside_token(at) {
            return Err("a text of several lines stands there, and would be moved with them".to_owned());
        }
        if !line.trim().is_empty() || at == lines.start {
            let head = if at == lines.start { before_first } else { "" };
            edits.push(site.insertion(at, format!("{head}{indent}")));
        }
        at = end;
    }
    Ok(edits)
}

/// Whether a statement belongs to the top level of a file or a cell.
pub fn is_at_top(tree: &Tree, statement: NodeId) -> bool {
    let parent = tree.node(statement).parent;
    parent.is_none_or(|parent| tree.node(parent).kind == crate::languages::TreeKind::Module)
}
