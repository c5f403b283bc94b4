//! `--add-ignore`: writes comments that silence what the run would show.

use super::super::say;
use crate::Outcome;
use crate::atomic_write::replace;
use crate::disk::Bounds;
use crate::findings::{Finding, Severity, Status};
use crate::rules::{RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::silencing::{Silenced, silence};
use crate::sources::{Source, Sources};
use std::path::PathBuf;

/// What the check says of the files with their comments. A file that cannot be written stays as it is, and so does
/// a finding that no comment can silence; each is told.
pub fn add(
    sources: &Sources,
    outcome: &Outcome,
    least: Severity,
    reason: &str,
    (settings, rules): (&Settings, &RuleSet),
) -> Result<(Sources, Outcome), UnknownSelector> {
    let is_shown = |finding: &Finding| finding.status == Status::Active && finding.severity >= least;
    let numbered = outcome.findings.iter().enumerate();
    let meant = numbered.filter(|(_, finding)| is_shown(finding)).map(|(at, _)| at).collect();
    let silenced = silence(sources, outcome, &meant, reason, (settings, rules), &text_of)?;
    for refused in &silenced.refused {
        let file = sources.file(refused.place.file);
        let position = file.position(refused.place.span);
        let name = file.name_with_cell(position.cell);
        say(format_args!("note: {name}:{}: {} stays: {}", position.line, refused.rule, refused.reason));
    }
    let Silenced { sources: edited, outcome: checked, mut files, mut counts, .. } = silenced;
    let all = files.len();
    files.retain(|(file, content)| {
        let source = sources.file(*file);
        let own = Bounds::of(&sources.root);
        let placed =
            |path: &PathBuf| own.target(path).and_then(|target| replace(&target, content.as_bytes()));
        let written = source.path.as_ref().map(placed);
        if let Some(Err(error)) = &written {
            say(format_args!("note: {} cannot be written ({error}), so it has no comments", source.name));
            counts.remove(file);
        }
        matches!(written, Some(Ok(())))
    });
    let (count, written) = (counts.values().sum::<usize>(), files.len());
    let noun = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    match written {
        0 => say("note: no comments were written"),
        _ => say(format_args!(
            "note: comments for {} written to {}",
            noun(count, "finding"),
            noun(written, "file")
        )),
    }
    if written == all {
        return Ok((edited, checked));
    }
    let edited = sources.with_edited(files.into_iter().collect());
    let checked = crate::check(&edited, settings, rules)?;
    Ok((edited, checked))
}

/// The content of a file as it lies on disk now.
fn text_of(source: &Source) -> Option<String> {
    source.content_on_disk()
}
