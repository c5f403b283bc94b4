//! Which policy governs an open file, and what happens while that policy cannot be read: the last one that could stays
//! in force, and somebody is told.

use super::Options;
use crate::disk::absolute;
use crate::policy::PolicyError;
use crate::rules::{Loaded, PolicyRulings, UnknownSelector};
use crate::settings::{Request, Settings, SettingsError, resolve};
use crate::sources::{FileSelection, Sources};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What holds for the files of one project.
pub struct Project {
    pub settings: Settings,
    pub extent: FileSelection,
    pub rules: Loaded,
}

/// A policy that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trouble {
    /// The file that is wrong, where it is one.
    pub file: Option<PathBuf>,
    /// 1-based.
    pub line: Option<u32>,
    pub message: String,
}

/// The projects that were found so far, by the folders of the files that asked.
pub struct Projects {
    options: Arc<Options>,
    good: HashMap<PathBuf, Arc<Project>>,
}

impl Projects {
    pub fn new(options: Arc<Options>) -> Self {
        Projects { options, good: HashMap::new() }
    }

    /// The project of a file, or of what was never saved, and what is wrong with its policy. With something wrong it is
    /// the project as it was before, if there was one.
    pub fn of(
        &mut self,
        file: Option<&Path>,
        folders: &[PathBuf],
        disk_changed: bool,
    ) -> (Option<Arc<Project>>, Option<Trouble>) {
        let folder = match file {
            Some(file) => innermost(folders, file),
            None => folders.first(),
        };
        let start = file.map(Path::to_owned).or_else(|| folder.cloned());
        let key = file.and_then(Path::parent).map(Path::to_owned).or_else(|| folder.cloned());
        let key = key.unwrap_or_default();
        let before = self.good.get(&key).cloned();
        let known = before.as_ref().filter(|_| !disk_changed);
        match project(&self.options, start, folder.filter(|folder| is_bounded(folder)), known) {
            Ok(project) => {
                self.good.insert(key, Arc::clone(&project));
                (Some(project), None)
            }
            Err(trouble) => (before, Some(trouble)),
        }
    }
}

impl Project {
    /// Whether both are one project: their files are checked together.
    pub fn is_that_of(&self, other: &Project) -> bool {
        let of = |project: &Project| (project.settings.root.clone(), project.settings.policy_file.clone());
        of(self) == of(other) && self.extent == other.extent
    }
}

fn project(
    options: &Options,
    start: Option<PathBuf>,
    folder: Option<&PathBuf>,
    known: Option<&Arc<Project>>,
) -> Result<Arc<Project>, Trouble> {
    let request =
        Request { paths: start.into_iter().collect(), folder: folder.cloned(), ..options.request.clone() };
    let (settings, extent) = resolve(&request).map_err(|error| match error {
        SettingsError::Policy(error) => trouble_with(&error),
        other => Trouble { file: None, line: None, message: other.to_string() },
    })?;
    let own = &settings.policy.rules.paths;
    // Reading the project's own rules takes long, and they change rarely.
    let known = known.filter(|known| !own.is_empty() && *own == known.settings.policy.rules.paths);
    let rules = match known.map(|known| &known.rules) {
        Some(Loaded::WithOwn(rules)) => Loaded::WithOwn(Arc::clone(rules)),
        _ => Loaded::of(&settings).map_err(|error| trouble_with(&error))?,
    };
    if let Err(unknown) = PolicyRulings::of(&settings, &rules, &Sources::default()) {
        return Err(trouble_about(&unknown, &settings));
    }
    Ok(Arc::new(Project { settings, extent, rules }))
}

/// A selector of a policy that names no rule.
pub fn trouble_about(unknown: &UnknownSelector, settings: &Settings) -> Trouble {
    let (file, line) = settings.place_of("rules", &unknown.word).unzip();
    let file = file.map(Path::to_owned);
    Trouble { file, line: line.flatten(), message: unknown.to_string() }
}

pub fn trouble_with(error: &PolicyError) -> Trouble {
    let file = Some(absolute(Path::new(&error.place))).filter(|file| file.exists());
    let message = match &file {
        Some(_) => error.message.clone(),
        None => error.to_string(),
    };
    Trouble { file, line: error.line, message }
}

/// The innermost of the folders of the editor that a file lies in.
fn innermost<'f>(folders: &'f [PathBuf], file: &Path) -> Option<&'f PathBuf> {
    let around = folders.iter().filter(|folder| file.starts_with(folder));
    around.max_by_key(|folder| folder.components().count())
}

/// Whether a folder may be read as a whole because it was opened: not somebody's home, nor a whole disk.
fn is_bounded(folder: &Path) -> bool {
    folder.parent().is_some() && std::env::home_dir().is_none_or(|home| !home.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_folder_counts() {
        let folders = ["/a", "/a/b", "/c"].map(PathBuf::from);
        assert_eq!(innermost(&folders, Path::new("/a/b/x.py")), Some(&folders[1]));
        assert_eq!(innermost(&folders, Path::new("/a/bc/x.py")), Some(&folders[0]));
        assert_eq!(innermost(&folders, Path::new("/d.py")), None);
    }

    #[test]
    fn a_whole_disk_is_no_project() {
        assert!(!is_bounded(Path::new("/")));
        assert!(is_bounded(Path::new("/somewhere/project")));
    }
}
