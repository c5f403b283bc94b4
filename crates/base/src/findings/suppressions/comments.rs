//! Reads `gpulint:` comments: what they say and which lines they speak about.

use super::{Covers, RuleName, Rules, Suppression};
use crate::facts::{FileId, Place, Span};
use crate::sources::{Language, Source};
use regex::Regex;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// The suppressions among the comments of a file.
///
/// `comments` are the spans of all its comments, leader included; the language front-end gives them,
/// so that text in strings is never taken for one. `statements` are the spans of its logical lines
/// (a simple statement, or the head of a compound one), in order and without overlap; those on one
/// physical line may be left out.
pub fn suppressions_in(
    file: FileId,
    source: &Source,
    comments: &[Span],
    statements: &[Span],
) -> Vec<Suppression> {
    let mut suppressions = vec![];
    let mut layout = None;
    for &comment in comments {
        let text = source.text.get(comment.range()).unwrap_or_default();
        for directive in directives_in(text, comment.start as usize) {
            let layout = layout.get_or_insert_with(|| Layout::of(source, comments, statements));
            let (file_wide, rules, reason) = read(directive.body, directive.body_start);
            let covers = if file_wide { Covers::File } else { layout.lines_covered_from(comment) };
            let place = Place { file, span: directive.span };
            suppressions.push(Suppression { place, covers, rules, reason });
        }
    }
    suppressions
}

/// One `gpulint: …` in a comment, which may share the comment with others: `# noqa  # gpulint: …`.
struct Directive<'a> {
    span: Span,
    /// What follows the colon, and the offset in the file where that starts.
    body: &'a str,
    body_start: usize,
}

fn directives_in(comment: &str, offset: usize) -> Vec<Directive<'_>> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|\s)(?:#+|/{2,}|::|(?i:rem)\s)[ \t]*(gpulint[ \t]*:)")
            .expect("the pattern is a constant")
    });
    if memchr::memmem::find(comment.as_bytes(), b"gpulint").is_none() {
        return vec![];
    }
    let heads: Vec<_> = HEAD.captures_iter(comment).filter_map(|found| found.get(1)).collect();
    let directive = |at: usize| {
        let start = heads[at].end();
        let end = heads.get(at + 1).map_or(comment.len(), |next| next.start());
        // What another tool reads from the same comment starts with a new leader; `#12` is an issue.
        let body = comment[start..end].split(" # ").next().unwrap_or_default();
        let body = body.split(" // ").next().unwrap_or_default().trim_end();
        let span = Span::new(offset + heads[at].start(), offset + start + body.len());
        Directive { span, body, body_start: offset + start }
    };
    (0..heads.len()).map(directive).collect()
}

/// What follows `gpulint:`: whether it is about the whole file, which rules, and why.
fn read(body: &str, offset: usize) -> (bool, Rules, Option<String>) {
    let unreadable = (false, Rules::Unreadable, None);
    let rest = body.trim_start();
    let (file_wide, rest) = match (rest.strip_prefix("ignore-file"), rest.strip_prefix("ignore")) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return unreadable,
    };
    if rest.trim().is_empty() || rest.trim_start().starts_with(['#', '/']) {
        return (file_wide, Rules::All, None);
    }
    let Some((list, reason)) = rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'))
    else {
        return unreadable;
    };
    // `list` and `reason` are the tail of `body` but for the bracket between them.
    let mut start = offset + body.len() - reason.len() - 1 - list.len();
    let mut names = vec![];
    for item in list.split(',') {
        let id = item.trim();
        if !id.is_empty() {
            let id_start = start + (item.len() - item.trim_start().len());
            names.push(RuleName { id: id.to_owned(), span: Span::new(id_start, id_start + id.len()) });
        }
        start += item.len() + 1;
    }
    if names.is_empty() {
        return unreadable;
    }
    let reason = reason.trim();
    (file_wide, Rules::Named(names), (!reason.is_empty()).then(|| reason.to_owned()))
}

/// Which lines of a file hold only a comment, and which belong to one statement.
struct Layout<'a> {
    source: &'a Source,
    last_line: u32,
    comment_lines: FxHashSet<u32>,
    /// First and last line of each statement, in order.
    statements: Vec<(u32, u32)>,
}

impl<'a> Layout<'a> {
    fn of(source: &'a Source, comments: &[Span], statements: &[Span]) -> Self {
        let line = |offset: u32| source.line_column(offset).0;
        let alone = comments.iter().filter(|comment| stands_alone(source, comment.start));
        Layout {
            source,
            last_line: line(source.text.len() as u32),
            comment_lines: alone.map(|comment| line(comment.start)).collect(),
            statements: statements
                .iter()
                .map(|span| (line(span.start), line(span.end.saturating_sub(1).max(span.start))))
                .collect(),
        }
    }

    fn lines_covered_from(&self, comment: Span) -> Covers {
        let line = self.source.line_column(comment.start).0;
        let (first, last) = self.statement_at(line);
        if !self.comment_lines.contains(&line) {
            // In the middle of a long table an entry is meant, and not the table.
            let speaks_for_all = line == first || line == last;
            return if speaks_for_all { Covers::Lines(first, last) } else { Covers::Lines(line, line) };
        }
        let Some(next) = self.next_code_line(line) else { return Covers::Lines(line, line) };
        if first < line && line < last {
            // Between the brackets of a statement: the line below it.
            return Covers::Lines(line, next);
        }
        let mut end = self.statement_at(next).1;
        let mut head = next;
        while self.is_decorator(head) {
            let Some(decorated) = self.next_code_line(end) else { break };
            (head, end) = (decorated, self.statement_at(decorated).1);
        }
        Covers::Lines(line, end)
    }

    fn next_code_line(&self, line: u32) -> Option<u32> {
        let is_code = |line: &u32| {
            !self.comment_lines.contains(line) && !self.source.line_text(*line).trim().is_empty()
        };
        (line + 1..=self.last_line).find(is_code)
    }

    fn statement_at(&self, line: u32) -> (u32, u32) {
        let at = self.statements.partition_point(|&(_, last)| last < line);
        self.statements.get(at).copied().filter(|&(first, _)| first <= line).unwrap_or((line, line))
    }

    fn is_decorator(&self, line: u32) -> bool {
        self.source.language == Language::Python && self.source.line_text(line).trim_start().starts_with('@')
    }
}

/// Whether nothing but blanks stands before `offset` on its line.
fn stands_alone(source: &Source, offset: u32) -> bool {
    let before = source.text.get(..offset as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_start_matches('\u{feff}').trim().is_empty()
}
