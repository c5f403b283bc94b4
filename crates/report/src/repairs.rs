//! Fixes as services make them: texts put in the place of lines and columns of a file in the repository.

use super::Report;
use super::secrets::concealed;
use crate::facts::{Place, Span};
use crate::findings::{Edit, Finding, Status};
use crate::sources::Source;

/// More lines than this nobody takes over at a glance.
const MOST_LINES: usize = 40;

/// The edits of a finding's fix; none where they cannot be said in lines of files, as in a notebook, or where they would
/// give away what is nobody's business.
pub fn edits_of<'a>(finding: &'a Finding, report: &Report) -> &'a [Edit] {
    let Some(fix) = finding.fix.as_ref().filter(|_| finding.status == Status::Active) else { return &[] };
    let can_be_said = |edit: &Edit| {
        let source = report.sources.file(edit.place.file);
        source.cells.is_none() && is_shown(source, &edit.text)
    };
    if fix.edits.iter().all(can_be_said) { &fix.edits } else { &[] }
}

/// The same as one edit of the file that the finding is in, with what stands between them.
pub fn as_one(finding: &Finding, report: &Report) -> Option<Edit> {
    let edits = edits_of(finding, report);
    let (first, last) = (edits.first()?, edits.last()?);
    let file = finding.place.file;
    if edits.iter().any(|edit| edit.place.file != file) {
        return None;
    }
    let source = report.sources.file(file);
    let mut text = String::new();
    let mut at = first.place.span.start;
    for edit in edits {
        text.push_str(source.text.get(at as usize..edit.place.span.start as usize)?);
        text.push_str(&edit.text);
        at = edit.place.span.end;
    }
    let place = Place { file, span: Span { start: first.place.span.start, end: last.place.span.end } };
    (text.lines().count() <= MOST_LINES && is_shown(source, &text)).then_some(Edit { place, text })
}

fn is_shown(source: &Source, text: &str) -> bool {
    text.lines().all(|line| concealed(source, line) == line)
}
