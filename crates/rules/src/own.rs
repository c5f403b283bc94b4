//! Rules of the project itself: files of the same form, in the folders that the policy names. They are data: a rule can
//! run nothing, and looks at each thing that a program does once.

use super::{Rule, RuleSet};
use crate::disk::{self, Disk};
use crate::policy::{self, PolicyError};
use crate::settings::Settings;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So many files are read; more is a mistake in the name of the folder.
const MAX_FILES: usize = 1_000;

/// The rules of a run.
pub enum Loaded {
    /// Those that the program was built with.
    Embedded(&'static RuleSet),
    /// And the project's own.
    WithOwn(Arc<RuleSet>),
}

impl Deref for Loaded {
    type Target = RuleSet;

    fn deref(&self) -> &RuleSet {
        match self {
            Loaded::Embedded(rules) => rules,
            Loaded::WithOwn(rules) => rules,
        }
    }
}

impl Loaded {
    /// The rules that hold for a run, with those of the folders under `rules.paths`.
    ///
    /// # Errors
    /// When a folder or a rule cannot be used.
    pub fn of(settings: &Settings) -> Result<Loaded, PolicyError> {
        // Policies may name the same folder.
        let mut folders: Vec<(&Path, PathBuf)> = Vec::new();
        for governing in settings.governing() {
            for folder in &governing.policy.rules.paths {
                let full = disk::absolute(&governing.folder.join(folder));
                if folders.iter().all(|(_, known)| *known != full) {
                    folders.push((folder, full));
                }
            }
        }
        if folders.is_empty() {
            return Ok(Loaded::Embedded(RuleSet::embedded()));
        }
        let mut own: Vec<(PathBuf, Rule)> = Vec::new();
        for (folder, full) in folders {
            let files =
                files_of(&settings.disk, &full).map_err(|reason| unusable(folder, &reason, settings))?;
            for file in files {
                let mut rule = read(&settings.disk, &file)?;
                rule.own_of = Some(full.clone());
                let twice = own.iter().find(|(_, known)| known.id == rule.id).map(|(path, _)| path.clone());
                if let Some(first) = twice {
                    let shown = first.strip_prefix(&settings.root).unwrap_or(&first).display().to_string();
                    return Err(refused(
                        &settings.disk,
                        &file,
                        "id",
                        format!("the id `{}` is that of {shown} too; choose another", rule.id),
                    ));
                }
                own.push((file, rule));
            }
        }
        let rules = RuleSet::built_in();
        for (file, rule) in &own {
            if rules.find(&rule.id).is_some() {
                let message = format!("`{}` is a rule of gpulint itself; choose another id", rule.id);
                return Err(refused(&settings.disk, file, "id", message));
            }
        }
        Ok(Loaded::WithOwn(Arc::new(rules.and(own.into_iter().map(|(_, rule)| rule)))))
    }
}

/// The rule files of a folder and of those right below it, by name; else what is wrong with it.
fn files_of(disk: &Disk, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = |folder: &Path| -> Result<Vec<PathBuf>, String> {
        let names = disk.names_in(folder).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "does not exist".to_owned(),
            std::io::ErrorKind::NotADirectory => "is a file; name the folder that it lies in".to_owned(),
            _ if disk::refused(&error).is_some() => {
                "leads outside of the project; put the rules there, or name it with `--config rules.paths=[FOLDER]`"
                    .to_owned()
            }
            _ => format!("cannot be read ({error})"),
        })?;
        let names = names.into_iter().filter(|name| !name.to_string_lossy().starts_with('.'));
        Ok(names.map(|name| folder.join(name)).collect())
    };
    let mut files = Vec::new();
    for path in entries(folder)? {
        let below = if disk.is_folder(&path) { entries(&path)? } else { vec![path] };
        let is_rule = |path: &PathBuf| {
            path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
                && (disk.is_file(path) || disk.is_special(path))
        };
        files.extend(below.into_iter().filter(is_rule));
    }
    match files.len() {
        0 => Err("holds no rule: a rule is a file that ends in .yaml".to_owned()),
        many if many > MAX_FILES => Err(format!("holds {many} files; {MAX_FILES} are read at most")),
        _ => Ok(files),
    }
}

fn unusable(folder: &Path, reason: &str, settings: &Settings) -> PolicyError {
    let message = format!("the folder {} under `rules.paths` {reason}", folder.display());
    settings.fault("rules.paths", &folder.to_string_lossy(), message)
}

fn read(disk: &Disk, file: &Path) -> Result<Rule, PolicyError> {
    let mut rule: Rule = policy::load_named(disk, file, "the rule")?;
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    rule.settle(&folder.to_string_lossy())
        .map_err(|fault| refused(disk, file, &fault.word, fault.message))?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    if stem != rule.id {
        let message =
            format!("the rule `{}` lies in a file of another name; call the file {}.yaml", rule.id, rule.id);
        return Err(refused(disk, file, "id", message));
    }
    Ok(rule)
}

/// `word` stands in the line that the message is about.
fn refused(disk: &Disk, file: &Path, word: &str, message: String) -> PolicyError {
    PolicyError::in_file(file, policy::line_naming(disk, file, word), message)
}
