//! What a short fix changes, as it is shown under its finding: the lines that go and those that come.

use super::excerpt::for_reader;
use super::printable::printable;
use super::{Report, ShownOn};
use crate::findings::{Edit, Finding};
use crate::sources::Source;
use similar::{ChangeTag, TextDiff};

/// More lines than this are looked at with `--diff`.
const MOST_LINES: usize = 8;
/// So far apart the changes of one fix may be.
const MOST_BETWEEN: usize = 40;

/// The lines that a fix takes out and puts in, with the numbers of the new ones; `None` where there are many, where they lie
/// in several files or in a notebook.
pub fn lines_of(finding: &Finding, report: &Report, width: usize) -> Option<String> {
    let fix = finding.fix.as_ref()?;
    let file = finding.place.file;
    let source = report.sources.file(file);
    if source.cells.is_some() || fix.edits.iter().any(|edit| edit.place.file != file) {
        return None;
    }
    let (old, new, first_line) = region_of(source, &fix.edits)?;
    let diff = TextDiff::from_lines(old, &new);
    let changes: Vec<_> = diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).collect();
    if changes.is_empty() || changes.len() > MOST_LINES {
        return None;
    }
    let line = |text: &str| shown(source, text, report.shown_on);
    let lines = changes.iter().map(|change| match change.new_index() {
        Some(index) => format!("{:>width$} + {}", first_line + index, line(change.value())),
        None => format!("{:>width$} - {}", "", line(change.value())),
    });
    Some(lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n"))
}

/// The lines that edits touch, the same with the edits, and the number of the first.
fn region_of<'t>(source: &'t Source, edits: &[Edit]) -> Option<(&'t str, String, usize)> {
    let text = source.text.as_str();
    let first = edits.first()?.place.span.start as usize;
    let last = edits.last()?.place.span.end as usize;
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    let old = &text[start..end];
    if old.lines().count() > MOST_BETWEEN {
        return None;
    }
    let (mut new, mut at) = (String::new(), start);
    for edit in edits {
        new.push_str(text.get(at..edit.place.span.start as usize)?);
        new.push_str(&edit.text);
        at = edit.place.span.end as usize;
    }
    new.push_str(text.get(at..end)?);
    Some((old, new, memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count() + 1))
}

fn shown(source: &Source, line: &str, on: ShownOn) -> String {
    let line = line.trim_end_matches(['\n', '\r']).trim_start_matches('\u{feff}').replace('\t', "    ");
    printable(&for_reader(source, &line, on)).into_owned()
}
