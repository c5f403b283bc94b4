//! Programs that other programs start: which file a command line leads to, and the environment that it finds
//! there.

use super::interpreter::Interpreter;
use super::launcher_arguments::LauncherArgument;
use super::state::{Definition, MASK, ORDER, State};
use super::trace::Trace;
use super::{Program, Start};
use crate::code::{Expr, ExprKind, Host};
use crate::facts::{FileId, Place};
pub(super) use crate::sources::normalised;
use crate::sources::{Language, file_name_of, folder_of};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

/// So many files are started by one command with a star.
const MOST_FILES: usize = 64;

/// A program of the project that a launcher starts.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub struct Launch {
    pub file: FileId,
    pub start: Start,
    /// What the launcher made of the environment.
    pub environment: Vec<Variable>,
    /// What it tells the program behind its name, as far as that may choose a GPU.
    pub arguments: Vec<LauncherArgument>,
    /// The command that starts it.
    pub site: Place,
    pub host: Host,
}

impl Launch {
    /// Where it is started, and where its environment was made.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let inherited = self.environment.iter().flat_map(|(_, inherited)| inherited);
        let told = self.arguments.iter().filter_map(LauncherArgument::place);
        let made = inherited.flat_map(|inherited| match inherited {
            Inherited::Removed { place, statement } | Inherited::Set { place, statement, .. } => {
                [Some(*place), Some(*statement)]
            }
            Inherited::Unset | Inherited::Elsewhere | Inherited::Given(_) => [None, None],
        });
        [self.site].into_iter().chain(made.flatten()).chain(told)
    }
}

/// A variable with what it may hold.
pub type Variable = (Arc<str>, Vec<Inherited>);

/// How a variable may come to its value before a program starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Inherited {
    Unset,
    /// Set and removed again by a launcher.
    Removed {
        place: Place,
        statement: Place,
    },
    /// Set by something that is not followed.
    Elsewhere,
    /// Set by something that has no place in the project: an import, or who starts the launcher.
    Given(Arc<str>),
    /// Set by a launcher; `None` when the value is not known.
    Set {
        place: Place,
        statement: Place,
        value: Option<Arc<str>>,
    },
}

impl Inherited {
    /// What a program finds, wherever it comes from.
    fn value(&self) -> Option<Option<&str>> {
        match self {
            Inherited::Unset | Inherited::Removed { .. } => None,
            Inherited::Elsewhere => Some(None),
            Inherited::Given(value) => Some(Some(value)),
            Inherited::Set { value, .. } => Some(value.as_deref()),
        }
    }
}

impl Launch {
    /// Whether a program finds the same values in both.
    pub fn same_environment(&self, other: &Launch) -> bool {
        let same = |((name, all), (other_name, others)): (&Variable, &Variable)| {
            name == other_name && all.iter().map(Inherited::value).eq(others.iter().map(Inherited::value))
        };
        let pairs = self.environment.iter().zip(&other.environment);
        let told = |launch: &Launch| {
            launch
                .arguments
                .iter()
                .map(LauncherArgument::text)
                .map(|text| text.map(str::to_owned))
                .collect::<Vec<_>>()
        };
        self.host == other.host
            && told(self) == told(other)
            && self.environment.len() == other.environment.len()
            && pairs.into_iter().all(same)
    }

    /// Whether nothing is known of a mask here, and no GPU either: a test run on a machine without one says
    /// nothing about the runs that matter.
    pub fn is_without_gpu(&self) -> bool {
        !self.host.may_have_gpu() && !self.sets_mask()
    }

    fn sets_mask(&self) -> bool {
        self.environment.iter().any(|(name, _)| &**name == MASK)
    }
}

/// The environment of a launcher as the programs that it starts find it.
pub(super) fn inherited(state: &State, trace: &Trace) -> Vec<Variable> {
    let mut environment: Vec<Variable> = Vec::new();
    for (name, reaching) in state.variables() {
        if !super::is_gpu_variable(name) && name != "LOCAL_RANK" {
            continue;
        }
        let from = |definition: &Definition| match definition {
            Definition::Unset => Inherited::Unset,
            Definition::Removed(event) => match trace.events.get(*event as usize) {
                Some(event) => Inherited::Removed { place: event.place, statement: event.statement },
                None => Inherited::Unset,
            },
            Definition::Set(event, value) => match trace.events.get(*event as usize) {
                Some(event) => {
                    Inherited::Set { place: event.place, statement: event.statement, value: value.clone() }
                }
                None => value.clone().map_or(Inherited::Elsewhere, Inherited::Given),
            },
            Definition::Elsewhere => Inherited::Elsewhere,
        };
        let all: Vec<Inherited> = reaching.iter().map(from).collect();
        if all.iter().any(|one| *one != Inherited::Unset) {
            environment.push((Arc::from(name), all));
        }
    }
    if state.open {
        for name in [MASK, ORDER] {
            if !environment.iter().any(|(known, _)| &**known == name) {
                environment.push((Arc::from(name), vec![Inherited::Elsewhere]));
            }
        }
    }
    environment.sort_by(|(one, _), (other, _)| one.cmp(other));
    environment
}

/// A start of a program, with the launch that leads to it.
pub(super) type Launched<'l> = (FileId, Start, Option<&'l Launch>);

/// Launches that differ in what the program finds, in the order of their launchers, and how many more of them each program has.
pub(super) fn distinct<'l>(
    launches: impl IntoIterator<Item = &'l Launch>,
) -> (Vec<&'l Launch>, BTreeMap<FileId, usize>) {
    /// More environments than this are not told apart for one program.
    const MOST: usize = 8;
    let mut distinct: Vec<&Launch> = Vec::new();
    let mut left_out: BTreeMap<FileId, usize> = BTreeMap::new();
    for launch in launches {
        let same_program = |known: &&&Launch| known.file == launch.file && known.start == launch.start;
        let mut known = distinct.iter().filter(same_program);
        // One that sets no mask matters more than any.
        let few = known.clone().count() < MOST || !launch.sets_mask();
        if known.any(|known| known.same_environment(launch)) {
            continue;
        }
        match few {
            true => distinct.push(launch),
            false => *left_out.entry(launch.file).or_default() += 1,
        }
    }
    (distinct, left_out)
}

/// `accelerate.notebook_launcher(train, num_processes=2)` starts its processes as copies of the notebook.
pub fn is_notebook_launcher(path: &str) -> bool {
    matches!(path, "accelerate.notebook_launcher" | "accelerate.launchers.notebook_launcher")
}

impl Program<'_> {
    /// The files that start programs, or describe how they are started, and have a say in what is reported.
    pub(super) fn launchers(&self) -> Vec<FileId> {
        let files = self.all_files();
        files.filter(|&file| self.facts_of(file).units > 0 && self.relevance.is_parsed(file)).collect()
    }

    /// Follows every script, job and service. Those that others of them run are followed there.
    pub(super) fn follow_launchers(&self) -> Vec<(Trace, Start)> {
        let all = |file: FileId| (0..self.facts_of(file).units).map(move |unit| (file, unit));
        let units: Vec<(FileId, usize)> = self.launchers().into_iter().flat_map(all).collect();
        let follow = |&(file, unit): &(FileId, usize)| {
            let start = Start::Unit(unit);
            (Interpreter::new(self, file, start).trace(), start)
        };
        let traces: Vec<(Trace, Start)> = units.par_iter().map(follow).collect();
        // A run on a machine without a GPU says nothing about those that matter.
        let needs_gpu =
            |file: FileId| self.code_in_pieces(file).units.iter().any(|unit| unit.host.may_have_gpu());
        // How an image is run is known also where it is given no GPU.
        let is_image = |trace: &Trace, file: FileId| {
            trace.host == Host::BareContainer && self.language_of(file) == Language::Dockerfile
        };
        let runs = |trace: &Trace, file: FileId| {
            trace.entry != Some(file)
                && trace.entered.contains(&file)
                && (trace.host.may_have_gpu() || !needs_gpu(file) || is_image(trace, file))
        };
        let is_run_elsewhere = |file: FileId| {
            let others = traces.iter().filter(|(trace, _)| runs(trace, file));
            others
                .filter_map(|(trace, _)| trace.entry)
                .any(|other| !traces.iter().any(|(trace, _)| trace.entry == Some(file) && runs(trace, other)))
        };
        // Targets of a Makefile are run one by one.
        let is_made = |file: FileId, unit: usize| {
            let others = traces.iter().map(|(trace, _)| trace);
            let mut others = others.filter(|trace| trace.entry != Some(file) && trace.host.may_have_gpu());
            others.any(|trace| trace.units.contains(&(file, unit)))
        };
        let kept: Vec<bool> = traces
            .iter()
            .map(|(trace, start)| {
                let made = match (trace.entry, start) {
                    (Some(file), Start::Unit(unit)) => is_made(file, *unit),
                    _ => false,
                };
                !made && !trace.entry.is_some_and(is_run_elsewhere)
            })
            .collect();
        let mut kept = kept.into_iter();
        traces.into_iter().filter(|_| kept.next() == Some(true)).collect()
    }

    /// Whether a file that is no launcher may start programs.
    pub(super) fn may_start_programs(&self, file: FileId) -> bool {
        self.facts_of(file).starts_programs || self.may_start_with_mask(file)
    }

    /// Whether a Python program may start another with a mask.
    fn may_start_with_mask(&self, file: FileId) -> bool {
        let starts = |word| self.holds_text(file, word);
        (starts("subprocess") || starts("runpy")) && starts(MASK)
    }

    /// Every program with each environment that launchers give it; without a launcher it has none.
    pub(super) fn starts<'l>(&self, launches: Vec<&'l Launch>) -> Vec<Launched<'l>> {
        let (bare, launches): (Vec<&Launch>, Vec<&Launch>) =
            launches.into_iter().partition(|launch| launch.is_without_gpu());
        let mut launches = launches;
        // Where nothing else starts a program, a container without a GPU is how it is run.
        let is_container = |launch: &&Launch| {
            launch.host == Host::BareContainer && !matches!(launch.start, Start::Snippet(_))
        };
        if bare.iter().any(is_container) && !self.gives_gpus_to_containers() {
            let known: Vec<FileId> = launches.iter().map(|launch| launch.file).collect();
            launches.extend(bare.into_iter().filter(is_container).filter(|one| !known.contains(&one.file)));
        }
        // Python that a file hands to an interpreter is not the file itself.
        let is_whole = |launch: &&&Launch| !matches!(launch.start, Start::Snippet(_));
        let is_launched = |file: FileId| launches.iter().filter(is_whole).any(|launch| launch.file == file);
        let may_use_gpu = |file: FileId| {
            self.options.follows_all
                || self.language_of(file) != Language::Python
                || self.imports.may_use_gpu(file)
        };
        let entries = self.entries().into_iter();
        let entries = entries.filter(|(file, _)| !is_launched(*file) && may_use_gpu(*file));
        let mut starts: Vec<Launched<'l>> = entries.map(|(file, start)| (file, start, None)).collect();
        starts.extend(launches.iter().map(|launch| (launch.file, launch.start, Some(*launch))));
        starts.sort_by_key(|(file, ..)| *file);
        starts
    }

    /// The file that a path leads to, seen from a folder of the project: the folder itself, that of the launcher,
    /// the project's, and those between them. Folders that a container gives the files are taken off.
    pub(super) fn launched_file(&self, launcher: FileId, folder: Option<&str>, path: &str) -> Option<FileId> {
        let path = path.replace('\\', "/");
        let own = self.folder_of(launcher);
        let mut folders: Vec<&str> = folder.into_iter().collect();
        folders.push(own);
        let mut above = own;
        while let Some((outer, _)) = above.rsplit_once('/') {
            folders.push(outer);
            above = outer;
        }
        folders.push("");
        let mut tail = path.trim_start_matches('/');
        loop {
            for folder in &folders {
                if let Some(name) = normalised(folder, tail)
                    && let Some(file) = self.imports.file_named(&name)
                {
                    return Some(file);
                }
            }
            // `/app/train.py` in a container, `$ROOT/scripts/train.py`.
            if !path.starts_with('/') {
                return None;
            }
            tail = tail.split_once('/')?.1;
        }
    }

    /// The files that a path leads to, which may have a star in the name: `notebooks/*.ipynb`.
    pub(super) fn launched_files(&self, launcher: FileId, folder: Option<&str>, path: &str) -> Vec<FileId> {
        let Some((start, end)) = path.split_once('*') else {
            return self.launched_file(launcher, folder, path).into_iter().collect();
        };
        let (within, start) = start.rsplit_once('/').unwrap_or(("", start));
        let folders = folder.into_iter().chain([self.folder_of(launcher), ""]);
        let mut found = Vec::new();
        for folder in folders {
            let Some(within) = normalised(folder, within) else { continue };
            let fits = |file: &FileId| {
                let (own, name) = (self.folder_of(*file), file_name_of(self.name_of(*file)));
                own == within
                    && name.len() >= start.len() + end.len()
                    && name.starts_with(start)
                    && name.ends_with(end)
            };
            found = self.all_files().filter(fits).take(MOST_FILES).collect();
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// The composite action in a folder, which a workflow names instead of the file.
    pub(super) fn action_in(&self, launcher: FileId, folder: &Expr<'_>) -> Option<FileId> {
        let ExprKind::Text(folder) = &folder.kind else { return None };
        let file = |name: &&str| self.launched_file(launcher, None, &format!("{folder}/{name}"));
        ["action.yml", "action.yaml"].iter().find_map(file)
    }

    /// The module that `python -m` names, as a file that runs: a package's `__main__`.
    pub(super) fn launched_module(
        &self,
        launcher: FileId,
        folder: Option<&str>,
        dotted: &str,
    ) -> Option<FileId> {
        let stem = dotted.replace('.', "/");
        let roots = ["", "src/", "lib/"];
        roots.iter().find_map(|root| {
            let file = |end: &str| self.launched_file(launcher, folder, &format!("{root}{stem}{end}"));
            file("/__main__.py").or_else(|| file(".py"))
        })
    }

    /// The test modules that pytest collects from these paths; all for none.
    pub(super) fn launched_tests(
        &self,
        launcher: FileId,
        folder: Option<&str>,
        paths: &[String],
    ) -> Vec<FileId> {
        let own = self.folder_of(launcher);
        let mut below: Vec<String> = Vec::new();
        for path in paths {
            let candidates = [folder.unwrap_or(""), own, ""];
            below.extend(candidates.iter().filter_map(|folder| normalised(folder, path)));
        }
        // Settings of test runners and makefiles hold where they lie; a shell may stand anywhere.
        let holds_here =
            matches!(self.language_of(launcher), Language::Ini | Language::Toml | Language::Makefile);
        let all = paths.is_empty() && !holds_here;
        if paths.is_empty() && holds_here {
            below.push(own.to_owned());
        }
        let collected = |name: &str| {
            all || below.iter().any(|path| {
                name.strip_prefix(path.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || path.is_empty())
            })
        };
        self.all_files()
            .filter(|&file| collected(self.name_of(file)) && self.start_of(file) == Some(Start::Tests))
            .collect()
    }

    fn folder_of(&self, file: FileId) -> &str {
        folder_of(self.name_of(file))
    }
}

/// Variables that launchers of several processes set.
pub(super) const OF_RANKS: [&str; 2] = ["RANK", "WORLD_SIZE"];

/// What `torchrun` sets for each process that it starts, with values that nobody knows before.
pub(super) fn add_ranks(environment: &mut Vec<Variable>, words: &[Option<&str>]) {
    const LAUNCHERS: &[&str] = &["torchrun", "torch.distributed.launch", "torch.distributed.run"];
    if !words.iter().flatten().any(|word| LAUNCHERS.contains(&crate::commands::program_name(word))) {
        return;
    }
    for name in OF_RANKS {
        if !environment.iter().any(|(known, _)| &**known == name) {
            environment.push((Arc::from(name), vec![Inherited::Elsewhere]));
        }
    }
    environment.sort_by(|(one, _), (other, _)| one.cmp(other));
}
