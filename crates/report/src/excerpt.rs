//! The few lines of a file that a finding is shown with, safe to print, and places translated to them.

use super::ShownOn;
use super::printable::{printable, visible};
use super::secrets::concealed;
use crate::facts::Span;
use crate::sources::Source;
use std::borrow::Cow;
use std::ops::Range;

/// A line above this many characters is minified or data; showing it would flood the terminal.
const LONG_LINE: usize = 400;
/// A place above this many lines is marked on its first line only, or its end is a screen away.
const TALL_PLACE: usize = 6;

/// Consecutive lines of one file.
pub struct Excerpt<'a> {
    /// The lines, each with a line feed behind it.
    pub text: String,
    /// 1-based number of the first line.
    pub first_line: usize,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    /// Where the line starts in the file, and where in the text of the excerpt.
    in_file: usize,
    in_excerpt: usize,
    /// The line as the file has it, without its ending.
    text: &'a str,
}

/// The part of a place that an excerpt can mark: inside the text, not too tall, no line ending.
/// `None` when it stands on a line that is too long to show.
pub fn markable(source: &Source, span: Span) -> Option<Span> {
    let text = source.text.as_str();
    let start = text.floor_char_boundary(span.start as usize);
    let mut end = text.floor_char_boundary(span.end as usize).max(start);
    if text[start..end].lines().count() > TALL_PLACE {
        end = start + text[start..].find('\n').unwrap_or(0);
    }
    end = start + text[start..end].trim_end_matches(['\r', '\n']).len();
    let lines = &text[line_start(text, start)..line_end(text, end)];
    let too_long = lines.split('\n').any(|line| line.chars().nth(LONG_LINE).is_some());
    (!too_long).then(|| Span::new(start, end))
}

/// The few words around a place whose line is too long to show.
pub fn glimpse(source: &Source, span: Span, on: ShownOn) -> String {
    const BEFORE: usize = 30;
    const AFTER: usize = 60;
    let (before, after) = source.text.split_at(source.text.floor_char_boundary(span.start as usize));
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = after.split('\n').next().unwrap_or_default();
    let start = before.char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    let end = after.char_indices().nth(AFTER).map_or(after.len(), |(at, _)| at);
    let cut = |is_cut: bool| if is_cut { "…" } else { "" };
    let text = format!("{}{}", &before[start..], &after[..end]);
    let text = for_reader(source, &text, on);
    format!("{}{}{}", cut(start > 0), printable(text.trim()), cut(end < after.len()))
}

impl<'a> Excerpt<'a> {
    /// From the first line to the last that [`markable`] places touch.
    pub fn of(source: &'a Source, places: &[Span], on: ShownOn) -> Self {
        let text = source.text.as_str();
        let first = places.iter().map(|place| place.start).min().unwrap_or_default();
        let last = places.iter().map(|place| place.end).max().unwrap_or_default();
        let mut in_file = line_start(text, first as usize);
        let first_line = source.position(Span { start: first, end: first }).line as usize;
        let mut excerpt = Excerpt { text: String::new(), first_line, lines: vec![] };
        for whole in text[in_file..line_end(text, last as usize)].split('\n') {
            let line = whole.trim_start_matches('\u{feff}');
            let bom = whole.len() - line.len();
            let line = line.trim_end_matches('\r');
            excerpt.lines.push(Line { in_file: in_file + bom, in_excerpt: excerpt.text.len(), text: line });
            let touched = places
                .iter()
                .any(|place| place.start as usize <= in_file + whole.len() && in_file <= place.end as usize);
            // The line between two marked ones would be shown; in a dotenv file it may be a password.
            let text =
                if touched || on != ShownOn::Paper { for_reader(source, line, on) } else { "…".into() };
            excerpt.text.extend(text.chars().map(shown));
            excerpt.text.push('\n');
            in_file += whole.len() + 1;
        }
        excerpt
    }

    /// The bytes of the excerpt's text at which a [`markable`] place of the file stands.
    pub fn range_of(&self, place: Span) -> Range<usize> {
        self.offset_of(place.start as usize)..self.offset_of(place.end as usize)
    }

    fn offset_of(&self, in_file: usize) -> usize {
        let at = self.lines.partition_point(|line| line.in_file <= in_file).saturating_sub(1);
        let Some(line) = self.lines.get(at) else { return 0 };
        let column = in_file.saturating_sub(line.in_file).min(line.text.len());
        let before = line.text.get(..column).unwrap_or(line.text);
        line.in_excerpt + before.chars().map(|c| shown(c).len_utf8()).sum::<usize>()
    }
}

/// A line of a file as its reader may see it.
pub fn for_reader<'l>(source: &Source, line: &'l str, on: ShownOn) -> Cow<'l, str> {
    match on {
        ShownOn::Screen { .. } => line.into(),
        ShownOn::Paper => concealed(source, line),
    }
}

/// Tabs stay: the renderer widens them.
fn shown(c: char) -> char {
    if c == '\t' { c } else { visible(c) }
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |at| offset + at)
}
