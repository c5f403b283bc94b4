//! The statement that a finding stands at, as a text that neither layout nor comments nor its line change.

use crate::facts::{FileId, Place, Span};
use crate::languages::logical_lines;
use crate::sources::{Language, Source, Sources};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The statements of the files that were asked about.
pub struct Statements<'a> {
    sources: &'a Sources,
    files: FxHashMap<FileId, Vec<(Range<u32>, String)>>,
}

impl<'a> Statements<'a> {
    pub fn of(sources: &'a Sources) -> Statements<'a> {
        Statements { sources, files: FxHashMap::default() }
    }

    /// The statement that holds the start of a place; nothing for the whole file.
    pub fn at(&mut self, place: Place) -> String {
        if place.span == Span::default() {
            return String::new();
        }
        let source = self.sources.file(place.file);
        let found = source.is_python().then(|| {
            let statements = self
                .files
                .entry(place.file)
                .or_insert_with(|| logical_lines(&source.text, source.language == Language::Notebook));
            let at = statements.partition_point(|(range, _)| range.end <= place.span.start);
            let (range, text) = statements.get(at)?;
            range.contains(&place.span.start).then(|| text.clone())
        });
        found.flatten().unwrap_or_else(|| line_of(source, place.span.start))
    }
}

/// The line of a command, with those that it is continued on, without blanks and comments.
fn line_of(source: &Source, start: u32) -> String {
    let lines: Vec<&str> = source.text.lines().collect();
    let at = source.line_column(start).0 as usize - 1;
    let sign = match source.language {
        Language::PowerShell => '`',
        Language::Batch => '^',
        _ => '\\',
    };
    let goes_on = |line: usize| lines.get(line).is_some_and(|text| text.trim_end().ends_with(sign));
    let (mut first, mut last) = (at, at);
    while first > 0 && goes_on(first - 1) {
        first -= 1;
    }
    while goes_on(last) {
        last += 1;
    }
    let comment = match source.language {
        Language::Rust | Language::Json => "//",
        _ => "#",
    };
    let parts = lines.iter().take(last + 1).skip(first).map(|line| without_comment(line, comment));
    let kept = parts.flat_map(|part| part.chars()).filter(|c| !c.is_whitespace() && *c != sign && *c != ',');
    kept.map(|c| if c == '\'' { '"' } else { c }).collect()
}

/// A line up to its comment, which begins the line or stands behind a blank, outside of quotes.
fn without_comment<'t>(line: &'t str, sign: &str) -> &'t str {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if before.is_whitespace() && line[at..].starts_with(sign) => return &line[..at],
            None => {}
        }
        before = c;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_continuations_change_no_line() {
        let line = |language, text: &str, at: usize| {
            line_of(&Source::new(None, String::new(), language, text.to_owned()), at as u32)
        };
        let one = line(Language::Shell, "python a.py --gpu '1#'", 0);
        let text = "x\npython a.py \\\n   --gpu \"1#\"  # the second\n";
        assert_eq!(one, line(Language::Shell, text, text.find("gpu").unwrap()));
        assert_ne!(one, line(Language::Shell, "python a.py --gpu 2", 0));
        assert_eq!(line(Language::Yaml, "a: b # c\n", 0), "a:b");
    }
}
