//! Writes the comments that silence findings, for `--add-ignore`: at the end of the line, or on a line of its own above
//! where the line has no room for one. A comment is kept only when the file, read again with it, says that it is a
//! comment about that finding, and when the whole check finds the same as before otherwise.

mod placing;

use crate::facts::{FileId, Place, Span};
use crate::findings::suppressions::is_about_suppressions;
use crate::findings::{Severity, Status};
use crate::languages::Choices;
use crate::rules::{RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Language, Source, Sources};
use crate::{Outcome, check};
use placing::Draft;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What silencing would write, and what the check says then.
pub struct Silenced {
    pub sources: Sources,
    pub outcome: Outcome,
    /// The new content of each file, a notebook's as JSON.
    pub files: Vec<(FileId, String)>,
    /// How many findings each of these files silences.
    pub counts: BTreeMap<FileId, usize>,
    pub refused: Vec<Refused>,
}

/// A finding that stays, with the reason in one clause.
pub struct Refused {
    pub place: Place,
    pub rule: String,
    pub reason: String,
}

/// Why a reason cannot stand in a comment; `None` when it can.
pub fn fault_in(reason: &str) -> Option<&'static str> {
    if reason.trim().is_empty() {
        Some("says nothing; say why the findings are meant")
    } else if reason.contains(char::is_control) {
        Some("must be one line of text")
    } else if [" # ", " // ", "gpulint:", "-->", "*/"].iter().any(|end| reason.contains(end)) {
        Some("must not hold the marks of a comment")
    } else {
        None
    }
}

/// Silences the findings with these numbers. `outcome` is what the check said of `sources`; `text_of` reads the
/// content of a file anew.
pub fn silence(
    sources: &Sources,
    outcome: &Outcome,
    meant: &FxHashSet<usize>,
    reason: &str,
    (settings, rules): (&Settings, &RuleSet),
    text_of: &dyn Fn(&Source) -> Option<String>,
) -> Result<Silenced, UnknownSelector> {
    let mut of_file: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
    for &at in meant {
        of_file.entry(outcome.findings[at].place.file).or_default().push(at);
    }
    let mut refused = Vec::new();
    let mut refuse = |at: usize, reason: String| {
        let finding = &outcome.findings[at];
        refused.push(Refused { place: finding.place, rule: finding.rule.clone(), reason });
    };
    let mut drafts: BTreeMap<FileId, (String, Vec<usize>)> = BTreeMap::new();
    for (file, mut numbers) in of_file {
        let source = sources.file(file);
        // From the bottom up, so that what is above stays where it is; rules of one line by name.
        numbers.sort_by_key(|&at| (std::cmp::Reverse(outcome.findings[at].place.span.start), at));
        let draft = match (uncommentable(source), text_of(source)) {
            (Some(reason), _) => Err(reason.to_owned()),
            (None, None) => Err("the file cannot be read any more".to_owned()),
            (None, Some(content)) => {
                Draft::of(source, content, Choices::of(settings.governing_of(source).policy))
                    .ok_or_else(|| "the file changed while it was checked".to_owned())
            }
        };
        let mut draft = match draft {
            Ok(draft) => draft,
            Err(reason) => {
                numbers.iter().for_each(|&at| refuse(at, reason.clone()));
                continue;
            }
        };
        draft.keep_lines_of(outcome.findings.iter().filter(|finding| finding.place.file == file));
        let mut placed = Vec::new();
        for at in numbers {
            let finding = &outcome.findings[at];
            if is_about_suppressions(&finding.rule) {
                refuse(at, "it is about such a comment; correct the comment instead".to_owned());
                continue;
            }
            match draft.silence(finding.place.span, &finding.rule, reason) {
                true => placed.push(at),
                false => refuse(at, "no comment can stand on its line or above it".to_owned()),
            }
        }
        if !placed.is_empty() {
            drafts.insert(file, (draft.into_content(), placed));
        }
    }
    loop {
        let edited = drafts.iter().map(|(file, (content, _))| (*file, content.clone())).collect();
        let fresh_sources = sources.with_edited(edited);
        let fresh = check(&fresh_sources, settings, rules)?;
        let silenced: FxHashSet<usize> =
            drafts.values().flat_map(|(_, placed)| placed.iter().copied()).collect();
        let wrong = files_that_differ(outcome, &fresh, &silenced);
        let wrong: Vec<FileId> = match wrong.iter().all(|file| drafts.contains_key(file)) {
            true => wrong.into_iter().collect(),
            // A comment in one file changes what is found in another, so none of them can be trusted.
            false => drafts.keys().copied().collect(),
        };
        if wrong.is_empty() || drafts.is_empty() {
            let counts = drafts.iter().map(|(file, (_, placed))| (*file, placed.len())).collect();
            let files = drafts.into_iter().map(|(file, (content, _))| (file, content)).collect();
            return Ok(Silenced { sources: fresh_sources, outcome: fresh, files, counts, refused });
        }
        for (_, placed) in wrong.iter().filter_map(|file| drafts.remove(file)) {
            for at in placed {
                let finding = &outcome.findings[at];
                let reason = "with the comments, this file would not be found the same otherwise".to_owned();
                refused.push(Refused { place: finding.place, rule: finding.rule.clone(), reason });
            }
        }
    }
}

/// What to put in, and at which byte of the text, so that a comment silences what a rule finds at a place. The reason is
/// left to whoever reads the offer. `content` is what `source` was read from.
pub fn comment_about(
    source: &Source,
    content: String,
    place: Span,
    rule: &str,
    choices: Choices,
) -> Option<(usize, String)> {
    if is_about_suppressions(rule) || uncommentable(source).is_some() {
        return None;
    }
    let mut draft = Draft::of(source, content, choices)?;
    draft.silence(place, rule, "").then(|| draft.inserted())?
}

/// Why no file of this kind has comments.
fn uncommentable(source: &Source) -> Option<&'static str> {
    let name = source.name.rsplit('/').next().unwrap_or_default();
    let is_edited_by_hand = name.ends_with(".jsonc")
        || source.name.contains(".vscode/")
        || matches!(name, "devcontainer.json" | ".devcontainer.json");
    match source.language {
        Language::Json if !is_edited_by_hand => {
            Some("JSON has no comments; use `rules.per-path` of the policy")
        }
        Language::Cache => Some("the file is machine code; use `rules.per-path` of the policy"),
        _ => None,
    }
}

/// The files in which something else is found than before, but for the findings that are to be silenced.
fn files_that_differ(before: &Outcome, after: &Outcome, silenced: &FxHashSet<usize>) -> FxHashSet<FileId> {
    type Seen<'a> = FxHashMap<(FileId, &'a str, Severity, bool), isize>;
    let mut balance = Seen::default();
    for (at, finding) in before.findings.iter().enumerate() {
        let is_silent = finding.status == Status::Suppressed || silenced.contains(&at);
        *balance.entry((finding.place.file, &finding.rule, finding.severity, is_silent)).or_default() += 1;
    }
    for finding in &after.findings {
        let is_silent = finding.status == Status::Suppressed;
        *balance.entry((finding.place.file, &finding.rule, finding.severity, is_silent)).or_default() -= 1;
    }
    balance.into_iter().filter(|(_, count)| *count != 0).map(|((file, ..), _)| file).collect()
}
