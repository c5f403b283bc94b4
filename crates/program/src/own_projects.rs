//! Folders below the root that are projects of their own: the packages of one repository, and repositories that lie
//! side by side. What a file of such a project imports is looked for in its folder too.

use crate::sources::{PROJECT_FILES, Source, Sources, file_name_of, folder_of};
use rustc_hash::FxHashSet;

/// The folders of own projects, without the root.
pub fn own_projects(sources: &Sources) -> FxHashSet<&str> {
    let saying = sources.files.iter().filter(|source| says_project(source));
    let mut found: FxHashSet<&str> = saying.map(|source| folder_of(&source.name)).collect();
    found.extend(side_by_side(sources));
    found.remove("");
    found
}

/// Whether the folder of a file is a project, since the file lies in it.
fn says_project(source: &Source) -> bool {
    PROJECT_FILES.contains(&file_name_of(&source.name))
}

/// Where the root holds nothing but folders, these are what people work in. So are those in a folder of which the
/// same is true. A package is part of one.
fn side_by_side(sources: &Sources) -> FxHashSet<&str> {
    let (mut with_files, mut packages) = (FxHashSet::default(), FxHashSet::default());
    for source in sources.files.iter().filter(|source| source.is_python() || says_project(source)) {
        let folder = folder_of(&source.name);
        with_files.insert(folder);
        if file_name_of(&source.name) == "__init__.py" {
            packages.insert(folder);
        }
    }
    let mut found = FxHashSet::default();
    for source in sources.files.iter().filter(|source| source.is_python()) {
        let folders = source.name.match_indices('/').map(|(end, _)| &source.name[..end]);
        let mut above = "";
        // Two levels: a folder of folders, such as those of several owners.
        for folder in folders.take(2) {
            if with_files.contains(above) {
                break;
            }
            found.insert(folder);
            above = folder;
        }
    }
    found.retain(|folder| !packages.contains(folder));
    found
}
