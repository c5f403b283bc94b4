//! `--baseline` and `--write-baseline`: which findings are known already.

use super::super::say;
use crate::Outcome;
use crate::atomic_write::replace;
use crate::disk::{Disk, absolute, refused};
use crate::facts::FileId;
use crate::findings::baseline::{Baseline, BaselineError, Entry, NAME, Run};
use crate::findings::{Finding, Severity, Status};
use crate::settings::Settings;
use crate::sources::Sources;
use anyhow::Context;
use clap::Args;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

#[derive(Args, Clone)]
pub struct Options {
    /// Findings listed in FILE are known and do not fail the run.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write what is found now to the baseline, which is gpulint-baseline.json unless --baseline or the policy names another.
    #[arg(long)]
    pub write_baseline: bool,
    /// Report only what is new since HEAD and git's REF parted, wherever it stands, by comparing both states.
    #[arg(long, value_name = "REF", conflicts_with = "write_baseline")]
    pub since: Option<String>,
    /// Report only what the next commit brings, by comparing what is staged with HEAD; of files that are named and are
    /// no part of it, everything.
    #[arg(long, conflicts_with_all = ["since", "write_baseline", "watch"])]
    pub staged: bool,
    /// Report only findings on lines that changed since HEAD and git's REF parted, or whose cause did.
    #[arg(long, value_name = "REF", conflicts_with_all = ["since", "staged", "write_baseline"])]
    pub changed_lines: Option<String>,
}

impl Options {
    /// The option by which files are compared with others.
    pub fn compares(&self) -> Option<&'static str> {
        let named = [
            ("--since", self.since.is_some()),
            ("--staged", self.staged),
            ("--changed-lines", self.changed_lines.is_some()),
        ];
        named.into_iter().find(|(_, is_named)| *is_named).map(|(option, _)| option)
    }
}

/// The baselines of a run.
pub struct Baselines {
    each: Vec<BaselineFile>,
}

/// One of them.
struct BaselineFile {
    /// Which files it is about.
    about: BaselineScope,
    file: PathBuf,
    /// The file as the user would name it.
    shown: String,
    baseline: Baseline,
    writes: bool,
    /// A policy names it, so later runs read it without being told.
    is_by_itself: bool,
    disk: Disk,
}

/// The files that a baseline is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BaselineScope {
    All,
    /// Those for which policies name it, by its number.
    Named(usize),
    /// Those for which none is named.
    Others,
}

impl Baselines {
    /// `None` when the run has no baseline.
    pub fn of(options: &Options, settings: &Settings) -> anyhow::Result<Option<Baselines>> {
        let Options { baseline: named, write_baseline: writes, .. } = options.clone();
        let mut files: Vec<(BaselineScope, PathBuf)> = Vec::new();
        match named {
            Some(file) => files.push((BaselineScope::All, absolute(&file))),
            None => {
                let by_policy = settings.baselines().into_iter().enumerate();
                files.extend(by_policy.map(|(number, file)| (BaselineScope::Named(number), file)));
                let all_have = settings.root_has_baseline();
                if writes && !all_have {
                    let about = if files.is_empty() { BaselineScope::All } else { BaselineScope::Others };
                    files.push((about, settings.base().join(NAME)));
                }
            }
        }
        let each = files.into_iter().map(|(about, file)| BaselineFile::of(about, file, writes, settings));
        let each = each.collect::<anyhow::Result<Vec<BaselineFile>>>()?;
        Ok((!each.is_empty()).then_some(Baselines { each }))
    }

    /// Marks the findings that are known, and does nothing else.
    pub fn mark(&self, outcome: &mut Outcome, (sources, settings): (&Sources, &Settings), paths: &[PathBuf]) {
        for one in &self.each {
            one.with_run(outcome, (sources, settings), paths, |findings, run| {
                drop(one.baseline.mark(findings, sources, run))
            });
        }
    }

    /// Marks the findings that are known, and says what became of the others; writes the baseline when asked to.
    /// `paths` are those that the user named; findings below `least` are not worth an entry. Before the `last` time
    /// in a run nothing is said.
    pub fn apply(
        &self,
        outcome: &mut Outcome,
        (sources, settings): (&Sources, &Settings),
        paths: &[PathBuf],
        least: Severity,
        last: bool,
    ) -> anyhow::Result<()> {
        self.each.iter().try_for_each(|one| one.apply(outcome, (sources, settings), paths, least, last))
    }
}

impl BaselineFile {
    fn of(
        about: BaselineScope,
        file: PathBuf,
        writes: bool,
        settings: &Settings,
    ) -> anyhow::Result<BaselineFile> {
        let typed = (about == BaselineScope::All).then_some(&file);
        let disk = settings.disk.within(settings.disk.bounds().and(typed));
        let is_by_itself = matches!(about, BaselineScope::Named(_));
        let cwd = std::env::current_dir().unwrap_or_default();
        let shown = match file.strip_prefix(cwd) {
            Ok(here) if here.as_os_str().is_empty() => ".".to_owned(),
            inside => inside.unwrap_or(&file).display().to_string(),
        };
        let baseline = match writes && !disk.has(&file) {
            // It is written after all the work, so what stands in the way is said before.
            true => match disk.bounds().target(&file) {
                Err(error) if refused(&error).is_some() => {
                    return Err(BaselineError::of_refused(&error, &shown).into());
                }
                _ => Baseline::default(),
            },
            false => Baseline::read(&disk, &file, &shown)?,
        };
        Ok(BaselineFile { about, file, shown, baseline, writes, is_by_itself, disk })
    }

    fn apply(
        &self,
        outcome: &mut Outcome,
        (sources, settings): (&Sources, &Settings),
        paths: &[PathBuf],
        least: Severity,
        last: bool,
    ) -> anyhow::Result<()> {
        let is_kept = |finding: &Finding| match finding.status {
            Status::Active => finding.severity >= least,
            Status::Baselined => true,
            Status::Suppressed | Status::Unchanged | Status::Old => false,
        };
        self.with_run(outcome, (sources, settings), paths, |findings, run| {
            let held = self.baseline.mark(findings, sources, run);
            if !self.writes {
                if last {
                    self.say_settled(&self.baseline.settled(&held, run));
                }
                return Ok(());
            }
            self.write(&self.baseline.rewritten(&held, findings, sources, run, &is_kept))?;
            for finding in findings.iter_mut().filter(|finding| is_kept(finding)) {
                finding.status = Status::Baselined;
            }
            Ok(())
        })
    }

    /// Does something with the findings, which is told what the run looked at.
    fn with_run<T>(
        &self,
        outcome: &mut Outcome,
        (sources, settings): (&Sources, &Settings),
        paths: &[PathBuf],
        work: impl FnOnce(&mut [Finding], &Run) -> T,
    ) -> T {
        let is_its = |file: &FileId| match self.about {
            BaselineScope::All => true,
            BaselineScope::Named(number) => settings.baseline_of(sources.file(*file)) == Some(number),
            BaselineScope::Others => settings.baseline_of(sources.file(*file)).is_none(),
        };
        let name = |file: &FileId| sources.file(*file).name.as_str();
        let named: Vec<PathBuf> = paths.iter().map(|path| absolute(path)).collect();
        let on_disk = |path: &str| absolute(&sources.root.join(path));
        let run = Run {
            files: outcome.checked.iter().filter(|file| is_its(file)).map(name).collect(),
            rules: outcome.ran.iter().map(String::as_str).collect(),
            is_gone: &|path| !self.disk.has(&on_disk(path)),
            is_named: &|path| named.iter().any(|named| on_disk(path).starts_with(named)),
        };
        if self.about == BaselineScope::All {
            return work(&mut outcome.findings, &run);
        }
        // The others stand still in the meantime.
        outcome.findings.sort_by_key(|finding| !is_its(&finding.place.file));
        let its = outcome.findings.partition_point(|finding| is_its(&finding.place.file));
        let done = work(&mut outcome.findings[..its], &run);
        outcome.findings.sort_by(|one, other| (one.place, &one.rule).cmp(&(other.place, &other.rule)));
        done
    }

    fn write(&self, fresh: &Baseline) -> anyhow::Result<()> {
        let text = fresh.text();
        // The same text is not written again: a build that looks at times would start anew.
        let same = |read: Vec<u8>| read == text.as_bytes();
        if !self.disk.bounds().read(&self.file, text.len() as u64).is_ok_and(same) {
            let target = self.disk.bounds().target(&self.file);
            target
                .and_then(|target| replace(&target, text.as_bytes()))
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
        if !self.is_by_itself && io::stderr().is_terminal() {
            say(format_args!(
                "note: findings in it count as known where the policy says `baseline: {0}`, or with `--baseline {0}`; \
                 commit the file",
                self.shown
            ));
        }
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
