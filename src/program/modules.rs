//! Names of modules ↔ files of the project, the way Python's path finder sees them.

use super::crates::Crates;
use crate::facts::FileId;
use crate::sources::{Language, Sources};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The project as an importer sees it.
pub struct Modules {
    /// Those of Rust, which are found in other ways.
    pub crates: Crates,
    /// Name → folder → what the folder holds under that name. Most imported names are none of these.
    children: FxHashMap<String, FxHashMap<String, Found>>,
    /// Folders with an `__init__.py`.
    packages: FxHashMap<String, FileId>,
    /// For each file: the folder it lies in, and the folder above its topmost package.
    homes: Vec<Home>,
}

#[derive(Debug)]
struct Home {
    folder: String,
    above_package: String,
    searches_upwards: bool,
    /// It is the `__init__.py` of its folder.
    is_init: bool,
}

/// What an import path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A module, or a package's `__init__`.
    File(FileId),
    /// A folder without `__init__.py`.
    Folder(String),
}

impl Modules {
    pub fn new(sources: &Sources) -> Modules {
        let mut modules = Modules {
            crates: Crates::new(sources),
            children: FxHashMap::default(),
            packages: FxHashMap::default(),
            homes: Vec::new(),
        };
        let mut folders = FxHashSet::default();
        for (index, source) in sources.files.iter().enumerate() {
            if source.language != Language::Python {
                continue;
            }
            let stem = source.name.strip_suffix(".py").unwrap_or(&source.name);
            let file = FileId(index as u32);
            modules.add(stem, Found::File(file));
            let mut folder = parent(stem);
            if stem.strip_prefix(folder).is_some_and(|name| name.trim_start_matches('/') == "__init__") {
                modules.packages.insert(folder.to_owned(), file);
            }
            while !folder.is_empty() && folders.insert(folder) {
                folder = parent(folder);
            }
        }
        // A package wins over a module of its name, and both over a folder without `__init__.py`.
        for folder in folders {
            match modules.packages.get(folder) {
                Some(&init) => modules.add(folder, Found::File(init)),
                None if modules.get(folder).is_some() => {}
                None => modules.add(folder, Found::Folder(folder.to_owned())),
            }
        }
        modules.homes =
            sources.files.par_iter().map(|source| modules.home(&source.name, &source.text)).collect();
        for init in modules.packages.values() {
            modules.homes[init.0 as usize].is_init = true;
        }
        modules
    }

    fn add(&mut self, path: &str, found: Found) {
        let name = path.rsplit('/').next().unwrap_or(path);
        match self.children.get_mut(name) {
            Some(folders) => _ = folders.insert(parent(path).to_owned(), found),
            None => {
                let folders = std::iter::once((parent(path).to_owned(), found)).collect();
                self.children.insert(name.to_owned(), folders);
            }
        }
    }

    fn get(&self, path: &str) -> Option<&Found> {
        self.children.get(path.rsplit('/').next().unwrap_or(path))?.get(parent(path))
    }

    fn home(&self, name: &str, text: &str) -> Home {
        let folder = parent(name).to_owned();
        let mut above = folder.as_str();
        while self.is_package(above) {
            above = parent(above);
        }
        // A script that changes `sys.path` nearly always adds a folder above its own.
        let searches_upwards = memchr::memmem::find(text.as_bytes(), b"sys.path").is_some();
        Home { above_package: above.to_owned(), searches_upwards, folder, is_init: false }
    }

    fn is_package(&self, folder: &str) -> bool {
        !folder.is_empty() && self.packages.contains_key(folder)
    }

    /// Whether the file belongs to a package (its folder has an `__init__.py`).
    pub fn in_package(&self, file: FileId) -> bool {
        self.is_package(&self.homes[file.0 as usize].folder)
    }

    /// The dotted name under which others import the file.
    pub fn dotted(&self, file: FileId, name: &str) -> String {
        let home = &self.homes[file.0 as usize];
        let stem = name.strip_suffix(".py").unwrap_or(name);
        let below = stem.strip_prefix(home.above_package.as_str()).unwrap_or(stem).trim_start_matches('/');
        let below = below.strip_suffix("/__init__").unwrap_or(below);
        below.replace('/', ".")
    }

    /// The `__init__` files that run before `file` when it is imported, outermost first.
    pub fn parents(&self, file: FileId) -> Vec<FileId> {
        let home = &self.homes[file.0 as usize];
        let mut found = Vec::new();
        let mut folder = home.folder.as_str();
        while self.is_package(folder) {
            found.extend(self.packages.get(folder).copied().filter(|&init| init != file));
            folder = parent(folder);
        }
        found.reverse();
        found
    }

    /// What `name` is below a module or folder: a submodule, a subpackage or a folder.
    pub fn child(&self, of: &Found, name: &str) -> Option<Found> {
        let folder = match of {
            Found::Folder(folder) => folder.as_str(),
            Found::File(file) => self.package_folder(*file)?,
        };
        self.below(folder, name)
    }

    /// The folder of a package, when the file is its `__init__`.
    fn package_folder(&self, file: FileId) -> Option<&str> {
        let home = &self.homes[file.0 as usize];
        home.is_init.then_some(home.folder.as_str())
    }

    /// What has this name somewhere in the project.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Found> {
        self.children.get(name).into_iter().flat_map(|folders| folders.values())
    }

    fn below(&self, folder: &str, name: &str) -> Option<Found> {
        self.children.get(name)?.get(folder).cloned()
    }

    /// The package that `level` dots lead to from `file`.
    pub fn relative(&self, file: FileId, level: u32) -> Option<Found> {
        let mut folder = self.homes[file.0 as usize].folder.as_str();
        for _ in 1..level {
            if folder.is_empty() {
                return None;
            }
            folder = parent(folder);
        }
        let init = self.packages.get(folder);
        Some(init.map_or_else(|| Found::Folder(folder.to_owned()), |&init| Found::File(init)))
    }

    /// Finds the first name of an absolute import written in `file`, in a program started by `script`
    /// (`None` when the program was started as a module or is not known).
    ///
    /// A module or package wins over a folder without `__init__.py` wherever each lies, as in Python.
    pub fn absolute(
        &self,
        script: Option<FileId>,
        search_paths: &[String],
        file: FileId,
        name: &str,
    ) -> Option<Found> {
        // Most names are those of libraries, which are nowhere in the project.
        let folders = self.children.get(name)?;
        let mut folder_found = None;
        let mut search = |folder: &str| match folders.get(folder) {
            Some(Found::File(found)) => Some(Found::File(*found)),
            Some(found) => {
                folder_found.get_or_insert(found);
                None
            }
            None => None,
        };
        let home = &self.homes[file.0 as usize];
        let start = script.map_or(home, |script| &self.homes[script.0 as usize]);
        let first = script.map(|_| start.folder.as_str());
        let rest = [&start.above_package, home.above_package.as_str(), "", "src"];
        for folder in first.into_iter().chain(search_paths.iter().map(String::as_str)).chain(rest) {
            if let Some(found) = search(folder) {
                return Some(found);
            }
        }
        for home in [start, home] {
            let mut folder = home.folder.as_str();
            while home.searches_upwards && !folder.is_empty() {
                folder = parent(folder);
                if let Some(found) = search(folder).or_else(|| search(&join(folder, "src"))) {
                    return Some(found);
                }
            }
        }
        folder_found.cloned()
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
