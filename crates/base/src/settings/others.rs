//! The policies of the project beside the one that the named paths share: each governs the folder that it lies in, as far
//! as none further down does.

use super::Settings;
use crate::disk::{self, Bounds, Disk};
use crate::policy::{self, LayeredPolicy, Mode, Origin, Policy, PolicyError};
use crate::sources::{Excluded, Source, Sources};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// The folders that other policies govern.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// How their files are read; `None` where one policy holds for all files.
    pub(super) reading: Option<Reading>,
    each: Vec<Other>,
    /// By folder: the number of the policy that lies in it.
    folders: FxHashMap<PathBuf, usize>,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Other {
    folder: PathBuf,
    policy: Policy,
    file: Option<PathBuf>,
    machine_files: Vec<PathBuf>,
    origins: Vec<Origin>,
    /// Each file that was read for it.
    files: Vec<PathBuf>,
}

/// What a policy is read with, beside its file.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// With what a policy may lean on.
    pub disk: Disk,
    pub machine_files: Vec<PathBuf>,
    /// Each KEY=VALUE of the command line.
    pub overrides: Vec<String>,
    /// Selectors that are put to those of the policy.
    pub extend_select: Vec<String>,
}

/// A policy, and where it holds.
#[derive(Clone, Copy, Debug)]
pub struct GoverningPolicy<'s> {
    pub policy: &'s Policy,
    /// What its globs and files count from; absolute.
    pub folder: &'s Path,
    /// `None`: nothing was written down.
    pub file: Option<&'s Path>,
    pub machine_files: &'s [PathBuf],
    pub origins: &'s [Origin],
}

impl Reading {
    /// The policy that a file, and what lies below it, come to under the command line.
    pub(super) fn read(
        &self,
        file: Option<&Path>,
        own: Option<Policy>,
    ) -> Result<LayeredPolicy, PolicyError> {
        let extends = own.as_ref().is_some_and(|policy| !policy.extends.is_empty());
        let layered = match extends || !self.machine_files.is_empty() {
            true => policy::layered(&self.disk, file, &self.machine_files)?,
            false => {
                let files = file.map(Path::to_owned).into_iter().collect();
                LayeredPolicy { policy: own.unwrap_or_default(), files, ..LayeredPolicy::default() }
            }
        };
        let mut policy = policy::apply_overrides(layered.policy, &self.overrides)?;
        policy.rules.select.extend(self.extend_select.iter().cloned());
        Ok(LayeredPolicy { policy, ..layered })
    }
}

impl Settings {
    /// Looks for the policies that lie between the root and the files.
    ///
    /// # Errors
    /// When one of them cannot be used.
    pub fn find_others(&mut self, sources: &Sources) -> Result<(), PolicyError> {
        self.find_others_above(sources.files.iter().filter_map(|source| source.path.as_deref()))
    }

    /// The same, for files that were not read.
    ///
    /// # Errors
    /// When one of the policies cannot be used.
    pub fn find_others_above<'p>(
        &mut self,
        paths: impl Iterator<Item = &'p Path>,
    ) -> Result<(), PolicyError> {
        let Some(reading) = self.others.reading.clone() else { return Ok(()) };
        let mut folders: FxHashSet<&Path> = FxHashSet::default();
        for path in paths {
            let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.root));
            // Those above a known one are known.
            for folder in above {
                if !folders.insert(folder) {
                    break;
                }
            }
        }
        let mut folders: Vec<&Path> = folders.into_iter().collect();
        folders.sort();
        let disk = self.disk.within(Bounds::of(&self.root));
        let own = self.policy_file.as_deref().and_then(Path::parent);
        let mut others = Others { reading: Some(reading.clone()), ..Others::default() };
        for folder in folders {
            if own == Some(folder) {
                others.folders.insert(folder.to_owned(), 0);
            } else if let Some((file, policy)) = policy::policy_in(&disk, folder)? {
                others.add(&reading, folder, Some((file, policy)))?;
            } else if folder == self.root && own.is_some() {
                // What lies beside the folder of the policy has none.
                others.add(&reading, folder, None)?;
            }
        }
        self.others = others;
        self.governing().try_for_each(|governing| self.refuse_template(&governing))
    }

    /// The policies that hold somewhere: first the one that the named paths share, and others where they were looked for.
    pub fn governing(&self) -> impl Iterator<Item = GoverningPolicy<'_>> {
        let own = GoverningPolicy {
            policy: &self.policy,
            folder: self.base(),
            file: self.policy_file.as_deref(),
            machine_files: &self.machine_files,
            origins: &self.origins,
        };
        std::iter::once(own).chain(self.others.each.iter().map(Other::governing))
    }

    /// The number of the policy that governs a file, among those of [`Settings::governing`].
    pub fn number_of(&self, source: &Source) -> usize {
        if self.others.folders.is_empty() {
            return 0;
        }
        let above = source.path.as_deref().into_iter().flat_map(Path::ancestors).skip(1);
        let mut numbers = above.filter_map(|folder| self.others.folders.get(folder));
        numbers.next().copied().unwrap_or_default()
    }

    /// The policy that governs a file.
    pub fn governing_of(&self, source: &Source) -> GoverningPolicy<'_> {
        let number = self.number_of(source);
        self.governing().nth(number).expect("the number is that of a policy")
    }

    /// Whether more than one policy holds.
    pub fn has_others(&self) -> bool {
        !self.others.each.is_empty()
    }

    /// Whether other policies bring rules of their own.
    pub fn others_have_rules(&self) -> bool {
        self.others.each.iter().any(|other| !other.policy.rules.paths.is_empty())
    }

    /// Whether any team, user or machine wrote something down for these files, or the command line says which GPU is right.
    pub fn has_policy(&self) -> bool {
        let says = |one: GoverningPolicy<'_>| {
            one.file.is_some() || !one.machine_files.is_empty() || one.policy.gpu.is_some()
        };
        self.governing().any(says)
    }

    /// Each file that may say something of a policy, whether it is there or not: when one changes, so may the findings.
    pub fn all_policy_files(&self) -> impl Iterator<Item = &Path> {
        let others = self.others.each.iter().flat_map(|other| &other.files);
        self.policy_files.iter().chain(others).map(PathBuf::as_path)
    }

    /// The baselines that policies name, each once.
    pub fn baselines(&self) -> Vec<PathBuf> {
        let named = self.governing().filter_map(|one| Some(one.folder.join(one.policy.baseline.as_ref()?)));
        let mut files: Vec<PathBuf> = Vec::new();
        for file in named {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }

    /// Whether a baseline is named for every file.
    pub fn root_has_baseline(&self) -> bool {
        let everywhere = |one: &GoverningPolicy<'_>| !self.has_others() || one.folder == self.root;
        self.governing().any(|one| one.policy.baseline.is_some() && everywhere(&one))
    }

    /// Which of [`Settings::baselines`] is that of a file: the one that is named the furthest down.
    pub fn baseline_of(&self, source: &Source) -> Option<usize> {
        let path = source.path.as_deref();
        let is_above = |one: &GoverningPolicy<'_>| {
            !self.has_others() || path.is_some_and(|path| path.starts_with(one.folder))
        };
        let naming = self.governing().filter(|one| one.policy.baseline.is_some()).filter(is_above);
        let nearest = naming.max_by_key(|one| one.folder.components().count())?;
        let file = nearest.folder.join(nearest.policy.baseline.as_ref()?);
        self.baselines().iter().position(|known| *known == file)
    }

    /// What decides what the other policies say, for who asks whether two checks are the same.
    pub fn others_in_words(&self) -> String {
        format!("{:?}", self.others.each)
    }

    /// What a walk through the project leaves out of the reports.
    pub fn excluded(&self, even_named: bool) -> Excluded {
        let by_policy = Excluded::new(&self.policy.exclude, even_named).seen_from(self.base());
        by_policy.and_typed(&self.exclude)
    }

    /// Leaves out of the reports what other policies exclude. `named` are the paths that the user named.
    pub fn leave_out(&self, sources: &mut Sources, named: &[PathBuf], even_named: bool) {
        let named: Vec<PathBuf> = named.iter().map(|path| disk::absolute(path)).collect();
        for other in self.others.each.iter().filter(|other| !other.policy.exclude.is_empty()) {
            let excluded = Excluded::new(&other.policy.exclude, even_named).seen_from(&other.folder);
            for source in &mut sources.files {
                let Some(path) = &source.path else { continue };
                let is_named = !even_named && named.contains(path);
                source.reported &= is_named || !excluded.names(&self.root, path);
            }
        }
    }
}

impl Others {
    fn add(
        &mut self,
        reading: &Reading,
        folder: &Path,
        found: Option<(PathBuf, Policy)>,
    ) -> Result<(), PolicyError> {
        let (file, own) = found.unzip();
        let LayeredPolicy { policy, machine_files, origins, files } = reading.read(file.as_deref(), own)?;
        self.each.push(Other { folder: folder.to_owned(), policy, file, machine_files, origins, files });
        self.folders.insert(folder.to_owned(), self.each.len());
        Ok(())
    }
}

impl Other {
    fn governing(&self) -> GoverningPolicy<'_> {
        GoverningPolicy {
            policy: &self.policy,
            folder: &self.folder,
            file: self.file.as_deref(),
            machine_files: &self.machine_files,
            origins: &self.origins,
        }
    }
}

impl GoverningPolicy<'_> {
    /// The section in force for the CPU part: the policy's, or that of `--mode cpu`.
    pub fn cpu_section(&self, mode: Option<Mode>) -> Option<policy::Cpu> {
        match (mode, &self.policy.cpu) {
            (Some(Mode::Gpu), _) => None,
            (_, Some(cpu)) => Some(cpu.clone()),
            (Some(Mode::Cpu), None) => Some(policy::Cpu::default_for_mode()),
            (None, None) => None,
        }
    }

    /// Its file, as reports name files; nothing where no file of the project says anything.
    pub fn name(&self, root: &Path) -> Option<String> {
        let below = self.file?.strip_prefix(root).ok()?;
        let parts = below.components().map(|part| part.as_os_str().to_string_lossy());
        Some(parts.collect::<Vec<_>>().join("/"))
    }

    /// What the names of files in its folder begin with, as reports show them: `app/`, or nothing.
    pub fn prefix(&self, root: &Path) -> String {
        let below = self.folder.strip_prefix(root).unwrap_or(Path::new(""));
        below.components().map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect()
    }
}
