//! Which versions of Python, torch and any other package a project may run with: what its lock file chose, else what
//! its requirements allow.
//!
//! Nothing is read before somebody asks. What holds for a file is what the nearest folder at or above it says that
//! names the package at all. Where no list does, the image that it is run in may say it by its tag.

mod folder;
mod images;
mod locks;
mod range;

pub use range::{Range, release};

use crate::code::Requirement;
use crate::sources::{Sources, folder_of};
use elsa::sync::FrozenMap;
use folder::Folder;
use images::Images;

/// Answers about the versions of packages, by file.
pub struct Versions<'s> {
    sources: &'s Sources,
    folders: FrozenMap<String, Box<Folder>>,
    images: Images,
}

impl<'s> Versions<'s> {
    /// For the project of these files. Files of requirements beside them are found on disk, where they have one.
    pub fn new(sources: &'s Sources) -> Self {
        Versions { sources, folders: FrozenMap::new(), images: Images::default() }
    }

    /// The versions that a package may have for a file, by the file's name in the project; `None` when nothing
    /// says so. `package` is spelt as indexes spell it, and `python` is the interpreter.
    pub fn range(&self, file: &str, package: &str) -> Option<Range> {
        let mut folder = folder_of(file);
        let mut named = None;
        loop {
            match self.folder(folder).range(package, self.sources) {
                Some(Some(range)) if !range.is_any() => return Some(range),
                // What the project around says holds here as well.
                Some(any) => named = named.or(Some(any)),
                None => {}
            }
            if folder.is_empty() {
                return named.unwrap_or_else(|| self.range_of_images(file, package));
            }
            folder = folder_of(folder);
        }
    }

    /// The versions that the images of the nearest folder with such an image have.
    fn range_of_images(&self, file: &str, package: &str) -> Option<Range> {
        if !images::may_say(package) {
            return None;
        }
        let mut folder = folder_of(file);
        loop {
            if let Some(range) = self.images.range(folder, package, self.sources) {
                return Some(range);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder_of(folder);
        }
    }

    /// What the lists of packages beside a file, or above it, ask of a package: those of the first folder that names it.
    pub fn asked(&self, file: &str, package: &str) -> Vec<&Requirement> {
        let mut folder = folder_of(file);
        loop {
            let asked = self.folder(folder).asked(package);
            if !asked.is_empty() || folder.is_empty() {
                return asked;
            }
            folder = folder_of(folder);
        }
    }

    /// The versions that lock files beside a file, or above it, chose: as they stand there, labels included.
    pub fn locked(&self, file: &str, package: &str) -> Vec<String> {
        let mut folder = folder_of(file);
        loop {
            let locked = self.folder(folder).locked(package, self.sources);
            if !locked.is_empty() || folder.is_empty() {
                return locked;
            }
            folder = folder_of(folder);
        }
    }

    /// Whether every version that a package may have is among the wanted ones; `Some(false)` when none is, `None` when
    /// that is not known, or both are possible.
    pub fn satisfies(&self, file: &str, package: &str, wanted: &Range) -> Option<bool> {
        self.range(file, package)?.lies_in(wanted)
    }

    /// Whether the oldest version that a package may have is among these. Where no oldest is named, it is not.
    pub fn supports(&self, file: &str, package: &str, wanted: &Range) -> bool {
        self.range(file, package).is_some_and(|range| range.begins_in(wanted))
    }

    /// Whether the package is at least of this version: `at_least("train.py", "torch", "2.4")`.
    pub fn at_least(&self, file: &str, package: &str, version: &str) -> Option<bool> {
        self.satisfies(file, package, &Range::read(&format!(">={version}"))?)
    }

    /// What images and instructions say of packages, as a text: all files whose versions are asked for rest on it.
    pub fn said_elsewhere(&self) -> String {
        format!("{:?}", self.images.said(self.sources))
    }

    fn folder(&self, name: &str) -> &Folder {
        if let Some(known) = self.folders.get(name) {
            return known;
        }
        self.folders.insert(name.to_owned(), Box::new(Folder::read(name, self.sources)))
    }
}

#[cfg(test)]
mod tests;
