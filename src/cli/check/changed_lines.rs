//! `--changed-lines`: which findings stand on lines that changed.

use crate::changes::{Base, ChangesError};
use crate::facts::{Place, Span};
use crate::findings::{Audience, Finding, Severity, Status};
use crate::sources::Sources;
use rustc_hash::FxHashSet;
use std::path::Path;

/// Marks the active findings that neither stand on a changed line nor are explained by one.
pub fn mark_unchanged(findings: &mut [Finding], sources: &Sources, base: &Base) -> Result<(), ChangesError> {
    let is_active = |finding: &&mut Finding| finding.status == Status::Active;
    let path_of = |place: Place| sources.file(place.file).path.as_deref();
    let active = findings.iter_mut().filter(is_active).flat_map(|finding| places_of(finding));
    let files: FxHashSet<&Path> = active.filter_map(path_of).collect();
    if files.is_empty() {
        return Ok(());
    }
    let changed = base.changed_lines(&files)?;
    let is_changed = |place: Place| {
        let Some(path) = path_of(place) else { return false };
        if place.span == Span::default() {
            // About the whole file.
            return changed.touch_file(path);
        }
        let (first, last) = sources.file(place.file).file_lines(place.span);
        changed.touch(path, first, last)
    };
    for finding in findings.iter_mut().filter(is_active) {
        // The others that it speaks for are there themselves.
        let places = match finding.speaks {
            Audience::ForProject => vec![finding.place],
            _ => places_of(finding),
        };
        if !places.into_iter().any(is_changed) {
            finding.status = Status::Unchanged;
        } else if finding.speaks == Audience::ForOneOfMany {
            // The project may be known to leave it open; the change does so once more.
            finding.severity = finding.severity.max(Severity::Warning);
        }
    }
    Ok(())
}

fn places_of(finding: &Finding) -> Vec<Place> {
    // Those about a whole file name programs, and explain nothing.
    let related = finding.related.iter().map(|related| related.place);
    let related = related.filter(|place| place.span != Span::default());
    std::iter::once(finding.place).chain(related).collect()
}
