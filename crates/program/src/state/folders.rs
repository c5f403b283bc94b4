//! The folders of the project that a program put on `sys.path`.

use super::State;
use crate::program::modules::FolderId;
use std::rc::Rc;

impl State {
    /// Folders of the project that the program put on `sys.path`.
    pub fn search_paths(&self) -> &[FolderId] {
        &self.search_paths
    }

    pub fn add_search_path(&mut self, folder: FolderId) {
        Rc::make_mut(&mut self.search_paths).push(folder);
    }

    /// The search paths of another state, and some more.
    pub fn search_paths_as(&mut self, added: &[FolderId], now: &State) {
        self.search_paths = now.search_paths.clone();
        added.iter().for_each(|folder| self.add_search_path(*folder));
    }

    /// The folders that were put on `sys.path` since `before`.
    pub fn search_paths_since(&self, before: &State) -> &[FolderId] {
        if Rc::ptr_eq(&self.search_paths, &before.search_paths) {
            return &[];
        }
        self.search_paths.get(before.search_paths.len()..).unwrap_or_default()
    }

    /// A folder may be on the path when it is on one of two ways.
    pub(super) fn join_search_paths(&mut self, other: &Rc<Vec<FolderId>>) {
        if Rc::ptr_eq(&self.search_paths, other) {
            return;
        }
        for folder in other.iter() {
            if !self.search_paths.contains(folder) {
                self.add_search_path(*folder);
            }
        }
    }
}
