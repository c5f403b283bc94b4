//! Names of modules ↔ files of the project, the way Python's path finder sees them.

use super::crates::Crates;
use crate::facts::FileId;
use crate::sources::{Language, Sources, folder_of};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

/// What a folder holds: its name there, and what it is.
pub type Child = (Box<str>, ImportTarget);

/// The project as an importer sees it.
pub struct Modules {
    /// Those of Rust, which are found in other ways.
    pub crates: Crates,
    /// Name → folder → what the folder holds under that name. Most imported names are none of these.
    children: FxHashMap<String, FxHashMap<FolderId, ImportTarget>>,
    /// The same by folder, made when somebody asks for all that a folder holds.
    held: OnceLock<FxHashMap<FolderId, Vec<Child>>>,
    folders: Vec<Folder>,
    /// Path → folder.
    folder_ids: FxHashMap<String, FolderId>,
    /// For each file: the folder it lies in, and the folder above its topmost package.
    homes: Vec<Home>,
}

/// The number of a folder that a file lies in or below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FolderId(u32);

/// The project root.
const ROOT: FolderId = FolderId(0);

struct Folder {
    path: String,
    /// The folder that it lies in; the root lies in itself.
    above: FolderId,
    /// Its `__init__.py`.
    init: Option<FileId>,
    /// It is a project of its own.
    is_top: bool,
}

struct Home {
    folder: FolderId,
    above_package: FolderId,
    searches_upwards: bool,
    /// It is the `__init__.py` of its folder.
    is_init: bool,
}

/// What an import path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// A module, or a package's `__init__`.
    File(FileId),
    /// A folder without `__init__.py`.
    Folder(FolderId),
}

impl ImportTarget {
    /// The module, or the package's `__init__`.
    pub fn file(self) -> Option<FileId> {
        match self {
            ImportTarget::File(file) => Some(file),
            ImportTarget::Folder(_) => None,
        }
    }
}

impl Modules {
    /// `tops` are the folders that are projects of their own: `app`.
    pub fn new(sources: &Sources, tops: &[&str]) -> Modules {
        let root = Folder { path: String::new(), above: ROOT, init: None, is_top: false };
        let mut modules = Modules {
            crates: Crates::new(sources),
            children: FxHashMap::default(),
            held: OnceLock::new(),
            folders: vec![root],
            folder_ids: std::iter::once((String::new(), ROOT)).collect(),
            homes: Vec::new(),
        };
        let mut with_modules = FxHashSet::default();
        let mut folders = Vec::with_capacity(sources.files.len());
        for (index, source) in sources.files.iter().enumerate() {
            let folder = modules.intern(folder_of(&source.name));
            folders.push(folder);
            if source.language != Language::Python {
                continue;
            }
            let file = FileId(index as u32);
            let stem = source.name.strip_suffix(".py").unwrap_or(&source.name);
            let name = stem.rsplit('/').next().unwrap_or(stem);
            modules.add(folder, name, ImportTarget::File(file));
            if name == "__init__" {
                modules.folders[folder.0 as usize].init = Some(file);
            }
            let mut above = folder;
            while above != ROOT && with_modules.insert(above) {
                above = modules.above(above);
            }
        }
        // A package wins over a module of its name, and both over a folder without `__init__.py`.
        for id in with_modules {
            let Folder { path, above, init, .. } = &modules.folders[id.0 as usize];
            let (above, name) = (*above, path.rsplit('/').next().unwrap_or(path).to_owned());
            match *init {
                Some(init) => modules.add(above, &name, ImportTarget::File(init)),
                None if modules.below(above, &name).is_some() => {}
                None => modules.add(above, &name, ImportTarget::Folder(id)),
            }
        }
        for top in tops.iter().filter_map(|top| modules.folder(top)).collect::<Vec<_>>() {
            modules.folders[top.0 as usize].is_top = true;
        }
        let homes = folders.into_par_iter().zip(&sources.files);
        modules.homes = homes.map(|(folder, source)| modules.home(folder, &source.text)).collect();
        for init in modules.folders.iter().filter_map(|folder| folder.init) {
            modules.homes[init.0 as usize].is_init = true;
        }
        modules
    }

    fn intern(&mut self, path: &str) -> FolderId {
        if let Some(&known) = self.folder_ids.get(path) {
            return known;
        }
        let above = self.intern(folder_of(path));
        let id = FolderId(self.folders.len() as u32);
        self.folders.push(Folder { path: path.to_owned(), above, init: None, is_top: false });
        self.folder_ids.insert(path.to_owned(), id);
        id
    }

    fn add(&mut self, folder: FolderId, name: &str, found: ImportTarget) {
        match self.children.get_mut(name) {
            Some(folders) => _ = folders.insert(folder, found),
            None => {
                let folders = std::iter::once((folder, found)).collect();
                self.children.insert(name.to_owned(), folders);
            }
        }
    }

    fn home(&self, folder: FolderId, text: &str) -> Home {
        let mut above_package = folder;
        while self.is_package(above_package) {
            above_package = self.above(above_package);
        }
        // A script that changes `sys.path` nearly always adds a folder above its own.
        let searches_upwards = memchr::memmem::find(text.as_bytes(), b"sys.path").is_some();
        Home { folder, above_package, searches_upwards, is_init: false }
    }

    /// The folders upwards that are projects of their own, the nearest first, and the root.
    fn tops(&self, folder: FolderId) -> impl Iterator<Item = FolderId> {
        let upwards =
            std::iter::successors(Some(folder), |&folder| (folder != ROOT).then(|| self.above(folder)));
        upwards.filter(|&folder| folder == ROOT || self.folders[folder.0 as usize].is_top)
    }

    fn above(&self, folder: FolderId) -> FolderId {
        self.folders[folder.0 as usize].above
    }

    /// The folder with this path in the project, if any file lies in or below it.
    pub fn folder(&self, path: &str) -> Option<FolderId> {
        self.folder_ids.get(path).copied()
    }

    /// The folder that a path leads to where `file` runs. A path with a dot is one below the current folder, which is
    /// that of an own project where there is one; others may be what was made of `__file__`. `normal` is the path
    /// without dots.
    pub fn folder_for(&self, file: FileId, path: &str, normal: &str) -> Option<FolderId> {
        let in_tops = || {
            let mut tops = self.tops(self.homes[file.0 as usize].folder);
            tops.find_map(|top| self.folder(self.path_below(top, normal).trim_end_matches('/')))
        };
        if path.starts_with('.') { in_tops() } else { self.folder(normal).or_else(in_tops) }
    }

    fn is_package(&self, folder: FolderId) -> bool {
        folder != ROOT && self.folders[folder.0 as usize].init.is_some()
    }

    /// Whether the file belongs to a package (its folder has an `__init__.py`).
    pub fn in_package(&self, file: FileId) -> bool {
        self.is_package(self.homes[file.0 as usize].folder)
    }

    /// The dotted name under which others import the file.
    pub fn dotted(&self, file: FileId, name: &str) -> String {
        let above = &self.folders[self.homes[file.0 as usize].above_package.0 as usize].path;
        let stem = name.strip_suffix(".py").unwrap_or(name);
        let below = stem.strip_prefix(above.as_str()).unwrap_or(stem).trim_start_matches('/');
        let below = below.strip_suffix("/__init__").unwrap_or(below);
        below.replace('/', ".")
    }

    /// The `__init__` files that run before `file` when it is imported, outermost first.
    pub fn parents(&self, file: FileId) -> Vec<FileId> {
        let mut found = Vec::new();
        let mut folder = self.homes[file.0 as usize].folder;
        while self.is_package(folder) {
            found.extend(self.folders[folder.0 as usize].init.filter(|&init| init != file));
            folder = self.above(folder);
        }
        found.reverse();
        found
    }

    /// What `name` is below a module or folder: a submodule, a subpackage or a folder.
    pub fn child(&self, of: ImportTarget, name: &str) -> Option<ImportTarget> {
        self.below(self.folder_of(of)?, name)
    }

    /// What has this name somewhere in the project.
    pub fn named(&self, name: &str) -> impl Iterator<Item = ImportTarget> {
        self.children.get(name).into_iter().flat_map(|folders| folders.values().copied())
    }

    /// All that a package or folder holds, in the order of the names.
    pub fn children_of(&self, of: ImportTarget) -> &[Child] {
        let held = self.held.get_or_init(|| {
            let mut held: FxHashMap<FolderId, Vec<Child>> = FxHashMap::default();
            for (name, folders) in &self.children {
                for (&folder, &child) in folders {
                    held.entry(folder).or_default().push((name.as_str().into(), child));
                }
            }
            held.values_mut()
                .for_each(|children| children.sort_unstable_by(|one, other| one.0.cmp(&other.0)));
            held
        });
        self.folder_of(of).and_then(|folder| held.get(&folder)).map_or(&[], Vec::as_slice)
    }

    fn folder_of(&self, of: ImportTarget) -> Option<FolderId> {
        match of {
            ImportTarget::Folder(folder) => Some(folder),
            ImportTarget::File(file) => {
                let home = &self.homes[file.0 as usize];
                home.is_init.then_some(home.folder)
            }
        }
    }

    fn below(&self, folder: FolderId, name: &str) -> Option<ImportTarget> {
        self.children.get(name)?.get(&folder).copied()
    }

    /// The package that `level` dots lead to from `file`.
    pub fn relative(&self, file: FileId, level: u32) -> Option<ImportTarget> {
        let mut folder = self.homes[file.0 as usize].folder;
        for _ in 1..level {
            if folder == ROOT {
                return None;
            }
            folder = self.above(folder);
        }
        let init = self.folders[folder.0 as usize].init;
        Some(init.map_or(ImportTarget::Folder(folder), ImportTarget::File))
    }

    /// Finds the first name of an absolute import written in `file`, in a program started by `script`
    /// (`None` when the program was started as a module or is not known).
    ///
    /// A module or package wins over a folder without `__init__.py` wherever each lies, as in Python.
    pub fn absolute(
        &self,
        script: Option<FileId>,
        search_paths: &[FolderId],
        file: FileId,
        name: &str,
    ) -> Option<ImportTarget> {
        // Most names are those of libraries, which are nowhere in the project.
        let folders = self.children.get(name)?;
        let mut folder_found = None;
        let mut search = |folder: FolderId| match folders.get(&folder) {
            Some(found @ ImportTarget::File(_)) => Some(*found),
            Some(found) => {
                folder_found.get_or_insert(*found);
                None
            }
            None => None,
        };
        let home = &self.homes[file.0 as usize];
        let start = script.map_or(home, |script| &self.homes[script.0 as usize]);
        let first = script.map(|_| start.folder).into_iter().chain(search_paths.iter().copied());
        let mut rest = vec![start.above_package, home.above_package];
        for top in self.tops(start.folder).chain(self.tops(home.folder)) {
            rest.push(top);
            rest.extend(self.folder(&self.path_below(top, "src")));
        }
        for folder in first.chain(rest) {
            if let Some(found) = search(folder) {
                return Some(found);
            }
        }
        for home in [start, home].into_iter().filter(|home| home.searches_upwards) {
            let mut folder = home.folder;
            while folder != ROOT {
                folder = self.above(folder);
                let found = search(folder).or_else(|| search(self.folder(&self.path_below(folder, "src"))?));
                if found.is_some() {
                    return found;
                }
            }
        }
        folder_found
    }

    fn path_below(&self, folder: FolderId, name: &str) -> String {
        match self.folders[folder.0 as usize].path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}/{name}"),
        }
    }
}
