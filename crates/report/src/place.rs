//! Places as services know them that show a repository: by a path from its top, and by lines of the file itself.

use super::Report;
use crate::facts::Place;
use crate::findings::{Cause, Finding};
use crate::sources::{Position, Source};
use std::borrow::Cow;

/// A place in a file of the repository.
pub struct InRepository<'a> {
    pub source: &'a Source,
    /// From the top of the repository.
    pub path: Cow<'a, str>,
    /// Lines of the file, which for a notebook are lines of JSON.
    pub line: u32,
    pub end_line: u32,
    /// First column and the one behind the last; none in the JSON of a notebook, where code has others.
    pub columns: Option<(u32, u32)>,
    /// Lines and columns as people count them.
    pub position: Position,
}

impl<'a> InRepository<'a> {
    /// `path:line`, and the cell of a notebook.
    pub fn label(&self) -> String {
        match self.position.cell {
            Some(cell) => format!("{}:cell {cell}:{}", self.path, self.position.line),
            None => format!("{}:{}", self.path, self.line),
        }
    }

    /// Where a message must say itself what the line of the file does not: `cell 3, line 2: `.
    pub fn cell(&self) -> String {
        let cell = self.position.cell;
        cell.map(|cell| format!("cell {cell}, line {}: ", self.position.line)).unwrap_or_default()
    }
}

impl<'a> Report<'a> {
    /// Where a place stands in the repository.
    pub(super) fn locate(&self, place: Place) -> InRepository<'a> {
        let source = self.sources.file(place.file);
        let position = source.position(place.span);
        let (line, end_line) = source.file_lines(place.span);
        let columns = position.cell.is_none().then_some((position.column, position.end_column));
        let path = in_repository(self.below_repository, &source.name);
        InRepository { source, path, line, end_line, columns, position }
    }

    /// The message with the cell that it is about, and below it what to do.
    pub(super) fn message_with_help(&self, finding: &'a Finding) -> String {
        let mut text = format!("{}{}", self.locate(finding.place).cell(), finding.message.trim_end());
        if let Some(advice) = &finding.advice {
            text.push_str(&format!("\nhelp: {}", advice.trim_end()));
        }
        if let Some(cause) = self.cause_elsewhere(finding) {
            text.push_str(&format!("\n{}", self.brought_by(cause)));
        }
        text
    }

    /// The change that brought a finding, where it is not the finding's own lines.
    pub(super) fn cause_elsewhere(&self, finding: &'a Finding) -> Option<&'a Cause> {
        let cause = finding.caused_by.as_ref()?;
        let source = self.sources.file(finding.place.file);
        let (first, last) = source.file_lines(finding.place.span);
        let is_own = |(from, to): (u32, u32)| source.name == cause.path && from <= last && first <= to;
        (!cause.lines.is_some_and(is_own) || cause.removed).then_some(cause)
    }

    /// Where the change is that brought a finding, as a sentence.
    pub(super) fn brought_by(&self, cause: &Cause) -> String {
        let path = &cause.path;
        match cause.lines {
            Some((line, _)) if cause.removed => format!("brought by the lines removed behind {path}:{line}"),
            Some((line, _)) => format!("brought by the change of {path}:{line}"),
            None => format!("brought by the removal of {path}"),
        }
    }

    /// Where a reviewer is to be told of a finding: where it stands, or at the change that brought it, which is part of the
    /// difference that is reviewed. With a change elsewhere the message says where the finding stands.
    pub(super) fn annotated(&self, finding: &'a Finding) -> (InRepository<'a>, String) {
        let mut place = self.locate(finding.place);
        let text = self.message_with_help(finding);
        let Some((cause, (line, end_line))) =
            self.cause_elsewhere(finding).and_then(|cause| Some((cause, cause.lines?)))
        else {
            return (place, text);
        };
        let text = format!("{}: {text}", place.label());
        place.path = in_repository(self.below_repository, &cause.path);
        (place.line, place.end_line, place.columns) = (line, end_line, None);
        (place, text)
    }
}

/// A path from the root of the project as one from the top of the repository.
pub fn in_repository<'a>(mut folder: &str, mut name: &'a str) -> Cow<'a, str> {
    if folder.is_empty() {
        return Cow::Borrowed(name);
    }
    while let (Some(rest), false) = (name.strip_prefix("../"), folder.is_empty()) {
        name = rest;
        folder = folder.trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    match folder.trim_end_matches('/') {
        "" => Cow::Borrowed(name),
        folder => Cow::Owned(format!("{folder}/{name}")),
    }
}
