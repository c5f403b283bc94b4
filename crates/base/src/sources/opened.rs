//! The files of a project while somebody works on some of them: what is open in an editor stands in the place of what
//! lies on disk, and what has not changed on disk since it was last read is not read again.

use super::language::Language;
use super::walk::{Found, ReadReason};
use super::{Excluded, FileSelection, Skipped, Source, Sources, followed, names, read, walk};
use crate::disk::Bounds;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// A text that is open.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The file that it stands for, which need not exist.
    pub path: Option<PathBuf>,
    /// What it is called where there is no path.
    pub name: String,
    /// Holds where neither the name nor the first line says one.
    pub language: Option<Language>,
    pub text: String,
}

/// What was read from disk, for the next time.
#[derive(Debug, Default)]
pub struct Kept {
    files: Mutex<FxHashMap<PathBuf, KeptFile>>,
}

#[derive(Debug)]
struct KeptFile {
    modified: SystemTime,
    bytes: u64,
    read: ReadFile,
}

/// What [`read::file`] returns.
type ReadFile = Result<Option<(Language, String)>, String>;

impl Opened {
    /// The language that its name, its first line or else the editor says.
    pub fn language(&self) -> Option<Language> {
        let by_name = self.path.as_deref().and_then(Language::of_name);
        by_name.or_else(|| Language::of_shebang(self.text.as_bytes())).or(self.language)
    }
}

impl Kept {
    /// The text of a file that nobody named.
    fn file(&self, bounds: &Bounds, path: &Path, wanted: ReadReason) -> ReadFile {
        // What cannot be asked for its time is read, and says itself what is wrong.
        let metadata = path.metadata().ok();
        let stamp = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        let Some((modified, bytes)) = stamp else {
            return read::file(bounds, path, wanted);
        };
        let files = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = files().get(path).filter(|kept| (kept.modified, kept.bytes) == (modified, bytes))
        {
            return kept.read.clone();
        }
        let read = read::file(bounds, path, wanted);
        files().insert(path.to_owned(), KeptFile { modified, bytes, read: read.clone() });
        read
    }
}

impl Sources {
    /// What is open, and the rest of the project as far as `extent` says. Only what is open is reported, and of that
    /// what is not excluded.
    pub fn with_opened(
        root: &Path,
        opened: Vec<Opened>,
        (extent, excluded): (FileSelection, &Excluded),
        kept: &Kept,
    ) -> Sources {
        let paths = || opened.iter().filter_map(|open| open.path.clone());
        let named: Vec<PathBuf> = paths().collect();
        let bounds = walk::bounds(root, &named, extent);
        let mut found = match extent {
            // Without a named path nothing can be missing.
            FileSelection::Project => walk::files(root, &[], extent, excluded, &bounds).unwrap_or_default().0,
            FileSelection::NamedPaths => {
                let mut found: Found = paths().map(|path| (path, ReadReason::Named)).collect();
                let open_text = |file: &Path| {
                    let open = opened.iter().find(|open| open.path.as_deref() == Some(file));
                    open.map(|open| open.text.clone())
                };
                followed::add(&mut found, root, &[], (&bounds, &open_text));
                found
            }
        };
        for path in paths() {
            found.remove(&path);
        }
        let mut sources = Sources::read_found(root, found, Vec::new(), bounds, |bounds, path, wanted| {
            kept.file(bounds, path, wanted)
        });
        for open in opened {
            let name = match &open.path {
                Some(path) => names::relative(root, path),
                None => open.name.clone(),
            };
            match open.language() {
                Some(language) => {
                    let is_left_out = open.path.as_deref().is_some_and(|path| excluded.names(root, path));
                    let mut source = Source::new(open.path, name, language, open.text);
                    source.reported = !is_left_out;
                    // A notebook in another language is none that is read.
                    if source.foreign_kernel().is_none() {
                        sources.files.push(source);
                    }
                }
                None => {
                    let reason = "not a language that gpulint reads".to_owned();
                    sources.skipped.push(Skipped { path: name, reason });
                }
            }
        }
        sources.add_loaded();
        sources.sort();
        sources
    }

    /// Whether a file lies among installed packages, and not in the project itself.
    pub fn is_installed(root: &Path, path: &Path) -> bool {
        walk::is_inside_installed(root, path)
    }
}
