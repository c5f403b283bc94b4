//! The labelled projects of the tests, each with what is found in it and what fixes make of it.

use crate::findings::Severity;
use crate::fix_loop::{FixSelection, FixedProject, apply_until_stable};
use crate::policy::Policy;
use crate::rules::RuleSet;
use crate::settings::{Request, Settings, resolve};
use crate::sources::{Excluded, FileSelection, Source, Sources};
use crate::{Outcome, check};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// A project as it is checked.
pub(super) struct Project {
    /// Its folder in the repository.
    pub name: String,
    pub settings: Settings,
    pub sources: Sources,
    pub outcome: Outcome,
}

/// What is said of each project.
pub(super) fn each(said: impl Fn(&Project) -> Vec<String> + Sync) -> Vec<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut all = folders(&tests.join("projects"));
    // Its folders are the projects.
    all.retain(|folder| !folder.ends_with("single"));
    all.extend(folders(&tests.join("projects/single")));
    all.extend(folders(&tests.join("fixed")).into_iter().map(|folder| folder.join("before")));
    assert!(all.len() > 100);
    all.par_iter().flat_map_iter(|folder| said(&Project::in_folder(folder))).collect()
}

impl Project {
    fn in_folder(folder: &Path) -> Project {
        let request = Request { paths: vec![folder.to_owned()], ..Request::default() };
        let (settings, extent) = resolve(&request).expect("a policy that can be read");
        Project::of(folder, settings, extent)
    }

    /// A project under this policy, whatever its own is.
    pub(super) fn under(folder: &Path, policy: Policy) -> Project {
        let request = Request { paths: vec![folder.to_owned()], isolated: true, ..Request::default() };
        let (settings, _) = resolve(&request).expect("no policy is read");
        let policy_file = policy.gpu.is_some().then(|| folder.join("gpulint.yaml"));
        Project::of(folder, Settings { policy, policy_file, ..settings }, FileSelection::Project)
    }

    fn of(folder: &Path, mut settings: Settings, extent: FileSelection) -> Project {
        settings.root = folder.to_owned();
        let request = Request { paths: vec![folder.to_owned()], ..Request::default() };
        let excluded = Excluded::new(&settings.policy.exclude, false);
        let sources =
            Sources::collect_except(&settings.root, &request.paths, extent, &excluded).expect("it is there");
        let outcome = check(&sources, &settings, RuleSet::embedded()).expect("known rules");
        let name = folder.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(folder);
        Project { name: name.display().to_string(), settings, sources, outcome }
    }

    /// The project with its fixes.
    pub(super) fn settled(&self, risky: bool, least: Severity) -> FixedProject {
        let wanted = FixSelection { risky, least, fixable: None };
        let with = (&self.settings, RuleSet::embedded());
        apply_until_stable(&self.sources, &self.outcome, wanted, with, &Source::content_on_disk)
            .expect("known rules")
    }
}

fn folders(below: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(below).expect("the folder is there").flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
