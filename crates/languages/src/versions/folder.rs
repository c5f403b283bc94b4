//! What the files of one folder say of packages and their versions.

use super::Range;
use super::locks::{is_lock, versions_in};
use crate::code::{Included, Part, Requirement};
use crate::languages::{self, Choices};
use crate::sources::{Language, Source, Sources, folder_of, normalised};
use std::collections::BTreeSet;
use std::path::Path;

/// Files that `-r` leads to are followed so far.
const MOST_FILES: usize = 64;

/// The requirements of a folder, and its lock files.
#[derive(Default)]
pub struct Folder {
    requirements: Vec<Requirement>,
    /// Names of lock files, which are read when they are asked.
    locks: Vec<String>,
}

impl Folder {
    /// Reads what stands in a folder of the project, by its name there.
    pub fn read(name: &str, sources: &Sources) -> Folder {
        let mut folder = Folder::default();
        let reader = Reader { sources };
        let mut pending: Vec<(String, Option<Part>)> = Vec::new();
        for file in reader.files_in(name) {
            let own = file.rsplit('/').next().unwrap_or(&file);
            if is_lock(own) {
                folder.locks.push(file);
            } else if own == ".python-version" {
                let text = sources.text_named(&file).unwrap_or_default();
                folder.requirements.extend(pythons(text));
            } else if (states_requirements(own) || is_environment(&file, sources))
                && !own.starts_with("constraint")
            {
                pending.push((file, None));
            }
        }
        let in_list = |file: &String| Language::of_name(Path::new(file)) == Some(Language::Requirements);
        let listed = reader.files_in(&normalised(name, "requirements").unwrap_or_default()).into_iter();
        pending.extend(listed.filter(in_list).map(|file| (file, None)));
        let mut seen = BTreeSet::new();
        while let Some((file, part)) = pending.pop() {
            if seen.len() >= MOST_FILES || !seen.insert((file.clone(), part.is_some())) {
                continue;
            }
            let Some((requirements, included)) = reader.requirements(&file) else { continue };
            let belonging = |requirement: Requirement| match &part {
                Some(part) => Requirement { part: part.clone(), ..requirement },
                None => requirement,
            };
            folder.requirements.extend(requirements.into_iter().map(belonging));
            for Included { path, part: named } in included {
                let part = (named == Part::Constraint).then_some(Part::Constraint).or(part.clone());
                pending.extend(normalised(folder_of(&file), &path).map(|file| (file, part)));
            }
        }
        folder
    }

    /// The versions that a package may have; `None` when nothing here names it, and `Some(None)` when what does says
    /// nothing of its versions.
    pub fn range(&self, package: &str, sources: &Sources) -> Option<Option<Range>> {
        let chosen = self.locked(package, sources);
        let chosen = chosen.iter().filter_map(|version| Range::exactly(version));
        if let Some(range) = chosen.reduce(|all, one| all.or(&one)) {
            return Some(Some(range));
        }
        let of = |wanted: fn(&Part) -> bool| {
            let named = self.requirements.iter().filter(move |it| it.name == package && wanted(&it.part));
            named.map(|it| it.clauses.as_deref().and_then(Range::of))
        };
        let asked = |part: &Part| matches!(part, Part::Main | Part::Group(_));
        let limits = of(|part| *part == Part::Constraint).flatten().reduce(|all, one| all.or(&one));
        let mut declared = of(asked).peekable();
        declared.peek()?;
        // One that says nothing may be any version.
        let all: Option<Vec<Range>> = declared.collect();
        let all = all.and_then(|all| all.into_iter().reduce(|all, one| all.or(&one)));
        Some(all.map(|range| limits.as_ref().map_or(range.clone(), |limits| range.and(limits))))
    }

    /// What asks for a package.
    pub fn asked(&self, package: &str) -> Vec<&Requirement> {
        let is_asked = |part: &Part| matches!(part, Part::Main | Part::Group(_) | Part::Locked);
        self.requirements.iter().filter(|it| it.name == package && is_asked(&it.part)).collect()
    }

    /// The versions that lock files, and lists that a tool made, name.
    pub fn locked(&self, package: &str, sources: &Sources) -> Vec<String> {
        let in_locks = self.locks.iter().filter_map(|lock| sources.text_named(lock));
        let in_locks = in_locks.flat_map(|text| versions_in(text, package));
        let listed = self.requirements.iter().filter(|it| it.name == package && it.part == Part::Locked);
        let pinned = listed.filter_map(|it| match it.clauses.as_deref()? {
            [only] if only.operator == "==" => Some(only.version.as_str()),
            _ => None,
        });
        in_locks.chain(pinned).map(str::to_owned).collect()
    }
}

/// Whether a file of this name may say which packages a project needs.
fn states_requirements(name: &str) -> bool {
    let is_environment = |name: &str| {
        (name.ends_with(".yml") || name.ends_with(".yaml"))
            && ["environment", "conda"].iter().any(|word| name.to_ascii_lowercase().contains(word))
    };
    matches!(name, "pyproject.toml" | "setup.cfg" | "setup.py" | "settings.ini" | "Pipfile")
        || is_environment(name)
        || Language::of_name(Path::new(name)) == Some(Language::Requirements)
}

/// Whether a file of the run is an environment of conda, whatever it is called: it names channels and packages.
fn is_environment(name: &str, sources: &Sources) -> bool {
    let has_key = |text: &str, key: &str| {
        text.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.trim_end() == ":"))
    };
    Language::of_name(Path::new(name)) == Some(Language::Yaml)
        && sources
            .text_named(name)
            .is_some_and(|text| has_key(text, "channels") && has_key(text, "dependencies"))
}

/// `.python-version` of pyenv and uv: a version on each line.
fn pythons(text: &str) -> Vec<Requirement> {
    let versions = text.lines().map(str::trim).filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let lines = versions.take(8).map(|version| format!("python=={}.*", version.trim_end_matches(".*")));
    lines.filter_map(|line| languages::requirement(&line)).collect()
}

struct Reader<'s> {
    sources: &'s Sources,
}

impl Reader<'_> {
    /// The files of a folder: those of the run, and those on disk.
    fn files_in(&self, folder: &str) -> BTreeSet<String> {
        let own = self.sources.files.iter().map(|source| &source.name);
        let mut files: BTreeSet<String> = own.filter(|name| folder_of(name) == folder).cloned().collect();
        let listed = self.path(folder).map_or(&[][..], |path| self.sources.beside.names_in(&path));
        for name in listed {
            let separator = if folder.is_empty() { "" } else { "/" };
            if is_lock(name)
                || name == ".python-version"
                || states_requirements(name)
                || folder.ends_with("requirements")
            {
                files.insert(format!("{folder}{separator}{name}"));
            }
        }
        files
    }

    /// Where a file lies; examples lie nowhere.
    fn path(&self, name: &str) -> Option<std::path::PathBuf> {
        let root = &self.sources.root;
        (!root.as_os_str().is_empty()).then(|| root.join(name))
    }

    /// What a file asks for, and the files that it names.
    fn requirements(&self, name: &str) -> Option<(Vec<Requirement>, Vec<Included>)> {
        let language = Language::of_name(Path::new(name)).unwrap_or(Language::Requirements);
        let source = Source::new(None, name.to_owned(), language, self.sources.text_named(name)?.to_owned());
        let code = languages::lower(&source, Choices::default()).ok()?;
        Some((code.requirements, code.included))
    }
}
