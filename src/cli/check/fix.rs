//! `--fix`, `--unsafe-fixes` and `--diff`: mends what can be mended, or shows how.

mod writing;

use super::super::say;
use crate::Outcome;
use crate::corrections::Corrections;
use crate::findings::{Finding, Severity};
use crate::fix_loop::{FixSelection, FixedProject, apply_until_stable};
use crate::rules::{RuleSet, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Source, Sources};
use clap::Args;
use rustc_hash::FxHashSet;

#[derive(Args)]
#[group(id = "fixes")]
pub struct Options {
    /// Make the fixes that leave what a right program does as it is, and report what is left.
    #[arg(long, conflicts_with_all = ["watch", "write_baseline", "add_ignore"])]
    pub fix: bool,
    /// With --fix or --diff: also fixes that may change what the program does.
    #[arg(long)]
    pub unsafe_fixes: bool,
    /// Print what --fix would change as a patch, and change nothing.
    #[arg(long, conflicts_with_all = ["watch", "write_baseline", "add_ignore"])]
    pub diff: bool,
    /// Fix, report nothing of what is left, and exit with 0 all the same.
    #[arg(long, conflicts_with_all = ["watch", "write_baseline", "add_ignore"])]
    pub fix_only: bool,
    /// Fix only what these rules find: all, a family or an id.
    #[arg(long, value_delimiter = ',', value_name = "RULES")]
    pub fixable: Vec<String>,
}

impl Options {
    pub fn are_wanted(&self) -> bool {
        self.fix || self.diff || self.fix_only
    }

    /// Whether fixes are made and not only shown.
    pub fn writes(&self) -> bool {
        self.are_wanted() && !self.diff
    }

    /// The ids of the rules whose findings are fixed; `None` stands for all.
    pub fn fixable(&self, rules: &RuleSet) -> anyhow::Result<Option<FxHashSet<String>>> {
        if self.fixable.is_empty() {
            return Ok(None);
        }
        let ids = rules.ids_of(&self.fixable).map_err(|unknown| anyhow::anyhow!("--fixable: {unknown}"))?;
        Ok(Some(ids))
    }

    pub fn wanted<'a>(&self, least: Severity, fixable: Option<&'a FxHashSet<String>>) -> FixSelection<'a> {
        FixSelection { risky: self.unsafe_fixes, least, fixable }
    }

    /// What is wrong with the options together.
    pub fn fault(&self) -> Option<&'static str> {
        let is_alone = self.unsafe_fixes && !self.are_wanted();
        is_alone.then_some("--unsafe-fixes says which fixes are made, so it needs --fix or --diff beside it")
    }
}

/// What became of the fixes.
pub struct FixOutcome {
    /// The project with the fixes that were made, and what the check says of it.
    pub sources: Sources,
    pub outcome: Outcome,
    pub corrections: Corrections,
    /// What belongs on standard output instead of the report: the diff, or standard input with its fixes.
    pub output: Option<Vec<u8>>,
}

/// Makes the fixes and writes them, or their diff. `standard` is what standard input held, where that is checked.
pub fn carry_out(
    sources: Sources,
    outcome: Outcome,
    (options, wanted): (&Options, FixSelection<'_>),
    (settings, rules): (&Settings, &RuleSet),
    standard: Option<&[u8]>,
) -> Result<FixOutcome, UnknownSelector> {
    let content_of = |source: &Source| match standard {
        // What was read beside it is not written.
        Some(text) if source.reported => String::from_utf8(text.to_vec()).ok(),
        Some(_) => None,
        None => source.content_on_disk(),
    };
    let mut settled = apply_until_stable(&sources, &outcome, wanted, (settings, rules), &content_of)?;
    let mut is_partial = false;
    if !options.diff && standard.is_none() {
        (settled, is_partial) = writing::write(&sources, settled, (settings, rules))?;
    }
    let corrections = Corrections { is_partial, ..Corrections::of(&sources, &settled, options.diff) };
    tell(&corrections);
    let (output, sources, outcome) = match (options.diff, standard) {
        (true, _) => {
            let patches: String = corrections.files.iter().map(|file| file.patch.as_str()).collect();
            (Some(patches.into_bytes()), sources, as_tried(outcome, &settled))
        }
        (false, Some(text)) => {
            let fixed = settled.files.into_values().next().map(String::into_bytes);
            (Some(fixed.unwrap_or_else(|| text.to_vec())), settled.sources, settled.outcome)
        }
        (false, None) => (None, settled.sources, settled.outcome),
    };
    Ok(FixOutcome { sources, outcome, corrections, output })
}

/// What was found at first, without offers that were tried in vain.
fn as_tried(mut outcome: Outcome, settled: &FixedProject) -> Outcome {
    for dropped in &settled.dropped {
        let mut findings = outcome.findings.iter_mut();
        let is_it = |finding: &&mut Finding| {
            let (place, tried) = (finding.place, dropped.place);
            finding.rule == dropped.rule && (place.file, place.span.start) == (tried.file, tried.span.start)
        };
        if let Some(finding) = findings.find(is_it) {
            (finding.fix, finding.unfixed) = (None, Some(dropped.reason.clone()));
        }
    }
    outcome
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
    let (findings, files) = (noun(corrections.mended, "finding"), noun(corrections.files.len(), "file"));
    match (corrections.files.len(), corrections.is_dry) {
        (0, true) => say("note: there is nothing that would be fixed"),
        (0, false) => say("note: there was nothing to fix"),
        (_, true) => say(format_args!("note: {findings} would be fixed in {files}")),
        (_, false) => say(format_args!("note: fixed {findings} in {files}")),
    }
    if !corrections.is_final {
        say("note: another run may fix more");
    }
}
