//! Where in a file a comment about a finding can stand: tried out, and kept when the file says that it is one.

use crate::facts::{FileId, Span};
use crate::findings::suppressions::{Covers, Rules, Suppression, suppressions_in};
use crate::findings::{Finding, Status};
use crate::fixes::notebook;
use crate::languages::{self, Choices};
use crate::sources::{Language, Source};

/// The file in these functions, which look at one at a time.
const FILE: FileId = FileId(0);

/// A file with the comments so far.
pub(super) struct Draft {
    source: Source,
    /// What lies on disk: of a notebook JSON, of other files the text.
    content: String,
    choices: Choices,
    /// What was put in so far: byte offset in the text, and length.
    insertions: Vec<(u32, u32)>,
    /// Where findings begin, in the text as it was, whose lines must stay as they are.
    kept: Vec<u32>,
    /// Statements, from first to last byte of the text as it was.
    statements: Vec<Span>,
}

/// A text to put in at a byte offset.
struct Insertion {
    at: usize,
    text: String,
}

impl Draft {
    /// `None` when `content` is not what `source` was read from.
    pub(super) fn of(source: &Source, content: String, choices: Choices) -> Option<Draft> {
        let fresh = again(source, content.clone());
        if fresh.text != source.text {
            return None;
        }
        let mut draft =
            Draft { source: fresh, content, choices, insertions: vec![], kept: vec![], statements: vec![] };
        draft.statements = draft.statements_of();
        Some(draft)
    }

    pub(super) fn into_content(self) -> String {
        self.content
    }

    /// What was put in last, and where.
    pub(super) fn inserted(&self) -> Option<(usize, String)> {
        let &(at, length) = self.insertions.last()?;
        let text = self.source.text.get(at as usize..(at + length) as usize)?;
        Some((at as usize, text.to_owned()))
    }

    /// Lines whose text something else depends on: a baseline knows a finding by the text of its line.
    pub(super) fn keep_lines_of<'f>(&mut self, findings: impl Iterator<Item = &'f Finding> + Clone) {
        let line = |finding: &Finding| self.line_of(finding.place.span.start);
        let known = findings.clone().filter(|finding| finding.status == Status::Baselined);
        let lines: Vec<u32> = known.map(line).collect();
        let starts = findings.filter(|finding| lines.contains(&line(finding)));
        self.kept = starts.map(|finding| finding.place.span.start).collect();
    }

    /// Puts in a comment about the finding at `place` of the text as it was; `false` when there is no room for one.
    pub(super) fn silence(&mut self, place: Span, rule: &str, reason: &str) -> bool {
        let kept = self.kept.contains(&place.start);
        let statement = self.statements.iter().copied().find(|statement| {
            statement.start <= place.start && place.start < statement.end.max(statement.start + 1)
        });
        let place = self.moved(place);
        let statement = statement.map(|statement| self.moved(statement));
        // What was written for another finding may speak about this one too.
        self.speaks_about(place, rule, &self.suppressions())
            || self
                .insertions_for(place, statement, rule, reason, kept)
                .into_iter()
                .any(|insertion| self.take(&insertion, place, rule))
    }

    /// What may be put in, the best first.
    fn insertions_for(
        &self,
        place: Span,
        statement: Option<Span>,
        rule: &str,
        reason: &str,
        kept: bool,
    ) -> Vec<Insertion> {
        let (first, last) = self.lines(place);
        let (begins, ends) = statement.map_or((first, last), |statement| self.lines(statement));
        let comment = format!("{} gpulint: ignore[{rule}] {}", leader(&self.source), reason.trim());
        let comment = comment.trim_end();
        let mut insertions: Vec<Insertion> = Vec::new();
        for suppression in self.suppressions() {
            // A comment that speaks about the line already speaks about one rule more.
            if let (Covers::Lines(from, to), Rules::Named(names)) = (suppression.covers, &suppression.rules)
                && from <= last
                && first <= to
                && let Some(name) = names.last()
                && !(kept && self.line_of(name.span.end) == first)
            {
                insertions.push(Insertion { at: name.span.end as usize, text: format!(", {rule}") });
            }
        }
        if has_comments_behind(self.source.language) && !kept {
            let mut lines = vec![first, ends, last];
            lines.dedup();
            insertions.extend(lines.into_iter().filter_map(|line| self.behind(line, comment)));
        }
        let mut lines = vec![first, begins];
        lines.dedup();
        insertions.extend(lines.into_iter().filter_map(|line| self.above(line, comment)));
        insertions
    }

    /// At the end of a line.
    fn behind(&self, line: u32, comment: &str) -> Option<Insertion> {
        let text = self.source.line_text(line);
        if continues(text) || is_magic(&self.source, text) {
            return None;
        }
        let gap = &"  "[(text.len() - text.trim_end_matches(' ').len()).min(2)..];
        Some(Insertion { at: self.start_of(line) + text.len(), text: format!("{gap}{comment}") })
    }

    /// On a line of its own above a line.
    fn above(&self, line: u32, comment: &str) -> Option<Insertion> {
        let text = self.source.line_text(line);
        if line > 1 && continues(self.source.line_text(line - 1)) || text.starts_with("%%") {
            return None;
        }
        let mut at = self.start_of(line);
        let text = match text.strip_prefix('\u{feff}') {
            Some(text) => {
                at += '\u{feff}'.len_utf8();
                text
            }
            None => text,
        };
        let blanks = match self.source.language {
            // Behind a tab a comment is a command.
            Language::Makefile => "",
            _ => &text[..text.len() - text.trim_start().len()],
        };
        let whole = &self.source.text;
        let is_of_windows = memchr::memchr(b'\n', whole.as_bytes())
            .is_some_and(|end| whole.as_bytes()[..end].ends_with(b"\r"));
        let newline = if is_of_windows { "\r\n" } else { "\n" };
        Some(Insertion { at, text: format!("{blanks}{comment}{newline}") })
    }

    /// Keeps the file with the insertion when a suppression then speaks about the finding.
    fn take(&mut self, insertion: &Insertion, place: Span, rule: &str) -> bool {
        let Insertion { at, text } = insertion;
        let mut expected = self.source.text.clone();
        expected.insert_str(*at, text);
        let content = match &self.source.cells {
            Some(Ok(cells)) => match notebook::with_insertion(&self.content, cells, *at, text) {
                Some(content) => content,
                None => return false,
            },
            Some(Err(_)) => return false,
            None => expected.clone(),
        };
        let fresh = again(&self.source, content.clone());
        if fresh.text != expected {
            return false;
        }
        let before = self.suppressions().len();
        let old = std::mem::replace(&mut self.source, fresh);
        self.insertions.push((*at as u32, text.len() as u32));
        let moved = shifted(place, (*at as u32, text.len() as u32));
        let suppressions = self.suppressions();
        let speaks = self.speaks_about(moved, rule, &suppressions);
        let grown = usize::from(!text.starts_with(','));
        if speaks && suppressions.len() == before + grown {
            self.content = content;
            return true;
        }
        self.source = old;
        self.insertions.pop();
        false
    }

    /// Whether a comment by name speaks about what a rule finds at a place.
    fn speaks_about(&self, place: Span, rule: &str, suppressions: &[Suppression]) -> bool {
        let (first, last) = self.lines(place);
        suppressions.iter().any(|suppression| {
            let covers = match suppression.covers {
                Covers::Lines(from, to) => first <= to && from <= last,
                Covers::File => false,
            };
            let Rules::Named(names) = &suppression.rules else { return false };
            covers && names.iter().any(|name| name.id == rule)
        })
    }

    fn suppressions(&self) -> Vec<Suppression> {
        match languages::lower(&self.source, self.choices) {
            Ok(code) => suppressions_in(FILE, &self.source, &code.comments, &code.lines),
            Err(_) => Vec::new(),
        }
    }

    /// Statements are told only where there is a comment for gpulint: one is put at the end for the time of the question.
    fn statements_of(&self) -> Vec<Span> {
        if self.source.cells.is_some() {
            return languages::lower(&self.source, self.choices).map(|code| code.lines).unwrap_or_default();
        }
        let newline = if self.source.text.ends_with('\n') { "" } else { "\n" };
        let asked = format!("{}{newline}{} gpulint: ignore[none]\n", self.source.text, leader(&self.source));
        let asked = again(&self.source, asked);
        languages::lower(&asked, self.choices).map(|code| code.lines).unwrap_or_default()
    }

    /// Where a place of the text as it was stands now.
    fn moved(&self, place: Span) -> Span {
        self.insertions.iter().fold(place, |place, &insertion| shifted(place, insertion))
    }

    fn line_of(&self, offset: u32) -> u32 {
        self.source.line_column(offset).0
    }

    fn lines(&self, place: Span) -> (u32, u32) {
        let first = self.line_of(place.start);
        (first, self.line_of(place.end.saturating_sub(1).max(place.start)))
    }

    fn start_of(&self, line: u32) -> usize {
        let text = self.source.line_text(line);
        text.as_ptr() as usize - self.source.text.as_ptr() as usize
    }
}

fn shifted(place: Span, (at, length): (u32, u32)) -> Span {
    let moved = |offset: u32, is_behind: bool| if is_behind { offset + length } else { offset };
    Span { start: moved(place.start, at <= place.start), end: moved(place.end, at < place.end) }
}

fn again(source: &Source, content: String) -> Source {
    Source::new(source.path.clone(), source.name.clone(), source.language, content)
}

fn leader(source: &Source) -> &'static str {
    match source.language {
        Language::Rust | Language::Json => "//",
        Language::Batch => "rem",
        _ => "#",
    }
}

/// Whether what stands behind code on its line is a comment, and no part of a value or a command.
fn has_comments_behind(language: Language) -> bool {
    !matches!(
        language,
        Language::Batch | Language::Dockerfile | Language::Dotenv | Language::Ini | Language::Makefile
    )
}

/// Whether the next line is a part of this one.
fn continues(line: &str) -> bool {
    line.trim_end().ends_with(['\\', '`', '^'])
}

/// `%env` and `!command` of notebooks take the whole line.
fn is_magic(source: &Source, line: &str) -> bool {
    source.language == Language::Notebook && line.trim_start().starts_with(['%', '!', '?'])
}
