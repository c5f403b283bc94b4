//! The lines of a list for pip: comments, lines that go on, options.

use crate::code::{Included, Index, Part};
use crate::facts::Span;
use std::borrow::Cow;

/// A line as pip reads it, without its comment. Each byte stands where it stands in the file.
pub struct Line<'s> {
    pub start: usize,
    pub text: Cow<'s, str>,
}

/// The lines that say something, and the comments.
pub fn logical_lines(text: &str) -> (Vec<Line<'_>>, Vec<Span>) {
    let (mut lines, mut comments) = (Vec::new(), Vec::new());
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut begun: Option<(usize, String)> = None;
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
        let whole = text[at..end].trim_end_matches('\r');
        let comment = comment_in(whole);
        if let Some(comment) = comment {
            comments.push(Span::new(at + comment, at + whole.trim_end().len()));
        }
        let said = &whole[..comment.unwrap_or(whole.len())];
        let goes_on = comment.is_none() && said.ends_with('\\');
        if goes_on || begun.is_some() {
            let (start, mut joined) = begun.take().unwrap_or((at, String::new()));
            joined.push_str(if goes_on { &said[..said.len() - 1] } else { said });
            if goes_on && end < text.len() {
                // The backslash and the line break become blanks, so that places stay true.
                joined.push_str(&" ".repeat(end + 1 - (at + said.len() - 1)));
                begun = Some((start, joined));
            } else {
                push(&mut lines, start, Cow::Owned(joined));
            }
        } else {
            push(&mut lines, at, Cow::Borrowed(said));
        }
        at = end + 1;
    }
    if let Some((start, joined)) = begun {
        push(&mut lines, start, Cow::Owned(joined));
    }
    (lines, comments)
}

fn push<'s>(lines: &mut Vec<Line<'s>>, start: usize, text: Cow<'s, str>) {
    let lead = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    if end <= lead {
        return;
    }
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[lead..end]),
        Cow::Owned(text) => Cow::Owned(text[lead..end].to_owned()),
    };
    lines.push(Line { start: start + lead, text });
}

/// Where a comment begins: a `#` at the start or behind a blank. In an address it is a part of that.
fn comment_in(line: &str) -> Option<usize> {
    let mut marks = line.match_indices('#').map(|(at, _)| at);
    marks.find(|&at| line[..at].chars().next_back().is_none_or(char::is_whitespace))
}

/// What an option of a list or of a command line says: `-r base.txt`, `--index-url=https://…`.
pub fn option(text: &str, index: &mut Index, included: &mut Vec<Included>) {
    let (name, value) = match text.split_once(|c: char| c == '=' || c.is_whitespace()) {
        Some((name, value)) => (name, value.trim().trim_start_matches('=').trim()),
        // `-rbase.txt`
        None if text.is_char_boundary(2) && !text.starts_with("--") => text.split_at(2),
        None => (text, ""),
    };
    let value = value.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\'']);
    if value.is_empty() {
        return;
    }
    let mut include = |part| included.push(Included { path: value.to_owned(), part });
    match name {
        "-r" | "--requirement" | "--requirements" => include(Part::Main),
        "-c" | "--constraint" | "--constraints" => include(Part::Constraint),
        "-i" | "--index-url" | "--pypi-url" | "--default-index" => index.only = Some(value.to_owned()),
        "--extra-index-url" | "--index" => index.extra.push(value.to_owned()),
        "--torch-backend" if value == "cpu" || value.starts_with("cu") => {
            index.only = Some(format!("https://download.pytorch.org/whl/{value}"));
        }
        "-f" | "--find-links" | "--torch-backend" => index.links = true,
        _ => {}
    }
}
