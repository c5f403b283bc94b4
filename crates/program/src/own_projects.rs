//! Folders below the root that are projects of their own: the packages of one repository, and repositories that lie
//! side by side. What a file of such a project imports is looked for in its folder too.

use crate::sources::{Language, Source, Sources, file_name_of, folder_of};
use rustc_hash::FxHashSet;

/// The folders of own projects, without the root.
pub fn own_projects(sources: &Sources) -> Vec<&str> {
    let mut found: FxHashSet<&str> = sources
        .files
        .iter()
        .filter(|source| says_project(source))
        .map(|source| folder_of(&source.name))
        .collect();
    found.extend(side_by_side(sources));
    found.remove("");
    found.into_iter().collect()
}

/// Whether the folder of a file is a project, since the file lies in it.
fn says_project(source: &Source) -> bool {
    matches!(file_name_of(&source.name), "pyproject.toml" | "setup.py" | "setup.cfg")
        || source.language == Language::Requirements && file_name_of(&source.name) == "requirements.txt"
}

/// Where the root holds nothing but folders, these are what people work in. So are those in a folder of which the
/// same is true.
fn side_by_side(sources: &Sources) -> Vec<&str> {
    let mut own: FxHashSet<&str> = FxHashSet::default();
    let files = sources.files.iter().filter(|source| source.is_python() || says_project(source));
    for source in files {
        own.insert(folder_of(&source.name));
    }
    let python = sources.files.iter().filter(|source| source.is_python());
    let mut found = Vec::new();
    for source in python {
        let mut start = 0;
        // A folder of folders, such as those of several owners.
        for _ in 0..2 {
            let above = source.name[..start].trim_end_matches('/');
            let Some(length) = source.name[start..].find('/').filter(|_| !own.contains(above)) else { break };
            found.push(&source.name[..start + length]);
            start += length + 1;
        }
    }
    found.sort_unstable();
    found.dedup();
    let inits = sources.files.iter().filter(|source| file_name_of(&source.name) == "__init__.py");
    let packages: FxHashSet<&str> = inits.map(|source| folder_of(&source.name)).collect();
    found.retain(|folder| !packages.contains(folder));
    found
}
