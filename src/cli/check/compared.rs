//! `--since` and `--staged`: what is new in this state of the project, compared with an earlier one.

use super::super::say;
use super::Arguments;
use super::known::Baselines;
use crate::Outcome;
use crate::cache::{Cache, Checks};
use crate::changes::{ComparisonRequest, States};
use crate::comparison::{Causes, Found, Limits, find_causes, mark_old};
use crate::disk::{Disk, absolute};
use crate::findings::Finding;
use crate::report::Format;
use crate::rules::{Loaded, UnknownSelector};
use crate::settings::{Request, Settings, resolve};
use crate::sources::Sources;
use anyhow::bail;
use rustc_hash::FxHashSet;
use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

/// Of larger files it is not asked whether they matter.
const MOST_BYTES: u64 = 4 << 20;

/// What a run looks at.
pub struct Plan {
    /// With the state in which policies are looked for.
    pub request: Request,
    /// The states that the options name.
    pub states: Option<States>,
    /// Whether what is new is reported, and not everything.
    pub compares: bool,
    /// Whether the whole project is reported on, whatever is named.
    pub is_whole: bool,
    /// Whether what changed has nothing to do with GPUs, so that nothing can be new.
    pub is_idle: bool,
}

impl Plan {
    pub fn of(arguments: &Arguments, request: &Request) -> anyhow::Result<Plan> {
        let options = &arguments.known;
        let for_people = arguments.output.is_empty()
            && matches!(arguments.format, Format::Text | Format::Concise | Format::Compact);
        if options.since.is_none() && !options.staged {
            return Ok(Plan {
                request: request.clone(),
                states: None,
                compares: false,
                is_whole: false,
                is_idle: false,
            });
        }
        let root = resolve(request)?.0.root;
        let states = match &options.since {
            Some(since) => {
                let asked = ComparisonRequest { option: "--since", reference: since.clone() };
                Some(States::since(&root, &asked)?)
            }
            None if options.staged => Some(States::staged(&root)?),
            None => None,
        };
        let mut plan =
            Plan { request: request.clone(), states, compares: false, is_whole: false, is_idle: false };
        let Some(states) = &plan.states else { return Ok(plan) };
        plan.request.disk = states.present.clone();
        plan.compares = true;
        if options.staged && !request.paths.iter().any(|path| path.is_dir()) {
            // A hook names the files of the commit, and what they change shows elsewhere too. Where it names others as
            // well, somebody wants to know what is wrong in them.
            let changed = states.changed();
            let is_changed = |path: &PathBuf| changed.binary_search(&absolute(path).as_path()).is_ok();
            plan.is_whole = request.paths.iter().all(is_changed);
            plan.compares = plan.is_whole;
        }
        let is_idle = |path: &&Path| {
            let contents = [(&states.base, states.before(path)), (&states.present, *path)];
            contents.into_iter().all(|(disk, path)| match disk.read(path, MOST_BYTES) {
                Ok(content) => Sources::is_beside_the_point(&root, path, &content),
                Err(_) => !disk.has(path),
            })
        };
        plan.is_idle = options.staged
            && plan.compares
            && for_people
            && !arguments.show_files
            && !arguments.show_settings
            && states.lack_the_same()
            && states.changed().iter().all(is_idle);
        Ok(plan)
    }

    /// Refuses to write to files that differ on disk from those that are checked.
    pub fn can_write(&self, arguments: &Arguments) -> anyhow::Result<()> {
        let Some(states) = &self.states else { return Ok(()) };
        let option = match arguments.add_ignore {
            Some(_) => "--add-ignore",
            None if arguments.fixes.are_wanted() => "--fix",
            None => return Ok(()),
        };
        let other = states.present.differing().filter(|(_, instead)| instead.is_some()).map(|(path, _)| path);
        let Some(file) = other.min() else { return Ok(()) };
        let folder = std::env::current_dir().unwrap_or_default();
        bail!(
            "{option} writes to the files on disk, and {} differs there from what is staged; stage it or put it aside",
            file.strip_prefix(&folder).unwrap_or(file).display()
        )
    }
}

/// A comparison with an earlier state.
pub struct Compared<'a> {
    arguments: &'a Arguments,
    request: &'a Request,
    /// The paths that are reported on.
    paths: Vec<PathBuf>,
    /// Whether the files of the commit are named, and so those that are not are somebody else's.
    names_files: bool,
    states: States,
    /// The files as they lie on disk.
    plain: Sources,
    checks: Checks,
    base: OnceCell<Found>,
    fixed: Cell<usize>,
}

impl<'a> Compared<'a> {
    pub fn new(
        arguments: &'a Arguments,
        request: &'a Request,
        paths: Vec<PathBuf>,
        states: States,
        plain: Sources,
        cache: Option<Cache>,
    ) -> Compared<'a> {
        let (checks, base, fixed) = (Checks::with(cache), OnceCell::new(), Cell::default());
        let names_files = arguments.known.staged && !request.paths.iter().any(|path| path.is_dir());
        Compared { arguments, request, paths, names_files, states, plain, checks, base, fixed }
    }

    /// How many findings of the earlier state are gone.
    pub fn fixed(&self) -> usize {
        self.fixed.get()
    }

    /// The files in the state that is checked.
    pub fn present(&self) -> Sources {
        let mut sources = self.plain.in_state(&self.states.present, &|path| self.is_named(path));
        if self.names_files {
            // pre-commit hands them to another process, or the user left them out there.
            let named: FxHashSet<PathBuf> = self.request.paths.iter().map(|path| absolute(path)).collect();
            let changed = self.states.changed();
            for source in &mut sources.files {
                let Some(path) = &source.path else { continue };
                let is_changed = changed.binary_search(&path.as_path()).is_ok();
                source.reported &= !is_changed || named.contains(path) || !is_typed(path);
            }
        }
        sources
    }

    /// Checks the present state. What is the same in the base is known from there.
    pub fn check(
        &self,
        sources: &Sources,
        settings: &Settings,
        rules: &Loaded,
    ) -> Result<Outcome, UnknownSelector> {
        self.base.get_or_init(|| self.base_judged_by(settings, rules));
        self.checks.check(sources, settings, rules)
    }

    /// What the base holds, by its own policy where that can be used.
    fn base_judged_by(&self, settings: &Settings, rules: &Loaded) -> Found {
        if let Some(found) = self.found_in(&self.states.base) {
            return found;
        }
        say(
            "note: the policy of the state that this one is compared with cannot be used, so this one's holds for both",
        );
        let sources = self.sources_in(&self.states.base);
        let findings = self.checks.check(&sources, settings, rules).map(|outcome| outcome.findings);
        Found { sources, findings: findings.unwrap_or_default() }
    }

    /// Marks what is old, and says of what is new which change brought it.
    pub fn settle(&self, findings: &mut [Finding], sources: &Sources) {
        let Some(base) = self.base.get() else { return };
        let limits = Limits { fail_on: self.arguments.fail_on, shown: self.arguments.min_severity };
        self.fixed.set(mark_old(base, findings, sources, &self.states, limits));
        let check = &|disk: &Disk| self.found_in(disk);
        find_causes(findings, limits, Causes { base, sources, states: &self.states, check });
        if self.arguments.known.staged {
            let changed = self.states.changed();
            for finding in findings.iter_mut().filter(|finding| finding.fix.is_some()) {
                let path = sources.file(finding.place.file).path.as_deref();
                if path.is_none_or(|path| changed.binary_search(&path).is_err()) {
                    finding.fix = None;
                    finding.unfixed = Some("the file is no part of the commit".to_owned());
                }
            }
        }
    }

    /// What is found in a state, by its own policy and baseline; `None` where it cannot be checked.
    fn found_in(&self, disk: &Disk) -> Option<Found> {
        let request = Request { disk: disk.clone(), ..self.request.clone() };
        let (mut settings, _) = resolve(&request).ok()?;
        settings.min_severity = Some(self.arguments.min_severity);
        // A policy that came or went moves no file.
        settings.root.clone_from(&self.plain.root);
        let mut sources = self.sources_in(disk);
        settings.find_others(&sources).ok()?;
        let rules = Loaded::of(&settings).ok()?;
        let excluded = settings.excluded(self.arguments.force_exclude);
        for source in &mut sources.files {
            let path = source.path.as_deref();
            source.reported &= !path.is_some_and(|path| excluded.names(&settings.root, path));
        }
        settings.leave_out(&mut sources, &self.paths, self.arguments.force_exclude);
        let mut outcome = self.checks.check(&sources, &settings, &rules).ok()?;
        if let Ok(Some(known)) = Baselines::of(&self.arguments.known, &settings) {
            known.mark(&mut outcome, (&sources, &settings), &self.paths);
        }
        Some(Found { sources, findings: outcome.findings })
    }

    /// The files of an earlier state. Of those that moved the report is about what they were, too.
    fn sources_in(&self, disk: &Disk) -> Sources {
        self.plain.in_state(disk, &|path| self.is_named(path) || self.states.moved_from(path))
    }

    /// Whether the user named a file or a folder around it.
    fn is_named(&self, path: &Path) -> bool {
        self.paths.iter().any(|named| path.starts_with(absolute(named)))
    }
}

/// Whether pre-commit has a type for such a file, so that our hooks are handed it (`.pre-commit-hooks.yaml`).
fn is_typed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_untyped = matches!(
        ending,
        "slurm" | "sbatch" | "ksh" | "dockerfile" | "containerfile" | "mak" | "jsonc" | "in"
    ) || matches!(ending, "service" | "just" | "cron" | "crontab" | "conf")
        || matches!(name.as_str(), "justfile" | ".justfile" | "procfile" | "crontab");
    !is_untyped && name != ".env" && !name.starts_with(".env.")
}
