//! The files of a project as one state of it has them: a commit, or the index of git.

use super::walk::{self, ReadReason};
use super::{DiskAnswers, Language, Source, Sources, names, read};
use crate::disk::Disk;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};

impl Sources {
    /// The same project in another state, where this is the disk as it lies. `is_reported` is asked of the files that
    /// differ in it.
    pub fn in_state(&self, disk: &Disk, is_reported: &dyn Fn(&Path) -> bool) -> Sources {
        let mut state = Sources {
            root: self.root.clone(),
            files: Vec::with_capacity(self.files.len()),
            skipped: self.skipped.clone(),
            beside: DiskAnswers::of(disk.within(self.beside.bounds().clone())),
        };
        let mut known: FxHashSet<&Path> = FxHashSet::default();
        for source in &self.files {
            let path = source.path.as_deref();
            known.extend(path);
            match path.and_then(|path| instead_of(disk, path)) {
                None => state.files.push(source.copied()),
                Some(None) => {}
                Some(Some(bytes)) => state.add(path.unwrap_or(Path::new("")), bytes, source.reported),
            }
        }
        let differing = disk.differing().filter(|(path, _)| !known.contains(path));
        let others: Vec<(&Path, &[u8])> =
            differing.filter_map(|(path, instead)| Some((path, instead.as_deref()?))).collect();
        for (path, bytes) in others {
            if walk::would_find(&self.root, path) {
                state.skipped.retain(|skipped| skipped.path != names::relative(&self.root, path));
                state.add(path, bytes, is_reported(path));
            }
        }
        state.sort();
        state
    }

    /// Whether a file is one that a check of the whole project reads, by its path.
    pub fn may_hold(root: &Path, path: &Path) -> bool {
        walk::would_find(root, path)
    }

    /// Whether a file with this content has nothing to do with GPUs, whatever else the project holds: it is no code, and
    /// speaks of none.
    pub fn is_beside_the_point(root: &Path, path: &Path, content: &[u8]) -> bool {
        let language = Language::of_name(path).or_else(|| Language::of_shebang(content));
        let is_prose = language.is_none() || language == Some(Language::Markdown);
        let may_be_settings =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("gpulint"));
        (is_prose || !walk::would_find(root, path)) && !may_be_settings && !read::mentions_gpu(content)
    }

    /// Whether a text speaks of GPUs.
    pub fn speaks_of_gpus(text: &[u8]) -> bool {
        read::mentions_gpu(text)
    }

    /// Adds a file with the bytes that it has in this state, when a walk would have read it.
    fn add(&mut self, path: &Path, bytes: &[u8], reported: bool) {
        let name = names::relative(&self.root, path);
        match read::bytes(path, ReadReason::Below, bytes) {
            Ok(Some((language, text))) => {
                let source = Source::new(Some(path.to_owned()), name, language, text);
                if source.foreign_kernel().is_none() {
                    self.files.push(Source { reported, ..source });
                }
            }
            Ok(None) => {}
            Err(reason) if reported => self.skipped.push(super::Skipped { path: name, reason }),
            Err(_) => {}
        }
    }
}

/// What stands in the place of a file, or of that which a link leads to.
fn instead_of<'d>(disk: &'d Disk, path: &Path) -> Option<Option<&'d [u8]>> {
    disk.instead(path).or_else(|| {
        let is_link = !disk.is_untouched() && path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        let target: PathBuf = if is_link { path.canonicalize().ok()? } else { return None };
        disk.instead(&target)
    })
}
