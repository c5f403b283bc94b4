//! Everything a run needs to know beside the files: what the policy says and what the user typed,
//! resolved into one value.

mod others;

pub use others::{GoverningPolicy, Others};

use crate::disk::{Bounds, Disk, Refused, absolute, refused};
use crate::findings::Severity;
use crate::policy::{self, Mode, Policy, PolicyError};
use crate::sources::{FilePattern, FileSelection, PROJECT_FILES};
use others::Reading;
use std::path::{Path, PathBuf};

/// What holds for one run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The folder that paths in reports are relative to; absolute.
    pub root: PathBuf,
    /// The policy that governs the folder of the named paths, with the overrides of the command line; the default one when
    /// there is none.
    pub policy: Policy,
    /// The file that the policy came from. `None`: there is no policy.
    pub policy_file: Option<PathBuf>,
    /// The files of the machine and the user that say something below it.
    pub machine_files: Vec<PathBuf>,
    /// Where the values come from, when not one file says all.
    pub origins: Vec<policy::Origin>,
    /// Each file that may say something of it, whether it is there or not.
    pub policy_files: Vec<PathBuf>,
    /// The folder that globs and files in the policy count from, where that is not the root.
    pub folder: Option<PathBuf>,
    /// The policies of other folders, once they were looked for.
    pub others: Others,
    /// The state of the files of the project.
    pub disk: Disk,
    /// `--mode`
    pub mode: Option<Mode>,
    /// `--select`; when empty, what the policy says holds.
    pub select: Vec<String>,
    /// `--ignore`, likewise.
    pub ignore: Vec<String>,
    /// `--exclude`, as seen from the root.
    pub exclude: Vec<FilePattern>,
    /// The process ends after the run. What the run built is then left to the system, which frees it all
    /// at once.
    pub process_ends: bool,
    /// Milder findings are not shown, so nobody looks for their fixes.
    pub min_severity: Option<Severity>,
}

/// What the user typed, as far as it decides the settings.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The paths to check; none stands for the current directory.
    pub paths: Vec<PathBuf>,
    /// Stands for the current directory, and is a project: an editor opened it as one.
    pub folder: Option<PathBuf>,
    /// Each `--config`, a file or KEY=VALUE.
    pub config: Vec<String>,
    /// In which state policies are looked for.
    pub disk: Disk,
    /// No policy is looked for.
    pub isolated: bool,
    pub mode: Option<Mode>,
    pub select: Vec<String>,
    /// Selectors beside those of `select` or, where that is empty, of the policy.
    pub extend_select: Vec<String>,
    pub ignore: Vec<String>,
    /// Globs beside those under `exclude` of the policy, as seen from the current directory.
    pub exclude: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error("--config names two policy files, {0} and {1}; name one")]
    TwoPolicies(String, String),
    #[error("--exclude: `{0}` is no glob over files of the project, such as `legacy` or `tools/*.py`")]
    NoGlob(String),
    #[error("the current directory cannot be read ({0})")]
    CurrentDirectory(std::io::Error),
}

/// A folder with one of these, or of [`PROJECT_FILES`], is a project, also where no policy and no git work tree says so.
const ENVIRONMENT_FILES: &[&str] = &["environment.yaml", "environment.yml"];

/// The settings of a run, and how much of the project it reads.
///
/// The policy is the nearest upwards from the folder that all checked paths share, so the order in which paths are named does
/// not matter. Those of other folders are found with the files ([`Settings::find_others`]).
pub fn resolve(request: &Request) -> Result<(Settings, FileSelection), SettingsError> {
    let cwd = match &request.folder {
        Some(folder) => folder.clone(),
        None => std::env::current_dir().map_err(SettingsError::CurrentDirectory)?,
    };
    let start = common_folder(&request.paths).unwrap_or_else(|| cwd.clone());
    let (overrides, files): (Vec<String>, Vec<String>) =
        request.config.iter().cloned().partition(|argument| policy::is_override(argument));
    if let [first, second, ..] = files.as_slice() {
        return Err(SettingsError::TwoPolicies(first.clone(), second.clone()));
    }
    // What the command line names is looked at first: its fault is told before one of the project's own policy.
    let named = match files.first() {
        Some(shown) => {
            let file = absolute(Path::new(shown));
            let disk = request.disk.within(Bounds::of(&start).and([&file]));
            Some((file, policy::load(&disk, Path::new(shown))?))
        }
        None => None,
    };
    let mut found = match request.isolated {
        true => policy::PolicySearch::default(),
        false => policy::upwards(&request.disk, &start)?,
    };
    if let (Some((named, _)), Some(outermost)) = (&named, &found.outermost)
        && !named.starts_with(outermost)
    {
        // A policy from outside replaces the project's own, its say about the root included.
        found = policy::PolicySearch::default();
    }
    let root = policy::project_root(found.outermost.as_deref(), &start, &cwd);
    let found = found.nearest;
    // What is named on the command line holds for all files.
    let is_only = named.is_some() || request.isolated;
    let folder = found.as_ref().filter(|_| !is_only).and_then(|(file, _)| file.parent());
    let folder = folder.filter(|folder| *folder != root).map(Path::to_owned);
    let in_work_tree = start.starts_with(&root) && root.join(".git").exists();
    let in_folder = request.folder.is_some() && start.starts_with(&root);
    let mut telling = PROJECT_FILES.iter().chain(ENVIRONMENT_FILES);
    let holds_project =
        start.starts_with(&root) && telling.any(|name| request.disk.is_file(&root.join(name)));
    let is_project = found.is_some() || in_work_tree || in_folder || holds_project;
    let extent = if is_project { FileSelection::Project } else { FileSelection::NamedPaths };
    let mut bounds = Bounds::of(&root).and(&request.paths);
    if let Some((file, policy)) = &named {
        bounds = bounds.and([file]);
        // One that lies elsewhere is not the project's, so the project does not say where it leads.
        if Bounds::of(&root).real(file).is_err() {
            bounds = bounds.and(files_of(policy, &root));
        }
    }
    let typed = policy::apply_overrides(Policy::default(), &overrides)?;
    bounds = bounds.and(files_of(&typed, folder.as_deref().unwrap_or(&root)));
    // A policy may lean on what lies above it in the repository, and one that the user names on what lies beside it.
    let beside = named.as_ref().and_then(|(file, _)| file.parent());
    let extendable = bounds.and(policy::work_tree(&root)).and(beside);
    let (policy_file, policy) = named.or(found).unzip();
    // In a workflow only what lies in the repository counts, so that it ends the same everywhere.
    let without_machine_files =
        request.isolated || std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    let machine_places = if without_machine_files { Vec::new() } else { policy::machine_places() };
    let exclude = request.exclude.iter().map(|glob| {
        let pattern = FilePattern::typed(glob, &root, &cwd);
        pattern.ok_or_else(|| SettingsError::NoGlob(glob.clone()))
    });
    let exclude = exclude.collect::<Result<Vec<_>, _>>()?;
    let mut select = request.select.clone();
    let in_policy = select.is_empty();
    if !in_policy {
        select.extend(request.extend_select.iter().cloned());
    }
    let reading = Reading {
        disk: request.disk.within(extendable),
        machine_files: machine_places.iter().filter(|file| file.is_file()).cloned().collect(),
        overrides,
        extend_select: if in_policy { request.extend_select.clone() } else { Vec::new() },
    };
    let policy::LayeredPolicy { policy, machine_files, origins, files } =
        reading.read(policy_file.as_deref(), policy)?;
    let mut settings = Settings {
        root,
        policy,
        policy_file,
        machine_files,
        origins,
        policy_files: files.into_iter().chain(machine_places).collect(),
        folder,
        others: Others::default(),
        disk: request.disk.within(bounds),
        mode: request.mode,
        select,
        ignore: request.ignore.clone(),
        exclude,
        process_ends: false,
        min_severity: None,
    };
    if !is_only {
        settings.others.reading = Some(reading);
    }
    settings.governing().try_for_each(|governing| settings.refuse_template(&governing))?;
    Ok((settings, extent))
}

/// The files and folders that a policy names.
fn files_of(policy: &Policy, root: &Path) -> Vec<PathBuf> {
    let files = policy.scripts.template.iter().chain(&policy.baseline).chain(&policy.rules.paths);
    files.map(|file| root.join(file)).collect()
}

/// The deepest path that all of `paths` lie below; one path is its own. `None` when there are none.
fn common_folder(paths: &[PathBuf]) -> Option<PathBuf> {
    let mut paths = paths.iter().map(|path| absolute(path));
    let first = paths.next()?;
    Some(paths.fold(first, |common, path| {
        let shared = common.components().zip(path.components()).take_while(|(a, b)| a == b);
        shared.map(|(part, _)| part).collect()
    }))
}

impl Settings {
    /// The folder that globs and files in the policy count from; absolute.
    pub fn base(&self) -> &Path {
        self.folder.as_deref().unwrap_or(&self.root)
    }

    /// A template that is no file of the project, or is missing: the fixes that need it would be missing without a word.
    fn refuse_template(&self, governing: &GoverningPolicy<'_>) -> Result<(), PolicyError> {
        let Some(template) = &governing.policy.scripts.template else { return Ok(()) };
        let file = governing.folder.join(template);
        let opened = self.disk.bounds().open(&file);
        let what = match opened.err().as_ref().and_then(refused) {
            _ if self.disk.instead(&file).is_some() => return Ok(()),
            None if self.disk.has(&file) => return Ok(()),
            None => "does not exist; write it, or take the key out",
            Some(Refused::Outside) => {
                "leads outside of the project; put it there, or name it with `--config scripts.template=FILE`"
            }
            Some(Refused::NotRegular) => "is no regular file; put one there",
        };
        let message = format!("the template {} under `scripts.template` {what}", template.display());
        Err(self.fault("scripts.template", &template.to_string_lossy(), message))
    }

    /// A fault in what a policy says under a key, or below it, with `word`: in the file that says it, or typed.
    pub fn fault(&self, key: &str, word: &str, message: impl AsRef<str>) -> PolicyError {
        match self.place_of(key, word) {
            Some((file, line)) => PolicyError::in_file(file, line, message),
            None => PolicyError::typed(message),
        }
    }

    /// The file that says `word` under a key or below it, and the line. `None` where there is no policy.
    pub fn place_of(&self, key: &str, word: &str) -> Option<(&Path, Option<u32>)> {
        let is_there = |origin: &&policy::Origin| {
            let below = origin.key.strip_prefix(key);
            below.is_some_and(|below| below.is_empty() || below.starts_with('.'))
        };
        let files = self.governing().flat_map(|governing| {
            let saying = governing.origins.iter().filter(is_there).map(|origin| origin.file.as_path());
            saying.chain(governing.file)
        });
        let files: Vec<&Path> = files.collect();
        // They were read before, some of them from outside of the project.
        let disk = self.disk.within(self.disk.bounds().and(&files));
        let lines = files.iter().map(|file| (*file, policy::line_naming(&disk, file, word)));
        let unseen = self.policy_file.as_deref().or(files.last().copied()).map(|file| (file, None));
        lines.into_iter().find(|(_, line)| line.is_some()).or(unseen)
    }
}
