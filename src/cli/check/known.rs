//! `--baseline` and `--write-baseline`: which findings are known already.

use super::super::say;
use crate::Outcome;
use crate::facts::FileId;
use crate::findings::baseline::{Baseline, Entry, NAME, Run};
use crate::findings::{Finding, Severity, Status};
use crate::policy::absolute;
use crate::replacement::replace;
use crate::settings::Settings;
use crate::sources::Sources;
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Clone)]
pub struct Options {
    /// Findings listed in FILE are known and do not fail the run.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write what is found now to the baseline, which is gpulint-baseline.json unless --baseline or the policy names another.
    #[arg(long, conflicts_with = "since")]
    pub write_baseline: bool,
    /// Report only findings on lines that changed since HEAD and git's REF parted, or whose cause did.
    #[arg(long, value_name = "REF")]
    pub since: Option<String>,
}

/// The baseline of a run.
pub struct Known {
    file: PathBuf,
    /// The file as the user would name it.
    shown: String,
    baseline: Baseline,
    writes: bool,
}

impl Known {
    /// `None` when the run has no baseline.
    pub fn of(options: &Options, settings: &Settings) -> anyhow::Result<Option<Known>> {
        let Options { baseline: named, write_baseline: writes, .. } = options.clone();
        let by_policy = || settings.policy.baseline.as_ref().map(|file| settings.root.join(file));
        let by_default = || writes.then(|| settings.root.join(NAME));
        let Some(file) = named.map(|file| absolute(&file)).or_else(by_policy).or_else(by_default) else {
            return Ok(None);
        };
        let cwd = std::env::current_dir().unwrap_or_default();
        let shown = file.strip_prefix(cwd).unwrap_or(&file).display().to_string();
        let baseline = match writes && !file.exists() {
            true => Baseline::default(),
            false => Baseline::read(&file, &shown)?,
        };
        Ok(Some(Known { file, shown, baseline, writes }))
    }

    /// Marks the findings that are known, and says what became of the others; writes the baseline when asked to.
    /// `paths` are those that the user named; findings below `least` are not worth an entry. Before the `last` time
    /// in a run nothing is said.
    pub fn apply(
        &self,
        outcome: &mut Outcome,
        sources: &Sources,
        paths: &[PathBuf],
        least: Severity,
        last: bool,
    ) -> anyhow::Result<()> {
        let name = |file: &FileId| sources.file(*file).name.as_str();
        let named: Vec<PathBuf> = paths.iter().map(|path| absolute(path)).collect();
        let on_disk = |path: &str| absolute(&sources.root.join(path));
        let run = Run {
            files: outcome.checked.iter().map(name).collect(),
            rules: outcome.ran.iter().map(String::as_str).collect(),
            is_gone: &|path| on_disk(path).symlink_metadata().is_err(),
            is_named: &|path| named.iter().any(|named| on_disk(path).starts_with(named)),
        };
        let held = self.baseline.mark(&mut outcome.findings, sources, &run);
        if !self.writes {
            if last {
                self.say_settled(&self.baseline.settled(&held, &run));
            }
            return Ok(());
        }
        let is_kept = |finding: &Finding| match finding.status {
            Status::Active => finding.severity >= least,
            Status::Baselined => true,
            Status::Suppressed | Status::Unchanged => false,
        };
        let fresh = self.baseline.rewritten(&held, &outcome.findings, sources, &run, &is_kept);
        self.write(&fresh)?;
        for finding in outcome.findings.iter_mut().filter(|finding| is_kept(finding)) {
            finding.status = Status::Baselined;
        }
        Ok(())
    }

    fn write(&self, fresh: &Baseline) -> anyhow::Result<()> {
        let text = fresh.text();
        // The same text is not written again: a build that looks at times would start anew.
        if std::fs::read(&self.file).ok().as_deref() != Some(text.as_bytes()) {
            replace(&self.file, text.as_bytes())
                .with_context(|| format!("cannot write the baseline {}", self.shown))?;
        }
        let (came, went) = (fresh.beyond(&self.baseline), self.baseline.beyond(fresh));
        say(format_args!(
            "note: {} lists {} now, {came} added and {went} removed",
            self.shown,
            match fresh.len() {
                1 => "1 finding".to_owned(),
                count => format!("{count} findings"),
            }
        ));
        Ok(())
    }

    fn say_settled(&self, settled: &[&Entry]) {
        /// More than this are told by the change of the file.
        const MOST: usize = 3;
        if settled.is_empty() {
            return;
        }
        let first = settled.iter().take(MOST).map(|entry| format!("{} in {}", entry.rule, entry.path));
        let mut named = first.collect::<Vec<_>>().join(", ");
        if settled.len() > MOST {
            named.push_str(&format!(" and {} more", settled.len() - MOST));
        }
        let (noun, are) = if settled.len() == 1 { ("finding", "is") } else { ("findings", "are") };
        say(format_args!(
            "note: {} {noun} of {} {are} settled ({named}); --write-baseline takes them out",
            settled.len(),
            self.shown,
        ));
    }
}
