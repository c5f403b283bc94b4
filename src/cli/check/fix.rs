//! `--fix`, `--unsafe-fixes` and `--diff`: mends what can be mended, or shows how.

use super::super::say;
use crate::Outcome;
use crate::findings::Severity;
use crate::fixes::{Corrections, Settled, Wanted, settle};
use crate::replacement::replace_unchanged;
use crate::rules::{RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Source, Sources};
use clap::Args;

#[derive(Args)]
#[group(id = "fixes")]
pub struct Options {
    /// Mend what can be mended without changing what the program does; every change is proven to touch nothing else.
    #[arg(long, conflicts_with_all = ["watch", "write_baseline", "add_ignore"])]
    pub fix: bool,
    /// With --fix or --diff: also fixes that may change what the program does.
    #[arg(long)]
    pub unsafe_fixes: bool,
    /// Show what --fix would change as a unified diff, and change nothing.
    #[arg(long, conflicts_with_all = ["watch", "write_baseline", "add_ignore"])]
    pub diff: bool,
}

impl Options {
    pub fn are_wanted(&self) -> bool {
        self.fix || self.diff
    }

    /// What is wrong with the options together.
    pub fn fault(&self) -> Option<&'static str> {
        let is_alone = self.unsafe_fixes && !self.are_wanted();
        is_alone.then_some("--unsafe-fixes says which fixes are made, so it needs --fix or --diff beside it")
    }
}

/// What became of the fixes.
pub struct Carried {
    /// The project with the fixes that were made, and what the check says of it.
    pub sources: Sources,
    pub outcome: Outcome,
    pub corrections: Corrections,
    /// What belongs on standard output instead of the report: the diff, or standard input with its fixes.
    pub output: Option<String>,
    /// A file could not be written.
    pub is_partial: bool,
}

/// Makes the fixes and writes them, or their diff. `standard` is what standard input held, where that is checked.
pub fn carry_out(
    sources: Sources,
    outcome: Outcome,
    (options, least): (&Options, Severity),
    (settings, rules): (&Settings, &RuleSet),
    standard: Option<&str>,
) -> Result<Carried, UnknownSelector> {
    let content_of = |source: &Source| match standard {
        // What was read beside it is not written.
        Some(text) => source.reported.then(|| text.to_owned()),
        None => String::from_utf8(std::fs::read(source.path.as_ref()?).ok()?).ok(),
    };
    let wanted = Wanted { risky: options.unsafe_fixes, least };
    let mut settled = settle(&sources, &outcome, wanted, (settings, rules), &content_of)?;
    if !options.diff && standard.is_none() {
        settled = write(&sources, settled, (settings, rules))?;
    }
    let corrections = Corrections::of(&sources, &settled, options.diff);
    tell(&corrections);
    let is_partial = !settled.unwritten.is_empty();
    let (output, sources, outcome) = match (options.diff, standard) {
        (true, _) => {
            let diffs = corrections.files.iter().map(|file| file.diff.as_str());
            (Some(diffs.collect()), sources, outcome)
        }
        (false, Some(text)) => {
            let fixed = settled.files.into_values().next();
            (Some(fixed.unwrap_or_else(|| text.to_owned())), settled.sources, settled.outcome)
        }
        (false, None) => (None, settled.sources, settled.outcome),
    };
    Ok(Carried { sources, outcome, corrections, output, is_partial })
}

/// Writes the files. One that cannot be written stays as it is and is told, and so is what then cannot be fixed.
fn write(
    sources: &Sources,
    mut settled: Settled,
    (settings, rules): (&Settings, &RuleSet),
) -> Result<Settled, UnknownSelector> {
    let mut failed = Vec::new();
    for (&file, content) in &settled.files {
        let source = sources.file(file);
        let Some(path) = &source.path else { continue };
        let read = settled.read.get(&file).map(String::as_bytes).unwrap_or_default();
        if let Err(error) = replace_unchanged(path, read, content.as_bytes()) {
            say(format_args!("error: {} is not fixed: {error}", source.name));
            failed.push(file);
        }
    }
    if !failed.is_empty() {
        settled.files.retain(|file, _| !failed.contains(file));
        settled.applied.retain(|applied| !applied.files.iter().any(|file| failed.contains(file)));
        let written = settled.files.iter().map(|(file, content)| (*file, content.clone())).collect();
        settled.sources = sources.with_edited(written);
        settled.outcome = crate::check(&settled.sources, settings, rules)?;
        settled.unwritten = failed;
    }
    Ok(settled)
}

/// Says what was done, and what was not and why.
fn tell(corrections: &Corrections) {
    for kept in &corrections.dropped {
        let cell = kept.cell.map(|cell| format!(":cell {cell}")).unwrap_or_default();
        say(format_args!(
            "note: {}{cell}:{}: {} is not fixed: {}",
            kept.path, kept.line, kept.rule, kept.reason
        ));
    }
    let noun = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let (findings, files) = (noun(corrections.count(), "finding"), noun(corrections.files.len(), "file"));
    match (corrections.files.len(), corrections.is_dry) {
        (0, true) => say("note: there is nothing that would be fixed"),
        (0, false) => say("note: there was nothing to fix"),
        (_, true) => say(format_args!("note: {findings} would be fixed in {files}")),
        (_, false) => say(format_args!("note: fixed {findings} in {files}")),
    }
}
